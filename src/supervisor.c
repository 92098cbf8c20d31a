/*
 * supervisor.c
 *	  The background worker that starts, watches and restarts gpured-server.
 *
 * With shared_preload_libraries it starts with PostgreSQL, also on a hot
 * standby; otherwise the first session that wants the server registers it.  A
 * lock on a file in the data directory keeps it the only one of its cluster.
 *
 * The supervisor uses no database, computes nothing, and writes no more to shared
 * memory than two counters.
 * The server is a process of its own that it executes, so whatever a driver
 * does to that process, PostgreSQL sees only that a child of one of its workers
 * has gone.  In the other direction the server holds the reading end of a pipe
 * from the supervisor and ends when that pipe does, so that it never outlives
 * its cluster.
 *
 * A server that crashes is started again, each time after a longer pause; one
 * that does not answer is killed.  One that finds no device says so and exits;
 * it is then started again only when the configuration is reloaded.
 */
#include "postgres.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "device/protocol.h"
#include "gpured.h"
#include "stats.h"
#include "supervisor.h"

#define MAX_ARGUMENTS		32

/* milliseconds */
#define FIRST_PAUSE			100
#define LONGEST_PAUSE		30000
#define LONG_LIFE			60000	/* after it the pauses start anew */
#define PING_INTERVAL		2000
#define PING_TIMEOUT		10000
#define START_TIMEOUT		60000
#define STOP_TIMEOUT		2000

/* The server that runs now, if any. */
static struct
{
	pid_t		pid;			/* 0: none */
	int			life;			/* writing end of its life pipe */
	int			log;			/* reading end of its standard error */
	int			ping;			/* connection for pings, or -1 */
	bool		answered;		/* has it ever answered? */
	int64		started;
	int64		alive;			/* last answer, or start */
	int64		next_ping;
	uint32		seq;
	char		line[1024];		/* what it has said of its current line */
	int			line_length;
	char		warning[200];	/* the last WARNING among its lines */
}			child;

/* What the server was started with, to see what a reload changes. */
static struct
{
	int			device;
	int			buffer_size;
	char	   *arguments;
}			started_with;

static bool no_device;			/* it found none: wait for a reload */
static bool crashed;			/* the last one did not end as it should */
static int	pause_ms = FIRST_PAUSE;
static int64 next_start;

static void
describe_worker(BackgroundWorker *worker)
{
	memset(worker, 0, sizeof(*worker));
	worker->bgw_flags = BGWORKER_SHMEM_ACCESS;
	worker->bgw_start_time = BgWorkerStart_ConsistentState;
	worker->bgw_restart_time = 5;
	strlcpy(worker->bgw_name, "gpured supervisor", BGW_MAXLEN);
	strlcpy(worker->bgw_type, "gpured supervisor", BGW_MAXLEN);
	strlcpy(worker->bgw_library_name, "gpured", BGW_MAXLEN);
	strlcpy(worker->bgw_function_name, "gpured_supervisor_main", BGW_MAXLEN);
}

/* While the library is preloaded: start with PostgreSQL. */
void
gpured_supervisor_register(void)
{
	BackgroundWorker worker;

	describe_worker(&worker);
	RegisterBackgroundWorker(&worker);
}

/*
 * Is there a supervisor?  Asks who holds the lock without taking it, so that
 * asking never keeps a supervisor from starting.
 */
bool
gpured_supervisor_running(void)
{
	struct flock lock = {.l_type = F_WRLCK,.l_whence = SEEK_SET};
	int			fd = open(GPURED_LOCK_PATH, O_RDONLY | O_CLOEXEC);
	bool		held;

	if (fd < 0)
		return false;
	held = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	close(fd);
	return held;
}

/* From a session: start a supervisor if there is none.  Does not wait for it. */
bool
gpured_supervisor_start(GpuredStatus *status)
{
	BackgroundWorker worker;

	if (gpured_supervisor_running())
		return true;
	describe_worker(&worker);
	if (RegisterDynamicBackgroundWorker(&worker, NULL))
		return true;
	*status = gpured_status(GPURED_UNAVAILABLE,
							"The supervisor of gpured-server could not start: no background worker is free (max_worker_processes).");
	return false;
}

