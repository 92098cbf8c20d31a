#!/usr/bin/python3
"""Random tables and queries by the column scan, against the plan without it.

    test/differential/column_scan.py [--seed N] [--seconds S] [--dsn DSN]

Makes tables with columns of random types in random order, NULLs of random
fractions, columns that were dropped, added with a default or toasted, rows that
were updated, deleted, rolled back or are still open in another session, some
vacuumed, some partitioned with other attribute numbers.  Some have the
types' special values.  Asks each for random aggregates, quals, expressions and groups
with gpured.debug_scan = forbid and require, with little and much work_mem, in one
process and in several, in some time zone.

The same rows, or the same error, must come.  Where rows fail at several places the
plans may meet another error first: then only that both raise one is compared, and
that the query itself was none.
The seed is printed: the same seed gives the same tables and queries.  Ends with
"N passed, N failed".  Without --dsn, libpq's environment decides.
"""
import argparse
import random
import re
import sys
import time

import psycopg

# type, and an expression that makes a value of it from i
TYPES = {
    "int2": "(i * {p} % 2001 - 1000)::int2",
    "int4": "(i::int8 * {p} % 100003 - 50000)::int4",
    "int8": "i::int8 * {p} * 1000003 % 4000000000000 - 2000000000000",
    "float4": "(CASE i % 31 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN 'Infinity' ELSE (i * {p} % 1009) / 7.0 END)::float4",
    "float8": "(CASE i % 37 WHEN 0 THEN -0.0::float8 WHEN 1 THEN 0 ELSE ((i::int8 * {p} % 10007) / 13.0 - 300) END)::float8",
    "numeric": "round((i::int8 * {p} % 50021 / 97.0)::numeric, i % 5)",
    "bool": "i * {p} % 3 = 0",
    "date": "date '2020-01-01' + (i * {p} % 800)",
    "timestamp": "timestamp '2019-12-30' + i * {p} % 9973 * interval '11 min'",
    "timestamptz": "timestamptz '2020-03-20 UTC' + i * {p} % 9973 * interval '7 min'",
    "varchar": "'v' || i * {p} % 17",
    "text": "CASE i % 5 WHEN 0 THEN '' ELSE repeat(md5((i * {p} % 40)::text), i % 4) END",
    "bpchar": "('b' || i * {p} % 11)::char(5)",
    "uuid": "md5((i * {p} % 30)::text)::uuid",
    "interval": "i * {p} % 50 * interval '1 day 3 min'",
    "money": "(i * {p} % 5000)::money",
    "inet": "('10.1.' || i * {p} % 3 || '.7')::inet",
}
SUMMED = ("int2", "int4", "int8", "float4", "float8", "numeric", "interval", "money")
NUMBERS = ("int2", "int4", "int8", "float4", "float8", "numeric")
ORDERED = ("int2", "int4", "int8", "float4", "float8", "numeric", "date", "timestamp", "timestamptz", "text",
           "bpchar", "interval", "money", "inet")
