-- GROUP BY by hash, by sorting, with grouping sets, with many groups, and with
-- more groups than fit in memory.
CREATE TABLE groups AS
  SELECT i, i % 3000 AS g, CASE WHEN i % 11 = 0 THEN NULL ELSE i % 5 END AS k,
         (i % 32768)::int2 AS s, i * 7919 % 100003 AS v, i::int8 * 4611686018427 AS b,
         (i % 1000)::float4 / 8 AS r, (i * 7919 % 100003)::float8 / 64 AS d
    FROM generate_series(1, 30000) i;
ANALYZE groups;
-- multiples of 1/64 and 1/8 of this size sum exactly in the built-in too
CREATE VIEW ours AS
  SELECT g, gpu_sum(s) a, gpu_sum(v) b, gpu_sum(b) c, gpu_sum(r) d, gpu_sum(d) e, gpu_avg(s) f, gpu_avg(v) g2, gpu_avg(b) h,
         gpu_min(s) i, gpu_max(v) j, gpu_min(b) k, gpu_max(b) l, gpu_min(r) m, gpu_max(d) n, gpu_count(k) o, gpu_count(*) p
    FROM groups GROUP BY g;
CREATE VIEW theirs AS
  SELECT g, sum(s) a, sum(v) b, sum(b) c, sum(r) d, sum(d) e, avg(s) f, avg(v) g2, avg(b) h,
         min(s) i, max(v) j, min(b) k, max(b) l, min(r) m, max(d) n, count(k) o, count(*) p
    FROM groups GROUP BY g;

SET enable_sort = off;
SELECT count(*) AS groups, count(*) FILTER (WHERE ROW(ours.*) = ROW(theirs.*)) AS same FROM ours JOIN theirs USING (g);
SET enable_hashagg = off;
SET enable_sort = on;
SELECT count(*) AS groups, count(*) FILTER (WHERE ROW(ours.*) = ROW(theirs.*)) AS same FROM ours JOIN theirs USING (g);
RESET enable_hashagg;

-- states that leave memory
SET enable_sort = off;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT count(*) AS groups, count(*) FILTER (WHERE ROW(ours.*) = ROW(theirs.*)) AS same FROM ours JOIN theirs USING (g);
RESET work_mem;
RESET hash_mem_multiplier;
RESET enable_sort;

-- grouping sets, the empty one among them
SELECT gpu_sum(v), gpu_sum(d), gpu_avg(b), gpu_max(r), gpu_count(*), grouping(k, s) FROM groups
 GROUP BY GROUPING SETS ((k), (), (k, s), ())
EXCEPT ALL
SELECT sum(v), sum(d), avg(b), max(r), count(*), grouping(k, s) FROM groups
 GROUP BY GROUPING SETS ((k), (), (k, s), ());
SELECT k, gpu_sum(v) = sum(v) AS v, gpu_sum(d) = sum(d) AS d, gpu_count(*) FROM groups GROUP BY ROLLUP (k) ORDER BY k;
SELECT gpu_sum(v) = sum(v) AS v, gpu_sum(d) = sum(d) AS d FROM groups GROUP BY GROUPING SETS ((), ());
SELECT gpu_sum(v) = sum(v) AS v FROM groups GROUP BY ();

-- keys that are equal are one group
SELECT gpu_count(*), gpu_sum(x) FROM (VALUES ('-0'::float8), ('0'), ('NaN'), (-'NaN'::float8)) v(x) GROUP BY x ORDER BY 1, 2;

-- HAVING and ORDER BY an aggregate, and one that is not in the list
SELECT k, gpu_count(*) = count(*) AS count FROM groups GROUP BY k
HAVING gpu_sum(v) > 0 ORDER BY gpu_max(i) DESC, gpu_sum(d);

DROP VIEW ours, theirs;
DROP TABLE groups;
