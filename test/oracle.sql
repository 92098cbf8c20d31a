-- Oracles for the regression tests, all in pg_temp.
--
-- A float is a fraction with a power of two below it, so it has a finite decimal
-- expansion: numeric arithmetic on it is exact, and the cast back to a float
-- rounds once, correctly.
CREATE FUNCTION pg_temp.exact(x float8) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $f$
DECLARE
  bits int8 := ('x' || encode(float8send(x), 'hex'))::bit(64)::int8;
  exponent int := ((bits >> 52) & 2047)::int;
  mantissa numeric := bits & 4503599627370495;
BEGIN
  IF exponent > 0 THEN
    mantissa := mantissa + 4503599627370496;
  ELSE
    exponent := 1;
  END IF;
  IF bits < 0 THEN
    mantissa := -mantissa;
  END IF;
  exponent := exponent - 1075;
  IF exponent >= 0 THEN
    RETURN mantissa * trunc(2::numeric ^ exponent);
  END IF;
  RETURN mantissa * trunc(5::numeric ^ -exponent) * ('1e' || exponent)::numeric;
END $f$;

-- The exact sum of the values that are not NULL as a numeric; NaN and infinities
-- as float addition has them.
CREATE FUNCTION pg_temp.total(x float8[]) RETURNS numeric LANGUAGE sql IMMUTABLE AS $f$
  SELECT CASE
    WHEN 'NaN' = ANY (x) OR ('Infinity' = ANY (x) AND '-Infinity' = ANY (x)) THEN 'NaN'
    WHEN 'Infinity' = ANY (x) THEN 'Infinity'
    WHEN '-Infinity' = ANY (x) THEN '-Infinity'
    ELSE (SELECT sum(pg_temp.exact(v)) FROM unnest(x) v WHERE v IS NOT NULL)
  END $f$;

-- What gpu_sum must answer, as text: every bit of the result shows in it.
CREATE FUNCTION pg_temp.sum8(x float8[]) RETURNS text LANGUAGE sql IMMUTABLE AS $f$
  SELECT CASE WHEN NOT EXISTS (SELECT FROM unnest(x) v WHERE v IS NOT NULL AND v::text <> '-0')
    THEN CASE WHEN array_remove(x, NULL) <> '{}' THEN '-0' END
    ELSE pg_temp.total(x)::float8::text END $f$;
CREATE FUNCTION pg_temp.sum4(x float4[]) RETURNS text LANGUAGE sql IMMUTABLE AS $f$
  SELECT CASE WHEN NOT EXISTS (SELECT FROM unnest(x) v WHERE v IS NOT NULL AND v::text <> '-0')
    THEN CASE WHEN array_remove(x, NULL) <> '{}' THEN '-0' END
    ELSE pg_temp.total(x)::float4::text END $f$;

-- The same for gpu_avg.  The quotient is kept to 400 digits: enough to round
-- correctly unless it is within that of a tie, which the tests' data are not.
CREATE FUNCTION pg_temp.avg8(x float8[]) RETURNS text LANGUAGE sql IMMUTABLE AS $f$
  SELECT CASE WHEN t IN ('NaN', 'Infinity', '-Infinity') THEN t::float8::text
    ELSE (t * 1e400 / n * 1e-400)::float8::text END
    FROM (SELECT pg_temp.total(x) AS t,
                 (SELECT count(v) FROM unnest(x) v) AS n) s $f$;

-- The result of a query of one value as text, or its error.
CREATE FUNCTION pg_temp.try(query text) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
  result text;
BEGIN
  EXECUTE query INTO result;
  RETURN coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS OR query_canceled THEN
  RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $f$;
