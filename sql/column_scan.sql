-- The column scan: every query is asked with it and without it, and must give the
-- same rows or the same error.  The table has what tables come to have: NULLs,
-- columns that were dropped or added with a default, dead, updated and toasted rows.
SELECT gpured_version() IS NOT NULL AS loaded;
\getenv abs_srcdir PG_ABS_SRCDIR
\set functions :abs_srcdir '/test/column_scan.sql'
\set ECHO none
\i :functions
\set ECHO all
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE scanned (i2 int2, gone text, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, b bool, d date, t time, tz timetz, ts timestamp,
  tstz timestamptz, iv interval, m money, o oid, e mood, u uuid, tx text, bc char(8), ip inet, bi bit(8), td tid, a int[], ls pg_lsn, x8 xid8, k int4, nn int4 NOT NULL);
INSERT INTO scanned SELECT CASE WHEN i % 7 > 0 THEN i % 200 - 100 END, repeat('x', i % 20), CASE WHEN i % 11 > 0 THEN i * 7919 % 20011 - 10000 END,
    CASE WHEN i % 5 > 0 THEN (i * 7919::int8) * 1000003 % 20000000000 - 10000000000 END,
    CASE i % 13 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN '-0' WHEN 3 THEN '-Infinity' ELSE (i % 1000) / 7.0 END,
    CASE i % 17 WHEN 0 THEN NULL WHEN 1 THEN '-0' WHEN 2 THEN 0 ELSE (i * 7919 % 10007) / 13.0 - 100 END,
    CASE i % 19 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 1e30 ELSE round((i * 31 % 50000) / 97.0, i % 6) END,
    nullif(i % 3, 2) = 0, date '2020-01-01' + i % 365, time '00:00' + i % 1000 * interval '1 min', timetz '01:00+01' + i % 500 * interval '1 min',
    timestamp '2020-01-01' + i * interval '37 min', nullif(i % 23, 0) * interval '1 h' + timestamptz '2020-01-01 UTC', i % 40 * interval '1 day 7 min' - interval '2 mons',
    (i % 1000)::money, i % 100, (ARRAY['sad', 'ok', 'happy', NULL])[i % 4 + 1]::mood, md5((i % 50)::text)::uuid, CASE WHEN i % 9 > 0 THEN md5((i % 60)::text) END,
    'c' || i % 15, ('10.0.' || i % 4 || '.' || i % 200)::inet, (i % 256)::bit(8), ('(' || i % 9 || ',' || i % 5 + 1 || ')')::tid, ARRAY[i % 3, i % 4], ('0/' || to_hex(i))::pg_lsn,
    (i % 77)::text::xid8, i % 10, i
  FROM generate_series(1, 1200) i;
ALTER TABLE scanned DROP COLUMN gone;
ALTER TABLE scanned ALTER COLUMN tx SET STORAGE EXTERNAL, ALTER COLUMN n SET STORAGE EXTERNAL, SET (toast_tuple_target = 128);
ALTER TABLE scanned ADD COLUMN df float8 DEFAULT 2.5, ADD COLUMN dt text DEFAULT 'default', ADD COLUMN dn int;
INSERT INTO scanned (i4, f8, df, dt, dn, k, nn, tx, n) SELECT i, i / 3.0, i, NULL, i, i % 3, i, repeat(md5(i::text), 100), CASE WHEN i < 4 THEN (i || repeat('7', 500))::numeric END FROM generate_series(1, 50) i;
INSERT INTO scanned (i4, f8, k, nn, tx) SELECT i, i / 3.0, i % 3, i, repeat(md5((i % 5)::text), 40) FROM generate_series(1, 50) i;
ALTER TABLE scanned ALTER COLUMN tx SET STORAGE EXTENDED, RESET (toast_tuple_target);
INSERT INTO scanned (i4, f8, k, nn, tx) SELECT i, i / 3.0, i % 3, i, repeat(md5((i % 7)::text), 100) FROM generate_series(1, 50) i;
UPDATE scanned SET i8 = -i8, k = k + 1, dn = nn % 50 WHERE nn % 6 = 0;
DELETE FROM scanned WHERE nn % 31 = 5;
VACUUM ANALYZE scanned;
SELECT pg_table_size(reltoastrelid) > 0 AS is_toasted FROM pg_class WHERE oid = 'scanned'::regclass;
UPDATE scanned SET f8 = f8 + 1 WHERE nn % 97 = 3;
BEGIN; DELETE FROM scanned WHERE nn < 1000; ROLLBACK;


