-- NULL inputs, empty inputs and inputs of nothing but NULLs.
\pset null NULL
CREATE TABLE nulls (g int, s int2, i int4, b int8, r float4, d float8);

-- no rows
SELECT gpu_sum(s), gpu_sum(i), gpu_sum(b), gpu_sum(r), gpu_sum(d) FROM nulls;
SELECT gpu_avg(s), gpu_avg(i), gpu_avg(b), gpu_avg(r), gpu_avg(d) FROM nulls;
SELECT gpu_min(s), gpu_min(i), gpu_min(b), gpu_min(r), gpu_min(d) FROM nulls;
SELECT gpu_max(s), gpu_max(i), gpu_max(b), gpu_max(r), gpu_max(d) FROM nulls;
SELECT gpu_count(*), gpu_count(i), gpu_prefix_sum(i ORDER BY g), gpu_prefix_sum(d, true ORDER BY g) FROM nulls;
SELECT g, gpu_sum(i), gpu_count(*) FROM nulls GROUP BY g;
SELECT gpu_count(*) FROM nulls HAVING gpu_sum(d) IS NULL;

-- nothing but NULLs
INSERT INTO nulls SELECT i % 2 FROM generate_series(1, 6) i;
SELECT gpu_sum(s), gpu_sum(i), gpu_sum(b), gpu_sum(r), gpu_sum(d) FROM nulls;
SELECT gpu_avg(s), gpu_avg(i), gpu_avg(b), gpu_avg(r), gpu_avg(d) FROM nulls;
SELECT gpu_min(s), gpu_min(i), gpu_min(b), gpu_min(r), gpu_min(d) FROM nulls;
SELECT gpu_max(s), gpu_max(i), gpu_max(b), gpu_max(r), gpu_max(d) FROM nulls;
SELECT gpu_count(*), gpu_count(i), gpu_prefix_sum(i ORDER BY g), gpu_prefix_sum(d, true ORDER BY g) FROM nulls;
SELECT g, gpu_sum(i), gpu_avg(d), gpu_max(b), gpu_count(r), gpu_count(*) FROM nulls GROUP BY g ORDER BY g;
SELECT g, gpu_sum(i) OVER w, gpu_avg(i) OVER w, gpu_sum(d) OVER w, gpu_avg(d) OVER w, gpu_count(d) OVER w
  FROM nulls WINDOW w AS (ORDER BY g ROWS 1 PRECEDING) ORDER BY g;

-- a value among them, first, in the middle and last
INSERT INTO nulls VALUES (0, 7, 7, 7, 7, 7);
SELECT g, gpu_sum(s), gpu_sum(i), gpu_sum(b), gpu_sum(r), gpu_sum(d), gpu_count(i) FROM nulls GROUP BY g ORDER BY g;
SELECT g, gpu_avg(s), gpu_avg(i), gpu_avg(b), gpu_avg(r), gpu_avg(d) FROM nulls GROUP BY g ORDER BY g;
SELECT g, gpu_min(s), gpu_max(i), gpu_min(b), gpu_max(r), gpu_min(d) FROM nulls GROUP BY g ORDER BY g;
SELECT gpu_sum(i ORDER BY i NULLS FIRST), gpu_sum(i ORDER BY i NULLS LAST),
       gpu_max(d ORDER BY d NULLS FIRST), gpu_max(d ORDER BY d NULLS LAST) FROM nulls;

DROP TABLE nulls;
