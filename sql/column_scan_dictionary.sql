-- Expressions of columns with few values, which are computed once for each of them.  Every
-- query is asked with and without the column scan, of a table whose statistics say that there
-- are few values, where that is so, and of one where it no longer is.
SELECT gpured_version() IS NOT NULL AS loaded;
\getenv abs_srcdir PG_ABS_SRCDIR
\set functions :abs_srcdir '/test/column_scan.sql'
\set ECHO none
\i :functions
\set ECHO all
SET TimeZone = 'Europe/Berlin';
CREATE TYPE feeling AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE few (id int4, k int2, tx text, vc varchar(20), bc char(6), n numeric, f float8, b bool, d date, ts timestamptz, iv interval, u uuid, e feeling, by bytea, na name, j jsonb, a text[]) WITH (autovacuum_enabled = off);
INSERT INTO few SELECT i, nullif(i % 23, 5), (ARRAY['new', '', 'shipped', 'a longer value than two words', NULL, 'New', chr(228) || 'pfel', repeat('x', 7), repeat('y', 8)])[i % 9 + 1],
    'v' || i % 40, (ARRAY['a', 'b', 'abcdef', NULL])[i % 4 + 1], (ARRAY[1.50, 1.5, NULL, 12345678901234567890.5, -3, 'NaN'])[i % 6 + 1], (ARRAY[0, -0.0, 'NaN', 2.25, NULL, 'Infinity'])[i % 6 + 1]::float8, (ARRAY[true, false, NULL])[i % 3 + 1],
    date '2020-01-30' + i % 60, timestamptz '2020-03-29 00:30 UTC' + i % 50 * interval '17 min', i % 12 * interval '1 mon -2 days', md5((i % 30)::text)::uuid, (ARRAY['sad', 'ok', NULL, 'happy'])[i % 4 + 1]::feeling, decode(md5((i % 20)::text), 'hex'),
    'n' || i % 17, jsonb_build_object('k', i % 13, 's', 's' || i % 7), ARRAY['p' || i % 5, NULL, 'q' || i % 6]
  FROM generate_series(1, 3000) i;
VACUUM ANALYZE few;
-- then many values, some of them large, and compressed or out of line
CREATE TABLE wrong (LIKE few) WITH (autovacuum_enabled = off);
INSERT INTO wrong SELECT * FROM few;
ANALYZE wrong;
INSERT INTO wrong SELECT id + 10000, (id % 1000)::int2, 't' || id, 'w' || id, 'c' || id % 1000, id / 7.0, id / 7.0, b, d + id, ts + id * interval '1 min', iv + id * interval '1 s', md5(id::text)::uuid, e, decode(md5(id::text), 'hex'), 'm' || id, jsonb_build_object('k', id), ARRAY['p' || id] FROM few, generate_series(1, 2);
INSERT INTO wrong (id, tx, vc) SELECT 20000 + i, repeat('large', 1000 * i), 'v1' FROM generate_series(1, 20) i;
INSERT INTO wrong (id, tx) SELECT 30000 + i, string_agg(md5((i * 1000 + j)::text), '') FROM generate_series(1, 20) i, generate_series(1, 200) j GROUP BY i;