-- every aggregate of every type, plain, with FILTER, in groups; float keys and others
CREATE TABLE query (id serial, text text);
INSERT INTO query (text)
  SELECT format(shape, call)
    FROM (SELECT format('%s(%s)', p.proname, string_agg(a.attname, ', ' ORDER BY ord)) AS call
            FROM pg_depend dep JOIN pg_proc p ON p.oid = dep.objid JOIN pg_aggregate g ON g.aggfnoid = p.oid,
                 LATERAL unnest(p.proargtypes) WITH ORDINALITY arg (type, ord),
                 LATERAL (SELECT attname FROM pg_attribute WHERE attrelid = 'scanned'::regclass AND attnum > 0 AND NOT attisdropped AND
                            (atttypid = arg.type OR (arg.type = 'anyarray'::regtype AND attname = 'a') OR (arg.type = 'anyenum'::regtype AND attname = 'e') OR
                             (arg.type = '"any"'::regtype AND attname = 'tx')) ORDER BY (attname = 'df') = (ord = 1), attname LIMIT 1) a
           WHERE dep.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpured') AND dep.deptype = 'e' AND dep.classid = 'pg_proc'::regclass AND p.proname !~ 'prefix'
           GROUP BY p.oid, p.proname) c,
         unnest(ARRAY['SELECT %1$s FROM scanned', 'SELECT %1$s FILTER (WHERE i4 > 0), gpu_count(*) FROM scanned WHERE k <> 3', 'SELECT k, b, %1$s FROM scanned GROUP BY k, b']) shape;
INSERT INTO query (text) SELECT format('SELECT %1$s, gpu_sum(f8), gpu_avg(f8), gpu_count(%1$s), gpu_max(i4) FROM scanned GROUP BY %1$s', attname)
  FROM pg_attribute WHERE attrelid = 'scanned'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('td', 'f4', 'f8', 'n');
SELECT count(*) > 300 AS many, count(*) FILTER (WHERE (pg_temp.scans(text) > 0) IS NOT TRUE) AS not_scanned FROM query;
SELECT text, pg_temp.rows_of(text, 'forbid') AS without, pg_temp.rows_of(text, 'require') AS with FROM query
 WHERE pg_temp.rows_of(text, 'forbid') IS DISTINCT FROM pg_temp.rows_of(text, 'require');
TRUNCATE query;

-- quals, expressions and the places of aggregates
INSERT INTO query (text)
  SELECT 'SELECT gpu_count(*), gpu_sum(i4), gpu_sum(f8), gpu_min(nn) FROM scanned WHERE ' || qual
    FROM unnest(ARRAY['i4 > 0', '0 < i4', 'i2 = 5::int8', 'i8 <= i4', 'i8 >= 0::int2', 'f8 < 0.5', 'f8 <> 0', 'f8 = -0.0', 'f4 = ''NaN''', 'f4 <> ''NaN''', 'f4 < ''NaN''', 'f4 >= ''NaN''',
      'f4 > 3.5::float8', 'f4 <= 3.5::float4', 'NOT f4 <= 3.5', 'f4 > f8', 'f4 = f8', 'f8 < ''Infinity''', 'd >= ''2020-06-01''', 'd BETWEEN ''2020-02-01'' AND ''2020-03-01''', 't < ''05:00''',
      'ts > ''2020-02-02''', 'tstz < ''2020-01-01 12:00 UTC''', 'tstz < now()', 'ts > d', 'm > ''5''', 'o = 7', 'o > 3000000000', 'b', 'NOT b', 'b IS TRUE', 'b IS NOT FALSE', 'b = false', 'b < (i4 > 0)',
      'i4 IS NULL', 'i4 IS NOT NULL AND i2 IS NULL', 'tx IS NULL', 'tx = md5(''7'')', 'tx LIKE ''a%''', 'bc = ''c3''', 'e = ''ok''', 'e > ''sad''', 'u = md5(''9'')::uuid', 'i4 IN (1, 5, 9, 17, 200)',
      'i4 NOT IN (1, 5, 9)', 'i4 IN (1, NULL, 7)', 'i4 NOT IN (1, NULL)', 'i4 = ANY (''{}''::int[])', 'i4 <> ALL (''{}''::int[])', 'f8 = ANY (''{0,NaN,1}'')', 'f4 = ANY (''{NaN,1}'')', 'o IN (1, 2)',
      'i4 > NULL', 'i4 IS DISTINCT FROM i2', 'i4 > 0 AND f8 > 0', 'i4 > 0 OR f8 > 0', 'NOT (i4 > 0 OR f8 > 0)', 'NOT (i4 > 0 AND (f8 > 0 OR b))', 'i4 > 0 OR NULL', '(i4 > 0) IS NULL', 'i4 > 0 OR b IS NULL',
      'i4 > 0 AND NULL', 'i4 / nullif(i2, 0) > 3', 'i2 <> 0 AND i4 / i2 > 3', 'i4 / i2 > 3', 'abs(i4) % 3 = 1', 'n > 100', 'n = ''NaN''', 'iv > ''3 days''', 'ip << ''10.0.1.0/24''', 'a = ''{1,1}''',
      'CASE WHEN i2 = 0 THEN false ELSE 100 / i2 > 5 END', 'coalesce(i4, i2, 0) > 50', 'greatest(i4, i2) < 0', 'df = 2.5', 'dt = ''default''', 'dt IS NULL', 'dn IS NOT NULL', 'length(tx) > 100',
      'true', 'false', 'now() < ''2000-01-01''', 'i4 BETWEEN 10 AND 2000 AND k IN (1, 2, 3) AND f8 > 1', 'date_trunc(''month'', ts) = ''2020-02-01''', 'extract(hour FROM ts) < 5']) qual;
