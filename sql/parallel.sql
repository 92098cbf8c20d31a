-- Partial states: combined, serialized and deserialized, the answers are those of
-- a plan in one process.
SET gpured.enable_column_scan = off;
CREATE TABLE parallel AS
  SELECT i, i % 13 AS g, (i % 30000)::int2 AS s, i * 7919 AS v, (i - 20000)::int8 * 461168601842738 AS b,
         (sin(i) * power(2::float8, i % 60 - 30))::float4 AS r, sin(i) * power(2::float8, i % 1800 - 900) AS d,
         CASE WHEN i % 3 = 0 THEN i END AS n, NULL::float8 AS none,
         CASE i WHEN 20000 THEN 'NaN' WHEN 7 THEN '-Infinity' ELSE i::float8 END AS special
    FROM generate_series(1, 40000) i;
ANALYZE parallel;
CREATE VIEW answers AS
  SELECT gpu_sum(s) a, gpu_sum(v) b, gpu_sum(b) c, gpu_sum(r) d, gpu_sum(d) e,
         gpu_avg(s) f, gpu_avg(v) g, gpu_avg(b) h, gpu_avg(r) i, gpu_avg(d) j,
         gpu_min(s) k, gpu_min(v) l, gpu_min(b) m, gpu_min(r) n, gpu_min(d) o,
         gpu_max(s) p, gpu_max(v) q, gpu_max(b) r, gpu_max(r) s, gpu_max(d) t,
         gpu_count(*) u, gpu_count(n) v, gpu_sum(n) w, gpu_sum(none) x, gpu_avg(none) y, gpu_max(none) z,
         gpu_sum(special) aa, gpu_min(special) ab, gpu_max(special) ac, gpu_avg(special) ad
    FROM parallel;
CREATE VIEW grouped AS
  SELECT g, gpu_sum(s) a, gpu_sum(v) b, gpu_sum(b) c, gpu_sum(r) d, gpu_sum(d) e,
         gpu_avg(s) f, gpu_avg(v) h, gpu_avg(b) i, gpu_avg(r) j, gpu_avg(d) k,
         gpu_min(b) l, gpu_max(d) m, gpu_count(n) n, gpu_sum(none) o, gpu_sum(special) p, gpu_max(special) q
    FROM parallel GROUP BY g;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE answers_alone AS SELECT * FROM answers;
CREATE TABLE grouped_alone AS SELECT * FROM grouped;
RESET max_parallel_workers_per_gather;

SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 3;
ALTER TABLE parallel SET (parallel_workers = 3);

-- there are partial aggregates in these plans
CREATE FUNCTION pg_temp.has_partial(query text) RETURNS bool LANGUAGE plpgsql AS $f$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line ~ 'Partial' THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END $f$;
SELECT pg_temp.has_partial('SELECT * FROM answers') AS answers, pg_temp.has_partial('SELECT * FROM grouped') AS grouped;

SELECT ours::text = alone::text AS same FROM answers ours, answers_alone alone;
SELECT count(*) AS groups, count(*) FILTER (WHERE ours::text = alone::text) AS same FROM grouped ours JOIN grouped_alone alone USING (g);

-- without the leader, so that every state was serialized
SET parallel_leader_participation = off;
SELECT ours::text = alone::text AS same FROM answers ours, answers_alone alone;
SELECT count(*) AS groups, count(*) FILTER (WHERE ours::text = alone::text) AS same FROM grouped ours JOIN grouped_alone alone USING (g);
RESET parallel_leader_participation;

-- against the built-in, where it is exact
SELECT gpu_sum(v) = sum(v) AS v, gpu_sum(b) = sum(b) AS b, gpu_avg(b) = avg(b) AS avg, gpu_min(d) = min(d) AS min,
       gpu_max(special) = max(special) AS max, gpu_count(n) = count(n) AS count FROM parallel;

-- a prefix sum has no partial states, and is right all the same
SELECT gpu_prefix_sum(v ORDER BY i) = (SELECT array_agg(s ORDER BY i) FROM (SELECT i, sum(v) OVER (ORDER BY i) AS s FROM parallel) q) AS prefix
  FROM parallel;

DROP VIEW answers, grouped;
DROP TABLE parallel, answers_alone, grouped_alone;
