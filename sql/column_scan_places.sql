-- The column scan in all the places where a table can be, each asked with it and
-- without it: the rows must be the same.
SELECT gpured_version() IS NOT NULL AS loaded;
\getenv abs_srcdir PG_ABS_SRCDIR
\set functions :abs_srcdir '/test/column_scan.sql'
\set ECHO none
\i :functions
\set ECHO all
CREATE FUNCTION pg_temp.compare(query text, OUT scans bigint, OUT same bool, OUT rows text) LANGUAGE sql AS $f$
  SELECT pg_temp.scans(query), pg_temp.rows_of(query, 'forbid') IS NOT DISTINCT FROM pg_temp.rows_of(query, 'require'),
         split_part(pg_temp.rows_of(query, 'require'), E'\n', 1) $f$;

-- partitions, one of them with other attribute numbers, and pruning, also when the plan runs
CREATE TABLE part (k int, x float8, j int, t text) PARTITION BY RANGE (k);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (100);
CREATE TABLE part_2 (t text, gone int, j int, x float8, k int);
ALTER TABLE part_2 DROP COLUMN gone;
ALTER TABLE part ATTACH PARTITION part_2 FOR VALUES FROM (100) TO (200);
CREATE TABLE part_3 PARTITION OF part FOR VALUES FROM (200) TO (1000) PARTITION BY LIST (j);
CREATE TABLE part_31 PARTITION OF part_3 FOR VALUES IN (0, 1, 2);
CREATE TABLE part_32 PARTITION OF part_3 DEFAULT;
INSERT INTO part SELECT i % 500, i / 3.0, i % 5, 't' || i % 20 FROM generate_series(1, 5000) i;
VACUUM ANALYZE part;
SELECT q, c.* FROM unnest(ARRAY['SELECT gpu_sum(x), gpu_max(t), gpu_count(*) FROM part', 'SELECT gpu_sum(x), gpu_max(t) FROM part WHERE k < 150', 'SELECT k % 7, gpu_sum(x), gpu_max(t) FROM part WHERE j <> 2 GROUP BY k % 7',
  'SELECT t, j, gpu_avg(x) FILTER (WHERE k > 250) FROM part GROUP BY t, j HAVING gpu_count(*) > 10', 'SELECT gpu_sum(x) FROM part WHERE k < (SELECT 150)', 'SELECT gpu_sum(x) FROM part WHERE k = 5000', 'SELECT gpu_sum(x + k) FROM part_3 WHERE t > ''t15''',
  'SELECT o.k, (SELECT gpu_sum(x) FROM part WHERE part.k = o.k) FROM (VALUES (1), (150), (700)) o(k)', 'SELECT gpu_count(*) FROM part WHERE tableoid = ''part_1''::regclass', 'SELECT gpu_count(part), gpu_max(part::text) FROM part']) q, pg_temp.compare(q) c;
SET enable_partitionwise_aggregate = on;
SELECT q, c.* FROM unnest(ARRAY['SELECT k, gpu_sum(x) FROM part GROUP BY k', 'SELECT gpu_sum(x), gpu_count(*) FROM part WHERE k < 210']) q, pg_temp.compare(q) c;
RESET enable_partitionwise_aggregate;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT q, c.* FROM unnest(ARRAY['SELECT k % 7, gpu_sum(x), gpu_max(t) FROM part WHERE j <> 2 GROUP BY k % 7', 'SELECT gpu_sum(x) FROM part WHERE k < (SELECT 150)']) q, pg_temp.compare(q) c;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- a plan that is run in a worker whatever it costs, and rescans of parallel ones
SELECT count(set_config(name, 'on', false)) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SELECT q, c.* FROM unnest(ARRAY['SELECT k % 7, gpu_sum(x), gpu_max(t) FROM part WHERE j <> 2 GROUP BY k % 7', 'SELECT gpu_sum(x), gpu_count(*) FROM part_1', 'SELECT o.k, (SELECT gpu_sum(x) FROM part_1 WHERE part_1.k > o.k) FROM (VALUES (1), (50), (700)) o(k)']) q, pg_temp.compare(q) c;
SELECT count(set_config(name, reset_val, false)) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_material = off;
SET enable_memoize = off;
SELECT q, c.* FROM unnest(ARRAY['SELECT o.v, s.g, s.n FROM (VALUES (1), (3), (5)) o(v) LEFT JOIN (SELECT k % 7 AS g, gpu_count(*) AS n, gpu_sum(x) FROM part_1 GROUP BY 1) s ON s.g > o.v',
  'SELECT o.v, s.n FROM (VALUES (1), (30000)) o(v) LEFT JOIN (SELECT gpu_count(*) AS n FROM part_2) s ON s.n > o.v']) q, pg_temp.compare(q) c;
