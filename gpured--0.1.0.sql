/* gpured--0.1.0.sql */

\echo Use "CREATE EXTENSION gpured" to load this file. \quit

CREATE FUNCTION gpured_version() RETURNS text
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpured_version() IS 'version of the loaded gpured library';

/*
 * Sums.  Of integers: exact, of type bigint or numeric as the built-in.  Of
 * floats: exact and rounded once.  Moving sums share the functions of averages.
 */
CREATE FUNCTION gpured_int2_sum(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_sum(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_sum(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int_sum_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int_sum_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_int_sum_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_int_sum_bigint(internal) RETURNS int8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int_sum_numeric(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_sum(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_sum(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float_sum_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float_sum_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_float_sum_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_float4_sum_final(internal) RETURNS float4
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_sum_final(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

/* Averages, and what a moving sum or average needs. */
CREATE FUNCTION gpured_int2_avg_step(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_avg_inverse(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_avg_step(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_avg_inverse(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_avg_step(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_avg_inverse(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int_avg_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int_avg_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_int_avg_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_int_avg(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int_moving_sum_bigint(internal) RETURNS int8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int_moving_sum_numeric(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_avg_step(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_avg_step(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float_avg_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float_avg_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_float_avg_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_float_avg(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_moving_step(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_moving_inverse(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_moving_step(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_moving_inverse(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_moving_sum(internal) RETURNS float4
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_moving_sum(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float_moving_avg(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpu_sum(int2) (
    sfunc = gpured_int2_sum, stype = internal, sspace = 8,
    finalfunc = gpured_int_sum_bigint,
    combinefunc = gpured_int_sum_combine,
    serialfunc = gpured_int_sum_serialize, deserialfunc = gpured_int_sum_deserialize,
    msfunc = gpured_int2_avg_step, minvfunc = gpured_int2_avg_inverse,
    mstype = internal, msspace = 32, mfinalfunc = gpured_int_moving_sum_bigint,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_sum(int2) IS 'exact sum of int2 values';

CREATE AGGREGATE gpu_sum(int4) (
    sfunc = gpured_int4_sum, stype = internal, sspace = 8,
    finalfunc = gpured_int_sum_bigint,
    combinefunc = gpured_int_sum_combine,
    serialfunc = gpured_int_sum_serialize, deserialfunc = gpured_int_sum_deserialize,
    msfunc = gpured_int4_avg_step, minvfunc = gpured_int4_avg_inverse,
    mstype = internal, msspace = 32, mfinalfunc = gpured_int_moving_sum_bigint,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_sum(int4) IS 'exact sum of int4 values';

CREATE AGGREGATE gpu_sum(int8) (
    sfunc = gpured_int8_sum, stype = internal, sspace = 8,
    finalfunc = gpured_int_sum_numeric,
    combinefunc = gpured_int_sum_combine,
    serialfunc = gpured_int_sum_serialize, deserialfunc = gpured_int_sum_deserialize,
    msfunc = gpured_int8_avg_step, minvfunc = gpured_int8_avg_inverse,
    mstype = internal, msspace = 32, mfinalfunc = gpured_int_moving_sum_numeric,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_sum(int8) IS 'exact sum of int8 values';

CREATE AGGREGATE gpu_sum(float4) (
    sfunc = gpured_float4_sum, stype = internal, sspace = 32,
    finalfunc = gpured_float4_sum_final,
    combinefunc = gpured_float_sum_combine,
    serialfunc = gpured_float_sum_serialize, deserialfunc = gpured_float_sum_deserialize,
    msfunc = gpured_float4_moving_step, minvfunc = gpured_float4_moving_inverse,
    mstype = internal, msspace = 96, mfinalfunc = gpured_float4_moving_sum,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_sum(float4) IS 'exact sum of float4 values, rounded once';

CREATE AGGREGATE gpu_sum(float8) (
    sfunc = gpured_float8_sum, stype = internal, sspace = 32,
    finalfunc = gpured_float8_sum_final,
    combinefunc = gpured_float_sum_combine,
    serialfunc = gpured_float_sum_serialize, deserialfunc = gpured_float_sum_deserialize,
    msfunc = gpured_float8_moving_step, minvfunc = gpured_float8_moving_inverse,
    mstype = internal, msspace = 96, mfinalfunc = gpured_float8_moving_sum,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_sum(float8) IS 'exact sum of float8 values, rounded once';

CREATE AGGREGATE gpu_avg(int2) (
    sfunc = gpured_int2_avg_step, stype = internal, sspace = 32,
    finalfunc = gpured_int_avg,
    combinefunc = gpured_int_avg_combine,
    serialfunc = gpured_int_avg_serialize, deserialfunc = gpured_int_avg_deserialize,
    msfunc = gpured_int2_avg_step, minvfunc = gpured_int2_avg_inverse,
    mstype = internal, msspace = 32, mfinalfunc = gpured_int_avg,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_avg(int2) IS 'average of int2 values';

CREATE AGGREGATE gpu_avg(int4) (
    sfunc = gpured_int4_avg_step, stype = internal, sspace = 32,
    finalfunc = gpured_int_avg,
    combinefunc = gpured_int_avg_combine,
    serialfunc = gpured_int_avg_serialize, deserialfunc = gpured_int_avg_deserialize,
    msfunc = gpured_int4_avg_step, minvfunc = gpured_int4_avg_inverse,
    mstype = internal, msspace = 32, mfinalfunc = gpured_int_avg,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_avg(int4) IS 'average of int4 values';

CREATE AGGREGATE gpu_avg(int8) (
    sfunc = gpured_int8_avg_step, stype = internal, sspace = 32,
    finalfunc = gpured_int_avg,
    combinefunc = gpured_int_avg_combine,
    serialfunc = gpured_int_avg_serialize, deserialfunc = gpured_int_avg_deserialize,
    msfunc = gpured_int8_avg_step, minvfunc = gpured_int8_avg_inverse,
    mstype = internal, msspace = 32, mfinalfunc = gpured_int_avg,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_avg(int8) IS 'average of int8 values';

CREATE AGGREGATE gpu_avg(float4) (
    sfunc = gpured_float4_avg_step, stype = internal, sspace = 64,
    finalfunc = gpured_float_avg,
    combinefunc = gpured_float_avg_combine,
    serialfunc = gpured_float_avg_serialize, deserialfunc = gpured_float_avg_deserialize,
    msfunc = gpured_float4_moving_step, minvfunc = gpured_float4_moving_inverse,
    mstype = internal, msspace = 96, mfinalfunc = gpured_float_moving_avg,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_avg(float4) IS 'average of float4 values, exact and rounded once';

CREATE AGGREGATE gpu_avg(float8) (
    sfunc = gpured_float8_avg_step, stype = internal, sspace = 64,
    finalfunc = gpured_float_avg,
    combinefunc = gpured_float_avg_combine,
    serialfunc = gpured_float_avg_serialize, deserialfunc = gpured_float_avg_deserialize,
    msfunc = gpured_float8_moving_step, minvfunc = gpured_float8_moving_inverse,
    mstype = internal, msspace = 96, mfinalfunc = gpured_float_moving_avg,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_avg(float8) IS 'average of float8 values, exact and rounded once';

/* Minima and maxima.  NaN is the greatest value, as in PostgreSQL. */
CREATE FUNCTION gpured_int2_min(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_min_final(internal) RETURNS int2
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_max(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_max_final(internal) RETURNS int2
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_min(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_min_final(internal) RETURNS int4
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_max(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_max_final(internal) RETURNS int4
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_min(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_min_final(internal) RETURNS int8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_max(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_max_final(internal) RETURNS int8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_min(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_min_final(internal) RETURNS float4
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_max(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_max_final(internal) RETURNS float4
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_min(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_min_final(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_max(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_max_final(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_extreme_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_extreme_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_extreme_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE gpu_min(int2) (
    sfunc = gpured_int2_min, stype = internal, sspace = 8,
    finalfunc = gpured_int2_min_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(int2) IS 'least of int2 values';

CREATE AGGREGATE gpu_min(int4) (
    sfunc = gpured_int4_min, stype = internal, sspace = 8,
    finalfunc = gpured_int4_min_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(int4) IS 'least of int4 values';

CREATE AGGREGATE gpu_min(int8) (
    sfunc = gpured_int8_min, stype = internal, sspace = 16,
    finalfunc = gpured_int8_min_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(int8) IS 'least of int8 values';

CREATE AGGREGATE gpu_min(float4) (
    sfunc = gpured_float4_min, stype = internal, sspace = 8,
    finalfunc = gpured_float4_min_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(float4) IS 'least of float4 values';

CREATE AGGREGATE gpu_min(float8) (
    sfunc = gpured_float8_min, stype = internal, sspace = 16,
    finalfunc = gpured_float8_min_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(float8) IS 'least of float8 values';

CREATE AGGREGATE gpu_max(int2) (
    sfunc = gpured_int2_max, stype = internal, sspace = 8,
    finalfunc = gpured_int2_max_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(int2) IS 'greatest of int2 values';

CREATE AGGREGATE gpu_max(int4) (
    sfunc = gpured_int4_max, stype = internal, sspace = 8,
    finalfunc = gpured_int4_max_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(int4) IS 'greatest of int4 values';

CREATE AGGREGATE gpu_max(int8) (
    sfunc = gpured_int8_max, stype = internal, sspace = 16,
    finalfunc = gpured_int8_max_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(int8) IS 'greatest of int8 values';

CREATE AGGREGATE gpu_max(float4) (
    sfunc = gpured_float4_max, stype = internal, sspace = 8,
    finalfunc = gpured_float4_max_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(float4) IS 'greatest of float4 values';

CREATE AGGREGATE gpu_max(float8) (
    sfunc = gpured_float8_max, stype = internal, sspace = 16,
    finalfunc = gpured_float8_max_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(float8) IS 'greatest of float8 values';

/* Counts.  PostgreSQL's own functions: there is nothing to do better. */
CREATE AGGREGATE gpu_count(*) (
    sfunc = pg_catalog.int8inc, stype = int8, sspace = 8, initcond = '0',
    combinefunc = pg_catalog.int8pl,
    msfunc = pg_catalog.int8inc, minvfunc = pg_catalog.int8dec,
    mstype = int8, msspace = 8, minitcond = '0',
    parallel = safe
);
COMMENT ON AGGREGATE gpu_count(*) IS 'number of input rows';

CREATE AGGREGATE gpu_count("any") (
    sfunc = pg_catalog.int8inc_any, stype = int8, sspace = 8, initcond = '0',
    combinefunc = pg_catalog.int8pl,
    msfunc = pg_catalog.int8inc_any, minvfunc = pg_catalog.int8dec_any,
    mstype = int8, msspace = 8, minitcond = '0',
    parallel = safe
);
COMMENT ON AGGREGATE gpu_count("any") IS 'number of input rows for which the input is not null';

/*
 * Prefix sums: an array with the sum of the values up to each row, in the order
 * that ORDER BY inside the call gives.  They need all rows in one place and in
 * order, so there are no partial and no moving states.
 */
CREATE FUNCTION gpured_int2_prefix_sum(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_prefix_sum_exclusive(internal, int2, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_prefix_sum(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_prefix_sum_exclusive(internal, int4, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_prefix_sum(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_prefix_sum_exclusive(internal, int8, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_prefix_sum(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_prefix_sum_exclusive(internal, float4, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_prefix_sum(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_prefix_sum_exclusive(internal, float8, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_prefix_sum_final(internal) RETURNS int8[]
AS 'MODULE_PATHNAME', 'gpured_prefix_sum_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_sum_final(internal) RETURNS numeric[]
AS 'MODULE_PATHNAME', 'gpured_prefix_sum_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_prefix_sum_final(internal) RETURNS float4[]
AS 'MODULE_PATHNAME', 'gpured_prefix_sum_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_prefix_sum_final(internal) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gpured_prefix_sum_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpu_prefix_sum(int2) (
    sfunc = gpured_int2_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_sum_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int2) IS 'array of the sums of the int2 values up to each row';

CREATE AGGREGATE gpu_prefix_sum(int2, exclusive bool) (
    sfunc = gpured_int2_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_sum_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int2, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_sum(int4) (
    sfunc = gpured_int4_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_sum_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int4) IS 'array of the sums of the int4 values up to each row';

CREATE AGGREGATE gpu_prefix_sum(int4, exclusive bool) (
    sfunc = gpured_int4_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_sum_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int4, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_sum(int8) (
    sfunc = gpured_int8_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_sum_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int8) IS 'array of the sums of the int8 values up to each row';

CREATE AGGREGATE gpu_prefix_sum(int8, exclusive bool) (
    sfunc = gpured_int8_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_sum_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int8, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_sum(float4) (
    sfunc = gpured_float4_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_float4_prefix_sum_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(float4) IS 'array of the sums of the float4 values up to each row';

CREATE AGGREGATE gpu_prefix_sum(float4, exclusive bool) (
    sfunc = gpured_float4_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_float4_prefix_sum_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(float4, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_sum(float8) (
    sfunc = gpured_float8_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_float8_prefix_sum_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(float8) IS 'array of the sums of the float8 values up to each row';

CREATE AGGREGATE gpu_prefix_sum(float8, exclusive bool) (
    sfunc = gpured_float8_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_float8_prefix_sum_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(float8, exclusive bool) IS 'the same, without the row itself if exclusive';

/*
 * Numeric.  Sums and averages are PostgreSQL's own, which are exact.  Without
 * these, a call would silently be one for double precision.
 */
CREATE FUNCTION gpured_numeric_larger(numeric, numeric) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_smaller(numeric, numeric) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_sum(internal, numeric) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_sum_exclusive(internal, numeric, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_sum_build(internal) RETURNS numeric[]
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpu_sum(numeric) (
    sfunc = pg_catalog.numeric_avg_accum, stype = internal, sspace = 128,
    finalfunc = pg_catalog.numeric_sum,
    combinefunc = pg_catalog.numeric_avg_combine,
    serialfunc = pg_catalog.numeric_avg_serialize, deserialfunc = pg_catalog.numeric_avg_deserialize,
    msfunc = pg_catalog.numeric_avg_accum, minvfunc = pg_catalog.numeric_accum_inv,
    mstype = internal, msspace = 128, mfinalfunc = pg_catalog.numeric_sum,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_sum(numeric) IS 'exact sum of numeric values';

CREATE AGGREGATE gpu_avg(numeric) (
    sfunc = pg_catalog.numeric_avg_accum, stype = internal, sspace = 128,
    finalfunc = pg_catalog.numeric_avg,
    combinefunc = pg_catalog.numeric_avg_combine,
    serialfunc = pg_catalog.numeric_avg_serialize, deserialfunc = pg_catalog.numeric_avg_deserialize,
    msfunc = pg_catalog.numeric_avg_accum, minvfunc = pg_catalog.numeric_accum_inv,
    mstype = internal, msspace = 128, mfinalfunc = pg_catalog.numeric_avg,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_avg(numeric) IS 'average of numeric values';

CREATE AGGREGATE gpu_min(numeric) (
    sfunc = gpured_numeric_smaller, stype = numeric, sspace = 32,
    combinefunc = gpured_numeric_smaller,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(numeric) IS 'least of numeric values';

CREATE AGGREGATE gpu_max(numeric) (
    sfunc = gpured_numeric_larger, stype = numeric, sspace = 32,
    combinefunc = gpured_numeric_larger,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(numeric) IS 'greatest of numeric values';

CREATE AGGREGATE gpu_prefix_sum(numeric) (
    sfunc = gpured_numeric_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_sum_build,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(numeric) IS 'array of the sums of the numeric values up to each row';

CREATE AGGREGATE gpu_prefix_sum(numeric, exclusive bool) (
    sfunc = gpured_numeric_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_sum_build,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(numeric, exclusive bool) IS 'the same, without the row itself if exclusive';

/* views */

CREATE FUNCTION gpured_devices(
    OUT place text,
    OUT device text,
    OUT name text,
    OUT used boolean,
    OUT reason text,
    OUT capability text,
    OUT memory bigint,
    OUT driver text,
    OUT runtime text,
    OUT pid integer,
    OUT state text)
RETURNS SETOF record
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpured_devices() IS 'what gpured computes on, and why not';

CREATE VIEW gpured_devices AS SELECT * FROM gpured_devices();
COMMENT ON VIEW gpured_devices IS 'what gpured computes on, and why not';

CREATE FUNCTION gpured_stats(
    OUT scope text,
    OUT path text,
    OUT name text,
    OUT value bigint,
    OUT detail text,
    OUT stats_reset timestamp with time zone)
RETURNS SETOF record
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpured_stats() IS 'what was computed where, by this session, the cluster and gpured-server';

CREATE VIEW gpured_stats AS SELECT * FROM gpured_stats();
COMMENT ON VIEW gpured_stats IS 'what was computed where, by this session, the cluster and gpured-server';
COMMENT ON COLUMN gpured_stats.scope IS 'session: this one; cluster: all sessions, if gpured is preloaded; server: the gpured-server that runs now';
COMMENT ON COLUMN gpured_stats.path IS 'how the rows came: row, one at a time from the executor; NULL if the counter is not about rows';
COMMENT ON COLUMN gpured_stats.value IS 'ungrouped aggregates and batches are counted; groups, window frames and rows added in the session are not';
COMMENT ON COLUMN gpured_stats.detail IS 'the reason of the last fallback';
COMMENT ON COLUMN gpured_stats.stats_reset IS 'since when this is counted';

CREATE FUNCTION gpured_stats_reset() RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpured_stats_reset() IS 'set the counters of this session and of the cluster to zero';
REVOKE ALL ON FUNCTION gpured_stats_reset() FROM PUBLIC;

GRANT SELECT ON gpured_devices, gpured_stats TO PUBLIC;

-- Say what preloading brings, if this is not preloaded.
CREATE FUNCTION gpured_suggest_preload() RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
SELECT gpured_suggest_preload();
DROP FUNCTION gpured_suggest_preload();
