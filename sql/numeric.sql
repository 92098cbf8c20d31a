-- Numeric: the values and the digits of the built-in aggregates.
\pset null NULL
CREATE TABLE num (g int, k int, n numeric);
INSERT INTO num VALUES
  (1, 1, 1.50), (1, 2, NULL), (1, 3, 2.250), (1, 4, -0.1), (1, 5, 1e30), (1, 6, -1e30),
  (2, 1, 'NaN'), (2, 2, 1), (3, 1, 'Infinity'), (3, 2, 1), (4, 1, 'Infinity'), (4, 2, '-Infinity'), (5, 1, NULL),
  (6, 1, 1.0), (6, 2, 1.00), (6, 3, 1), (7, 1, 0.1), (7, 2, 0.2), (7, 3, 0.3);
SELECT g, gpu_sum(n)::text IS NOT DISTINCT FROM sum(n)::text AS sum, gpu_avg(n)::text IS NOT DISTINCT FROM avg(n)::text AS avg,
       gpu_min(n) IS NOT DISTINCT FROM min(n) AS min, gpu_max(n) IS NOT DISTINCT FROM max(n) AS max
  FROM num GROUP BY g ORDER BY g;
SELECT pg_typeof(gpu_sum(n)), pg_typeof(gpu_avg(n)), pg_typeof(gpu_min(n)), pg_typeof(gpu_max(n)), pg_typeof(gpu_prefix_sum(n)) FROM num;
SELECT g, k, (gpu_sum(n) OVER w)::text IS NOT DISTINCT FROM (sum(n) OVER w)::text AS sum,
       gpu_avg(n) OVER w IS NOT DISTINCT FROM avg(n) OVER w AS avg
  FROM num WHERE g IN (1, 7) WINDOW w AS (PARTITION BY g ORDER BY k ROWS 1 PRECEDING) ORDER BY g, k;

-- of equal values the one with the largest display scale, in any order
SELECT gpu_min(n ORDER BY k), gpu_max(n ORDER BY k), gpu_min(n ORDER BY k DESC), gpu_max(n ORDER BY k DESC) FROM num WHERE g = 6;

-- prefix sums as the window form has them
SELECT g, gpu_prefix_sum(n ORDER BY k)::text = array_agg(s ORDER BY k)::text AS prefix,
       gpu_prefix_sum(n, true ORDER BY k)::text = array_agg(before ORDER BY k)::text AS exclusive
  FROM (SELECT *, sum(n) OVER (PARTITION BY g ORDER BY k ROWS UNBOUNDED PRECEDING) AS s,
               sum(n) OVER (PARTITION BY g ORDER BY k ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM num) q
 GROUP BY g ORDER BY g;
SELECT gpu_prefix_sum(n ORDER BY k) FROM num WHERE g = 7;
SELECT gpu_prefix_sum(n) FROM num WHERE g = 99;
SELECT gpu_prefix_sum(n, NULL) FROM num;
SELECT gpu_prefix_sum(n, k = 1) FROM num;
SELECT gpu_prefix_sum(n) OVER () FROM num;
DROP TABLE num;