RESET enable_material;
RESET enable_memoize;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- subqueries that need a row are computed by PostgreSQL, in quals, arguments and filters
CREATE TABLE asked AS SELECT i, i % 10 AS k, i * 7 % 1000 AS v, nullif(i % 50, 7)::float8 AS x FROM generate_series(1, 3000) i;
CREATE TABLE other AS SELECT k, k * 2 AS w FROM generate_series(0, 8) k UNION ALL SELECT 3, NULL;
CREATE INDEX ON other (k);
VACUUM ANALYZE asked, other;
CREATE TABLE query (id serial, text text);
INSERT INTO query (text) SELECT * FROM unnest(ARRAY['SELECT gpu_sum(v), gpu_count(*) FROM asked WHERE v > (SELECT avg(w) FROM other WHERE other.k = asked.k)', 'SELECT k, gpu_sum((SELECT max(w) FROM other WHERE other.k = asked.k)) FROM asked GROUP BY k',
  'SELECT gpu_sum(x) FILTER (WHERE k NOT IN (SELECT w FROM other WHERE w IS NOT NULL)) FROM asked', 'SELECT gpu_sum(x) FROM asked WHERE k NOT IN (SELECT w FROM other)', 'SELECT gpu_count(*) FROM asked WHERE i % 3 = 1 AND (v > 500 OR EXISTS (SELECT FROM other WHERE other.k = asked.k AND w > 4)) AND x + 1 > 3',
  'SELECT gpu_count(*) FROM asked WHERE (k, v) IN (SELECT k, w FROM other) OR v < (SELECT min(w) + asked.k FROM other)', 'SELECT gpu_sum(v / (SELECT w FROM other WHERE other.k = asked.k AND w IS NOT NULL)) FROM asked WHERE i < 100', 'SELECT gpu_sum((SELECT w FROM other WHERE other.k = asked.k)) FROM asked',
  'SELECT gpu_sum(v) FROM asked WHERE v > ALL (SELECT w FROM other WHERE other.k <= asked.k)', 'SELECT gpu_max(ARRAY(SELECT w FROM other WHERE other.k < asked.k ORDER BY w)) FROM asked', 'SELECT gpu_sum(v) FROM asked HAVING gpu_sum(v) > (SELECT max(w) FROM other)', 'SELECT k, gpu_sum(v) FROM asked a GROUP BY k HAVING gpu_count(*) > (SELECT max(w) FROM other WHERE other.k = a.k)',
  'SELECT o.j, (SELECT gpu_sum(v) FROM asked WHERE v > (SELECT max(w) + o.j FROM other WHERE other.k = asked.k)) FROM (VALUES (1), (500), (NULL), (2)) o(j)', 'SELECT o.j, l.* FROM (VALUES (1), (4), (NULL), (9)) o(j), LATERAL (SELECT gpu_sum(x), gpu_count(*) FROM asked WHERE k NOT IN (SELECT other.k FROM other WHERE other.k > o.j)) l',
  'SELECT o.j, l.* FROM (VALUES (1), (4), (2)) o(j), LATERAL (SELECT k, gpu_sum((SELECT count(*) FROM other WHERE other.k > asked.k - o.j)) FROM asked GROUP BY k) l', 'SELECT gpu_sum((SELECT gpu_sum(w + asked.k) FROM other WHERE other.k <> asked.k)) FROM asked WHERE i < 300', 'SELECT gpu_count(*) FROM asked WHERE (SELECT w FROM other WHERE other.k = asked.k + 5 LIMIT 1) IS NULL',
  'SELECT (SELECT max(w) FROM other WHERE other.k = asked.k), gpu_count(*) FROM asked GROUP BY 1', 'SELECT gpu_sum(v) FROM asked WHERE v > (SELECT random() FROM other WHERE other.k = asked.k LIMIT 1) - 5']);
