-- Expressions that the column scan computes a page at a time.  Every query is asked with
-- and without it, of a table of ordinary values, where PostgreSQL must have been left
-- nothing to compute, and of one of special values.
SELECT gpured_version() IS NOT NULL AS loaded;
\getenv abs_srcdir PG_ABS_SRCDIR
\set functions :abs_srcdir '/test/column_scan.sql'
\set ECHO none
\i :functions
\set ECHO all
SET TimeZone = 'Europe/Berlin';
CREATE TYPE state AS ENUM ('new', 'paid', 'lost');
CREATE TABLE ordinary (id int4, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric(12,2), q numeric(6,4), w numeric, b bool, d date, t time, ts timestamp, tz timestamptz,
  iv interval, tx text, vc varchar(20), bc char(8), u uuid, e state, o oid, m money, by bytea);
INSERT INTO ordinary SELECT i, nullif(i % 200, 7) - 100, nullif(i * 7919 % 20011, 5) - 10000, (i * 7919::int8) * 1000003 % 20000000000 - 10000000000, (i % 1000) / 7.0, (i * 7919 % 10007) / 13.0 - 100,
    (i * 31 % 500000) / 97.0 - 1000, (i % 100) / 1000.0, round((i * 31 % 50000) / 97.0, i % 4), nullif(i % 3, 2) = 0, date '2019-12-20' + i % 800, time '00:00' + i % 1440 * interval '1 min 1.5 s',
    timestamp '2019-12-31' + i * interval '37 min 13.25 s', nullif(i % 800, 1) * interval '7 h' + timestamptz '2020-01-01 UTC', i % 40 * interval '1 day 7 min' - interval '2 mons',
    CASE WHEN i % 9 > 0 THEN substr(md5((i % 60)::text), 1, i % 33) END, 'v' || i % 15, 'c' || i % 15, md5((i % 50)::text)::uuid, (ARRAY['new', 'paid', 'lost', NULL])[i % 4 + 1]::state, i % 100 + 4294967190, (i % 1000)::money, decode(to_hex(4096 + i % 77), 'hex')
  FROM generate_series(1, 3000) i;
CREATE TABLE special (LIKE ordinary);
INSERT INTO special SELECT * FROM ordinary WHERE id <= 200;
ALTER TABLE special ALTER n TYPE numeric, ALTER q TYPE numeric;
INSERT INTO special (id, i2, i4, i8, f4, f8, n, q, w, d, t, ts, tz, iv, tx, vc, bc)
  SELECT i, (ARRAY[-32768, 32767, 0, -1, 1, NULL])[i % 6 + 1], (ARRAY[-2147483648, 2147483647, 0, -1, 1, NULL])[i % 6 + 1], (ARRAY[-9223372036854775808, 9223372036854775807, 0, -1, 1, NULL])[i % 6 + 1],
    (ARRAY['NaN', 'Infinity', '-Infinity', '-0', '3e38', '1e-45', NULL])[i % 7 + 1]::float4, (ARRAY['NaN', 'Infinity', '-Infinity', '-0', '1.7e308', '5e-324', NULL])[i % 7 + 1]::float8,
    (ARRAY['NaN', 'Infinity', '-Infinity', '0.000', '123456789012345678.123', '1e-20', '-0.5', NULL])[i % 8 + 1]::numeric, (ARRAY['-1.5', '2.5', '0.00', '99999999999999', '-0.0000005', NULL])[i % 6 + 1]::numeric,
    (ARRAY['10000', '0.0001', '-9999.9999', '1e18', '7.50', NULL])[i % 6 + 1]::numeric,
    (ARRAY['infinity', '-infinity', '4713-01-01 BC', '5874897-12-31', '0001-01-01 BC', '2020-02-29', NULL])[i % 7 + 1]::date, (ARRAY['00:00', '24:00', '23:59:59.999999', NULL])[i % 4 + 1]::time,
    (ARRAY['infinity', '-infinity', '4713-01-01 BC', '294276-12-31 23:59:59.999999', '0001-12-31 BC', '2020-02-29 23:59:59.999999', '1999-12-31 23:59:59.5', NULL])[i % 8 + 1]::timestamp,
    (ARRAY['infinity', '-infinity', '4713-01-01 BC', '294276-12-30', '1880-06-01', '2020-03-29 00:59:59.999999 UTC', '2020-10-25 01:30 UTC', '9999-12-31', NULL])[i % 9 + 1]::timestamptz,
    (ARRAY['178000000 years', '-178000000 years', '1 mon -31 days', '-2147483648 days', NULL])[i % 5 + 1]::interval, (ARRAY['', ' ', 'a%', 'a_', E'\\', chr(228), repeat('long', 5000), NULL])[i % 8 + 1],
    (ARRAY['', ' ', 'v1', 'v1 ', chr(252), NULL])[i % 6 + 1], (ARRAY['', 'c1', 'c1  ', NULL])[i % 4 + 1]
  FROM generate_series(1000, 1420) i;
