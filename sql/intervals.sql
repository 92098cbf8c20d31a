-- Intervals: months, days and time are exact; out of range only if the answer is.
\pset null NULL
SET intervalstyle = postgres;
CREATE TABLE intervals AS
  SELECT i AS k, i % 7 AS g, CASE WHEN i % 7 = 6 OR i % 11 = 5 THEN NULL
         ELSE make_interval(0, i % 40 - 20, 0, i * 31 % 100 - 50, 0, 0, i * 7919 % 1000003 / 8.0 - 60000) END AS x
    FROM generate_series(1, 700) i;
ANALYZE intervals;
SELECT g, gpu_sum(x), gpu_sum(x)::text IS NOT DISTINCT FROM sum(x)::text AS sum, gpu_avg(x)::text IS NOT DISTINCT FROM avg(x)::text AS avg,
       gpu_min(x) IS NOT DISTINCT FROM min(x) AS min, gpu_max(x) IS NOT DISTINCT FROM max(x) AS max
  FROM intervals GROUP BY g ORDER BY g;
SELECT gpu_sum(x) AS sum, gpu_avg(x) AS avg FROM intervals WHERE false;
SELECT count(*) AS differ FROM (
  SELECT k, (gpu_sum(x) OVER w)::text, (gpu_avg(x) OVER w)::text FROM intervals WINDOW w AS (ORDER BY k ROWS 4 PRECEDING)
  EXCEPT SELECT k, (sum(x) OVER w)::text, (avg(x) OVER w)::text FROM intervals WINDOW w AS (ORDER BY k ROWS 4 PRECEDING)) q;
SELECT k, gpu_sum(x) OVER w, gpu_avg(x) OVER w FROM (VALUES (1, NULL), (2, interval '1 day'), (3, NULL), (4, NULL), (5, '24 hours')) v(k, x)
  WINDOW w AS (ORDER BY k ROWS 1 PRECEDING);

-- what does not divide is carried down: months to days of 30, days to seconds
SELECT n, total, gpu_avg(x)::text AS avg, gpu_avg(x)::text = avg(x)::text AS same
  FROM (VALUES (1, interval '1 month'), (2, '1 month'), (3, '1 month 1 day 1 second'), (7, '-1 month 3 days'), (7, '5 years -11 days 00:00:00.000001'),
               (16, '-1 day -1 second'), (11, '-7 months -100 days 35:00:00.999999'), (3, '00:00:00.000001'), (2, '00:00:00.000003')) v(n, total),
       LATERAL (SELECT CASE i WHEN 1 THEN total ELSE '0' END AS x FROM generate_series(1, n) i) s
 GROUP BY n, total ORDER BY n, total;
-- exact where a double has no digits left
SELECT gpu_avg(x) FROM (VALUES (interval '9223372036854775807 microseconds'), ('9223372036854775805 microseconds')) v(x);

-- out of range: the answer, not what came before it
SELECT gpu_sum(x) FROM (VALUES (interval '2147483647 days'), ('1 day'), ('-1 day')) v(x);
SELECT gpu_sum(x) FROM (VALUES (interval '2147483647 days'), ('1 day')) v(x);
SELECT gpu_sum(x) FROM (VALUES (interval '2147483647 months'), ('1 month')) v(x);
SELECT gpu_sum(x) FROM (VALUES (interval '-9223372036854775808 microseconds'), ('-1 microsecond')) v(x);
SELECT gpu_avg(x) FROM (VALUES (interval '2147483646 days'), ('2147483646 days'), ('2147483646 days')) v(x);
SELECT gpu_avg(x) FROM (VALUES (interval '2147483646 days 1 month'), ('2147483646 days 1 month'), ('2147483646 days')) v(x);

-- infinite intervals, which PostgreSQL has from 17 on
CREATE FUNCTION pg_temp.holds(query text) RETURNS boolean LANGUAGE plpgsql AS $f$
DECLARE
  holds boolean := true;
