# Without shared_preload_libraries the first session that wants the server has
# it started; without a GPU everything works and says why.
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
my $devices = q(SELECT used, state FROM gpured_devices WHERE place = 'server');

my $node = new_node('plain', "gpured.device = $device\nrestart_after_crash = on\n");
is($node->safe_psql('postgres', $devices), 'f|not running',
	'no server runs, and looking starts none');
is($node->safe_psql('postgres', q(SELECT count(*) > 0 FROM gpured_stats)), 't',
	'gpured_stats works without a server');
my ($answer, $batches) = ask($node, 'SET gpured.offload = auto', $sum, '^batches$');
is("$answer $batches", 't 0', 'a session computes by itself');
is(server_pid($node), 0, 'and still no server runs');

($answer, $batches) = ask($node, 'SET gpured.offload = force', $sum, '^batches$');
is("$answer $batches", 't 4', 'force starts the server and waits for it');
my $server = server_pid($node);
($answer, $batches) = ask($node, 'SET gpured.offload = force', $sum, '^batches$');
is("$answer $batches", 't 4', 'the next session finds it');
is(server_pid($node), $server, 'the same');

# A crash of PostgreSQL itself ends the server, and a new one comes.
my $victim = $node->background_psql('postgres', on_error_stop => 0);
my $pid = $victim->query('SELECT pg_backend_pid()');
kill 'KILL', $pid;
$victim->{run}->finish;
ok(wait_until_dead($server), 'a crash of PostgreSQL ends the server');
$node->poll_query_until('postgres', 'SELECT true');
($answer, $batches) = ask($node, 'SET gpured.offload = force', $sum, '^batches$');
is("$answer $batches", 't 4', 'afterwards force has a server again');
$server = server_pid($node);
$node->stop('immediate');
ok(wait_until_dead($server), 'no server outlives an immediate stop');

# No GPU, or none that the driver may show.
$node->append_conf('postgresql.conf', 'gpured.device = auto');
{
	local $ENV{CUDA_VISIBLE_DEVICES} = '';
	$node->start;
}
my ($rc, $out, $err) = $node->psql('postgres', "SET gpured.offload = force; $sum");
isnt($rc, 0, 'force without a GPU is an error');
like($err, qr/ERROR:  could not use a device for the sum of float8/, 'of its own');
like($err, qr/DETAIL:  \S.*/, 'which says why');
like($err, qr/HINT:  Set gpured.offload to auto or off/, 'and what to do');
my $reason = $node->safe_psql('postgres',
	q(SELECT state || ': ' || reason FROM gpured_devices WHERE place = 'server'));
like($reason, qr/^no device: \S/, "gpured_devices says why ($reason)");
is($node->safe_psql('postgres', $sum), 't', 'without force the session computes');
my $start = time;
$node->psql('postgres', "SET gpured.offload = force; $sum");
cmp_ok(time - $start, '<', 2, 'a device that is known to be missing is not waited for');
my $log = slurp_file($node->logfile);
my $probes = () = $log =~ /no usable device/g;
$node->psql('postgres', "SET gpured.offload = force; $sum") for 1 .. 3;
is(scalar(() = slurp_file($node->logfile) =~ /no usable device/g), $probes,
	'nor looked for again and again');

# The configuration can bring one.
$node->append_conf('postgresql.conf', 'gpured.device = cpu');
$node->reload;
wait_for_server($node);
($answer, $batches) = ask($node, 'SET gpured.offload = force', $sum, '^batches$');
is("$answer $batches", 't 4', 'a reload brings a server');
$node->stop;

# No background worker is free.
$node->append_conf('postgresql.conf', "max_worker_processes = 0\n");
$node->start;
($rc, $out, $err) = $node->psql('postgres', "SET gpured.offload = force; $sum");
like($err, qr/DETAIL:  .*max_worker_processes/, 'no free background worker: force says so');
is($node->safe_psql('postgres', $sum), 't', 'no free background worker: the session computes');
$node->stop;
done_testing();
