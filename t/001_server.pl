# The server's life: it starts with PostgreSQL, follows the configuration, comes
# back when it dies, and ends when its cluster does.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep time);

my $sum = 'SELECT gpu_sum(i::float8) = 500000500000 FROM generate_series(1, 1000000) i';

my $node = new_node('main', <<"CONF");
shared_preload_libraries = 'gpured'
gpured.device = $device
CONF
my $postmaster = slurp_file($node->data_dir . '/postmaster.pid');

# It computes.
my $server = wait_for_server($node);
my ($answer, $batches) = ask($node, 'SET gpured.offload = force', $sum, '^batches$');
is($answer, 't', 'the server gives the right sum');
is($batches, 4, 'in four batches');
is(count_of($node, 'batches'), 4, 'which the server counts, too');
is(count_of($node, 'slots_used'), 0, 'and no slot is left in use');

my @scan = ask($node, 'SET gpured.offload = force', <<'SQL', '^(fallback_)?batches$');
SELECT a[1] = 1 AND a[300000] = 45000150000 AND array_length(a, 1) = 300000
FROM (SELECT gpu_prefix_sum(i::float8 ORDER BY i) a FROM generate_series(1, 300000) i) s
SQL
is($scan[0], 't', 'the server gives the right prefix sums');
cmp_ok($scan[1], '>', 0, 'in batches');

($answer, $batches) = ask($node, 'SET gpured.offload = auto', $sum, '^batches$');
is("$answer $batches", 't 0', 'under auto a session does not use a server on the CPU');

is( $node->safe_psql('postgres',
		q(SELECT device, used, state FROM gpured_devices WHERE place = 'server')),
	$device . ($device eq 'cuda' ? '|t' : '|f') . '|running',
	'gpured_devices shows the server');
is( $node->safe_psql('postgres',
		q(SELECT mode FROM (SELECT (pg_stat_file('pg_stat_tmp/gpured.status')).size > 0 AS mode) s)),
	't',
	'the status file is there');
my $mode = (stat($node->data_dir . '/pg_stat_tmp/gpured.sock'))[2] & 07777;
is(sprintf('%o', $mode), '600', 'the socket is for its owner only');

# It dies and comes back.
kill 'KILL', $server;
my $next = wait_for_server($node, $server);
isnt($next, $server, 'a killed server is started again');
($answer, $batches) = ask($node, 'SET gpured.offload = force', $sum, '^batches$');
is("$answer $batches", 't 4', 'and computes');
$server = $next;

# It dies in the middle of a query.
my $session = $node->background_psql('postgres');
$session->query_safe('SET gpured.offload = force');
$session->query_until(qr/begun/, <<'SQL');
\echo begun
SELECT gpu_sum(i + 0.5::float8) FROM generate_series(1, 20000) i, generate_series(1, 1000) j;
SQL
for (1 .. 200)
{
	last if count_of($node, 'slots_used') > 0;
	usleep(20_000);
}
kill 'KILL', $server;
my $result = $session->query(q(SELECT 'next'));
like($result, qr/200020000000/, 'a query survives the death of the server');
like($result, qr/next/, 'so does its session');
$server = wait_for_server($node, $server);
is($session->query('SELECT gpu_sum(i) FROM generate_series(1, 1000) i'),
	'500500', 'the same session uses the next server');
is( $session->query(q(SELECT count(*) FROM gpured_stats WHERE scope = 'session' AND name ~ '^fallbacks_' AND value > 0)),
	'1', 'and has counted why it computed by itself');
$session->quit;

# It follows the configuration.
$node->append_conf('postgresql.conf', 'gpured.buffer_size = 1MB');
$node->reload;
$server = wait_for_server($node, $server);
is(count_of($node, 'slots'), 8, 'a pool of 1 MB still has several slots');
($answer, $batches) = ask($node, 'SET gpured.offload = force', $sum, '^batches$');
is($answer, 't', 'and gives the right sum');
cmp_ok($batches, '>', 60, 'in many batches');

$node->append_conf('postgresql.conf', 'gpured.device = off');
$node->reload;
ok(wait_until_dead($server), 'device = off ends the server');
is( $node->safe_psql('postgres',
		q(SELECT reason FROM gpured_devices WHERE place = 'server')),
	'gpured.device is off.',
	'gpured_devices says so');
my ($rc, $out, $err) = $node->psql('postgres', "SET gpured.offload = force; $sum");
like($err, qr/could not use a device for the sum of float8/, 'force raises an error');
like($err, qr/DETAIL:  gpured.device is off\./, 'which says why');
like($err, qr/HINT:  Set gpured.device to another value/, 'and what to do');
($answer, $batches) = ask($node, 'SET gpured.offload = auto', $sum, '^batches$');
is("$answer $batches", 't 0', 'without force the session computes');

$node->append_conf('postgresql.conf', "gpured.device = $device");
$node->reload;
$server = wait_for_server($node);

# Its supervisor is ended: the postmaster starts another one.
my ($supervisor) = slurp_file("/proc/$server/stat") =~ /\) \S (\d+)/;
kill 'TERM', $supervisor;
$next = wait_for_server($node, $server);
ok(!alive($server), 'the server ends with its supervisor');
is(slurp_file($node->data_dir . '/postmaster.pid'), $postmaster,
	'nothing of this restarted PostgreSQL');
unlike(slurp_file($node->logfile), qr/terminating any other active server processes/,
	'nor its sessions');
$server = $next;

# The cluster ends.
$node->stop('immediate');
ok(wait_until_dead($server), 'no server outlives an immediate stop');
$node->start;
$server = wait_for_server($node);
$node->stop('fast');
ok(wait_until_dead($server), 'nor a fast one');
ok(!-e $node->data_dir . '/pg_stat_tmp/gpured.sock', 'its socket is gone');

# The postmaster is killed.
$node->start;
$server = wait_for_server($node);
$node->kill9;
ok(wait_until_dead($server), 'no server outlives its postmaster');

done_testing();