VACUUM ANALYZE ordinary, special;

CREATE TABLE query (id serial, text text);
-- conditions: as a qual, as a filter, as a key, and what is left after others
INSERT INTO query (text) SELECT format(shape, qual)
  FROM unnest(ARRAY['i4 + i2 > 100', 'i4 / 7 = 3', 'i2 <> 0 AND i4 / i2 > 3', 'i4 > 0 OR 100 / nullif(i2, 0) > 5', 'abs(i4) % 3 = 1', 'mod(i4, -7) = -2', '-i8 > 5', 'NOT (i4 + 1 > 5 AND f8 * 2 < 3)', 'i4 IS DISTINCT FROM i2', 'i4 IS NOT DISTINCT FROM 17',
      'tx IS DISTINCT FROM vc', '(i4 > 0) IS NULL', '(i4 > 0) IS TRUE', '(i4 > 0) IS NOT TRUE', '(i4 > 0) IS FALSE', '(i4 + i2 > 0) IS NOT FALSE', '(i4 > 0) IS UNKNOWN', '(i4 > 0) IS NOT UNKNOWN', 'b IS TRUE', 'b IS NOT FALSE', 'b = (i4 > 0)', 'b < (i4 > 0)', '(i4 + i2) IS NULL',
      'i4 BETWEEN i2 AND i8', 'i4 + 1 IN (1, 5, 9, 17, 200)', 'i4 % 20 IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, NULL)', 'i4 % 20 NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)', 'f4 > 3', 'f4 = 3.5::float4', 'f4 * 2 > f8', 'f8 + f4 < 10', 'floor(f8) = 3', 'ceil(f8) > 3', 'round(f8) = trunc(f8)', 'sign(f8) = -1',
      'CASE WHEN i2 = 0 THEN false ELSE 100 / i2 > 5 END', 'CASE i2 WHEN 1 THEN b WHEN 2 THEN NULL ELSE i4 > 0 END', 'coalesce(i4, i2, 0) > 50', 'coalesce(b, i4 > 0)', 'nullif(i4, 17) > 0', 'greatest(i4, i2) < 0', 'least(f8, f4, i4) < 0', 'least(n, q, 3) > 1',
      'tx = ''c4ca''', 'tx <> ''c4ca''', 'tx = vc', 'tx IN (''c'', ''c4'', ''e4d'')', 'tx NOT IN (''c'', NULL)', 'tx = ANY (''{c,c4}''::text[])', 'tx <> ALL (''{c,c4}''::text[])', 'vc = ''v3''', 'vc IN (''v1'', ''v7'')', 'bc = ''c3''', 'bc <> ''c3''', 'bc IN (''c1'', ''c2'', NULL)', 'vc = bc', 'tx IS NULL',
      'tx LIKE ''c%''', 'tx LIKE ''%c''', 'tx LIKE ''%4c%''', 'tx LIKE ''c%4%a''', 'tx NOT LIKE ''c%''', 'tx LIKE ''c''', 'tx LIKE ''%''', 'tx LIKE ''''', 'vc LIKE ''v%1''', 'bc LIKE ''c1%''', 'bc LIKE ''%1''', 'tx LIKE ''%c%c%''', 'tx IN (''c'', ''c4'', ''e'', ''e4'', ''e4d'', ''a8'', ''a87'', ''1'', ''16'', ''167'', ''8'')', 'bc NOT IN (''c1'', ''c2'', ''c3'', ''c4'', ''c5'', ''c6'', ''c7'', ''c8'', ''c9'', NULL)', 'i4 IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 7919, -2081)', 'coalesce(tx, vc) = ''v3''', 'CASE WHEN b THEN tx ELSE vc END = ''v3''',
      'u = md5(''9'')::uuid', 'u > md5(''9'')::uuid', 'u IN (md5(''9'')::uuid, md5(''7'')::uuid)', 'e = ''paid''', 'e <> ''paid''', 'e IN (''paid'', ''lost'')', 'e IS DISTINCT FROM ''lost''', 'o = 4294967210', 'o > 4294967250', 'o IN (4294967210, 7)', 'm > ''5''', 'm IN (''5'', ''7'')', 'by = ''\x1003''',
      'n > 100', 'n = 1.00', 'n * q > 10', 'n + q >= w', 'n - 1 < w * 2', '-n > 5', 'abs(n) < 10.5', 'n IN (1, 2.5, 3.70)', 'w = 1.5', 'w <> n', 'n % 7 > 3', 'round(n) = trunc(n)', 'ceil(n) > floor(w)', 'round(n, 1) = 1.5', 'trunc(n, -1) = 10', 'n::int4 > 5', 'n::float8 > 5.5', 'i4 > n', 'n::numeric(10,1) > 5',
      'd > ''2020-03-01''', 'd + 7 > ''2020-03-01''', 'd - date ''2020-01-01'' > 30', 'd < ts', 'ts >= d', 'ts - interval ''1 day'' > ''2020-02-02''', 'ts + interval ''1 mon'' < ''2020-03-31''', 'd + interval ''1 mon 3 h'' > ts', 'tz + interval ''3 h'' > ''2020-03-29''', 'tz::date = ''2020-02-03''', 'tz::date > d', 'ts::date = d', 'ts::time > t',
      'tz::time > ''12:00''', 'tz::timestamp > ts', 'd::timestamptz > tz', 'd::timestamp > ts', 'date_trunc(''month'', ts) = ''2020-02-01''', 'date_trunc(''month'', tz) = ''2020-02-01''', 'extract(hour FROM ts) < 5', 'extract(year FROM tz) = 2020', 'date_part(''dow'', d) IN (0, 6)', 'extract(epoch FROM (ts - tz::timestamp)) > 3600',
      'tz > now() - interval ''1 day''', 'tz < now()', 'd < current_date', 'i4 > (SELECT 1000)', 'i4 + 1 > (SELECT max(i2) * 1.5 FROM ordinary)']) qual,
       unnest(ARRAY['SELECT gpu_count(*), gpu_sum(i4), gpu_max(tx), gpu_min(id) FROM @ WHERE %s', 'SELECT gpu_count(*) FILTER (WHERE %s), gpu_sum(id) FILTER (WHERE %1$s) FROM @', 'SELECT %s, gpu_count(*) FROM @ GROUP BY 1', 'SELECT gpu_sum(id) FROM @ WHERE mod(id, 3) < 2 AND (%s) AND i2 + 1 > -60']) shape;
