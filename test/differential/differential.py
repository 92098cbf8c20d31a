#!/usr/bin/python3
"""Random queries against an oracle.

    test/differential/differential.py [--seed N] [--seconds S] [--queries N]
                                      [--offload off|auto|force] [--dsn DSN]

Makes tables of random values with special ones at random positions, and asks
each aggregate of each type through many plan shapes: plain, hashed and sorted
groups, ROLLUP, subqueries that are scanned again, parallel, column scans, partial
states of partitions, WHERE, DISTINCT, FILTER, ORDER BY inside the call, window
frames and prefix sums.

Float sums, averages, variances and regressions are compared, bit for bit, with
exact rational arithmetic done here.  Everything else is compared with the built-in aggregate,
as text.  The seed is printed: the same seed and the same number of queries give
the same run.  Ends with "N passed, N failed".

Without --dsn and --offload, libpq's environment decides.  The database needs the extension;
a schema "differential" is made in it and dropped at the end.
"""
import argparse
import math
import random
import re
import struct
import sys
import time
from decimal import Decimal
from fractions import Fraction

import psycopg

INTEGERS = ("int2", "int4", "int8")
FLOATS = ("float4", "float8")
NUMBERS = INTEGERS + FLOATS + ("numeric",)
OTHERS = ("interval", "money", "date", "time", "timetz", "timestamp", "timestamptz", "text", "bpchar", "inet", "oid", "xid8",
          "pg_lsn", "tid", "grade", "int4[]", "bool", "bit")
INFINITE = ["date", "timestamp", "timestamptz"]         # and interval from PostgreSQL 17 on
GRADES = ("low", "middle", "high", "a")
TYPES = NUMBERS + OTHERS
PREFIXES = ("prefix_sum", "prefix_sum", "prefix_min", "prefix_max")
VARIANCES = ("var_pop", "var_samp", "variance", "stddev_pop", "stddev_samp", "stddev")
BITS = ("bit_and", "bit_or", "bit_xor")
EXTREMES = ("min", "max", "count")
FUNCTIONS = {kind: ("sum", "avg", "sum", "avg") + EXTREMES + PREFIXES for kind in NUMBERS}
for kind in NUMBERS:
    FUNCTIONS[kind] += VARIANCES + (BITS if kind in INTEGERS else ())
FUNCTIONS.update({kind: EXTREMES for kind in OTHERS}, interval=("sum", "avg") + EXTREMES, money=("sum", "sum") + EXTREMES,
                 bool=("bool_and", "bool_or", "every", "count"), bit=BITS + ("count",))
REGRESSIONS = ("corr", "covar_pop", "covar_samp", "regr_count", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy",
               "regr_sxy", "regr_slope", "regr_intercept", "regr_r2", "dot")
EXACT = ("sum", "avg") + VARIANCES + REGRESSIONS
PAIRED = ("float8", "float8", "float4", "int4", "int2")
OVERFLOW = "22003"
INFINITY = math.inf


# ---------------------------------------------------------------- values

def to_float4(x):
    """The float4 nearest to a float8, as a float8."""
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(INFINITY, x)


def random_float(rng, style):
    if style == "uniform":
        return rng.random()
    if style == "normal":
        return rng.gauss(0, 1)
    if style == "cents":
        return rng.randrange(-10**6, 10**6) / 100
    if style == "integers":
        return float(rng.randrange(-1000, 1000))
    if style == "wide":
        return rng.choice((-1, 1)) * math.ldexp(1 + rng.random(), rng.randrange(-1074, 1020))
    if style == "huge":
        return rng.choice((-1, 1)) * math.ldexp(1 + rng.random(), rng.randrange(1000, 1024))
    if style == "ties":
        return rng.choice((-1, 1, 1)) * rng.choice(TIES)
    if style == "tiny":
        return rng.choice((-1, 1)) * math.ldexp(rng.random(), -1040)
    return rng.choice((-1, 1)) * math.ldexp(1.0, rng.randrange(-60, 60))        # powers


