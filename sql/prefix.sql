-- Prefix sums: element i is the sum of the first i values, as the window form has it.
\getenv abs_srcdir PG_ABS_SRCDIR
\set oracle :abs_srcdir '/test/oracle.sql'
\set ECHO none
\i :oracle
\set ECHO all
\pset null NULL

SELECT pg_typeof(gpu_prefix_sum(1::int2)), pg_typeof(gpu_prefix_sum(1::int4)), pg_typeof(gpu_prefix_sum(1::int8)),
       pg_typeof(gpu_prefix_sum(1::float4)), pg_typeof(gpu_prefix_sum(1::float8));

-- NULLs and the order of the rows
CREATE TABLE prefix (g int, k int, v int);
INSERT INTO prefix VALUES (1, 1, NULL), (1, 2, NULL), (1, 3, 5), (1, 4, NULL), (1, 5, -2), (1, 6, 7), (1, 7, NULL),
  (2, 1, NULL), (2, 2, NULL), (3, 1, 4), (4, 3, 30), (4, 1, 10), (4, 2, 20);
SELECT g, gpu_prefix_sum(v ORDER BY k) FROM prefix GROUP BY g ORDER BY g;
SELECT g, gpu_prefix_sum(v ORDER BY k DESC) FROM prefix GROUP BY g ORDER BY g;
SELECT g, gpu_prefix_sum(v, true ORDER BY k) FROM prefix GROUP BY g ORDER BY g;
SELECT g, gpu_prefix_sum(v, false ORDER BY k) = gpu_prefix_sum(v ORDER BY k) AS inclusive FROM prefix GROUP BY g ORDER BY g;
SELECT gpu_prefix_sum(v ORDER BY v) FILTER (WHERE v > 0) FROM prefix;
SELECT gpu_prefix_sum(DISTINCT v) FROM prefix;
SELECT gpu_prefix_sum(v ORDER BY k), gpu_prefix_sum(v, true ORDER BY k) FROM prefix WHERE g = 99;
SELECT gpu_prefix_sum(1, true);

-- several chunks, all types, NULLs here and there: equal to sums over frames
CREATE TABLE long AS
  SELECT i, CASE WHEN i % 10 < 2 THEN NULL ELSE (i * 7919 % 65536 - 32768)::int2 END AS s,
         CASE WHEN i < 40 OR i % 10 = 3 THEN NULL ELSE i * 7919 - 30000000 END AS v,
         CASE WHEN i % 10 = 4 THEN NULL ELSE (i - 2000)::int8 * 3074457345618258 END AS b,
         CASE WHEN i < 100 THEN NULL ELSE (sin(i) * power(2::float8, i % 60 - 30))::float4 END AS r,
         CASE WHEN i % 10 = 6 THEN NULL ELSE sin(i) * power(2::float8, i % 1800 - 900) END AS d
    FROM generate_series(1, 5000) i;
SELECT gpu_prefix_sum(s ORDER BY i) = array_agg(ws ORDER BY i) AS s,
       gpu_prefix_sum(v ORDER BY i) = array_agg(wv ORDER BY i) AS v,
       gpu_prefix_sum(b ORDER BY i) = array_agg(wb ORDER BY i) AS b,
       gpu_prefix_sum(r ORDER BY i) = array_agg(wr ORDER BY i) AS r,
       gpu_prefix_sum(d ORDER BY i) = array_agg(wd ORDER BY i) AS d
  FROM (SELECT *, sum(s) OVER w AS ws, sum(v) OVER w AS wv, sum(b) OVER w AS wb,
               gpu_sum(r) OVER w AS wr, gpu_sum(d) OVER w AS wd
          FROM long WINDOW w AS (ORDER BY i ROWS UNBOUNDED PRECEDING)) q;
