# Many sessions share a small pool.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use POSIX ();
use Test::More;
use Time::HiRes qw(usleep);

my $node = new_node('many', <<"CONF");
shared_preload_libraries = 'gpured'
gpured.device = $device
gpured.buffer_size = 1MB
gpured.offload = force
max_connections = 60
CONF
my $server = wait_for_server($node);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE t AS SELECT i, i::float8 / 8 AS x FROM generate_series(1, 100000) i;
CREATE FUNCTION check_sum() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF (SELECT gpu_sum(x) = 625006250 AND gpu_max(i) = 100000 AND gpu_sum(i) = 5000050000 FROM t) THEN
		RETURN true;
	END IF;
	RAISE EXCEPTION 'a wrong sum';
END
$$;
SQL
$node->pgbench('-n -c 30 -j 2 -t 5', 0,
	[qr{number of transactions actually processed: 150/150}], [qr{^$}],
	'30 sessions at once get the right answers',
	{ '004_many' => 'SELECT check_sum()' });
is(count_of($node, 'slots_used'), 0, 'no slot is left in use');
cmp_ok(count_of($node, 'batches'), '>', 0, 'the server has computed');
is(server_pid($node), $server, 'it is still the same one');

# The server dies again and again meanwhile.
my $killer = fork();
if ($killer == 0)
{
	my $victim = 0;
	for (1 .. 4)
	{
		$victim = wait_for_server($node, $victim);
		kill 'KILL', $victim;
		usleep(300_000);
	}
	POSIX::_exit(0);
}
$node->pgbench('-n -c 10 -j 2 -T 5', 0, [qr{number of failed transactions: 0}], [qr{^$}],
	'sessions get the right answers while the server is killed',
	{ '004_kill' => 'SELECT check_sum()' });
waitpid($killer, 0);
isnt(wait_for_server($node), $server, 'it was killed, and another one came');
is(count_of($node, 'slots_used'), 0, 'no slot is left in use');

# Parallel workers have connections of their own.
my @parallel = ask($node, <<'SET', 'SELECT gpu_sum(x) = 625006250 FROM t', '^fallbacks_');
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2
SET
is($parallel[0], 't', 'parallel workers give the right answer');

# A cursor that is finished holds no slot.
is( $node->safe_psql('postgres', <<'SQL'), "5000050000\n0", 'a finished cursor holds no slot');
BEGIN;
DECLARE c CURSOR FOR SELECT gpu_sum(i) FROM t;
FETCH c;
SELECT value FROM gpured_stats WHERE name = 'slots_used';
COMMIT;
SQL

# More connections than the server takes.
set_fault($node, '--max-clients=2');
my @held = map { $node->background_psql('postgres') } 1 .. 3;
$_->query_safe('SET gpured.offload = auto') for @held;
my @reasons = map { $_->query_safe(q(SELECT reason FROM gpured_devices WHERE place = 'server')) } @held;
like("@reasons", qr/as many connections as it can serve/, 'a full server says so');
my @answers = map { $_->query_safe('SELECT gpu_sum(i) FROM t') } @held;
is("@answers", '5000050000 5000050000 5000050000', 'and is no obstacle');
$_->quit for @held;
$node->stop;
done_testing();