SCALES = {"integers": 0, "cents": 2, "powers": 4, "ties": 8}
STYLES = ("uniform", "normal", "cents", "integers", "wide", "huge", "tiny", "powers", "ties")
# Sums of these are often halfway between two floats, or beside that.
TIES = (1.0, 2.0**-53, 3 * 2.0**-53, 2.0**-54, 2.0**-105, 2.0**-24, 3 * 2.0**-24, 2.0**-25, 2.0**53, 2.0**24, 5e-324, 2.0**-149,
        2.0**-1022, 2.0**-126)
SPECIALS = (math.nan, INFINITY, -INFINITY, 0.0, -0.0, 5e-324, sys.float_info.max, -sys.float_info.max,
            2.0**53, 1.0, -1.0, 2.0**-1022)
LIMITS = {"int2": 2**15, "int4": 2**31, "int8": 2**63}


def random_value(rng, kind, style, specials):
    if rng.random() < 0.08:
        return None
    special = rng.random() < specials
    if kind in LIMITS:
        top = LIMITS[kind]
        if special or style in ("wide", "huge"):
            return rng.choice((-top, top - 1, 0, -1, 1, rng.randrange(-top, top)))
        return rng.randrange(-min(top, 10**6), min(top, 10**6))
    if kind in OTHERS:
        return random_other(rng, kind)
    if kind == "numeric":
        if special:
            return rng.choice(("NaN", "Infinity", "-Infinity", "0.000", "1e40", "-1e-30", "9" * 40))
        if style in ("wide", "huge", "tiny"):
            return f"{rng.randrange(-10**30, 10**30)}e-{rng.randrange(0, 40)}"
        # one scale for all, as a type modifier has it; some values have 64 bits in that unit and some have more
        if style in SCALES:
            return f"{Decimal(rng.randrange(-10**19, 10**19)) / 10**rng.randrange(0, 14):.{SCALES[style]}f}"
        return f"{rng.randrange(-10**12, 10**12)}e-{rng.randrange(0, 9)}"
    x = rng.choice(SPECIALS) if special else random_float(rng, style)
    if kind == "float4":
        if math.isfinite(x) and abs(x) > 3.4e38:
            x = math.copysign(3.4e38, x)
        x = to_float4(x)
    return x


def random_other(rng, kind):
    day = f"{rng.randrange(1900, 2100)}-{rng.randrange(1, 13)}-{rng.randrange(1, 28)}"
    time_of_day = f"{rng.randrange(24)}:{rng.randrange(60)}:{rng.randrange(60)}.{rng.randrange(10**6):06}"
    infinite = rng.random() < 0.02
    if infinite and kind in INFINITE:
        return rng.choice(("infinity", "-infinity"))
    return {
        "interval": lambda: f"{rng.randrange(-240, 240)} months {rng.randrange(-1000, 1000)} days"
                            f" {rng.randrange(-10**12, 10**12)} microseconds",
        "money": lambda: f"{rng.randrange(-10**12, 10**12) / 100:.2f}",
        "date": lambda: f"{rng.randrange(1, 9999):04}-{rng.randrange(1, 13)}-{rng.randrange(1, 28)}",
        "time": lambda: time_of_day,
        "timetz": lambda: f"{time_of_day}+{rng.randrange(12)}",
        "timestamp": lambda: f"{day} {time_of_day}",
        "timestamptz": lambda: f"{day} {time_of_day}+{rng.randrange(12)}",
        "text": lambda: "".join(rng.choice("abAB -_z\u00e9") for _ in range(rng.randrange(0, 12))),
        "bpchar": lambda: "".join(rng.choice("ab ") for _ in range(rng.randrange(0, 6))),
        "inet": lambda: f"10.{rng.randrange(4)}.{rng.randrange(256)}.{rng.randrange(256)}/{rng.randrange(8, 33)}",
        "oid": lambda: str(rng.choice((0, 2**31, 2**32 - 1, rng.randrange(2**32)))),
        "xid8": lambda: str(rng.choice((0, 2**63, 2**64 - 1, rng.randrange(2**64)))),
        "pg_lsn": lambda: f"{rng.randrange(2**32):X}/{rng.randrange(2**32):X}",
        "tid": lambda: f"({rng.choice((0, 2**31, 2**32 - 1, rng.randrange(1000)))},{rng.randrange(65536)})",
        "grade": lambda: rng.choice(GRADES),
        "int4[]": lambda: "{" + ",".join(rng.choice(("NULL", "1", "-1", "7")) for _ in range(rng.randrange(4))) + "}",
        "bool": lambda: rng.choice("tf"),
        "bit": lambda: f"{rng.randrange(256):08b}",
    }[kind]()


