-- Sums beyond the range of their type: an error for the final total only.
CREATE TABLE overflow (k int, i int4, b int8, r float4, d float8);
INSERT INTO overflow VALUES
  (1, 2147483647, 9223372036854775807, '3.4028235e38', '1.7976931348623157e308'),
  (2, 2147483647, 9223372036854775807, '3.4028235e38', '1.7976931348623157e308'),
  (3, -2147483648, -9223372036854775808, '-3.4028235e38', '-1.7976931348623157e308'),
  (4, -2147483648, -9223372036854775808, '-3.4028235e38', '-1.7976931348623157e308'),
  (5, 1, 1, 1, 1);

-- the total is in range, whatever comes in between
SELECT gpu_sum(i ORDER BY k) = -1 AS i, gpu_sum(b ORDER BY k) = -1 AS b,
       gpu_sum(r ORDER BY k) = 1 AS r, gpu_sum(d ORDER BY k) = 1 AS d FROM overflow;
SELECT gpu_sum(b) = sum(b) AS sum, gpu_avg(b) = avg(b) AS avg, gpu_min(b) = min(b) AS min, gpu_max(b) = max(b) AS max
  FROM overflow;
SELECT k <= 2 AS positive, gpu_sum(b) = sum(b) AS sum, gpu_avg(b) = avg(b) AS avg FROM overflow GROUP BY 1 ORDER BY 1;
SELECT gpu_sum(b) = sum(b) AS sum, gpu_avg(b)::text = avg(b)::text AS avg
  FROM overflow, generate_series(1, 3000) WHERE k IN (3, 4);

-- it is not
SELECT gpu_sum(d) FROM overflow WHERE k <= 2;
SELECT gpu_sum(r) FROM overflow WHERE k <= 2;
SELECT k > 2, gpu_sum(d) FROM overflow GROUP BY 1 ORDER BY 1;
SELECT k, gpu_sum(d) OVER (ORDER BY k) FROM overflow;
SELECT gpu_prefix_sum(d ORDER BY k) FROM overflow;
SELECT gpu_prefix_sum(r ORDER BY k) FROM overflow;
SELECT gpu_sum(d) FROM overflow WHERE k IN (3, 4);

-- an infinity among the inputs is no overflow
SELECT gpu_sum(d) FROM (SELECT d FROM overflow WHERE k <= 2 UNION ALL SELECT 'Infinity') s;
SELECT gpu_sum(d) FROM (SELECT d FROM overflow WHERE k <= 2 UNION ALL SELECT '-Infinity') s;

-- averages of floats are finite where their value is
SELECT gpu_avg(d) = '1.7976931348623157e308' AS d, gpu_avg(r) = '3.4028235e38'::float4::float8 AS r FROM overflow WHERE k <= 2;

-- the last value that rounds to the largest one, and the first that does not
SELECT gpu_sum(x) = '1.7976931348623157e308' AS largest
  FROM (VALUES ('1.7976931348623157e308'::float8), (9.979201547673597e291)) v(x);
SELECT gpu_sum(x) FROM (VALUES ('1.7976931348623157e308'::float8), (9.979201547673599e291)) v(x);

-- frames raise for themselves
SELECT k, gpu_sum(b) OVER w = sum(b) OVER w AS b, gpu_sum(i) OVER w = sum(i) OVER w AS i
  FROM overflow WINDOW w AS (ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) ORDER BY k;
SELECT k, gpu_sum(d) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
  FROM overflow WHERE k > 1 AND k < 4 ORDER BY k;

DROP TABLE overflow;