INTEGERS = ("int2", "int4", "int8")
CONSTANTS = {
    "int2": ("0", "7::int2", "-100", "NULL"), "int4": ("0", "1234", "-7::int8", "99999999999"),
    "int8": ("0", "1000000", "-5", "3::int2"), "float4": ("0.5", "'NaN'", "3.5::float4", "-0.0"),
    "float8": ("0.5", "0", "'Infinity'", "-100", "'NaN'"), "numeric": ("3", "100.5"),
    "date": ("'2020-05-05'", "'infinity'"), "timestamp": ("'2020-01-07'", "'2020-02-01 12:00'"),
    "timestamptz": ("'2020-03-29 01:00 UTC'", "now() - interval '6 years'"), "text": ("''", "md5('7')", "'b'"),
    "bpchar": ("'b3'",), "uuid": ("md5('3')::uuid",), "interval": ("'5 days'",), "money": ("'17'",),
    "inet": ("'10.1.1.7'",), "varchar": ("'v3'", "'v11'"),
}
# values that a page need not have for all others to be computed at once
SPECIAL = {
    "int2": ("32767", "-32768", "0"), "int4": ("2147483647", "-2147483648", "0", "-1"),
    "int8": ("9223372036854775807", "-9223372036854775808", "0", "-1"),
    "float4": ("'NaN'", "'Infinity'", "'-Infinity'", "'3e38'", "'1e-45'", "'-0'"),
    "float8": ("'NaN'", "'Infinity'", "'-Infinity'", "'1.7e308'", "'5e-324'", "'-0'"),
    "numeric": ("'NaN'", "'Infinity'", "'-Infinity'", "123456789012345678.125", "1e-20", "0.000",
                "99999999999999999999"),
    "date": ("'infinity'", "'-infinity'", "'4713-01-01 BC'", "'5874897-12-31'", "'0001-01-01 BC'",
             "'2020-02-29'"),
    "timestamp": ("'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294276-12-31'", "'0044-03-15 BC'",
                  "'2020-02-29 23:59:59.999999'", "'1999-12-31 23:59:59.5'"),
    "timestamptz": ("'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294276-12-30'", "'1880-06-01'",
                    "'9999-12-31'",
                    "'2020-03-29 00:59:59.999999 UTC'", "'2020-10-25 01:30 UTC'", "'2038-07-01'"),
    "interval": ("'100000 years'", "'1 mon -31 days'", "'-7 days 00:00:01'"), "text": ("''", "' '", "'%'",
                 "chr(228)", "repeat('long', 4000)"),
    "varchar": ("''", "'v3 '"), "bpchar": ("''", "'b3  '"), "money": ("'0'",), "uuid": ("md5('3')::uuid",),
    "bool": ("true",), "inet": ("'::1'",),
}
ZONES = ("Europe/Berlin", "UTC", "Australia/Lord_Howe", "Asia/Kolkata", "America/St_Johns",
"Africa/Monrovia", "Pacific/Apia",
         "America/New_York", "<+03:30>-3:30")
