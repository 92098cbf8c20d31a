-- Variances, regressions and products by the column scan, a batch at a time: the same
-- bits as row by row, with NULLs, filters, special values, sums over the whole range of
-- exponents, numerics in more than one unit, several processes and scans that run again.
SELECT gpured_version() IS NOT NULL AS loaded;
CREATE TABLE measured AS
  SELECT i AS id, i % 3 = 0 AS bit,
         (i * 7919::int8 % 10007)::float8 / 13 AS x, CASE i % 7 WHEN 0 THEN NULL ELSE i * 31.0 % 1013 - 500 END::float8 AS y,
         CASE i % 11 WHEN 0 THEN NULL ELSE i % 997 / 7.0 END::float4 AS f,
         CASE i % 5 WHEN 0 THEN NULL ELSE i % 1000 - 500 END::int2 AS i2,
         CASE i % 13 WHEN 0 THEN NULL ELSE i * 31 - 900000 END::int4 AS i4, i * 300000000000007::int8 AS i8,
         CASE i % 9 WHEN 0 THEN NULL ELSE (i % 50021 / 97.0)::numeric(12,2) END AS n,
         (i % 50021 / 97.0)::numeric AS free, round((i % 50021 / 97.0)::numeric, CASE WHEN i < 12000 THEN 0 WHEN i < 21000 THEN 3 ELSE i % 7 END) AS units,
         power(2.0::float8, i % 900 - 450) AS wide
    FROM generate_series(1, 30000) i;
CREATE TABLE special AS
  SELECT i AS id, CASE i WHEN 9000 THEN 'NaN'::float8 ELSE i % 100 END AS nan, CASE i % 8999 WHEN 5 THEN '-Infinity'::float8 ELSE i END AS inf,
         CASE WHEN i > 19000 THEN 'Infinity'::float4 ELSE i END::float4 AS inf4, CASE WHEN i % 2 = 0 THEN '-0'::float8 ELSE 0 END AS zero, '-0'::float8 AS negative,
         CASE i WHEN 15000 THEN 1.7e308::float8 WHEN 15001 THEN 4.9e-324::float8 ELSE i END AS large, '4.9e-324'::float8 * i AS small,
         CASE i % 9000 WHEN 0 THEN 'NaN'::numeric WHEN 1 THEN 123456789012345678901.5 ELSE i / 8.0 END AS n, CASE WHEN i < 10000 THEN i ELSE 'Infinity'::numeric END AS ninf,
         (CASE WHEN i % 2 = 0 THEN 1 ELSE -1 END) * 9223372036854775807::int8 AS i8, NULL::float8 AS none, NULL::numeric AS no_n
    FROM generate_series(1, 20000) i;
-- amounts whose sums in units of 10^-8 go beyond 64 bits and back, and numerics of every scale, some of more than 128 bits
CREATE TABLE sums AS
  SELECT i AS id, ((i * 7919::int8 % 1000003 - 500000) * 19999999 / 100.0)::numeric(16,2) AS n,
         CASE WHEN i = 7007 THEN 'NaN' WHEN i BETWEEN 9001 AND 9020 THEN (9010.5 - i) * 10::numeric ^ 40 ELSE round((i % 50021 / 97.0)::numeric - 200, i % 11) END AS odd
    FROM generate_series(1, 30000) i;
CREATE TABLE empty (x float8, y float8, i4 int4, n numeric);
-- one text that is out of line, and so a page of numerics that have to be made whole
CREATE TABLE lengthy (x float8, n numeric);
ALTER TABLE lengthy ALTER n SET STORAGE EXTERNAL;
INSERT INTO lengthy SELECT i, CASE i % 40 WHEN 0 THEN 10::numeric ^ 6000 + i ELSE i / 4.0 END FROM generate_series(1, 400) i;
VACUUM ANALYZE measured;
VACUUM ANALYZE special;
VACUUM ANALYZE lengthy;
VACUUM ANALYZE sums;

