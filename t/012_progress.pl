# gpured_progress shows the column scans that run, of every process, with their
# details for whom they concern, and shows none that has ended, however it did.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('progress', <<'CONF');
shared_preload_libraries = 'gpured'
gpured.device = off
gpured.debug_scan = require
max_parallel_workers_per_gather = 0
autovacuum = off
CONF
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE scanned AS SELECT i, i::float8 AS x, i % 7 AS k FROM generate_series(1, 50000) i;
CREATE TABLE other AS SELECT i FROM generate_series(1, 3000) i;
ALTER TABLE scanned SET (parallel_workers = 2);
VACUUM ANALYZE scanned, other;
CREATE FUNCTION pass(i int, stop int, lock int DEFAULT 17) RETURNS bool LANGUAGE plpgsql STABLE AS $f$
BEGIN
  IF i = stop THEN PERFORM pg_advisory_xact_lock_shared(lock); END IF;
  RETURN true;
END $f$;
CREATE FUNCTION inner_pass(i int) RETURNS bool LANGUAGE plpgsql STABLE AS $f$
BEGIN
  RETURN i <> 30000 OR (SELECT gpu_sum(o.i) FROM other o WHERE pass(o.i, 1500)) > 0;
END $f$;
CREATE FUNCTION pass_after(i int, divisor int) RETURNS bool LANGUAGE plpgsql STABLE AS $f$
BEGIN
  IF i = 30000 THEN
    BEGIN PERFORM gpu_sum(1 / (o.i + divisor)) FROM other o; EXCEPTION WHEN division_by_zero THEN NULL; END;
  END IF;
  RETURN pass(i, 30000);
END $f$;
CREATE FUNCTION slow(i int) RETURNS bool LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF i % 500 = 0 THEN PERFORM pg_sleep(0.05); END IF;
  RETURN true;
END $f$;
CREATE ROLE somebody LOGIN;
CREATE ROLE owner LOGIN;
CREATE ROLE watcher LOGIN IN ROLE pg_read_all_stats;
GRANT SELECT ON scanned, other TO owner;
SQL
my $locker = $node->background_psql('postgres');

# Begin a query that waits for the lock in its scan; the process that does.
sub waiting
{
	my ($session, $query) = @_;
	my $pid = $session->query('SELECT pg_backend_pid()');
	$locker->query_safe('SELECT pg_advisory_lock(17), pg_advisory_lock(18)');
	$session->query_until(qr/begun/, "\\echo begun\n$query;\n");
	$node->poll_query_until('postgres', "SELECT wait_event = 'advisory' FROM pg_stat_activity WHERE pid = $pid")
	  or die 'it does not wait';
	return $pid;
}

sub go_on { $locker->query_safe('SELECT pg_advisory_unlock_all()') }

sub shown { return $node->safe_psql('postgres', 'SELECT count(*) FROM gpured_progress') }

is(shown(), 0, 'nothing runs, nothing is shown');
my $session = $node->background_psql('postgres', extra_params => [ '-U', 'owner' ], on_error_stop => 0);
my $pid = waiting($session, 'SELECT gpu_sum(x) FROM scanned WHERE pass(i, 30000)');
my $details = <<'SQL';
SELECT pid, datname, relid::regclass, phase, blocks_total = pg_relation_size('scanned') / 8192,
       blocks_scanned = (SELECT (ctid::text::point)[0] + 1 FROM scanned WHERE i = 30000), rows_scanned BETWEEN 30000 AND 30300
  FROM gpured_progress
SQL
is($node->safe_psql('postgres', $details), "$pid|postgres|scanned|scanning heap|t|t|t", 'a scan in the middle');
for my $role ('owner', 'watcher')
{
	is($node->safe_psql('postgres', 'SELECT pid, relid::regclass, phase, blocks_scanned < blocks_total FROM gpured_progress',
		extra_params => [ '-U', $role ]), "$pid|scanned|scanning heap|t", "$role sees it");
}
is($node->safe_psql('postgres', 'SELECT pid, datname, relid, phase, blocks_total, blocks_scanned, rows_scanned FROM gpured_progress',
	extra_params => [ '-U', 'somebody' ]), "$pid|postgres|||||", 'somebody else sees that there is one');
go_on();
is($session->query('SELECT count(*) FROM gpured_progress'), "1250025000\n0", 'a scan that has ended is not shown');

# Scans that end otherwise.
$pid = waiting($session, 'SELECT gpu_sum(x) FROM scanned WHERE pass(i, 30000)');
is(shown(), 1, 'a scan is shown');
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
is($session->query('SELECT count(*) FROM gpured_progress'), 0, 'not once it is cancelled');
go_on();
is($session->query(<<'SQL'), 0, 'nor after an error that a function catches');
CREATE FUNCTION pg_temp.caught() RETURNS bigint LANGUAGE plpgsql AS $f$
BEGIN
  BEGIN PERFORM gpu_sum(1 / (i - 30000)) FROM scanned; EXCEPTION WHEN division_by_zero THEN NULL; END;
  RETURN (SELECT count(*) FROM gpured_progress);