CREATE TABLE query (id serial, text text);
-- conditions: as a qual, as a filter, as a key, and between others
INSERT INTO query (text) SELECT format(shape, qual)
  FROM unnest(ARRAY['upper(tx) = ''NEW''', 'tx ~ ''^n''', 'tx ILIKE ''%P%''', 'tx LIKE ''_e%''', 'tx > ''n'' COLLATE "C"', 'length(tx) > 3', 'length(tx) / 2 = 1', 'tx || vc > ''newv2''', 'substr(vc, 2)::int4 % 3 = 1', 'position(''e'' in tx) > 0', 'tx IN (''new'', ''New'', NULL)', 'tx NOT IN (''new'', ''shipped'')', 'tx = ''new'' OR tx = ''shipped'' OR tx IS NULL',
      '(tx COLLATE "C") BETWEEN ''a'' AND ''o''', 'starts_with(tx, ''n'') IS NOT TRUE', 'CASE tx WHEN ''new'' THEN true WHEN '''' THEN NULL ELSE false END', 'CASE WHEN tx = '''' THEN false ELSE 10 / length(tx) > 2 END', 'length(tx) > 0 AND 20 / length(tx) > 3', 'rtrim(bc) || ''!'' = ''a!''', 'bc::text || ''|'' = ''a|''', 'length(bc) = 1', 'bc LIKE ''%b_d%''',
      'n::text = ''1.50''', 'scale(n) = 2', 'sqrt(abs(n)) > 1.2', 'f::text = ''-0''', '1 / nullif(f, 0) > 0', 'to_char(d, ''YYYY-MM'') = ''2020-02''', 'to_char(ts, ''HH24'') = ''03''', 'isfinite(d) AND d::text > ''2020-02-15''', 'extract(isoyear FROM d) = 2020', 'iv::text LIKE ''%days%''', 'u::text > ''8''', 'e > ''sad''', 'e::text = ''ok''', 'enum_range(NULL, e)::text = ''{sad,ok}''',
      'encode(by, ''hex'') > ''8''', 'md5(by) < ''8''', 'na > ''n3''', 'na::text || ''x'' = ''n1x''', '(j->>''k'')::int4 > 5', 'jsonb_contains(j, ''{"s": "s3"}'')', 'a[3] = ''q1''', 'a[2] IS NULL', '''p1'' = ANY (a)', 'cardinality(a) > 2', 'k::text LIKE ''%1%''', 'chr(k + 60) > ''C'' COLLATE "C"', '(b::text || ''s'') = ''trues''', 'upper(tx) = ''NEW'' AND lower(vc) = ''v9''',
      'tx || (SELECT ''x'') = ''newx''', 'current_setting(''TimeZone'') || tx > ''E'' COLLATE "C"']) qual,
       unnest(ARRAY['SELECT gpu_count(*), gpu_sum(id), gpu_max(tx), gpu_min(k) FROM @ WHERE %s', 'SELECT gpu_count(*) FILTER (WHERE %s), gpu_sum(id) FILTER (WHERE %1$s) FROM @', 'SELECT %s, gpu_count(*) FROM @ GROUP BY 1', 'SELECT gpu_sum(id) FROM @ WHERE mod(id, 3) < 2 AND (%s) AND id + k > 60 AND (%1$s)']) shape;
-- values: of every type that has a representation, and of one that has none
INSERT INTO query (text) SELECT format(shape, value)
  FROM unnest(ARRAY['length(tx)', 'upper(tx)', 'substr(vc, 1, 2)', 'left(tx, -1)', 'ascii(vc)::int2', 'hashtext(tx)::int8', 'length(tx) * 1.5', 'length(tx)::numeric', 'n::text::numeric', 'n || ''1''', 'length(tx)::float4', '(''3.'' || length(tx))::float8', 'to_date(''2020-01-'' || length(vc), ''YYYY-MM-DD'')', '(''2020-02-0'' || length(vc))::timestamp', 'timezone(''UTC'', ts)::text',
      '(length(tx) || '' days'')::interval', 'md5(tx)::uuid', 'right(vc, 1)::char(3)', 'decode(md5(tx), ''hex'')', 'to_char(d, ''Mon'')', 'length(vc)::text::money', 'CASE tx WHEN ''new'' THEN ''N'' WHEN ''shipped'' THEN vc ELSE ''?'' END', 'CASE WHEN tx IN (''new'', ''New'') THEN tx END', 'CASE k WHEN 3 THEN chr(k + 60) ELSE upper(vc) END', 'coalesce(lower(tx), bc)', 'nullif(upper(tx), ''NEW'')', 'reverse(bc)', 'j->''k''', 'string_to_array(tx, ''e'')', 'repeat(vc, 3000)']) value,
       unnest(ARRAY['SELECT gpu_count(%s), gpu_max((%1$s)::text) FROM @', 'SELECT %s, gpu_count(*), gpu_sum(id) FROM @ GROUP BY 1', 'SELECT gpu_min((%s)::text), gpu_count(%1$s) FROM @ WHERE id %% 3 = 0 GROUP BY k', 'SELECT %s, gpu_count(*) FROM @ WHERE id %% 5 > 1 AND upper(vc) < ''V3'' GROUP BY 1']) shape;
