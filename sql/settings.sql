-- The settings, who may change them, and that none changes an answer.
SELECT gpured_version() IS NOT NULL AS loaded;
SELECT name, setting IS NOT NULL AS set, boot_val, unit, context, vartype, enumvals FROM pg_settings WHERE name LIKE 'gpured.%' ORDER BY name;
SET gpured.offload = 'sometimes';
SET gpured.device = 'cpu';
SET gpured.request_timeout = 0;
SET gpured.no_such_setting = 1;

CREATE FUNCTION pg_temp.answers() RETURNS text LANGUAGE sql AS $f$
  SELECT row(gpu_sum(i), gpu_avg(i), gpu_min(i), gpu_max(i), gpu_sum(i::float8 / 3), gpu_avg(i::int8), gpu_count(*),
             md5(gpu_prefix_sum(i ORDER BY i)::text))::text
    FROM generate_series(1, 10000) i $f$;
CREATE TABLE answers AS SELECT pg_temp.answers() AS a;
SET gpured.offload = off;
SELECT pg_temp.answers() = a AS same FROM answers;
SET gpured.offload = auto;
SELECT pg_temp.answers() = a AS same FROM answers;
RESET gpured.offload;
SELECT pg_temp.answers() = row(sum(i), avg(i), min(i), max(i), (SELECT gpu_sum(x) FROM (SELECT i::float8 / 3 AS x FROM generate_series(10000, 1, -1) i) s),
       avg(i::int8), count(*), md5(array_agg(i::int8 * (i + 1) / 2 ORDER BY i)::text))::text AS same
  FROM generate_series(1, 10000) i;
DROP TABLE answers;
