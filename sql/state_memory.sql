-- What the states of many groups take, beside the built-in's, of ordinary data.
-- Memory is counted while a cursor stands within a hash aggregation.
CREATE TABLE state_data AS
  SELECT i % 2500 AS g, u * 1000 AS uniform8, sqrt(-2 * ln(u)) * cos(2 * pi() * v) AS normal8,
         floor(u * 10000000) / 100 AS cents8, floor(v * 1000) AS whole8, exp(v * 7) AS spread8,
         (u * 1000)::float4 AS uniform4, (sqrt(-2 * ln(u)) * cos(2 * pi() * v))::float4 AS normal4,
         (floor(u * 100000) / 100)::float4 AS cents4,
         (u * 30000)::int2 AS a, (u * 2e9 - 1e9)::int4 AS b, (u * 1e15)::int8 AS c,
         (u * 100000)::numeric(12,2) AS d, (u * 1000)::numeric::money AS e, u * interval '30 days' AS f
    FROM (SELECT i, (i::int8 * 7919 % 100003 + 0.5) / 100003::float8 * (1 - 1e-9) AS u,
                 (i::int8 * 104729 % 99991 + 0.5) / 99991::float8 AS v FROM generate_series(1, 20000) i) s;
ANALYZE state_data;
SET gpured.enable_column_scan = off;
SET enable_sort = off;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '256MB';
SET cursor_tuple_fraction = 1;

CREATE FUNCTION bytes_a_group(call text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  query CONSTANT refcursor := 'query';
  row record;
  bytes numeric;
BEGIN
  OPEN query FOR EXECUTE format('SELECT g, %s FROM state_data GROUP BY g', call);
  FETCH query INTO row;
  SELECT sum(used_bytes) INTO bytes FROM pg_backend_memory_contexts
   WHERE name = 'ExprContext' OR name LIKE 'HashAgg%';
  CLOSE query;
  RETURN bytes / 2500;
END $$;

-- one aggregate for each transition function of gpured and each column of its type, and sums
CREATE VIEW calls AS
  SELECT DISTINCT ON (a.aggtransfn, c.attname, p.proname = 'gpu_sum')
         format('%s(%s)', p.proname, args) AS ours, a.aggtransfn AS transition,
         CASE a.aggtranstype WHEN 'internal'::regtype THEN a.aggtransspace END AS space,
         CASE p.proname WHEN 'gpu_dot' THEN format('sum(%s * normal8)', c.attname)
                        ELSE format('%s(%s)', substr(p.proname, 5), args) END AS theirs
    FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid
    JOIN pg_attribute c ON c.attrelid = 'state_data'::regclass AND c.attnum > 1 AND c.atttypid = p.proargtypes[0],
         LATERAL (SELECT c.attname || CASE p.pronargs WHEN 2 THEN ', normal8' ELSE '' END) t(args)
   WHERE p.proname LIKE 'gpu\_%' AND p.proname NOT LIKE 'gpu\_prefix%'
     AND a.aggtransfn::text LIKE 'gpured\_%'
   ORDER BY a.aggtransfn, c.attname, p.proname = 'gpu_sum', p.proname;

-- A build with assertions adds a byte to each allocation, which may double it.
SELECT CASE current_setting('debug_assertions')::bool WHEN true THEN 2 ELSE 1 END AS times \gset

CREATE TABLE sizes AS
  SELECT ours, bytes_a_group(ours) AS bytes, theirs, bytes_a_group(theirs) AS builtin,
         (SELECT bytes_a_group('count(*)')) AS bare, transition, space FROM calls;

-- what is counted is the states: the built-in's of three and of six numbers
SELECT theirs, builtin - bare BETWEEN 50 AND 300 AS seen
  FROM sizes WHERE theirs IN ('avg(uniform8)', 'corr(uniform8, normal8)') ORDER BY 1;
SELECT count(*) > 40 AS many, count(DISTINCT substr(ours, 1, 7)) AS names FROM sizes;

-- at most 64 bytes more than the built-in's
SELECT ours, round(bytes) AS bytes, theirs, round(builtin) AS builtin
  FROM sizes WHERE bytes - builtin > 64 * :times ORDER BY 1;

-- and what the planner is told, with the 8 or 16 bytes of an allocation; a state in a Datum takes none
SELECT transition, round(max(bytes - bare)) AS bytes, space
  FROM sizes WHERE space IS NOT NULL GROUP BY transition, space
HAVING max(bytes - bare) - 16 NOT BETWEEN space - 9 AND space * :times + 1
   AND NOT (space <= 16 AND max(bytes - bare) < 1) ORDER BY 1;

DROP VIEW calls;
DROP TABLE sizes, state_data;
DROP FUNCTION bytes_a_group(text);
RESET gpured.enable_column_scan;
RESET enable_sort;
RESET max_parallel_workers_per_gather;
RESET work_mem;
RESET cursor_tuple_fraction;
