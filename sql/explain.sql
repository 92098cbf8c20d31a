-- The plans that PostgreSQL makes of these aggregates.
SET gpured.enable_column_scan = off;
CREATE TABLE explained AS SELECT i, i % 10 AS g, i::float8 AS d FROM generate_series(1, 20000) i;
CREATE INDEX explained_i ON explained (i);
ANALYZE explained;
SET max_parallel_workers_per_gather = 0;

-- SORTOP: an index answers min and max
EXPLAIN (COSTS OFF) SELECT gpu_min(i), gpu_max(i) FROM explained;
EXPLAIN (COSTS OFF) SELECT gpu_sum(d) FROM explained;
-- SSPACE: the planner knows that a group is small, and hashes
EXPLAIN (COSTS OFF) SELECT d, gpu_sum(d), gpu_avg(d), gpu_max(d) FROM explained GROUP BY d;
-- partial states
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT gpu_sum(d), gpu_avg(i), gpu_max(d), gpu_count(*) FROM explained;
EXPLAIN (COSTS OFF) SELECT g, gpu_sum(d) FROM explained GROUP BY g;
EXPLAIN (COSTS OFF) SELECT gpu_prefix_sum(i ORDER BY i) FROM explained;
DROP TABLE explained;