-- values
INSERT INTO query (text) SELECT format(CASE WHEN value ~ '^(least\(d|d [-+] \d|(ts|d|tz) [-+] int|date_bin)' THEN 'SELECT gpu_min(%1$s), gpu_max(%1$s), gpu_count(%1$s), gpu_max(%1$s) FILTER (WHERE i2 > 0) FROM @' ELSE
      'SELECT gpu_sum(%1$s), gpu_min(%1$s), gpu_max(%1$s), gpu_count(%1$s), gpu_sum(%1$s) FILTER (WHERE i2 > 0) FROM @' END, value)
  FROM unnest(ARRAY['CASE WHEN i2 > 0 THEN i4 ELSE 0 END', 'CASE WHEN i2 > 0 THEN n ELSE 0 END', 'CASE WHEN b THEN 1 END', 'CASE i2 % 4 WHEN 0 THEN i4 WHEN 1 THEN i8 ELSE i2 END', 'CASE WHEN i2 <> 0 THEN i4 / i2 END', 'CASE WHEN i2 = 0 THEN NULL WHEN i4 % i2 = 0 THEN f8 ELSE f4 END', 'CASE e WHEN ''new'' THEN 1 WHEN ''paid'' THEN 2 END',
      'CASE tx WHEN ''c'' THEN n WHEN ''c4'' THEN w END', 'CASE WHEN tx LIKE ''c%'' THEN f8 ELSE -f8 END', 'coalesce(i4, i2)', 'coalesce(n, 0)', 'coalesce(i4 / nullif(i2, 0), -1)', 'nullif(i2, 0)', 'nullif(f8, 0)', 'nullif(n, 1.0)', 'greatest(i4, i2, 0)', 'least(f8, f4)', 'greatest(n, w, q)', 'least(d, ts::date)',
      'f4 + f4', 'f4 - 1::float4', 'f4 * f4', 'f4 / 3::float4', 'f4 + f8', 'f8 * f4', 'f8 / 7', '-f4', 'abs(f4)', 'f4::float8', 'f8::float4', 'i4::float4', 'i8::float4', 'i8::float8', 'floor(f8)', 'ceil(f8)', 'ceiling(f8)', 'round(f8)', 'trunc(f8)', 'sign(f8)', 'sqrt(abs(f8))', 'f8::int4', 'f4::int8', 'f8::int2', 'i2 + i2', 'i2 * 2::int2', 'i2 / 3::int2',
      'i2 % 7::int2', '-i2', 'abs(i2)', 'mod(i8, 1000)', 'mod(i2, 7::int2)', '+i4', 'i4::int8 * i2', 'b::int', 'i8 / 1000', 'i4 / -3', 'i4 % -3', 'n + q', 'n - q', 'n * q', 'n * (1 - q)', 'n * (1 - q) * (1 + q)', 'n * id', '-n', 'abs(n)', 'sign(n)', 'floor(n)', 'ceil(n)', 'round(n)', 'trunc(n)', 'round(w, 1)', 'round(n, -2)', 'trunc(w, 2)', 'round(n, 5)', 'n % (q + 1)', 'n / nullif(q + 10, 0)', 'mod(n, 7)', 'n::int8',
      'n::float8', 'i4::numeric', 'n::numeric(12,1)', 'w * w', 'w + 0.125', 'n / 7', 'floor(n / 300) * 300', 'n * 1.00', 'd - date ''2020-01-01''', 'd + 3', 'd - 3', 'ts - tz::timestamp', 'ts - timestamp ''2020-01-01''', 'tz - timestamptz ''2020-01-01 UTC''', 'ts + interval ''1 day''', 'ts - interval ''1 mon 1 day 1 h''', 'ts + interval ''1 mon''', 'd + interval ''1 mon''', 'd - interval ''1 h''', 'tz - interval ''5 h''',
      'extract(epoch FROM ts - tz::timestamp)', 'extract(epoch FROM ts)', 'extract(epoch FROM tz)', 'extract(epoch FROM d)', 'extract(epoch FROM iv)', 'date_part(''epoch'', iv)', 'date_part(''epoch'', ts)', 'date_part(''second'', ts)', 'floor(extract(epoch FROM tz) / 300) * 300', 'floor(extract(epoch FROM ts) / 60) * 60', '1', 'NULL::int', '2.50', 'date_bin(''15 min'', ts, ''1999-01-01'')', 'date_bin(''1 day'', tz, ''2001-01-01'')']) value;
