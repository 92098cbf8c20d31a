# lib.sh: what the scripts share.  Sourced by bash.
#
# PostgreSQL refuses to run as root, and the user postgres may be unable to
# read the checkout.  So everything happens in a temporary directory: a copy of
# the tree, a relocated copy of the machine's PostgreSQL to install into, and
# throwaway clusters that listen on a Unix socket there and nowhere else.  The
# machine's own PostgreSQL, its clusters and the checkout stay as they are.
#
# Started by root, it all runs as the user postgres; else as whoever calls.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# What is expensive to make and stays between runs.
cache=${GPURED_CACHE:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/gpured}
export GPURED_CACHE=$cache
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
# A setting of the caller's must not change what is tested.
unset PGHOST PGHOSTADDR PGPORT PGUSER PGDATABASE PGPASSWORD PGSERVICE PGOPTIONS \
	PGDATA PG_CONFIG MAKEFLAGS MAKELEVEL CUDA CUDA_ARCHS

is_root() { [ "$(id -u)" = 0 ]; }

die() { echo "${0##*/}: $*" >&2; exit 1; }

as_root()
{
	if is_root; then "$@"
	elif command -v sudo >/dev/null; then sudo -n env DEBIAN_FRONTEND=noninteractive "$@"	# it drops ours
	else die "$1 needs root: run this as root, or install sudo"
	fi
}

# Run a command as the user that PostgreSQL runs as.
as_pg()
{
	if is_root; then
		HOME=$work/home USER=postgres LOGNAME=postgres \
			setpriv --reuid postgres --regid postgres --clear-groups --inh-caps=-all "$@"
	else
		"$@"
	fi
}

# Install those of the named Debian packages that are missing.
need_packages()
{
	local p missing=()
	command -v dpkg-query >/dev/null || die "this script installs Debian packages, and there is no dpkg here"
	for p; do
		dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed || missing+=("$p")
	done
	[ ${#missing[@]} = 0 ] && return
	echo "installing ${missing[*]}"
	{ as_root apt-get -q update &&
		as_root apt-get -q -y --no-install-recommends install "${missing[@]}"; } >"$work/apt.log" 2>&1 ||
		{ tail -n 20 "$work/apt.log" >&2; die "could not install ${missing[*]}"; }
}

# Make $work, and see that it and all that runs in it goes at the end.
make_work()
{
	work=$(mktemp -d "/tmp/$1.XXXXXX")
	own=$work				# what a step has for itself
	chmod 755 "$work"
	trap cleanup EXIT
	trap 'exit 130' INT TERM HUP
}

# Once packages are there: hand $work to the user that PostgreSQL runs as.
own_work()
{
	mkdir -p "$work/home"
	if is_root; then
		id postgres >/dev/null 2>&1 || die "there is no user postgres on this machine"
		chown postgres: "$work" "$work/home"
	fi
	cd "$work" || exit 1
}

cleanup()
{
	local pidfile job
	trap - EXIT
	for job in $(jobs -p); do kill -- "-$job" 2>/dev/null || kill "$job" 2>/dev/null; done
	for pidfile in $(find "$work" -name postmaster.pid 2>/dev/null); do
		as_pg "$bin/pg_ctl" -D "${pidfile%/*}" -m immediate -w stop >/dev/null 2>&1
	done
	cd / && rm -rf "$work"
}

# Copy the sources, and nothing that was built, to $work/NAME.
copy_tree()
{
	as_pg mkdir -p "$work/$1"
	tar -C "$top" -c --exclude-vcs --exclude=./build --exclude=./gpured-server \
		--exclude=./results --exclude=./output_iso --exclude=./tmp_check \
		--exclude=__pycache__ --exclude='*.o' --exclude='*.so' --exclude='*.bc' . |
		as_pg tar -C "$work/$1" -x --no-same-owner
}

# Copy the PostgreSQL whose programs are in BINDIR to $work/NAME and set $bin.
# Its pg_config reports the new place, so that "make install" goes there.
private_postgres()
{
	local from=$1 name=$2 major sub root
	major=$("$from/postgres" -V | sed -E 's/.*\) ([0-9]+).*/\1/')
	case $from in
		*/usr/lib/postgresql/*)	# Debian's layout, spread over /usr
			root=${from%%/usr/lib/postgresql/*}
			as_pg mkdir -p "$work/$name"
			for sub in lib/postgresql/$major share/postgresql/$major include/postgresql; do
				as_pg mkdir -p "$work/$name/usr/${sub%/*}"
				tar -C "$root/usr/${sub%/*}" -c --exclude=bitcode --exclude=man --exclude='llvmjit*' "${sub##*/}" |
					as_pg tar -C "$work/$name/usr/${sub%/*}" -x --no-same-owner
			done
			bin=$work/$name/usr/lib/postgresql/$major/bin
			;;
		*)
			as_pg mkdir -p "$work/$name"
			tar -C "${from%/bin}" -c . | as_pg tar -C "$work/$name" -x --no-same-owner
			bin=$work/$name/bin
			;;
	esac
	use_postgres "$bin"
}

# Make the PostgreSQL in BINDIR the one that later commands use.
use_postgres()
{
	bin=$1
	PATH=$bin:${PATH//$bin:/}
	pgxs_dir=$(dirname "$(dirname "$("$bin/pg_config" --pgxs)")")
	export PATH PG_CONFIG=$bin/pg_config
	# One that was built here finds its libpq beside itself.
	: "${callers_libraries=${LD_LIBRARY_PATH:-}}"
	case $bin in
		*/usr/lib/postgresql/*) LD_LIBRARY_PATH=$callers_libraries ;;
		*) LD_LIBRARY_PATH=${bin%/bin}/lib${callers_libraries:+:$callers_libraries} ;;
	esac
	if [ -n "$LD_LIBRARY_PATH" ]; then export LD_LIBRARY_PATH; else unset LD_LIBRARY_PATH; fi
}

# cluster_start NAME [SETTING ...]: a cluster with exactly these settings.
cluster_start()
{
	local data=$work/$1 s
	shift
	if [ ! -e "$data/PG_VERSION" ]; then
		as_pg "$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C --no-sync >"$own/initdb.log" 2>&1 ||
			{ cat "$own/initdb.log" >&2; return 1; }
		as_pg sh -c "echo \"include 'mode.conf'\" >>'$data/postgresql.conf'"
	fi
	{
		echo "unix_socket_directories = '$own'"
		echo "listen_addresses = ''"
		echo "fsync = off"
		for s; do echo "$s"; done
	} | as_pg tee "$data/mode.conf" >/dev/null
	export PGHOST=$own PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
	as_pg "$bin/pg_ctl" -D "$data" -l "$data/log" -w start >/dev/null 2>"$own/start.log" </dev/null ||
		{ cat "$own/start.log" >&2; tail -n 20 "$data/log" >&2; return 1; }
}

cluster_stop()
{
	as_pg "$bin/pg_ctl" -D "$work/$1" -m fast -w stop >/dev/null
}

sql() { as_pg "$bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }
