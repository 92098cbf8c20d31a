# A session can be interrupted wherever it is, whatever the server does: by a
# cancel, a timeout or a termination it ends within 0.1 s, and it leaves no
# memory, slot, descriptor or process behind.  A pool that is full keeps nobody
# waiting for long.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use List::Util qw(max);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep time);

# The promise, in milliseconds.  Where other processes want the CPU as well, a
# busy session sees an interrupt late: so do the built-in aggregates, and what
# they take is allowed on top.
my $promise = 100;
my $slack = 100;

my $reduce = 'SELECT gpu_sum(i::float8), gpu_max(i) FROM generate_series(1, 200000) i';
my $scan = 'SELECT (gpu_prefix_sum(i::float8))[200000] FROM generate_series(1, 200000) i';
my $builtin = 'SELECT sum(i::float8), max(i) FROM (SELECT generate_series(1, 100000000) i) s';
my $long = 'SELECT gpu_sum(i::float8), gpu_max(i) FROM (SELECT generate_series(1, 100000000) i) s';

my $node = new_node('interrupts', <<"CONF");
shared_preload_libraries = 'gpured'
gpured.device = $device
gpured.buffer_size = 2MB
gpured.offload = force
gpured.request_timeout = '1h'
gpured.debug_server_arguments = ''
max_parallel_workers_per_gather = 0
CONF
my $postmaster = slurp_file($node->data_dir . '/postmaster.pid');
my $server = wait_for_server($node);

# Interrupt $pid; report after how many milliseconds it was seen to be idle, or gone.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION interrupt(victim int, terminate bool) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz := clock_timestamp();
BEGIN
	IF terminate THEN
		PERFORM pg_terminate_backend(victim);
	ELSE
		PERFORM pg_cancel_backend(victim);
	END IF;
	WHILE clock_timestamp() < start + interval '20 s' LOOP
		PERFORM pg_stat_clear_snapshot();
		IF NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = victim AND state = 'active') THEN
			EXIT;
		END IF;
		PERFORM pg_sleep(0.001);
	END LOOP;
	RETURN 1000 * extract(epoch FROM clock_timestamp() - start);
END
$$;
SQL

sub victim
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	return ($session, $session->query('SELECT pg_backend_pid()'));
}

# A new server with this fault, also if the last one had it.
my $breaks = 0;

sub break_server
{
	my ($arguments) = @_;
	return set_fault($node, "$arguments --watchdog=" . (600 + $breaks++));
}

# The server's memory in pages of its own, without the pool.
sub memory_of
{
	my ($pid) = @_;
	my (undef, $resident, $shared) = split / /, slurp_file("/proc/$pid/statm");
	return $resident - $shared;
}

sub quickly
{
	my ($what, @times) = @_;
	my $worst = max(@times);
	diag(sprintf('%s: at worst after %.1f ms', $what, $worst));
	if ($what =~ /built-in/)
	{
		$slack = max($slack, 3 * $worst);
		return;
	}
	cmp_ok($worst, '<', $promise + $slack, "$what ends the statement at once");
}

# In the middle of a batch that never ends, and of rows that never end.
my %fault = (
	'a built-in aggregate' => [ '', $builtin ],
	'a hung reduction' => [ '--fault=reduce-before:1:hang', $reduce ],
	'a hung scan' => [ '--fault=scan-before:1:hang', $scan ],
	'a hung wait for a slot' => [ '--fault=acquire:1:hang', $reduce ],
	'many batches' => [ '', $long ]);
for my $where (sort keys %fault)
{
	my ($arguments, $query) = @{ $fault{$where} };
	my (%took);

	for my $how ('cancel', 'termination')
	{
		for (1 .. 3)
		{
			# The session connects first: a server that hangs greets nobody else.
			break_server($arguments) if $arguments ne '';
			my ($session, $pid) = victim();
			$session->query('TABLE gpured_devices');
			$session->query_until(qr/begun/, "\\echo begun\n$query;\n");
			usleep(150_000);
			push @{ $took{$how} }, $node->safe_psql('postgres',
				"SELECT interrupt($pid, " . ($how eq 'termination' ? 'true' : 'false') . ')');
			if ($how eq 'cancel')
			{
				is($session->query('SELECT 1 + 1'), '2', "$how in $where: the session goes on") if $_ == 1;
				$session->quit;
			}
			else
			{
				eval { $session->{run}->finish; };
			}
		}
		quickly("$how in $where", @{ $took{$how} });
	}

	# psql measures; the time-out itself is taken off.
	break_server($arguments) if $arguments ne '';
	my ($session) = victim();
	$session->query('TABLE gpured_devices');
	my $out = $session->query("SET statement_timeout = '150ms'; \\timing on\n$query;\n\\timing off");
	my ($ms) = $out =~ /Time: ([0-9.]+) ms/;
	quickly("statement_timeout in $where", $ms - 150);
	$session->quit;
}