def column(kind):
    """The name of the column of a type."""
    return kind.replace("[]", "s") + "_"


def literal(x):
    if x is None:
        return "\\N"
    if isinstance(x, float):
        return "NaN" if x != x else "Infinity" if x == INFINITY else "-Infinity" if x == -INFINITY else repr(x)
    return str(x)


# ---------------------------------------------------------------- the oracle for floats

def round_to(fraction, mantissa, lowest, largest):
    """Nearest value with so many bits, none below 2^lowest; ties to even.  None if out of range."""
    if fraction == 0:
        return 0.0
    sign, x = (-1 if fraction < 0 else 1), abs(fraction)
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    if Fraction(2) ** exponent > x:
        exponent -= 1
    step = Fraction(2) ** max(exponent - mantissa + 1, lowest)
    units, rest = divmod(x, step)
    if 2 * rest > step or (2 * rest == step and units % 2 == 1):
        units += 1
    value = units * step
    if value > largest:
        return None
    # exact in float8; a result that rounds to zero keeps the sign of the exact value
    return math.copysign(float(value), sign)


def round_sum(kind, fraction):
    if kind == "float4":
        return round_to(fraction, 24, -149, Fraction(2) ** 128 - Fraction(2) ** 104)
    return round_to(fraction, 53, -1074, Fraction(2) ** 1024 - Fraction(2) ** 971)


def float_sum(kind, values):
    """The answer of gpu_sum: a float, None for NULL, or OVERFLOW."""
    values = [v for v in values if v is not None]
    if not values:
        return None
    special = special_sum(values)
    if special is not None:
        return special
    if all(v == 0 and math.copysign(1, v) < 0 for v in values):
        return -0.0
    result = round_sum(kind, sum(map(Fraction, values)))
    return OVERFLOW if result is None else result


def special_sum(values):
    up, down = INFINITY in values, -INFINITY in values
    if any(v != v for v in values) or (up and down):
        return math.nan
    return INFINITY if up else -INFINITY if down else None


def float_avg(kind, values):
    values = [v for v in values if v is not None]
    if not values:
        return None
    special = special_sum(values)
    if special is not None:
        return special
    return round_sum("float8", sum(map(Fraction, values)) / len(values))


def round_root(fraction):
    """The square root of a fraction, rounded once."""
    if fraction == 0:
        return 0.0
    extra = max(0, 240 - fraction.numerator.bit_length() + fraction.denominator.bit_length()) // 2
    q, rest = divmod(fraction.numerator << 2 * extra, fraction.denominator)
    root = math.isqrt(q)
    sticky = rest != 0 or root * root != q
    return round_sum("float8", Fraction(2 * root + sticky, 2 << extra))


SCALE = 1 << 1074


