-- Prefix minima and maxima: element i is the extreme of the first i values.
\pset null NULL
SELECT pg_typeof(gpu_prefix_min(1::int2)), pg_typeof(gpu_prefix_max(1::int4)), pg_typeof(gpu_prefix_min(1::int8)),
       pg_typeof(gpu_prefix_max(1::float4)), pg_typeof(gpu_prefix_min(1::float8)), pg_typeof(gpu_prefix_max(1::numeric));

-- NULLs and the order of the rows
CREATE TABLE prefix (g int, k int, v int);
INSERT INTO prefix VALUES (1, 1, NULL), (1, 2, NULL), (1, 3, 5), (1, 4, NULL), (1, 5, -2), (1, 6, 7), (1, 7, NULL),
  (2, 1, NULL), (2, 2, NULL), (3, 1, 4), (4, 3, 30), (4, 1, 10), (4, 2, 20);
SELECT g, gpu_prefix_min(v ORDER BY k), gpu_prefix_max(v ORDER BY k) FROM prefix GROUP BY g ORDER BY g;
SELECT g, gpu_prefix_min(v ORDER BY k DESC), gpu_prefix_max(v ORDER BY k DESC) FROM prefix GROUP BY g ORDER BY g;
SELECT g, gpu_prefix_min(v, true ORDER BY k), gpu_prefix_max(v, true ORDER BY k) FROM prefix GROUP BY g ORDER BY g;
SELECT g, gpu_prefix_min(v::numeric, true ORDER BY k), gpu_prefix_max(v::numeric ORDER BY k) FROM prefix GROUP BY g ORDER BY g;
SELECT gpu_prefix_min(v ORDER BY v DESC) FILTER (WHERE v > 0), gpu_prefix_max(DISTINCT v) FROM prefix;
SELECT gpu_prefix_min(v), gpu_prefix_max(v, true), gpu_prefix_min(v::numeric) FROM prefix WHERE g = 99;

-- NaN is the greatest; zeros: a minimum gives -0, a maximum 0; in any order
SELECT gpu_prefix_min(d ORDER BY k), gpu_prefix_max(d ORDER BY k), gpu_prefix_min(d::float4 ORDER BY k), gpu_prefix_max(d::float4 ORDER BY k)
  FROM (VALUES (1, 'NaN'::float8), (2, NULL), (3, 'Infinity'), (4, '0'), (5, '-0'), (6, '-Infinity')) v(k, d);
SELECT gpu_prefix_min(d ORDER BY k), gpu_prefix_max(d ORDER BY k)
  FROM (VALUES (1, '-Infinity'::float8), (2, NULL), (3, '-0'), (4, '0'), (5, '-0'), (6, 'Infinity'), (7, 'NaN')) v(k, d);
SELECT gpu_prefix_min(n ORDER BY k), gpu_prefix_max(n ORDER BY k)
  FROM (VALUES (1, 1.0), (2, 1.00), (3, 1), (4, 'NaN'), (5, '-Infinity'), (6, 'Infinity')) v(k, n);
SELECT gpu_prefix_min(x ORDER BY x DESC), gpu_prefix_max(x ORDER BY x) FROM (VALUES ((-32768)::int2), (32767::int2), (0::int2)) v(x);
SELECT gpu_prefix_min(x ORDER BY x DESC), gpu_prefix_max(x ORDER BY x) FROM (VALUES (-9223372036854775808), (9223372036854775807), (0)) v(x);

-- several chunks, all types, NULLs here and there: equal to extremes over frames
CREATE TABLE long AS
  SELECT i, CASE WHEN i % 10 < 2 THEN NULL ELSE (i * 7919 % 65536 - 32768)::int2 END AS s,
         CASE WHEN i < 40 OR i % 10 = 3 THEN NULL ELSE (i * 7919 % 10007) * CASE WHEN i % 2 = 0 THEN i ELSE -i END END AS v,
         CASE WHEN i % 10 = 4 THEN NULL ELSE (i - 2000)::int8 * 3074457345618258 END AS b,
         CASE WHEN i < 100 THEN NULL ELSE (sin(i) * power(2::float8, i % 60 - 30))::float4 END AS r,
         CASE WHEN i % 10 = 6 THEN NULL ELSE sin(i) * power(2::float8, i % 1800 - 900) END AS d,
         CASE WHEN i % 10 = 7 THEN NULL ELSE round((sin(i) * i)::numeric, i % 5) END AS n
    FROM generate_series(1, 5000) i;
CREATE FUNCTION pg_temp.differ(bounds text, exclusive text) RETURNS TABLE (aggregates bigint, differing text[]) LANGUAGE plpgsql AS $f$
DECLARE
  f text;
  c text;
  same boolean;
BEGIN
  aggregates := 0;
  differing := '{}';
  FOREACH f IN ARRAY '{min,max}'::text[] LOOP
    FOREACH c IN ARRAY '{s,v,b,r,d,n}'::text[] LOOP
      EXECUTE format('SELECT gpu_prefix_%1$s(%2$s%4$s ORDER BY i)::text = array_agg(x ORDER BY i)::text
                        FROM (SELECT i, %2$s, gpu_%1$s(%2$s) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND %3$s) AS x FROM long) q',
                     f, c, bounds, exclusive) INTO same;
      aggregates := aggregates + 1;
      IF same IS NOT TRUE THEN
        differing := differing || (f || '(' || c || ')');
      END IF;
    END LOOP;
  END LOOP;
  RETURN NEXT;
END $f$;
SELECT * FROM pg_temp.differ('CURRENT ROW', '');
SELECT * FROM pg_temp.differ('CURRENT ROW', ', false');
SELECT * FROM pg_temp.differ('1 PRECEDING', ', true');
SELECT gpu_prefix_max(v ORDER BY i) = array_agg(x ORDER BY i) AS builtin
  FROM (SELECT i, v, max(v) OVER (ORDER BY i) AS x FROM long) q;

-- messages
SELECT gpu_prefix_min(v, NULL) FROM prefix;
SELECT gpu_prefix_max(v, k = 1 ORDER BY k) FROM prefix;
SELECT gpu_prefix_max(v) OVER (ORDER BY k) FROM prefix;
SELECT gpu_prefix_min(v::numeric) OVER (ORDER BY k) FROM prefix;
SELECT gpu_prefix_max(v::numeric, NULL) FROM prefix;
DROP TABLE prefix, long;