static int64
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The last words for sessions that find no server; see monitor.c. */
static void
write_status(const char *state, const char *reason)
{
	FILE	   *file = fopen(GPURED_STATUS_PATH ".new", "w");

	if (file == NULL)
		return;
	fprintf(file, "%s\n\n%s\n", state, reason);
	if (fclose(file) == 0)
		(void) rename(GPURED_STATUS_PATH ".new", GPURED_STATUS_PATH);
}

/* Take the lock that makes this the only supervisor, or leave quietly. */
static void
take_lock(void)
{
	struct flock lock = {.l_type = F_WRLCK,.l_whence = SEEK_SET};
	int			fd = open(GPURED_LOCK_PATH, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		ereport(FATAL,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", GPURED_LOCK_PATH)));
	if (fcntl(fd, F_SETLK, &lock) != 0)
		proc_exit(0);
	/* fd stays open: closing it would give up the lock */
}

static const char *
server_arguments(void)
{
	return gpured_debug_server_arguments ? gpured_debug_server_arguments : "";
}

/* Split gpured.debug_server_arguments, a setting for tests, at blanks. */
static int
add_arguments(char **argv, int argc, char *list)
{
	for (char *word = strtok(list, " \t"); word; word = strtok(NULL, " \t"))
	{
		if (argc < MAX_ARGUMENTS - 1)
			argv[argc++] = word;
	}
	return argc;
}

static void
start_server(void)
{
	char		path[MAXPGPATH];
	char		device[32];
	char		buffer[48];
	char		instance[48];
	char	   *extra = pstrdup(server_arguments());
	char	   *argv[MAX_ARGUMENTS];
	int			argc = 0;
	uint64		id = 0;

	started_with.device = gpured_device_setting;
	started_with.buffer_size = gpured_buffer_size;
	if (started_with.arguments)
		pfree(started_with.arguments);
	started_with.arguments = pstrdup(extra);

	(void) pg_strong_random(&id, sizeof(id));
	snprintf(path, sizeof(path), "%s/gpured-server", pkglib_path);
	snprintf(device, sizeof(device), "--device=%s",
			 GetConfigOption("gpured.device", false, false));
	snprintf(buffer, sizeof(buffer), "--buffer-size=" UINT64_FORMAT,
			 (uint64) gpured_buffer_size * 1024);
	snprintf(instance, sizeof(instance), "--instance=%016llx",
			 (unsigned long long) id);
	argv[argc++] = path;
	argv[argc++] = "--socket=" GPURED_SOCKET_PATH;
	argv[argc++] = "--status-file=" GPURED_STATUS_PATH;
	argv[argc++] = device;
	argv[argc++] = buffer;
	argv[argc++] = instance;
	argv[argc++] = "--life-fd=" CppAsString2(GPURED_LIFE_FD);
	argc = add_arguments(argv, argc, extra);
	argv[argc] = NULL;

	(void) unlink(GPURED_SOCKET_PATH);
	write_status("starting", "gpured-server is starting.");

	child.pid = gpured_spawn(argv, &child.life, &child.log);
	child.ping = -1;
	child.answered = false;
	child.started = child.alive = now_ms();
	child.next_ping = child.started + FIRST_PAUSE;
	child.line_length = 0;
	child.warning[0] = '\0';
	pfree(extra);

	gpured_count(GPURED_COUNT_SERVER_STARTS, 1);
	if (crashed)
		gpured_count(GPURED_COUNT_SERVER_RESTARTS, 1);
	crashed = false;
}

/* A line of the server's standard error goes to PostgreSQL's log. */
static void
log_line(void)
{
	char	   *words = child.line;
	int			level = LOG;

	if (child.line_length == 0)
		return;
	for (int i = 0; i < child.line_length; i++)
	{
		if ((unsigned char) words[i] < ' ' || (unsigned char) words[i] > '~')
			words[i] = '?';
	}
	words[child.line_length] = '\0';
	child.line_length = 0;
	if (strncmp(words, "LOG: ", 5) == 0)
		words += 5;
	else if (strncmp(words, "WARNING: ", 9) == 0)
	{
		words += 9;
		level = WARNING;
		strlcpy(child.warning, words, sizeof(child.warning));
	}
	ereport(level, (errmsg_internal("gpured-server: %s", words)));
}

static void
read_log(void)
{
	char		data[1024];
	ssize_t		got;

	if (child.log < 0)
		return;
	while ((got = read(child.log, data, sizeof(data))) > 0)
	{
		for (ssize_t i = 0; i < got; i++)
		{
			if (data[i] != '\n' && child.line_length < (int) sizeof(child.line) - 1)
				child.line[child.line_length++] = data[i];
			else
				log_line();
		}
	}
	if (got == 0)
	{
		log_line();
		close(child.log);
		child.log = -1;
	}
}

static void
close_ping(void)
{
	if (child.ping >= 0)
		close(child.ping);
	child.ping = -1;
}

/* The server has gone: collect what is left of it. */
static void
forget_server(void)
{
	read_log();
	if (child.log >= 0)
		close(child.log);
	if (child.life >= 0)
		close(child.life);
	close_ping();
	child.log = child.life = -1;
	child.pid = 0;
}

/*
 * The server has ended and should not have: tell the log and, for sessions that
 * find none, the status file.  Its own last warning says more than an exit code.
 */
static void
report_crash(int wstatus)
{
	char		reason[256];
	char		words[384];
	TimestampTz next = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), pause_ms);

	if (WIFSIGNALED(wstatus))
		snprintf(reason, sizeof(reason), "gpured-server was ended by signal %d.",
				 WTERMSIG(wstatus));
	else if (child.warning[0] != '\0')
		snprintf(reason, sizeof(reason), "gpured-server ended: %s%s", child.warning,
				 child.warning[strlen(child.warning) - 1] == '.' ? "" : ".");
	else
		snprintf(reason, sizeof(reason), "gpured-server ended with exit code %d.",
				 WEXITSTATUS(wstatus));
	snprintf(words, sizeof(words), "%s It starts again at %s.", reason,
			 timestamptz_to_str(next));
	write_status("restarting", words);
	ereport(LOG,
			(errmsg_internal("%s", reason),
			 errdetail_internal("It starts again in %d ms; sessions compute by themselves meanwhile.",
								pause_ms)));
}

