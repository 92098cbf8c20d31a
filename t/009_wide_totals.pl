# The totals of batches of int2 and int4 together are 128 bits wide.  Rows enough
# to pass 2^63 would take hours: a server that answers each batch of zeros with the
# largest sum that a session believes shows the same.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('wide_totals', <<"CONF");
shared_preload_libraries = 'gpured'
gpured.device = $device
gpured.buffer_size = 1MB
gpured.debug_server_arguments = ''
CONF
wait_for_server($node);
set_fault($node, '--fault=reply:1:largest');

# 2^62 - 1
my $largest = '4611686018427387903';
for my $type (qw(int2 int4))
{
	my $zeros = "FROM (SELECT 0::$type AS x FROM generate_series(1, 500000)) z";
	my ($average, $batches) = ask($node, 'SET gpured.offload = force',
		"SELECT gpu_avg(x) $zeros", '^batches$');
	cmp_ok($batches, '>=', 4, "$type: several batches");
	is($average, $node->safe_psql('postgres', "SELECT $batches * numeric '$largest' / 500000"),
		"$type: the average of $batches batches is exact");

	my ($rc, $out, $err) = $node->psql('postgres', "SET gpured.offload = force; SELECT gpu_sum(x) $zeros");
	like($err, qr/bigint out of range/, "$type: the sum is out of range, not another one");
}
$node->stop;
done_testing();
