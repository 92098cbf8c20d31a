# Batches of the column scan on their way to the server: they are sent under
# gpured.offload = force, the answer is the same whatever the server does at
# whichever of them, and a scan can be interrupted in each of its phases without
# leaving a slot, a pinned page, a descriptor or memory behind.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep time);

my $node = new_node('scan_batches', <<"CONF");
shared_preload_libraries = 'gpured'
gpured.device = $device
gpured.buffer_size = 2MB
gpured.debug_scan = require
gpured.debug_server_arguments = ''
max_parallel_workers_per_gather = 0
autovacuum = off
CONF
my $postmaster = slurp_file($node->data_dir . '/postmaster.pid');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE scanned AS SELECT i, i::float8 AS x, (i / 100.0)::numeric(12, 2) AS n, i % 1000 AS k, nullif(i % 3, 0) AS h
  FROM generate_series(1, 200000) i;
VACUUM ANALYZE scanned;
-- waits for lock 17 at one row; parallel workers only sleep
CREATE FUNCTION pass(i int) RETURNS bool LANGUAGE plpgsql STABLE AS $f$
BEGIN
  IF i = 120000 THEN PERFORM pg_advisory_xact_lock_shared(17); END IF;
  RETURN true;
END $f$;
CREATE FUNCTION locked() RETURNS int LANGUAGE plpgsql AS $f$
BEGIN PERFORM pg_advisory_xact_lock_shared(17); RETURN 0; END $f$;
SQL
wait_for_server($node);

my $force = "SET gpured.offload = force; SET gpured.request_timeout = '300ms'";
my $sum = 'SELECT gpu_sum(x) = 20000100000 AND gpu_max(i) = 200000 FROM scanned';
my $kinds = <<'SQL';
SELECT gpu_sum(x) = 20000100000 AND gpu_sum(n) = 200001000.00 AND gpu_var_pop(i) = 3333333333.25 AND gpu_corr(x, i) = 1 AND
  gpu_bit_xor(i) = 200000 AND gpu_sum(h) = 200001 AND gpu_sum(i) FILTER (WHERE k = 7) = 19901400 AND gpu_count(h) = 133334 FROM scanned
SQL
my $all = <<'SQL';
SELECT gpu_sum(x) = 20000100000 AND gpu_max(i) = 200000 AND gpu_sum(n) = 200001000.00 AND gpu_avg(n) = 1000.005 AND
  gpu_var_pop(i) = 3333333333.25 AND gpu_corr(x, i) = 1 AND gpu_bit_xor(i) = 200000 AND gpu_sum(h) = 200001 AND
  gpu_sum(i) FILTER (WHERE k = 7) = 19901400 AND gpu_count(h) = 133334 AND gpu_min(x) = 1 AND gpu_dot(x, x) = sum(x * x) FROM scanned
SQL

# The answer, and of path scan the session's counters that match, then those of path row.
sub scan
{
	my ($settings, $query, $counter) = @_;
	my @answer = ask($node, "$settings", $query, '^none$');
	my $out = $node->safe_psql('postgres', <<"SQL");
$settings; \\o /dev/null
$query; \\o
SELECT sum(value) FILTER (WHERE path = 'scan'), sum(value) FILTER (WHERE path = 'row') FROM gpured_stats
 WHERE scope = 'session' AND name ~ '$counter';
SQL
	return ($answer[0], split(/\|/, $out));
}

# What is sent: an ungrouped aggregate that has a kernel, under force.
my @answer = scan($force, $sum, '^batches$');
is("@answer", 't 11 0', 'float8 and int4 in batches of 256 kB');
@answer = scan($force, $sum, '^(server_)?aggregates$');
is("@answer", 't 4 0', 'both aggregates used the server');
@answer = scan($force, $sum, '^rows$');
is("@answer", 't 400000 0', 'with all rows');
@answer = scan($force, $kinds, '^fallback');
is("@answer", 't 0 0', 'all kinds of operations: the right answer, and none in the session');
@answer = scan($force, $kinds, '^server_aggregates$');
is("@answer", 't 7 0', 'but counts');
@answer = scan($force, $all, '^(server_aggregates|fallbacks_busy)$');
is("@answer", 't 10 0', 'more aggregates than slots: each on the server or in the session');
@answer = scan('SET gpured.offload = auto', $all, '^(server_aggregates|batches)$');
is("@answer", 't 0 0', 'under auto nothing is sent');
# But sums of products are to a GPU, after the first million of rows.
$node->safe_psql('postgres', 'CREATE TABLE many AS SELECT i, i::float8 AS x FROM generate_series(1, 1100000) i');
@answer = scan('SET gpured.offload = auto; SET max_parallel_workers_per_gather = 0',
	'SELECT gpu_corr(x, i) = 1 AND gpu_sum(x) = 605000550000 FROM many', '^rows$');