CREATE FUNCTION pg_temp.answer(query text, setting text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
  result text;
BEGIN
  PERFORM set_config('gpured.debug_scan', setting, true);
  EXECUTE format('SELECT string_agg(r::text, E''\n'' ORDER BY r::text COLLATE "C") FROM (%s) r', query) INTO result;
  RETURN result;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $f$;
CREATE FUNCTION pg_temp.is_scanned(query text) RETURNS bool LANGUAGE plpgsql AS $f$
DECLARE
  line text;
BEGIN
  SET LOCAL gpured.debug_scan = require;
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line ~ 'GpuAggregate' THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $f$;
CREATE TABLE queries (n serial, query text);
INSERT INTO queries (query)
  SELECT 'SELECT ' || a || ' FROM ' || t FROM (VALUES
    ('measured', 'gpu_var_samp(x), gpu_var_pop(y), gpu_stddev(f), gpu_stddev_pop(f), gpu_variance(wide), gpu_sum(x)'),
    ('measured', 'gpu_corr(y, x), gpu_covar_pop(x, y), gpu_covar_samp(y, f), gpu_regr_slope(y, x), gpu_regr_intercept(x, y), gpu_regr_r2(y, x)'),
    ('measured', 'gpu_regr_count(y, x), gpu_regr_count(y, f), gpu_regr_avgx(y, f), gpu_regr_avgy(y, f), gpu_regr_sxx(y, f), gpu_regr_syy(y, f), gpu_regr_sxy(f, y)'),
    ('measured', 'gpu_dot(x, y), gpu_dot(y, x), gpu_dot(f, f), gpu_dot(wide, y), gpu_dot(x, x)'),
    ('measured', 'gpu_corr(wide, x), gpu_regr_sxy(wide, wide), gpu_covar_pop(wide, y)'),
    ('measured', 'gpu_var_samp(i2), gpu_var_pop(i4), gpu_stddev(i8), gpu_variance(i8), gpu_stddev_pop(i2), gpu_var_pop(i8)'),
    ('measured', 'gpu_var_samp(n), gpu_stddev(free), gpu_var_pop(units), gpu_stddev_pop(n), gpu_sum(units), gpu_avg(n)'),
    ('measured', 'gpu_var_samp(x) FILTER (WHERE bit), gpu_var_pop(y) FILTER (WHERE NOT bit), gpu_corr(y, x) FILTER (WHERE bit), gpu_dot(x, y) FILTER (WHERE i2 > 0)'),
    ('measured', 'gpu_var_samp(n) FILTER (WHERE bit), gpu_var_pop(units) FILTER (WHERE i4 > 0), gpu_regr_count(y, x) FILTER (WHERE bit), gpu_var_samp(i4) FILTER (WHERE id < 0)'),
    ('measured', 'gpu_var_samp(x + 1), gpu_stddev(n * 2), gpu_corr(x * 2, y - 1), gpu_var_pop(CASE WHEN bit THEN x END)'),
    ('measured WHERE id % 1000 < 3', 'gpu_var_samp(x), gpu_corr(y, x), gpu_dot(x, y), gpu_stddev(n), gpu_var_pop(i8), gpu_regr_count(y, x)'),
    ('measured WHERE id < 0', 'gpu_var_samp(x), gpu_corr(y, x), gpu_dot(x, y), gpu_stddev(n), gpu_var_pop(i8), gpu_regr_count(y, x)'),
    ('measured WHERE id = 17', 'gpu_var_samp(x), gpu_var_pop(x), gpu_corr(y, x), gpu_dot(x, y), gpu_stddev(n), gpu_var_pop(n), gpu_var_pop(i8)'),
    ('special', 'gpu_var_pop(nan), gpu_var_samp(inf), gpu_stddev(inf4), gpu_var_pop(zero), gpu_var_samp(none), gpu_var_pop(small)'),
    ('special', 'gpu_dot(zero, negative), gpu_dot(negative, id), gpu_dot(nan, zero), gpu_dot(inf, zero), gpu_dot(inf, negative), gpu_dot(inf, inf4), gpu_dot(none, id)'),
    ('special', 'gpu_corr(nan, inf), gpu_regr_avgx(nan, inf), gpu_regr_avgy(nan, inf), gpu_covar_pop(id, inf4), gpu_regr_sxy(small, large)'),
    ('special WHERE id < 15000', 'gpu_var_pop(large), gpu_dot(large, large), gpu_corr(small, large)'),
    ('special', 'gpu_dot(small, large), gpu_dot(small, small)'),
    ('special', 'gpu_var_samp(n), gpu_stddev(ninf), gpu_var_pop(i8), gpu_stddev(no_n), gpu_sum(n), gpu_avg(ninf)'),
    ('special', 'gpu_var_pop(large)'),
    ('special', 'gpu_dot(large, large)'),
    ('empty', 'gpu_var_pop(x), gpu_corr(x, y), gpu_dot(x, y), gpu_var_samp(i4), gpu_stddev(n), gpu_regr_count(x, y)'),
    ('lengthy', 'gpu_var_samp(n), gpu_var_pop(n), gpu_stddev(x), gpu_sum(n)')) q(t, a);
-- with groups too, where a row at a time is added to its group's sums
INSERT INTO queries (query)
  SELECT 'SELECT ' || k || ', ' || a || ' FROM ' || t || ' GROUP BY ' || k FROM (VALUES
    ('id % 10', 'measured', 'gpu_var_samp(x), gpu_stddev(y), gpu_var_pop(f), gpu_corr(y, x), gpu_dot(x, y), gpu_regr_count(y, x), gpu_var_pop(wide)'),
    ('id / 5', 'measured', 'gpu_var_samp(x) FILTER (WHERE bit), gpu_covar_pop(y, wide), gpu_dot(y, wide), gpu_var_samp(i8)'),
    ('i2', 'measured', 'gpu_var_samp(n), gpu_sum(n), gpu_avg(units), gpu_sum(free), gpu_var_pop(units), gpu_avg(n) FILTER (WHERE bit)'),
    ('id', 'measured', 'gpu_sum(n), gpu_avg(units), gpu_var_pop(x), gpu_dot(y, x)'),
    ('id % 4', 'special', 'gpu_var_pop(nan), gpu_var_samp(inf), gpu_dot(zero, negative), gpu_dot(inf, zero), gpu_corr(small, large), gpu_sum(n), gpu_avg(ninf)')) q(k, t, a);
-- and sums of numerics alone, which are taken from the page as integers
INSERT INTO queries (query) VALUES
  ('SELECT gpu_sum(n), gpu_avg(n), gpu_sum(units), gpu_avg(free), gpu_sum(n) FILTER (WHERE bit), gpu_avg(units) FILTER (WHERE i4 > 0) FROM measured'),
  ('SELECT gpu_sum(n), gpu_avg(ninf), gpu_sum(no_n) FROM special'),
  ('SELECT gpu_sum(n), gpu_avg(n) FROM lengthy'),
  ('SELECT gpu_sum(n), gpu_sum(n * 2), gpu_avg(CASE WHEN bit THEN free END) FROM measured'),
  ('SELECT gpu_sum(n), gpu_avg(units) FROM measured WHERE n > 100 AND units < 400'),
  ('SELECT id % 7, gpu_sum(n), gpu_avg(n) FILTER (WHERE bit), gpu_sum(units), gpu_avg(free) FROM measured GROUP BY 1'),
  ('SELECT id, gpu_sum(n), gpu_avg(units) FILTER (WHERE bit) FROM measured GROUP BY id'),
  ('SELECT id % 3, gpu_sum(n), gpu_avg(ninf), gpu_sum(no_n) FROM special GROUP BY 1'),
  ('SELECT n, gpu_sum(n), gpu_avg(units) FROM measured GROUP BY n'),
  ('SELECT gpu_sum(CASE WHEN bit THEN n ELSE 0 END), gpu_sum(n * i4), gpu_avg(n * 100000000000000), gpu_sum(nullif(units, 0)) FROM measured'),
  ('SELECT id % 7, gpu_sum(CASE WHEN bit THEN n ELSE 0 END), gpu_sum(n * i4), gpu_avg(n * 100000000000000), gpu_sum(nullif(units, 0)) FROM measured GROUP BY 1'),
  ('SELECT id % 7, gpu_sum(CASE WHEN id % 2 = 0 THEN n ELSE 0 END), gpu_avg(CASE WHEN id % 3 = 0 THEN n * 10 ELSE odd END), gpu_sum(odd * 1) FROM sums GROUP BY 1'),
  ('SELECT id % 7, gpu_sum(CASE id % 4 WHEN 0 THEN -n WHEN 1 THEN odd WHEN 2 THEN n * 0.5 ELSE 0 END) FILTER (WHERE id % 10 <> 3), gpu_avg(CASE WHEN id % 5 > 0 THEN -odd END) FROM sums GROUP BY 1'),
  ('SELECT id / 4, gpu_sum(CASE WHEN id % 2 = 0 THEN n ELSE odd END), gpu_avg(CASE id % 4 WHEN 0 THEN n WHEN 3 THEN 1 END) FROM sums GROUP BY 1');

SELECT n, pg_temp.is_scanned(query) AS scanned, pg_temp.answer(query, 'require') = pg_temp.answer(query, 'forbid') AS same,
       pg_temp.answer(query, 'require') ~ '^[0-9A-Z]{5} ' AS fails
  FROM queries ORDER BY n;
-- and what PostgreSQL's own say where they are exact
SELECT n, pg_temp.answer(query, 'require') = pg_temp.answer(replace(query, 'gpu_', ''), 'forbid') AS same FROM queries WHERE n IN (6, 7, 19) OR n > 28 ORDER BY n;

-- in several processes, each of which has a part
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT n FROM queries WHERE pg_temp.answer(query, 'require') IS DISTINCT FROM pg_temp.answer(query, 'forbid') AND query NOT LIKE '%FROM empty%' ORDER BY n;
RESET max_parallel_workers_per_gather;

-- A scan that runs again begins at nothing.
CREATE FUNCTION pg_temp.again(setting text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
  result text;
BEGIN
  PERFORM set_config('gpured.debug_scan', setting, true);
  SELECT string_agg(l::text, ' ' ORDER BY v) INTO result FROM (VALUES (2000), (7), (30000), (0)) v(v),
    LATERAL (SELECT gpu_var_samp(x), gpu_corr(y, x), gpu_dot(x, y), gpu_stddev(units), gpu_var_pop(i4), gpu_regr_count(y, x), gpu_sum(n) FROM measured WHERE id < v OFFSET 0) l;
  RETURN result;
END $f$;
SELECT pg_temp.again('require') = pg_temp.again('forbid') AS same;
SET gpured.debug_scan = require;
SET gpured.offload = off;
SELECT gpu_var_samp(i2), gpu_var_pop(i4), gpu_regr_count(y, x), gpu_var_samp(n) FROM measured;
DROP TABLE measured, special, sums, empty, lengthy, queries;
