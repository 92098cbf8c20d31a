-- Variances, deviations, covariances and regressions of floats: exact, rounded
-- once, NULL where the built-in's are.
\getenv abs_srcdir PG_ABS_SRCDIR
\set oracle :abs_srcdir '/test/oracle.sql'
\set ECHO none
\i :oracle
\set ECHO all

-- The oracle: numeric arithmetic on exact values.  A quotient is kept to 400
-- digits and a root to 200.
CREATE FUNCTION pg_temp.moment(name text, ys float8[], xs float8[]) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $f$
DECLARE
  n numeric; sx numeric; sy numeric; cxx numeric; cyy numeric; cxy numeric; num numeric; den numeric;
BEGIN
  SELECT count(*), sum(x), sum(y), count(*) * sum(x * x) - sum(x) ^ 2, count(*) * sum(y * y) - sum(y) ^ 2, count(*) * sum(x * y) - sum(x) * sum(y)
    INTO n, sx, sy, cxx, cyy, cxy
    FROM (SELECT pg_temp.exact(u.x) AS x, pg_temp.exact(u.y) AS y FROM unnest(ys, xs) u(y, x) WHERE u.x IS NOT NULL AND u.y IS NOT NULL) q;
  num := CASE name WHEN 'regr_avgx' THEN sx WHEN 'regr_avgy' THEN sy
                   WHEN 'covar_pop' THEN cxy WHEN 'covar_samp' THEN cxy WHEN 'regr_sxy' THEN cxy WHEN 'regr_slope' THEN cxy
                   WHEN 'regr_syy' THEN cyy WHEN 'regr_intercept' THEN sy * cxx - sx * cxy
                   WHEN 'corr' THEN cxy ^ 2 WHEN 'regr_r2' THEN cxy ^ 2 ELSE cxx END;
  den := CASE name WHEN 'regr_slope' THEN cxx WHEN 'regr_intercept' THEN n * cxx WHEN 'corr' THEN cxx * cyy WHEN 'regr_r2' THEN cxx * cyy
                   WHEN 'covar_samp' THEN n * (n - 1) WHEN 'var_samp' THEN n * (n - 1) WHEN 'variance' THEN n * (n - 1)
                   WHEN 'stddev_samp' THEN n * (n - 1) WHEN 'stddev' THEN n * (n - 1)
                   WHEN 'covar_pop' THEN n * n WHEN 'var_pop' THEN n * n WHEN 'stddev_pop' THEN n * n ELSE n END;
  num := num * 1e400 / den;
  IF name = 'corr' THEN
    RETURN sign(cxy) * sqrt(num) * 1e-200;
  END IF;
  RETURN CASE WHEN name LIKE 'stddev%' THEN sqrt(num) * 1e-200 ELSE num * 1e-400 END;
END $f$;