END $f$;
SELECT pg_temp.caught();
SQL
is($session->query("BEGIN; SAVEPOINT s; SELECT gpu_sum(1 / (i - 30000)) FROM scanned; ROLLBACK TO s; SELECT count(*) FROM gpured_progress; COMMIT"),
	0, 'nor after a savepoint');
is($session->query('BEGIN; DECLARE c CURSOR FOR SELECT k, gpu_sum(x) FROM scanned GROUP BY k ORDER BY k; MOVE 1 FROM c; ' .
		'SELECT count(*) FROM gpured_progress; COMMIT; SELECT count(*) FROM gpured_progress'), "0\n0", 'nor in an open cursor that has its rows');
# A cursor that has failed is there until the transaction ends.
my $failing = 'BEGIN; DECLARE c CURSOR FOR SELECT k, gpu_sum(1 / (i - 30000)) FROM scanned GROUP BY k; ';
$session->query($failing . 'SAVEPOINT s; FETCH c');
is(shown(), 0, 'nor in an open cursor that has failed in a savepoint');
is($session->query(q(ROLLBACK TO s; SELECT count(*) FROM gpured_progress; SELECT count(*) FROM pg_cursors; COMMIT)), "0\n1",
	'also when that is rolled back');
is($session->query(<<"SQL"), "0\n1", 'nor in one that a function goes on without');
CREATE FUNCTION pg_temp.fetched(c refcursor) RETURNS bigint LANGUAGE plpgsql AS \$f\$
BEGIN
  BEGIN MOVE c; EXCEPTION WHEN division_by_zero THEN NULL; END;
  RETURN (SELECT count(*) FROM gpured_progress);
END \$f\$;
$failing SELECT pg_temp.fetched('c');
SELECT count(*) FROM pg_cursors;
COMMIT;
SQL
$pid = waiting($session, 'SELECT gpu_sum(x) FROM scanned WHERE pass(i, 30000)');
is(shown(), 1, 'the next one is');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 5000)");
is(shown(), 0, 'not once its session is ended');
go_on();
eval { $session->{run}->finish; };

# A scan within another one.
$session = $node->background_psql('postgres');
$pid = waiting($session, 'SELECT gpu_sum(x) FROM scanned WHERE inner_pass(i) AND pass(i, 40000, 18)');
my $name = 'SELECT relid::regclass, blocks_scanned > 1 FROM gpured_progress';
is($node->safe_psql('postgres', $name), 'other|t', 'the inner scan is shown');
$locker->query_safe('SELECT pg_advisory_unlock(17)');
$node->poll_query_until('postgres', q(SELECT relid = 'scanned'::regclass FROM gpured_progress))
  or die 'the outer scan is not shown';
is($node->safe_psql('postgres', $name), 'scanned|t', 'then the outer one, which goes on');
go_on();
is($session->query('SELECT count(*) FROM gpured_progress'), "1250025000\n0", 'then none');
for my $divisor (1, -1500)
{
	$pid = waiting($session, "SELECT gpu_sum(x) FROM scanned WHERE pass_after(i, $divisor)");
	is($node->safe_psql('postgres', $details), "$pid|postgres|scanned|scanning heap|t|t|t",
		'the outer scan as soon as the inner one has ' . ($divisor > 0 ? 'ended' : 'failed'));
	go_on();
	is($session->query('SELECT count(*) FROM gpured_progress'), "1250025000\n0", 'then none');
}

# Every process of a parallel scan.
$session->query_safe('SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0');
$session->query_until(qr/begun/, "\\echo begun\nSELECT gpu_sum(x) FROM scanned WHERE slow(i);\n");
ok($node->poll_query_until('postgres', q(SELECT count(*) = 3 AND sum(blocks_scanned) BETWEEN 3 AND max(blocks_total) AND min(blocks_total) = max(blocks_total)
	FROM gpured_progress)), 'all processes of a parallel scan are shown');
is($session->query('SELECT count(*) FROM gpured_progress'), "1250025000\n0", 'and no more when it ends');
$session->quit;
$locker->quit;
my $log = slurp_file($node->logfile);
unlike($log, qr/WARNING:.*(leak|was not closed|still referenced)|TRAP:/, 'nothing was left open');

# Without preloading a session sees its own scan.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
is($node->safe_psql('postgres', <<'SQL'), "t\n1\n0", 'without preloading a session sees its own scan');
SELECT gpured_version() IS NOT NULL;
CREATE FUNCTION pg_temp.seen(i int) RETURNS bigint LANGUAGE plpgsql STABLE AS $f$
BEGIN RETURN CASE WHEN i = 30000 THEN (SELECT count(*) FROM gpured_progress WHERE blocks_scanned > 1) END; END $f$;
SELECT gpu_max(pg_temp.seen(i)) FROM scanned;
SELECT count(*) FROM gpured_progress;
SQL
$node->stop;
done_testing();
