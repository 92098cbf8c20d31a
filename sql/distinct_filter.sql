-- DISTINCT, FILTER and ORDER BY inside the call, alone and together.
\pset null NULL
CREATE TABLE choose AS
  SELECT i, i % 3 AS g, CASE WHEN i % 8 = 0 THEN NULL ELSE i % 5 END AS v, (i % 4)::int8 AS b,
         (i % 6) / 4.0::float8 AS d, CASE WHEN i % 7 = 0 THEN NULL ELSE i % 2 = 0 END AS c
    FROM generate_series(1, 100) i;

SELECT gpu_sum(DISTINCT v) = sum(DISTINCT v) AS sum, gpu_avg(DISTINCT b) = avg(DISTINCT b) AS avg,
       gpu_count(DISTINCT v) = count(DISTINCT v) AS count, gpu_sum(DISTINCT d) = sum(DISTINCT d) AS float,
       gpu_max(DISTINCT v) = max(DISTINCT v) AS max FROM choose;
SELECT gpu_sum(v) FILTER (WHERE c) = sum(v) FILTER (WHERE c) AS filter, gpu_count(*) FILTER (WHERE c) = count(*) FILTER (WHERE c) AS count,
       gpu_sum(d) FILTER (WHERE NOT c) = sum(d) FILTER (WHERE NOT c) AS float,
       gpu_avg(v) FILTER (WHERE false) AS none, gpu_min(d) FILTER (WHERE NULL) AS unknown FROM choose;
SELECT gpu_sum(DISTINCT v) FILTER (WHERE c) = sum(DISTINCT v) FILTER (WHERE c) AS both,
       gpu_sum(DISTINCT v) FILTER (WHERE i < 4) = sum(DISTINCT v) FILTER (WHERE i < 4) AS other,
       gpu_sum(v) = sum(v) AS neither FROM choose;
SELECT g, gpu_sum(DISTINCT v) FILTER (WHERE c) = sum(DISTINCT v) FILTER (WHERE c) AS both,
       gpu_count(DISTINCT d) = count(DISTINCT d) AS count FROM choose GROUP BY g ORDER BY g;

-- a row that FILTER leaves out is not evaluated
SELECT gpu_sum(100 / v) FILTER (WHERE v <> 0) = sum(100 / v) FILTER (WHERE v <> 0) AS filter FROM choose;
SELECT gpu_sum(100 / v) FROM choose;

-- the order inside the call matters to prefix sums only
SELECT gpu_prefix_sum(DISTINCT v) FILTER (WHERE c) FROM choose;
SELECT gpu_prefix_sum(v ORDER BY v DESC NULLS LAST, i) FILTER (WHERE i <= 9) FROM choose;
SELECT gpu_sum(d ORDER BY i DESC) = gpu_sum(d ORDER BY d) AS sum FROM choose;

DROP TABLE choose;