-- The row of a query of three counts, as text.
CREATE FUNCTION pg_temp.counts(query text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
  a bigint; b bigint; c bigint;
BEGIN
  EXECUTE query INTO a, b, c;
  RETURN format('%s rows, %s not null, %s wrong', a, b, c);
END $f$;

CREATE TABLE functions (name text, arguments text, id serial);
INSERT INTO functions VALUES ('var_pop', 'x'), ('var_samp', 'x'), ('variance', 'x'), ('stddev_pop', 'x'), ('stddev_samp', 'x'), ('stddev', 'x'),
  ('corr', 'y, x'), ('covar_pop', 'y, x'), ('covar_samp', 'y, x'), ('regr_count', 'y, x'), ('regr_avgx', 'y, x'), ('regr_avgy', 'y, x'), ('regr_sxx', 'y, x'),
  ('regr_syy', 'y, x'), ('regr_sxy', 'y, x'), ('regr_slope', 'y, x'), ('regr_intercept', 'y, x'), ('regr_r2', 'y, x');

-- data of several kinds: cancellation, products that a double cannot hold, steep lines
CREATE TABLE samples AS
  SELECT kind, i, x, y FROM (
    SELECT i, 'cents' AS kind, (i * 7919 % 10007)::float8 / 100 AS x, sin(i) * 100 AS y FROM generate_series(1, 60) i
    UNION ALL SELECT i, 'large mean', 1e9 + i / 10.0::float8, 1e15 - i / 3.0::float8 FROM generate_series(1, 60) i
    UNION ALL SELECT i, 'tiny', i * 1e-150::float8, i * i * 1e-155::float8 FROM generate_series(1, 20) i
    UNION ALL SELECT i, 'large', i * 1e150::float8, -sqrt(i) * 1e150::float8 FROM generate_series(1, 20) i
    UNION ALL SELECT i, 'two scales', CASE i % 2 WHEN 0 THEN 1e60 ELSE 1e-60 END::float8 * sin(i), i::float8 ^ 9 FROM generate_series(1, 20) i
    UNION ALL SELECT i, 'nearly a line', i / 7.0::float8, i / 7.0::float8 * 3 + 0.1::float8 FROM generate_series(1, 60) i
    UNION ALL SELECT i, 'gaps', CASE WHEN i % 3 <> 0 THEN cos(i) END, CASE WHEN i % 4 <> 0 THEN i * 0.1::float8 END FROM generate_series(1, 40) i
    UNION ALL SELECT i, 'two rows', i + 0.3::float8, i * i + 0.7::float8 FROM generate_series(1, 2) i) q;
SELECT name, pg_temp.counts(format($q$
  SELECT count(*), count(ours), count(*) FILTER (WHERE ours IS DISTINCT FROM pg_temp.moment(%1$L, CASE WHEN %2$L = 'x' THEN xs ELSE ys END, xs)) AS wrong
    FROM (SELECT gpu_%1$s(%2$s) AS ours, array_agg(x) AS xs, array_agg(y) AS ys FROM samples GROUP BY kind) q $q$, name, arguments))
  FROM functions WHERE name <> 'regr_count' ORDER BY id;
SELECT kind, gpu_regr_count(y, x), gpu_dot(x, y) IS NOT DISTINCT FROM sum(pg_temp.exact(x) * pg_temp.exact(y))::float8 AS dot
  FROM samples GROUP BY kind ORDER BY kind COLLATE "C";

-- float4 is taken as it is
SELECT count(*) FILTER (WHERE gpu_var_pop IS DISTINCT FROM pg_temp.moment('var_pop', xs, xs)) AS wrong_var,
       count(*) FILTER (WHERE gpu_stddev IS DISTINCT FROM pg_temp.moment('stddev', xs, xs)) AS wrong_stddev
  FROM (SELECT gpu_var_pop(x::float4), gpu_stddev(x::float4), array_agg(x::float4::float8) AS xs
          FROM samples WHERE kind IN ('cents', 'large mean', 'gaps', 'two rows') GROUP BY kind) q;

-- all pairs of rows of these values, on which the built-in rounds nowhere: NULLs,
-- specials, constant columns, single rows
CREATE TABLE specials (x float8);
INSERT INTO specials VALUES ('NaN'), ('Infinity'), ('-Infinity'), ('-0'), ('0'), (1), (-1), (NULL);
CREATE TABLE pairs AS
  SELECT row_number() OVER () AS id, ARRAY[a.x, c.x] AS xs, ARRAY[b.x, d.x] AS ys FROM specials a, specials b, specials c, specials d;
SELECT name, pg_temp.counts(format($q$
  SELECT count(*), count(ours), count(*) FILTER (WHERE ours IS DISTINCT FROM theirs)
    FROM (SELECT gpu_%1$s(%2$s)::text AS ours, %1$s(%2$s)::text AS theirs FROM pairs, unnest(xs, ys) u(x, y) GROUP BY id) q $q$, name, arguments))
  FROM functions ORDER BY id;
SELECT count(*) AS pairs, count(*) FILTER (WHERE ours IS DISTINCT FROM theirs) AS wrong_dot
  FROM (SELECT gpu_dot(x, y)::text AS ours, sum(x * y)::text AS theirs FROM pairs, unnest(xs, ys) u(x, y) GROUP BY id) q;

-- no rows, one row
SELECT gpu_var_pop(x), gpu_var_samp(x), gpu_stddev_pop(x), gpu_stddev(x), gpu_corr(x, x), gpu_covar_samp(x, x), gpu_regr_count(x, x), gpu_regr_avgx(x, x),
       gpu_regr_r2(x, x), gpu_dot(x, x) FROM specials WHERE false;
SELECT gpu_var_pop(x), gpu_var_samp(x), gpu_stddev_pop(x), gpu_stddev(x), gpu_corr(x, x), gpu_covar_samp(x, x), gpu_regr_count(x, x), gpu_regr_avgx(x, x),
       gpu_regr_r2(x, x), gpu_dot(x, x) FROM specials WHERE x = 1;

-- an average may be infinite while the other variable's results are finite
SELECT gpu_regr_avgx(y, x), gpu_regr_avgy(y, x), gpu_regr_sxx(y, x), gpu_regr_syy(y, x), gpu_regr_sxy(y, x), gpu_corr(y, x)
  FROM (VALUES (1::float8, 'Infinity'::float8), (3, 5)) v(y, x);

-- a constant column has no variance, also where the built-in finds one
SELECT gpu_var_pop(x), gpu_stddev(x), gpu_corr(i, x), gpu_regr_slope(i, x), gpu_regr_r2(x, i) FROM (SELECT i, 0.1::float8 AS x FROM generate_series(1, 1000) i) q;

-- what is out of range, and what is not: intermediate results do not count
SELECT gpu_stddev_pop(x) = 1e300 AS stddev, gpu_regr_avgx(x, x) AS avg, gpu_corr(x, x) AS corr, gpu_regr_slope(x, x) AS slope
  FROM (VALUES (1e300::float8), (-1e300)) v(x);
SELECT gpu_var_pop(x) FROM (VALUES (1e300::float8), (-1e300)) v(x);
SELECT gpu_dot(x, x) FROM (VALUES (1e300::float8), (-1e300)) v(x);
SELECT gpu_dot(x, y) FROM (VALUES (1e300::float8, 1e300::float8), (-1e300, 1e300), (1e-200, 1e-120)) v(x, y);
SELECT gpu_regr_slope(y, x) FROM (VALUES (1e300::float8, 0::float8), (-1e300, 1e-300)) v(y, x);
SELECT gpu_var_pop(x) AS underflow, gpu_stddev_pop(x) = 1e-200 AS stddev, gpu_covar_pop(-x, x) AS negative, gpu_dot(x, -x) AS dot, gpu_corr(x, -x) AS corr
  FROM (VALUES (1e-200::float8), (-1e-200)) v(x);
SELECT gpu_var_samp(x) = 2e-320 AS subnormal FROM (VALUES (1e-160::float8), (-1e-160)) v(x);

-- zeros: a sum of nothing but -0 products is -0
SELECT gpu_dot(x, 1) AS negative, gpu_dot(x, -1) AS positive, gpu_regr_avgx(x, x) AS avg FROM (VALUES ('-0'::float8), ('-0')) v(x);

-- the order of the rows, and who sums them, cannot be seen
CREATE TABLE rows (p int, g int, x float8, y float8) PARTITION BY LIST (p);
SELECT format('CREATE TABLE rows_%s PARTITION OF rows FOR VALUES IN (%s) WITH (parallel_workers = 2)', p, p) FROM generate_series(0, 2) p \gexec
INSERT INTO rows SELECT i % 3, i % 7, CASE WHEN i % 11 <> 0 THEN sin(i) * 10.0 ^ (i % 9) END, CASE WHEN i % 13 <> 0 THEN cos(i) / i END FROM generate_series(1, 6000) i;
ANALYZE rows;
\set answer 'ROW(gpu_var_pop(x), gpu_stddev(x::float4), gpu_corr(y, x), gpu_regr_slope(y, x), gpu_regr_intercept(y, x), gpu_regr_count(y, x), gpu_dot(x, y))::text'
SET max_parallel_workers_per_gather = 0;
CREATE TABLE ordered (g, a) AS SELECT g, :answer FROM (SELECT * FROM rows ORDER BY p, x) q GROUP BY GROUPING SETS ((g), ());
CREATE TABLE serial (g, a) AS SELECT g, :answer FROM rows GROUP BY g UNION ALL SELECT NULL, :answer FROM rows;
SET enable_partitionwise_aggregate = on;
CREATE TABLE partitions (g, a) AS SELECT g, :answer FROM rows GROUP BY g UNION ALL SELECT NULL, :answer FROM rows;
RESET enable_partitionwise_aggregate;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE TABLE parallel (g, a) AS SELECT g, :answer FROM rows GROUP BY g UNION ALL SELECT NULL, :answer FROM rows;
SELECT (SELECT count(*) FROM ordered) AS answers, (SELECT count(*) FROM (TABLE ordered EXCEPT TABLE serial) q) AS serial,
       (SELECT count(*) FROM (TABLE ordered EXCEPT TABLE partitions) q) AS partitions, (SELECT count(*) FROM (TABLE ordered EXCEPT TABLE parallel) q) AS parallel;
RESET ALL;

-- window frames: what enters a frame leaves it without a trace
CREATE TABLE frames AS
  SELECT i AS k, CASE i % 40 WHEN 11 THEN 'NaN' WHEN 17 THEN 'Infinity' WHEN 23 THEN '-Infinity' WHEN 29 THEN 1e150 WHEN 31 THEN 1e-310 WHEN 35 THEN NULL
                               WHEN 36 THEN '-0' ELSE sin(i) END::float8 AS x,
         CASE i % 50 WHEN 3 THEN 'Infinity' WHEN 30 THEN 'NaN' WHEN 35 THEN NULL WHEN 36 THEN '-0' ELSE (i % 5)::float8 END AS y
    FROM generate_series(1, 240) i;
SELECT name, pg_temp.counts(format($q$
  SELECT count(*), count(moved), count(*) FILTER (WHERE moved IS DISTINCT FROM alone)
    FROM (SELECT moved::text, (SELECT gpu_%1$s(%2$s) FROM unnest(ys, xs) u(y, x))::text AS alone
            FROM (SELECT gpu_%1$s(%2$s) OVER w AS moved, array_agg(x) OVER w AS xs, array_agg(y) OVER w AS ys
                    FROM frames WINDOW w AS (ORDER BY k ROWS BETWEEN 6 PRECEDING AND 1 PRECEDING)) f) q $q$, name, arguments))
  FROM (TABLE functions UNION ALL VALUES ('dot', 'x, y', 100), ('var_pop', 'y::float4', 101)) f ORDER BY id;

-- states of one kind are refused by another
CREATE AGGREGATE refused_moments(float8, float8) (sfunc = gpured_pair_moments, stype = internal, finalfunc = gpured_corr,
  combinefunc = gpured_moments_combine, serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize, parallel = safe);
CREATE AGGREGATE refused_pairs(float8) (sfunc = gpured_float8_moments, stype = internal, finalfunc = gpured_var_pop,
  combinefunc = gpured_moments_combine, serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize, parallel = safe);
CREATE AGGREGATE refused_dot(int8) (sfunc = int8_avg_accum, stype = internal, finalfunc = numeric_poly_avg,
  combinefunc = gpured_moments_combine, serialfunc = int8_avg_serialize, deserialfunc = gpured_dot_deserialize, parallel = safe);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT refused_moments(y, x) FROM rows;
SELECT refused_pairs(x) FROM rows;
SELECT refused_dot(g) FROM rows;
RESET ALL;
DROP AGGREGATE refused_moments(float8, float8), refused_pairs(float8), refused_dot(int8);

DROP TABLE functions, samples, specials, pairs, rows, ordered, serial, partitions, parallel, frames;
