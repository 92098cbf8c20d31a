-- Errors are clean: functions of the aggregates called by themselves, and
-- errors in the middle of an aggregate.
\getenv abs_srcdir PG_ABS_SRCDIR
\set oracle :abs_srcdir '/test/oracle.sql'
\set ECHO none
\i :oracle
\set ECHO all
-- the C functions behind the aggregates, declared so that SQL can call them:
-- outside an aggregate they raise an error, or answer NULL if they are strict
CREATE FUNCTION pg_temp.call(function oid) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
  types text := (SELECT string_agg(CASE t WHEN 'internal'::regtype THEN 'int8' ELSE t::regtype::text END, ', ' ORDER BY n)
                   FROM pg_proc, unnest(proargtypes) WITH ORDINALITY u(t, n) WHERE oid = function);
  args text := (SELECT string_agg(CASE t WHEN 'internal'::regtype THEN 'NULL' WHEN 'bytea'::regtype THEN $$'\x0161'$$ WHEN 'time'::regtype THEN $$'1:00'$$
                                    ELSE CASE WHEN t = ANY ('{date,timestamp,timestamptz}'::regtype[]) THEN $$'2000-01-01'$$ ELSE $$'1'$$ END END, ', ' ORDER BY n)
                  FROM pg_proc, unnest(proargtypes) WITH ORDINALITY u(t, n) WHERE oid = function);
  result text;
BEGIN
  EXECUTE format('CREATE FUNCTION pg_temp.raw(%s) RETURNS int8 AS %L, %L LANGUAGE C %s', types, '$libdir/gpured',
                 (SELECT prosrc FROM pg_proc WHERE oid = function),
                 (SELECT CASE WHEN proisstrict THEN 'STRICT' END FROM pg_proc WHERE oid = function));
  result := pg_temp.try(format('SELECT pg_temp.raw(%s)', args));
  DROP FUNCTION pg_temp.raw;
  RETURN result;
END $f$;
SELECT result, count(*) > 50 AS many
  FROM (SELECT pg_temp.call(oid) AS result
          FROM pg_proc WHERE proname ~ '^gpured_' AND prokind = 'f' AND 'internal'::regtype = ANY (proargtypes)) c
 GROUP BY 1;

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
SELECT gpu_sum(i) = sum(i) AS sum, gpu_prefix_sum(i ORDER BY i) = array_agg(i::int8 * (i + 1) / 2 ORDER BY i) AS prefix FROM errors;

DROP TABLE errors;
