#!/usr/bin/python3
"""PostgreSQL's own regression queries, with gpured's aggregates in them.

    test/postgres/queries.py --source DIR [--modes MODE[,MODE...]] [--only SCRIPT[,SCRIPT...]] [--named] [--keep DIR]

DIR is src/test/regress of a source of PostgreSQL; nothing of it is kept here.
Each of its scripts that calls an aggregate which gpured has too is run as it is
in one database, and with the names replaced, sum(...) by gpu_sum(...), in another
that began as a copy of the first, in each MODE: "force" sends rows to the server,
"columns" has a column scan wherever one is possible, "auto" is the default.
What psql prints must be the same after every line but for the names: answers,
types, errors, plans.  What is not must be named with its reason in the file
"differences" beside this one, and what is named there must differ.

--named prints those differences too; --keep leaves all output in a directory.
Needs psql in PATH, a superuser, and a cluster with the extension's files.  Ends
with "N passed, N failed": of statements that were changed, in each mode.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What other scripts use: tables, indexes, views, functions.
SETUP = ("test_setup", "create_misc", "create_operator", "create_procedure", "create_table", "create_type",
         "create_schema", "create_index", "create_view", "create_aggregate", "create_function_sql", "create_cast")
# Scripts about the cluster, or the catalogue as a whole.
LEFT_OUT = ("init_privs", "oidjoins", "opr_sanity", "publication", "random", "stats", "subscription", "sysviews",
            "tablespace", "type_sanity")
# As pg_regress has them.
ENVIRONMENT = {"PGTZ": "PST8PDT", "PGDATESTYLE": "Postgres, MDY", "PGOPTIONS": "-c intervalstyle=postgres_verbose", "LC_ALL": "C",
               "PG_LIBDIR": "/nonexistent", "PG_DLSUFFIX": ".so"}
DATABASE_SETTINGS = ("lc_messages = 'C'", "lc_monetary = 'C'", "lc_numeric = 'C'", "lc_time = 'C'", "bytea_output = 'hex'",
                     "timezone_abbreviations = 'Default'")
BUILTIN = "queries_builtin"
MODES = {"auto": (), "force": ("gpured.offload = force",), "columns": ("gpured.debug_scan = require",)}
MARK = "@@ after line "


def psql(database, *options, text=None, environment=()):
    done = subprocess.run(["psql", "-X", "-q", "-A", "-d", database, *options], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, **dict(environment)}, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def query(sql, database="postgres"):
    status, printed = psql(database, "-t", "-v", "ON_ERROR_STOP=1", "-c", sql)
    if status:
        sys.exit(f"{sql}\n{printed}")
    return printed.split("\n")[:-1]


# ---------------------------------------------------------------- scripts

TOKEN = re.compile(r"--.*|/\*|\$(?:[A-Za-z_]\w*)?\$|\b[eE]'|['\"]|.")
COPY = re.compile(r"\s*\\?copy\b.*\bfrom\s+std(in|out)\b", re.IGNORECASE)


def end_of_quote(line, position, quote, escapes):
    """Where what began with "quote" ends, or None if not in this line."""
    while position < len(line):
        if escapes and line[position] == "\\":
            position += 2
        elif line.startswith(quote, position):
            return position + len(quote)
        else:
            position += 1
    return None


def data_follow(lines, number):
    """Whether COPY has data: one that is to fail may have none.  No data here have an empty line."""
    for line in lines[number + 1:]:
        if line in ("", "\\.") or line.endswith(";") or line.startswith("--"):
            return line == "\\."
    return False


def lines_inside(lines):
    """For each line whether a string, a comment or the data of a COPY goes on after it."""
    result, quote, escapes = [], None, False
    for number, line in enumerate(lines):
        if quote == "COPY":
            quote = None if line == "\\." else quote
            result.append(quote is not None)
            continue
        position = 0
        while position < len(line) and not (quote is None and line.startswith("\\")):
            if quote is not None:
                position = end_of_quote(line, position, quote, escapes)
                if position is None:
                    break
                quote = None
            token = TOKEN.match(line, position)
            if token is None:
                break
            position, token = token.end(), token[0]
            if token == "/*":
                quote, escapes = "*/", False
            elif token[-1] in "'\"" and len(token) <= 2:
                quote, escapes = token[-1], len(token) == 2
            elif token[0] == "$" and len(token) > 1:
                quote, escapes = token, False
        if quote is None and COPY.match(line) and data_follow(lines, number):
            quote = "COPY"
        result.append(quote is not None)
    return result


class Script:
    """The lines of a script, and its statements, by the semicolons at the ends of lines."""

    def __init__(self, path):
        self.lines = path.read_text("utf-8", "surrogateescape").split("\n")
        self.inside = lines_inside(self.lines)

    def marked(self, change):
        """The script with a mark after each line that can have one."""
        result = []
        for number, line in enumerate(self.lines):
            result.append(change(line))
            if not self.inside[number]:
                if COPY.match(line):
                    result.append("\\.")        # some versions of psql wait for it, also after an error
                result.append(f"\\echo {MARK}{number}")
        return "\n".join(result)

    def statements(self):
        """(number of the first line, of the last, text)"""
        first = 0
        for number, line in enumerate(self.lines):
            code = re.sub(r"--[^']*$", "", line).rstrip()
            if number == len(self.lines) - 1 or (not self.inside[number] and (code.endswith(";") or "\\" in code)):
                yield first, number, "\n".join(self.lines[first:number + 1])
                first = number + 1


def replacer(names):
    """A function that puts gpured's names for the built-in ones; not after a quote, which is XPath."""
    call = re.compile(r"(?<![\w.\"'$])(" + "|".join(sorted(names, key=len, reverse=True)) + r")(?=\s*\()", re.IGNORECASE)
    return lambda line: call.sub(r"gpu_\1", line)