# A thousand cancels, at all moments.
$server = set_fault($node, '');
my ($session, $pid) = victim();
$session->query('SELECT gpu_sum(i) FROM generate_series(1, 10) i');
my $cancels = sub {
	my ($n) = @_;
	my $script = join("\n", map {
			"SET statement_timeout = '" . (1 + $_ % 20) . "ms';\n"
			  . ($_ % 4 == 0 ? $scan : $long) . ';'
	} 1 .. $n);
	my $file = $node->basedir . '/cancels.sql';
	append_to_file($file, "$script\nSET statement_timeout = 0;\n");
	$session->query("\\i $file");
	unlink $file;
};
$cancels->(100);
my $files = open_files($pid);
my $server_files = open_files($server);
my $memory = memory_of($server);
my $session_memory = memory_of($pid);
my $contexts = $session->query('SELECT sum(total_bytes) FROM pg_backend_memory_contexts');
$cancels->(900);
is($session->query('SELECT gpu_sum(i) FROM generate_series(1, 10) i'), '55',
	'after a thousand cancels the session computes');
is(count_of($node, 'slots_used'), 0, 'no slot is left in use');
# A connection has two, and may just have been closed when they were counted.
cmp_ok(open_files($pid), '<=', $files + 2, 'the session has no more files open');
cmp_ok(open_files($server), '<=', $server_files + 2, 'nor has the server');
is(server_pid($node), $server, 'which is the same one');
diag(sprintf('server %+d kB, session %+d kB',
	4 * (memory_of($server) - $memory), 4 * (memory_of($pid) - $session_memory)));
cmp_ok(memory_of($server) - $memory, '<', 512, 'the server has not grown by 2 MB');
cmp_ok(memory_of($pid) - $session_memory, '<', 512, 'nor has the session');
cmp_ok($session->query('SELECT sum(total_bytes) FROM pg_backend_memory_contexts') - $contexts,
	'<', 100_000, 'nor have its memory contexts');

# Errors that a function catches leave nothing behind either.
$session->query(<<'SQL');
DO $$
BEGIN
	FOR k IN 1 .. 50 LOOP
		BEGIN
			PERFORM gpu_sum(1 / (40000 - i)), gpu_max(i) FROM (SELECT generate_series(1, 100000) i) s;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
	END LOOP;
END
$$;
SQL
is(count_of($node, 'slots_used'), 0, 'caught errors leave no slot in use');
cmp_ok(open_files($server), '<=', $server_files + 2, 'and no file open');
$session->quit;

# Sessions that are ended give everything back.
for (1 .. 20)
{
	my ($short, $short_pid) = victim();
	$short->query_until(qr/begun/, "\\echo begun\n$long;\n");
	usleep(20_000);
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($short_pid, 5000)");
	eval { $short->{run}->finish; };
}
is(count_of($node, 'slots_used'), 0, 'ended sessions leave no slot in use');
cmp_ok(open_files($server), '<=', $server_files + 2, 'and no file open');
my @children = grep { (eval { slurp_file($_) } // '') =~ /\) \S $server / } glob('/proc/[0-9]*/stat');
is(scalar @children, 0, 'the server has no child');

# Others hold all slots: a bounded wait, and then the session computes.
my $slots = count_of($node, 'slots');
my ($holder, $holder_pid) = victim();
$holder->query_until(qr/begun/, "\\echo begun\nSELECT "
	  . join(', ', map { "gpu_sum(i + $_), gpu_max(i + $_)" } 1 .. $slots)
	  . " FROM (SELECT 1 AS i UNION ALL SELECT 1 FROM pg_sleep(60)) s;\n");
for (1 .. 100)
{
	last if count_of($node, 'slots_used') == $slots;
	usleep(50_000);
}
is(count_of($node, 'slots_used'), $slots, 'a session holds the whole pool');
my $start = time;
my @answer = ask($node, 'SET gpured.offload = force', 'SELECT gpu_sum(i) FROM generate_series(1, 1000) i',
	'^fallbacks_busy');
my $waited = time - $start;
is("@answer", '500500 1', 'another one computes by itself, and says why');
cmp_ok($waited, '>', 0.9, 'after having waited');
cmp_ok($waited, '<', 3, 'not for long');
$node->safe_psql('postgres', "SELECT pg_cancel_backend($holder_pid)");
is($holder->query('SELECT 1 + 1'), '2', 'the session that held the pool goes on');
is(count_of($node, 'slots_used'), 0, 'a cancel gives the whole pool back');
@answer = ask($node, 'SET gpured.offload = force', 'SELECT gpu_sum(i) FROM generate_series(1, 1000) i',
	'^fallbacks_');
is("@answer", '500500 0', 'the next one has a slot');
$holder->quit;

# More sessions than the server takes.
set_fault($node, '--max-clients=2');
my @held = map { $node->background_psql('postgres') } 1 .. 3;
$start = time;
my @answers = map { $_->query_safe('SET gpured.offload = auto; SELECT gpu_sum(i) FROM generate_series(1, 1000) i') } @held;
is("@answers", '500500 500500 500500', 'too many sessions: all have their answers');
cmp_ok(time - $start, '<', 3, 'soon');
$_->quit for @held;

is(slurp_file($node->data_dir . '/postmaster.pid'), $postmaster,
	'nothing of this restarted PostgreSQL');
unlike(slurp_file($node->logfile), qr/terminating any other active server processes/,
	'nor its sessions');
$node->stop;
done_testing();
