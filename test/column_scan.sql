-- What the tests of the column scan compare by, all in pg_temp.
--
-- The rows of a query under a setting of gpured.debug_scan, or its error.
CREATE FUNCTION pg_temp.rows_of(query text, setting text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
  result text;
BEGIN
  PERFORM set_config('gpured.debug_scan', setting, true);
  EXECUTE format('SELECT count(*) || E'':\n'' || string_agg(r::text, E''\n'' ORDER BY r::text COLLATE "C") FROM (%s) r', query) INTO result;
  RETURN result;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $f$;

-- How many column scans a query's plan has where they are required; NULL if it has
-- no plan.
CREATE FUNCTION pg_temp.scans(query text) RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
  line text;
  n bigint := 0;
BEGIN
  PERFORM set_config('gpured.debug_scan', 'require', true);
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    n := n + (line ~ 'Custom Scan \(GpuAggregate\)')::int;
  END LOOP;
  RETURN n;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $f$;

-- How many rows PostgreSQL has computed something for in a column scan; NULL if there
-- is none, or an error.
CREATE FUNCTION pg_temp.by_postgres(query text) RETURNS int LANGUAGE plpgsql AS $f$
DECLARE
  line text;
  scanned bool := false;
  result int := 0;
BEGIN
  PERFORM set_config('gpured.debug_scan', 'require', true);
  FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
    scanned := scanned OR line ~ 'Custom Scan \(GpuAggregate\)';
    result := coalesce(substring(line FROM 'Rows Computed by PostgreSQL: (\d+)')::int, result);
  END LOOP;
  RETURN CASE WHEN scanned THEN result END;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $f$;
