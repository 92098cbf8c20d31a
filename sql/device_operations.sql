-- Every aggregate that has a device operation in src/oplist.h, prefixes apart, over
-- rows that come one at a time and over columns of a table: the same text as
-- without a device, and under gpured.offload = force the device was used.
SELECT gpured_version() IS NOT NULL AS loaded;
\set oplist `sed -n 's/^GPURED_AGGREGATE(\(.*\))$/\1/p' "$PG_ABS_SRCDIR/src/oplist.h"`
CREATE TEMP TABLE operations AS
  SELECT btrim(f[1]) AS name, btrim(f[2]) AS type
    FROM regexp_split_to_table(:'oplist', '\n') line, string_to_array(line, ',') f
   WHERE btrim(f[4]) <> 'none' AND btrim(f[1]) NOT LIKE 'prefix%';
SELECT count(*) > 80 AS list_was_read FROM operations;

-- 9000 rows are several batches of the smallest pool; each column has NULLs and
-- the extremes of its type
CREATE TABLE device_rows AS
  SELECT i, (h % 65536 - 32768)::int2 AS int2, (h % 4294967296 - 2147483648)::int4 AS int4, h * 4294967311 - 4611686018427387904 AS int8,
         ((h % 1000001)::float8 / 1000 - 500)::float4 AS float4, (h % 1000003)::float8 * 1e-3 - 7 AS float8,
         CASE i % 5 WHEN 0 THEN (h % 100000)::numeric / 100 WHEN 1 THEN h::numeric WHEN 2 THEN h::numeric / 7
                    WHEN 3 THEN -(h % 977)::numeric / 1000000 ELSE round(h::numeric, 3) * 1000000007 END AS numeric,
         h::int8::money AS money, (h % 4294967296)::oid AS oid, date '2000-01-01' + (h % 100000 - 50000)::int AS date,
         time '00:00' + h * interval '1 microsecond' AS time, timestamp '2000-01-01' + (h - 1000000000) * interval '1 millisecond' AS timestamp,
         timestamptz '2000-01-01 00:00+00' + (h - 1000000000) * interval '1 second' AS timestamptz
    FROM (SELECT i, (i::int8 * 2654435761) % 2147483647 AS h FROM generate_series(1, 9000) i) s;
INSERT INTO device_rows (i) SELECT generate_series(9001, 9010);
INSERT INTO device_rows VALUES
  (9011, -32768, -2147483648, -9223372036854775808, -1e38, -1e150, -1e30, '-92233720368547758.08', 0, '-infinity', '00:00', '-infinity', '-infinity'),
  (9012, 32767, 2147483647, 9223372036854775807, 1e38, 1e-300, 1e30, '92233720368547758.07', 4294967295, 'infinity', '24:00', 'infinity', 'infinity');
ANALYZE device_rows;

/*
 * Which aggregates of a part of the rows differ, and which did not do what the
 * setting says.  A subquery with an OFFSET keeps column scans away.
 */
CREATE FUNCTION pg_temp.server_aggregates(way text) RETURNS int8 LANGUAGE sql AS
  $$ SELECT value FROM gpured_stats WHERE scope = 'session' AND path = way AND name = 'server_aggregates' $$;
CREATE FUNCTION pg_temp.checked(way text, part text, has_values bool, OUT aggregates bigint, OUT differ text, OUT elsewhere text) LANGUAGE plpgsql AS $f$
DECLARE
  o operations;
  argument text;
  query text;
  without text;
  answer text;
  used int8;
  wanted int8 := CASE WHEN has_values AND current_setting('gpured.offload') = 'force' THEN 1 ELSE 0 END;
BEGIN
  aggregates := 0;
  IF way = 'scan' THEN
    SET LOCAL gpured.debug_scan = require;
  END IF;
  FOR o IN SELECT * FROM operations ORDER BY name, type LOOP
    -- the second argument is another order of the same values
    argument := CASE o.type WHEN 'float8 float8' THEN 'float8, float4' ELSE o.type END;
    query := format('SELECT gpu_%s(%s)::text FROM (SELECT * FROM device_rows %s %s) q', o.name, argument, part, CASE way WHEN 'row' THEN 'OFFSET 0' END);
    SET LOCAL gpured.offload = off;
    EXECUTE query INTO without;
    EXECUTE format('SET LOCAL gpured.offload = %s', CASE wanted WHEN 1 THEN 'force' ELSE 'auto' END);
    used := pg_temp.server_aggregates(way);
    EXECUTE query INTO answer;
    used := pg_temp.server_aggregates(way) - used;
    aggregates := aggregates + 1;
    IF answer IS DISTINCT FROM without THEN
      differ := concat_ws(', ', differ, format('%s(%s)', o.name, o.type));
    END IF;
    IF used <> wanted THEN
      elsewhere := concat_ws(', ', elsewhere, format('%s(%s)', o.name, o.type));
    END IF;
  END LOOP;
