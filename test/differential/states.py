#!/usr/bin/python3
"""Damaged serialized states.

    test/differential/states.py [--dsn DSN] [--only TEXT] [--most N]

A worker's state travels as a bytea, which is checked like any input.  For every
aggregate of gpured that deserializes by a function of its own this takes states
of real values, flips each of their bits, cuts them at each length and makes them
longer, and gives each to the deserialization, combine and final functions, before
and after a sound state.  Each must be refused with a clean error, or be a state
that the others can work with; the session must live, and no call take long.  A
sound state must come back from a round trip as the same bytes.  --most: no more
than so many for a sound state, taken at random.

Ends with "N passed, N failed": damaged states.
"""
import argparse
import random
import sys

import psycopg

# What may be said of a damaged state: that it is one, or that its result is out of range.
CLEAN = ("invalid_binary_representation", "numeric_value_out_of_range", "datetime_field_overflow")


def integers(top):
    return (["1"], [str(-top), "-1"], [str(top - 1)] * 3, [str(-top)] * 3, ["0"])


FLOATS = (["1"], ["-0"], ["0.1", "1e30", "-1e-30"], ["3e38", "-1e-37", "1"], ["NaN"], ["Infinity", "1"], ["-Infinity", "Infinity"])
VALUES = {
    "smallint": integers(2**15), "integer": integers(2**31), "bigint": integers(2**63), "oid": (["1"], ["4294967295"]),
    "real": FLOATS, "double precision": FLOATS + (["1e308", "-5e-324"], ["1e308"] * 3),
    "numeric": (["1"], ["12345678901234567890.123", "-0.00001"], ["NaN", "1"], ["Infinity", "1"], ["1e100", "-1e-100"], ["0.000"]),
    "interval": (["1 day"], ["178000000 years", "-1 month 3 days 04:05:06.789"], ["-178000000 years -1 day -1 hour"]),
    "money": (["1"], ["-92233720368547758.08", "92233720368547758.07"]),
    "date": (["2000-01-01"], ["infinity"], ["-infinity"], ["4713-01-01 BC"]),
    "time without time zone": (["00:00"], ["24:00"]),
    "timestamp without time zone": (["2000-01-01"], ["infinity"], ["-infinity"], ["294276-12-31 23:59:59"]),
}
VALUES["timestamp with time zone"] = VALUES["timestamp without time zone"]


class Aggregate:
    def __init__(self, row):
        (self.name, self.types, self.transition, self.combine, self.serialize, self.deserialize, self.final) = row


def aggregates(db):
    """One for each set of functions of gpured's own that a state can come by."""
    rows = db.execute("""
        SELECT DISTINCT ON (aggcombinefn, aggserialfn, aggdeserialfn, aggfinalfn, p.proargtypes) p.proname,
               ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) t),
               aggtransfn::regproc::text, aggcombinefn::regproc::text, aggserialfn::regproc::text, aggdeserialfn::regproc::text,
               aggfinalfn::regproc::text
          FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid JOIN pg_proc d ON d.oid = aggdeserialfn
         WHERE p.proname LIKE 'gpu\\_%' AND d.proname LIKE 'gpured\\_%'
         ORDER BY aggcombinefn, aggserialfn, aggdeserialfn, aggfinalfn, p.proargtypes, p.proname""").fetchall()
    return [Aggregate(row) for row in rows]


def prepare(db, aggregate):
    """
    state_of: an aggregate that answers with its serialized state.  fed: one that is
    given serialized states, each in a partial state of its own: what it collects is
    a bytea, and that is what it hands over as its serialized form.
    """
    types = ", ".join(aggregate.types)
    db.execute(f"CREATE AGGREGATE state_of({types}) (sfunc = {aggregate.transition}, stype = internal, finalfunc = {aggregate.serialize})")
    for name, final in (("fed", aggregate.final), ("returned", aggregate.serialize)):
        db.execute(f"CREATE AGGREGATE {name}(bytea, bytea) (sfunc = bytea_string_agg_transfn, stype = internal, finalfunc = {final},"
                   f" combinefunc = {aggregate.combine}, serialfunc = bytea_string_agg_finalfn,"
                   f" deserialfunc = {aggregate.deserialize}, parallel = safe)")
    db.execute(f"""
        CREATE FUNCTION feed(first bytea, second bytea) RETURNS text LANGUAGE plpgsql AS $f$
        DECLARE
          result text;
        BEGIN
          SELECT fed(CASE WHEN k = 1 THEN CASE p WHEN 1 THEN first ELSE second END END, '')::text INTO result FROM halves;
          RETURN 'state';
        EXCEPTION WHEN {" OR ".join(CLEAN)} THEN
          RETURN 'refused';
        END $f$""")
    db.execute("""
        CREATE FUNCTION come_back(state bytea) RETURNS bytea LANGUAGE sql AS $f$
          SELECT returned(CASE WHEN k = 1 AND p = 1 THEN state END, '') FROM halves $f$""")


def drop(db, aggregate):
    db.execute("DROP FUNCTION feed, come_back")
    db.execute("DROP AGGREGATE fed(bytea, bytea), returned(bytea, bytea)")
    db.execute(f"DROP AGGREGATE state_of({', '.join(aggregate.types)})")