INSERT INTO query (text) SELECT format('SELECT gpu_sum(%s), gpu_avg(%1$s), gpu_max(%1$s), gpu_min(%1$s) FROM @', value) FROM unnest(ARRAY['length(tx)', 'ascii(vc)::int2', 'hashtext(tx)::int8', 'length(tx) * 1.5', 'n::text::numeric', 'length(tx)::float4', 'sqrt(length(tx))', '(''3.'' || length(tx))::float8', '(length(tx) || '' days'')::interval']) value;
-- errors: the same ones, or none
INSERT INTO query (text) SELECT unnest(ARRAY['SELECT gpu_sum(10 / length(tx)) FROM @', 'SELECT gpu_sum(tx::int4) FROM @', 'SELECT gpu_sum(id) FROM @ WHERE 10 / length(tx) > 1', 'SELECT gpu_sum(id) FROM @ WHERE length(tx) > 0 AND 10 / length(tx) > 1', 'SELECT gpu_sum(10 / length(tx)) FROM @ WHERE tx <> ''''',
  'SELECT gpu_sum(10 / length(tx)) FILTER (WHERE tx <> '''') FROM @', 'SELECT gpu_sum(10 / (k - 3)), gpu_sum(10 / length(tx)) FROM @', 'SELECT gpu_sum(10 / length(tx)), gpu_sum(10 / (k - 3)) FROM @', 'SELECT gpu_sum(id) FROM @ WHERE 10 / (k - 3) > 0 OR 10 / length(tx) > 1', 'SELECT gpu_sum(substr(tx, 1, length(vc) - 3)::int4) FROM @', 'SELECT gpu_count(*) FROM @ WHERE tx ~ ''(''', 'SELECT gpu_count(*) FROM @ WHERE tx LIKE ''n\''',
  'SELECT CASE WHEN tx = '''' THEN 0 ELSE 10 / length(tx) END, gpu_count(*) FROM @ GROUP BY 1', 'SELECT coalesce(length(bc), 1 / length(tx)), gpu_count(*) FROM @ GROUP BY 1', 'SELECT gpu_count(*) FROM @ WHERE id < 0 AND 1 / length(tx) > 0', 'SELECT gpu_count(*) FROM @ WHERE to_timestamp(tx, ''YYYY'') > now()']);
ANALYZE query;

SELECT count(*) AS asked FROM query;
SELECT text FROM query WHERE pg_temp.scans(replace(text, '@', 'few')) IS DISTINCT FROM 1 ORDER BY id;
SET gpured.offload = off;
SELECT text, r AS table, pg_temp.rows_of(replace(text, '@', r), 'forbid') AS without, pg_temp.rows_of(replace(text, '@', r), 'require') AS with FROM query, unnest(ARRAY['few', 'wrong']) r
  WHERE pg_temp.rows_of(replace(text, '@', r), 'forbid') IS DISTINCT FROM pg_temp.rows_of(replace(text, '@', r), 'require') ORDER BY id;
SELECT count(*) AS errors FROM query WHERE pg_temp.rows_of(replace(text, '@', 'few'), 'require') ~ '^[0-9A-Z]{5} ';

-- PostgreSQL has computed something for a few rows, and everything where there are too many values
SELECT text, pg_temp.by_postgres(replace(text, '@', 'few')) BETWEEN 1 AND 1000 AS few, pg_temp.by_postgres(replace(text, '@', 'wrong')) > 2000 AS wrong
  FROM (VALUES ('SELECT gpu_sum(id) FROM @ WHERE upper(tx) = ''NEW'''), ('SELECT substr(vc, 1, 2), gpu_sum(id) FROM @ GROUP BY 1'), ('SELECT gpu_sum(length(tx)) FROM @')) v(text);
