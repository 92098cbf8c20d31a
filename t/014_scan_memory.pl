# However large a table, its rows, values and the number of columns are, a column
# scan's batches take less than 64 MB in a process, and a large expression less than 10.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('scan_memory', <<'CONF');
shared_buffers = 4MB
gpured.device = off
work_mem = 4MB
hash_mem_multiplier = 1
max_parallel_workers_per_gather = 0
autovacuum = off
max_stack_depth = 2MB
CONF
my $columns = 700;
$node->safe_psql('postgres', "
	CREATE TABLE wide AS SELECT i, md5(i::text) AS doc FROM generate_series(1, 120) i;
	UPDATE wide SET doc = repeat(doc, 32768);
	VACUUM FULL wide;
	CREATE TABLE narrow AS SELECT i, (i % 7)::text AS t FROM generate_series(1, 400000) i;
	CREATE TABLE many AS SELECT " . join(', ', map { "i + $_ AS c$_" } 1 .. $columns) . " FROM generate_series(1, 6000) i;
	VACUUM ANALYZE wide, narrow, many");

# The process's memory at its peak, in kB.
sub peak
{
	my ($pid) = @_;
	my ($kb) = slurp_file("/proc/$pid/status") =~ /VmHWM:\s+(\d+) kB/;
	return $kb;
}

# A CASE of so many branches, and what its sum is.
sub branches
{
	my ($n) = @_;
	return 'CASE ' . join(' ', map { "WHEN c1 + 1 = $_ THEN $_ * 7" } 1 .. $n) . ' END';
}

sub branches_sum
{
	my ($n) = @_;
	my $last = $n < 6002 ? $n : 6002;
	return 7 * ($last * ($last + 1) / 2 - 3);
}

my @query = (
	[ 'toasted keys', "SELECT count(*) || ' ' || sum(s) FROM (SELECT gpu_sum(i) s FROM wide GROUP BY doc) g", '120 7260' ],
	[ 'expressions as keys', "SELECT count(*) || ' ' || sum(s) FROM (SELECT gpu_sum(i) s FROM wide GROUP BY repeat(md5(i::text), 32768)) g", '120 7260' ],
	[ 'toasted arguments', 'SELECT length(gpu_max(doc)) FROM wide', 1048576 ],
	[ 'expressions as arguments', 'SELECT length(gpu_max(repeat(i::text, 262144 / length(i::text)))) FROM narrow WHERE i % 1000 < 3', 262140 ],
	[ 'many rows', 'SELECT gpu_sum(i), gpu_max(t) FROM narrow', '80000200000|6' ],
	[ 'many groups', 'SELECT count(*), sum(s) FROM (SELECT gpu_sum(i) s FROM narrow GROUP BY i) g', '400000|80000200000' ],
	[ 'many columns', 'SELECT ' . join(' + ', map { "gpu_sum(c$_)" } 1 .. $columns) . ' FROM many',
		6000 * $columns * (6001 + $columns + 1) / 2 ],
	[ 'many conditions', 'SELECT gpu_sum(' . branches(3000) . ') FROM many', branches_sum(3000), 10 ],
	[ 'more conditions than a program has', 'SELECT gpu_sum(' . branches(9000) . ') FROM many', branches_sum(9000), 10 ]);
for (@query)
{
	my ($name, $query, $answer, $limit) = (@$_, 64);
	my %grown;

	for my $scan ('forbid', 'require')
	{
		my $session = $node->background_psql('postgres');
		my $pid = $session->query("SET gpured.debug_scan = $scan; SELECT gpu_sum(i), gpu_max(t) FROM narrow WHERE i < 10; SELECT pg_backend_pid()");
		($pid) = $pid =~ /(\d+)$/;
		my $before = peak($pid);
		is($session->query($query), $answer, "$name, $scan: the right answer");
		$grown{$scan} = peak($pid) - $before;
		like($session->query("EXPLAIN $query"), qr/GpuAggregate/, "$name: by a column scan") if $scan eq 'require';
		$session->quit;
	}
	diag(sprintf('%s: %d MB, and %d MB without a column scan', $name, $grown{require} / 1024, $grown{forbid} / 1024));
	cmp_ok($grown{require} - $grown{forbid}, '<', $limit * 1024, "$name: less than $limit MB more");
}
$node->stop;
done_testing();