INSERT INTO query (text) SELECT format(CASE WHEN part ~ 'epoch|second' THEN 'SELECT gpu_sum(%s(%s)), gpu_min(%1$s(%2$s)), gpu_max(%1$s(%2$s)) FROM @' ELSE 'SELECT %s(%s), gpu_count(*), gpu_sum(i4) FROM @ GROUP BY 1' END, call, format(CASE call WHEN 'extract' THEN '%s FROM %s' ELSE '%L, %s' END, part, value))
  FROM unnest(ARRAY['extract', 'date_part']) call, unnest(ARRAY['year', 'month', 'day', 'hour', 'minute', 'second', 'dow', 'isodow', 'doy', 'week', 'quarter', 'epoch', 'isoyear', 'decade', 'century', 'millennium', 'milliseconds', 'microseconds']) part, unnest(ARRAY['d', 'ts', 'tz']) value
 WHERE NOT (value = 'd' AND part ~ 'hour|minute|second');
-- keys
INSERT INTO query (text) SELECT format('SELECT %s, gpu_count(*), gpu_sum(i4) FROM @ GROUP BY %1$s', key)
  FROM unnest(ARRAY['CASE WHEN i4 > 5000 THEN ''high'' WHEN i4 > 0 THEN ''low'' END', 'CASE WHEN b THEN tx ELSE vc END', 'coalesce(tx, ''none'')', 'coalesce(e, ''new'')', 'nullif(vc, ''v3'')', 'tx', 'vc', 'u', 'e', 'b', 'm', 'o', 'CASE WHEN b THEN u END', 'tz::date', 'ts::date', 'tz::time', 'd + 7', 'date_trunc(''week'', ts)', 'date_trunc(''week'', tz)',
      'date_trunc(''month'', tz)', 'date_trunc(''quarter'', ts)', 'date_trunc(''year'', tz)', 'date_trunc(''decade'', ts)', 'date_trunc(''day'', tz)', 'date_trunc(''day'', tz, ''America/New_York'')', 'date_trunc(''hour'', tz, ''Asia/Kathmandu'')', 'tz AT TIME ZONE ''Asia/Kolkata''', 'extract(hour FROM tz AT TIME ZONE ''Australia/Lord_Howe'')', 'date_trunc(''month'', d)', 'd::timestamptz', 'tz::timestamp', 'ts - date ''2020-01-01''', 'date_trunc(''day'', tz)::date', 'i4 / 1000', 'extract(year FROM ts), extract(month FROM ts)', 'tx, b, extract(dow FROM d)']) key;