-- nothing, where a program can compute what is not known yet
SELECT pg_temp.by_postgres('SELECT gpu_sum(id) FROM few WHERE tx IN (''new'', ''New'')');
-- nor has a column a dictionary that has many values, or of which nothing is known, or an expression that is volatile or has another column
SET gpured.debug_scan = require;
EXPLAIN (COSTS OFF) SELECT upper(tx), gpu_sum(length(vc)) FROM few WHERE vc ~ '1' AND bc || tx <> 'x' AND upper(bc) <> 'X' GROUP BY 1;
EXPLAIN (COSTS OFF) SELECT gpu_sum(id) FROM few WHERE id::text LIKE '_1%';
CREATE TABLE unknown WITH (autovacuum_enabled = off) AS SELECT * FROM few WHERE id < 100;
EXPLAIN (COSTS OFF) SELECT gpu_sum(id) FROM unknown WHERE upper(tx) = 'NEW';
EXPLAIN (COSTS OFF) SELECT gpu_sum(id) FROM few WHERE random()::text || tx <> 'x';
RESET gpured.debug_scan;

-- parameters may change, and with them the results
SELECT setting, r FROM unnest(ARRAY['forbid', 'require']) setting, pg_temp.rows_of('SELECT v, s, c FROM (VALUES (''n''), (''s''), (''N''), (NULL)) v(v), LATERAL (SELECT gpu_sum(id) AS s, gpu_count(upper(tx || v)) AS c FROM few WHERE starts_with(tx, v) OFFSET 0) l', setting) r;
PREPARE starts(text, text) AS SELECT gpu_sum(id), gpu_count(*) FILTER (WHERE position($2 in vc) > 0) FROM few WHERE starts_with(tx, $1);
SET plan_cache_mode = force_generic_plan;
SET gpured.debug_scan = require;
EXECUTE starts('n', '1');
EXECUTE starts('s', '2');
SET gpured.debug_scan = forbid;
EXECUTE starts('n', '1');
EXECUTE starts('s', '2');
RESET plan_cache_mode;
-- a function that is called once for each value, and after that no more
CREATE SEQUENCE calls;
CREATE FUNCTION called(text) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $f$ BEGIN PERFORM nextval('calls'); RETURN length($1); END $f$;
SET gpured.debug_scan = require;
SELECT gpu_sum(called(vc)) FROM few;
SELECT last_value BETWEEN 40 AND 1000 AS few FROM calls;
SET gpured.debug_scan = forbid;
SELECT gpu_sum(called(vc)) FROM few;
SELECT last_value > 3000 AS all FROM calls;
-- permission is asked for, though no row need arrive
CREATE ROLE dictionary_reader;
GRANT SELECT ON few TO dictionary_reader;
REVOKE EXECUTE ON FUNCTION called FROM PUBLIC;
SET ROLE dictionary_reader;
SET gpured.debug_scan = require;
SELECT gpu_sum(called(vc)) FROM few WHERE id < 0;
RESET ROLE;
-- but of the user who opened a cursor, not of the one who fetches from it
GRANT USAGE ON SEQUENCE calls TO dictionary_reader;
BEGIN;
DECLARE opened CURSOR FOR SELECT gpu_sum(called(vc)) FROM few;
SET LOCAL ROLE dictionary_reader;
FETCH opened;
ROLLBACK;

-- the results of one scan after another, which would be too many together
SELECT pg_temp.rows_of(q, 'forbid') = pg_temp.rows_of(q, 'require') AS same, pg_temp.by_postgres(q) BETWEEN 1 AND 20000 AS few FROM (VALUES ('SELECT i, length(m), left(m, 9) FROM generate_series(1, 40) i, LATERAL (SELECT gpu_max(repeat(vc || i, 1500)) AS m FROM few OFFSET 0) l')) v(q);

