# More groups than work_mem holds: a hash aggregation leaves memory as the
# built-in's does, with the same answers, in about as many batches and as many
# bytes on disk.  With GPURED_LONG=yes, 2 million groups in 64 MB.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $scale = ($ENV{GPURED_LONG} // '') eq 'yes' ? 16 : 1;
my $groups = 125_000 * $scale;
my $memory = 4096 * $scale . 'kB';
my $settings = "SET gpured.enable_column_scan = off; SET enable_sort = off; SET jit = off; SET hash_mem_multiplier = 1;"
  . " SET max_parallel_workers_per_gather = 0";

my $node = new_node('spill', "gpured.device = cpu\nshared_buffers = 256MB\n");
$node->safe_psql('postgres', <<"SQL");
CREATE UNLOGGED TABLE spill AS
  SELECT i * 7919 % $groups AS g, (i * 104729 % 1000003)::float8 / 1024 AS x,
         (i * 15485863 % 1000033)::float8 / 7 AS y, (i * 7919 % 100003)::numeric / 100 AS d
    FROM generate_series(1, 3 * $groups / 2::int8) i;
VACUUM ANALYZE spill;
SQL

# The plan's HashAggregate after it has run.
sub hash_node
{
	my ($call) = @_;
	my $plan = decode_json($node->safe_psql('postgres',
		"$settings; SET work_mem = '$memory';"
		  . " EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT g, $call FROM spill GROUP BY g"))
	  ->[0]{Plan};
	is("$plan->{'Node Type'} $plan->{Strategy}", 'Aggregate Hashed', "$call is hashed");
	is($plan->{'Actual Rows'}, $groups, "$call has all groups");
	return $plan;
}

# What all groups come to, whatever their order.
sub answer
{
	my ($call, $memory) = @_;
	return $node->safe_psql('postgres', "$settings; SET work_mem = '$memory';"
		. " SELECT count(*), sum(hashtextextended(q::text, 0)) FROM"
		. " (SELECT g, $call FROM spill GROUP BY g) q");
}

# A build with assertions adds a byte to each allocation, which may double it.
my $most = $node->safe_psql('postgres', 'SHOW debug_assertions') eq 'on' ? 2.5 : 1.5;
foreach my $call ('sum(x)', 'avg(x)', 'sum(d)', 'var_samp(y)', 'regr_slope(y, x)')
{
	my $ours = hash_node("gpu_$call");
	my $theirs = hash_node($call);
	cmp_ok($ours->{'HashAgg Batches'}, '>', 1, "gpu_$call leaves memory");

	# partitions are a power of two, and the planner guesses theirs
	my @batches = map { $_->{'HashAgg Batches'} - 1 } $ours, $theirs;
	cmp_ok($batches[0], '<=', 2 * $batches[1], "gpu_$call: at most twice as many batches");
	foreach my $measure ('Disk Usage', 'Peak Memory Usage')
	{
		cmp_ok($ours->{$measure}, '<=', $most * $theirs->{$measure},
			"gpu_$call: $measure at most $most times as much");
	}
	is(answer("gpu_$call", $memory), answer("gpu_$call", '4GB'), "gpu_$call: the same answers");
}
is(answer('gpu_sum(d)', $memory), answer('sum(d)', $memory), 'and the built-in\'s where that is exact');

$node->stop;
done_testing();
