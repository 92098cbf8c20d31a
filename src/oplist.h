/*
 * oplist.h
 *	  The one list of what gpured computes.
 *
 * What a line means is decided by the file that includes it: operation
 * numbers, dispatch tables, kernel instances, the catalogue test and the table
 * in the documentation all come from here.  There is no include guard: define
 * the macros that are wanted, include the file, and they are undefined again.
 *
 * GPURED_REDUCE(op, type, ctype, acc)
 *		A device reduction of a batch of "ctype" into an accumulator.
 * GPURED_MOMENTS(op, type, ctype, columns, acc)
 *		A device reduction of one column of "ctype" or of two (x and y) into the
 *		sums that variances and regressions are made of.
 * GPURED_SCAN(op, type, ctype, acc, otype)
 *		A device inclusive scan of a batch of "ctype" into an array of "otype",
 *		starting from an accumulator "acc" that carries what came before.
 * GPURED_AGGREGATE(name, type, result, kernel)
 *		An SQL aggregate gpu_<name>(type) and the device operation that serves
 *		it; kernel "none" computes in the session.  Counts and booleans have none
 *		on purpose: a row is counted sooner than sent.  A prefix aggregate returns an
 *		array of "result", and has a second form with the argument "exclusive".
 *		Two types are two arguments.
 *
 * Accumulators: int64 and wide (128 bits) wrap nowhere for any batch; exact is
 * the fixed-point sum of exact.h; least and greatest order floats as
 * PostgreSQL does (NaN above all) and settle zeros (least -0, greatest +0).
 * and_int, or_int and xor_int are of values extended to 64 bits by their sign.
 * int_moments are the sums of integers and of their squares; moments,
 * pair_moments and dot the exact sums of moment_sums.h.
 */
#ifndef GPURED_REDUCE
#define GPURED_REDUCE(op, type, ctype, acc)
#endif
#ifndef GPURED_MOMENTS
#define GPURED_MOMENTS(op, type, ctype, columns, acc)
#endif
#ifndef GPURED_SCAN
#define GPURED_SCAN(op, type, ctype, acc, otype)
#endif
#ifndef GPURED_AGGREGATE
#define GPURED_AGGREGATE(name, type, result, kernel)
#endif

/*            op   type    C type   accumulator */
GPURED_REDUCE(sum, int2,   int16_t, int64)
GPURED_REDUCE(sum, int4,   int32_t, int64)
GPURED_REDUCE(sum, int8,   int64_t, wide)
GPURED_REDUCE(sum, float4, float,   exact)
GPURED_REDUCE(sum, float8, double,  exact)

GPURED_REDUCE(min, int2,   int16_t, least_int)
GPURED_REDUCE(min, int4,   int32_t, least_int)
GPURED_REDUCE(min, int8,   int64_t, least_int)
GPURED_REDUCE(min, float4, float,   least_float)
GPURED_REDUCE(min, float8, double,  least_float)

GPURED_REDUCE(max, int2,   int16_t, greatest_int)
GPURED_REDUCE(max, int4,   int32_t, greatest_int)
GPURED_REDUCE(max, int8,   int64_t, greatest_int)
GPURED_REDUCE(max, float4, float,   greatest_float)
GPURED_REDUCE(max, float8, double,  greatest_float)

GPURED_REDUCE(bit_and, int2, int16_t, and_int)
GPURED_REDUCE(bit_and, int4, int32_t, and_int)
GPURED_REDUCE(bit_and, int8, int64_t, and_int)
GPURED_REDUCE(bit_or,  int2, int16_t, or_int)
GPURED_REDUCE(bit_or,  int4, int32_t, or_int)
GPURED_REDUCE(bit_or,  int8, int64_t, or_int)
GPURED_REDUCE(bit_xor, int2, int16_t, xor_int)
GPURED_REDUCE(bit_xor, int4, int32_t, xor_int)
GPURED_REDUCE(bit_xor, int8, int64_t, xor_int)

/*             op            type    C type   columns, accumulator */
GPURED_MOMENTS(moments,      int2,   int16_t, 1, int_moments)
GPURED_MOMENTS(moments,      int4,   int32_t, 1, int_moments)
GPURED_MOMENTS(moments,      int8,   int64_t, 1, int_moments)
GPURED_MOMENTS(moments,      float4, float,   1, moments)
GPURED_MOMENTS(moments,      float8, double,  1, moments)
GPURED_MOMENTS(pair_moments, float8, double,  2, pair_moments)
GPURED_MOMENTS(dot,          float8, double,  2, dot)

