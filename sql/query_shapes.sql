-- Aggregates in all places that SQL has for them: each query is asked twice, with
-- the built-in and with gpu_, and must give the same rows or the same error.
CREATE TABLE shape (k int PRIMARY KEY, g int, v int, n numeric(10,2), t text, d date, l bool);
INSERT INTO shape SELECT i, i % 10, i * 7919 % 1000, (i * 31 % 5000) / 100.0, md5(i::text), date '2020-01-01' + i % 365, i % 3 = 0 FROM generate_series(1, 1000) i;
CREATE INDEX ON shape (g, v);
CREATE TABLE shape_parent (f int);
CREATE TABLE shape_child () INHERITS (shape_parent);
CREATE TABLE shape_other () INHERITS (shape_parent);
CREATE INDEX ON shape_parent (f);
CREATE INDEX ON shape_child (f DESC);
CREATE INDEX ON shape_other (f) WHERE f IS NOT NULL;
INSERT INTO shape_parent VALUES (11), (12);
INSERT INTO shape_child VALUES (13), (14);
INSERT INTO shape_other VALUES (15), (NULL);
ANALYZE shape, shape_parent, shape_child, shape_other;

-- @ stands before the name of an aggregate
CREATE TABLE query (id serial, text text);
INSERT INTO query (text) VALUES
  ('SELECT g, @sum(v), @avg(v), @count(*) FROM shape GROUP BY g HAVING @sum(v) > 40000'),
  ('SELECT g, @sum(DISTINCT v % 7) FROM shape GROUP BY g HAVING EXISTS (SELECT FROM shape s WHERE @sum(DISTINCT shape.v % 7) = s.v)'),
  ('SELECT g, @sum(DISTINCT v) FROM shape a GROUP BY g HAVING EXISTS (SELECT FROM shape b WHERE @sum(DISTINCT a.v + b.v) = b.v)'),
  ('SELECT (SELECT @max((SELECT i.v FROM shape i WHERE i.k = o.k))) FROM shape o'),
  ('SELECT s, (SELECT @sum(s + y) FROM generate_series(1, 3) y) FROM generate_series(1, 4) s'),
  ('SELECT x, ARRAY(SELECT @sum(x + y) s FROM generate_series(1, 3) y GROUP BY y ORDER BY s) FROM generate_series(1, 3) x'),
  ('SELECT a, b, s FROM generate_series(1, 3) a, LATERAL (SELECT b, @sum(a + b) s FROM generate_series(1, 3) b GROUP BY b) q'),
  ('SELECT @min(f), @max(f), @count(f), @sum(f) FROM shape_parent'),
  ('SELECT DISTINCT @min(f), @max(f) FROM shape_parent'),
  ('SELECT @max(v) FROM shape WHERE g = 3'),
  ('SELECT @min(v) FROM shape WHERE g = 3 AND v > 500'),
  ('SELECT p, (SELECT @min(k) FROM shape WHERE k > p) FROM (VALUES (-5), (10), (5000)) v(p)'),
  ('SELECT @max(v), generate_series(1, 3) FROM shape'),
  ('SELECT @max(100) FROM shape'),
  ('SELECT @max(@min(v)) FROM shape'),
  ('SELECT (SELECT @max(@min(v)) FROM shape_parent) FROM shape'),
  ('SELECT @sum(v) FROM shape WHERE @sum(v) > 0'),
  ('SELECT g, @sum(v), l FROM shape GROUP BY g'),
  ('SELECT k, @sum(n) FROM shape GROUP BY k, g, v'),
  ('SELECT g, l, @sum(n), @avg(n), @max(t), @bool_or(l), @var_pop(v), GROUPING(g, l) FROM shape GROUP BY CUBE (g, l)'),
  ('SELECT g, l, @min(d), @bit_xor(v) FROM shape GROUP BY GROUPING SETS ((g), (l), ())'),
  ('SELECT g, d, @sum(v) FROM shape WHERE k < 40 GROUP BY ROLLUP (g, d)'),
  ('SELECT @sum(v) FILTER (WHERE l), @max(t) FILTER (WHERE v > 990), @every(l) FILTER (WHERE k % 3 = 0), @sum(v) FILTER (WHERE false) FROM shape'),
  ('SELECT g, @sum(@sum(v)) OVER (ORDER BY g), @max(@avg(n)) OVER () FROM shape GROUP BY g'),
  ('SELECT k, @sum(n) OVER (PARTITION BY g ORDER BY k RANGE BETWEEN 30 PRECEDING AND 10 FOLLOWING) FROM shape'),
  ('SELECT k, @max(t) OVER (ORDER BY k GROUPS BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM shape'),
  ('WITH RECURSIVE r(i, s) AS (SELECT 1, 1::int8 UNION ALL SELECT i + 1, (SELECT @sum(v) FROM shape WHERE k <= r.i) FROM r WHERE i < 9) SELECT * FROM r'),
  ('SELECT g, (SELECT @sum(s.v) FROM shape s WHERE s.g = o.g AND s.l) FROM (SELECT DISTINCT g FROM shape) o'),
  ('SELECT @sum(q.s) FROM (SELECT @sum(v) AS s FROM shape GROUP BY g) q'),
  ('SELECT o.g, @count(i.k), @sum(i.v) FROM shape o LEFT JOIN shape i ON i.k = o.k AND i.l GROUP BY o.g'),
  ('SELECT @avg(v), @sum(n), @stddev(v), @variance(n), @avg(n), @stddev(n), @sum(v) FROM shape'),
  ('SELECT @sum(v) / 0 FROM shape'),
  ('SELECT @avg(n) FROM shape ORDER BY @avg(n)'),
  ('SELECT g FROM shape GROUP BY g ORDER BY @sum(n) DESC, @max(t) LIMIT 4'),
  ('SELECT @sum(v) FROM shape TABLESAMPLE SYSTEM (100)'),
  ('SELECT @sum(interval ''1 day'' * v), @avg(interval ''1 hour'' * v), @max(d + interval ''1 hour''), @min(n::money), @sum(n::money) FROM shape'),
  ('DELETE FROM shape WHERE v > (SELECT @avg(v) * 100 FROM shape) RETURNING k'),
  ('UPDATE shape SET v = v WHERE k = (SELECT @max(k) FROM shape) RETURNING k, v'),
  ('SELECT @sum(*) FROM shape'),
  ('SELECT @min(DISTINCT t ORDER BY t), @sum(v ORDER BY t), @max(t ORDER BY v, k) FROM shape'),
  ('SELECT @sum(DISTINCT v ORDER BY k) FROM shape'),
  ('SELECT @sum(generate_series(1, v)) FROM shape');