SELECT gpu_prefix_sum(s, true ORDER BY i) = array_agg(ws ORDER BY i) AS s,
       gpu_prefix_sum(v, true ORDER BY i) = array_agg(wv ORDER BY i) AS v,
       gpu_prefix_sum(b, true ORDER BY i) = array_agg(wb ORDER BY i) AS b,
       gpu_prefix_sum(r, true ORDER BY i) = array_agg(wr ORDER BY i) AS r,
       gpu_prefix_sum(d, true ORDER BY i) = array_agg(wd ORDER BY i) AS d
  FROM (SELECT *, sum(s) OVER w AS ws, sum(v) OVER w AS wv, sum(b) OVER w AS wb,
               gpu_sum(r) OVER w AS wr, gpu_sum(d) OVER w AS wd
          FROM long WINDOW w AS (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) q;

-- every element against exact arithmetic
SELECT count(*) AS elements, count(*) FILTER (WHERE p[i]::text IS DISTINCT FROM pg_temp.sum8(v[:i])) AS wrong
  FROM (SELECT gpu_prefix_sum(d ORDER BY i) AS p, array_agg(d ORDER BY i) AS v FROM long WHERE i <= 150) q,
       generate_series(1, 150) i;

-- int8 elements are numeric, and stored as numeric_in stores them
SELECT gpu_prefix_sum(x ORDER BY k) FROM (VALUES (1, 9223372036854775807), (2, 9223372036854775807), (3, -1)) v(k, x);
CREATE TABLE stored AS
  SELECT made, made::text::numeric AS read
    FROM (SELECT unnest(gpu_prefix_sum(x ORDER BY k)) AS made FROM (
          SELECT k, CASE WHEN k % 2 = 0 THEN 1 ELSE -1 END * (k::numeric ^ 7 / 10 ^ (k % 9))::int8 AS x FROM generate_series(0, 500) k
          UNION ALL SELECT 1000 + k, (10::numeric ^ (k % 19))::int8 FROM generate_series(0, 200) k
          UNION ALL SELECT 2000 + k, -9223372036854775808 FROM generate_series(0, 30) k) s) u;
SELECT count(*), bool_and(made = read) AS equal, bool_and(numeric_send(made) = numeric_send(read)) AS same_digits,
       bool_and(scale(made) = 0) AS scale, bool_and(pg_column_size(made) = pg_column_size(read)) AS size,
       bool_and(hash_numeric(made) = hash_numeric(read)) AS hash
  FROM stored;
SELECT gpu_sum(x)::text = sum(x)::text AS sum FROM (SELECT 9223372036854775807 AS x FROM generate_series(1, 20000)) s;

-- NaN and infinities stay from where they are; a finite prefix out of range raises an error
SELECT gpu_prefix_sum(x ORDER BY k) FROM (VALUES (1, 1::float8), (2, 'Infinity'), (3, 2), (4, '-Infinity'), (5, 3)) v(k, x);
SELECT gpu_prefix_sum(x ORDER BY k) FROM (VALUES (1, 1.5::float4), (2, 'NaN'), (3, 'Infinity')) v(k, x);
SELECT gpu_prefix_sum(x ORDER BY k) FROM (VALUES (1, '-Infinity'::float8), (2, 1e308), (3, 1e308)) v(k, x);
SELECT gpu_prefix_sum(x ORDER BY k) FROM (VALUES (1, 1e308::float8), (2, 1e308), (3, 'Infinity')) v(k, x);
SELECT gpu_prefix_sum(x, true ORDER BY k) FROM (VALUES (1, 1e308::float8), (2, 1e308)) v(k, x);
SELECT gpu_prefix_sum(x ORDER BY k) FROM (VALUES (1, '-0'::float8), (2, NULL), (3, '-0'), (4, 0), (5, '-0')) v(k, x);

-- the flag
SELECT gpu_prefix_sum(v, NULL ORDER BY k) FROM prefix;
SELECT gpu_prefix_sum(v, k > 3 ORDER BY k) FROM prefix;
SELECT gpu_prefix_sum(v, CASE WHEN k < 3 THEN true END ORDER BY k) FROM prefix;

DROP TABLE prefix, long, stored;
-- the final function of a hashed group may be called again, for a rescan
SELECT x, (SELECT count(*) FROM (SELECT k, gpu_prefix_sum(n) AS p FROM
                                   (SELECT i % 3 AS k, (i % 7) / 10.0 AS n FROM generate_series(1, 90) i OFFSET 0) t
                                  GROUP BY k) s
            WHERE cardinality(p) > x AND p[30] > 0)
  FROM generate_series(1, 3) x;
-- the bytes between elements of an array are zeros, as in any other array
SELECT p = q AS equal, record_image_eq(row(p), row(q)) AS same_image
  FROM (SELECT gpu_prefix_sum(v ORDER BY o) AS p
          FROM (VALUES (1, 1234567812345678), (2, 10002 - 1234567812345678)) t(o, v)) s,
       (SELECT ARRAY[1234567812345678, 10002]::numeric[] AS q) r;
-- many small groups take neither long nor much memory
SET statement_timeout = '60s';
SELECT count(*), bool_and(p[1] = k % 100) FROM
  (SELECT k, gpu_prefix_sum((k % 100)::numeric) AS p FROM generate_series(1, 100000) k GROUP BY k) s;
RESET statement_timeout;
