-- Window frames: what enters a frame leaves it again without a trace, NaN,
-- infinities and huge values included.
\getenv abs_srcdir PG_ABS_SRCDIR
\set oracle :abs_srcdir '/test/oracle.sql'
\set ECHO none
\i :oracle
\set ECHO all

CREATE TABLE frames AS
  SELECT i AS k, i % 3 AS g, CASE WHEN i % 7 = 0 THEN NULL ELSE i * 7919 % 1001 END AS v,
         CASE WHEN i % 9 = 0 THEN NULL ELSE i::int8 * 1152921504606846 END AS b,
         (i * 31 % 101)::int2 AS s,
         CASE i % 40 WHEN 11 THEN 'NaN' WHEN 17 THEN 'Infinity' WHEN 23 THEN '-Infinity' WHEN 29 THEN 1e308 WHEN 30 THEN 1e308
                     WHEN 35 THEN NULL WHEN 36 THEN '-0' WHEN 37 THEN '-0' WHEN 38 THEN 1e-310 ELSE sin(i) END::float8 AS d
    FROM generate_series(1, 240) i;

-- integers against the built-in, over frames of all sorts
CREATE FUNCTION pg_temp.differ(frame text) RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
  n bigint;
BEGIN
  EXECUTE format($q$
    SELECT count(*) FROM (
      SELECT k, gpu_sum(v) OVER w, gpu_sum(b) OVER w, gpu_sum(s) OVER w, gpu_avg(v) OVER w, gpu_avg(b) OVER w, gpu_avg(s) OVER w,
             gpu_count(v) OVER w, gpu_count(*) OVER w, gpu_min(v) OVER w, gpu_max(b) OVER w, gpu_max(s) OVER w,
             gpu_min(d) OVER w, gpu_max(d) OVER w FROM frames WINDOW w AS (%1$s)
      EXCEPT ALL
      SELECT k, sum(v) OVER w, sum(b) OVER w, sum(s) OVER w, avg(v) OVER w, avg(b) OVER w, avg(s) OVER w,
             count(v) OVER w, count(*) OVER w, min(v) OVER w, max(b) OVER w, max(s) OVER w,
             min(d) OVER w, max(d) OVER w FROM frames WINDOW w AS (%1$s)) q $q$, frame) INTO n;
  RETURN n;
END $f$;
-- floats against the oracle; a frame whose sum is out of range is left out
CREATE FUNCTION pg_temp.differ_float(frame text) RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
  n bigint;
BEGIN
  EXECUTE format($q$
    SELECT count(*) FROM (
      SELECT gpu_sum(d) OVER w AS sum, gpu_avg(d) OVER w AS avg, array_agg(d) OVER w AS all_d
        FROM (SELECT k, g, CASE d WHEN 1e308 THEN 8e307 ELSE d END AS d FROM frames) f WINDOW w AS (%1$s)) q
     WHERE sum::text IS DISTINCT FROM pg_temp.sum8(all_d) OR avg::text IS DISTINCT FROM pg_temp.avg8(all_d) $q$, frame) INTO n;
  RETURN n;
END $f$;
SELECT frame, pg_temp.differ(frame), pg_temp.differ_float(frame) AS differ_float
  FROM (VALUES ('ORDER BY k ROWS 1 PRECEDING'),
               ('ORDER BY k ROWS 5 PRECEDING'),
               ('ORDER BY k'),
               ('ORDER BY k ROWS BETWEEN 2 FOLLOWING AND 4 FOLLOWING'),
               ('ORDER BY k ROWS BETWEEN 4 PRECEDING AND 2 PRECEDING'),
               ('ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING'),
               ('ORDER BY k RANGE BETWEEN 3 PRECEDING AND 1 FOLLOWING'),
               ('ORDER BY k / 4 GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING'),
               ('ORDER BY k ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW'),
               ('ORDER BY k / 4 ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE TIES'),
               ('PARTITION BY g ORDER BY k ROWS BETWEEN 2 PRECEDING AND CURRENT ROW'),
               ('PARTITION BY g')) f(frame);

-- a huge value passes through a frame of small ones; 1e18 + 99 rounds to 1e18 + 128
SELECT count(*) FILTER (WHERE s = 100) AS before_and_after, count(*) FILTER (WHERE s = 1e18::float8 + 128) AS within
  FROM (SELECT i, gpu_sum(CASE WHEN i = 600 THEN 1e18 ELSE 1 END::float8) OVER (ORDER BY i ROWS 99 PRECEDING) AS s
          FROM generate_series(1, 1200) i) q WHERE i >= 100;

-- float4 is rounded once from the frame's exact sum
SELECT k, gpu_sum(r) OVER (ORDER BY k ROWS 1 PRECEDING)
  FROM (VALUES (1, 16777216::float4), (2, 1), (3, 1), (4, 'Infinity'), (5, 1), (6, '-0'), (7, '-0')) v(k, r);

-- FILTER
SELECT k, gpu_sum(v) FILTER (WHERE v > 500) OVER w IS NOT DISTINCT FROM sum(v) FILTER (WHERE v > 500) OVER w AS same
  FROM frames WHERE k <= 8 WINDOW w AS (ORDER BY k ROWS 2 PRECEDING) ORDER BY k;

-- an array a row would be quadratic
SELECT gpu_prefix_sum(v) OVER (ORDER BY k) FROM frames;

DROP TABLE frames;