SELECT text, c.* FROM query, pg_temp.compare(text) c ORDER BY id;
ALTER TABLE asked SET (parallel_workers = 2);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT text, c.* FROM query, pg_temp.compare(text) c WHERE c.same IS NOT TRUE ORDER BY id;
-- each has one hash table, also where the qual before it is a program's in some pages only
CREATE TABLE uneven AS SELECT i, CASE WHEN i BETWEEN 900 AND 950 THEN 1e30 ELSE i END AS n FROM generate_series(1, 3000) i;
ANALYZE uneven;
SELECT c.* FROM pg_temp.compare('SELECT o.j, l.* FROM generate_series(0, 3) o(j), LATERAL (SELECT gpu_sum(i), gpu_count(*) FROM uneven WHERE n * 2 > 5 AND (i IN (SELECT a.i FROM asked a WHERE a.i % 4 = o.j) OR i < 0)) l') c;
SET gpured.debug_scan = require;
-- parallel workers have them before the first row, so that EXPLAIN ANALYZE knows of them
CREATE FUNCTION pg_temp.analyzed(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'Custom Scan|Seq Scan' THEN
			RETURN NEXT substring(line FROM '(?:Parallel )?(?:Custom|Seq) Scan');
		END IF;
	END LOOP;
END $$;
ALTER TABLE uneven SET (parallel_workers = 2);
ALTER TABLE asked SET (parallel_workers = 0);
SELECT * FROM pg_temp.analyzed('SELECT gpu_sum(i) FILTER (WHERE i IN (SELECT a.i FROM asked a WHERE k > 3)) FROM uneven WHERE i < 50 OR i NOT IN (SELECT a.i FROM asked a WHERE k > 4)');
ALTER TABLE asked SET (parallel_workers = 2);
DROP TABLE uneven;
SET gpured.offload = auto;
EXPLAIN (COSTS OFF) SELECT gpu_sum((SELECT max(w) FROM other WHERE other.k + 1 = asked.k)) FROM asked WHERE v > (SELECT avg(w) FROM other WHERE other.k - 1 = asked.k);
RESET gpured.offload;
RESET gpured.debug_scan;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
DROP TABLE query, asked, other;

-- inheritance, materialized views, temporary and unlogged tables, foreign keys to views, and what is no table
CREATE TABLE parent (a int, b float8);
CREATE TABLE child (c text) INHERITS (parent);
INSERT INTO parent SELECT i, i / 7.0 FROM generate_series(1, 500) i;
INSERT INTO child SELECT i, i / 9.0, 'c' FROM generate_series(1, 700) i;
CREATE MATERIALIZED VIEW mat AS SELECT a, b FROM parent;
CREATE TEMP TABLE temporary AS SELECT * FROM mat;
CREATE UNLOGGED TABLE unlogged AS SELECT * FROM mat;
CREATE VIEW over AS SELECT a + 1 AS a, b FROM mat WHERE a > 10;
CREATE VIEW barrier WITH (security_barrier) AS SELECT a, b FROM mat WHERE a > 10;
CREATE TABLE empty (a int, b float8);
SELECT q, c.* FROM unnest(ARRAY['SELECT gpu_sum(b), gpu_max(a) FROM parent', 'SELECT gpu_sum(b), gpu_max(a) FROM ONLY parent', 'SELECT a % 5, gpu_sum(b) FROM mat GROUP BY 1', 'SELECT gpu_sum(b) FROM temporary WHERE a > 3', 'SELECT gpu_sum(b) FROM unlogged',
  'SELECT gpu_sum(b) FROM over WHERE a < 400', 'SELECT gpu_sum(b) FROM barrier WHERE a < 400', 'SELECT gpu_sum(b), gpu_count(*) FROM empty', 'SELECT a, gpu_sum(b) FROM empty GROUP BY a', 'SELECT gpu_sum(b) FROM parent TABLESAMPLE SYSTEM (100)',
  'SELECT gpu_sum(p.b) FROM parent p JOIN mat USING (a)', 'SELECT gpu_sum(i) FROM generate_series(1, 10) i', 'SELECT gpu_sum(DISTINCT a) FROM mat', 'SELECT gpu_sum(a ORDER BY b) FROM mat', 'SELECT gpu_prefix_sum(a) IS NOT NULL FROM mat', 'SELECT a % 3, gpu_sum(b) FROM mat GROUP BY ROLLUP (1)',
  'SELECT gpu_sum(relpages) > 0 FROM pg_class', 'SELECT gpu_sum(b) FROM mat WHERE ctid > ''(0,5)'' AND tableoid = ''mat''::regclass', 'SELECT gpu_max(ctid), gpu_count(mat), gpu_min(xmin::text::int8) > 0, gpu_max(mat::text) FROM mat WHERE mat IS NOT NULL', 'SELECT tableoid::regclass, gpu_sum(a), gpu_max(parent::text) FROM parent GROUP BY 1', 'SELECT gpu_sum(b) FROM mat WHERE random() >= 0', 'SELECT gpu_sum(a), generate_series(1, 2) FROM mat', 'SELECT gpu_sum(b) FROM mat WHERE EXISTS (SELECT FROM empty)',
  'SELECT sum(b) FROM mat']) q, pg_temp.compare(q) c;
-- the planner's own reasons: an index that gives the answer at once, a table of one page
CREATE TABLE indexed AS SELECT i, i * 2 AS j FROM generate_series(1, 50000) i;
CREATE INDEX ON indexed (i);
VACUUM ANALYZE indexed;
SET gpured.offload = auto;
SET gpured.debug_scan = allow;
EXPLAIN (COSTS OFF) SELECT gpu_max(i) FROM indexed;
EXPLAIN (COSTS OFF) SELECT gpu_sum(j) FROM indexed WHERE i BETWEEN 100 AND 200;
EXPLAIN (COSTS OFF) SELECT gpu_sum(j) FROM indexed;
-- as many groups as a quotient has values, where PostgreSQL would be sooner
EXPLAIN (COSTS OFF) SELECT i / 1000, gpu_sum(j::numeric), gpu_avg(j::numeric) FROM indexed GROUP BY 1;
EXPLAIN (COSTS OFF) SELECT i / 2, gpu_sum(j::numeric), gpu_avg(j::numeric) FROM indexed GROUP BY 1;
-- of a table that was never analysed ten pages are assumed: here it is one, then 24
CREATE TABLE fresh WITH (autovacuum_enabled = off) AS SELECT i FROM generate_series(1, 20) i;
EXPLAIN (COSTS OFF) SELECT gpu_sum(i) FROM fresh;
INSERT INTO fresh SELECT i FROM generate_series(1, 5000) i;
EXPLAIN (COSTS OFF) SELECT gpu_sum(i) FROM fresh;
DROP TABLE fresh;
-- a worker has fewer groups than the table, where a key's number of values is only guessed
CREATE TABLE timed AS SELECT timestamp '2024-01-01' + i * interval '1 min' AS ts, i % 100 AS x FROM generate_series(1, 200000) i;
ALTER TABLE timed SET (parallel_workers = 4);
VACUUM ANALYZE timed;
SET max_parallel_workers_per_gather = 4;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0.05;
EXPLAIN (COSTS OFF) SELECT date_trunc('hour', ts), gpu_sum(x) FROM timed GROUP BY 1;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
DROP TABLE timed;
SET gpured.debug_scan = require;
EXPLAIN (COSTS OFF, FORMAT YAML) SELECT j % 10, gpu_sum(i), gpu_count(*) FILTER (WHERE j > 5) FROM indexed WHERE i > 10 AND j / 2 > 7 GROUP BY 1;
EXPLAIN (COSTS OFF, VERBOSE) SELECT gpu_sum(i) FROM indexed WHERE j > 10;
-- batches go to the server, but not those of groups
SET gpured.offload = force;
EXPLAIN (COSTS OFF) SELECT gpu_sum(i) FROM indexed;
EXPLAIN (COSTS OFF) SELECT j, gpu_sum(i) FROM indexed GROUP BY j;
RESET gpured.offload;
SET gpured.debug_scan = allow;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT gpu_sum(i) FROM indexed WHERE i > 0;
RESET enable_seqscan;

-- prepared statements with custom and generic plans
SET gpured.debug_scan = require;
PREPARE prepared (int, float8) AS SELECT gpu_count(*), gpu_sum(b + $2), sum(b + $2) = gpu_sum(b + $2) AS same FROM mat WHERE a < $1 OR a = 400 HAVING gpu_count(*) > $1 - 100;
SET plan_cache_mode = force_custom_plan;
EXECUTE prepared (10, 0);
SET plan_cache_mode = force_generic_plan;
EXECUTE prepared (10, 0);
EXECUTE prepared (100, 0.5);
EXECUTE prepared (NULL, 0.5);
EXECUTE prepared (1000, 0.5);
SET gpured.offload = auto;
EXPLAIN (COSTS OFF) EXECUTE prepared (10, 0);
RESET gpured.offload;
ALTER TABLE indexed ADD COLUMN l int DEFAULT 7;
PREPARE altered AS SELECT gpu_sum(i), gpu_sum(j) FROM indexed;
EXECUTE altered;
ALTER TABLE indexed ALTER COLUMN j TYPE int8;
EXECUTE altered;
DEALLOCATE altered;
PREPARE altered AS SELECT gpu_sum(i), gpu_sum(l) FROM indexed;
EXECUTE altered;
ALTER TABLE indexed DROP COLUMN j;
EXECUTE altered;
RESET plan_cache_mode;

-- cursors
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT a % 4 AS k, gpu_sum(b) FROM mat GROUP BY 1 ORDER BY 1;
FETCH 2 FROM c;
INSERT INTO parent VALUES (1, 1e10);
FETCH BACKWARD 1 FROM c;
FETCH ALL FROM c;
DECLARE d CURSOR FOR SELECT a % 4 AS k, gpu_count(*) FROM parent GROUP BY 1;
DELETE FROM parent WHERE a % 4 = 1;
SELECT gpu_count(*), count(*) FROM parent;
FETCH 1 FROM d \g /dev/null
DECLARE h CURSOR WITH HOLD FOR SELECT gpu_count(*) FROM parent;
SAVEPOINT s;
DELETE FROM parent;
SELECT gpu_count(*), count(*) FROM parent;
ROLLBACK TO s;
SELECT gpu_count(*), count(*) FROM parent;
MOVE FORWARD ALL FROM d;
COMMIT;
FETCH ALL FROM h;
CLOSE h;
-- a cursor that sees its own transaction's older rows, and a table filled and emptied in it
BEGIN;
CREATE TABLE fresh (a int);
INSERT INTO fresh SELECT generate_series(1, 1000);
DECLARE c CURSOR FOR SELECT gpu_count(*), gpu_sum(a) FROM fresh;
UPDATE fresh SET a = a + 1;
SELECT gpu_count(*), gpu_sum(a) FROM fresh;
FETCH ALL FROM c;
CLOSE c;
TRUNCATE fresh;
SELECT gpu_count(*), gpu_sum(a) FROM fresh;
ROLLBACK;

-- isolation levels, and functions that read while they are called
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT gpu_sum(a) FROM unlogged;
SELECT mode, count(*) FROM pg_locks WHERE locktype = 'relation' AND relation = 'unlogged'::regclass AND mode = 'SIReadLock' GROUP BY mode;
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT gpu_sum(a) FROM unlogged;
COMMIT;
CREATE FUNCTION pg_temp.total(k int) RETURNS numeric LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT gpu_sum(a::int8) FROM mat WHERE a < k); END';
SELECT k, pg_temp.total(k) FROM generate_series(0, 40, 20) k;
CREATE FUNCTION pg_temp.inlined(k int) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT gpu_sum(a) FROM mat WHERE a < k';
SELECT k, pg_temp.inlined(k) FROM generate_series(0, 40, 20) k;