/*          op   type    C type   carry  output */
GPURED_SCAN(sum, int2,   int16_t, int64, int64_t)
GPURED_SCAN(sum, int4,   int32_t, int64, int64_t)
GPURED_SCAN(sum, int8,   int64_t, wide,  GpuredInt128)
GPURED_SCAN(sum, float4, float,   exact, float)
GPURED_SCAN(sum, float8, double,  exact, double)

/*               name        type    result   kernel */
GPURED_AGGREGATE(sum,        int2,   int8,    reduce_sum_int2)
GPURED_AGGREGATE(sum,        int4,   int8,    reduce_sum_int4)
GPURED_AGGREGATE(sum,        int8,   numeric, reduce_sum_int8)
GPURED_AGGREGATE(sum,        float4, float4,  reduce_sum_float4)
GPURED_AGGREGATE(sum,        float8, float8,  reduce_sum_float8)
GPURED_AGGREGATE(sum,        numeric, numeric, reduce_sum_int8)
GPURED_AGGREGATE(avg,        int2,   numeric, reduce_sum_int2)
GPURED_AGGREGATE(avg,        int4,   numeric, reduce_sum_int4)
GPURED_AGGREGATE(avg,        int8,   numeric, reduce_sum_int8)
GPURED_AGGREGATE(avg,        float4, float8,  reduce_sum_float4)
GPURED_AGGREGATE(avg,        float8, float8,  reduce_sum_float8)
GPURED_AGGREGATE(avg,        numeric, numeric, reduce_sum_int8)
GPURED_AGGREGATE(min,        int2,   int2,    reduce_min_int2)
GPURED_AGGREGATE(min,        int4,   int4,    reduce_min_int4)
GPURED_AGGREGATE(min,        int8,   int8,    reduce_min_int8)
GPURED_AGGREGATE(min,        float4, float4,  reduce_min_float4)
GPURED_AGGREGATE(min,        float8, float8,  reduce_min_float8)
GPURED_AGGREGATE(min,        numeric, numeric, reduce_min_int8)
GPURED_AGGREGATE(max,        int2,   int2,    reduce_max_int2)
GPURED_AGGREGATE(max,        int4,   int4,    reduce_max_int4)
GPURED_AGGREGATE(max,        int8,   int8,    reduce_max_int8)
GPURED_AGGREGATE(max,        float4, float4,  reduce_max_float4)
GPURED_AGGREGATE(max,        float8, float8,  reduce_max_float8)
GPURED_AGGREGATE(max,        numeric, numeric, reduce_max_int8)
GPURED_AGGREGATE(count,      any,    int8,    none)
GPURED_AGGREGATE(prefix_sum, int2,   int8,    scan_sum_int2)
GPURED_AGGREGATE(prefix_sum, int4,   int8,    scan_sum_int4)
GPURED_AGGREGATE(prefix_sum, int8,   numeric, scan_sum_int8)
GPURED_AGGREGATE(prefix_sum, float4, float4,  scan_sum_float4)
GPURED_AGGREGATE(prefix_sum, float8, float8,  scan_sum_float8)
GPURED_AGGREGATE(prefix_sum, numeric, numeric, none)
GPURED_AGGREGATE(var_pop,    int2,       numeric,    reduce_moments_int2)
GPURED_AGGREGATE(var_pop,    int4,       numeric,    reduce_moments_int4)
GPURED_AGGREGATE(var_pop,    int8,       numeric,    reduce_moments_int8)
GPURED_AGGREGATE(var_pop,    numeric,    numeric,    reduce_moments_int8)
GPURED_AGGREGATE(var_samp,   int2,       numeric,    reduce_moments_int2)
GPURED_AGGREGATE(var_samp,   int4,       numeric,    reduce_moments_int4)
GPURED_AGGREGATE(var_samp,   int8,       numeric,    reduce_moments_int8)
GPURED_AGGREGATE(var_samp,   numeric,    numeric,    reduce_moments_int8)
GPURED_AGGREGATE(variance,   int2,       numeric,    reduce_moments_int2)
GPURED_AGGREGATE(variance,   int4,       numeric,    reduce_moments_int4)
GPURED_AGGREGATE(variance,   int8,       numeric,    reduce_moments_int8)
GPURED_AGGREGATE(variance,   numeric,    numeric,    reduce_moments_int8)
GPURED_AGGREGATE(stddev_pop, int2,       numeric,    reduce_moments_int2)
GPURED_AGGREGATE(stddev_pop, int4,       numeric,    reduce_moments_int4)
GPURED_AGGREGATE(stddev_pop, int8,       numeric,    reduce_moments_int8)
GPURED_AGGREGATE(stddev_pop, numeric,    numeric,    reduce_moments_int8)
GPURED_AGGREGATE(stddev_samp, int2,       numeric,    reduce_moments_int2)
GPURED_AGGREGATE(stddev_samp, int4,       numeric,    reduce_moments_int4)
GPURED_AGGREGATE(stddev_samp, int8,       numeric,    reduce_moments_int8)
GPURED_AGGREGATE(stddev_samp, numeric,    numeric,    reduce_moments_int8)
GPURED_AGGREGATE(stddev,     int2,       numeric,    reduce_moments_int2)
GPURED_AGGREGATE(stddev,     int4,       numeric,    reduce_moments_int4)
GPURED_AGGREGATE(stddev,     int8,       numeric,    reduce_moments_int8)
GPURED_AGGREGATE(stddev,     numeric,    numeric,    reduce_moments_int8)
GPURED_AGGREGATE(bool_and,   bool,       bool,       none)
GPURED_AGGREGATE(bool_or,    bool,       bool,       none)
GPURED_AGGREGATE(every,      bool,       bool,       none)
GPURED_AGGREGATE(bit_and,    int2,       int2,       reduce_bit_and_int2)
GPURED_AGGREGATE(bit_and,    int4,       int4,       reduce_bit_and_int4)
GPURED_AGGREGATE(bit_and,    int8,       int8,       reduce_bit_and_int8)
GPURED_AGGREGATE(bit_and,    bit,        bit,        none)
GPURED_AGGREGATE(bit_or,     int2,       int2,       reduce_bit_or_int2)
GPURED_AGGREGATE(bit_or,     int4,       int4,       reduce_bit_or_int4)
GPURED_AGGREGATE(bit_or,     int8,       int8,       reduce_bit_or_int8)
GPURED_AGGREGATE(bit_or,     bit,        bit,        none)
GPURED_AGGREGATE(bit_xor,    int2,       int2,       reduce_bit_xor_int2)
GPURED_AGGREGATE(bit_xor,    int4,       int4,       reduce_bit_xor_int4)
GPURED_AGGREGATE(bit_xor,    int8,       int8,       reduce_bit_xor_int8)
GPURED_AGGREGATE(bit_xor,    bit,        bit,        none)
GPURED_AGGREGATE(sum,        interval,   interval,   none)
GPURED_AGGREGATE(avg,        interval,   interval,   none)
GPURED_AGGREGATE(sum,        money,      money,      reduce_sum_int8)
GPURED_AGGREGATE(min,        money,      money,      reduce_min_int8)
GPURED_AGGREGATE(min,        date,       date,       reduce_min_int4)
GPURED_AGGREGATE(min,        time,       time,       reduce_min_int8)
GPURED_AGGREGATE(min,        timetz,     timetz,     none)
GPURED_AGGREGATE(min,        timestamp,  timestamp,  reduce_min_int8)
GPURED_AGGREGATE(min,        timestamptz, timestamptz, reduce_min_int8)
GPURED_AGGREGATE(min,        interval,   interval,   none)
GPURED_AGGREGATE(min,        oid,        oid,        reduce_min_int8)
GPURED_AGGREGATE(min,        xid8,       xid8,       none)
GPURED_AGGREGATE(min,        pg_lsn,     pg_lsn,     none)
GPURED_AGGREGATE(min,        tid,        tid,        none)
GPURED_AGGREGATE(min,        inet,       inet,       none)
GPURED_AGGREGATE(min,        text,       text,       none)
GPURED_AGGREGATE(min,        bpchar,     bpchar,     none)
GPURED_AGGREGATE(min,        bytea,      bytea,      none)
GPURED_AGGREGATE(min,        anyarray,   anyarray,   none)
GPURED_AGGREGATE(min,        anyenum,    anyelement, none)
GPURED_AGGREGATE(max,        money,      money,      reduce_max_int8)
GPURED_AGGREGATE(max,        date,       date,       reduce_max_int4)
GPURED_AGGREGATE(max,        time,       time,       reduce_max_int8)
GPURED_AGGREGATE(max,        timetz,     timetz,     none)
GPURED_AGGREGATE(max,        timestamp,  timestamp,  reduce_max_int8)
GPURED_AGGREGATE(max,        timestamptz, timestamptz, reduce_max_int8)
GPURED_AGGREGATE(max,        interval,   interval,   none)
GPURED_AGGREGATE(max,        oid,        oid,        reduce_max_int8)
GPURED_AGGREGATE(max,        xid8,       xid8,       none)
GPURED_AGGREGATE(max,        pg_lsn,     pg_lsn,     none)
GPURED_AGGREGATE(max,        tid,        tid,        none)
GPURED_AGGREGATE(max,        inet,       inet,       none)
GPURED_AGGREGATE(max,        text,       text,       none)
GPURED_AGGREGATE(max,        bpchar,     bpchar,     none)
GPURED_AGGREGATE(max,        bytea,      bytea,      none)
GPURED_AGGREGATE(max,        anyarray,   anyarray,   none)
GPURED_AGGREGATE(max,        anyenum,    anyelement, none)
GPURED_AGGREGATE(prefix_min, int2,       int2,       none)
GPURED_AGGREGATE(prefix_min, int4,       int4,       none)
GPURED_AGGREGATE(prefix_min, int8,       int8,       none)
GPURED_AGGREGATE(prefix_min, float4,     float4,     none)
GPURED_AGGREGATE(prefix_min, float8,     float8,     none)
GPURED_AGGREGATE(prefix_min, numeric,    numeric,    none)
GPURED_AGGREGATE(prefix_max, int2,       int2,       none)
GPURED_AGGREGATE(prefix_max, int4,       int4,       none)
GPURED_AGGREGATE(prefix_max, int8,       int8,       none)
GPURED_AGGREGATE(prefix_max, float4,     float4,     none)
GPURED_AGGREGATE(prefix_max, float8,     float8,     none)
GPURED_AGGREGATE(prefix_max, numeric,    numeric,    none)
GPURED_AGGREGATE(var_pop,    float4, float8,  reduce_moments_float4)
GPURED_AGGREGATE(var_pop,    float8, float8,  reduce_moments_float8)
GPURED_AGGREGATE(var_samp,   float4, float8,  reduce_moments_float4)
GPURED_AGGREGATE(var_samp,   float8, float8,  reduce_moments_float8)
GPURED_AGGREGATE(variance,   float4, float8,  reduce_moments_float4)
GPURED_AGGREGATE(variance,   float8, float8,  reduce_moments_float8)
GPURED_AGGREGATE(stddev_pop, float4, float8,  reduce_moments_float4)
GPURED_AGGREGATE(stddev_pop, float8, float8,  reduce_moments_float8)
GPURED_AGGREGATE(stddev_samp,float4, float8,  reduce_moments_float4)
GPURED_AGGREGATE(stddev_samp,float8, float8,  reduce_moments_float8)
GPURED_AGGREGATE(stddev,     float4, float8,  reduce_moments_float4)
GPURED_AGGREGATE(stddev,     float8, float8,  reduce_moments_float8)
GPURED_AGGREGATE(corr, float8 float8, float8, reduce_pair_moments_float8)
GPURED_AGGREGATE(covar_pop, float8 float8, float8, reduce_pair_moments_float8)
GPURED_AGGREGATE(covar_samp, float8 float8, float8, reduce_pair_moments_float8)
GPURED_AGGREGATE(regr_count, float8 float8, int8,   none)
GPURED_AGGREGATE(regr_avgx, float8 float8, float8, reduce_pair_moments_float8)
GPURED_AGGREGATE(regr_avgy, float8 float8, float8, reduce_pair_moments_float8)
GPURED_AGGREGATE(regr_sxx, float8 float8, float8, reduce_pair_moments_float8)
GPURED_AGGREGATE(regr_syy, float8 float8, float8, reduce_pair_moments_float8)
GPURED_AGGREGATE(regr_sxy, float8 float8, float8, reduce_pair_moments_float8)
GPURED_AGGREGATE(regr_slope, float8 float8, float8, reduce_pair_moments_float8)
GPURED_AGGREGATE(regr_intercept, float8 float8, float8, reduce_pair_moments_float8)
GPURED_AGGREGATE(regr_r2, float8 float8, float8, reduce_pair_moments_float8)
GPURED_AGGREGATE(dot, float8 float8, float8, reduce_dot_float8)

#undef GPURED_REDUCE
#undef GPURED_MOMENTS
#undef GPURED_SCAN
#undef GPURED_AGGREGATE
