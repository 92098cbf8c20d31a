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
    sfunc = gpured_float4_sum, stype = internal, sspace = 8,
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
    sfunc = gpured_float4_avg_step, stype = internal, sspace = 16,
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
CREATE FUNCTION gpured_int8_prefix_final(internal) RETURNS int8[]
AS 'MODULE_PATHNAME', 'gpured_prefix_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_final(internal) RETURNS numeric[]
AS 'MODULE_PATHNAME', 'gpured_prefix_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_prefix_final(internal) RETURNS float4[]
AS 'MODULE_PATHNAME', 'gpured_prefix_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_prefix_final(internal) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gpured_prefix_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpu_prefix_sum(int2) (
    sfunc = gpured_int2_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int2) IS 'array of the sums of the int2 values up to each row';

CREATE AGGREGATE gpu_prefix_sum(int2, exclusive bool) (
    sfunc = gpured_int2_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int2, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_sum(int4) (
    sfunc = gpured_int4_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int4) IS 'array of the sums of the int4 values up to each row';

CREATE AGGREGATE gpu_prefix_sum(int4, exclusive bool) (
    sfunc = gpured_int4_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int4, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_sum(int8) (
    sfunc = gpured_int8_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int8) IS 'array of the sums of the int8 values up to each row';

CREATE AGGREGATE gpu_prefix_sum(int8, exclusive bool) (
    sfunc = gpured_int8_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(int8, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_sum(float4) (
    sfunc = gpured_float4_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_float4_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(float4) IS 'array of the sums of the float4 values up to each row';

CREATE AGGREGATE gpu_prefix_sum(float4, exclusive bool) (
    sfunc = gpured_float4_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_float4_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(float4, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_sum(float8) (
    sfunc = gpured_float8_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_float8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(float8) IS 'array of the sums of the float8 values up to each row';

CREATE AGGREGATE gpu_prefix_sum(float8, exclusive bool) (
    sfunc = gpured_float8_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_float8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(float8, exclusive bool) IS 'the same, without the row itself if exclusive';

/*
 * Numeric.  Short values are summed as integers, all others by PostgreSQL's own
 * functions, which are exact.
 */
CREATE FUNCTION gpured_numeric_max(internal, numeric) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_min(internal, numeric) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_max_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_min_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_max_final(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_min_final(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_extreme_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_extreme_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_sum(internal, numeric) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_sum_exclusive(internal, numeric, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_build(internal) RETURNS numeric[]
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION gpured_numeric_step(internal, numeric) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_inverse(internal, numeric) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_sum(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_avg(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpu_sum(numeric) (
    sfunc = gpured_numeric_step, stype = internal, sspace = 32,
    finalfunc = gpured_numeric_sum,
    combinefunc = gpured_numeric_combine,
    serialfunc = gpured_numeric_serialize, deserialfunc = gpured_numeric_deserialize,
    msfunc = gpured_numeric_step, minvfunc = gpured_numeric_inverse,
    mstype = internal, msspace = 32, mfinalfunc = gpured_numeric_sum,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_sum(numeric) IS 'exact sum of numeric values';

CREATE AGGREGATE gpu_avg(numeric) (
    sfunc = gpured_numeric_step, stype = internal, sspace = 32,
    finalfunc = gpured_numeric_avg,
    combinefunc = gpured_numeric_combine,
    serialfunc = gpured_numeric_serialize, deserialfunc = gpured_numeric_deserialize,
    msfunc = gpured_numeric_step, minvfunc = gpured_numeric_inverse,
    mstype = internal, msspace = 32, mfinalfunc = gpured_numeric_avg,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_avg(numeric) IS 'average of numeric values';

CREATE AGGREGATE gpu_min(numeric) (
    sfunc = gpured_numeric_min, stype = internal, sspace = 16,
    finalfunc = gpured_numeric_min_final,
    combinefunc = gpured_numeric_min_combine,
    serialfunc = gpured_numeric_extreme_serialize, deserialfunc = gpured_numeric_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(numeric) IS 'least of numeric values';

CREATE AGGREGATE gpu_max(numeric) (
    sfunc = gpured_numeric_max, stype = internal, sspace = 16,
    finalfunc = gpured_numeric_max_final,
    combinefunc = gpured_numeric_max_combine,
    serialfunc = gpured_numeric_extreme_serialize, deserialfunc = gpured_numeric_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(numeric) IS 'greatest of numeric values';

CREATE AGGREGATE gpu_prefix_sum(numeric) (
    sfunc = gpured_numeric_prefix_sum, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_build,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(numeric) IS 'array of the sums of the numeric values up to each row';

CREATE AGGREGATE gpu_prefix_sum(numeric, exclusive bool) (
    sfunc = gpured_numeric_prefix_sum_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_build,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_sum(numeric, exclusive bool) IS 'the same, without the row itself if exclusive';

/*
 * Variances and standard deviations of integers and numeric.  PostgreSQL's own
 * functions, which keep exact sums, are wrapped, so that the device can sum.
 */
CREATE FUNCTION gpured_int2_variance_step(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_variance_step(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_variance_step(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_variance_step(internal, numeric) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_variance_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_variance_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_int4_var_pop(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_var_samp(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_stddev_pop(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_stddev_samp(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_variance_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_variance_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_int8_var_pop(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_var_samp(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_stddev_pop(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_stddev_samp(internal) RETURNS numeric
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpu_var_pop(int2) (
    sfunc = gpured_int2_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_var_pop,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int2_accum, minvfunc = pg_catalog.int2_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_var_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_pop(int2) IS 'population variance of int2 values';

CREATE AGGREGATE gpu_var_pop(int4) (
    sfunc = gpured_int4_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_var_pop,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int4_accum, minvfunc = pg_catalog.int4_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_var_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_pop(int4) IS 'population variance of int4 values';

CREATE AGGREGATE gpu_var_pop(int8) (
    sfunc = gpured_int8_variance_step, stype = internal, sspace = 512,
    finalfunc = gpured_int8_var_pop,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.int8_accum, minvfunc = pg_catalog.int8_accum_inv,
    mstype = internal, msspace = 512, mfinalfunc = pg_catalog.numeric_var_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_pop(int8) IS 'population variance of int8 values';

CREATE AGGREGATE gpu_var_pop(numeric) (
    sfunc = gpured_numeric_variance_step, stype = internal, sspace = 416,
    finalfunc = gpured_int8_var_pop,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.numeric_accum, minvfunc = pg_catalog.numeric_accum_inv,
    mstype = internal, msspace = 128, mfinalfunc = pg_catalog.numeric_var_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_pop(numeric) IS 'population variance of numeric values';

CREATE AGGREGATE gpu_var_samp(int2) (
    sfunc = gpured_int2_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_var_samp,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int2_accum, minvfunc = pg_catalog.int2_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_samp(int2) IS 'sample variance of int2 values';

CREATE AGGREGATE gpu_var_samp(int4) (
    sfunc = gpured_int4_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_var_samp,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int4_accum, minvfunc = pg_catalog.int4_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_samp(int4) IS 'sample variance of int4 values';

CREATE AGGREGATE gpu_var_samp(int8) (
    sfunc = gpured_int8_variance_step, stype = internal, sspace = 512,
    finalfunc = gpured_int8_var_samp,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.int8_accum, minvfunc = pg_catalog.int8_accum_inv,
    mstype = internal, msspace = 512, mfinalfunc = pg_catalog.numeric_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_samp(int8) IS 'sample variance of int8 values';

CREATE AGGREGATE gpu_var_samp(numeric) (
    sfunc = gpured_numeric_variance_step, stype = internal, sspace = 416,
    finalfunc = gpured_int8_var_samp,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.numeric_accum, minvfunc = pg_catalog.numeric_accum_inv,
    mstype = internal, msspace = 128, mfinalfunc = pg_catalog.numeric_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_samp(numeric) IS 'sample variance of numeric values';

CREATE AGGREGATE gpu_variance(int2) (
    sfunc = gpured_int2_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_var_samp,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int2_accum, minvfunc = pg_catalog.int2_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_variance(int2) IS 'sample variance of int2 values';

CREATE AGGREGATE gpu_variance(int4) (
    sfunc = gpured_int4_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_var_samp,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int4_accum, minvfunc = pg_catalog.int4_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_variance(int4) IS 'sample variance of int4 values';

CREATE AGGREGATE gpu_variance(int8) (
    sfunc = gpured_int8_variance_step, stype = internal, sspace = 512,
    finalfunc = gpured_int8_var_samp,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.int8_accum, minvfunc = pg_catalog.int8_accum_inv,
    mstype = internal, msspace = 512, mfinalfunc = pg_catalog.numeric_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_variance(int8) IS 'sample variance of int8 values';

CREATE AGGREGATE gpu_variance(numeric) (
    sfunc = gpured_numeric_variance_step, stype = internal, sspace = 416,
    finalfunc = gpured_int8_var_samp,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.numeric_accum, minvfunc = pg_catalog.numeric_accum_inv,
    mstype = internal, msspace = 128, mfinalfunc = pg_catalog.numeric_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_variance(numeric) IS 'sample variance of numeric values';

CREATE AGGREGATE gpu_stddev_pop(int2) (
    sfunc = gpured_int2_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_stddev_pop,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int2_accum, minvfunc = pg_catalog.int2_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_stddev_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_pop(int2) IS 'population standard deviation of int2 values';

CREATE AGGREGATE gpu_stddev_pop(int4) (
    sfunc = gpured_int4_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_stddev_pop,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int4_accum, minvfunc = pg_catalog.int4_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_stddev_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_pop(int4) IS 'population standard deviation of int4 values';

CREATE AGGREGATE gpu_stddev_pop(int8) (
    sfunc = gpured_int8_variance_step, stype = internal, sspace = 512,
    finalfunc = gpured_int8_stddev_pop,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.int8_accum, minvfunc = pg_catalog.int8_accum_inv,
    mstype = internal, msspace = 512, mfinalfunc = pg_catalog.numeric_stddev_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_pop(int8) IS 'population standard deviation of int8 values';

CREATE AGGREGATE gpu_stddev_pop(numeric) (
    sfunc = gpured_numeric_variance_step, stype = internal, sspace = 416,
    finalfunc = gpured_int8_stddev_pop,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.numeric_accum, minvfunc = pg_catalog.numeric_accum_inv,
    mstype = internal, msspace = 128, mfinalfunc = pg_catalog.numeric_stddev_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_pop(numeric) IS 'population standard deviation of numeric values';

CREATE AGGREGATE gpu_stddev_samp(int2) (
    sfunc = gpured_int2_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_stddev_samp,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int2_accum, minvfunc = pg_catalog.int2_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_samp(int2) IS 'sample standard deviation of int2 values';

CREATE AGGREGATE gpu_stddev_samp(int4) (
    sfunc = gpured_int4_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_stddev_samp,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int4_accum, minvfunc = pg_catalog.int4_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_samp(int4) IS 'sample standard deviation of int4 values';

CREATE AGGREGATE gpu_stddev_samp(int8) (
    sfunc = gpured_int8_variance_step, stype = internal, sspace = 512,
    finalfunc = gpured_int8_stddev_samp,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.int8_accum, minvfunc = pg_catalog.int8_accum_inv,
    mstype = internal, msspace = 512, mfinalfunc = pg_catalog.numeric_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_samp(int8) IS 'sample standard deviation of int8 values';

CREATE AGGREGATE gpu_stddev_samp(numeric) (
    sfunc = gpured_numeric_variance_step, stype = internal, sspace = 416,
    finalfunc = gpured_int8_stddev_samp,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.numeric_accum, minvfunc = pg_catalog.numeric_accum_inv,
    mstype = internal, msspace = 128, mfinalfunc = pg_catalog.numeric_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_samp(numeric) IS 'sample standard deviation of numeric values';

CREATE AGGREGATE gpu_stddev(int2) (
    sfunc = gpured_int2_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_stddev_samp,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int2_accum, minvfunc = pg_catalog.int2_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev(int2) IS 'sample standard deviation of int2 values';

CREATE AGGREGATE gpu_stddev(int4) (
    sfunc = gpured_int4_variance_step, stype = internal, sspace = 64,
    finalfunc = gpured_int4_stddev_samp,
    combinefunc = gpured_int4_variance_combine,
    serialfunc = gpured_int4_variance_serialize, deserialfunc = pg_catalog.numeric_poly_deserialize,
    msfunc = pg_catalog.int4_accum, minvfunc = pg_catalog.int4_accum_inv,
    mstype = internal, msspace = 64, mfinalfunc = pg_catalog.numeric_poly_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev(int4) IS 'sample standard deviation of int4 values';

CREATE AGGREGATE gpu_stddev(int8) (
    sfunc = gpured_int8_variance_step, stype = internal, sspace = 512,
    finalfunc = gpured_int8_stddev_samp,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.int8_accum, minvfunc = pg_catalog.int8_accum_inv,
    mstype = internal, msspace = 512, mfinalfunc = pg_catalog.numeric_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev(int8) IS 'sample standard deviation of int8 values';

CREATE AGGREGATE gpu_stddev(numeric) (
    sfunc = gpured_numeric_variance_step, stype = internal, sspace = 416,
    finalfunc = gpured_int8_stddev_samp,
    combinefunc = gpured_int8_variance_combine,
    serialfunc = gpured_int8_variance_serialize, deserialfunc = pg_catalog.numeric_deserialize,
    msfunc = pg_catalog.numeric_accum, minvfunc = pg_catalog.numeric_accum_inv,
    mstype = internal, msspace = 128, mfinalfunc = pg_catalog.numeric_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev(numeric) IS 'sample standard deviation of numeric values';


/* Booleans and bits.  PostgreSQL's own functions. */
CREATE AGGREGATE gpu_bool_and(bool) (
    sfunc = pg_catalog.booland_statefunc, stype = bool, sspace = 8,
    combinefunc = pg_catalog.booland_statefunc,
    msfunc = pg_catalog.bool_accum, minvfunc = pg_catalog.bool_accum_inv,
    mstype = internal, msspace = 16, mfinalfunc = pg_catalog.bool_alltrue,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_bool_and(bool) IS 'whether all values are true';

CREATE AGGREGATE gpu_every(bool) (
    sfunc = pg_catalog.booland_statefunc, stype = bool, sspace = 8,
    combinefunc = pg_catalog.booland_statefunc,
    msfunc = pg_catalog.bool_accum, minvfunc = pg_catalog.bool_accum_inv,
    mstype = internal, msspace = 16, mfinalfunc = pg_catalog.bool_alltrue,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_every(bool) IS 'whether all values are true';

CREATE AGGREGATE gpu_bool_or(bool) (
    sfunc = pg_catalog.boolor_statefunc, stype = bool, sspace = 8,
    combinefunc = pg_catalog.boolor_statefunc,
    msfunc = pg_catalog.bool_accum, minvfunc = pg_catalog.bool_accum_inv,
    mstype = internal, msspace = 16, mfinalfunc = pg_catalog.bool_anytrue,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_bool_or(bool) IS 'whether any value is true';

CREATE FUNCTION gpured_int2_bit_and(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_bit_and(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_bit_and(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_bit_and_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_bit_or(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_bit_or(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_bit_or(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_bit_or_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_bit_xor(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_bit_xor(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_bit_xor(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_bit_xor_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_bits(internal) RETURNS int2
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_bits(internal) RETURNS int4
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_bits(internal) RETURNS int8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_bits_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_bits_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE gpu_bit_and(int2) (
    sfunc = gpured_int2_bit_and, stype = internal, sspace = 8,
    finalfunc = gpured_int2_bits,
    combinefunc = gpured_bit_and_combine,
    serialfunc = gpured_bits_serialize, deserialfunc = gpured_bits_deserialize,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_and(int2) IS 'bitwise AND of int2 values';

CREATE AGGREGATE gpu_bit_and(int4) (
    sfunc = gpured_int4_bit_and, stype = internal, sspace = 8,
    finalfunc = gpured_int4_bits,
    combinefunc = gpured_bit_and_combine,
    serialfunc = gpured_bits_serialize, deserialfunc = gpured_bits_deserialize,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_and(int4) IS 'bitwise AND of int4 values';

CREATE AGGREGATE gpu_bit_and(int8) (
    sfunc = gpured_int8_bit_and, stype = internal, sspace = 16,
    finalfunc = gpured_int8_bits,
    combinefunc = gpured_bit_and_combine,
    serialfunc = gpured_bits_serialize, deserialfunc = gpured_bits_deserialize,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_and(int8) IS 'bitwise AND of int8 values';

CREATE AGGREGATE gpu_bit_and(bit) (
    sfunc = pg_catalog.bitand, stype = bit, sspace = 32,
    combinefunc = pg_catalog.bitand, parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_and(bit) IS 'bitwise AND of bit values';

CREATE AGGREGATE gpu_bit_or(int2) (
    sfunc = gpured_int2_bit_or, stype = internal, sspace = 8,
    finalfunc = gpured_int2_bits,
    combinefunc = gpured_bit_or_combine,
    serialfunc = gpured_bits_serialize, deserialfunc = gpured_bits_deserialize,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_or(int2) IS 'bitwise OR of int2 values';

CREATE AGGREGATE gpu_bit_or(int4) (
    sfunc = gpured_int4_bit_or, stype = internal, sspace = 8,
    finalfunc = gpured_int4_bits,
    combinefunc = gpured_bit_or_combine,
    serialfunc = gpured_bits_serialize, deserialfunc = gpured_bits_deserialize,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_or(int4) IS 'bitwise OR of int4 values';

CREATE AGGREGATE gpu_bit_or(int8) (
    sfunc = gpured_int8_bit_or, stype = internal, sspace = 16,
    finalfunc = gpured_int8_bits,
    combinefunc = gpured_bit_or_combine,
    serialfunc = gpured_bits_serialize, deserialfunc = gpured_bits_deserialize,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_or(int8) IS 'bitwise OR of int8 values';

CREATE AGGREGATE gpu_bit_or(bit) (
    sfunc = pg_catalog.bitor, stype = bit, sspace = 32,
    combinefunc = pg_catalog.bitor, parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_or(bit) IS 'bitwise OR of bit values';

CREATE AGGREGATE gpu_bit_xor(int2) (
    sfunc = gpured_int2_bit_xor, stype = internal, sspace = 8,
    finalfunc = gpured_int2_bits,
    combinefunc = gpured_bit_xor_combine,
    serialfunc = gpured_bits_serialize, deserialfunc = gpured_bits_deserialize,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_xor(int2) IS 'bitwise exclusive OR of int2 values';

CREATE AGGREGATE gpu_bit_xor(int4) (
    sfunc = gpured_int4_bit_xor, stype = internal, sspace = 8,
    finalfunc = gpured_int4_bits,
    combinefunc = gpured_bit_xor_combine,
    serialfunc = gpured_bits_serialize, deserialfunc = gpured_bits_deserialize,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_xor(int4) IS 'bitwise exclusive OR of int4 values';

CREATE AGGREGATE gpu_bit_xor(int8) (
    sfunc = gpured_int8_bit_xor, stype = internal, sspace = 16,
    finalfunc = gpured_int8_bits,
    combinefunc = gpured_bit_xor_combine,
    serialfunc = gpured_bits_serialize, deserialfunc = gpured_bits_deserialize,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_xor(int8) IS 'bitwise exclusive OR of int8 values';

CREATE AGGREGATE gpu_bit_xor(bit) (
    sfunc = pg_catalog.bitxor, stype = bit, sspace = 32,
    combinefunc = pg_catalog.bitxor, parallel = safe
);
COMMENT ON AGGREGATE gpu_bit_xor(bit) IS 'bitwise exclusive OR of bit values';


/*
 * Sums of interval and money, exact: out of range only if the total is.  Money
 * is a count of cents, and is summed as int8 is.
 */
CREATE FUNCTION gpured_interval_step(internal, interval) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_interval_inverse(internal, interval) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_interval_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_interval_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_interval_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_interval_sum(internal) RETURNS interval
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_interval_avg(internal) RETURNS interval
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_money_sum(internal, money) RETURNS internal
AS 'MODULE_PATHNAME', 'gpured_int8_sum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_money_sum_final(internal) RETURNS money
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_money_moving_step(internal, money) RETURNS internal
AS 'MODULE_PATHNAME', 'gpured_int8_avg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_money_moving_inverse(internal, money) RETURNS internal
AS 'MODULE_PATHNAME', 'gpured_int8_avg_inverse' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_money_moving_sum(internal) RETURNS money
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpu_sum(interval) (
    sfunc = gpured_interval_step, stype = internal, sspace = 64,
    finalfunc = gpured_interval_sum,
    combinefunc = gpured_interval_combine,
    serialfunc = gpured_interval_serialize, deserialfunc = gpured_interval_deserialize,
    msfunc = gpured_interval_step, minvfunc = gpured_interval_inverse,
    mstype = internal, msspace = 64, mfinalfunc = gpured_interval_sum,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_sum(interval) IS 'exact sum of interval values';

CREATE AGGREGATE gpu_avg(interval) (
    sfunc = gpured_interval_step, stype = internal, sspace = 64,
    finalfunc = gpured_interval_avg,
    combinefunc = gpured_interval_combine,
    serialfunc = gpured_interval_serialize, deserialfunc = gpured_interval_deserialize,
    msfunc = gpured_interval_step, minvfunc = gpured_interval_inverse,
    mstype = internal, msspace = 64, mfinalfunc = gpured_interval_avg,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_avg(interval) IS 'average of interval values';

CREATE AGGREGATE gpu_sum(money) (
    sfunc = gpured_money_sum, stype = internal, sspace = 8,
    finalfunc = gpured_money_sum_final,
    combinefunc = gpured_int_sum_combine,
    serialfunc = gpured_int_sum_serialize, deserialfunc = gpured_int_sum_deserialize,
    msfunc = gpured_money_moving_step, minvfunc = gpured_money_moving_inverse,
    mstype = internal, msspace = 32, mfinalfunc = gpured_money_moving_sum,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_sum(money) IS 'exact sum of money values';


/*
 * Minima and maxima of other types.  Money, oid, date, time and timestamps are
 * integers underneath and treated as such.  For the rest PostgreSQL's own functions
 * serve, but for interval: of equal intervals gpured returns the greatest by
 * months, then days, then time, whatever the order of the rows.
 *
 * gpured_larger and gpured_smaller are for types that PostgreSQL has no such
 * function for: they go by the type's default btree order.
 *
 * An aggregate's state cannot be of type anyenum.  anyelement is the same type
 * here, since the argument decides it.
 */
CREATE FUNCTION gpured_money_max(internal, money) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_money_max_final(internal) RETURNS money
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_money_min(internal, money) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_money_min_final(internal) RETURNS money
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_oid_max(internal, oid) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_oid_max_final(internal) RETURNS oid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_oid_min(internal, oid) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_oid_min_final(internal) RETURNS oid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_date_max(internal, date) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_date_max_final(internal) RETURNS date
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_date_min(internal, date) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_date_min_final(internal) RETURNS date
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_time_max(internal, time) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_time_max_final(internal) RETURNS time
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_time_min(internal, time) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_time_min_final(internal) RETURNS time
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_timestamp_max(internal, timestamp) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_timestamp_max_final(internal) RETURNS timestamp
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_timestamp_min(internal, timestamp) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_timestamp_min_final(internal) RETURNS timestamp
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_timestamptz_max(internal, timestamptz) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_timestamptz_max_final(internal) RETURNS timestamptz
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_timestamptz_min(internal, timestamptz) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_timestamptz_min_final(internal) RETURNS timestamptz
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_larger(anyelement, anyelement) RETURNS anyelement
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_smaller(anyelement, anyelement) RETURNS anyelement
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_interval_larger(interval, interval) RETURNS interval
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_interval_smaller(interval, interval) RETURNS interval
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_enum_larger(anyelement, anyenum) RETURNS anyelement
AS 'enum_larger' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_enum_larger_combine(anyelement, anyelement) RETURNS anyelement
AS 'enum_larger' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_enum_smaller(anyelement, anyenum) RETURNS anyelement
AS 'enum_smaller' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_enum_smaller_combine(anyelement, anyelement) RETURNS anyelement
AS 'enum_smaller' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE gpu_min(money) (
    sfunc = gpured_money_min, stype = internal, sspace = 16,
    finalfunc = gpured_money_min_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(money) IS 'least of money values';

CREATE AGGREGATE gpu_min(date) (
    sfunc = gpured_date_min, stype = internal, sspace = 8,
    finalfunc = gpured_date_min_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(date) IS 'least of date values';

CREATE AGGREGATE gpu_min(time) (
    sfunc = gpured_time_min, stype = internal, sspace = 8,
    finalfunc = gpured_time_min_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(time) IS 'least of time values';

CREATE AGGREGATE gpu_min(timetz) (
    sfunc = pg_catalog.timetz_smaller, stype = timetz, sspace = 16,
    combinefunc = pg_catalog.timetz_smaller,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(timetz) IS 'least of timetz values';

CREATE AGGREGATE gpu_min(timestamp) (
    sfunc = gpured_timestamp_min, stype = internal, sspace = 16,
    finalfunc = gpured_timestamp_min_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(timestamp) IS 'least of timestamp values';

CREATE AGGREGATE gpu_min(timestamptz) (
    sfunc = gpured_timestamptz_min, stype = internal, sspace = 16,
    finalfunc = gpured_timestamptz_min_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(timestamptz) IS 'least of timestamptz values';

CREATE AGGREGATE gpu_min(interval) (
    sfunc = gpured_interval_smaller, stype = interval, sspace = 16,
    combinefunc = gpured_interval_smaller,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(interval) IS 'least of interval values';

CREATE AGGREGATE gpu_min(oid) (
    sfunc = gpured_oid_min, stype = internal, sspace = 8,
    finalfunc = gpured_oid_min_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(oid) IS 'least of oid values';

CREATE AGGREGATE gpu_min(xid8) (
    sfunc = pg_catalog.xid8_smaller, stype = xid8, sspace = 8,
    combinefunc = pg_catalog.xid8_smaller,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(xid8) IS 'least of xid8 values';

CREATE AGGREGATE gpu_min(pg_lsn) (
    sfunc = pg_catalog.pg_lsn_smaller, stype = pg_lsn, sspace = 8,
    combinefunc = pg_catalog.pg_lsn_smaller,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(pg_lsn) IS 'least of pg_lsn values';

CREATE AGGREGATE gpu_min(tid) (
    sfunc = pg_catalog.tidsmaller, stype = tid, sspace = 8,
    combinefunc = pg_catalog.tidsmaller,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(tid) IS 'least of tid values';

CREATE AGGREGATE gpu_min(inet) (
    sfunc = pg_catalog.network_smaller, stype = inet, sspace = 32,
    combinefunc = pg_catalog.network_smaller,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(inet) IS 'least of inet values';

CREATE AGGREGATE gpu_min(text) (
    sfunc = pg_catalog.text_smaller, stype = text, sspace = 32,
    combinefunc = pg_catalog.text_smaller,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(text) IS 'least of text values';

CREATE AGGREGATE gpu_min(bpchar) (
    sfunc = pg_catalog.bpchar_smaller, stype = bpchar, sspace = 32,
    combinefunc = pg_catalog.bpchar_smaller,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(bpchar) IS 'least of bpchar values';

CREATE AGGREGATE gpu_min(bytea) (
    sfunc = gpured_smaller, stype = bytea, sspace = 32,
    combinefunc = gpured_smaller,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(bytea) IS 'least of bytea values';

CREATE AGGREGATE gpu_min(anyarray) (
    sfunc = pg_catalog.array_smaller, stype = anyarray, sspace = 128,
    combinefunc = pg_catalog.array_smaller,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(anyarray) IS 'least of arrays';

CREATE AGGREGATE gpu_min(anyenum) (
    sfunc = gpured_enum_smaller, stype = anyelement, sspace = 8,
    combinefunc = gpured_enum_smaller_combine,
    sortop = OPERATOR(pg_catalog.<), parallel = safe
);
COMMENT ON AGGREGATE gpu_min(anyenum) IS 'least of values of an enum';

CREATE AGGREGATE gpu_max(money) (
    sfunc = gpured_money_max, stype = internal, sspace = 16,
    finalfunc = gpured_money_max_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(money) IS 'greatest of money values';

CREATE AGGREGATE gpu_max(date) (
    sfunc = gpured_date_max, stype = internal, sspace = 8,
    finalfunc = gpured_date_max_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(date) IS 'greatest of date values';

CREATE AGGREGATE gpu_max(time) (
    sfunc = gpured_time_max, stype = internal, sspace = 8,
    finalfunc = gpured_time_max_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(time) IS 'greatest of time values';

CREATE AGGREGATE gpu_max(timetz) (
    sfunc = pg_catalog.timetz_larger, stype = timetz, sspace = 16,
    combinefunc = pg_catalog.timetz_larger,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(timetz) IS 'greatest of timetz values';

CREATE AGGREGATE gpu_max(timestamp) (
    sfunc = gpured_timestamp_max, stype = internal, sspace = 16,
    finalfunc = gpured_timestamp_max_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(timestamp) IS 'greatest of timestamp values';

CREATE AGGREGATE gpu_max(timestamptz) (
    sfunc = gpured_timestamptz_max, stype = internal, sspace = 16,
    finalfunc = gpured_timestamptz_max_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(timestamptz) IS 'greatest of timestamptz values';

CREATE AGGREGATE gpu_max(interval) (
    sfunc = gpured_interval_larger, stype = interval, sspace = 16,
    combinefunc = gpured_interval_larger,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(interval) IS 'greatest of interval values';

CREATE AGGREGATE gpu_max(oid) (
    sfunc = gpured_oid_max, stype = internal, sspace = 8,
    finalfunc = gpured_oid_max_final,
    combinefunc = gpured_extreme_combine,
    serialfunc = gpured_extreme_serialize, deserialfunc = gpured_extreme_deserialize,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(oid) IS 'greatest of oid values';

CREATE AGGREGATE gpu_max(xid8) (
    sfunc = pg_catalog.xid8_larger, stype = xid8, sspace = 8,
    combinefunc = pg_catalog.xid8_larger,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(xid8) IS 'greatest of xid8 values';

CREATE AGGREGATE gpu_max(pg_lsn) (
    sfunc = pg_catalog.pg_lsn_larger, stype = pg_lsn, sspace = 8,
    combinefunc = pg_catalog.pg_lsn_larger,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(pg_lsn) IS 'greatest of pg_lsn values';

CREATE AGGREGATE gpu_max(tid) (
    sfunc = pg_catalog.tidlarger, stype = tid, sspace = 8,
    combinefunc = pg_catalog.tidlarger,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(tid) IS 'greatest of tid values';

CREATE AGGREGATE gpu_max(inet) (
    sfunc = pg_catalog.network_larger, stype = inet, sspace = 32,
    combinefunc = pg_catalog.network_larger,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(inet) IS 'greatest of inet values';

CREATE AGGREGATE gpu_max(text) (
    sfunc = pg_catalog.text_larger, stype = text, sspace = 32,
    combinefunc = pg_catalog.text_larger,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(text) IS 'greatest of text values';

CREATE AGGREGATE gpu_max(bpchar) (
    sfunc = pg_catalog.bpchar_larger, stype = bpchar, sspace = 32,
    combinefunc = pg_catalog.bpchar_larger,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(bpchar) IS 'greatest of bpchar values';

CREATE AGGREGATE gpu_max(bytea) (
    sfunc = gpured_larger, stype = bytea, sspace = 32,
    combinefunc = gpured_larger,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(bytea) IS 'greatest of bytea values';

CREATE AGGREGATE gpu_max(anyarray) (
    sfunc = pg_catalog.array_larger, stype = anyarray, sspace = 128,
    combinefunc = pg_catalog.array_larger,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(anyarray) IS 'greatest of arrays';

CREATE AGGREGATE gpu_max(anyenum) (
    sfunc = gpured_enum_larger, stype = anyelement, sspace = 8,
    combinefunc = gpured_enum_larger_combine,
    sortop = OPERATOR(pg_catalog.>), parallel = safe
);
COMMENT ON AGGREGATE gpu_max(anyenum) IS 'greatest of values of an enum';


/* Prefix minima and maxima: likewise, computed in the session. */
CREATE FUNCTION gpured_int2_prefix_min(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_prefix_min_exclusive(internal, int2, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_prefix_min(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_prefix_min_exclusive(internal, int4, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_prefix_min(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_prefix_min_exclusive(internal, int8, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_prefix_min(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_prefix_min_exclusive(internal, float4, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_prefix_min(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_prefix_min_exclusive(internal, float8, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_min(internal, numeric) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_min_exclusive(internal, numeric, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_prefix_max(internal, int2) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_prefix_max_exclusive(internal, int2, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_prefix_max(internal, int4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_prefix_max_exclusive(internal, int4, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_prefix_max(internal, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int8_prefix_max_exclusive(internal, int8, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_prefix_max(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_prefix_max_exclusive(internal, float4, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_prefix_max(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_prefix_max_exclusive(internal, float8, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_max(internal, numeric) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_numeric_prefix_max_exclusive(internal, numeric, bool) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int2_prefix_final(internal) RETURNS int2[]
AS 'MODULE_PATHNAME', 'gpured_prefix_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_int4_prefix_final(internal) RETURNS int4[]
AS 'MODULE_PATHNAME', 'gpured_prefix_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpu_prefix_min(int2) (
    sfunc = gpured_int2_prefix_min, stype = internal, sspace = 1024,
    finalfunc = gpured_int2_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(int2) IS 'array of the least int2 values up to each row';

CREATE AGGREGATE gpu_prefix_min(int2, exclusive bool) (
    sfunc = gpured_int2_prefix_min_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_int2_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(int2, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_min(int4) (
    sfunc = gpured_int4_prefix_min, stype = internal, sspace = 1024,
    finalfunc = gpured_int4_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(int4) IS 'array of the least int4 values up to each row';

CREATE AGGREGATE gpu_prefix_min(int4, exclusive bool) (
    sfunc = gpured_int4_prefix_min_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_int4_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(int4, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_min(int8) (
    sfunc = gpured_int8_prefix_min, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(int8) IS 'array of the least int8 values up to each row';

CREATE AGGREGATE gpu_prefix_min(int8, exclusive bool) (
    sfunc = gpured_int8_prefix_min_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(int8, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_min(float4) (
    sfunc = gpured_float4_prefix_min, stype = internal, sspace = 1024,
    finalfunc = gpured_float4_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(float4) IS 'array of the least float4 values up to each row';

CREATE AGGREGATE gpu_prefix_min(float4, exclusive bool) (
    sfunc = gpured_float4_prefix_min_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_float4_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(float4, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_min(float8) (
    sfunc = gpured_float8_prefix_min, stype = internal, sspace = 1024,
    finalfunc = gpured_float8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(float8) IS 'array of the least float8 values up to each row';

CREATE AGGREGATE gpu_prefix_min(float8, exclusive bool) (
    sfunc = gpured_float8_prefix_min_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_float8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(float8, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_min(numeric) (
    sfunc = gpured_numeric_prefix_min, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_build,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(numeric) IS 'array of the least numeric values up to each row';

CREATE AGGREGATE gpu_prefix_min(numeric, exclusive bool) (
    sfunc = gpured_numeric_prefix_min_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_build,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_min(numeric, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_max(int2) (
    sfunc = gpured_int2_prefix_max, stype = internal, sspace = 1024,
    finalfunc = gpured_int2_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(int2) IS 'array of the greatest int2 values up to each row';

CREATE AGGREGATE gpu_prefix_max(int2, exclusive bool) (
    sfunc = gpured_int2_prefix_max_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_int2_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(int2, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_max(int4) (
    sfunc = gpured_int4_prefix_max, stype = internal, sspace = 1024,
    finalfunc = gpured_int4_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(int4) IS 'array of the greatest int4 values up to each row';

CREATE AGGREGATE gpu_prefix_max(int4, exclusive bool) (
    sfunc = gpured_int4_prefix_max_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_int4_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(int4, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_max(int8) (
    sfunc = gpured_int8_prefix_max, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(int8) IS 'array of the greatest int8 values up to each row';

CREATE AGGREGATE gpu_prefix_max(int8, exclusive bool) (
    sfunc = gpured_int8_prefix_max_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_int8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(int8, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_max(float4) (
    sfunc = gpured_float4_prefix_max, stype = internal, sspace = 1024,
    finalfunc = gpured_float4_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(float4) IS 'array of the greatest float4 values up to each row';

CREATE AGGREGATE gpu_prefix_max(float4, exclusive bool) (
    sfunc = gpured_float4_prefix_max_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_float4_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(float4, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_max(float8) (
    sfunc = gpured_float8_prefix_max, stype = internal, sspace = 1024,
    finalfunc = gpured_float8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(float8) IS 'array of the greatest float8 values up to each row';

CREATE AGGREGATE gpu_prefix_max(float8, exclusive bool) (
    sfunc = gpured_float8_prefix_max_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_float8_prefix_final,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(float8, exclusive bool) IS 'the same, without the row itself if exclusive';

CREATE AGGREGATE gpu_prefix_max(numeric) (
    sfunc = gpured_numeric_prefix_max, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_build,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(numeric) IS 'array of the greatest numeric values up to each row';

CREATE AGGREGATE gpu_prefix_max(numeric, exclusive bool) (
    sfunc = gpured_numeric_prefix_max_exclusive, stype = internal, sspace = 1024,
    finalfunc = gpured_numeric_prefix_build,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_prefix_max(numeric, exclusive bool) IS 'the same, without the row itself if exclusive';


/*
 * Variances, deviations, covariances and regressions of floats: from the exact
 * sums of values, squares and products, rounded once.  The arguments of those of
 * two variables are (y, x), as the built-in's.
 */
CREATE FUNCTION gpured_float4_moments(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_moving_moments(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float4_moving_moments_inverse(internal, float4) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_moments(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_moving_moments(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_float8_moving_moments_inverse(internal, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_pair_moments(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_moving_pair_moments(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_moving_pair_moments_inverse(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_dot_step(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_moving_dot(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_moving_dot_inverse(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_pair_count_inverse(int8, float8, float8) RETURNS int8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_moments_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_moments_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_moments_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_pair_moments_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_dot_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpured_var_pop(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_var_samp(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_stddev_pop(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_stddev_samp(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_corr(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_covar_pop(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_covar_samp(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_regr_avgx(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_regr_avgy(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_regr_sxx(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_regr_syy(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_regr_sxy(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_regr_slope(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_regr_intercept(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_regr_r2(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpured_dot(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpu_var_pop(float4) (
    sfunc = gpured_float4_moments, stype = internal, sspace = 64,
    finalfunc = gpured_var_pop,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float4_moving_moments, minvfunc = gpured_float4_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_var_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_pop(float4) IS 'population variance of float4 values, exact and rounded once';

CREATE AGGREGATE gpu_var_pop(float8) (
    sfunc = gpured_float8_moments, stype = internal, sspace = 64,
    finalfunc = gpured_var_pop,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float8_moving_moments, minvfunc = gpured_float8_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_var_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_pop(float8) IS 'population variance of float8 values, exact and rounded once';

CREATE AGGREGATE gpu_var_samp(float4) (
    sfunc = gpured_float4_moments, stype = internal, sspace = 64,
    finalfunc = gpured_var_samp,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float4_moving_moments, minvfunc = gpured_float4_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_samp(float4) IS 'sample variance of float4 values, exact and rounded once';

CREATE AGGREGATE gpu_var_samp(float8) (
    sfunc = gpured_float8_moments, stype = internal, sspace = 64,
    finalfunc = gpured_var_samp,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float8_moving_moments, minvfunc = gpured_float8_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_var_samp(float8) IS 'sample variance of float8 values, exact and rounded once';

CREATE AGGREGATE gpu_variance(float4) (
    sfunc = gpured_float4_moments, stype = internal, sspace = 64,
    finalfunc = gpured_var_samp,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float4_moving_moments, minvfunc = gpured_float4_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_variance(float4) IS 'sample variance of float4 values, another name of gpu_var_samp, exact and rounded once';

CREATE AGGREGATE gpu_variance(float8) (
    sfunc = gpured_float8_moments, stype = internal, sspace = 64,
    finalfunc = gpured_var_samp,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float8_moving_moments, minvfunc = gpured_float8_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_var_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_variance(float8) IS 'sample variance of float8 values, another name of gpu_var_samp, exact and rounded once';

CREATE AGGREGATE gpu_stddev_pop(float4) (
    sfunc = gpured_float4_moments, stype = internal, sspace = 64,
    finalfunc = gpured_stddev_pop,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float4_moving_moments, minvfunc = gpured_float4_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_stddev_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_pop(float4) IS 'population standard deviation of float4 values, exact and rounded once';

CREATE AGGREGATE gpu_stddev_pop(float8) (
    sfunc = gpured_float8_moments, stype = internal, sspace = 64,
    finalfunc = gpured_stddev_pop,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float8_moving_moments, minvfunc = gpured_float8_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_stddev_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_pop(float8) IS 'population standard deviation of float8 values, exact and rounded once';

CREATE AGGREGATE gpu_stddev_samp(float4) (
    sfunc = gpured_float4_moments, stype = internal, sspace = 64,
    finalfunc = gpured_stddev_samp,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float4_moving_moments, minvfunc = gpured_float4_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_samp(float4) IS 'sample standard deviation of float4 values, exact and rounded once';

CREATE AGGREGATE gpu_stddev_samp(float8) (
    sfunc = gpured_float8_moments, stype = internal, sspace = 64,
    finalfunc = gpured_stddev_samp,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float8_moving_moments, minvfunc = gpured_float8_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev_samp(float8) IS 'sample standard deviation of float8 values, exact and rounded once';

CREATE AGGREGATE gpu_stddev(float4) (
    sfunc = gpured_float4_moments, stype = internal, sspace = 64,
    finalfunc = gpured_stddev_samp,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float4_moving_moments, minvfunc = gpured_float4_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev(float4) IS 'sample standard deviation of float4 values, another name of gpu_stddev_samp, exact and rounded once';

CREATE AGGREGATE gpu_stddev(float8) (
    sfunc = gpured_float8_moments, stype = internal, sspace = 64,
    finalfunc = gpured_stddev_samp,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_moments_deserialize,
    msfunc = gpured_float8_moving_moments, minvfunc = gpured_float8_moving_moments_inverse,
    mstype = internal, msspace = 208, mfinalfunc = gpured_stddev_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_stddev(float8) IS 'sample standard deviation of float8 values, another name of gpu_stddev_samp, exact and rounded once';

CREATE AGGREGATE gpu_corr(y float8, x float8) (
    sfunc = gpured_pair_moments, stype = internal, sspace = 128,
    finalfunc = gpured_corr,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize,
    msfunc = gpured_moving_pair_moments, minvfunc = gpured_moving_pair_moments_inverse,
    mstype = internal, msspace = 272, mfinalfunc = gpured_corr,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_corr(y float8, x float8) IS 'correlation coefficient, exact and rounded once';

CREATE AGGREGATE gpu_covar_pop(y float8, x float8) (
    sfunc = gpured_pair_moments, stype = internal, sspace = 128,
    finalfunc = gpured_covar_pop,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize,
    msfunc = gpured_moving_pair_moments, minvfunc = gpured_moving_pair_moments_inverse,
    mstype = internal, msspace = 272, mfinalfunc = gpured_covar_pop,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_covar_pop(y float8, x float8) IS 'population covariance, exact and rounded once';

CREATE AGGREGATE gpu_covar_samp(y float8, x float8) (
    sfunc = gpured_pair_moments, stype = internal, sspace = 128,
    finalfunc = gpured_covar_samp,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize,
    msfunc = gpured_moving_pair_moments, minvfunc = gpured_moving_pair_moments_inverse,
    mstype = internal, msspace = 272, mfinalfunc = gpured_covar_samp,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_covar_samp(y float8, x float8) IS 'sample covariance, exact and rounded once';

CREATE AGGREGATE gpu_regr_avgx(y float8, x float8) (
    sfunc = gpured_pair_moments, stype = internal, sspace = 128,
    finalfunc = gpured_regr_avgx,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize,
    msfunc = gpured_moving_pair_moments, minvfunc = gpured_moving_pair_moments_inverse,
    mstype = internal, msspace = 272, mfinalfunc = gpured_regr_avgx,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_regr_avgx(y float8, x float8) IS 'average of x, exact and rounded once';

CREATE AGGREGATE gpu_regr_avgy(y float8, x float8) (
    sfunc = gpured_pair_moments, stype = internal, sspace = 128,
    finalfunc = gpured_regr_avgy,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize,
    msfunc = gpured_moving_pair_moments, minvfunc = gpured_moving_pair_moments_inverse,
    mstype = internal, msspace = 272, mfinalfunc = gpured_regr_avgy,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_regr_avgy(y float8, x float8) IS 'average of y, exact and rounded once';

CREATE AGGREGATE gpu_regr_sxx(y float8, x float8) (
    sfunc = gpured_pair_moments, stype = internal, sspace = 128,
    finalfunc = gpured_regr_sxx,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize,
    msfunc = gpured_moving_pair_moments, minvfunc = gpured_moving_pair_moments_inverse,
    mstype = internal, msspace = 272, mfinalfunc = gpured_regr_sxx,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_regr_sxx(y float8, x float8) IS 'sum of squares of x from its average, exact and rounded once';

CREATE AGGREGATE gpu_regr_syy(y float8, x float8) (
    sfunc = gpured_pair_moments, stype = internal, sspace = 128,
    finalfunc = gpured_regr_syy,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize,
    msfunc = gpured_moving_pair_moments, minvfunc = gpured_moving_pair_moments_inverse,
    mstype = internal, msspace = 272, mfinalfunc = gpured_regr_syy,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_regr_syy(y float8, x float8) IS 'sum of squares of y from its average, exact and rounded once';

CREATE AGGREGATE gpu_regr_sxy(y float8, x float8) (
    sfunc = gpured_pair_moments, stype = internal, sspace = 128,
    finalfunc = gpured_regr_sxy,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize,
    msfunc = gpured_moving_pair_moments, minvfunc = gpured_moving_pair_moments_inverse,
    mstype = internal, msspace = 272, mfinalfunc = gpured_regr_sxy,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_regr_sxy(y float8, x float8) IS 'sum of products of x and y from their averages, exact and rounded once';

CREATE AGGREGATE gpu_regr_slope(y float8, x float8) (
    sfunc = gpured_pair_moments, stype = internal, sspace = 128,
    finalfunc = gpured_regr_slope,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize,
    msfunc = gpured_moving_pair_moments, minvfunc = gpured_moving_pair_moments_inverse,
    mstype = internal, msspace = 272, mfinalfunc = gpured_regr_slope,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_regr_slope(y float8, x float8) IS 'slope of the least-squares line, exact and rounded once';

CREATE AGGREGATE gpu_regr_intercept(y float8, x float8) (
    sfunc = gpured_pair_moments, stype = internal, sspace = 128,
    finalfunc = gpured_regr_intercept,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize,
    msfunc = gpured_moving_pair_moments, minvfunc = gpured_moving_pair_moments_inverse,
    mstype = internal, msspace = 272, mfinalfunc = gpured_regr_intercept,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_regr_intercept(y float8, x float8) IS 'y-intercept of the least-squares line, exact and rounded once';

CREATE AGGREGATE gpu_regr_r2(y float8, x float8) (
    sfunc = gpured_pair_moments, stype = internal, sspace = 128,
    finalfunc = gpured_regr_r2,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_pair_moments_deserialize,
    msfunc = gpured_moving_pair_moments, minvfunc = gpured_moving_pair_moments_inverse,
    mstype = internal, msspace = 272, mfinalfunc = gpured_regr_r2,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_regr_r2(y float8, x float8) IS 'square of the correlation coefficient, exact and rounded once';

CREATE AGGREGATE gpu_regr_count(y float8, x float8) (
    sfunc = pg_catalog.int8inc_float8_float8, stype = int8, sspace = 8, initcond = '0',
    combinefunc = pg_catalog.int8pl,
    msfunc = pg_catalog.int8inc_float8_float8, minvfunc = gpured_pair_count_inverse,
    mstype = int8, msspace = 8, minitcond = '0',
    parallel = safe
);
COMMENT ON AGGREGATE gpu_regr_count(y float8, x float8) IS 'number of input rows in which both are not null';

CREATE AGGREGATE gpu_dot(x float8, y float8) (
    sfunc = gpured_dot_step, stype = internal, sspace = 32,
    finalfunc = gpured_dot,
    combinefunc = gpured_moments_combine,
    serialfunc = gpured_moments_serialize, deserialfunc = gpured_dot_deserialize,
    msfunc = gpured_moving_dot, minvfunc = gpured_moving_dot_inverse,
    mstype = internal, msspace = 176, mfinalfunc = gpured_dot,
    parallel = safe
);
COMMENT ON AGGREGATE gpu_dot(x float8, y float8) IS 'sum of the products of two float8 values, exact and rounded once';

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

CREATE FUNCTION gpured_progress(
    OUT pid integer,
    OUT datid oid,
    OUT relid oid,
    OUT phase text,
    OUT blocks_total bigint,
    OUT blocks_scanned bigint,
    OUT rows_scanned bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpured_progress() IS 'how far the column scans are that run now';

CREATE VIEW gpured_progress AS
  SELECT p.pid, p.datid, d.datname, p.relid, p.phase, p.blocks_total, p.blocks_scanned, p.rows_scanned
    FROM gpured_progress() p LEFT JOIN pg_catalog.pg_database d ON d.oid = p.datid;
COMMENT ON VIEW gpured_progress IS 'how far the column scans are that run now, a row for each process';
COMMENT ON COLUMN gpured_progress.phase IS 'scanning heap, or returning rows: the groups so far, or the result';
COMMENT ON COLUMN gpured_progress.blocks_total IS 'blocks of the table when the scan began';
COMMENT ON COLUMN gpured_progress.blocks_scanned IS 'blocks that this process has read of them';
COMMENT ON COLUMN gpured_progress.rows_scanned IS 'rows in those that the snapshot sees';

GRANT SELECT ON gpured_devices, gpured_stats, gpured_progress TO PUBLIC;

-- Say what preloading brings, if this is not preloaded.
CREATE FUNCTION gpured_suggest_preload() RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
SELECT gpured_suggest_preload();
DROP FUNCTION gpured_suggest_preload();