-- rights: to columns, to functions, and row security
CREATE ROLE regress_gpured_reader;
CREATE TABLE guarded (a int, b int, owner text);
INSERT INTO guarded SELECT i, i * 2, CASE WHEN i % 2 = 0 THEN 'regress_gpured_reader' ELSE 'other' END FROM generate_series(1, 100) i;
GRANT SELECT (a, owner) ON guarded TO regress_gpured_reader;
CREATE FUNCTION leak(i int) RETURNS bool LANGUAGE plpgsql COST 0.0000001 AS $f$ BEGIN IF i % 2 = 1 THEN RAISE NOTICE 'leaked %', i; END IF; RETURN true; END $f$;
CREATE FUNCTION forbidden(i int) RETURNS int LANGUAGE sql IMMUTABLE RETURN i;
REVOKE EXECUTE ON FUNCTION forbidden(int) FROM PUBLIC;
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON guarded USING (owner = current_user);
SET ROLE regress_gpured_reader;
SELECT gpu_sum(b) FROM guarded;
SELECT gpu_sum(a) FROM guarded WHERE b > 0;
SELECT gpu_count(*), gpu_sum(a), sum(a) FROM guarded;
SELECT gpu_count(*), gpu_sum(a), sum(a) FROM guarded WHERE leak(a);
SELECT gpu_sum(a) FROM guarded WHERE 1 / (a - 1) IS NOT NULL;
SELECT gpu_sum(forbidden(a)) FROM guarded;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION int4gt(int, int) FROM PUBLIC;
SET ROLE regress_gpured_reader;
SELECT gpu_sum(a) FROM guarded WHERE a > 7;
RESET ROLE;
GRANT EXECUTE ON FUNCTION int4gt(int, int) TO PUBLIC;
REVOKE EXECUTE ON FUNCTION gpu_sum(int) FROM PUBLIC;
SET ROLE regress_gpured_reader;
SELECT gpu_sum(a) FROM guarded;
RESET ROLE;
GRANT EXECUTE ON FUNCTION gpu_sum(int) TO PUBLIC;
DROP TABLE guarded;
DROP ROLE regress_gpured_reader;
DROP FUNCTION leak, forbidden;