END $f$;
\pset null none
SELECT aggregates = (SELECT count(*) FROM operations) AS all, differ, elsewhere FROM pg_temp.checked('row', 'WHERE i <= 9000', true);
SELECT differ, elsewhere FROM pg_temp.checked('row', 'WHERE i = 1', true);
SELECT differ, elsewhere FROM pg_temp.checked('row', 'WHERE i BETWEEN 9001 AND 9010', false);
SELECT differ, elsewhere FROM pg_temp.checked('row', 'WHERE false', false);
SELECT differ, elsewhere FROM pg_temp.checked('row', '', true);
SELECT aggregates = (SELECT count(*) FROM operations) AS all, differ, elsewhere FROM pg_temp.checked('scan', 'WHERE i <= 9000', true);
SELECT differ, elsewhere FROM pg_temp.checked('scan', 'WHERE i = 1', true);
SELECT differ, elsewhere FROM pg_temp.checked('scan', 'WHERE i BETWEEN 9001 AND 9010', false);
SELECT differ, elsewhere FROM pg_temp.checked('scan', 'WHERE false', false);
SELECT differ, elsewhere FROM pg_temp.checked('scan', '', true);

-- the built-in's own answers, where they are exact
SELECT gpu_variance(int2)::text = variance(int2)::text AS int2, gpu_stddev_pop(int4)::text = stddev_pop(int4)::text AS int4,
       gpu_stddev(int8)::text = stddev(int8)::text AS int8, gpu_var_pop(int8)::text = var_pop(int8)::text AS var_pop,
       gpu_min(date) = min(date) AS date, gpu_max(time) = max(time) AS time, gpu_min(timestamp) = min(timestamp) AS timestamp,
       gpu_max(timestamptz) = max(timestamptz) AS timestamptz, gpu_min(money) = min(money) AS money, gpu_max(oid) = max(oid) AS oid,
       gpu_sum(numeric)::text = sum(numeric)::text AS sum, gpu_avg(numeric)::text = avg(numeric)::text AS avg
  FROM (SELECT * FROM device_rows OFFSET 0) q;

-- several at once, some of the same state, with conditions
SELECT gpu_variance(float8) = gpu_stddev(float8) ^ 2 OR abs(gpu_variance(float8) / gpu_stddev(float8) ^ 2 - 1) < 1e-15 AS root,
       gpu_covar_pop(float8, float8) = gpu_var_pop(float8) AS with_itself, gpu_corr(float8, float8) AS corr,
       gpu_regr_slope(float8, float8) AS slope, gpu_regr_sxx(float8, float8) = gpu_regr_syy(float8, float8) AS sums,
       gpu_dot(1, float8) = gpu_sum(float8) AS dot, gpu_var_pop(float8) FILTER (WHERE i = 7) AS filtered,
       gpu_variance(DISTINCT int2 / 8192)::text = variance(DISTINCT int2 / 8192)::text AS distinct
  FROM (SELECT * FROM device_rows WHERE i <= 9000 OFFSET 0) q;

-- NaN, infinities and zeros of both signs among values
SELECT gpu_var_pop(x), gpu_regr_avgx(y, x), gpu_regr_avgy(y, x), gpu_regr_syy(y, x), gpu_dot(x, y) FROM (VALUES ('Infinity'::float8, 1::float8), (2, 3), (4, 7)) v(x, y);
SELECT gpu_var_pop(x), gpu_regr_avgx(y, x), gpu_regr_sxx(y, x), gpu_covar_pop(y, x), gpu_dot(x, y) FROM (VALUES (1::float8, 'NaN'::float8), (2, 3)) v(x, y);
SELECT gpu_dot(x, y) AS negative_zero FROM (VALUES ('-0'::float8, 1::float8), (0, -5)) v(x, y);
SELECT gpu_dot(x, y) AS zero FROM (VALUES ('-0'::float8, 1::float8), (0, 5)) v(x, y);
SELECT gpu_dot(x, y) AS nothing_times_infinity FROM (VALUES (0::float8, 'Infinity'::float8)) v(x, y);
SELECT gpu_dot(x, y) AS too_large FROM (VALUES (1e200::float8, 1e200::float8)) v(x, y);
SELECT gpu_stddev_pop(x) AS its_square_is_too_large, gpu_dot(x, y) AS underflows FROM (VALUES (1e200::float8, 1e-200::float8), (-1e200, 1e-200)) v(x, y);
SELECT gpu_var_pop(x) AS its_square_is_too_large FROM (VALUES (1e200::float8), (-1e200)) v(x);
DROP TABLE device_rows;
