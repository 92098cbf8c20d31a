# What the views and the log say: counters of the session and of the cluster,
# who may see and reset them, why the server is not used, and one line in the log
# when work begins to go without it and one when that ends.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep time);

my $sum = 'SELECT gpu_sum(i::float8) FROM generate_series(1, 100000) i';

sub value
{
	my ($node, $scope, $name) = @_;
	return $node->safe_psql('postgres',
		"SELECT value FROM gpured_stats WHERE scope = '$scope' AND name = '$name' AND coalesce(path, 'row') = 'row'");
}

sub device
{
	my ($node) = @_;
	return $node->safe_psql('postgres',
		"SELECT state || ': ' || coalesce(reason, '') FROM gpured_devices WHERE place = 'server'");
}

# The number of lines of the log since $from that match, once there is one.
sub log_lines
{
	my ($node, $from, $pattern) = @_;
	for (1 .. 100)
	{
		my $log = substr(slurp_file($node->logfile), $from);
		my $n = () = $log =~ /$pattern/g;
		return $n if $n > 0;
		usleep(50_000);
	}
	return 0;
}

# Without preloading.
my $node = PostgreSQL::Test::Cluster->new('monitoring');
$node->init;
$node->append_conf('postgresql.conf', "gpured.device = $device\n");
$node->start;
my ($rc, $out, $err) = $node->psql('postgres', 'CREATE EXTENSION gpured');
like($err, qr/NOTICE:  gpured is not preloaded/, 'without preloading there is a notice');
like($err, qr/HINT:  .*shared_preload_libraries = 'gpured'/, 'with the line to add');
($rc, $out, $err) = $node->psql('postgres', <<'SQL');
DROP EXTENSION gpured;
BEGIN; CREATE EXTENSION gpured; ROLLBACK;
SET client_min_messages = warning; CREATE EXTENSION gpured;
SQL
is($err, '', 'not after a rollback, nor where no notice is wanted');
is($node->safe_psql('postgres', 'SELECT string_agg(DISTINCT scope, $$ $$) FROM gpured_stats'),
	'session', 'without preloading the counters are the session\'s');
like(device($node), qr/^not running: gpured-server has not been started: .*shared_preload_libraries/,
	'a server that nobody has wanted: gpured_devices says so');
is( $node->safe_psql('postgres', <<"SQL"), "1 1 1\n0 0 0", 'a session counts, and can reset');
SET gpured.offload = force; SET client_min_messages = error; \\o /dev/null
$sum; \\o
SELECT string_agg(value::text, ' ') FROM gpured_stats WHERE name IN ('aggregates', 'server_aggregates', 'batches') AND scope = 'session' AND path = 'row'; \\o /dev/null
SELECT gpured_stats_reset(); \\o
SELECT string_agg(value::text, ' ') FROM gpured_stats WHERE name IN ('aggregates', 'server_aggregates', 'batches') AND scope = 'session' AND path = 'row';
SQL

# Preloaded.
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'gpured'
gpured.debug_server_arguments = ''
CONF
$node->restart;
($rc, $out, $err) = $node->psql('postgres', 'DROP EXTENSION gpured; CREATE EXTENSION gpured');
is($err, '', 'preloaded, no notice');
my $server = wait_for_server($node);
is(value($node, 'cluster', 'server_starts'), 1, 'the server has been started once');
$node->safe_psql('postgres', "SET gpured.offload = force; $sum; $sum") for 1 .. 3;
is(value($node, 'cluster', 'aggregates'), 6, 'the cluster counts the aggregates of all sessions');
is(value($node, 'cluster', 'server_aggregates'), 6, 'those that used the server');
is(value($node, 'cluster', 'batches'), 6, 'their batches');
is(value($node, 'cluster', 'rows'), 600000, 'rows');
is(value($node, 'cluster', 'bytes'), 4800000, 'bytes');
cmp_ok(value($node, 'cluster', 'device_time_us'), '>', 0, 'and the device\'s time');
$node->safe_psql('postgres', "SET gpured.offload = off; $sum");
is(value($node, 'cluster', 'aggregates'), 7, 'an aggregate of the session counts');
is(value($node, 'cluster', 'server_aggregates'), 6, 'but not as one of the server');

is($node->safe_psql('postgres', q(SELECT bool_and(stats_reset BETWEEN pg_postmaster_start_time() AND now()) FROM gpured_stats WHERE scope = 'server')),
	't', 'the server counts since it was started');

# Who may.
$node->safe_psql('postgres', 'CREATE ROLE somebody; CREATE ROLE watcher; GRANT pg_monitor TO watcher');
is($node->safe_psql('postgres', 'SET ROLE somebody; SELECT string_agg(DISTINCT scope, $$ $$) FROM gpured_stats'),
	'session', 'an ordinary user sees the session\'s counters');
is($node->safe_psql('postgres', 'SET ROLE watcher; SELECT string_agg(DISTINCT scope, $$ $$) FROM gpured_stats'),
	'cluster server session', 'a member of pg_monitor sees all');
is($node->safe_psql('postgres', 'SET ROLE somebody; SELECT count(*) FROM gpured_devices'),
	2, 'gpured_devices is for everybody');
