# A hot standby has a server of its own, which stays over a promotion; a base
# backup carries nothing of the primary's.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', <<"CONF");
shared_preload_libraries = 'gpured'
gpured.device = $device
CONF
$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION gpured');
my $first = wait_for_server($primary);

$primary->backup('base');
is_deeply([ glob($primary->backup_dir . '/base/pg_stat_tmp/*') ], [],
	'a base backup has no socket and no status of the server');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby);
my $second = wait_for_server($standby);
isnt($second, $first, 'the standby has a server of its own');
my $sum = 'SELECT gpu_sum(i::float8) = 500000500000 FROM generate_series(1, 1000000) i';
my @answer = ask($standby, 'SET gpured.offload = force', $sum, '^batches$');
is("@answer", 't 4', 'which computes');

$standby->promote;
@answer = ask($standby, 'SET gpured.offload = force', $sum, '^batches$');
is("@answer", 't 4', 'it computes after a promotion');
is(server_pid($standby), $second, 'and is the same');
$standby->stop;
ok(wait_until_dead($second), 'it ends with its cluster');
ok(alive($first), 'the other one does not');
$primary->stop;
done_testing();