INSERT INTO query (text)
  SELECT * FROM unnest(ARRAY[
    'SELECT gpu_sum(i4 + i2), gpu_sum(i4 * 2.5), gpu_avg(i8 - 1), gpu_max(-f8), gpu_min(abs(i4)), gpu_sum(i4 % 7), gpu_sum(floor(f8)), gpu_sum(round(n, 1)) FROM scanned',
    'SELECT gpu_sum(i4 - i2), gpu_sum(i8 + i4), gpu_max(i2 * i2), gpu_sum(i4::int8 * i2), gpu_avg(f8 * 2 - f4), gpu_sum(f8 / 3), gpu_min(-i4), gpu_sum(abs(i2)), gpu_sum(i4 / 7), gpu_sum(i8 % 1000), gpu_sum(i2::float8 + i4) FROM scanned',
    'SELECT gpu_sum(i2::int8 / (i4 - 5)) FILTER (WHERE i4 > 5 AND b) FROM scanned', 'SELECT gpu_sum(i4 * i4) FROM scanned WHERE i4 < 10000', 'SELECT gpu_max(i4 * 300000) FROM scanned', 'SELECT gpu_max(i4 * 300000) FILTER (WHERE abs(i4) < 7000) FROM scanned', 'SELECT gpu_sum((i4 * 300)::int2) FROM scanned',
    'SELECT gpu_sum(f8 / df), gpu_sum(f8 * 1e-320), gpu_count(f8 * 1e300) FROM scanned', 'SELECT gpu_max(f8 * 1e307) FROM scanned', 'SELECT gpu_sum(f8 / (f8 - f8)) FROM scanned', 'SELECT gpu_sum(f8 / f8) FILTER (WHERE f8 <> 0) FROM scanned', 'SELECT gpu_max(f4::float8 * 2), gpu_min(f4 + f8) FROM scanned',
    'SELECT i4 % 7, -i2, i2 + i4, gpu_count(*) FROM scanned GROUP BY 1, 2, 3', 'SELECT date_trunc(''hour'', tstz), date_trunc(''day'', ts), gpu_sum(f8) FROM scanned GROUP BY 1, 2', 'SELECT date_trunc(''MINUTE'', tstz), gpu_count(*) FROM scanned GROUP BY 1', 'SELECT date_trunc(''second'', ts), date_trunc(''week'', ts), gpu_count(*) FROM scanned GROUP BY 1, 2', 'SELECT date_trunc(''fortnight'', ts), gpu_count(*) FROM scanned GROUP BY 1',
    'SELECT o.k, (SELECT gpu_sum(i4 * 2) FILTER (WHERE s.k = o.k OR b) FROM scanned s) FROM (VALUES (1), (2), (NULL), (99)) o(k)',
    'SELECT gpu_sum(i4 / i2) FROM scanned', 'SELECT gpu_sum(i2 * i2 * i2 * i2) FROM scanned', 'SELECT gpu_sum(i2 * 400::int2) FROM scanned', 'SELECT gpu_sum(1 / i2) FILTER (WHERE i2 <> 0) FROM scanned',
    'SELECT gpu_sum(CASE WHEN i2 <> 0 THEN 100 / i2 END) FROM scanned', 'SELECT gpu_sum(100 / i2) FROM scanned WHERE i2 <> 0', 'SELECT gpu_sum(i4), gpu_sum(i4) FILTER (WHERE b), gpu_avg(i4) FILTER (WHERE b), gpu_count(*) FILTER (WHERE NULL) FROM scanned',
    'SELECT gpu_sum(i4), sum(i4), avg(i4), count(*), max(tx), bool_and(b) FROM scanned', 'SELECT k % 3, gpu_sum(f8), gpu_count(tx) FROM scanned GROUP BY k % 3',
    'SELECT k, k % 3, gpu_sum(f8) FROM scanned GROUP BY k', 'SELECT k % 3 + 1, gpu_sum(f8) FROM scanned GROUP BY k % 3', 'SELECT gpu_sum(f8) FROM scanned GROUP BY k', 'SELECT gpu_sum(f8) FROM scanned GROUP BY k, tx, b HAVING gpu_count(*) > 3',
    'SELECT k, gpu_sum(f8) FROM scanned GROUP BY k HAVING gpu_sum(i4) > 0 AND k < 5', 'SELECT k, gpu_sum(f8) FROM scanned GROUP BY k HAVING false', 'SELECT k, gpu_sum(f8) FROM scanned WHERE k = 5 GROUP BY k',
    'SELECT gpu_sum(f8) FROM scanned WHERE k = 5 GROUP BY k', 'SELECT gpu_sum(f8) FROM scanned WHERE k = 5000 GROUP BY k', 'SELECT gpu_sum(f8), gpu_count(*), gpu_max(d) FROM scanned WHERE k = 5000', 'SELECT k, gpu_sum(f8) FROM scanned WHERE false GROUP BY k',
    'SELECT gpu_sum(f8) FROM scanned HAVING gpu_count(*) > 100000', 'SELECT f8 = 0 AS zero, gpu_count(*) FROM scanned GROUP BY f8 = 0', 'SELECT f8, gpu_count(*), gpu_sum(i4) FROM scanned WHERE f8 = 0 GROUP BY f8', 'SELECT f4::text, gpu_count(*) FROM scanned GROUP BY f4::text',
    'SELECT n::text, gpu_count(*) FROM scanned WHERE n < 3 GROUP BY n::text', 'SELECT gpu_sum(n), gpu_count(*) FROM scanned WHERE n < 3 GROUP BY n', 'SELECT gpu_sum(gpu) FROM (SELECT k, gpu_sum(i4) gpu FROM scanned GROUP BY k) s', 'SELECT GROUPING(k), k, gpu_sum(i4) FROM scanned GROUP BY k',
    'SELECT k, gpu_sum(i4), rank() OVER (ORDER BY gpu_sum(i4)) FROM scanned GROUP BY k', 'SELECT DISTINCT gpu_count(*) % 2 FROM scanned GROUP BY k', 'SELECT gpu_sum(i4) FROM scanned GROUP BY k ORDER BY k LIMIT 3', 'SELECT k, gpu_max(i4) FROM scanned GROUP BY 1 ORDER BY 2 DESC OFFSET 2',
    'SELECT date_trunc(''month'', tstz), gpu_sum(f8) FROM scanned GROUP BY 1', 'SELECT d, e, u, bc, iv, gpu_count(*) FROM scanned GROUP BY 1, 2, 3, 4, 5', 'SELECT a, ip, gpu_sum(f8) FROM scanned GROUP BY a, ip', 'SELECT tx, gpu_sum(f8), gpu_count(*) FROM scanned GROUP BY tx',
    'SELECT o.k, (SELECT gpu_sum(i4) FROM scanned s WHERE s.k = o.k) FROM (VALUES (1), (2), (NULL), (99)) o(k)', 'SELECT o.k, l.* FROM (VALUES (1), (2), (77)) o(k), LATERAL (SELECT gpu_sum(i4 + o.k), gpu_count(*) FROM scanned s WHERE s.i2 > o.k) l',
    'SELECT o.k, l.* FROM (VALUES (1), (2), (77)) o(k), LATERAL (SELECT b, gpu_sum(i4) FILTER (WHERE s.k < o.k) FROM scanned s GROUP BY b) l', 'SELECT gpu_sum(i4) FROM scanned WHERE i4 > (SELECT avg(i4) FROM scanned)',
    'WITH s AS MATERIALIZED (SELECT k, gpu_sum(i4) v FROM scanned GROUP BY k) SELECT a.k, b.v FROM s a JOIN s b ON a.k = b.k + 1', 'SELECT gpu_sum(i4) FROM scanned UNION ALL SELECT gpu_sum(i8) FROM scanned', 'SELECT gpu_sum(x) FROM (SELECT i4 + 1 AS x FROM scanned WHERE b) s WHERE x > 7',
    'SELECT 1 FROM scanned HAVING gpu_count(*) > 1', 'SELECT k FROM scanned GROUP BY k HAVING gpu_sum(i4) IS NOT NULL', 'SELECT gpu_max(i4), gpu_min(f8), gpu_max(f4), gpu_min(i2), gpu_max(i8), gpu_min(f4) FROM scanned WHERE k = 3', 'SELECT gpu_corr(f8, df), gpu_dot(f8, df) FROM scanned WHERE b',
    'SELECT gpu_max(tx), gpu_min(tx) FROM scanned', 'SELECT k, gpu_max(tx), gpu_min(n), gpu_max(a), gpu_max(iv) FROM scanned GROUP BY k', 'SELECT gpu_sum(df), gpu_max(dt), gpu_count(dn), gpu_sum(dn) FROM scanned', 'SELECT dt, dn, gpu_sum(df) FROM scanned GROUP BY dt, dn']) q;