/* Has the server ended?  Then decide when to start the next one. */
static void
reap_server(void)
{
	int			wstatus;
	int64		now = now_ms();

	if (child.pid == 0 || waitpid(child.pid, &wstatus, WNOHANG) != child.pid)
		return;
	if (now - child.started > LONG_LIFE)
		pause_ms = FIRST_PAUSE;
	forget_server();

	if (WIFEXITED(wstatus) && WEXITSTATUS(wstatus) == GPURED_EXIT_NO_DEVICE)
	{
		no_device = true;		/* it has said why */
		return;
	}
	crashed = true;
	report_crash(wstatus);
	next_start = now + pause_ms;
	pause_ms = Min(pause_ms * 2, LONGEST_PAUSE);
}

/* Wait at most "timeout" ms for the server to end. */
static bool
server_ends_within(int timeout)
{
	int64		until = now_ms() + timeout;

	for (;;)
	{
		pid_t		pid = waitpid(child.pid, NULL, WNOHANG);

		if (pid == child.pid || (pid < 0 && errno == ECHILD))
			return true;
		if (now_ms() >= until)
			return false;
		pg_usleep(2000);
	}
}

static void
stop_server(void)
{
	if (child.pid == 0)
		return;
	if (child.life >= 0)
		close(child.life);
	child.life = -1;
	kill(child.pid, SIGTERM);
	if (!server_ends_within(STOP_TIMEOUT))
	{
		/* One that is stuck in a driver may not end even so: leave it then. */
		kill(child.pid, SIGKILL);
		if (!server_ends_within(STOP_TIMEOUT))
			ereport(LOG,
					(errmsg("gpured-server (PID %d) cannot be ended",
							(int) child.pid)));
	}
	forget_server();
	(void) unlink(GPURED_SOCKET_PATH);
}

static void
on_exit_stop(int code, Datum arg)
{
	stop_server();
	write_status("stopped", "The supervisor of gpured-server has ended.");
}

/* Connect for pings; failure shows as the lack of an answer. */
static void
open_ping(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX,.sun_path = GPURED_SOCKET_PATH};

	child.ping = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (child.ping >= 0 &&
		connect(child.ping, (struct sockaddr *) &address, sizeof(address)) != 0)
		close_ping();
}

static void
send_ping(void)
{
	GpuredMessage message;

	child.next_ping = now_ms() + (child.answered ? PING_INTERVAL : FIRST_PAUSE);
	if (child.ping < 0)
	{
		open_ping();
		if (child.ping < 0)
			return;
		gpured_message_init(&message, GPURED_MSG_HELLO, ++child.seq);
		message.hello.fingerprint = gpured_protocol_fingerprint();
	}
	else
		gpured_message_init(&message, GPURED_MSG_STATUS, ++child.seq);

	/* A queue full of unanswered pings is no reason to do anything yet. */
	if (send(child.ping, &message, message.header.length, MSG_NOSIGNAL) < 0 &&
		errno != EAGAIN && errno != EWOULDBLOCK)
		close_ping();
}