# expressions of each type; words in braces are replaced by others of that type
GRAMMAR = {
    "int4": ("({int4} + {int4})", "({int4} - {int4})", "({int4} * {int4})", "({int4} / {int4})",
             "({int4} % {int4})", "-{int4}",
             "abs({int4})", "mod({int4}, 7)", "({int4} / -3)", "{int8}::int4", "{float8}::int4",
             "{numeric}::int4", "{bool}::int",
             "({date} - {date})", "({int2} * {int4})", "{int2}::int4", "length({text})", "ascii({varchar})",
             "(20 / length({text}))", "position('1' in {text})"),
    "int2": ("({int2} + {int2})", "({int2} / {int2})", "({int2} % 7::int2)", "-{int2}", "{int4}::int2",
             "abs({int2})"),
    "int8": ("({int8} + {int8})", "({int8} - {int4})", "({int4} * {int8})", "({int8} / {int8})",
             "({int8} % 1000)", "-{int8}",
             "abs({int8})", "{int4}::int8", "{float8}::int8", "{float4}::int8"),
    "float4": ("({float4} + {float4})", "({float4} - {float4})", "({float4} * {float4})",
               "({float4} / {float4})", "-{float4}",
               "abs({float4})", "{int4}::float4", "{float8}::float4", "{int8}::float4"),
    "float8": ("({float8} + {float8})", "({float8} - {float4})", "({float4} * {float8})",
               "({float8} / {float8})", "-{float8}",
               "abs({float8})", "floor({float8})", "ceil({float8})", "round({float8})", "trunc({float8})",
               "sign({float8})",
               "sqrt(abs({float8}))", "{int4}::float8", "{int8}::float8", "{float4}::float8",
               "{numeric}::float8",
               "date_part('epoch', {timestamp})", "date_part('second', {timestamptz})",
               "date_part('doy', {date})",
               "date_part('epoch', {interval})"),
    "numeric": ("({numeric} + {numeric})", "({numeric} - {numeric})", "({numeric} * {numeric})",
                "({numeric} / {numeric})",
                "({numeric} % {numeric})", "-{numeric}", "abs({numeric})", "sign({numeric})",
                "floor({numeric})", "ceil({numeric})",
                "round({numeric})", "trunc({numeric})", "round({numeric}, 1)", "trunc({numeric}, 2)",
                "round({numeric}, -1)",
                "floor({numeric} / {numeric})", "{int4}::numeric", "{int8}::numeric",
                "{numeric}::numeric(12,1)",
                "extract(epoch FROM {timestamptz})", "extract(hour FROM {timestamptz})",
                "extract(minute FROM {timestamp})",
                "extract(second FROM {timestamp})", "extract(month FROM {date})",
                "extract(year FROM {timestamptz})",
                "extract(dow FROM {timestamptz})", "extract(week FROM {timestamp})",
                "extract(quarter FROM {date})",
                "extract(day FROM {timestamptz})", "extract(epoch FROM {interval})",
                "extract(epoch FROM {date})",
                "extract(isoyear FROM {timestamp})", "extract(milliseconds FROM {timestamptz})"),
    "bool": ("({int4} < {int4})", "({int8} >= {int4})", "({float8} <= {float4})", "({float8} = {float8})",
             "({numeric} > {numeric})",
             "({numeric} = {numeric})", "({date} < {date})", "({timestamp} > {date})",
             "({timestamptz} < {timestamptz})",
             "({text} = {text})", "({text} <> 'v3')", "({text} = {varchar})", "({bpchar} = {bpchar})",
             "({text} LIKE 'v1%')",
             "({text} LIKE '%a%')", "({text} NOT LIKE '%b')", "({bpchar} LIKE 'b1%')",
             "({text} IN ('', 'v1', 'v3', 'v11'))",
             "({text} NOT IN ('v1', NULL))", "({int4} IN (1, 2, {int4}))",
             "({int4} % 10 IN (1, 2, 3, 4, 5, 6, 7, 8, 9))",
             "({int8} NOT IN (0, 7))", "({numeric} IN (0, 1.0, 2.50))", "({float8} IN (0, 0.5, 'NaN'))",
             "({uuid} = {uuid})",
             "({uuid} < {uuid})", "({money} > {money})", "({bool} AND {bool})", "({bool} OR {bool})",
             "(NOT {bool})", "({bool} IS TRUE)",
             "({bool} IS NOT FALSE)", "({bool} IS UNKNOWN)", "({bool} = {bool})", "({int4} IS NULL)",
             "({text} IS NOT NULL)",
             "({int4} IS DISTINCT FROM {int8})", "({text} IS NOT DISTINCT FROM {text})",
             "({numeric} IS DISTINCT FROM {numeric})",
             "({int4} BETWEEN {int4} AND {int4})", "({date} = ANY (ARRAY[date '2020-01-05', NULL]))",
             "({float4} > {float4})",
             "({timestamp} = ANY ('{{2020-01-01,infinity}}'::timestamp[]))", "({text} LIKE '_1%')",
             "({text} ~ '[13]$')", "({text} ILIKE 'V%1')", "({text} < 'v3')", "({varchar} >= {text})",
             "(10 / length({text}) > 2)", "starts_with({varchar}, 'v1')"),
    "date": ("({date} + {int2})", "({date} - 3)", "{timestamp}::date", "{timestamptz}::date"),
    "timestamp": ("date_trunc('{unit}', {timestamp})", "{date}::timestamp", "{timestamptz}::timestamp",
                  "({timestamp} + {interval})",
                  "({timestamp} - interval '1 mon 1 day')", "({date} + interval '1 mon 2 h')",
                  "({timestamptz} AT TIME ZONE 'Asia/Kolkata')", "({timestamp} + interval '36 h')",
                  "date_bin('15 min', {timestamp}, '2000-01-01')"),
    "timestamptz": ("date_trunc('{unit}', {timestamptz})", "{date}::timestamptz",
                    "({timestamptz} + interval '90 min')",
                    "({timestamptz} - interval '1 day')",
                    "date_trunc('{unit}', {timestamptz}, 'America/New_York')",
                    "date_bin('1 h', {timestamptz}, '2000-01-01')"),
    "interval": ("({timestamp} - {timestamp})", "({timestamptz} - {timestamptz})"),
    # a program has no such functions, but a column's dictionary may
    "text": ("{varchar}::text", "upper({text})", "substr({text}, 2, 3)", "left({varchar}, 2)", "({text} || 'x')",
             "({bpchar} || '|')", "{numeric}::text", "{int2}::text", "to_char({date}, 'YYYY-MM')", "reverse({text})",
             "md5({text})", "replace({text}, '1', '')"), "varchar": (), "bpchar": (), "uuid": (), "money": (), "inet": (),
}
ANY = ("CASE WHEN {bool} THEN {@} ELSE {@} END", "CASE WHEN {bool} THEN {@} WHEN {bool} THEN {@} END",
"coalesce({@}, {@})",
       "nullif({@}, {@})", "CASE {int4} WHEN 1 THEN {@} WHEN {int4} THEN {@} ELSE {@} END",
       "CASE {text} WHEN 'v3' THEN {@} END")