SELECT count(*) > 120 AS many, array_agg(text) FILTER (WHERE pg_temp.scans(text) = 0) AS not_scanned FROM query;
SELECT text, pg_temp.rows_of(text, 'forbid') AS without, pg_temp.rows_of(text, 'require') AS with FROM query
 WHERE pg_temp.rows_of(text, 'forbid') IS DISTINCT FROM pg_temp.rows_of(text, 'require');
SELECT text, pg_temp.rows_of(text, 'require') AS error FROM query WHERE pg_temp.rows_of(text, 'forbid') ~ '^[0-9A-Z]{5} ' ORDER BY id;
-- hours of time zones, before and after their changes, and of times beyond all of them
CREATE TABLE hours AS SELECT timestamptz '1880-01-01 UTC' + i * interval '1 day 5 h 17 min 3.5 s' AS ts, i FROM generate_series(1, 70000, 7) i
  UNION ALL SELECT timestamptz '2020-03-28 12:00 UTC' + i * interval '13 min', i FROM generate_series(1, 300) i
  UNION ALL SELECT timestamptz '2020-10-24 12:00 UTC' + i * interval '13 min', i FROM generate_series(1, 300) i
  UNION ALL SELECT timestamptz '2020-04-04 12:00 UTC' + i * interval '7 min', i FROM generate_series(1, 300) i
  UNION ALL SELECT ts, 1 FROM unnest(ARRAY['infinity', '-infinity', NULL, '4000-01-01 00:30 BC', '200000-01-01 00:30'::timestamptz]) ts;