/* Whatever it says, it is alive; a refusal or the end makes a new connection. */
static void
receive_pings(void)
{
	GpuredMessage message;
	GpuredStatus status;

	while (child.ping >= 0)
	{
		ssize_t		got = recv(child.ping, &message, sizeof(message), 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (got <= 0)
		{
			close_ping();
			return;
		}
		if (!child.answered)
			child.warning[0] = '\0';	/* it serves in spite of that */
		child.answered = true;
		child.alive = now_ms();
		if (!gpured_message_check(&message, got, &status) ||
			message.header.type == GPURED_MSG_ERROR)
			close_ping();
	}
}

static void
kill_if_hung(void)
{
	int64		silent = now_ms() - child.alive;

	if (silent <= (child.answered ? PING_TIMEOUT : START_TIMEOUT))
		return;
	ereport(LOG,
			(errmsg("gpured-server (PID %d) has not answered for %d s and is killed",
					(int) child.pid, (int) (silent / 1000))));
	kill(child.pid, SIGKILL);
	child.alive = now_ms();		/* do not say so again at once */
}

/* The configuration was read again: does the server still fit it? */
static void
apply_configuration(void)
{
	const char *arguments = server_arguments();

	if (child.pid != 0 &&
		(gpured_device_setting != started_with.device ||
		 gpured_buffer_size != started_with.buffer_size ||
		 strcmp(arguments, started_with.arguments) != 0))
		stop_server();
	if (gpured_device_setting == GPURED_DEVICE_OFF)
		write_status("off", "gpured.device is off.");

	/* A repaired driver is found by a reload. */
	no_device = false;
	pause_ms = FIRST_PAUSE;
	next_start = 0;
}

/* Sleep until there is something to do. */
static void
wait_for_work(void)
{
	WaitEventSet *set = gpured_create_wait_event_set(4);
	WaitEvent	event;
	int64		now = now_ms();
	long		timeout = -1;

	AddWaitEventToSet(set, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(set, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL, NULL);
	if (child.log >= 0)
		AddWaitEventToSet(set, WL_SOCKET_READABLE, child.log, NULL, NULL);
	if (child.ping >= 0)
		AddWaitEventToSet(set, WL_SOCKET_READABLE, child.ping, NULL, NULL);

	if (child.pid != 0)
		timeout = Max(child.next_ping - now, 0);
	else if (gpured_device_setting != GPURED_DEVICE_OFF && !no_device)
		timeout = Max(next_start - now, 0);
	(void) WaitEventSetWait(set, timeout, &event, 1, PG_WAIT_EXTENSION);
	FreeWaitEventSet(set);
	ResetLatch(MyLatch);

	/* If this process did not run either, the server's silence says nothing. */
	if (timeout >= 0 && now_ms() - now > timeout + PING_INTERVAL)
		child.alive = now_ms();
}

static void
on_child_signal(SIGNAL_ARGS)
{
	int			save_errno = errno;

	SetLatch(MyLatch);
	errno = save_errno;
}

void
gpured_supervisor_main(Datum arg)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	pqsignal(SIGCHLD, on_child_signal);
	BackgroundWorkerUnblockSignals();

	child.life = child.log = child.ping = -1;
	take_lock();
	(void) unlink(GPURED_SOCKET_PATH);
	(void) unlink(GPURED_STATUS_PATH);
	on_proc_exit(on_exit_stop, (Datum) 0);
	apply_configuration();

	while (!ShutdownRequestPending)
	{
		CHECK_FOR_INTERRUPTS();
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
			apply_configuration();
		}
		read_log();
		receive_pings();
		reap_server();
		if (child.pid == 0 && gpured_device_setting != GPURED_DEVICE_OFF &&
			!no_device && now_ms() >= next_start)
			start_server();
		if (child.pid != 0)
		{
			if (now_ms() >= child.next_ping)
				send_ping();
			kill_if_hung();
		}
		wait_for_work();
	}

	/*
	 * Not 0: if somebody ended this process while PostgreSQL goes on, the
	 * postmaster starts another one.
	 */
	proc_exit(1);
}