SELECT count(*) > 700 AS many FROM query;
-- what PostgreSQL computes all the same
SELECT text, pg_temp.by_postgres(replace(text, '@', 'ordinary')) FROM query WHERE pg_temp.by_postgres(replace(text, '@', 'ordinary')) IS DISTINCT FROM 0 ORDER BY id;
SELECT text, r AS table, pg_temp.rows_of(replace(text, '@', r), 'forbid') AS without, pg_temp.rows_of(replace(text, '@', r), 'require') AS with FROM query, unnest(ARRAY['ordinary', 'special']) r
 WHERE pg_temp.rows_of(replace(text, '@', r), 'forbid') IS DISTINCT FROM pg_temp.rows_of(replace(text, '@', r), 'require') ORDER BY id;

-- subqueries and parameters are computed when a row arrives, and not before
CREATE TABLE raised (i) AS SELECT 0;
INSERT INTO query (text) VALUES ('SELECT gpu_sum(i4 / (SELECT 1 / i FROM raised)) FILTER (WHERE i4 > 100000) FROM @'), ('SELECT gpu_sum(CASE WHEN i4 > 100000 THEN (SELECT 1 / i FROM raised) ELSE 2 END) FROM @'),
  ('SELECT gpu_sum(i4) FROM @ WHERE i4 = 100000 AND i2 + 1 > (SELECT 1 / i FROM raised)'), ('SELECT gpu_sum(i4) FROM @ WHERE i4 > 100000 OR i2 + 1 > (SELECT 1 / i FROM raised)'),
  ('SELECT o.k, (SELECT gpu_sum(CASE WHEN s.i2 > o.k THEN s.i4 END) FROM @ s WHERE s.tx <> o.v AND s.n * 2 > o.k) FROM (VALUES (1, ''c''), (2, ''c4''), (NULL, ''c4''), (99, NULL)) o(k, v)'),
  ('SELECT o.k, l.* FROM (VALUES (1, ARRAY[''c'', ''c4'']), (2, NULL), (3, ''{}''), (4, ARRAY[''c4'', NULL])) o(k, v), LATERAL (SELECT gpu_count(*), gpu_sum(s.i2 + o.k), gpu_max(s.ts + o.k * interval ''1 mon'') FROM @ s WHERE s.tx = ANY (o.v)) l'),
  ('SELECT o.k, l.* FROM (VALUES (1, ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9]), (2, ARRAY[7])) o(k, v), LATERAL (SELECT s.i4 % 5, gpu_count(*) FROM @ s WHERE mod(s.i4, 20) = ANY (o.v) GROUP BY 1) l'),
  ('SELECT gpu_sum(' || repeat('(1 + ', 300) || 'i4' || repeat(')', 300) || ') FROM @'), ('SELECT gpu_sum(' || repeat('CASE WHEN i4 > 1 THEN ', 200) || 'i4' || repeat(' END', 200) || ') FROM @');
