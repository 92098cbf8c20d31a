-- NaN, infinities and signed zeros, at every position among the rows.
\getenv abs_srcdir PG_ABS_SRCDIR
\set oracle :abs_srcdir '/test/oracle.sql'
\set ECHO none
\i :oracle
\set ECHO all

-- all sequences of up to three of these values: sums and averages against the oracle
CREATE TABLE specials (x float8);
INSERT INTO specials VALUES ('NaN'), ('Infinity'), ('-Infinity'), ('-0'), ('0'), (1.5), (-1.5), (NULL);
CREATE TABLE sequences AS
  SELECT row_number() OVER () AS id, s.*
    FROM (SELECT ARRAY[a.x, b.x, c.x] AS v
            FROM specials a, specials b, specials c) s;
SELECT count(*) AS sequences,
       count(*) FILTER (WHERE gpu8 IS DISTINCT FROM pg_temp.sum8(v)) AS wrong_sum8,
       count(*) FILTER (WHERE gpu4 IS DISTINCT FROM pg_temp.sum4(v::float4[])) AS wrong_sum4,
       count(*) FILTER (WHERE avg8 IS DISTINCT FROM pg_temp.avg8(v)) AS wrong_avg8,
       count(*) FILTER (WHERE avg4 IS DISTINCT FROM pg_temp.avg8(v)) AS wrong_avg4,
       count(*) FILTER (WHERE min8 IS DISTINCT FROM (SELECT min(u) FROM unnest(v) u)) AS wrong_min8,
       count(*) FILTER (WHERE max8 IS DISTINCT FROM (SELECT max(u) FROM unnest(v) u)) AS wrong_max8,
       count(*) FILTER (WHERE min4 IS DISTINCT FROM (SELECT min(u::float4) FROM unnest(v) u)) AS wrong_min4,
       count(*) FILTER (WHERE max4 IS DISTINCT FROM (SELECT max(u::float4) FROM unnest(v) u)) AS wrong_max4
  FROM (SELECT id, v, gpu_sum(u)::text AS gpu8, gpu_sum(u::float4)::text AS gpu4,
               gpu_avg(u)::text AS avg8, gpu_avg(u::float4)::text AS avg4,
               gpu_min(u) AS min8, gpu_max(u) AS max8,
               gpu_min(u::float4) AS min4, gpu_max(u::float4) AS max4
          FROM sequences, unnest(v) u GROUP BY id, v) q;

-- the same without a GROUP BY
SELECT count(*) AS sequences, count(*) FILTER (WHERE NOT same) AS wrong
  FROM (SELECT (SELECT gpu_sum(u)::text FROM unnest(v) u) IS NOT DISTINCT FROM pg_temp.sum8(v) AND
               (SELECT gpu_sum(u::float4)::text FROM unnest(v) u) IS NOT DISTINCT FROM pg_temp.sum4(v::float4[]) AND
               (SELECT gpu_avg(u)::text FROM unnest(v) u) IS NOT DISTINCT FROM pg_temp.avg8(v) AND
               (SELECT gpu_max(u) FROM unnest(v) u) IS NOT DISTINCT FROM (SELECT max(u) FROM unnest(v) u) AND
               (SELECT gpu_min(u::float4) FROM unnest(v) u) IS NOT DISTINCT FROM (SELECT min(u::float4) FROM unnest(v) u)
               AS same
          FROM sequences) q;

-- zeros: a sum of only -0 is -0, an average of it is 0; min prefers -0, max +0
SELECT gpu_sum(x), gpu_avg(x), gpu_min(x), gpu_max(x) FROM (VALUES ('-0'::float8), ('-0')) v(x);
SELECT gpu_sum(x), gpu_avg(x), gpu_min(x), gpu_max(x) FROM (VALUES ('-0'::float8), ('0')) v(x);
SELECT gpu_sum(x), gpu_avg(x), gpu_min(x), gpu_max(x) FROM (VALUES ('0'::float8), ('-0')) v(x);
SELECT gpu_sum(x), gpu_avg(x), gpu_min(x), gpu_max(x) FROM (VALUES ('-0'::float4), ('-0')) v(x);
SELECT gpu_min(x), gpu_max(x) FROM (VALUES ('-0'::float4), ('0')) v(x);

-- NaN is PostgreSQL's own, whatever its bits were
SELECT float8send(gpu_max(x)) = float8send('NaN') AS max, float8send(gpu_sum(x)) = float8send('NaN') AS sum
  FROM (VALUES (-('NaN'::float8)), (1)) v(x);
SELECT gpu_min(x) AS min, gpu_max(x) AS max FROM (VALUES (-('NaN'::float8)), (1)) v(x);

-- subnormals and the largest values
SELECT gpu_sum(x) = 1.5e-323 AS subnormal FROM (VALUES (5e-324::float8), (5e-324), (5e-324)) v(x);
SELECT gpu_sum(x) = '1.7976931348623157e308' AS largest
  FROM (VALUES ('1.7976931348623157e308'::float8), (1e291), (-1e291)) v(x);
SELECT gpu_avg(x) = '1.7976931348623157e308' AS mean
  FROM (VALUES ('1.7976931348623157e308'::float8), ('1.7976931348623157e308')) v(x);
SELECT gpu_avg(x) = 5e-324 AS mean FROM (VALUES (5e-324::float8), (5e-324)) v(x);
SELECT gpu_avg(x) = 0 AS tie_to_even FROM (VALUES (5e-324::float8), (0)) v(x);

DROP TABLE specials, sequences;
