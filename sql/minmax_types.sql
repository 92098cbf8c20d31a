-- Minima and maxima of all other types: the answers, types and collations of the
-- built-in.
\pset null NULL
CREATE TYPE grade AS ENUM ('low', 'middle', 'high', 'a');
CREATE TABLE kinds AS
  SELECT i, i % 5 AS g, date '2000-01-01' + i * 7919 % 10007 AS d, time '00:00' + i * interval '7919 seconds' AS t,
         (time '00:00' + i * interval '7919 seconds') AT TIME ZONE interval '01:00' AS tz, timestamp '2000-01-01' + i * interval '104729 seconds' AS ts,
         timestamptz '2000-01-01 00:00+00' + (i * 104729 % 9999) * interval '1 hour' AS tsz, make_interval(0, i % 20, 0, i * 31 % 100) AS iv,
         (i * 7919 % 10007)::int8::money AS m, (i * 2654435761 % 4294967296)::oid AS o, (i::int8 * 2654435761)::text::xid8 AS x, ('0/' || to_hex(i * 7919))::pg_lsn AS l,
         format('(%s,%s)', i * 7919 % 101, i % 10 + 1)::tid AS td, ('10.' || i % 256 || '.' || i * 31 % 256 || '.1/' || 8 + i % 24)::inet AS ip,
         md5(i::text) AS tx, md5(i::text)::varchar(20) AS vc, left(md5(i::text), 1 + i % 9)::bpchar AS bc, md5(i::text)::name AS nm,
         ARRAY[i % 3, i % 7, i] AS a, (ARRAY['low', 'middle', 'high', 'a'])[1 + i % 4]::grade AS e
    FROM generate_series(1, 500) i;
INSERT INTO kinds (i, g) VALUES (501, 0), (502, 5);
INSERT INTO kinds (i, g, d, ts, tsz) VALUES (503, 1, 'infinity', '-infinity', 'infinity');
ANALYZE kinds;

-- a column is compared with the built-in's, as text, in groups and without
CREATE FUNCTION pg_temp.differ(tail text) RETURNS TABLE (columns bigint, "differing columns" text[]) LANGUAGE plpgsql AS $f$
DECLARE
  name text;
  same boolean;
