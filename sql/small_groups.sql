-- Float sums and averages of groups of a few values, which are kept in several forms:
-- values of one size and of different ones, about the ends of what each form holds.
\getenv abs_srcdir PG_ABS_SRCDIR
\set oracle :abs_srcdir '/test/oracle.sql'
\set ECHO none
\i :oracle
\set ECHO all
CREATE TABLE small_groups AS
  SELECT g, i, CASE WHEN (h >> 3) % 23 = 0 THEN 0::float8 WHEN (h >> 3) % 29 = 0 THEN '-0'::float8
                    ELSE (CASE h % 2 WHEN 0 THEN 1 ELSE -1 END)::float8 * (1 + (h * 2654435761 % 4503599627370496) / 4503599627370496::float8) *
                         2::float8 ^ (CASE g % 4 WHEN 0 THEN g / 4 % 600 - 300 ELSE g / 4 % 40 - 14 END + (h >> 7) % (1 + g % 7)) END AS x
    FROM (SELECT g, i, ((g * 104729 + i * 7919) * 1103515245::int8 + 12345) % 2147483648 AS h
            FROM generate_series(1, 2000) g, LATERAL generate_series(1, 1 + g % 6) i) s;
-- its opposite, so that nothing is left; the largest and the smallest
INSERT INTO small_groups SELECT 5000 + g, 10 + i, -x FROM small_groups WHERE g % 25 = 0 UNION ALL SELECT 5000 + g, i, x FROM small_groups WHERE g % 25 = 0;
INSERT INTO small_groups VALUES (1, 11, 'NaN'), (2, 11, 'Infinity'), (3, 11, 1e300), (4, 11, 5e-324), (5, 11, 2.0::float8 ^ 257), (6, 11, 2.0::float8 ^ -256), (7, 11, 2.0::float8 ^ -767);
ANALYZE small_groups;
CREATE TEMP TABLE answers AS
  SELECT g, pg_temp.sum8(array_agg(x ORDER BY i)) AS sum, pg_temp.avg8(array_agg(x ORDER BY i)) AS avg FROM small_groups WHERE g <= 2000 GROUP BY g;
CREATE TEMP TABLE answers4 AS
  SELECT g, pg_temp.sum4(array_agg(x::float4 ORDER BY i)) AS sum FROM small_groups WHERE g <= 2000 AND g % 4 <> 0 AND i < 11 GROUP BY g;
-- none differs, in either order
SELECT count(*) AS groups FROM answers;
SELECT a.*, gpu_sum, gpu_avg FROM answers a JOIN (SELECT g, gpu_sum(x)::text, gpu_avg(x)::text FROM small_groups GROUP BY g) q USING (g)
 WHERE (sum, avg) IS DISTINCT FROM (gpu_sum, gpu_avg) ORDER BY 1 LIMIT 10;
SELECT a.*, gpu_sum, gpu_avg FROM answers a JOIN (SELECT g, gpu_sum(x ORDER BY i DESC)::text, gpu_avg(x ORDER BY i DESC)::text FROM small_groups GROUP BY g) q USING (g)
 WHERE (sum, avg) IS DISTINCT FROM (gpu_sum, gpu_avg) ORDER BY 1 LIMIT 10;
SELECT count(*) AS groups FROM answers4;
SELECT a.*, gpu_sum FROM answers4 a JOIN (SELECT g, gpu_sum(x::float4)::text FROM small_groups WHERE g % 4 <> 0 AND i < 11 GROUP BY g) q USING (g)
 WHERE sum IS DISTINCT FROM gpu_sum ORDER BY 1 LIMIT 10;
SELECT count(*) FILTER (WHERE sum <> 0 OR sum::text = '-0') AS wrong FROM (SELECT gpu_sum(x) AS sum FROM small_groups WHERE g > 5000 GROUP BY g) q;
-- states of several processes, merged
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE small_groups SET (parallel_workers = 2);
SELECT a.*, gpu_sum, gpu_avg FROM answers a JOIN (SELECT g, gpu_sum(x)::text, gpu_avg(x)::text FROM small_groups GROUP BY g) q USING (g)
 WHERE (sum, avg) IS DISTINCT FROM (gpu_sum, gpu_avg) ORDER BY 1 LIMIT 10;
DROP TABLE small_groups;
