-- Booleans and bits: the answers of the built-in.
\pset null NULL
CREATE TABLE bits AS
  SELECT i, i % 6 AS g, CASE i % 6 WHEN 0 THEN true WHEN 1 THEN false WHEN 2 THEN i % 12 = 2 WHEN 3 THEN NULL
                                   WHEN 4 THEN CASE WHEN i % 12 = 4 THEN true END ELSE CASE WHEN i % 12 = 5 THEN false END END AS l,
         CASE WHEN i % 6 <> 3 THEN (i * 7919 % 65536 - 32768)::int2 END AS s,
         CASE WHEN i % 6 <> 3 THEN i * 104729 % 2000001 - 1000000 END AS v,
         CASE WHEN i % 6 <> 3 THEN (i::int8 * 1000003) << 20 END AS b,
         CASE WHEN i % 6 <> 3 THEN (i % 8)::bit(3) END AS t
    FROM generate_series(1, 600) i;
ANALYZE bits;
SELECT g, gpu_bool_and(l), gpu_bool_or(l), gpu_every(l) FROM bits GROUP BY g ORDER BY g;
SELECT gpu_bool_and(l), gpu_bool_or(l), gpu_every(l), gpu_bit_and(v), gpu_bit_or(b), gpu_bit_xor(t) FROM bits WHERE g = 3;
SELECT gpu_bool_and(l), gpu_bit_and(s), gpu_bit_or(s), gpu_bit_xor(t) FROM bits WHERE false;
SELECT pg_typeof(gpu_bit_and(s)), pg_typeof(gpu_bit_or(v)), pg_typeof(gpu_bit_xor(b)), pg_typeof(gpu_bit_and(t)), pg_typeof(gpu_every(l)) FROM bits;

CREATE VIEW pg_temp.ours AS
  SELECT g, gpu_bit_and(s) AS a, gpu_bit_or(s) AS b, gpu_bit_xor(s) AS c, gpu_bit_and(v) AS d, gpu_bit_or(v) AS e, gpu_bit_xor(v) AS f,
         gpu_bit_and(b) AS h, gpu_bit_or(b) AS i, gpu_bit_xor(b) AS j, gpu_bit_and(t) AS k, gpu_bit_or(t) AS l, gpu_bit_xor(t) AS m,
         gpu_bool_and(l) AS n, gpu_bool_or(l) AS o, gpu_every(l) AS p FROM bits GROUP BY GROUPING SETS ((g), ());
CREATE VIEW pg_temp.theirs AS
  SELECT g, bit_and(s) AS a, bit_or(s) AS b, bit_xor(s) AS c, bit_and(v) AS d, bit_or(v) AS e, bit_xor(v) AS f,
         bit_and(b) AS h, bit_or(b) AS i, bit_xor(b) AS j, bit_and(t) AS k, bit_or(t) AS l, bit_xor(t) AS m,
         bool_and(l) AS n, bool_or(l) AS o, every(l) AS p FROM bits GROUP BY GROUPING SETS ((g), ());
SELECT count(*) FROM (TABLE pg_temp.ours EXCEPT ALL TABLE pg_temp.theirs) q;
SELECT i, gpu_bool_and(l) OVER w, gpu_bool_or(l) OVER w, gpu_every(l) OVER w FROM bits WHERE i <= 14
  WINDOW w AS (ORDER BY i ROWS 1 PRECEDING) ORDER BY i;

-- in parallel
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ALTER TABLE bits SET (parallel_workers = 2);
SELECT gpu_bit_and(v) = bit_and(v), gpu_bit_or(b) = bit_or(b), gpu_bit_xor(t) = bit_xor(t), gpu_bool_and(l) = bool_and(l), gpu_bool_or(l) = bool_or(l) FROM bits;

-- an index on the booleans serves, as it does the built-in
CREATE INDEX ON bits (l);
SET enable_seqscan = off;
SELECT gpu_bool_or(l), gpu_bool_and(l), gpu_every(l) FROM bits;

SELECT gpu_bit_and(x) FROM (VALUES (B'101'), (B'1')) v(x);
DROP VIEW pg_temp.ours, pg_temp.theirs;
DROP TABLE bits;
