-- Numerics that come one at a time and go to the device as integers in one unit:
-- the text of the built-in, whichever unit that is and whatever does not fit.
SELECT gpured_version() IS NOT NULL AS loaded;
CREATE TABLE numerics AS
  SELECT i, (h % 1000000007 / 100.0 - 5000000)::numeric(12,2) AS amount, (h % 1000003 / 1000.0)::numeric(20,8) AS rate,
         (h * 400000.1234 - 400000000000000)::numeric(30,4) AS large, (h * 4000000000.0 - 4000000000000000000)::numeric(38,0) AS whole,
         round(h / 7.0 - 100000000, i % 9) AS scales, round(h / 7.0, CASE WHEN i < 4000 THEN 0 WHEN i < 8000 THEN 3 ELSE 8 END) AS finer,
         round(h / 7.0, 12) AS decimals, h * 1e25 AS long, CASE i % 2 WHEN 0 THEN h / 4.0 ELSE h * 1e20 END AS halves,
         CASE i % 3 WHEN 0 THEN 0 WHEN 1 THEN 0.00 ELSE 0.000000000 END AS zero, CASE i % 4 WHEN 0 THEN 7 WHEN 1 THEN 7.00 WHEN 2 THEN 7.0 ELSE -7.000 END AS ties,
         CASE i % 4 WHEN 0 THEN 0.00000001 WHEN 1 THEN -0.00000001 WHEN 2 THEN 1e-20 ELSE 92233720368.54775807 END AS edges,
         CASE i WHEN 1 THEN 'NaN' ELSE h / 100.0 END AS nan, CASE i WHEN 4500 THEN 'Infinity' ELSE round(h / 100.0, 2) END AS infinite,
         CASE i WHEN 1 THEN 'Infinity' WHEN 9000 THEN '-Infinity' ELSE h END::numeric AS infinities
    FROM (SELECT i, ((i::int8 * 2654435761) % 2147483647)::numeric AS h FROM generate_series(1, 9000) i) s;
INSERT INTO numerics (i) SELECT generate_series(9001, 9010);
ANALYZE numerics;

CREATE FUNCTION pg_temp.sent() RETURNS int8 LANGUAGE sql AS
  $$ SELECT value FROM gpured_stats WHERE scope = 'session' AND path = 'row' AND name = 'rows' $$;