BEGIN
  IF current_setting('server_version_num')::int >= 170000 THEN
    EXECUTE query INTO holds;
  END IF;
  RETURN holds;
EXCEPTION WHEN datetime_field_overflow THEN
  RETURN NULL;
END $f$;
SELECT pg_temp.holds($$SELECT gpu_sum(x) = 'infinity' AND gpu_avg(x) = 'infinity' FROM (VALUES (interval '1 day'), ('infinity'), ('infinity')) v(x)$$),
       pg_temp.holds($$SELECT gpu_sum(x) = '-infinity' AND gpu_avg(x) = '-infinity' FROM (VALUES (interval '-infinity'), ('1 day')) v(x)$$),
       coalesce(pg_temp.holds($$SELECT gpu_sum(x)::text = '' FROM (VALUES (interval 'infinity'), ('-infinity')) v(x)$$), true) AS out_of_range,
       pg_temp.holds($$SELECT bool_and(gpu = builtin) FROM (
                         SELECT gpu_sum(x) OVER w AS gpu, sum(x) OVER w AS builtin
                           FROM (VALUES (1, interval '1 day'), (2, 'infinity'), (3, '2 days'), (4, '1 hour'), (5, '-infinity'), (6, '3 days'), (7, '1 day')) v(k, x)
                         WINDOW w AS (ORDER BY k ROWS 1 PRECEDING)) q$$);

-- parallel and partial states
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ALTER TABLE intervals SET (parallel_workers = 2);
SELECT gpu_sum(x) = sum(x) AS sum, gpu_avg(x)::text = avg(x)::text AS avg, gpu_min(x) = min(x) AS min, gpu_max(x) = max(x) AS max FROM intervals;
SELECT gpu_sum(x) AS sum, gpu_avg(x) AS avg FROM intervals WHERE g = 6;
CREATE AGGREGATE refused_interval(int8) (sfunc = int8_avg_accum, stype = internal, finalfunc = numeric_poly_avg,
  combinefunc = gpured_interval_combine, serialfunc = int8_avg_serialize, deserialfunc = gpured_interval_deserialize, parallel = safe);
SELECT refused_interval(k) FROM intervals;
DROP AGGREGATE refused_interval(int8);

-- of equal intervals the greatest by months, days and time, in any order
SELECT gpu_min(x ORDER BY k) AS min_up, gpu_min(x ORDER BY k DESC) AS min_down, gpu_max(x ORDER BY k) AS max_up, gpu_max(x ORDER BY k DESC) AS max_down
  FROM (VALUES (1, interval '30 days'), (2, '1 month'), (3, '720 hours'), (4, '2 months -30 days'), (5, '29 days 24 hours')) v(k, x);

-- money is a number of cents
SET lc_monetary = 'C';
SELECT gpu_sum(x) AS sum, pg_typeof(gpu_sum(x)) AS type, gpu_min(x) AS min, gpu_max(x) AS max FROM (VALUES ('1.25'::money), (NULL), ('-10'), ('3.5')) v(x);
SELECT gpu_sum(x) AS sum FROM (SELECT NULL::money AS x FROM generate_series(1, 3)) v;
SELECT gpu_sum(x) AS sum FROM (VALUES ('92233720368547758.07'::money), ('0.01'), ('-0.01')) v(x);
SELECT gpu_sum(x) AS sum FROM (VALUES ('92233720368547758.07'::money), ('0.01')) v(x);
SELECT k, gpu_sum(x) OVER (ORDER BY k ROWS 1 PRECEDING) FROM (VALUES (1, '92233720368547758.07'::money), (2, '-1'), (3, NULL), (4, NULL), (5, '2')) v(k, x);
SELECT k, gpu_sum(x) OVER (ORDER BY k ROWS 1 PRECEDING) FROM (VALUES (1, '92233720368547758.07'::money), (2, '1')) v(k, x);
SELECT gpu_sum(x) = sum(x) AS sum FROM (SELECT (k * 1000003 % 9973 - 5000)::int8::money AS x FROM intervals) v;
DROP TABLE intervals;
