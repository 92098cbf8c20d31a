-- Dates and times that the column scan computes a page at a time, in zones that change
-- at midnight, by half an hour, by a day, or never: at each change from 1840 to 2040 and
-- where the files of zones end, and at times before Christ.  Every query is asked with
-- the column scan and without it.
SELECT gpured_version() IS NOT NULL AS loaded;
\getenv abs_srcdir PG_ABS_SRCDIR
\set functions :abs_srcdir '/test/column_scan.sql'
\set ECHO none
\i :functions
\set ECHO all
SET max_parallel_workers_per_gather = 0;
CREATE TABLE moment (i int, tz timestamptz, ts timestamp, d date, iv interval);
CREATE TABLE far (LIKE moment);
INSERT INTO far SELECT row_number() OVER (), ts, ts::timestamp, ts::date, '1 day' FROM unnest(ARRAY['infinity', '-infinity', NULL, '4713-01-01 BC', '294276-12-31', '10239-12-31', '6000-01-01 BC', '5168-06-01', '1169-06-01 BC', '0001-01-01', '0001-12-31 BC'::timestamptz]) ts;

-- the session's zone's changes: the second that each begins with
CREATE FUNCTION pg_temp.changes(low timestamptz, high timestamptz) RETURNS SETOF timestamptz LANGUAGE plpgsql AS $f$
DECLARE
  a int8 := extract(epoch FROM low);
  b int8;
  middle int8;
  here numeric;
BEGIN
  WHILE a < extract(epoch FROM high) LOOP
    b := a + 3000000;
    here := extract(timezone FROM to_timestamp(a));
    IF here <> extract(timezone FROM to_timestamp(b)) THEN
      WHILE b - a > 1 LOOP
        middle := (a + b) / 2;
        IF extract(timezone FROM to_timestamp(middle)) = here THEN a := middle; ELSE b := middle; END IF;
      END LOOP;
      RETURN NEXT to_timestamp(b);
    END IF;
    a := b;
  END LOOP;
END $f$;
CREATE FUNCTION pg_temp.fill(zone text, OUT changes bigint) LANGUAGE plpgsql AS $f$
BEGIN
  PERFORM set_config('TimeZone', zone, false);
  TRUNCATE moment;
  CREATE TEMP TABLE change AS SELECT pg_temp.changes('1840-01-01 UTC', '2040-01-01 UTC') AS at UNION ALL SELECT pg_temp.changes('2430-01-01 UTC', '2445-01-01 UTC');
  INSERT INTO moment (tz) SELECT at + k * interval '1 us' FROM change, unnest(ARRAY[0, -1, 3600000000, -1800000001]) k;
  INSERT INTO moment (tz) SELECT timestamptz '2000-01-01 UTC' + (k::int8 * 7919 % 500009 - 250000) * interval '3 h 7 min 11.000013 s' FROM generate_series(1, 300) k;
  INSERT INTO moment (tz) SELECT timestamptz '1500-01-01 UTC' - (k::int8 * 7919 % 5003) * interval '101 h 7 min 11.5 s' FROM generate_series(1, 50) k;
  INSERT INTO moment (tz) SELECT timestamptz '0010-01-01 UTC' - k * interval '77 h 7 min 11.5 s' FROM generate_series(1, 2000, 50) k;
  UPDATE moment SET ts = tz::timestamp, d = tz::date, i = extract(epoch FROM tz)::int8 % 1000, iv = (extract(epoch FROM tz)::int8 % 1009 - 500) * interval '1 day 11 h -3 min';
  SELECT count(*) FROM change INTO changes;
  DROP TABLE change;
END $f$;