-- values of which the first rows have hardly one twice; and more than a dictionary has
CREATE TABLE several WITH (autovacuum_enabled = off) AS SELECT 's' || i % 3000 AS tx FROM generate_series(1, 40000) i;
VACUUM ANALYZE several;
SELECT pg_temp.rows_of(q, 'forbid') = pg_temp.rows_of(q, 'require') AS same, pg_temp.by_postgres(q) BETWEEN 3000 AND 6000 AS few FROM (VALUES ('SELECT gpu_max(upper(tx)), gpu_sum(length(tx)) FROM several')) v(q);
INSERT INTO several SELECT 'u' || i FROM generate_series(1, 70000) i;
INSERT INTO several SELECT 's' || i % 3000 AS tx FROM generate_series(1, 5000) i;
SELECT pg_temp.rows_of(q, 'forbid') = pg_temp.rows_of(q, 'require') AS same, pg_temp.by_postgres(q) BETWEEN 77000 AND 81000 AS given_up FROM (VALUES ('SELECT gpu_max(upper(tx)), gpu_sum(length(tx)) FROM several')) v(q);

-- values that are stored compressed, and are made complete for the groups' keys
CREATE TABLE squeezed (tx text, pad text) WITH (autovacuum_enabled = off, toast_tuple_target = 128);
ALTER TABLE squeezed ALTER pad SET STORAGE EXTERNAL;
INSERT INTO squeezed SELECT repeat('abc', 300 + i % 3), repeat('x', 3000) FROM generate_series(1, 1000) i;
VACUUM ANALYZE squeezed;
SELECT pg_temp.rows_of(q, 'forbid') = pg_temp.rows_of(q, 'require') AS same, pg_temp.rows_of(q, 'require') FROM (VALUES ('SELECT length(tx), gpu_max(pg_column_size(tx)) < 100 AS compressed, gpu_max(upper(left(tx, 3))) FROM squeezed GROUP BY tx')) v(q);

-- partitions have dictionaries of their own, for columns with other numbers
CREATE TABLE parted (id int4, t text, s text) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (3000);
CREATE TABLE parted_2 (s text, dropped int, t text, id int4);
ALTER TABLE parted_2 DROP dropped;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (3000) TO (10000);
INSERT INTO parted SELECT i, 't' || i % 12, 's' || i % 5 FROM generate_series(1, 6000) i;
VACUUM ANALYZE parted;
SELECT pg_temp.scans('SELECT upper(t), gpu_sum(length(s)) FROM parted WHERE s ~ ''[1-3]'' GROUP BY 1') AS scans;
SELECT pg_temp.rows_of(q, 'forbid') = pg_temp.rows_of(q, 'require') AS same, pg_temp.by_postgres(q) BETWEEN 1 AND 1000 AS few FROM (VALUES ('SELECT upper(t), gpu_sum(length(s)) FROM parted WHERE s ~ ''[1-3]'' GROUP BY 1')) v(q);
-- and so have workers
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET gpured.debug_scan = require;
ALTER TABLE few SET (parallel_workers = 2);
EXPLAIN (COSTS OFF) SELECT upper(tx), gpu_sum(length(vc)) FROM few WHERE vc ~ '1' GROUP BY 1;
SELECT pg_temp.rows_of(q, 'forbid') = pg_temp.rows_of(q, 'require') AS same FROM (VALUES ('SELECT upper(tx), gpu_sum(length(vc)) FROM few WHERE vc ~ ''1'' GROUP BY 1')) v(q);
DROP TABLE few, wrong, unknown, query, several, squeezed, parted;
DROP FUNCTION called;
DROP SEQUENCE calls;
DROP TYPE feeling;
DROP ROLE dictionary_reader;