-- The answer: of equal extremes the one with the most digits.
CREATE FUNCTION pg_temp.wanted(function text, name text, rows text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
  answer text;
BEGIN
  EXECUTE CASE WHEN function IN ('min', 'max')
    THEN format('SELECT %1$I::text AS answer FROM (%2$s) q WHERE %1$I IS NOT NULL ORDER BY %1$I %3$s, scale(%1$I) DESC LIMIT 1', name, rows, CASE function WHEN 'max' THEN 'DESC' END)
    ELSE format('SELECT %s(%I)::text FROM (%s) q', function, name, rows) END INTO answer;
  RETURN answer;
END $f$;
/*
 * Which functions of a column differ, and which did not send as many of the values
 * as they should under gpured.offload = force: none, some or all.
 */
CREATE FUNCTION pg_temp.checked(name text, sums text, others text, rows text, OUT differ text, OUT elsewhere text) LANGUAGE plpgsql AS $f$
DECLARE
  function text;
  answer text;
  sent int8;
  n int8;
  part text;
  expected text;
BEGIN
  EXECUTE format('SELECT count(%I) FROM (%s) q', name, rows) INTO n;
  FOREACH function IN ARRAY '{sum,avg,min,max,var_pop,var_samp,variance,stddev_pop,stddev_samp,stddev}'::text[] LOOP
    sent := pg_temp.sent();
    EXECUTE format('SELECT gpu_%s(%I)::text FROM (%s) q', function, name, rows) INTO answer;
    sent := pg_temp.sent() - sent;
    IF answer IS DISTINCT FROM pg_temp.wanted(function, name, rows) THEN
      differ := concat_ws(', ', differ, format('%s: %s', function, answer));
    END IF;
    part := CASE sent WHEN 0 THEN 'none' WHEN n THEN 'all' ELSE 'some' END;
    expected := CASE WHEN current_setting('gpured.offload') <> 'force' THEN 'none' WHEN function IN ('sum', 'avg') THEN sums ELSE others END;
    IF part <> expected THEN
      elsewhere := concat_ws(', ', elsewhere, format('%s: %s', function, sent));
    END IF;
  END LOOP;
END $f$;
\pset null none
SELECT name, c.*
  FROM (VALUES ('amount', 'all', 'all'), ('rate', 'all', 'all'), ('large', 'all', 'all'), ('whole', 'some', 'all'), ('scales', 'all', 'all'), ('finer', 'all', 'all'),
               ('decimals', 'some', 'some'), ('long', 'none', 'none'), ('halves', 'some', 'some'), ('zero', 'all', 'all'), ('ties', 'all', 'all'),
               ('edges', 'some', 'some'), ('nan', 'some', 'some'), ('infinite', 'some', 'some'), ('infinities', 'some', 'some')) v(name, sums, others),
       pg_temp.checked(name, sums, others, 'SELECT * FROM numerics OFFSET 0') c;
-- in the other direction, where the first value asks for another unit
SELECT name, c.*
  FROM (VALUES ('scales', 'all', 'all'), ('finer', 'all', 'all'), ('ties', 'all', 'all'), ('infinities', 'some', 'some')) v(name, sums, others),
       pg_temp.checked(name, sums, others, 'SELECT * FROM numerics ORDER BY i DESC') c;
-- one row, only NULLs, no row
SELECT c.* FROM pg_temp.checked('amount', 'all', 'all', 'SELECT * FROM numerics WHERE i = 1 OFFSET 0') c;
SELECT c.* FROM pg_temp.checked('amount', 'none', 'none', 'SELECT * FROM numerics WHERE i > 9000 OFFSET 0') c;
SELECT c.* FROM pg_temp.checked('amount', 'none', 'none', 'SELECT * FROM numerics WHERE i < 0 OFFSET 0') c;

-- several at once; equal states are one
SELECT gpu_min(amount) = min(amount) AS min, gpu_max(finer)::text = max(finer)::text AS max, gpu_variance(scales)::text = variance(scales)::text AS variance,
       gpu_stddev_pop(scales)::text = stddev_pop(scales)::text AS stddev, gpu_max(amount) FILTER (WHERE i = 7) = max(amount) FILTER (WHERE i = 7) AS filtered,
       gpu_var_samp(DISTINCT ties)::text = var_samp(DISTINCT ties)::text AS distinct
  FROM (SELECT * FROM numerics OFFSET 0) q;

-- states of several processes
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE numerics SET (parallel_workers = 2);
SELECT gpu_min(scales)::text = pg_temp.wanted('min', 'scales', 'TABLE numerics') AS min, gpu_max(ties)::text = pg_temp.wanted('max', 'ties', 'TABLE numerics') AS max,
       gpu_max(long)::text = max(long)::text AS long, gpu_min(infinities)::text = '-Infinity' AS infinite, gpu_max(nan)::text = 'NaN' AS nan,
       gpu_var_pop(finer)::text = var_pop(finer)::text AS variance, gpu_stddev(halves)::text = stddev(halves)::text AS stddev, gpu_avg(large)::text = avg(large)::text AS avg
  FROM numerics;
SELECT bool_and(gpu_max::text = max::text) AS max, bool_and(gpu_min::text = min::text) AS min, bool_and(gpu_stddev::text = stddev::text) AS stddev
  FROM (SELECT gpu_max(amount), max(amount), gpu_min(rate), min(rate), gpu_stddev(large), stddev(large) FROM numerics GROUP BY i % 50) g;

-- a moving extreme
SELECT count(*) FILTER (WHERE ours::text <> theirs::text) AS differ
  FROM (SELECT gpu_max(amount) OVER w AS ours, max(amount) OVER w AS theirs FROM numerics WINDOW w AS (ORDER BY i ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING)) q;
DROP TABLE numerics;
