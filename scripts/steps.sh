# steps.sh: running steps and counting their tests, for scripts/test and
# scripts/gpu-test.  Sourced by bash, after lib.sh.
#
# A step is a function step_NAME.  It runs in a subshell with its output in
# build/test-logs/NAME.log; what it counts is added up by finish.

logs=$top/build/test-logs
passed=0 failed=0 verbose=no beside= beside_pid=
declare -A state=()

start_logs()
{
	mkdir -p "$logs"
	rm -f "$logs"/*
}

# ---- counting ---------------------------------------------------------------

# Within a step: add to its count of tests.
tally() { echo "$1 $2" >>"$own/tally"; }

# Run a program that prints "N passed, N failed" last.
count_summary()
{
	"$@" 2>&1 | tee "$own/output"
	local rc=${PIPESTATUS[0]} line p f
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$own/output" | tail -n 1)
	if [ -z "$line" ]; then
		echo "no line \"N passed, N failed\" (exit status $rc)"
		tally 0 1
		return 1
	fi
	read -r p _ f _ <<<"$line"
	[ "$rc" != 0 ] && [ "$f" = 0 ] && { echo "exit status $rc"; f=1; }
	tally "$p" "$f"
	[ "$f" = 0 ]
}

# Run pg_regress, pg_isolation_regress or prove -v: count their lines.
count_lines()
{
	"$@" 2>&1 | tee "$own/output"
	local rc=${PIPESTATUS[0]} p f
	p=$(grep -cE '^ok [0-9]+|^(test)? .*\.\.\. ok( |$)' "$own/output")
	f=$(grep -cE '^not ok [0-9]+|^(test)? .*\.\.\. FAILED' "$own/output")
	[ "$rc" != 0 ] && [ "$f" = 0 ] && { echo "exit status $rc"; f=1; }
	[ "$p" = 0 ] && [ "$f" = 0 ] && { echo "no test was run"; f=1; }
	tally "$p" "$f"
	[ "$f" = 0 ]
}

# ---- running ----------------------------------------------------------------

# Run step_NAME in a subshell, its output in a log.
run_step()
{
	local name=$1 log=$logs/$1.log start=$SECONDS
	own=$work/steps/$name
	as_pg mkdir -p "$own"
	: >"$own/tally"
	: >"$own/skip"
	if [ $verbose = yes ]; then
		echo "== $name"
		(step_"${name//-/_}") 2>&1 </dev/null | tee "$log"
		echo "${PIPESTATUS[0]} $((SECONDS - start))" >"$own/status"
	else
		(step_"${name//-/_}") >"$log" 2>&1 </dev/null
		echo "$? $((SECONDS - start))" >"$own/status"
	fi
}

# Print the line of a step that was run, and add what it counted.
report_step()
{
	local name=$1 log=$logs/$1.log rc seconds p f
	own=$work/steps/$name
	read -r rc seconds <"$own/status"
	read -r p f < <(awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }' "$own/tally")
	if [ -s "$own/skip" ]; then
		printf '%-14s skipped: %s\n' "$name" "$(cat "$own/skip")"
		return
	fi
	if [ "$rc" = 0 ] && [ "$f" = 0 ]; then
		[ "$p" = 0 ] && p=1			# a step without tests of its own
		printf '%-14s ok    %4d s  %5d passed\n' "$name" "$seconds" "$p"
	else
		[ "$f" = 0 ] && f=1
		printf '%-14s FAIL  %4d s  %5d passed, %d failed; build/test-logs/%s.log ends:\n' \
			"$name" "$seconds" "$p" "$f" "$name"
		[ $verbose = yes ] || tail -n 40 "$log" | sed 's/^/    /'
	fi
	passed=$((passed + p)) failed=$((failed + f))
	[ "$f" = 0 ]
}

# Say why a step cannot be run here, and leave it.
skip() { echo "$*" >"$own/skip"; exit 0; }

# Wait for the step that runs beside the others.
join_step()
{
	[ -n "$beside" ] || return 0
	wait "$beside_pid"
	if report_step "$beside"; then state[$beside]=ok; else state[$beside]=failed; fi
	beside=
}

# Run all steps that are named, each once.  One that ends with "&" runs beside those that
# follow, until "wait" or the end, in a tree and an installation of its own.
run_steps()
{
	local step
	for step; do
		[ "$step" = wait ] && { join_step; continue; }
		[ -n "${state[${step%&}]:-}" ] && continue
		# Without a build there is nothing to test.
		[ "${state[build]:-}" = failed ] && [ $step != build-cuda ] && [ $step != format ] && continue
		if [ "$step" != "${step%&}" ]; then
			beside=${step%&}
			state[$beside]=running
			set -m				# a process group of its own, for cleanup
			run_step "$beside" &
			beside_pid=$!
			set +m
			continue
		fi
		run_step "$step"
		if report_step "$step"; then state[$step]=ok; else state[$step]=failed; fi
	done
	join_step
}

# The last line, and the script's exit status.
finish()
{
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}

# ---- what both scripts do -----------------------------------------------------

# The settings under which one expected output must hold.  "cuda-absent" is for
# the server as it is built with CUDA, where there may be no GPU.
mode_settings()
{
	local preload="shared_preload_libraries = 'gpured'"
	case $1 in
		auto) set -- "$preload" "gpured.device = cpu" ;;
		force) set -- "$preload" "gpured.device = cpu" "gpured.offload = force" ;;
		# every aggregate of a table that a column scan can answer
		scan) set -- "$preload" "gpured.device = cpu" "gpured.debug_scan = require" ;;
		# the same by the server
		scan-force) set -- "$preload" "gpured.device = cpu" "gpured.debug_scan = require" "gpured.offload = force" ;;
		# the test sets gpured.offload itself
		queries) set -- "$preload" "gpured.device = cpu" "autovacuum = off" ;;
		small) set -- "$preload" "gpured.device = cpu" "gpured.offload = force" "gpured.buffer_size = 1MB" ;;
		cuda-absent) set -- "$preload" "gpured.device = auto" ;;
		off) set -- "gpured.device = off" ;;
		cuda) set -- "$preload" "gpured.device = cuda" "gpured.offload = force" \
			"shared_buffers = ${SHARED_BUFFERS:-1GB}" "max_wal_size = 8GB" ;;
		cuda-scan) set -- "$preload" "gpured.device = cuda" "gpured.debug_scan = require" "gpured.offload = force" \
			"shared_buffers = ${SHARED_BUFFERS:-1GB}" "max_wal_size = 8GB" ;;
		# parallel plans of large tables
		workers) set -- "$preload" "gpured.device = off" "shared_buffers = 4GB" "max_wal_size = 8GB" \
			"max_worker_processes = 40" "autovacuum = off" ;;
	esac
	settings=("$@")
}

# regress MODE TREE: the tests of sql/ in a cluster of its own.
regress()
{
	local mode=$1 tree=$2 rc
	echo "-- $mode"
	mode_settings "$mode"
	cluster_start "data-$tree" "${settings[@]}" || { tally 0 1; return 1; }
	as_pg mkdir -p "$work/out-$tree-$mode"
	cd "$work/$tree" &&
		count_lines as_pg "$pgxs_dir/test/regress/pg_regress" --inputdir=. \
			--outputdir="$work/out-$tree-$mode" --bindir="$bin" --load-extension=gpured \
			--dbname="regress_gpured" --max-connections=4 \
			$(cd sql && ls *.sql | sed 's/\.sql$//')
	rc=$?
	[ $rc = 0 ] || head -n 100 "$work/out-$tree-$mode/regression.diffs"
	cluster_stop "data-$tree"
	no_crash "data-$tree" || rc=1
	return $rc
}

# No process of a cluster may have crashed or failed an assertion.
no_crash()
{
	! grep -E 'TRAP:|PANIC:|was terminated by signal (4|6|7|8|11)' "$work/$1/log"
}

# Run something in a fresh database under a mode: in_mode MODE TREE COMMAND ...
in_mode()
{
	local mode=$1 tree=$2 rc
	shift 2
	echo "-- $mode"
	mode_settings "$mode"
	cluster_start "data-$tree" "${settings[@]}" || { tally 0 1; return 1; }
	sql -d postgres -c "DROP DATABASE IF EXISTS gpured_test" -c "CREATE DATABASE gpured_test"
	sql -d gpured_test -c "CREATE EXTENSION gpured"
	export PGDATABASE=gpured_test
	cd "$work/$tree" && "$@"
	rc=$?
	cluster_stop "data-$tree"
	no_crash "data-$tree" || rc=1
	return $rc
}

# The TAP tests of t/, each with clusters of its own, or those that TAP_ONLY names: tap TREE [DEVICE].
tap()
{
	local tree=$1 device=${2:-cpu}
	cd "$work/$tree" && compgen -G 't/*.pl' >/dev/null || skip "there are no TAP tests"
	perl -MIPC::Run -e 1 2>/dev/null || skip "Perl here has no IPC::Run"
	as_pg mkdir -p "$work/tap-$tree"
	count_lines as_pg env GPURED_TEST_DEVICE="$device" PG_REGRESS="$pgxs_dir/test/regress/pg_regress" \
		GPURED_LONG="${long:-no}" TESTDATADIR="$work/tap-$tree" TESTLOGDIR="$work/tap-$tree/log" \
		prove -v -j"$(($(nproc) < 8 ? $(nproc) : 8))" --norc -I "$pgxs_dir/test/perl" ${TAP_ONLY:-t/*.pl} && return
	# Where PostgreSQL::Test keeps its own words depends on its version.
	find tmp_check "$work/tap-$tree" -name 'regress_log_*' -exec tail -n 12 {} +
	return 1
}

# Debian's Python may not be the first in PATH.
python_with_psycopg()
{
	local python
	for python in /usr/bin/python3 python3; do
		"$python" -c 'import psycopg' 2>/dev/null && { echo "$python"; return; }
	done
	return 1
}

# Random queries against the built-in aggregates: differential MODE TREE SECONDS.
differential()
{
	local python
	python=$(python_with_psycopg) || skip "no python3 here has psycopg"
	in_mode "$1" "$2" count_summary as_pg "$python" test/differential/differential.py --seconds "$3"
}

# Damaged serialized states, so many from a sound one: damaged_states TREE N.
damaged_states()
{
	local python
	python=$(python_with_psycopg) || skip "no python3 here has psycopg"
	in_mode auto "$1" count_summary as_pg "$python" test/differential/states.py --most "$2"
}

# Random tables and queries by the column scan: scanned MODE TREE SECONDS.
scanned()
{
	local python
	python=$(python_with_psycopg) || skip "no python3 here has psycopg"
	in_mode "$1" "$2" count_summary as_pg "$python" test/differential/column_scan.py --seconds "$3"
}
