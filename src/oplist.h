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
 * GPURED_SCAN(op, type, ctype, acc, otype)
 *		A device inclusive scan of a batch of "ctype" into an array of "otype",
 *		starting from an accumulator "acc" that carries what came before.
 * GPURED_AGGREGATE(name, type, result, kernel)
 *		An SQL aggregate gpu_<name>(type) and the device operation that serves
 *		it; kernel "none" computes in the session.  Two types are two arguments.
 *
 * Accumulators: int64 and wide (128 bits) wrap nowhere for any batch; exact is
 * the fixed-point sum of exact.h; least and greatest order floats as
 * PostgreSQL does (NaN above all) and settle zeros (least -0, greatest +0).
 */
#ifndef GPURED_REDUCE
#define GPURED_REDUCE(op, type, ctype, acc)
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
GPURED_AGGREGATE(sum,        numeric, numeric, none)
GPURED_AGGREGATE(avg,        int2,   numeric, reduce_sum_int2)
GPURED_AGGREGATE(avg,        int4,   numeric, reduce_sum_int4)
GPURED_AGGREGATE(avg,        int8,   numeric, reduce_sum_int8)
GPURED_AGGREGATE(avg,        float4, float8,  reduce_sum_float4)
GPURED_AGGREGATE(avg,        float8, float8,  reduce_sum_float8)
GPURED_AGGREGATE(avg,        numeric, numeric, none)
GPURED_AGGREGATE(min,        int2,   int2,    reduce_min_int2)
GPURED_AGGREGATE(min,        int4,   int4,    reduce_min_int4)
GPURED_AGGREGATE(min,        int8,   int8,    reduce_min_int8)
GPURED_AGGREGATE(min,        float4, float4,  reduce_min_float4)
GPURED_AGGREGATE(min,        float8, float8,  reduce_min_float8)
GPURED_AGGREGATE(min,        numeric, numeric, none)
GPURED_AGGREGATE(max,        int2,   int2,    reduce_max_int2)
GPURED_AGGREGATE(max,        int4,   int4,    reduce_max_int4)
GPURED_AGGREGATE(max,        int8,   int8,    reduce_max_int8)
GPURED_AGGREGATE(max,        float4, float4,  reduce_max_float4)
GPURED_AGGREGATE(max,        float8, float8,  reduce_max_float8)
GPURED_AGGREGATE(max,        numeric, numeric, none)
GPURED_AGGREGATE(count,      any,    int8,    none)
GPURED_AGGREGATE(prefix_sum, int2,   int8,    scan_sum_int2)
GPURED_AGGREGATE(prefix_sum, int4,   int8,    scan_sum_int4)
GPURED_AGGREGATE(prefix_sum, int8,   numeric, scan_sum_int8)
GPURED_AGGREGATE(prefix_sum, float4, float4,  scan_sum_float4)
GPURED_AGGREGATE(prefix_sum, float8, float8,  scan_sum_float8)
GPURED_AGGREGATE(prefix_sum, numeric, numeric, none)
GPURED_AGGREGATE(var_pop,    float4, float8,  none)
GPURED_AGGREGATE(var_pop,    float8, float8,  none)
GPURED_AGGREGATE(var_samp,   float4, float8,  none)
GPURED_AGGREGATE(var_samp,   float8, float8,  none)
GPURED_AGGREGATE(variance,   float4, float8,  none)
GPURED_AGGREGATE(variance,   float8, float8,  none)
GPURED_AGGREGATE(stddev_pop, float4, float8,  none)
GPURED_AGGREGATE(stddev_pop, float8, float8,  none)
GPURED_AGGREGATE(stddev_samp,float4, float8,  none)
GPURED_AGGREGATE(stddev_samp,float8, float8,  none)
GPURED_AGGREGATE(stddev,     float4, float8,  none)
GPURED_AGGREGATE(stddev,     float8, float8,  none)
GPURED_AGGREGATE(corr, float8 float8, float8, none)
GPURED_AGGREGATE(covar_pop, float8 float8, float8, none)
GPURED_AGGREGATE(covar_samp, float8 float8, float8, none)
GPURED_AGGREGATE(regr_count, float8 float8, int8,   none)
GPURED_AGGREGATE(regr_avgx, float8 float8, float8, none)
GPURED_AGGREGATE(regr_avgy, float8 float8, float8, none)
GPURED_AGGREGATE(regr_sxx, float8 float8, float8, none)
GPURED_AGGREGATE(regr_syy, float8 float8, float8, none)
GPURED_AGGREGATE(regr_sxy, float8 float8, float8, none)
GPURED_AGGREGATE(regr_slope, float8 float8, float8, none)
GPURED_AGGREGATE(regr_intercept, float8 float8, float8, none)
GPURED_AGGREGATE(regr_r2, float8 float8, float8, none)
GPURED_AGGREGATE(dot, float8 float8, float8, none)

#undef GPURED_REDUCE
#undef GPURED_SCAN
#undef GPURED_AGGREGATE
