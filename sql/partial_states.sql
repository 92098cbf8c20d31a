-- Partial states of partitions: states of some partitions are NULL, small or
-- wide, and are combined in every order.
CREATE TABLE partial (p int, g int, i int4, b int8, r float4, d float8) PARTITION BY LIST (p);
SELECT format('CREATE TABLE partial_%s PARTITION OF partial FOR VALUES IN (%s)', p, p) FROM generate_series(1, 5) p \gexec
-- 1: nothing but NULLs; 2: small; 3: sums beyond 63 bits; 4: the negatives of 3 and specials; 5: no rows
INSERT INTO partial SELECT 1, i % 3, NULL, NULL, NULL, NULL FROM generate_series(1, 9) i;
INSERT INTO partial SELECT 2, i % 3, i, i, i / 4.0, i / 4.0 FROM generate_series(1, 9) i;
INSERT INTO partial SELECT 3, i % 3, 2147483647, 9223372036854775807, 1e38, 1e308 FROM generate_series(1, 9) i;
INSERT INTO partial SELECT 4, i % 3, -2147483648, -9223372036854775808, -1e38, -1e308 FROM generate_series(1, 9) i;
ANALYZE partial;

SET enable_partitionwise_aggregate = on;
SET max_parallel_workers_per_gather = 0;
SET enable_sort = off;

SELECT gpu_sum(i) = sum(i) AS i, gpu_sum(b) = sum(b) AS b, gpu_avg(i)::text = avg(i)::text AS avg_i,
       gpu_avg(b)::text = avg(b)::text AS avg_b, gpu_min(b) = min(b) AS min, gpu_max(d) = max(d) AS max,
       gpu_sum(d) = 11.25 AS d, gpu_sum(r) = 11.25 AS r, gpu_avg(d) = 11.25 / 27 AS avg_d, gpu_count(d) = 27 AS count
  FROM partial;
SELECT g, gpu_sum(i) = sum(i) AS i, gpu_sum(b) = sum(b) AS b, gpu_avg(b)::text = avg(b)::text AS avg_b,
       gpu_min(d) = min(d) AS min, gpu_max(b) = max(b) AS max, gpu_sum(d) = gpu_sum(r) AS d, gpu_count(*)
  FROM partial GROUP BY g ORDER BY g;
SELECT p, gpu_sum(b) = sum(b) AS b, gpu_avg(i) = avg(i) AS i FROM partial GROUP BY p ORDER BY p;
SELECT gpu_sum(d), gpu_sum(i), gpu_avg(b), gpu_max(r), gpu_count(*) FROM partial WHERE p = 1;
SELECT gpu_sum(d), gpu_sum(i), gpu_avg(b), gpu_max(r), gpu_count(*) FROM partial WHERE p = 5;

-- specials in one partition reach the others
INSERT INTO partial VALUES (5, 0, NULL, NULL, 'Infinity', '-0'), (1, 1, NULL, NULL, '-Infinity', 'NaN');
SELECT g, gpu_sum(r), gpu_min(r), gpu_max(r), gpu_max(d), gpu_avg(d) FROM partial WHERE p IN (1, 5) GROUP BY g ORDER BY g;
SELECT gpu_sum(r), gpu_avg(r), gpu_max(d) FROM partial;

-- states of one aggregate are refused by another
CREATE AGGREGATE refused_int_sum(int8) (sfunc = int8_avg_accum, stype = internal, finalfunc = numeric_poly_avg,
  combinefunc = gpured_int_sum_combine, serialfunc = int8_avg_serialize, deserialfunc = gpured_int_sum_deserialize, parallel = safe);
CREATE AGGREGATE refused_int_avg(int8) (sfunc = int8_avg_accum, stype = internal, finalfunc = numeric_poly_avg,
  combinefunc = gpured_int_avg_combine, serialfunc = int8_avg_serialize, deserialfunc = gpured_int_avg_deserialize, parallel = safe);
CREATE AGGREGATE refused_extreme(int8) (sfunc = int8_avg_accum, stype = internal, finalfunc = numeric_poly_avg,
  combinefunc = gpured_extreme_combine, serialfunc = int8_avg_serialize, deserialfunc = gpured_extreme_deserialize, parallel = safe);
CREATE AGGREGATE refused_float_sum(int8) (sfunc = int8_avg_accum, stype = internal, finalfunc = numeric_poly_avg,
  combinefunc = gpured_float_sum_combine, serialfunc = int8_avg_serialize, deserialfunc = gpured_float_sum_deserialize, parallel = safe);
CREATE AGGREGATE refused_float_avg(int8) (sfunc = int8_avg_accum, stype = internal, finalfunc = numeric_poly_avg,
  combinefunc = gpured_float_avg_combine, serialfunc = int8_avg_serialize, deserialfunc = gpured_float_avg_deserialize, parallel = safe);
CREATE AGGREGATE refused_kind(int8) (sfunc = gpured_int8_sum, stype = internal, finalfunc = gpured_int_sum_numeric,
  combinefunc = gpured_int_avg_combine, serialfunc = gpured_int_sum_serialize, deserialfunc = gpured_int_avg_deserialize, parallel = safe);
SELECT refused_int_sum(b) FROM partial;
SELECT refused_int_avg(b) FROM partial;
SELECT refused_extreme(b) FROM partial;
SELECT refused_float_sum(b) FROM partial;
SELECT refused_float_avg(b) FROM partial;
SELECT refused_kind(b) FROM partial;
DROP AGGREGATE refused_int_sum(int8), refused_int_avg(int8), refused_extreme(int8), refused_float_sum(int8), refused_float_avg(int8), refused_kind(int8);

DROP TABLE partial;