CREATE TABLE query (id serial, text text);
INSERT INTO query (text) SELECT format('SELECT %s, gpu_count(*), gpu_sum(i) FROM @ GROUP BY 1', e) FROM (
  SELECT format('date_trunc(%L, %s)', unit, value) AS e FROM unnest(ARRAY['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year', 'decade', 'century', 'millennium', 'milliseconds']) unit, unnest(ARRAY['tz', 'ts', 'd']) value
  UNION ALL SELECT format('date_trunc(%L, tz, %L)', unit, zone) FROM unnest(ARRAY['minute', 'hour', 'day', 'month', 'year']) unit, unnest(ARRAY['America/Sao_Paulo', 'Australia/Lord_Howe', 'right/Europe/Berlin', 'Nowhere/Land', 'CET-1CEST,M3.5.0/2,M10.5.0/3']) zone
  UNION ALL SELECT format('extract(%s FROM %s)', part, value) FROM unnest(ARRAY['year', 'month', 'day', 'hour', 'minute', 'second', 'dow', 'isodow', 'doy', 'week', 'quarter', 'isoyear', 'decade', 'century', 'millennium', 'epoch', 'milliseconds', 'microseconds', 'julian']) part, unnest(ARRAY['tz', 'ts']) value
  UNION ALL SELECT format('date_part(%L, %s)', part, value) FROM unnest(ARRAY['year', 'hour', 'second', 'doy', 'epoch', 'milliseconds']) part, unnest(ARRAY['tz', 'ts', 'd', 'iv']) value
  UNION ALL SELECT * FROM unnest(ARRAY['extract(epoch FROM d)', 'extract(century FROM d)', 'extract(epoch FROM iv)', 'tz::date', 'tz::time', 'tz::timestamp', 'ts::date', 'ts::time', 'd::timestamp', 'd::timestamptz', 'tz AT TIME ZONE ''Asia/Kathmandu''', 'tz AT TIME ZONE ''right/Europe/Berlin''',
    'tz AT TIME ZONE ''CET-1CEST,M3.5.0/2,M10.5.0/3''', 'd + i', 'd - i', 'd - date ''2000-02-29''', 'd + 2147483647', 'd - (-2147483647 - 1)', 'ts - tz::timestamp', 'tz - timestamptz ''2000-01-01 UTC''', 'ts + iv', 'ts - iv', 'tz + iv', 'd + iv', 'd - iv', 'ts + interval ''1 mon''', 'ts - interval ''13 mons 1 day -1 h''',
    'd + interval ''1 year -1 mon''', 'ts + interval ''-2147483648 days''', 'ts - interval ''-2147483648 days''', 'ts + interval ''-2147483648 mons''', 'd - interval ''-2147483648 mons''', 'tz + interval ''90 min''', 'tz - interval ''1 day''', 'date_bin(''7 days'', ts, ''1800-01-01'')', 'date_bin(''-2147483648 days'', ts, ''1800-01-01'')',
    'date_bin(''15 min'', tz, ''2001-01-01'')']) s) q(e);
SELECT count(*) FROM query;
-- what PostgreSQL computes all the same, of times that are not far
SELECT pg_temp.fill('Europe/Berlin') > 100 AS many;
SELECT text FROM query WHERE text !~ 'century|millen|julian|date_trunc\(''milli|right/|Nowhere|214748|tz \+ iv|1 day''|date_bin|2000-01-01 UTC|[+-] iv|(date_trunc|date_part)\([^,]*, d\)|date_part\(''[^e].*, iv\)'
  AND pg_temp.by_postgres(replace(text, '@', 'moment')) IS DISTINCT FROM 0 ORDER BY id;
CREATE FUNCTION pg_temp.differences(zone text, OUT changes bool, OUT texts text[]) LANGUAGE sql AS $f$
  SELECT pg_temp.fill(zone) > 0, (SELECT array_agg(text || ', ' || t) FROM query, unnest(ARRAY['moment', 'far']) t
    WHERE pg_temp.rows_of(replace(text, '@', t), 'forbid') IS DISTINCT FROM pg_temp.rows_of(replace(text, '@', t), 'require')) $f$;
SELECT zone, d.* FROM unnest(ARRAY['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Pacific/Apia', 'Africa/Monrovia', 'XYZ5ABC,J60/0,J300/24:30']) zone, pg_temp.differences(zone) d;
RESET TimeZone;
DROP TABLE query, moment, far;
