-- Errors are clean: functions of the aggregates called by themselves, and
-- errors in the middle of an aggregate.
\getenv abs_srcdir PG_ABS_SRCDIR
\set oracle :abs_srcdir '/test/oracle.sql'
\set ECHO none
\i :oracle
\set ECHO all
SET search_path = public;

-- each function that takes a state, called outside an aggregate with NULL for
-- it: NULL if it is strict, else an error, never a crash
SELECT regexp_replace(pg_temp.try(format('SELECT %s(%s)', proname, args)), 'function \d+', 'function') AS result, count(*) > 0 AS some
  FROM (SELECT p.proname, string_agg(CASE t.type WHEN 'internal'::regtype THEN 'NULL' ELSE 'NULL::' || t.type::regtype END, ', ' ORDER BY n) AS args
          FROM pg_proc p, unnest(p.proargtypes) WITH ORDINALITY t(type, n)
         WHERE p.proname ~ '^gpured_' AND p.prokind = 'f' AND 'internal'::regtype = ANY (p.proargtypes)
         GROUP BY p.oid, p.proname) f
 GROUP BY 1 ORDER BY 1;

-- with a value
SELECT regexp_replace(pg_temp.try('SELECT gpured_int4_sum(NULL, 1)'), 'function \d+', 'function');
SELECT regexp_replace(pg_temp.try('SELECT gpured_float8_sum(NULL, 1)'), 'function \d+', 'function');
SELECT regexp_replace(pg_temp.try('SELECT gpured_float8_max(NULL, 1)'), 'function \d+', 'function');
SELECT regexp_replace(pg_temp.try('SELECT gpured_int8_avg_step(NULL, 1)'), 'function \d+', 'function');
SELECT regexp_replace(pg_temp.try('SELECT gpured_float8_moving_step(NULL, 1)'), 'function \d+', 'function');
SELECT regexp_replace(pg_temp.try('SELECT gpured_int4_prefix_sum_exclusive(NULL, 1, true)'), 'function \d+', 'function');
SELECT gpured_int_sum_deserialize('\x01'::bytea, NULL) IS NULL AS strict;

-- types without an aggregate of their own
SELECT gpu_sum('a'::text);
SELECT gpu_sum(*);

-- an error in mid-aggregation leaves nothing behind
CREATE TABLE errors AS SELECT i FROM generate_series(1, 3000) i;
SELECT count(*), count(DISTINCT r), min(r) AS result
  FROM (SELECT pg_temp.try(format('SELECT gpu_%s((i / (i - 2990))::%s) FROM errors', f, t)) AS r
          FROM unnest('{sum,avg,min,max,prefix_sum}'::text[]) f, unnest('{int2,int4,int8,float4,float8}'::text[]) t,
               generate_series(1, 5)) s;
BEGIN;
SAVEPOINT a;
SELECT gpu_sum(i / (i - 2990)) FROM errors;
ROLLBACK TO a;
SELECT gpu_sum(i) = sum(i) AS sum FROM errors;
COMMIT;

-- cancelled in the middle
SET statement_timeout = '50ms';
SELECT pg_temp.try('SELECT gpu_sum(i + length(pg_sleep(0.01)::text)) FROM errors') ~ '^57014' AS cancelled;
SELECT pg_temp.try('SELECT gpu_prefix_sum(i::float8 + length(pg_sleep(0.01)::text)) FROM errors') ~ '^57014' AS cancelled;
RESET statement_timeout;
SELECT gpu_sum(i) = sum(i) AS sum, gpu_prefix_sum(i ORDER BY i) = array_agg(i * (i + 1) / 2 ORDER BY i) AS prefix FROM errors;

DROP TABLE errors;