def states(db, aggregate):
    """Serialized states of real values."""
    kinds = [VALUES[t] for t in aggregate.types]
    seen = set()
    for n in range(max(map(len, kinds))):
        columns = [kind[n % len(kind)] for kind in kinds]
        rows = [[column[i % len(column)] for column in columns] for i in range(max(map(len, columns)))]
        values = ", ".join("(" + ", ".join(f"'{v}'::{t}" for v, t in zip(row, aggregate.types)) + ")" for row in rows)
        names = ", ".join(f"x{i}" for i in range(len(kinds)))
        state = bytes(db.execute(f"SELECT state_of({names}) FROM (VALUES {values}) v({names})").fetchone()[0])
        if state not in seen:
            seen.add(state)
            yield state


def damaged(state):
    for i in range(8 * len(state)):
        changed = bytearray(state)
        changed[i // 8] ^= 1 << i % 8
        yield bytes(changed)
    for i in range(len(state)):
        yield state[:i]
    for more in (b"\0", b"\xff", state, bytes(8), b"\xff" * 8, bytes(4096)):
        yield state + more
    for i in range(2, len(state)):              # all that follows at its extremes
        for fill in (b"\0", b"\xff"):
            yield state[:i] + fill * (len(state) - i)


class Run:
    def __init__(self, dsn, most):
        self.dsn, self.most = dsn, most
        self.passed = self.failed = self.refused = 0
        self.connect()
        self.db.execute("DROP SCHEMA IF EXISTS damaged CASCADE")
        self.db.execute("CREATE SCHEMA damaged")
        self.db.execute("CREATE TABLE halves (p int, k int) PARTITION BY LIST (p)")
        for p in (1, 2):
            self.db.execute(f"CREATE TABLE half_{p} PARTITION OF halves FOR VALUES IN ({p})")
        self.db.execute("INSERT INTO halves SELECT p, k FROM generate_series(1, 2) p, generate_series(1, 20) k")
        self.db.execute("ANALYZE halves")

    def connect(self):
        self.db = psycopg.connect(self.dsn, autocommit=True)
        for setting in ("client_min_messages = warning", "search_path = damaged, public", "enable_partitionwise_aggregate = on",
                        "max_parallel_workers_per_gather = 0", "statement_timeout = '60s'", "jit = off"):
            self.db.execute(f"SET {setting}")

    def fail(self, what):
        self.failed += 1
        print(f"FAILED {what}", flush=True)

    def one(self, aggregate):
        prepare(self.db, aggregate)
        what = f"{aggregate.name}({', '.join(aggregate.types)})"
        plan = self.db.execute("EXPLAIN SELECT fed(NULL, '') FROM halves").fetchall()
        if not any("Partial Aggregate" in line for line, in plan):
            self.fail(f"{what}: no partial states in the plan")
        sound = list(states(self.db, aggregate))
        count = 0
        for number, state in enumerate(sound):
            back = self.db.execute("SELECT come_back(%s)", (state,)).fetchone()[0]
            if back is None or bytes(back) != state:
                self.fail(f"{what}: {state.hex()} came back as {back and bytes(back).hex()}")
            tries = [(d, sound[number - 1]) for d in damaged(state)]
            if self.most and len(tries) > self.most:
                tries = random.sample(tries, self.most)
            tries += [(b, a) for a, b in tries[::4]]
            count += len(tries)
            self.feed(what, tries)
        drop(self.db, aggregate)
        print(f"{what}: {count} damaged states", flush=True)

    def feed(self, what, tries):
        """All in one query; one by one if that fails, to see which it was."""
        query = "SELECT feed(a, b), count(*) FROM unnest(%s::bytea[], %s::bytea[]) t(a, b) GROUP BY 1"
        try:
            answers = dict(self.db.execute(query, ([a for a, _ in tries], [b for _, b in tries])).fetchall())
            self.refused += answers.get("refused", 0)
            self.passed += len(tries)
            return
        except psycopg.Error as e:
            print(f"{what}: {e.sqlstate} {str(e)[:300]}")
        for a, b in tries:
            try:
                if self.db.closed:
                    self.connect()
                self.db.execute("SELECT feed(%s, %s)", (a, b))
                self.passed += 1
            except psycopg.Error as e:
                self.fail(f"{what}: {a.hex()} with {b.hex()}: {e.sqlstate} {str(e)[:300]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", default="")
    parser.add_argument("--only", default="", help="aggregates with this text in their names")
    parser.add_argument("--most", type=int, default=0)
    args = parser.parse_args()
    run = Run(args.dsn, args.most)
    for aggregate in aggregates(run.db):
        if args.only in aggregate.name:
            run.one(aggregate)
    run.db.execute("DROP SCHEMA damaged CASCADE")
    print(f"{run.refused} were refused; the rest are states too")
    print(f"{run.passed} passed, {run.failed} failed")
    return 1 if run.failed or not run.passed else 0


if __name__ == "__main__":
    sys.exit(main())