SELECT zone, unit, pg_temp.rows_of(q, 'forbid') = pg_temp.rows_of(q, 'require') AS same
  FROM unnest(ARRAY['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/St_Johns', 'Africa/Monrovia', 'Europe/Dublin', '<+03:30>-3:30']) zone, unnest(ARRAY['hour', 'minute']) unit,
       LATERAL (SELECT format('SELECT date_trunc(%L, ts), gpu_count(*), gpu_sum(i) FROM hours GROUP BY 1', unit) AS q WHERE set_config('TimeZone', zone, false) <> '') s;
RESET TimeZone;
DROP TABLE hours;
-- with so little memory that groups come out more than once
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT text, pg_temp.rows_of(text, 'forbid') AS without, pg_temp.rows_of(text, 'require') AS with FROM query
 WHERE text ~ 'GROUP BY' AND pg_temp.rows_of(text, 'forbid') IS DISTINCT FROM pg_temp.rows_of(text, 'require');
RESET work_mem;
RESET hash_mem_multiplier;
-- in parallel, by sorting, and in a parallel plan that is none
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
ALTER TABLE scanned SET (parallel_workers = 2);
SELECT text, pg_temp.rows_of(text, 'forbid') AS without, pg_temp.rows_of(text, 'require') AS with FROM query
 WHERE id % 3 = 0 AND pg_temp.rows_of(text, 'forbid') IS DISTINCT FROM pg_temp.rows_of(text, 'require');
SET parallel_leader_participation = off;
SET enable_hashagg = off;
SELECT text, pg_temp.rows_of(text, 'forbid') AS without, pg_temp.rows_of(text, 'require') AS with FROM query
 WHERE id % 3 = 1 AND text ~ 'GROUP BY' AND pg_temp.rows_of(text, 'forbid') IS DISTINCT FROM pg_temp.rows_of(text, 'require');
RESET enable_hashagg;
RESET parallel_leader_participation;
DROP TABLE query;