def by_line(printed):
    """What was printed before each mark: {line: text}."""
    result, text = {}, []
    for line in printed.split("\n"):
        if line.startswith(MARK):
            result[int(line[len(MARK):])] = "\n".join(text)
            text = []
        else:
            text.append(line)
    return result


def plain(text):
    """The same without what must differ: names, and where in a query an error is."""
    text = re.sub(r"gpu_", "", text, flags=re.IGNORECASE)
    text = re.sub(r"queries_(builtin|auto|force|columns)", "regression", text)
    text = re.sub(r"reg(auto|forc|colu)_", "regress_", text)
    return "\n".join(line for line in text.split("\n") if not re.match(r"LINE \d+: |\s*\^\s*$", line))


# ---------------------------------------------------------------- differences

class Differences:
    """The list of what may differ: a reason in brackets, then lines "script: part of a statement".

    "plan: part of a plan" is for all EXPLAINs with that in gpured's answer.
    """

    def __init__(self, path):
        self.reasons, reason = {}, None
        for line in path.read_text().split("\n"):
            if line.startswith("["):
                reason = line.strip("[]")
            elif line.strip() and not line.startswith("#"):
                name, _, part = line.partition(": ")
                self.reasons[name, " ".join(part.split())] = reason
        self.seen, self.used = set(), set()

    def find(self, name, statement, theirs, ours):
        """The reason why a statement may differ, or None."""
        statement = " ".join(statement.split())
        for entry, reason in self.reasons.items():
            if entry[0] == "plan":
                found = "explain" in statement.lower() and entry[1] in ours
            else:
                found = entry[0] == name and entry[1] in statement
            if found:
                self.seen.add(entry)
                if theirs != ours:
                    self.used.add(entry)
                return reason
        return None


