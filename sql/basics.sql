-- Integers, minima, maxima and counts answer as the built-in aggregates do: the
-- same type, the same value, the same digits.
CREATE TABLE basics AS
  SELECT i, (i * 7919 % 65536 - 32768)::int2 AS int2,
         (i::int8 * 104729 * 7919 % 4294967296 - 2147483648)::int4 AS int4,
         (i * 7919 % 5000 - 2500)::int8 * 3689348814741910 AS int8,
         (i * 7919 % 65536)::float4 / 256 - 100 AS float4,
         (i * 104729 % 1000003)::float8 / 1024 - 400 AS float8
    FROM generate_series(1, 5000) i;

-- the type and the text of an aggregate of a column
CREATE FUNCTION pg_temp.answer(aggregate text, type text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
  result text;
BEGIN
  EXECUTE format('SELECT pg_typeof(%1$s(%2$s)) || '' '' || %1$s(%2$s) FROM basics', aggregate, type) INTO result;
  RETURN result;
END $f$;
SELECT aggregate, type, pg_temp.answer('gpu_' || aggregate, type) = pg_temp.answer(aggregate, type) AS same
  FROM unnest('{sum,avg,min,max,count}'::text[]) aggregate, unnest('{int2,int4,int8,float4,float8}'::text[]) type;

-- ten rows at a time, so that there are averages with many kinds of fractions
SELECT i / 10 AS tens, gpu_avg(int2), gpu_avg(int4), gpu_avg(int8)
  FROM basics GROUP BY 1
EXCEPT
SELECT i / 10 AS tens, avg(int2), avg(int4), avg(int8)
  FROM basics GROUP BY 1;

SELECT gpu_count(*) = count(*) AS count, gpu_sum(i) = sum(i) AS sum FROM basics;

-- several aggregates of one column have states of their own
SELECT gpu_sum(int4) = sum(int4) AS sum, gpu_avg(int4) = avg(int4) AS avg,
       gpu_sum(int4) + gpu_sum(int4) = 2 * sum(int4) AS twice,
       gpu_min(int4) = min(int4) AS min, gpu_max(int4) = max(int4) AS max
  FROM basics;

-- arguments that are expressions, and aggregates in expressions, HAVING and subqueries
SELECT gpu_sum(int4 % 100 + 1) = sum(int4 % 100 + 1) AS expression,
       (SELECT gpu_max(b.i) FROM basics b WHERE b.i < max(a.i)) = max(a.i) - 1 AS subquery
  FROM basics a HAVING gpu_count(*) = 5000;

-- run again for each outer row
SELECT n, s = n * (n + 1) / 2 AS sum, m = n AS max, array_length(p, 1) = n AS prefix
  FROM (VALUES (1), (3), (100), (2)) v(n),
       LATERAL (SELECT gpu_sum(i) AS s, gpu_max(i) AS m, gpu_prefix_sum(i ORDER BY i) AS p
                  FROM basics WHERE i <= n) l;

-- a minimum or maximum can be read from an index
CREATE INDEX basics_int4 ON basics (int4);
SELECT gpu_min(int4) = min(int4) AS min, gpu_max(int4) = max(int4) AS max FROM basics;

DROP TABLE basics;
