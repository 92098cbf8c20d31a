-- How the column scan groups: by the device, by images of keys of any type, in parts
-- where memory is little, or not at all where nearly each row is a group of its own.
SELECT gpured_version() IS NOT NULL AS loaded;
-- the rows of a query under a setting, or its error
CREATE FUNCTION pg_temp.rows_of(query text, setting text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
  result text;
BEGIN
  PERFORM set_config('gpured.debug_scan', setting, true);
  EXECUTE format('SELECT count(*) || '' '' || md5(string_agg(r::text, E''\n'' ORDER BY r::text COLLATE "C")) FROM (%s) r', query) INTO result;
  RETURN result;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $f$;
-- what EXPLAIN ANALYZE counts in a plan
CREATE FUNCTION pg_temp.counted(query text, label text) RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
  line text;
  n bigint;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ' || query LOOP
    n := coalesce(n, substring(line FROM '^ *' || label || ': (\d+)$')::bigint);
  END LOOP;
  RETURN coalesce(n, 0);
END $f$;
CREATE FUNCTION pg_temp.is_scanned(query text) RETURNS bool LANGUAGE plpgsql AS $f$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line ~ 'GpuAggregate' THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $f$;
CREATE FUNCTION pg_temp.compare(query text, OUT flushed bool, OUT ungrouped bool, OUT same bool, OUT rows text) LANGUAGE plpgsql AS $f$
BEGIN
  PERFORM set_config('gpured.debug_scan', 'require', true);
  flushed := pg_temp.counted(query, 'Group Flushes') > 0;
  ungrouped := pg_temp.counted(query, 'Ungrouped Rows') > 0;
  rows := pg_temp.rows_of(query, 'require');
  same := rows = pg_temp.rows_of(query, 'forbid');
  rows := split_part(rows, ' ', 1);
END $f$;

CREATE TABLE grouped AS
  SELECT i AS id, i::int8 * 1000003 % 9999991 AS wide, i / 4 AS four, nullif(i % 5, 0)::int2 AS small, i % 3 = 0 AS bit, (i * 7919::int8 % 90001)::int4 AS r,
         md5((i / 4)::text) AS tx, CASE i % 23 WHEN 0 THEN NULL ELSE md5(i::text) END AS own,
         CASE i % 17 WHEN 0 THEN NULL WHEN 1 THEN '-0' WHEN 2 THEN 'NaN' WHEN 3 THEN 'Infinity' WHEN 4 THEN 1e300 ELSE (i * 7919 % 10007 / 13.0)::float8 END AS f8,
         CASE i % 13 WHEN 0 THEN NULL ELSE i % 100 / 7.0 END::float4 AS f4, CASE i % 11 WHEN 0 THEN NULL ELSE i * 31 - 900000 END AS i4,
         CASE i % 7 WHEN 0 THEN NULL ELSE i * 90000000000007 END::int8 AS i8, (i % 997)::numeric / 8 AS n, (i % 300)::int2 AS i2
    FROM (SELECT generate_series(1, 40000)::int8) s(i);
VACUUM ANALYZE grouped;
SET max_parallel_workers_per_gather = 0;
SET hash_mem_multiplier = 1;

CREATE TABLE queries (n serial, query text);
INSERT INTO queries (query) VALUES
  ('SELECT id, gpu_sum(f8), gpu_avg(f8), gpu_sum(f4), gpu_avg(i4), gpu_sum(i8), gpu_count(*), gpu_count(f8) FROM grouped GROUP BY id'),
  ('SELECT id, gpu_min(f8), gpu_max(f8), gpu_min(f4), gpu_max(f4), gpu_min(i4), gpu_max(i8), gpu_min(i2), gpu_sum(i2) FROM grouped GROUP BY id'),
  ('SELECT id, gpu_sum(n), gpu_var_samp(f8), gpu_max(n), gpu_sum(i4) FILTER (WHERE bit), gpu_avg(n) FILTER (WHERE i4 > 0), gpu_count(*) FILTER (WHERE NOT bit) FROM grouped GROUP BY id'),
  ('SELECT own, gpu_sum(f8), gpu_max(tx), gpu_max(i4) FROM grouped GROUP BY own'),
  ('SELECT four, gpu_sum(f8), gpu_avg(f8), gpu_sum(f4), gpu_min(f8), gpu_max(f4), gpu_sum(n), gpu_count(*) FROM grouped GROUP BY four'),
  ('SELECT tx, gpu_sum(f8), gpu_sum(n), gpu_max(tx), gpu_sum(i2) FILTER (WHERE bit) FROM grouped GROUP BY tx'),
  ('SELECT small, bit, gpu_sum(f8), gpu_min(f8), gpu_avg(n), gpu_max(own), gpu_count(i4) FROM grouped GROUP BY small, bit'),
  ('SELECT small, tx, gpu_sum(i8), gpu_count(f8) FROM grouped GROUP BY small, tx'),
  ('SELECT four, small, i2, gpu_sum(i8), gpu_sum(f8) FROM grouped GROUP BY four, small, i2'),
  ('SELECT wide, r, gpu_sum(f4), gpu_count(*) FROM grouped GROUP BY wide, r HAVING gpu_count(*) > 0'),
  ('SELECT r, gpu_sum(f8), gpu_avg(i4) FROM grouped WHERE id % 3 > 0 GROUP BY r');
-- with plenty of memory, with little, and with next to none
SET work_mem = '32MB';
SELECT n, c.* FROM queries, pg_temp.compare(query) c ORDER BY n;
SET work_mem = '1MB';
SELECT n, c.* FROM queries, pg_temp.compare(query) c ORDER BY n;
SET work_mem = '64kB';
SELECT n, c.* FROM queries, pg_temp.compare(query) c WHERE n IN (3, 5, 6, 7) ORDER BY n;
RESET work_mem;

-- first each row is a group of its own, then few are
CREATE TABLE turning AS SELECT CASE WHEN i < 50000 THEN i ELSE i % 10 END AS k, i / 8.0::float8 AS x FROM generate_series(1, 640000) i;
SELECT c.* FROM pg_temp.compare('SELECT k, gpu_sum(x), gpu_count(*) FROM turning GROUP BY k') c;
SET gpured.debug_scan = require;
SELECT pg_temp.counted('SELECT k, gpu_sum(x) FROM turning GROUP BY k', 'Ungrouped Rows') BETWEEN 1 AND 600000 AS grouped_again;
DROP TABLE turning;

-- a part of the rows has few that repeat, but all together have many
CREATE TABLE repeating AS SELECT abs(hashint4(i) % 100000) AS k, i / 8.0::float8 AS x FROM generate_series(1, 300000) i;
SET work_mem = '64MB';
SELECT c.* FROM pg_temp.compare('SELECT k, gpu_sum(x), gpu_count(*) FROM repeating GROUP BY k') c;
RESET work_mem;
DROP TABLE repeating;

-- Memory stays within work_mem: what it was at most, seen from an argument.  In
-- ExprContexts are states, and also those of the Finalize Aggregate.
CREATE FUNCTION peak(x float8) RETURNS float8 LANGUAGE plpgsql STABLE AS $f$
DECLARE
  now_used bigint;
BEGIN
  IF x::int8 % 256 = 0 THEN
    SELECT sum(total_bytes) INTO now_used FROM pg_backend_memory_contexts WHERE name = ANY (string_to_array(current_setting('peak.names'), ','));
    IF now_used > current_setting('peak.bytes')::bigint THEN
      PERFORM set_config('peak.bytes', now_used::text, false);
    END IF;
  END IF;
  RETURN x;
END $f$;
SET work_mem = '1MB';
SET peak.names = 'gpured groups,gpured keys';
SET peak.bytes = 0;
SELECT count(s) FROM (SELECT tx, gpu_sum(peak(id)) FROM grouped GROUP BY tx) t(tx, s);
SELECT current_setting('peak.bytes')::bigint BETWEEN 500000 AND 1.1 * 1048576 AS within;
SET peak.bytes = 0;
SELECT count(s) FROM (SELECT four, four * 1000003 AS f, gpu_sum(peak(id)) FROM grouped GROUP BY 1, 2) t(four, f, s);
SELECT current_setting('peak.bytes')::bigint BETWEEN 500000 AND 1.1 * 1048576 AS within;
SET peak.names = 'gpured groups,gpured keys,ExprContext';
SET peak.bytes = 0;
SELECT count(n), count(s) FROM (SELECT four, gpu_sum(n), gpu_sum(peak(id)) FROM grouped GROUP BY four) t(four, n, s);
SELECT current_setting('peak.bytes')::bigint BETWEEN 500000 AND 2.5 * 1048576 AS within;
RESET work_mem;
DROP FUNCTION peak;

-- What others' aggregates make of parts that are combined is not known: an initial
-- condition counts twice, and PostgreSQL would not have combined anything.
CREATE FUNCTION add_strictly_not(int8, int8) RETURNS int8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN $1 + $2; END';
CREATE AGGREGATE sum_and_ten(int8) (sfunc = int8pl, stype = int8, initcond = '10', combinefunc = int8pl);
CREATE AGGREGATE sum_and_ten_safe(int8) (sfunc = int8pl, stype = int8, initcond = '10', combinefunc = int8pl, parallel = safe);
CREATE AGGREGATE sum_of_all(int8) (sfunc = int8pl, stype = int8, combinefunc = add_strictly_not);
SELECT sum_and_ten(id) - gpu_sum(id) AS ten, sum_and_ten_safe(id) - gpu_sum(id) AS safe_ten, sum_of_all(id) - gpu_sum(id) AS none FROM grouped;
SELECT count(*), min(ten), max(ten) FROM (SELECT four, sum_and_ten(id) - gpu_sum(id) AS ten FROM grouped GROUP BY four) s;
SELECT a, pg_temp.is_scanned('SELECT ' || a || '(id), gpu_sum(id) FROM grouped') AS scanned FROM unnest('{sum_and_ten,sum_and_ten_safe,sum_of_all,sum}'::text[]) a;
DROP AGGREGATE sum_and_ten(int8), sum_and_ten_safe(int8), sum_of_all(int8);
DROP FUNCTION add_strictly_not;

-- what a qual removes is shown for each loop, as of a sequential scan
CREATE FUNCTION pg_temp.removed(setting text) RETURNS bigint LANGUAGE plpgsql AS $f$
BEGIN
  PERFORM set_config('gpured.debug_scan', setting, true);
  RETURN pg_temp.counted('SELECT v, s FROM (VALUES (1), (7), (400)) v(v), LATERAL (SELECT gpu_sum(i4) AS s FROM grouped WHERE i2 < v OFFSET 0) l', 'Rows Removed by Filter');
END $f$;
SELECT pg_temp.removed('require') = pg_temp.removed('forbid') AS same, pg_temp.removed('require') > 0 AS some;
SELECT pg_temp.counted('SELECT gpu_sum(i4) FROM grouped WHERE i2 < 100', 'Rows Removed by Filter') = (SELECT count(*) FROM grouped WHERE NOT i2 < 100) AS same;

-- what is left to PostgreSQL where nothing is known of how many values a column has, and rows of which a program could not compute something exactly
CREATE TABLE mixed WITH (autovacuum_enabled = off) AS SELECT i, repeat('x', i % 7) AS t, CASE WHEN i = 2007 THEN 12345678901234567.5 ELSE i + 0.5 END AS n FROM generate_series(1, 5000) i;
VACUUM mixed;
SET gpured.debug_scan = require;
SET gpured.offload = off;
EXPLAIN (COSTS OFF) SELECT length(t), gpu_sum(length(t)) FILTER (WHERE t < 'xxx'), gpu_sum(n * n * n), gpu_max(i) FROM mixed WHERE t || 'y' <> 'xxy' AND i > 10 GROUP BY 1;
SELECT pg_temp.counted(q, 'Rows Computed by PostgreSQL') AS computed, pg_temp.counted(q, 'Rows Recomputed by PostgreSQL') AS recomputed
  FROM unnest(ARRAY['SELECT gpu_sum(length(t)) FROM mixed WHERE i > 10', 'SELECT gpu_sum(i) FROM mixed WHERE length(t) > 3', 'SELECT gpu_sum(i % 7) FROM mixed WHERE i * 2 > 7']) q;
SELECT pg_temp.counted(q, 'Rows Computed by PostgreSQL') BETWEEN 1 AND 291 AS computed, pg_temp.counted(q, 'Rows Recomputed by PostgreSQL') BETWEEN 1 AND 291 AS recomputed
  FROM unnest(ARRAY['SELECT gpu_sum(n * n * n) FROM mixed', 'SELECT gpu_sum(i) FROM mixed WHERE n * n * n > 5', 'SELECT gpu_sum(i) FROM mixed WHERE n * n * n > 5 AND i > 10']) q;
DROP TABLE mixed;
-- a program that was not tried on each page is tried again: at most three pages are left to PostgreSQL behind the last that has to be
CREATE TABLE recovered AS SELECT i, CASE WHEN i <= 5000 THEN numeric 'NaN' ELSE i END AS n FROM generate_series(1, 10000) i;
VACUUM ANALYZE recovered;
SELECT pg_temp.counted('SELECT gpu_sum(n * n) FROM recovered WHERE i > 10', 'Rows Recomputed by PostgreSQL') BETWEEN 4990 AND 4990 + 4 * 291 AS recomputed;
DROP TABLE recovered;

-- numerics that have no representation of 64 bits, compared with constants: by their sign, if that is enough
CREATE TABLE beyond AS
  SELECT i, CASE WHEN i % 20 < 14 THEN (ARRAY['NaN', 'Infinity', '-Infinity', 1e20, -1e20, 1e30, -1e30, 1e300, -1e300, 12345678901234567890123.5, -12345678901234567890123.5,
                 9223372036854775807, -9223372036854775807, 9e18]::numeric[])[i % 20 + 1] ELSE round(i / 7.0, i % 5) END AS n
    FROM generate_series(1, 5000) i;
INSERT INTO beyond SELECT i, (ARRAY[99999999999999999999, -99999999999999999999, 9223372036854775808, -9223372036854775808, -9223372036854775809, 1e-30, 0, NULL]::numeric[])[i] FROM generate_series(1, 8) i;
VACUUM ANALYZE beyond;
CREATE FUNCTION pg_temp.passed(qual text, setting text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
  result text;
BEGIN
  PERFORM set_config('gpured.debug_scan', setting, true);
  EXECUTE 'SELECT gpu_sum(i)::text || '' '' || gpu_count(*) || '' '' || gpu_count(*) FILTER (WHERE NOT ' || qual || ') FROM beyond WHERE ' || qual || ' OR i < 3' INTO result;
  RETURN result;
END $f$;
SELECT count(*), count(*) FILTER (WHERE pg_temp.passed(q, 'require') = pg_temp.passed(q, 'forbid')) AS same
  FROM unnest('{3,-3,0,0.1,1e18,9223372036854775806,9223372036854775807,-9223372036854775807,-9223372036854775808,1e19,1e20,-1e20,1e25,NaN,Infinity,-Infinity}'::numeric[]) c,
       unnest('{<,<=,=,>=,>,<>}'::text[]) o, LATERAL (VALUES (format('(n %s %L::numeric)', o, c)), (format('(%L::numeric %s n)', c, o))) v(q);
SELECT q, pg_temp.counted(q, 'Rows Recomputed by PostgreSQL') AS recomputed
  FROM unnest(ARRAY['SELECT gpu_sum(i) FROM beyond WHERE i > 8 AND n < 3', 'SELECT gpu_sum(i) FROM beyond WHERE i > 8 AND 3 >= n', 'SELECT gpu_sum(i) FROM beyond WHERE i > 8 AND (n = 3 OR n BETWEEN 7 AND 100)']) q;
DROP TABLE beyond;
DROP TABLE grouped, queries;