def to_integer(x):
    """A finite float in units of the smallest one."""
    n, d = x.as_integer_ratio()
    return n * (SCALE // d)


def finite_sums(xs, ys):
    """n and centered sums of x, y: n times the sum of squares or products, less the product of sums."""
    def centered(a, b):
        if not all(map(math.isfinite, a + b)):
            return None
        a, b = list(map(to_integer, a)), list(map(to_integer, b))
        return Fraction(len(a) * sum(p * q for p, q in zip(a, b)) - sum(a) * sum(b), SCALE ** 2)
    return len(xs), centered(xs, xs), centered(ys, ys), centered(xs, ys)


def float_variance(function, values):
    values = [v for v in values if v is not None]
    sample = not function.endswith("pop")
    if len(values) <= sample:
        return None
    n, cxx, _, _ = finite_sums(values, values)
    if cxx is None:
        return math.nan
    variance = cxx / (n * (n - sample))
    result = round_root(variance) if function.startswith("stddev") else round_sum("float8", variance)
    return OVERFLOW if result is None else result


def float_dot(pairs):
    products = [x * y for x, y in pairs]
    special = special_sum([p for (x, y), p in zip(pairs, products) if not (math.isfinite(x) and math.isfinite(y))])
    if special is not None:
        return special
    if all(x * y == 0 and (x == 0 or y == 0) and math.copysign(1, x) != math.copysign(1, y) for x, y in pairs):
        return -0.0
    return round_sum("float8", Fraction(sum(to_integer(x) * to_integer(y) for x, y in pairs), SCALE ** 2))


def float_regression(function, pairs):
    """The answer for pairs (y, x)."""
    pairs = [p for p in pairs if None not in p]
    if function == "regr_count":
        return float(len(pairs))
    if len(pairs) <= (function == "covar_samp"):
        return None
    ys, xs = [y for y, _ in pairs], [x for _, x in pairs]
    if function == "dot":
        result = float_dot(pairs)
    elif function in ("regr_avgx", "regr_avgy"):
        result = float_avg("float8", xs if function == "regr_avgx" else ys)
    else:
        result = regression(function, xs, ys)
    return OVERFLOW if result is None else None if result == "NULL" else result


def regression(function, xs, ys):
    n, cxx, cyy, cxy = finite_sums(xs, ys)
    if function in ("corr", "regr_r2", "regr_slope", "regr_intercept") and cxx == 0:
        return "NULL"
    if cyy == 0 and function in ("corr", "regr_r2"):
        return "NULL" if function == "corr" else 1.0
    used = {"regr_sxx": cxx, "regr_syy": cyy}.get(function, cxy)
    if used is None:
        return math.nan
    if function == "corr":
        return (-1 if cxy < 0 else 1) * round_root(cxy ** 2 / (cxx * cyy))
    if function == "regr_intercept":
        slope = cxy / cxx
        return round_sum("float8", (Fraction(sum(map(to_integer, ys)), SCALE) - slope * Fraction(sum(map(to_integer, xs)), SCALE)) / n)
    value = {"covar_pop": lambda: used / n ** 2, "covar_samp": lambda: used / (n * (n - 1)), "regr_slope": lambda: used / cxx,
             "regr_r2": lambda: used ** 2 / (cxx * cyy)}.get(function, lambda: used / n)()
    return round_sum("float8", value)


def oracle(function, kind, values):
    """The exact answer of a function of floats; values are pairs (y, x) for those of two."""
    if function in VARIANCES:
        return float_variance(function, values)
    if function in REGRESSIONS:
        return float_regression(function, values)
    return (float_sum if function == "sum" else float_avg)(kind, values)


def float_prefix(kind, values, exclusive):
    result = []
    for i in range(len(values)):
        x = float_sum(kind, values[:i if exclusive else i + 1])
        if x == OVERFLOW:
            return OVERFLOW
        result.append(x)
    return result


def same_float(kind, ours, expected):
    if expected is None or ours is None:
        return ours is None and expected is None
    pack = "f" if kind == "float4" else "d"
    if expected != expected:
        return ours != ours
    return struct.pack(pack, ours) == struct.pack(pack, expected)


# ---------------------------------------------------------------- queries

FRAMES = ("ORDER BY k ROWS 3 PRECEDING", "ORDER BY k ROWS BETWEEN 5 PRECEDING AND 2 PRECEDING",
          "ORDER BY k", "ORDER BY k ROWS BETWEEN 1 PRECEDING AND 4 FOLLOWING",
          "ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
          "PARTITION BY g ORDER BY k ROWS 7 PRECEDING",
          "ORDER BY k ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW")
SETTINGS = {
    "plain": {}, "parallel": {"max_parallel_workers_per_gather": "3"},
    "no leader": {"max_parallel_workers_per_gather": "2", "parallel_leader_participation": "off"},
    "hash": {"enable_sort": "off"}, "sort": {"enable_hashagg": "off"},
    "spill": {"enable_sort": "off", "work_mem": "'64kB'", "hash_mem_multiplier": "1"},
    "partitions": {"enable_partitionwise_aggregate": "on"},
    "columns": {"gpured.debug_scan": "require"},
    "parallel columns": {"gpured.debug_scan": "require", "max_parallel_workers_per_gather": "3"},
    "rows": {"gpured.debug_scan": "forbid"},
}
DEFAULTS = {"max_parallel_workers_per_gather": "0", "parallel_leader_participation": "on", "enable_sort": "on",
            "enable_hashagg": "on", "work_mem": "'64MB'", "hash_mem_multiplier": "2",
            "enable_partitionwise_aggregate": "off", "parallel_setup_cost": "0", "parallel_tuple_cost": "0",
            "min_parallel_table_scan_size": "0", "jit": "off", "extra_float_digits": "1", "gpured.debug_scan": "allow"}
WHERES = ("", "", "", "k % 7 <> 1", "k < 30", "int4_ > 0", "float8_ >= 0", "float4_ < 1", "int8_ <> 0 AND int2_ <= 100", "numeric_ IS NOT NULL",
          "text_ > 'a'", "bool_", "float8_ = 'NaN'", "date_ > '2000-01-01' OR k % 2 = 0", "p = 1", "g IN (0, 3) AND int2_ IS NOT NULL", "k < 0")
FILTERS = ("", "", "", "k % 3 = 0", "k > 20", "k = 7", "false", "k % 2 = 0 OR k < 10")


class Run:
    def __init__(self, dsn, seed, offload):
        self.rng = random.Random(seed)
        self.db = psycopg.connect(dsn, autocommit=True)
        self.db.execute("DROP SCHEMA IF EXISTS differential CASCADE")
        self.db.execute("CREATE SCHEMA differential")
        self.db.execute("SET search_path = differential, public")
        self.db.execute(f"CREATE TYPE grade AS ENUM {GRADES}")
        if self.db.info.server_version >= 170000 and "interval" not in INFINITE:
            INFINITE.append("interval")
        if offload is not None:
            self.db.execute(f"SET gpured.offload = {offload}")
        for name, value in DEFAULTS.items():
            self.db.execute(f"SET {name} = {value}")
        self.passed = self.failed = 0

    def close(self):
        self.db.execute("DROP SCHEMA differential CASCADE")

    def make_table(self):
        """A table of a row number, a group and a column a type; half of them partitioned."""
        rng = self.rng
        self.db.execute("SET client_min_messages = warning")
        self.db.execute("DROP TABLE IF EXISTS t")
        columns = ", ".join(f"{column(kind)} {kind}" + ("(8)" if kind == "bit" else "") for kind in TYPES)
        partitioned = rng.random() < 0.5
        self.db.execute(f"CREATE TABLE t (k int, g int, p int, {columns})" + (" PARTITION BY LIST (p)" if partitioned else ""))
        if partitioned:
            for p in range(3):
                self.db.execute(f"CREATE TABLE t_{p} PARTITION OF t FOR VALUES IN ({p}) WITH (parallel_workers = 2)")
        else:
            self.db.execute("ALTER TABLE t SET (parallel_workers = 3)")
        n = rng.choice((0, 1, 3, 10, 50, 200, 500, 1000, 1000))
        groups = rng.choice((1, 2, 5, 50, 400))
        style = {kind: rng.choice(STYLES) for kind in TYPES}
        specials = rng.choice((0, 0, 0.005, 0.1))
        nulls = {kind for kind in TYPES if rng.random() < 0.03}
        # one value for all, whatever it is
        equal = {kind: random_value(rng, kind, style[kind], 0.5) for kind in TYPES if rng.random() < 0.05}
        self.rows = []
        for k in range(n):
            row = {"k": k, "g": rng.randrange(groups), "p": rng.randrange(3)}
            for kind in TYPES:
                row[kind] = (None if kind in nulls else equal[kind] if kind in equal
                             else random_value(rng, kind, style[kind], specials))
            self.rows.append(row)
        shuffled = self.rows[:]
        rng.shuffle(shuffled)
        with self.db.cursor().copy("COPY t FROM STDIN") as copy:
            for row in shuffled:
                copy.write("\t".join(literal(row[c]) for c in ("k", "g", "p") + TYPES) + "\n")
        self.db.execute("ANALYZE t")

    def ask(self, query):
        """Rows of text, or the SQLSTATE of an error."""
        try:
            return self.db.execute(query).fetchall()
        except psycopg.Error as e:
            if e.sqlstate is None:
                raise
            return e.sqlstate

    def check(self, what, query, good, detail):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}\n  {query}\n  {detail}")

    # Each shape returns (query template with {f}, rows that it sees as a list of (key, [values])).

    def one(self):
        rng = self.rng
        kind = rng.choice(NUMBERS + NUMBERS + FLOATS + TYPES)
        function = rng.choice(FUNCTIONS[kind])
        if kind == "float8" and rng.random() < 0.3:
            function = rng.choice(REGRESSIONS)
        shape = rng.choice(("aggregate", "aggregate", "aggregate", "window"))
        if function.startswith("prefix"):
            self.prefix(function, kind)
        elif shape == "window":
            self.window(function, kind)
        else:
            self.aggregate(function, kind)

    def arguments(self, function, kind):
        """Columns of a call, and what a row gives the oracle."""
        if function in REGRESSIONS:
            # y and x are two columns of the table, of any scale to each other, or one twice
            y, x = self.rng.choice(PAIRED), self.rng.choice(PAIRED)
            return f"{column(y)}, {column(x)}", lambda row: tuple(None if row[c] is None else float(row[c]) for c in (y, x))
        return column(kind), lambda row: row[kind]

    def set_plan(self, name):
        for setting, value in DEFAULTS.items():
            value = SETTINGS[name].get(setting, value)
            self.db.execute(f"SET {setting} = {value}")

    def aggregate(self, function, kind):
        rng = self.rng
        plan = rng.choice(tuple(SETTINGS))
        self.set_plan(plan)
        shape = rng.choice(("plain", "plain", "groups", "groups", "groups", "rollup", "again"))
        distinct = rng.random() < 0.15
        condition, where = rng.choice(FILTERS), rng.choice(WHERES)
        if function in REGRESSIONS:
            distinct = False
        columns, value = self.arguments(function, kind)
        order = rng.choice(("", "", "", " ORDER BY k", " ORDER BY k DESC", f" ORDER BY {column(kind)}")) if not distinct else ""
        call = f"({{f}}({'DISTINCT ' if distinct else ''}{columns}{order})" + (f" FILTER (WHERE {condition})" if condition else "") + ")::text"
        source = "FROM t" + (f" WHERE {where}" if where else "")
        template = {
            "plain": f"SELECT 0, {call} {source}",
            "groups": f"SELECT g, {call} {source} GROUP BY g ORDER BY 1",
            "rollup": f"SELECT g, {call} {source} GROUP BY ROLLUP (g) ORDER BY 1",
            "again": f"SELECT d.g, (SELECT {call} {source}{' AND' if where else ' WHERE'} t.g = d.g)"
                     " FROM (SELECT DISTINCT g FROM t) d ORDER BY 1",
        }[shape]
        if " OR " in where and shape == "again":
            template = template.replace(where, f"({where})")
        what = f"{function}({kind}), {plan}, {shape}"
        ours_query = template.format(f="gpu_" + function)
        ours = self.ask(ours_query)
        if kind in FLOATS and function in EXACT:
            groups = self.groups(shape, condition, where, value)
            if distinct:
                # float4 and float8 values that are equal are one; -0 and 0 too, whichever it is
                groups = [(g, distinct_values(v)) for g, v in groups]
            self.compare_floats(what, ours_query, kind, function, ours, groups, distinct)
        elif kind == "numeric" and function in ("min", "max") and not distinct:
            # of equal values the one with the most digits
            ordered = f"numeric_ {'DESC ' if function == 'max' else ''}NULLS LAST, scale(numeric_) DESC"
            first = f"((array_agg(numeric_ ORDER BY {ordered})" + (f" FILTER (WHERE {condition})" if condition else "") + ")[1])::text"
            theirs = self.ask(template.replace(call, first))
            self.check(what, ours_query, ours == theirs, f"{ours}\n  {theirs}")
        else:
            theirs = self.ask(template.format(f=function))
            self.check(what, ours_query, self.same_rows(ours, theirs, kind), f"{ours}\n  {theirs}")

    def groups(self, shape, condition, where, value):
        """What is aggregated: (group, values), in the order of the answer."""
        taken = range(len(self.rows))
        if where:
            taken = {k for k, in self.db.execute(f"SELECT k FROM t WHERE {where}").fetchall()}
        groups = {row["g"]: [] for row in self.rows} if shape == "again" else {}
        total = []
        for row in self.rows:
            if row["k"] not in taken:
                continue
            group = groups.setdefault(row["g"], [])
            if not condition or eval_filter(condition, row["k"]):
                group.append(value(row))
                total.append(value(row))
        if shape == "plain":
            return [(0, total)]
        return sorted(groups.items()) + ([(None, total)] if shape == "rollup" else [])

    def compare_floats(self, what, query, kind, function, ours, groups, lax_zero=False):
        expected = [(g, oracle(function, kind, v)) for g, v in groups]
        if any(x == OVERFLOW for _, x in expected):
            self.check(what, query, ours == OVERFLOW, f"no overflow error: {ours}")
            return
        result_kind = kind if function == "sum" else "float8"
        good = not isinstance(ours, str) and len(ours) == len(expected)
        if good:
            for (g, x), (h, y) in zip(ours, expected):
                x = None if x is None else float(x)
                good = good and g == h and (same_float(result_kind, x, y) or (lax_zero and x == 0 and y == 0))
        self.check(what, query, good, f"{ours}\n  {expected}")

    @staticmethod
    def same_rows(ours, theirs, kind):
        """As text; what is equal and prints differently may differ in minima and maxima."""
        if isinstance(ours, str) or isinstance(theirs, str) or len(ours) != len(theirs):
            return ours == theirs
        for a, b in zip(ours, theirs):
            if a != b and not (a[0] == b[0] and a[1] is not None and b[1] is not None and same_value(kind, a[1], b[1])):
                return False
        return True

    def window(self, function, kind):
        rng = self.rng
        self.set_plan("plain")
        frame = rng.choice(FRAMES)
        condition = rng.choice(FILTERS)
        filter_ = f" FILTER (WHERE {condition})" if condition else ""
        columns, value = self.arguments(function, kind)
        template = f"SELECT k, ({{f}}({columns}){filter_} OVER ({frame}))::text FROM t WHERE k < 200 ORDER BY k"
        what = f"{function}({kind}) OVER ({frame})"
        query = template.format(f="gpu_" + function)
        ours = self.ask(query)
        if kind in FLOATS and function in EXACT:
            # array_agg over the same frame says which rows are in it
            members = self.db.execute(
                f"SELECT k, array_agg(k){filter_} OVER ({frame}) FROM t WHERE k < 200 ORDER BY k").fetchall()
            groups = [(k, [value(self.rows[i]) for i in frame_rows or ()]) for k, frame_rows in members]
            self.compare_floats(what, query, kind, function, ours, groups)
        else:
            theirs = self.ask(template.format(f=function))
            self.check(what, query, self.same_rows(ours, theirs, kind), f"{ours}\n  {theirs}")

    def prefix(self, function, kind):
        rng = self.rng
        plan = rng.choice(tuple(SETTINGS))
        self.set_plan(plan)
        exclusive = rng.random() < 0.4
        descending = rng.random() < 0.3
        order = "k DESC" if descending else "k"
        grouped = rng.random() < 0.5
        flag = ", true" if exclusive else rng.choice(("", ", false"))
        query = (f"SELECT {'g' if grouped else '0'}, gpu_{function}({column(kind)}{flag} ORDER BY {order})::text FROM t"
                 + (" GROUP BY g" if grouped else "") + " ORDER BY 1")
        what = f"{function}({kind}), {plan}"
        ours = self.ask(query)
        groups = {} if grouped else {0: []}
        for row in reversed(self.rows) if descending else self.rows:
            groups.setdefault(row["g"] if grouped else 0, []).append(row[kind])
        if kind in FLOATS and function == "prefix_sum":
            expected = [(g, float_prefix(kind, v, exclusive) if v else None) for g, v in sorted(groups.items())]
            if any(x == OVERFLOW for _, x in expected):
                self.check(what, query, ours == OVERFLOW, f"no overflow error: {str(ours)[:300]}")
                return
            good = not isinstance(ours, str) and len(ours) == len(expected)
            for (g, x), (h, y) in zip(ours if good else (), expected):
                x = parse_array(x)
                good = good and int(g) == h and (x is None) == (y is None) and (
                    x is None or (len(x) == len(y) and all(same_float(kind, a, b) for a, b in zip(x, y))))
            self.check(what, query, good, f"{str(ours)[:600]}\n  {str(expected)[:600]}")
            return
        partition = "PARTITION BY g " if grouped else ""
        bounds = "ROWS BETWEEN UNBOUNDED PRECEDING AND " + ("1 PRECEDING" if exclusive else "CURRENT ROW")
        theirs = self.ask(f"SELECT {'g' if grouped else '0'}, array_agg(s ORDER BY {order})::text FROM"
                          f" (SELECT g, k, {function[7:]}({column(kind)}) OVER ({partition}ORDER BY {order} {bounds}) AS s FROM t) q"
                          + (" GROUP BY g" if grouped else "") + " ORDER BY 1")
        good = ours == theirs or (function != "prefix_sum" and same_arrays(kind, ours, theirs))
        self.check(what, query, good, f"{str(ours)[:600]}\n  {str(theirs)[:600]}")