($rc, $out, $err) = $node->psql('postgres', 'SET ROLE somebody; SELECT gpured_stats_reset()');
like($err, qr/permission denied for function gpured_stats_reset/, 'an ordinary user resets nothing');
my $before = $node->safe_psql('postgres', q(SELECT max(stats_reset) FROM gpured_stats WHERE scope = 'cluster'));
$node->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION gpured_stats_reset() TO watcher; SET ROLE watcher; SELECT gpured_stats_reset()');
is(value($node, 'cluster', 'rows'), 0, 'who has been granted it does');
is($node->safe_psql('postgres', "SELECT bool_and(stats_reset > '$before') FROM gpured_stats WHERE scope = 'cluster'"),
	't', 'and stats_reset says when');

# Fallbacks: two sessions, six of them, two lines in the log.
my $from = -s $node->logfile;
for my $fault (qw(error memory))
{
	$server = set_fault($node, "--fault=reduce-before:1:$fault --fault=scan-before:1:$fault");
	my @answer = ask($node, 'SET gpured.offload = force', $sum, '^fallbacks_');
	is("@answer", '5000050000 1', "$fault: the right answer, and a fallback");
	@answer = ask($node, 'SET gpured.offload = force',
		'SELECT (gpu_prefix_sum(i))[100] FROM generate_series(1, 100) i', '^fallbacks_');
	is("@answer", '5050 1', "$fault: also in a scan");
	@answer = ask($node, 'SET gpured.offload = force', $sum, '^fallbacks_');
	is("@answer", '5000050000 0', "$fault: the next one uses the server again");
}
is(value($node, 'cluster', 'fallbacks_device_failed'), 2, 'a failed launch is counted by its reason');
is(value($node, 'cluster', 'fallbacks_no_memory'), 2, 'so is a device without memory');
is($node->safe_psql('postgres', q(SELECT detail FROM gpured_stats WHERE scope = 'cluster' AND path = 'row' AND name = 'fallbacks_no_memory')),
	'lack of memory injected', 'the last reason is shown');
is(log_lines($node, $from, qr/computes in the session instead of in gpured-server/), 1,
	'one line says that work goes without the server');
is(log_lines($node, $from, qr/DETAIL:  fault injected/), 1, 'and why');
is(log_lines($node, $from, qr/gpured-server computes again/), 1, 'and one that this has ended');

# A server that crashes again and again starts after longer and longer pauses.
$from = -s $node->logfile;
my $restarts = value($node, 'cluster', 'server_restarts');
$node->append_conf('postgresql.conf', "gpured.debug_server_arguments = '--fault=hello:1:abort'");
$node->reload;
my $state = '';
for (1 .. 200)
{
	$state = device($node);
	last if $state =~ /^restarting/ && substr(slurp_file($node->logfile), $from) =~ /starts again in 400 ms/;
	usleep(20_000);
}
like($state, qr/^restarting: gpured-server was ended by signal 6\. It starts again at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/,
	'gpured_devices tells of the crash and the next try');
my $log = substr(slurp_file($node->logfile), $from);
like($log, qr/starts again in 100 ms.*starts again in 200 ms.*starts again in 400 ms/s, 'the pauses grow');
cmp_ok(value($node, 'cluster', 'server_restarts') - $restarts, '>=', 2, 'restarts are counted');
my @answer = ask($node, 'SET gpured.offload = auto', $sum, '^fallbacks_');
is("@answer", '5000050000 0', 'sessions compute meanwhile');

# A pool that cannot be made.
$node->append_conf('postgresql.conf', "gpured.debug_server_arguments = '--buffer-size=16000000000000'");
$node->reload;
for (1 .. 200)
{
	$state = device($node);
	last if $state =~ /^restarting: .*pool/;
	usleep(20_000);
}
like($state, qr/^restarting: gpured-server ended: A pool of \d+ MB does not fit in .* lower gpured.buffer_size\. It starts again at/,
	'a pool that cannot be made');

# One that hangs.
$node->append_conf('postgresql.conf', "gpured.debug_server_arguments = ''");
$node->reload;
$server = wait_for_server($node);
kill 'STOP', $server;
like(device($node), qr/^not answering: gpured-server did not answer in time/, 'a server that hangs');
kill 'KILL', $server;

# The setting, and no GPU.
$node->append_conf('postgresql.conf', "gpured.debug_server_arguments = ''\ngpured.device = off");
$node->reload;
for (1 .. 200)
{
	$state = device($node);
	last if $state =~ /^off/;
	usleep(20_000);
}
is($state, 'off: gpured.device is off.', 'device = off');
$node->append_conf('postgresql.conf', 'gpured.device = cpu');
$node->reload;
wait_for_server($node);
is($node->safe_psql('postgres', q(SET gpured.offload = off; SELECT used::text || ' ' || reason FROM gpured_devices WHERE place = 'server')),
	'false gpured.offload is off.', 'offload = off');
is($node->safe_psql('postgres', q(SELECT used::text || ' ' || reason FROM gpured_devices WHERE place = 'server')),
	'false Under gpured.offload = auto only a CUDA device is used.', 'offload = auto with a server on the CPU');
$node->stop;
done_testing();
