-- Variances and deviations of integers and numeric: the text of the built-in,
-- whatever the plan.
CREATE TABLE variance AS
  SELECT i, i % 5 AS g, CASE WHEN i % 10 = 3 THEN NULL ELSE (i * 7919 % 65536 - 32768)::int2 END AS s,
         CASE WHEN i % 10 = 4 OR i % 5 = 4 THEN NULL ELSE i * 104729 % 2000001 - 1000000 END AS v,
         CASE i % 50 WHEN 7 THEN 9223372036854775807 WHEN 8 THEN -9223372036854775808 ELSE i::int8 * 1000003 END AS b,
         round((sin(i) * 1000)::numeric, i % 9) AS n
    FROM generate_series(1, 2000) i;
INSERT INTO variance VALUES (2001, 5, 1, 1, 1, 'NaN'), (2002, 5, 1, 1, 1, 1), (2003, 6, 7, 7, 7, 'Infinity'), (2004, 7, 7, 7, 7, 7.00),
  (2005, 8, NULL, NULL, NULL, NULL), (2006, 9, 32767, 2147483647, 9223372036854775807, 1e100), (2007, 9, -32768, -2147483648, -9223372036854775808, -1e100),
  (2008, 10, 5, 5, 5, 5.0), (2009, 10, 5, 5, 5, 5.00);
ANALYZE variance;

-- how many rows of text differ; "shape" is the query, with F for a function
CREATE FUNCTION pg_temp.differ(shape text) RETURNS TABLE (function text, differ bigint) LANGUAGE plpgsql AS $f$
BEGIN
  FOREACH function IN ARRAY '{var_pop,var_samp,variance,stddev_pop,stddev_samp,stddev}'::text[] LOOP
    EXECUTE format('SELECT count(*) FROM ((%1$s EXCEPT ALL %2$s) UNION ALL (%2$s EXCEPT ALL %1$s)) q',
                   regexp_replace(shape, 'F\((\w)\)', 'gpu_' || function || '(\1)', 'g'),
                   regexp_replace(shape, 'F\((\w)\)', function || '(\1)', 'g')) INTO differ;
    RETURN NEXT;
  END LOOP;
END $f$;
SELECT * FROM pg_temp.differ('SELECT F(s)::text, F(v)::text, F(b)::text, F(n)::text FROM variance WHERE g < 5');
SELECT * FROM pg_temp.differ('SELECT g, F(s)::text, F(v)::text, F(b)::text, F(n)::text FROM variance GROUP BY g');
SELECT * FROM pg_temp.differ('SELECT i, (F(s) OVER w)::text, (F(v) OVER w)::text, (F(b) OVER w)::text, (F(n) OVER w)::text FROM variance
  WHERE i > 1900 WINDOW w AS (ORDER BY i ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING)');
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE variance SET (parallel_workers = 2);
SELECT * FROM pg_temp.differ('SELECT g, F(s)::text, F(v)::text, F(b)::text, F(n)::text FROM variance GROUP BY g');
SELECT gpu_var_pop(s)::text = var_pop(s)::text AS s, gpu_stddev(v)::text = stddev(v)::text AS v,
       gpu_var_samp(b)::text = var_samp(b)::text AS b, gpu_stddev_pop(n)::text = stddev_pop(n)::text AS n
  FROM variance WHERE g IN (0, 9);

-- one value, no value, equal values, the corners of a type
SELECT gpu_var_pop(v), gpu_var_samp(v), gpu_stddev_pop(v), gpu_stddev_samp(v), gpu_variance(n), gpu_stddev(n) FROM variance WHERE g = 7;
SELECT gpu_var_pop(v), gpu_var_samp(v), gpu_stddev_pop(b), gpu_stddev_samp(n), gpu_variance(s), gpu_stddev(s) FROM variance WHERE g = 8;
SELECT gpu_var_pop(v), gpu_var_samp(b), gpu_stddev_pop(n), gpu_stddev_samp(s) FROM variance WHERE g = 10;
SELECT gpu_var_pop(s), gpu_var_pop(v), gpu_var_pop(b), gpu_stddev_pop(n) FROM variance WHERE g = 9;
SELECT gpu_var_pop(n), gpu_stddev_samp(n) FROM variance WHERE g IN (5, 6);
DROP TABLE variance;