class Run:
    def __init__(self, source, modes, named, output):
        self.source, self.modes, self.named, self.output = source, modes, named, output
        self.differences = Differences(HERE / "differences")
        self.passed = self.failed = self.excused = 0
        self.environment = {**ENVIRONMENT, "PG_ABS_SRCDIR": str(source), "PG_ABS_BUILDDIR": output}
        os.makedirs(f"{output}/results", exist_ok=True)

    def script(self, name):
        return Script(self.source / "sql" / f"{name}.sql")

    def execute(self, name, database, change=lambda line: line):
        _, printed = psql(database, "-P", "null=NULL", text=self.script(name).marked(change).encode("utf-8", "surrogateescape"),
                          environment=self.environment)
        Path(self.output, f"{name}.{database}").write_text(printed)
        return by_line(printed)

    def prepare(self):
        """Equal databases.  The extension is in pg_catalog, so that any search_path finds it."""
        for database in (BUILTIN, *(f"queries_{mode}" for mode in self.modes)):
            query(f"DROP DATABASE IF EXISTS {database}")
        for role in query("SELECT quote_ident(rolname) FROM pg_roles WHERE rolname ~ '^reg(ress|auto|forc|colu)_'"):
            query(f"DROP ROLE {role}")
        query(f"CREATE DATABASE {BUILTIN} TEMPLATE template0 LOCALE 'C'")
        query("SET allow_system_table_mods = on; CREATE EXTENSION gpured SCHEMA pg_catalog", BUILTIN)
        names = query("SELECT DISTINCT b.proname FROM pg_proc p JOIN pg_proc b ON p.proname = 'gpu_' || b.proname"
                      " WHERE p.prokind = 'a' AND b.prokind = 'a'", BUILTIN)
        self.replace = replacer(names)
        for name in SETUP:
            if (self.source / "sql" / f"{name}.sql").exists():
                self.execute(name, BUILTIN)
        for mode in self.modes:
            query(f"CREATE DATABASE queries_{mode} TEMPLATE {BUILTIN}")
            for setting in MODES[mode]:
                query(f"ALTER DATABASE queries_{mode} SET {setting}")
        for database in (BUILTIN, *(f"queries_{mode}" for mode in self.modes)):
            for setting in DATABASE_SETTINGS:
                query(f"ALTER DATABASE {database} SET {setting}")

    def compare(self, name):
        script = self.script(name)
        theirs = self.execute(name, BUILTIN)
        for mode in self.modes:
            # Roles are the cluster's, and some scripts leave theirs behind.
            ours = self.execute(name, f"queries_{mode}",
                                lambda line, roles=f"reg{mode[:4]}_": self.replace(line).replace("regress_", roles))
            count = excused = bad = unreached = 0
            for first, last, statement in script.statements():
                a, b = ("\n".join(plain(printed.get(n, "")) for n in range(first, last + 1)) for printed in (theirs, ours))
                changed = self.replace(statement) != statement
                if changed and not any(n in theirs for n in range(first, last + 1)):
                    unreached += 1
                    continue
                count += changed
                reason = self.differences.find(name, statement, a, b)
                if a == b:
                    continue
                excused += reason is not None
                bad += reason is None
                if reason is None or self.named:
                    print(f"{'NAMED' if reason else 'DIFFERENT'} {name}, line {first + 1}, {mode}: {reason or ''}\n"
                          f"{statement.strip()[-1500:]}\n<<<\n{a[:3000]}\n===\n{b[:3000]}\n>>>")
            self.passed += count - min(bad, count)
            self.failed += bad
            self.excused += excused
            print(f"{name}, {mode}: {count} statements changed, {excused} differ as named, {bad} others"
                  + (f"; {unreached} skipped by the script" if unreached else ""), flush=True)

    def check_list(self):
        """What is named and does not differ has no place in the list."""
        for entry in sorted(self.differences.seen - self.differences.used):
            print(f"does not differ: {entry[0]}: {entry[1]}")
            self.failed += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--modes", default="force,columns")
    parser.add_argument("--only", default="")
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--keep", default=None)
    args = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="gpured-queries.") as directory:
        run = Run(args.source.resolve(), args.modes.split(","), args.named, args.keep or directory)
        run.prepare()
        scripts = [name for line in (args.source / "parallel_schedule").read_text().split("\n") if line.startswith("test:")
                   for name in line[len("test:"):].split()]
        for name in scripts:
            if name in SETUP + LEFT_OUT or (args.only and name not in args.only.split(",")):
                continue
            text = (args.source / "sql" / f"{name}.sql").read_text("utf-8", "surrogateescape")
            if run.replace(text) != text:
                run.compare(name)
        run.check_list()
    print(f"{run.excused} differences are named")
    print(f"{run.passed} passed, {run.failed} failed")
    return 1 if run.failed or not run.passed else 0


if __name__ == "__main__":
    sys.exit(main())
