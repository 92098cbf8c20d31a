-- A float sum is the exact sum, rounded once: no order of the rows, no plan and
-- no grouping changes a bit of it.
\getenv abs_srcdir PG_ABS_SRCDIR
\set oracle :abs_srcdir '/test/oracle.sql'
\set ECHO none
\i :oracle
\set ECHO all

-- sums that a running float8 loses
SELECT gpu_sum(x) FROM (VALUES (1e100::float8), (3), (-1e100), (0.25)) v(x);
SELECT gpu_sum(x) FROM (VALUES (3::float8), (1e100), (0.25), (-1e100)) v(x);
SELECT gpu_sum(0.1::float8) FROM generate_series(1, 10000);

-- on either side of a tie: 2^53 + 1 and a hair
SELECT gpu_sum(x) = 9007199254740992 AS even FROM (VALUES (9007199254740992::float8), (1)) v(x);
SELECT gpu_sum(x) = 9007199254740994 AS above FROM (VALUES (9007199254740992::float8), (1), (1e-300)) v(x);
SELECT gpu_sum(x) = 9007199254740992 AS below FROM (VALUES (-1e-300::float8), (9007199254740992), (1)) v(x);
SELECT gpu_sum(x) = 9007199254740996 AS odd FROM (VALUES (9007199254740994::float8), (1)) v(x);

-- float4 is rounded once too, not first to float8: 2^24 + 1 is a tie
SELECT gpu_sum(x) = 16777216 AS even FROM (VALUES (16777216::float4), (1)) v(x);
SELECT gpu_sum(x) = 16777218 AS above FROM (VALUES (16777216::float4), (1), (1e-30)) v(x);

SELECT gpu_sum(x) = 16777616 AS beyond_2_24
  FROM (SELECT 16777216::float4 AS x UNION ALL SELECT 1 FROM generate_series(1, 400)) v;

-- values of all magnitudes against exact decimal arithmetic
CREATE TABLE order_free AS
  SELECT i, i % 7 AS g,
         (CASE WHEN i % 3 = 0 THEN -1 ELSE 1 END * (1 + i * 7919 % 4096 / 4096.0::float8)
          * power(2::float8, i * 104729 % 2000 - 1010)) AS wide,
         sin(i) * 1000 AS narrow,
         (sin(i) * power(2::float8, i * 104729 % 250 - 125))::float4 AS single
    FROM generate_series(1, 1500) i;
SELECT gpu_sum(wide)::text = pg_temp.sum8(array_agg(wide)) AS wide,
       gpu_sum(narrow)::text = pg_temp.sum8(array_agg(narrow)) AS narrow,
       gpu_sum(single)::text = pg_temp.sum4(array_agg(single)) AS single,
       gpu_avg(narrow)::text = pg_temp.avg8(array_agg(narrow)) AS avg,
       gpu_avg(wide)::text = pg_temp.avg8(array_agg(wide)) AS avg_wide,
       gpu_avg(single)::text = pg_temp.avg8(array_agg(single::float8)) AS avg_single
  FROM order_free;
SELECT g, gpu_sum(wide)::text = pg_temp.sum8(array_agg(wide)) AS wide,
       gpu_sum(narrow)::text = pg_temp.sum8(array_agg(narrow)) AS narrow,
       gpu_sum(single)::text = pg_temp.sum4(array_agg(single)) AS single
  FROM order_free GROUP BY g ORDER BY g;

-- the same rows in other orders
SELECT count(DISTINCT a::text), count(DISTINCT b::text), count(DISTINCT c::text), count(DISTINCT d::text)
  FROM (SELECT gpu_sum(wide) a, gpu_sum(narrow) b, gpu_sum(single) c, gpu_avg(wide) d FROM order_free
        UNION ALL
        SELECT gpu_sum(wide ORDER BY i DESC), gpu_sum(narrow ORDER BY i DESC),
               gpu_sum(single ORDER BY i DESC), gpu_avg(wide ORDER BY i DESC) FROM order_free
        UNION ALL
        SELECT gpu_sum(wide ORDER BY abs(wide)), gpu_sum(narrow ORDER BY narrow),
               gpu_sum(single ORDER BY abs(single)), gpu_avg(wide ORDER BY wide) FROM order_free
        UNION ALL
        SELECT gpu_sum(wide), gpu_sum(narrow), gpu_sum(single), gpu_avg(wide)
          FROM (SELECT * FROM order_free ORDER BY i * 7919 % 1501) s) q;

-- everything and its negative is zero, and a zero sum is +0
SELECT gpu_sum(x)::text FROM (SELECT wide x FROM order_free UNION ALL SELECT -wide FROM order_free) s;

DROP TABLE order_free;