EXTREME = ("greatest({@}, {@})", "least({@}, {@}, {@})")
UNITS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")


class Test:
    def __init__(self, dsn, seed):
        self.random = random.Random(seed)
        self.db = psycopg.connect(dsn, autocommit=True)
        self.other = psycopg.connect(dsn, autocommit=True)
        self.passed = self.failed = self.errors = 0
        for setting in ("parallel_setup_cost = 0", "parallel_tuple_cost = 0", "min_parallel_table_scan_size = 0",
                        "client_min_messages = warning", "TimeZone = 'Europe/Berlin'"):
            self.db.execute("SET " + setting)
        self.db.execute("DROP SCHEMA IF EXISTS column_scan CASCADE")
        self.db.execute("CREATE SCHEMA column_scan")
        for db in (self.db, self.other):
            db.execute("SET search_path = column_scan, public")

    def choose(self, *choices):
        return self.random.choice(choices)

    def values(self, columns, where):
        made = []
        for kind, _ in columns:
            value = TYPES[kind].format(p=self.random.randrange(1, 9999, 2))
            nulls = self.choose(0, 0, 2, 7, 1)
            made.append(f"CASE WHEN i % {nulls} > 0 THEN {value} END" if nulls else value)
        return f"SELECT {', '.join(made)} FROM generate_series(1, {where}) i"

    def make_table(self):
        kinds = self.random.choices(list(TYPES), k=self.random.randint(2, 14))
        columns = [(kind, f"c{n}") for n, kind in enumerate(kinds)]
        definition = ", ".join(f"{name} {kind}" for kind, name in columns)
        rows = self.choose(0, 1, 90, 1500, 5000, 12000)
        execute = self.db.execute
        execute("DROP TABLE IF EXISTS t CASCADE")
        partitioned = self.choose(True, False, False, False)
        if partitioned:
            execute(f"CREATE TABLE t ({definition}, pk int) PARTITION BY LIST (pk)")
            execute("CREATE TABLE t0 PARTITION OF t FOR VALUES IN (0, 1)")
            shuffled = [f"{name} {kind}" for kind, name in columns] + ["pk int", "gone int"]
            self.random.shuffle(shuffled)
            execute(f"CREATE TABLE t1 ({', '.join(shuffled)})")
            execute("ALTER TABLE t1 DROP COLUMN gone")
            execute("ALTER TABLE t ATTACH PARTITION t1 DEFAULT")
        else:
            fill = self.choose(100, 60)
            execute(f"CREATE {self.choose('', '', 'UNLOGGED', 'TEMP')} TABLE t ({definition}, pk int)"
                    f" WITH (fillfactor = {fill}, parallel_workers = 2)")
        names = ", ".join(name for _, name in columns)
        execute(f"INSERT INTO t ({names}, pk) SELECT v.*, (row_number() OVER ()) % 4 FROM"
                f" ({self.values(columns, rows)}) v")
        if self.choose(True, False, False):
            for _ in range(self.choose(3, 30)):
                special = [self.random.choice(SPECIAL[kind] + ("NULL",)) for kind, _ in columns]
                execute(f"INSERT INTO t ({names}, pk) VALUES ({', '.join(special)}, {self.choose(0, 1, 3)})")
        # a few texts that are long enough to leave their rows
        for kind, name in columns:
            if kind == "text":
                execute(f"UPDATE t SET {name} = repeat({name}, 2000) WHERE pk = 3 AND length({name}) > 60")
        if len(columns) > 3 and self.choose(True, False):
            _, name = columns.pop(self.random.randrange(len(columns)))
            execute(f"ALTER TABLE t DROP COLUMN {name}")
        if self.choose(True, False):
            default = self.choose("float8 DEFAULT 2.5", "int4 DEFAULT 7", "text DEFAULT 'fast'", "int8")
            execute(f"ALTER TABLE t ADD COLUMN added {default}")
            columns.append((default.split()[0], "added"))
            execute("INSERT INTO t SELECT * FROM t LIMIT 100")
        if self.choose(True, False):
            execute("VACUUM (ANALYZE) t")
        kind, name = self.random.choice(columns)
        for change in ("DELETE FROM t WHERE pk = 2", f"UPDATE t SET {name} = NULL WHERE pk = 1",
                       "BEGIN; DELETE FROM t WHERE pk = 0; ROLLBACK"):
            if self.choose(True, False):
                execute(change)
        if self.choose(True, False, False):
            execute(f"VACUUM ({self.choose('FREEZE', 'ANALYZE')}) t")
        self.open = not self.is_temporary() and self.choose(True, False)
        if self.open:
            self.other.execute("BEGIN")
            self.other.execute("UPDATE t SET pk = pk WHERE pk = 3")
            self.other.execute("INSERT INTO t (pk) VALUES (0), (1)")
        self.columns = columns + [("int4", "pk")]

    def is_temporary(self):
        return self.db.execute("SELECT relpersistence = 't' FROM pg_class WHERE oid = 't'::regclass").fetchone()[0]

    def column(self, kinds):
        found = [c for c in self.columns if c[0] in kinds]
        return self.random.choice(found) if found else ("int4", "pk")

    def value(self, kind, depth=0):
        """An expression of a type."""
        names = [name for k, name in self.columns if k == kind]
        if names and self.random.random() < 0.3 + 0.3 * depth:
            return self.random.choice(names)
        if depth > 2 or not GRAMMAR[kind] and self.random.random() < 0.7:
            # not the time, which differs from query to query
            constant = self.random.choice([c for c in CONSTANTS.get(kind, ("true", "false",
            "NULL")) if "now" not in c])
            return self.random.choice(names) if names else f"({constant})::{kind}"
        template = self.random.choice(GRAMMAR[kind] + (ANY if self.random.random() < 0.5 or not GRAMMAR[kind] else ()) +
                                      (EXTREME if kind in SUMMED and kind != "interval" else ()))
        template = template.replace("{@}", "{" + kind + "}").replace("{unit}", self.random.choice(UNITS))
        return re.sub(r"\{(\w+)\}", lambda match: self.value(match[1], depth + 1), template).replace("{{",
        "{").replace("}}", "}")

    def expression(self):
        """One of numbers."""
        return self.value(self.choose("int4", "int8", "float4", "float8", "numeric", "int2"))

    def qual(self, depth=0):
        kind, name = self.column(tuple(CONSTANTS))
        operator = self.choose("<", "<=", "=", ">=", ">", "<>")
        if depth < 2 and self.random.random() < 0.3:
            return self.choose(f"({self.qual(depth + 1)} AND {self.qual(depth + 1)})",
                               f"({self.qual(depth + 1)} OR {self.qual(depth + 1)})", f"NOT {self.qual(depth + 1)}")
        constant = self.random.choice(CONSTANTS[kind])
        same = [n for k, n in self.columns if k == kind]
        return self.choose(f"{name} {operator} {constant}", f"{constant} {operator} {name}", f"{name} IS NULL",
                           f"{name} IS NOT NULL", f"{name} {operator} {self.random.choice(same)}",
                           f"{name} IN ({constant}, {self.random.choice(CONSTANTS[kind])})",
                           f"{name} NOT IN ({constant}, NULL)", f"{name} IS DISTINCT FROM {constant}",
                           f"{self.expression()} > 5", "pk IN (0, 1, 3)", "pk < 3", self.value("bool"),
                           self.value("bool"))

    def aggregate(self):
        kind, name = self.column(SUMMED)
        _, ordered = self.column(ORDERED)
        _, number = self.column(NUMBERS)
        x, y = (self.choose(self.column(("float4", "float8", "int4"))[1], self.value("float8")) for _ in "xy")
        call = self.choose(f"gpu_sum({name})", f"gpu_avg({name})" if kind != "money" else f"gpu_sum({name})",
                           f"gpu_min({ordered})", f"gpu_max({ordered})", "gpu_count(*)", f"gpu_count({ordered})",
                           f"gpu_sum({self.expression()})", f"gpu_max({self.expression()})", f"count({name})",
                           f"gpu_sum({self.value('interval')})",
                           f"gpu_min({self.value(self.choose('date', 'timestamp'))})",
                           f"gpu_max({self.value(self.choose('timestamptz', 'text', 'interval'))})",
                           "gpu_var_pop(pk)", f"gpu_stddev({self.expression()})", f"gpu_var_samp({number})",
                           f"gpu_{self.choose('corr', 'covar_pop', 'regr_slope', 'regr_count', 'dot')}({x}, {y})")
        return call + (f" FILTER (WHERE {self.qual()})" if self.random.random() < 0.2 else "")

    def query(self):
        columns = [self.aggregate() for _ in range(self.random.randint(1, 4))]
        # at least one of them must be gpured's
        columns.append("gpu_count(*)")
        text = "SELECT {keys}" + ", ".join(columns) + " FROM t"
        quals = [self.qual() for _ in range(self.choose(0, 0, 1, 1, 2, 3))]
        if quals:
            text += " WHERE " + " AND ".join(quals)
        keys = []
        for _ in range(self.choose(0, 0, 1, 1, 2, 3)):
            if self.random.random() < 0.4:
                keys.append(self.value(self.choose("int4", "int8", "bool", "date", "timestamp",
                "timestamptz", "text")))
                continue
            kind, name = self.random.choice(self.columns)
            # of equal values of these types each plan may show another
            if kind in ("float4", "float8", "numeric", "bpchar", "interval"):
                keys.append(f"{name} IS NULL")
            elif kind in ("timestamp", "timestamptz"):
                keys.append(f"date_trunc('{self.choose('hour', 'day', 'minute', 'month')}', {name})")
            else:
                keys.append(name)
        if keys:
            text += f" GROUP BY {', '.join(str(n + 1) for n in range(len(keys)))}"
            text += self.choose("", "", " HAVING gpu_count(*) > 2")
        return text.replace("{keys}", "".join(key + ", " for key in keys))

    def answer(self, query, setting):
        self.db.execute(f"SET gpured.debug_scan = {setting}")
        try:
            return self.db.execute(f"SELECT r::text FROM ({query}) r ORDER BY r::text COLLATE \"C\"").fetchall()
        except psycopg.Error as e:
            return e.sqlstate

    def compare(self, query):
        self.db.execute(f"SET work_mem = '{self.choose('64kB', '4MB', '4MB')}'")
        self.db.execute(f"SET TimeZone = '{self.random.choice(ZONES)}'")
        self.db.execute(f"SET max_parallel_workers_per_gather = {self.choose(0, 0, 0, 2)}")
        without, scanned = self.answer(query, "forbid"), self.answer(query, "require")
        both_fail = isinstance(without, str) and isinstance(scanned, str)
        self.errors += both_fail
        # class 42: the query itself is wrong
        if without == scanned or both_fail and not without.startswith("42"):
            self.passed += 1
            return
        self.failed += 1
        print(f"{query}\n  without: {str(without)[:600]}\n  scanned: {str(scanned)[:600]}", flush=True)

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.make_table()
            for _ in range(40):
                self.compare(self.query())
            if self.open:
                self.other.execute("ROLLBACK")
        self.db.execute("DROP SCHEMA column_scan CASCADE")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--dsn", default="")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1000000)
    print(f"seed {seed}", flush=True)
    test = Test(args.dsn, seed)
    test.run(args.seconds)
    print(f"{test.errors} queries raised an error both ways")
    print(f"{test.passed} passed, {test.failed} failed")
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
