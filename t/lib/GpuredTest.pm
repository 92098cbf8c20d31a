# What the TAP tests share: a cluster with gpured, and questions to its server.
package GpuredTest;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep time);

our @EXPORT = qw($device new_node server_pid wait_for_server set_fault count_of ask
  alive wait_until_dead open_files);

# The server's device: GPURED_TEST_DEVICE, cpu by default.
our $device = $ENV{GPURED_TEST_DEVICE} || 'cpu';

# A started cluster with the extension.  $conf is appended to its configuration.
sub new_node
{
	my ($name, $conf) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', $conf);
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION gpured');
	return $node;
}

# The server's process, or 0.
sub server_pid
{
	my ($node) = @_;
	return $node->safe_psql('postgres',
		"SELECT coalesce(max(pid), 0) FROM gpured_devices WHERE place = 'server'");
}

# Wait for a server other than $old; returns its process.
sub wait_for_server
{
	my ($node, $old) = @_;
	$old ||= 0;
	for (1 .. 600)
	{
		my $pid = server_pid($node);
		return $pid if $pid != 0 && $pid != $old;
		usleep(50_000);
	}
	die "no server came";
}

# Restart the server with other arguments; returns its process.
sub set_fault
{
	my ($node, $arguments) = @_;
	my $old = server_pid($node);
	$node->append_conf('postgresql.conf',
		"gpured.debug_server_arguments = '$arguments'");
	$node->reload;
	return wait_for_server($node, $old);
}

# Ask in one session under the given settings: the answer to $query, then the
# sum of the counters whose names match $counter.
sub ask
{
	my ($node, $settings, $query, $counter) = @_;
	my $out = $node->safe_psql('postgres', <<"SQL");
$settings;
$query;
SELECT coalesce(sum(value), 0) FROM gpured_stats WHERE scope = 'session' AND name ~ '$counter';
SQL
	return split /\n/, $out;
}

# One of the server's counters.
sub count_of
{
	my ($node, $name) = @_;
	return $node->safe_psql('postgres',
		"SELECT value FROM gpured_stats WHERE scope = 'server' AND name = '$name'");
}

sub alive
{
	my ($pid) = @_;
	return kill(0, $pid);
}

sub wait_until_dead
{
	my ($pid) = @_;
	for (1 .. 200)
	{
		return 1 if !alive($pid);
		usleep(50_000);
	}
	return 0;
}

# How many descriptors a process has open, but for the files of relations.
sub open_files
{
	my ($pid) = @_;
	my @files = grep { (readlink($_) // '') !~ m{/(base|global)/} } glob("/proc/$pid/fd/*");
	return scalar @files;
}

1;
