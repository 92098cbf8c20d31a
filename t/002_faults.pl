# Whatever the server does, the answer is the same: it crashes, hangs, answers
# nonsense or answers with a failure, at each step of the protocol.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep time);

my $reduce = 'SELECT gpu_sum(i::float8) = 20000100000 AND gpu_max(i) = 200000 FROM generate_series(1, 200000) i';
my $moments = <<'SQL';
SELECT gpu_var_pop(i) = 3333333333.25 AND gpu_covar_pop(i, 2 * i) = 6666666666.5 AND gpu_bit_xor(i) = 200000
FROM generate_series(1, 200000) i
SQL
my $scan = <<'SQL';
SELECT a[200000] = 20000100000 AND a[100000] = 5000050000 AND a[1] = 1
FROM (SELECT gpu_prefix_sum(i::float8) a FROM generate_series(1, 200000) i) s
SQL
my $force = "SET gpured.offload = force; SET gpured.request_timeout = '300ms'";

my $node = new_node('faults', <<"CONF");
shared_preload_libraries = 'gpured'
gpured.device = $device
gpured.buffer_size = 2MB
gpured.debug_server_arguments = ''
CONF
my $postmaster = slurp_file($node->data_dir . '/postmaster.pid');
wait_for_server($node);

for my $step (qw(reduce-before reduce-after scan-before scan-after))
{
	my $query = $step =~ /reduce/ ? $reduce : $scan;
	for my $action (qw(abort hang garbage error memory))
	{
		set_fault($node, "--fault=$step:2:$action");
		my ($answer, $fallbacks) = ask($node, $force, $query, '^fallbacks_');
		is($answer, 't', "$action at $step: the right answer");
		cmp_ok($fallbacks, '>=', 1, "$action at $step: counted");
	}
}
for my $action (qw(abort hang garbage error))
{
	set_fault($node, "--fault=reduce-after:2:$action");
	my ($answer, $fallbacks) = ask($node, $force, $moments, '^fallbacks_');
	is($answer, 't', "$action in variances, regressions and bits: the right answer");
	cmp_ok($fallbacks, '>=', 1, "$action in variances, regressions and bits: counted");
}
for my $action (qw(abort hang garbage error))
{
	set_fault($node, "--fault=acquire:1:$action");
	my ($answer, $fallbacks) = ask($node, $force, $reduce, '^fallbacks_');
	is($answer, 't', "$action at acquire: the right answer");
	cmp_ok($fallbacks, '>=', 1, "$action at acquire: counted");
}

# The first hello is the supervisor's, the second that of set_fault's question.
for my $action (qw(abort hang garbage error))
{
	set_fault($node, "--fault=hello:3:$action");
	my ($answer) = ask($node, $force, $reduce, '^fallbacks_');
	is($answer, 't', "$action at hello: the right answer");
}

# A device call that does not end.
my $server = set_fault($node, '--watchdog=1 --fault=reduce-before:1:hang');
my ($answer) = ask($node, $force, $reduce, '^fallbacks_');
is($answer, 't', 'a device call that does not end: the right answer');
isnt(wait_for_server($node, $server), $server, 'the watchdog ends the server');
like(slurp_file($node->logfile), qr/a device call runs for more than 1 s/,
	'and says so in the log');

# A stopped process: the session gives up, the supervisor replaces it.
$server = set_fault($node, '');
my $session = $node->background_psql('postgres');
$session->query_safe($force);
$session->query_safe('SELECT gpu_sum(i) FROM generate_series(1, 10) i');
kill 'STOP', $server;
my $start = time;
is($session->query($reduce), 't', 'a stopped server: the right answer');
cmp_ok(time - $start, '<', 5, 'soon');
my $next = wait_for_server($node, $server);
isnt($next, $server, 'the supervisor kills a server that does not answer');
is($session->query($reduce), 't', 'the session uses the next one');
$session->quit;

# Answers with wrong bytes in them.  Nothing can be said about the sums then,
# but nobody crashes, nor reads where it must not.
my $spoiling = set_fault($node, '--fault=reply:3:spoil');
$node->psql('postgres', <<"SQL", on_error_stop => 0) for 1 .. 40;
$force;
SELECT gpu_sum(i::float8), gpu_max(i) FROM generate_series(1, 100000) i;
SELECT gpu_variance(i), gpu_corr(i, -i), gpu_dot(i, i), gpu_stddev(i::float4) FROM generate_series(1, 50000) i;
SELECT array_length(gpu_prefix_sum(i::int8), 1) FROM generate_series(1, 50000) i;
TABLE gpured_devices;
TABLE gpured_stats;
SQL
$node->append_conf('postgresql.conf', "gpured.debug_server_arguments = ''");
$node->reload;
ok(wait_until_dead($spoiling), 'the server that spoils answers is replaced');
$next = wait_for_server($node);
is($node->safe_psql('postgres', $reduce), 't', 'spoiled answers do no harm');

is(slurp_file($node->data_dir . '/postmaster.pid'), $postmaster,
	'nothing of this restarted PostgreSQL');
unlike(slurp_file($node->logfile), qr/terminating any other active server processes/,
	'nor its sessions');
$node->stop;
done_testing();
