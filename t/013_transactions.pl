# Column scans beside what isolation tests cannot show: prepared transactions, also
# over a crash, snapshots that are too old, and a standby whose recovery needs the
# page that a scan holds.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('primary');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', <<"CONF");
shared_preload_libraries = 'gpured'
gpured.device = $device
gpured.debug_scan = require
max_prepared_transactions = 5
max_parallel_workers_per_gather = 0
autovacuum = off
hot_standby_feedback = off
CONF
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION gpured;
CREATE TABLE scanned (i int, x float8) WITH (fillfactor = 50);
INSERT INTO scanned SELECT i, i FROM generate_series(1, 20000) i;
VACUUM (FREEZE, ANALYZE) scanned;
CREATE FUNCTION pass(i int) RETURNS bool LANGUAGE plpgsql STABLE AS $f$
BEGIN
  IF i = 10000 THEN PERFORM pg_advisory_xact_lock_shared(17); END IF;
  RETURN true;
END $f$;
SQL
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
my $both = q(SELECT gpu_count(*), gpu_sum(x) = (SELECT sum(x) FROM scanned), gpu_count(*) = (SELECT count(*) FROM scanned) FROM scanned);

for my $setting ('gpured.offload = auto', 'gpured.offload = force')
{
	my $ask = sub { return $node->safe_psql('postgres', "SET $setting; $both") };

	wait_for_server($node);
	$node->safe_psql('postgres', <<"SQL");
SET $setting;
BEGIN;
INSERT INTO scanned SELECT -i, i FROM generate_series(1, 1000) i;
DELETE FROM scanned WHERE i BETWEEN 1 AND 10;
$both;
PREPARE TRANSACTION 'first';
SQL
	is($ask->(), '20000|t|t', "$setting: a prepared transaction is not seen");
	$node->safe_psql('postgres', 'VACUUM (FREEZE) scanned');
	is($ask->(), '20000|t|t', 'nor after a vacuum');
	$node->stop('immediate');
	$node->start;
	wait_for_server($node);
	is($ask->(), '20000|t|t', 'nor after a crash');
	$node->safe_psql('postgres', "COMMIT PREPARED 'first'");
	is($ask->(), '20990|t|t', 'it is once it commits');
	$node->safe_psql('postgres', "BEGIN; UPDATE scanned SET x = -x; PREPARE TRANSACTION 'second'");
	is($ask->(), '20990|t|t', 'another one');
	$node->safe_psql('postgres', "ROLLBACK PREPARED 'second'");
	is($ask->(), '20990|t|t', 'is never seen');
	is($node->safe_psql('postgres', "SET $setting; BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT gpu_count(*) FROM scanned; PREPARE TRANSACTION 'third'; " .
			"SELECT count(*) FROM gpured_progress; COMMIT PREPARED 'third'"), "20990\n0", 'a scan in a prepared transaction');
	$node->safe_psql('postgres', 'DELETE FROM scanned WHERE i < 0; INSERT INTO scanned SELECT i, i FROM generate_series(1, 10) i');
}

# Catalogue caches that forget everything at each chance, where a build can do that.
SKIP:
{
	skip 'this PostgreSQL has no debug_discard_caches', 2
	  if $node->safe_psql('postgres', q(SELECT max_val FROM pg_settings WHERE name = 'debug_discard_caches')) eq '0';
	is($node->safe_psql('postgres', "SET debug_discard_caches = 1; SELECT gpu_count(*), gpu_sum(x), gpu_max(i) FROM scanned WHERE i > 0 AND x * 2 > 3"),
		'19999|200009999|20000', 'caches that forget');
	is($node->safe_psql('postgres', "SET debug_discard_caches = 1; SET gpured.offload = force; SELECT count(*), sum(s) FROM (SELECT gpu_sum(x) s FROM scanned WHERE abs(i) > 5 GROUP BY i % 5) g"),
		'5|200009985', 'also with groups');
}

# A standby: the scan holds the page that redo must have for itself.
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = '100ms'\ndeadlock_timeout = '100ms'");
$standby->start;
$node->wait_for_catchup($standby);
wait_for_server($standby);
for my $setting ('gpured.offload = auto', 'gpured.offload = force')
{
	is($standby->safe_psql('postgres', "SET $setting; $both"), '20000|t|t', "$setting: a standby");
	my $locker = $standby->background_psql('postgres');
	my $session = $standby->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query("SET $setting; SELECT pg_backend_pid()");
	$locker->query_safe('SELECT pg_advisory_lock(17)');
	$session->query_until(qr/begun/, "\\echo begun\nSELECT gpu_sum(x), gpu_max(i) FROM scanned WHERE pass(i);\n");
	$standby->poll_query_until('postgres', "SELECT wait_event = 'advisory' FROM pg_stat_activity WHERE pid = $pid") or die;
	$node->safe_psql('postgres', 'UPDATE scanned SET x = x; VACUUM (FREEZE) scanned');
	$standby->poll_query_until('postgres', "SELECT state = 'idle' FROM pg_stat_activity WHERE pid = $pid") or die;
	$locker->query_safe('SELECT pg_advisory_unlock(17)');
	$node->wait_for_catchup($standby);
	is($session->query($both), '20000|t|t', 'a conflict with recovery ends the statement, and the session goes on');
	is(count_of($standby, 'slots_used'), 0, 'no slot is left');
	$session->quit;
	$locker->quit;
}
my ($rc, $out, $err) = $standby->psql('postgres', "SET default_transaction_isolation = serializable; $both");
like($err, qr/cannot use serializable mode in a hot standby/, 'no serializable transactions on a standby');
like(slurp_file($standby->logfile), qr/canceling statement due to conflict with recovery/, 'the log tells of the conflict');
unlike(slurp_file($standby->logfile), qr/WARNING:.*(leak|was not closed|still referenced)|TRAP:/, 'and of nothing left open');
$standby->stop;

# Where there is a limit to a snapshot's age, the scan knows it as a sequential scan does.
SKIP:
{
	skip 'snapshots have no largest age from PostgreSQL 17 on', 3 if $version >= 170000;
	$node->append_conf('postgresql.conf', 'old_snapshot_threshold = 0');
	$node->restart;
	my @session = map { $node->background_psql('postgres', on_error_stop => 0) } (0, 1);
	$session[0]->query("SET gpured.debug_scan = require");
	$session[1]->query("SET gpured.debug_scan = forbid");
	$_->query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1') for @session;
	$node->safe_psql('postgres', 'DELETE FROM scanned WHERE i % 2 = 0');
	# in this case an age of zero is one of five seconds
	$node->safe_psql('postgres', 'SELECT pg_sleep(6)');
	$node->safe_psql('postgres', 'VACUUM scanned') for 1 .. 2;
	for my $i (0, 1)
	{
		my $answer = $session[$i]->query('SELECT gpu_count(*) FROM scanned');
		is($answer, '', ($i ? 'a sequential' : 'a column') . ' scan with a snapshot that is too old is an error');
		$session[$i]->query('ROLLBACK');
	}
	is($session[0]->query('SELECT gpu_count(*) FROM scanned'), '10000', 'the next one is right');
	$_->quit for @session;
}
unlike(slurp_file($node->logfile), qr/WARNING:.*(leak|was not closed|still referenced)|TRAP:/, 'nothing was left open');
$node->stop;
done_testing();
