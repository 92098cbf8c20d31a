# Column scans of tables under write: pgbench's transactions keep four sums equal,
# and so they are in every snapshot, on the primary and on a standby, while vacuum
# runs beside them.  GPURED_CHECKS is the number of snapshots that are looked at.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/lib";
use GpuredTest;
use IPC::Run qw(start);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $checks = $ENV{GPURED_CHECKS} || 1000;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'gpured'
gpured.device = off
gpured.debug_scan = require
autovacuum_naptime = 1
max_standby_streaming_delay = -1
CONF
$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION gpured');
$primary->command_ok([ 'pgbench', '-i', '-q', '-s', '1', 'postgres' ], 'tables are made');
$primary->safe_psql('postgres', <<'SQL');
ALTER TABLE pgbench_history SET (autovacuum_vacuum_insert_threshold = 100, parallel_workers = 2);
CREATE PROCEDURE check_sums(checks int) LANGUAGE plpgsql AS $p$
DECLARE
  sums bigint[];
  others bigint[];
  wrong int := 0;
BEGIN
  FOR i IN 1 .. checks LOOP
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
    sums := ARRAY[(SELECT gpu_sum(abalance) FROM pgbench_accounts), (SELECT gpu_sum(bbalance) FROM pgbench_branches),
                  (SELECT gpu_sum(tbalance) FROM pgbench_tellers), (SELECT coalesce(gpu_sum(delta), 0) FROM pgbench_history)];
    IF sums[1] <> sums[2] OR sums[1] <> sums[3] OR sums[1] <> sums[4] THEN
      wrong := wrong + 1;
      RAISE NOTICE 'check %: %', i, sums;
    END IF;
    -- now and then each count, grouped, against a sequential scan
    IF i % 50 = 0 THEN
      SELECT array_agg(n ORDER BY n) INTO sums FROM (SELECT gpu_count(*) * 1000 + tid AS n FROM pgbench_history GROUP BY tid) s;
      SELECT array_agg(n ORDER BY n) INTO others FROM (SELECT count(*) * 1000 + tid AS n FROM pgbench_history GROUP BY tid) s;
      IF sums IS DISTINCT FROM others THEN
        wrong := wrong + 1;
        RAISE NOTICE 'check %: % is not %', i, sums, others;
      END IF;
    END IF;
  END LOOP;
  COMMIT;
  RAISE NOTICE '% of % wrong', wrong, checks;
END $p$;
SQL
is($primary->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_user_tables WHERE relname ~ 'pgbench'}), '4', 'all are there');
like($primary->safe_psql('postgres', 'EXPLAIN SELECT gpu_sum(abalance) FROM pgbench_accounts'),
	qr/GpuAggregate/, 'they are scanned by columns');

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

my ($in, $out, $err) = ('', '', '');
my $bench = start([ 'pgbench', '-n', '-c', '4', '-T', '600', '-h', $primary->host, '-p', $primary->port, 'postgres' ],
	\$in, \$out, \$err);

sub sums_agree
{
	my ($node, $n, $setting, $name) = @_;
	my ($rc, $stdout, $stderr) =
	  $node->psql('postgres', "SET client_min_messages = notice; $setting; CALL check_sums($n)");
	like($stderr, qr/\b0 of $n wrong/, $name) or diag($stderr);
}

sums_agree($primary, int($checks * 0.7), 'SET max_parallel_workers_per_gather = 0', 'sums agree in one process');
sums_agree($primary, int($checks * 0.1), 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0',
	'and in several');
sums_agree($standby, $checks - int($checks * 0.7) - int($checks * 0.1), 'SET max_parallel_workers_per_gather = 0', 'and on a standby');
$bench->signal('TERM');
$bench->finish;
cmp_ok($primary->safe_psql('postgres', 'SELECT count(*) FROM pgbench_history'), '>', 100, 'there were transactions meanwhile');

$primary->safe_psql('postgres', 'VACUUM (FREEZE)');
$primary->wait_for_catchup($standby);
my $all = 'SELECT gpu_sum(delta), gpu_count(*), gpu_sum(delta) = (SELECT sum(abalance) FROM pgbench_accounts) FROM pgbench_history';
is($standby->safe_psql('postgres', $all), $primary->safe_psql('postgres', $all), 'the standby has the same rows in the end');
$standby->promote;
$standby->safe_psql('postgres', 'DELETE FROM pgbench_history WHERE tid % 2 = 0');
is($standby->safe_psql('postgres', 'SELECT gpu_count(*) - (SELECT count(*) FROM pgbench_history) FROM pgbench_history'), '0',
	'and can be written after a promotion');
$standby->stop;
# A database that does not have the extension: no aggregate is gpured's.
$primary->safe_psql('postgres', 'CREATE DATABASE plain');
is( $primary->safe_psql('plain', <<'SQL'), '450100', 'a database without the extension is left alone');
CREATE AGGREGATE sum_and_100(int) (sfunc = int4pl, stype = int, initcond = '100', combinefunc = int4pl);
CREATE TABLE t AS SELECT i AS a FROM generate_series(1, 100000) i;
SELECT sum_and_100(a % 10) FROM t;
SQL
unlike($primary->safe_psql('plain', 'EXPLAIN SELECT sum_and_100(a), sum(a) FROM t'), qr/GpuAggregate/, 'its plans too');

$primary->stop;
done_testing();