CREATE FUNCTION pg_temp.answer(text text) RETURNS text[] LANGUAGE plpgsql AS $f$
DECLARE
  row record;
  rows text[] := '{}';
BEGIN
  FOR row IN EXECUTE text LOOP
    rows := rows || row::text;
  END LOOP;
  -- rows come in any order
  RETURN (SELECT array_agg(r ORDER BY r COLLATE "C") FROM unnest(rows) r);
EXCEPTION WHEN OTHERS THEN
  RETURN ARRAY['ERROR ' || SQLSTATE];
END $f$;
CREATE FUNCTION pg_temp.differ() RETURNS TABLE (queries bigint, errors bigint, differing text[]) LANGUAGE sql AS $f$
  SELECT count(*), count(*) FILTER (WHERE a[1] ~ '^ERROR'), array_agg(text) FILTER (WHERE a IS DISTINCT FROM b)
    FROM (SELECT text, pg_temp.answer(replace(text, '@', 'gpu_')) AS a, pg_temp.answer(replace(text, '@', '')) AS b FROM query ORDER BY id) q
$f$;
SELECT * FROM pg_temp.differ();
SELECT text FROM query WHERE (pg_temp.answer(replace(text, '@', 'gpu_')))[1] ~ '^ERROR' ORDER BY id;
SET enable_hashagg = off;
SELECT * FROM pg_temp.differ();
RESET enable_hashagg;
SET enable_sort = off;
SET enable_seqscan = off;
SELECT * FROM pg_temp.differ();
RESET enable_sort;
RESET enable_seqscan;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
ALTER TABLE shape SET (parallel_workers = 2);
SELECT * FROM pg_temp.differ();
DROP TABLE shape, shape_parent, shape_child, shape_other, query;