def same_value(kind, a, b):
    """Whether two texts are one value of a type whose values have several."""
    if kind in FLOATS or kind == "numeric":
        return a == b or (a is not None and b is not None and Decimal(a) == Decimal(b))
    if kind == "interval":
        # the built-in average is rounded in double precision, and breaks a tie as that has it
        return abs(interval_length(a) - interval_length(b)) <= 1
    return False


def interval_length(text):
    """Microseconds of an interval, by the months and days that comparison takes."""
    total = 0
    for number, unit in re.findall(r"(-?\d+) (year|mon|day)", text):
        total += int(number) * {"year": 360, "mon": 30, "day": 1}[unit] * 86400 * 10**6
    time_of_day = re.search(r"(-?)(\d+):(\d+):(\d+)(?:\.(\d+))?$", text)
    if time_of_day:
        sign, hours, minutes, seconds, fraction = time_of_day.groups()
        micros = ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 10**6 + int((fraction or "").ljust(6, "0"))
        total += -micros if sign else micros
    return total


def same_arrays(kind, ours, theirs):
    if isinstance(ours, str) or isinstance(theirs, str) or len(ours) != len(theirs):
        return ours == theirs
    for (g, a), (h, b) in zip(ours, theirs):
        if g != h or (a is None) != (b is None):
            return False
        a, b = ([None if x == "NULL" else x for x in (text or "{}").strip("{}").split(",")] for text in (a, b))
        if len(a) != len(b) or not all(x == y or same_value(kind, x, y) for x, y in zip(a, b)):
            return False
    return True


