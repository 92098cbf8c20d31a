-- Sums and averages of numeric: short values are added as integers, all others as
-- PostgreSQL does; whatever the mixture, the text is the built-in's.
\pset null NULL
-- values at the edges of what is short, by class
CREATE TABLE mixed AS
  SELECT i, i % 9 AS class, CASE i % 9
           WHEN 0 THEN (i::int8 * 7919 % 1000003 - 500000)::numeric / 100
           WHEN 1 THEN ((i::int8 * 7919 % 1000003 - 500000) / 100.0)::numeric(12, 2)
           WHEN 2 THEN CASE WHEN i % 2 = 0 THEN 9999999999999999.99999999 ELSE -9999999999999999.99999999 END + i % 3
           WHEN 3 THEN round(sin(i)::numeric, i % 13)
           WHEN 4 THEN (10::numeric ^ (i % 60 - 30))::numeric
           WHEN 5 THEN (i % 100 || repeat('0', i % 24))::numeric
           WHEN 6 THEN ('0.' || repeat('0', i % 14) || i % 10)::numeric
           WHEN 7 THEN ('-' || i % 7 || '.' || repeat('0', i % 30))::numeric
           ELSE NULL END AS n
    FROM generate_series(1, 1800) i;
INSERT INTO mixed SELECT i, 10 + i % 4, CASE i % 4 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE '1e1000' END::numeric FROM generate_series(1801, 1808) i;
ALTER TABLE mixed ALTER n SET STORAGE EXTERNAL;
INSERT INTO mixed SELECT 1809, 14, (repeat('123456789', 1000) || '.5')::numeric;
ALTER TABLE mixed ALTER n SET STORAGE EXTENDED;
INSERT INTO mixed SELECT 1810, 14, (repeat('7', 9000) || '.' || repeat('1', 50))::numeric;
INSERT INTO mixed VALUES (1811, 15, 0), (1812, 15, -0.000), (1813, 16, 1.5), (1814, 16, -1.50);
ANALYZE mixed;

CREATE FUNCTION pg_temp.differ(shape text) RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
  ours text := regexp_replace(shape, '([A-Z])(sum|avg)', 'gpu_\2', 'g');
  theirs text := regexp_replace(shape, '([A-Z])(sum|avg)', '\2', 'g');
  n bigint;
BEGIN
  EXECUTE format('SELECT count(*) FROM ((%1$s EXCEPT ALL %2$s) UNION ALL (%2$s EXCEPT ALL %1$s)) q', ours, theirs) INTO n;
  RETURN n;
END $f$;
SELECT pg_temp.differ('SELECT class, Gsum(n)::text, Gavg(n)::text FROM mixed GROUP BY class') AS classes,
       pg_temp.differ('SELECT Gsum(n)::text, Gavg(n)::text FROM mixed WHERE class < 10') AS short_and_wide,
       pg_temp.differ('SELECT Gsum(n)::text, Gavg(n)::text FROM mixed WHERE class IN (1, 13, 14)') AS toasted,
       pg_temp.differ('SELECT i % 50, Gsum(n)::text, Gavg(n)::text FROM mixed GROUP BY 1') AS groups,
       pg_temp.differ('SELECT i % 50, Gsum(DISTINCT n)::text, Gavg(n)::text FROM mixed WHERE class IN (0, 1, 4) GROUP BY 1') AS "distinct",
       pg_temp.differ('SELECT Gsum(n)::text, Gavg(n)::text FROM mixed WHERE false') AS nothing;
SELECT class, gpu_sum(n), gpu_avg(n) FROM mixed WHERE class IN (1, 2, 8, 10, 11, 15, 16) GROUP BY class ORDER BY class;
SELECT gpu_sum(n), gpu_avg(n) FROM mixed WHERE class IN (1, 11, 12);

-- frames: scales come and go, wide values too
SELECT frame, pg_temp.differ('SELECT i, (Gsum(n) OVER w)::text, (Gavg(n) OVER w)::text FROM mixed WHERE i % 50 < 30 OR i > 1790 WINDOW w AS (' || frame || ')')
  FROM (VALUES ('ORDER BY i ROWS 1 PRECEDING'), ('ORDER BY i ROWS 6 PRECEDING'), ('PARTITION BY class ORDER BY i ROWS 3 PRECEDING'),
               ('ORDER BY i ROWS BETWEEN 3 FOLLOWING AND 5 FOLLOWING'), ('ORDER BY class, i ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW')) f(frame);
SELECT i, gpu_sum(n) OVER (ORDER BY i ROWS 1 PRECEDING), gpu_avg(n) OVER (ORDER BY i ROWS 1 PRECEDING)
  FROM (VALUES (1, 1.5), (2, 1.50), (3, 1), (4, 2), (5, NULL), (6, NULL), (7, 1e20), (8, 0.123456789), (9, 1)) v(i, n);

-- parallel and partial states
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ALTER TABLE mixed SET (parallel_workers = 3);
SELECT gpu_sum(n)::text = sum(n)::text AS sum, gpu_avg(n)::text = avg(n)::text AS avg FROM mixed WHERE class < 10;
SELECT gpu_sum(n)::text = sum(n)::text AS sum, gpu_avg(n)::text = avg(n)::text AS avg FROM mixed WHERE class = 1;
SELECT gpu_sum(n)::text = sum(n)::text AS sum, gpu_avg(n)::text = avg(n)::text AS avg FROM mixed WHERE class = 4;
SELECT gpu_sum(n)::text = sum(n)::text AS sum, gpu_avg(n)::text = avg(n)::text AS avg FROM mixed WHERE class IN (3, 14);
SELECT gpu_sum(n), gpu_avg(n) FROM mixed WHERE class = 8;
SELECT gpu_sum(n), gpu_avg(n) FROM mixed WHERE class IN (1, 10, 11);
SELECT class, gpu_sum(n)::text = sum(n)::text AS sum, gpu_avg(n)::text = avg(n)::text AS avg FROM mixed WHERE class <> 8 GROUP BY class ORDER BY class;
CREATE AGGREGATE refused_numeric(int8) (sfunc = int8_avg_accum, stype = internal, finalfunc = numeric_poly_avg,
  combinefunc = gpured_numeric_combine, serialfunc = int8_avg_serialize, deserialfunc = gpured_numeric_deserialize, parallel = safe);
SELECT refused_numeric(i) FROM mixed;
DROP AGGREGATE refused_numeric(int8);

-- the stored form is the one that numeric_in makes
SELECT count(*) AS sums, bool_and(numeric_send(s) = numeric_send(s::text::numeric)) AS same_digits, bool_and(hash_numeric(s) = hash_numeric(s::text::numeric)) AS hash
  FROM (SELECT gpu_sum(n) AS s FROM mixed GROUP BY i % 97) q WHERE s::text !~ 'N|I';
DROP TABLE mixed;