-- a materialized view that was never filled
CREATE MATERIALIZED VIEW unfilled AS SELECT a, b FROM parent WITH NO DATA;
SELECT gpu_sum(b) FROM unfilled;
SET gpured.debug_scan = forbid;
SELECT gpu_sum(b) FROM unfilled;
SET gpured.debug_scan = require;
SET gpured.offload = auto;
EXPLAIN (COSTS OFF) SELECT gpu_sum(b) FROM unfilled;
RESET gpured.offload;
-- keys that can only be sorted, and of which a qual leaves one value
CREATE TABLE unhashable AS SELECT (i % 3)::money AS m, (i % 4)::bit(3) AS b, i FROM generate_series(1, 600) i;
SELECT q, c.* FROM unnest(ARRAY['SELECT m, gpu_sum(i) FROM unhashable WHERE m = 1::money GROUP BY m', 'SELECT m, b, gpu_sum(i) FROM unhashable WHERE m = 1::money GROUP BY m, b', 'SELECT m, gpu_sum(i) FROM unhashable WHERE m = 7::money GROUP BY m',
  'SELECT m, b, gpu_sum(i) FROM unhashable WHERE m = 2::money AND b = B''001'' GROUP BY b, m', 'SELECT b, gpu_sum(i) FROM unhashable GROUP BY b']) q, pg_temp.compare(q) c;
DROP TABLE unhashable;

-- statistics count a sequential scan and its rows
CREATE TABLE counted AS SELECT i FROM generate_series(1, 3000) i;
BEGIN;
SELECT gpu_sum(i) FROM counted;
SELECT seq_scan, seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'counted';
COMMIT;
RESET gpured.debug_scan;
DROP TABLE part, parent, child, unlogged, empty, indexed, counted CASCADE;