SELECT left(text, 100) AS text, r AS table, pg_temp.rows_of(replace(text, '@', r), 'forbid') AS without, pg_temp.rows_of(replace(text, '@', r), 'require') AS with FROM query, unnest(ARRAY['ordinary', 'special']) r
 WHERE text ~ 'raised|LATERAL| o.k|repeat|1 THEN CASE|1 \+ \(1' AND pg_temp.rows_of(replace(text, '@', r), 'forbid') IS DISTINCT FROM pg_temp.rows_of(replace(text, '@', r), 'require') ORDER BY id;
SELECT left(text, 100) AS text, pg_temp.rows_of(replace(text, '@', 'ordinary'), 'require') FROM query WHERE text ~ 'raised' ORDER BY id;
-- a generic plan
SET gpured.debug_scan = forbid;
SELECT gpu_sum(i4 + 1), gpu_count(*), gpu_max(ts + '1 mon'::interval) FROM ordinary WHERE tx = ANY ('{c,c4,e4d}') AND i4 % 10 <> 1;
SET gpured.debug_scan = require;
SET plan_cache_mode = force_generic_plan;
PREPARE p(int, text[], interval) AS SELECT gpu_sum(i4 + $1), gpu_count(*), gpu_max(ts + $3) FROM ordinary WHERE tx = ANY ($2) AND i4 % 10 <> $1;
EXECUTE p(1, '{c,c4,e4d}', '1 mon');
EXECUTE p(NULL, '{c,c4,e4d}', '1 mon');
-- a parameter that cannot be fetched, and for which no row arrives
CREATE FUNCTION pg_temp.unassigned(assign bool) RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
  r record;
  n bigint;
BEGIN
  IF assign THEN
    SELECT 5 AS x INTO r;
  END IF;
  SELECT gpu_count(*) INTO n FROM ordinary WHERE i4 % 7 = 1 OR i4 IS NULL OR (id = -1 AND i4 = r.x);
  RETURN n;
END $f$;
SELECT count(*) > 0 AS some, pg_temp.unassigned(true) = count(*) AS assigned, pg_temp.unassigned(false) = count(*) AS unassigned FROM ordinary WHERE i4 % 7 = 1 OR i4 IS NULL;
CREATE FUNCTION pg_temp.unassigned_column(assign bool) RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
  r record;
  n bigint;
BEGIN
  IF assign THEN
    SELECT 5 AS x INTO r;
  END IF;
  SELECT gpu_count(*) INTO n FROM ordinary WHERE i4 > 17 OR (id = -1 AND i4 = r.x);
  RETURN n;
END $f$;
SELECT count(*) > 0 AS some, pg_temp.unassigned_column(true) = count(*) AS assigned, pg_temp.unassigned_column(false) = count(*) AS unassigned FROM ordinary WHERE i4 > 17;
-- short strings and constants of all lengths: equal, nearly so, and with a blank at the end
CREATE TABLE near WITH (autovacuum_enabled = off) AS SELECT row_number() OVER () AS i, repeat('p', n % 5) AS pad, s AS t, s::char(18) AS c
  FROM (SELECT n, left('abcdefghijklmnopqrst', n) AS w FROM generate_series(0, 18) n) w, unnest(ARRAY[w, w || ' ', left(w, -1) || 'Z', 'Z' || substr(w, 2)]) s;
SELECT count(*) > 200 AS many, bool_and(pg_temp.scans(q) = 1) AS scanned, bool_and(pg_temp.rows_of(q, 'require') = pg_temp.rows_of(q, 'forbid')) AS same
  FROM (SELECT DISTINCT t FROM near) v, unnest('{t,c}'::text[]) col, unnest('{=,<>}'::text[]) op, format('SELECT gpu_sum(i), gpu_count(*) FROM near WHERE %s %s %L', col, op, t) q;
DROP TABLE query, ordinary, special, raised, near;
DROP TYPE state;