is("$answer[0] $answer[2]", 't 0', 'nor is what comes from the executor');
if ($device eq 'cuda') { ok($answer[1] > 0 && $answer[1] < 200000, 'sums of products are, in part') }
else { is($answer[1], 0, 'nor are sums of products to a server on the CPU') }
$node->safe_psql('postgres', 'DROP TABLE many');
@answer = scan('SET gpured.offload = off', $all, '^(server_aggregates|batches)$');
is("@answer", 't 0 0', 'nor under off');
@answer = scan($force, 'SELECT bool_and(s = c * (c + 1) / 2) FROM (SELECT gpu_sum(1) s, 1 c FROM scanned GROUP BY i) g', '^batches$');
is("@answer", 't 0 0', 'groups are computed in the session');
@answer = scan($force, 'SELECT gpu_sum(x) IS NULL AND gpu_count(*) = 0 FROM scanned WHERE i < 0', '^(server_)?aggregates$');
is("@answer", 't 0 0', 'a scan without rows needs no server');
@answer = scan($force, "SELECT string_agg(s::text, ' ' ORDER BY j) = '5050 40200'
	FROM (VALUES (1), (2)) v(j), LATERAL (SELECT gpu_sum(i * j) s FROM scanned WHERE i <= 100 * j) l", '^batches$');
is("@answer", 't 2 0', 'a scan that runs again sends anew');
like($node->safe_psql('postgres', "SET gpured.offload = force; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $sum"),
	qr/Device: server.*Server Batches: 11/s, 'EXPLAIN tells of it');

# In parallel, each process sends its own.
my $cluster = q(SELECT sum(value) FROM gpured_stats WHERE scope = 'cluster' AND path = 'scan' AND name = 'rows');
my $before = $node->safe_psql('postgres', $cluster);
@answer = ask($node, "$force; SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0", $sum, '^fallback');
is("@answer", 't 0', 'in a parallel plan: the right answer');
is($node->safe_psql('postgres', $cluster) - $before, 400000, 'all rows went through the server');
is(count_of($node, 'slots_used'), 0, 'no slot is left');

# The server breaks at each batch, in each way.
for my $action (qw(abort hang garbage error memory))
{
	my @right;
	my @counted;
	for my $batch ($action eq 'abort' ? (1 .. 11) : (1, 2, 6, 11))
	{
		set_fault($node, "--fault=reduce-before:$batch:$action");
		my ($answer, $fallbacks) = ask($node, $force, $sum, '^fallback_batches$');
		push @right, $batch if $answer eq 't';
		push @counted, $batch if $fallbacks >= 1;
	}
	my $batches = join(' ', $action eq 'abort' ? (1 .. 11) : (1, 2, 6, 11));
	is("@right", $batches, "$action at a batch: the right answer");
	is("@counted", $batches, "$action at a batch: counted");
}
for my $action (qw(abort hang))
{
	set_fault($node, "--fault=acquire:1:$action");
	my ($answer, $fallbacks) = ask($node, $force, $sum, '^fallbacks_');
	is($answer, 't', "$action at the first slot: the right answer");
	cmp_ok($fallbacks, '>=', 1, "$action at the first slot: counted");
}
set_fault($node, '');
my $killer = $node->background_psql('postgres');
$killer->query_safe($force);
$killer->query_safe('TABLE gpured_devices');
for (1 .. 5)
{
	my $server = wait_for_server($node);
	my $locker = $node->background_psql('postgres');
	$locker->query_safe('SELECT pg_advisory_lock(17)');
	$killer->query_until(qr/begun/, "\\echo begun\nSELECT gpu_sum(x) = 20000100000 AND gpu_sum(n) = 200001000.00 FROM scanned WHERE pass(i);\n");
	ok($node->poll_query_until('postgres', q(SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'advisory')),
		'a scan waits') if $_ == 1;
	$node->poll_query_until('postgres', q(SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'advisory'));
	kill 'KILL', $server;
	usleep(20_000 * $_);
	$locker->query_safe('SELECT pg_advisory_unlock(17)');
	is($killer->query('SELECT 1'), "t\n1", 'a server that is killed in the middle: the right answer');
	$locker->quit;
	wait_for_server($node, $server);
}
$killer->quit;

# No server at all: an error under force, when the first aggregate begins; else none.
$node->append_conf('postgresql.conf', 'gpured.device = off');
$node->reload;
$node->poll_query_until('postgres', q(SELECT state = 'off' FROM gpured_devices WHERE place = 'server'));
my ($rc, $out, $err) = $node->psql('postgres', "$force; $sum");
like($err, qr/ERROR:  could not use a device for the sum of float8\nDETAIL:  gpured.device is off/, 'without a server force is an error');
is($node->safe_psql('postgres', "SET gpured.offload = auto; $sum"), 't', 'auto is none');
is($node->safe_psql('postgres', "$force; SELECT gpu_sum(s) FROM (SELECT gpu_sum(x) s, k FROM scanned GROUP BY k OFFSET 0) g WHERE k < 0"), '',
	'nor are groups');
$node->append_conf('postgresql.conf', "gpured.device = $device");
$node->reload;
wait_for_server($node);

# Interrupts in each phase.
$node->append_conf('postgresql.conf', "gpured.offload = force\ngpured.request_timeout = '1h'");
$node->reload;
my %phase = (
	'before the first page' => [ '', 'SELECT gpu_sum(x) FROM scanned WHERE (SELECT locked()) = 0' ],
	'at the first page' => [ '', 'SELECT gpu_sum(x) FROM scanned WHERE i > (SELECT locked())' ],
	'in the middle' => [ '', 'SELECT gpu_sum(x), gpu_max(i), gpu_sum(n), gpu_var_pop(i) FROM scanned WHERE pass(i)' ],
	'in the middle of groups' => [ '', 'SELECT k, gpu_sum(x), gpu_max(n) FROM scanned WHERE pass(i) GROUP BY k' ],
	'at a batch' => [ '--fault=reduce-before:3:hang', $sum ],
	'at the last batch' => [ '--fault=reduce-before:11:hang', $sum ]);
my $locker = $node->background_psql('postgres');
$locker->query_safe('SELECT pg_advisory_lock(17)');
my $breaks = 0;
for my $where (sort keys %phase)
{
	my ($fault, $query) = @{ $phase{$where} };
	for my $how ('cancel', 'statement_timeout', 'termination')
	{
		set_fault($node, "$fault --watchdog=" . (600 + $breaks++)) if $fault ne '';
		my $session = $node->background_psql('postgres', on_error_stop => 0);
		my $pid = $session->query('SELECT pg_backend_pid()');
		$session->query('TABLE gpured_devices');
		$session->query("SET statement_timeout = '400ms'") if $how eq 'statement_timeout';
		$session->query_until(qr/begun/, "\\echo begun\n$query;\n");
		if ($how eq 'statement_timeout')
		{
			$session->query('RESET statement_timeout');
		}
		else
		{
			# It waits: for the lock, or for the server.
			$node->poll_query_until('postgres',
				"SELECT wait_event IN ('advisory', 'Extension') FROM pg_stat_activity WHERE pid = $pid") or die;
			$node->safe_psql('postgres', $how eq 'cancel' ? "SELECT pg_cancel_backend($pid)" : "SELECT pg_terminate_backend($pid, 5000)");
		}
		set_fault($node, '--watchdog=' . (600 + $breaks++)) if $fault ne '';
		if ($how eq 'termination')
		{
			eval { $session->{run}->finish; };
		}
		else
		{
			is($session->query($sum), 't', "$how $where: the session goes on");
			$session->quit;
		}
		is(count_of($node, 'slots_used'), 0, "$how $where: no slot is left");
	}
}
$locker->quit;

# At many moments, those of emission among them, in one session.
set_fault($node, '');
my $session = $node->background_psql('postgres', on_error_stop => 0);
my $pid = $session->query('SELECT pg_backend_pid()');
my $timeouts = sub {
	my ($n) = @_;
	my $file = $node->basedir . '/timeouts.sql';
	append_to_file($file, join("\n", map {
		"SET statement_timeout = '" . (1 + $_ * 7 % 120) . "ms';\n"
		  . (($all, 'SELECT i, gpu_sum(x), gpu_max(n) FROM scanned GROUP BY i', "SET work_mem = '1MB'; SELECT i, gpu_sum(x) FROM scanned GROUP BY i; RESET work_mem")[ $_ % 3 ])
		  . ';' } 1 .. $n) . "\nSET statement_timeout = 0;\n");
	$session->query("\\o /dev/null\n\\i $file\n\\o");
	unlink $file;
};
$timeouts->(60);
my $server = server_pid($node);
my $files = open_files($pid);
my $server_files = open_files($server);
my $contexts = $session->query('SELECT sum(total_bytes) FROM pg_backend_memory_contexts');
$timeouts->(240);
is($session->query($sum), 't', 'after many time-outs the session computes');
is(count_of($node, 'slots_used'), 0, 'no slot is left in use');
cmp_ok(open_files($pid), '<=', $files + 2, 'no more files are open');
cmp_ok(open_files($server), '<=', $server_files + 2, 'nor in the server');
is(server_pid($node), $server, 'which is the same one');
cmp_ok($session->query('SELECT sum(total_bytes) FROM pg_backend_memory_contexts') - $contexts, '<', 100_000,
	'no memory is left behind');

# A page that is pinned cannot be frozen.
$node->safe_psql('postgres', "UPDATE scanned SET x = x WHERE i % 40 = 0; SET statement_timeout = '60s'; VACUUM (FREEZE) scanned");
is($session->query($sum), 't', 'nor a page pinned');
$session->quit;
is(slurp_file($node->data_dir . '/postmaster.pid'), $postmaster, 'nothing of this restarted PostgreSQL');
my $log = slurp_file($node->logfile);
unlike($log, qr/terminating any other active server processes|TRAP:/, 'nor its sessions');
unlike($log, qr/WARNING:.*(leak|was not closed|still referenced)/, 'nor left anything open');
$node->stop;
done_testing();