BEGIN
  columns := 0;
  "differing columns" := '{}';
  FOREACH name IN ARRAY '{d,t,tz,ts,tsz,iv,m,o,x,l,td,ip,tx,vc,bc,nm,a,e}'::text[] LOOP
    EXECUTE format('SELECT bool_and(least IS NOT DISTINCT FROM gpu_least AND greatest IS NOT DISTINCT FROM gpu_greatest AND same_types)
                      FROM (SELECT gpu_min(%1$s) AS gpu_least, min(%1$s) AS least, gpu_max(%1$s) AS gpu_greatest, max(%1$s) AS greatest,
                                   pg_typeof(gpu_min(%1$s)) = pg_typeof(min(%1$s)) AND pg_typeof(gpu_max(%1$s)) = pg_typeof(max(%1$s)) AS same_types
                              FROM kinds %2$s) q', name, tail) INTO same;
    columns := columns + 1;
    IF same IS NOT TRUE THEN
      "differing columns" := "differing columns" || name;
    END IF;
  END LOOP;
  RETURN NEXT;
END $f$;
SELECT * FROM pg_temp.differ('');
SELECT * FROM pg_temp.differ('GROUP BY g');
SELECT * FROM pg_temp.differ('WHERE g = 5');
SELECT * FROM pg_temp.differ('WHERE false');
SELECT gpu_min(e), gpu_max(e), gpu_min(a), gpu_max(a), gpu_max(d), gpu_min(ts), gpu_max(tsz) FROM kinds;
SELECT gpu_max(e) OVER (ORDER BY i ROWS 2 PRECEDING), gpu_min(tx) OVER (ORDER BY i DESC ROWS 2 PRECEDING) FROM kinds WHERE i <= 5 ORDER BY i;

-- in parallel
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ALTER TABLE kinds SET (parallel_workers = 2);
SELECT gpu_min(e) = min(e) AS e, gpu_max(a) = max(a) AS a, gpu_max(tx) = max(tx) AS tx, gpu_min(iv) = min(iv) AS iv, gpu_max(ip) = max(ip) AS ip,
       gpu_min(bc) = min(bc) AS bc, gpu_min(td) = min(td) AS td, gpu_max(x) = max(x) AS x FROM kinds;

-- collations: that of the argument; two of them are no answer
SELECT gpu_min(x COLLATE "C"), gpu_max(x COLLATE "C") FROM (VALUES ('a'), ('b'), ('B'), ('A')) v(x);
SELECT gpu_max(x || y) FROM (VALUES ('a' COLLATE "C", 'b' COLLATE "POSIX"), ('c', 'd')) v(x, y);

-- an index serves, as it does the built-in
CREATE INDEX ON kinds (tx);
CREATE INDEX ON kinds (e);
CREATE INDEX ON kinds (d);
CREATE FUNCTION pg_temp.uses_index(query text) RETURNS boolean LANGUAGE plpgsql AS $f$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line ~ 'Index (Only )?Scan' THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $f$;
SET enable_seqscan = off;
SET gpured.debug_scan = allow;
SELECT f || '(' || c || ')' AS query, pg_temp.uses_index(format('SELECT gpu_%s(%s) FROM kinds', f, c)) AS uses_index,
       pg_temp.uses_index(format('SELECT %s(%s) FROM kinds', f, c)) AS builtin_uses_index
  FROM (VALUES ('min'), ('max')) f(f), (VALUES ('tx'), ('e'), ('d')) c(c) ORDER BY 1;
SELECT gpu_max(tx) = max(tx) AS tx, gpu_min(e) AS e, gpu_max(d) AS d FROM kinds;

-- functions for any type that has an order, here one that PostgreSQL 15 has no minimum of
CREATE AGGREGATE pg_temp.least(uuid) (sfunc = gpured_smaller, stype = uuid, combinefunc = gpured_smaller, parallel = safe);
CREATE AGGREGATE pg_temp.greatest(anyelement) (sfunc = gpured_larger, stype = anyelement, combinefunc = gpured_larger, parallel = safe);
SELECT count(*) FILTER (WHERE least IS DISTINCT FROM sorted[1]) AS other_least,
       count(*) FILTER (WHERE greatest IS DISTINCT FROM sorted[cardinality(sorted)]) AS other_greatest
  FROM (SELECT pg_temp.least(tx::uuid), pg_temp.greatest(tx::uuid),
               array_agg(tx::uuid ORDER BY tx::uuid) FILTER (WHERE tx IS NOT NULL) AS sorted FROM kinds GROUP BY g) q;
SELECT gpured_larger(text 'b' COLLATE "C", 'B'), gpured_smaller(text 'b' COLLATE "C", 'B'), gpured_larger(1, NULL);
SELECT gpured_larger(point '(1,2)', point '(2,1)');

-- bytea, which has built-in extremes from PostgreSQL 18 on: by bytes, a prefix before what it begins
CREATE TABLE bytes AS SELECT i, i % 5 AS g, decode(left(md5(i::text), i % 17 * 2), 'hex') AS b FROM generate_series(1, 500) i;
INSERT INTO bytes VALUES (501, 5, NULL), (502, 6, '\x00'), (503, 6, '\x'), (504, 6, '\x0000'), (505, 6, '\xff'), (506, 6, '\xff00'),
  (507, 7, repeat('a', 300000)::bytea), (508, 7, repeat('a', 299999)::bytea || 'b');
ANALYZE bytes;
CREATE VIEW extremes AS
  SELECT g, gpu_min(b) AS least, gpu_max(b) AS greatest, (array_agg(b ORDER BY b))[1] AS first, (array_agg(b ORDER BY b DESC NULLS LAST))[1] AS last
    FROM bytes GROUP BY ROLLUP (g);
SELECT count(*), count(*) FILTER (WHERE least IS DISTINCT FROM first) AS other_least,
       count(*) FILTER (WHERE greatest IS DISTINCT FROM last) AS other_greatest FROM extremes;
SELECT g, least, greatest FROM extremes WHERE g IN (5, 6) ORDER BY g;
SELECT gpu_min(b), gpu_max(b) FROM bytes WHERE false;
SELECT count(*) FILTER (WHERE least IS DISTINCT FROM first OR greatest IS DISTINCT FROM last) AS other
  FROM (SELECT gpu_min(b) OVER w AS least, gpu_max(b) OVER w AS greatest, array_agg(b) OVER w AS frame FROM bytes
        WINDOW w AS (ORDER BY i ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING)) q,
       LATERAL (SELECT (array_agg(b ORDER BY b))[1] AS first, (array_agg(b ORDER BY b DESC NULLS LAST))[1] AS last FROM unnest(frame) b) f;
ALTER TABLE bytes SET (parallel_workers = 2);
SELECT gpu_min(b), length(gpu_max(b)), gpu_max(b) = (SELECT b FROM bytes WHERE b IS NOT NULL ORDER BY b DESC LIMIT 1) AS greatest FROM bytes;
CREATE INDEX ON bytes (b) WHERE i < 507;
SELECT pg_temp.uses_index('SELECT gpu_min(b) FROM bytes WHERE i < 507') AS min, pg_temp.uses_index('SELECT gpu_max(b) FROM bytes WHERE i < 507') AS max;
SELECT gpu_min(b), gpu_max(b) FROM bytes WHERE i < 507;
DROP VIEW extremes;
DROP TABLE bytes;

-- arrays of what cannot be ordered
SELECT gpu_min(x) FROM (VALUES (ARRAY[point '(1,2)']), (ARRAY[point '(2,1)'])) v(x);
DROP TABLE kinds;
DROP TYPE grade;