def eval_filter(condition, k):
    return {"k % 3 = 0": k % 3 == 0, "k > 20": k > 20, "k = 7": k == 7, "false": False,
            "k % 2 = 0 OR k < 10": k % 2 == 0 or k < 10}[condition]


def distinct_values(values):
    seen, result = set(), []
    for v in values:
        token = None if v is None else "NaN" if v != v else v + 0.0 if v != 0 else 0
        if token not in seen:
            seen.add(token)
            result.append(v)
    return result


def parse_array(text):
    if text is None:
        return None
    return [None if x == "NULL" else float(x) for x in text.strip("{}").split(",") if x != ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--queries", type=int, default=None, help="stop after so many, whatever the time")
    parser.add_argument("--offload", choices=("off", "auto", "force"), default=None)
    parser.add_argument("--dsn", default="")
    args = parser.parse_args()

    seed = random.SystemRandom().randrange(10**6) if args.seed is None else args.seed
    run = Run(args.dsn, seed, args.offload)
    offload = run.db.execute("SELECT gpured_version(), current_setting('gpured.offload')").fetchone()[1]
    print(f"seed {seed}, offload {offload}", flush=True)
    end = time.monotonic() + args.seconds
    asked = 0
    while (asked < args.queries) if args.queries is not None else (time.monotonic() < end):
        if asked % 40 == 0:
            run.make_table()
        run.one()
        asked += 1
    run.close()
    print(f"{run.passed} passed, {run.failed} failed")
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
