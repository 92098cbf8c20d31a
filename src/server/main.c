/*
 * main.c
 *	  gpured-server: the one process of a cluster that touches a device.
 *
 * It has no PostgreSQL code in it.  The supervisor, a background worker, starts
 * it in the data directory and restarts it; if the supervisor goes, the pipe
 * --life-fd ends and so does the server, which therefore never outlives its
 * cluster.  Sessions connect to a socket that only the same user can open.
 *
 * The server looks for its device once.  Without one it says why, in its status
 * file and on standard error, and exits with GPURED_EXIT_NO_DEVICE: sessions
 * then compute by themselves.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "server.h"

#define THREAD_STACK	(512 * 1024)

GpuredServer server;
GpuredClient clients[GPURED_MAX_CLIENTS];

static const char *device_choice = "auto";
static size_t buffer_size = 256 * 1024 * 1024;
static int	life_fd = -1;
static int	watchdog_seconds = 60;
static int	max_clients = GPURED_MAX_CLIENTS;
static pthread_attr_t thread_attributes;

static void
usage(void)
{
	printf("gpured-server computes batches of values for the PostgreSQL extension gpured.\n"
		   "It is started by the extension's supervisor.\n\n"
		   "Usage:\n  gpured-server [OPTION]...\n\n"
		   "  --socket=PATH        listen here (default " GPURED_SOCKET_PATH ")\n"
		   "  --status-file=PATH   say here why there is no device\n"
		   "  --device=DEVICE      auto, cuda or cpu (default auto)\n"
		   "  --buffer-size=BYTES  size of the pool of batches\n"
		   "  --life-fd=N          end when this file descriptor reads end-of-file\n"
		   "  --instance=ID        shown to clients\n"
		   "  --watchdog=SECONDS   end if a device call takes longer (default 60)\n"
		   "  --max-clients=N      refuse more connections (default and at most %d)\n"
		   "\nFor tests:\n"
		   "  --algorithm=NAME\n"
		   "        how the GPU reduces a batch (auto, two-pass, last-block, ...)\n"
		   "  --fault=STEP:N:ACTION\n"
		   "        at the Nth STEP (accept, hello, acquire, reduce-before, reduce-after,\n"
		   "        scan-before, scan-after) do ACTION (abort, hang, garbage, error, memory)\n"
		   "  --fault=reply:N:spoil\n"
		   "        change some bytes of every Nth answer\n",
		   GPURED_MAX_CLIENTS);
}

/* A whole number in [low, high], or the end of the program. */
static uint64_t
number(const char *option, const char *argument, uint64_t low, uint64_t high)
{
	char	   *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(argument, &end, 10);
	if (errno != 0 || end == argument || *end != '\0' || *argument == '-' ||
		value < low || value > high)
	{
		fprintf(stderr, "gpured-server: --%s must be between %ju and %ju\n",
				option, (uintmax_t) low, (uintmax_t) high);
		exit(2);
	}
	return value;
}

static void
use_algorithm(const char *name)
{
#ifdef GPURED_WITH_CUDA
	if (gpured_cuda_use_algorithm(name))
		return;
	fprintf(stderr, "gpured-server: unknown algorithm \"%s\"\n", name);
#else
	fprintf(stderr, "gpured-server: built without CUDA, there is no algorithm \"%s\"\n", name);
#endif
	exit(2);
}

static void
read_arguments(int argc, char **argv)
{
	static const struct option options[] = {
		{"socket", required_argument, NULL, 's'},
		{"status-file", required_argument, NULL, 'S'},
		{"device", required_argument, NULL, 'd'},
		{"buffer-size", required_argument, NULL, 'b'},
		{"life-fd", required_argument, NULL, 'l'},
		{"instance", required_argument, NULL, 'i'},
		{"watchdog", required_argument, NULL, 'w'},
		{"max-clients", required_argument, NULL, 'm'},
		{"algorithm", required_argument, NULL, 'a'},
		{"fault", required_argument, NULL, 'f'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}
	};
	int			c;

	server.socket_path = GPURED_SOCKET_PATH;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
	{
		switch (c)
		{
			case 's':
				server.socket_path = optarg;
				break;
			case 'S':
				server.status_path = optarg;
				break;
			case 'd':
				device_choice = optarg;
				break;
			case 'b':
				buffer_size = number("buffer-size", optarg, 64 * 1024,
									 UINT64_C(1) << 44);
				break;
			case 'l':
				life_fd = number("life-fd", optarg, 0, 1 << 20);
				break;
			case 'i':
				snprintf(server.instance, sizeof(server.instance), "%s", optarg);
				break;
			case 'w':
				watchdog_seconds = number("watchdog", optarg, 1, 86400);
				break;
			case 'm':
				max_clients = number("max-clients", optarg, 1, GPURED_MAX_CLIENTS);
				break;
			case 'a':
				use_algorithm(optarg);
				break;
			case 'f':
				if (!fault_parse(optarg))
				{
					fprintf(stderr, "gpured-server: unknown fault \"%s\"\n", optarg);
					exit(2);
				}
				break;
			case 'h':
				usage();
				exit(0);
			default:
				exit(2);
		}
	}
	if (optind < argc)
	{
		fprintf(stderr, "gpured-server: too many arguments\n");
		exit(2);
	}
}

/* Find the device, or fill in server.info.reason. */
static bool
choose_device(void)
{
	if (strcmp(device_choice, "cpu") == 0)
		server.device = &gpured_cpu_device;
	else if (strcmp(device_choice, "auto") == 0 ||
			 strcmp(device_choice, "cuda") == 0)
	{
#ifdef GPURED_WITH_CUDA
		server.device = &gpured_cuda_device;
#else
		snprintf(server.info.reason, sizeof(server.info.reason),
				 "gpured-server was built without CUDA.");
		return false;
#endif
	}
	else
	{
		fprintf(stderr, "gpured-server: unknown device \"%s\"\n", device_choice);
		exit(2);
	}
	return server.device->probe(&server.info);
}

static int
listen_on(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int			fd;

	if (strlen(path) >= sizeof(address.sun_path))
	{
		say("WARNING", "the path of the socket is too long: \"%s\"", path);
		return -1;
	}
	strcpy(address.sun_path, path);
	unlink(path);
	umask(0177);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *) &address, sizeof(address)) != 0 ||
		listen(fd, SOMAXCONN) != 0)
	{
		say("WARNING", "could not listen on \"%s\": %s", path, strerror(errno));
		return -1;
	}
	return fd;
}

static void *
client_thread(void *arg)
{
	int			client = (int) (intptr_t) arg;

	connection_serve(client);
	connection_close(clients[client].fd);
	if (server.device->thread_release)
		server.device->thread_release();
	counters.clients--;
	clients[client].used = false;
	return NULL;
}

/* Tell a client that it cannot be served, and why. */
static void
turn_away(int fd, const char *reason)
{
	GpuredMessage answer;

	gpured_message_init(&answer, GPURED_MSG_ERROR, 0);
	answer.refused.status = gpured_status(GPURED_UNAVAILABLE, "%s", reason);
	send(fd, &answer, answer.header.length, MSG_NOSIGNAL | MSG_DONTWAIT);
	connection_close(fd);
}

static void
accept_client(int listener)
{
	struct ucred peer;
	socklen_t	length = sizeof(peer);
	pthread_t	thread;
	int			client;
	int			fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
	{
		/* Out of descriptors: the client waits in the queue. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			usleep(10000);
		return;
	}
	if (fault_at(FAULT_ACCEPT) != FAULT_NONE)
	{
		close(fd);
		return;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
		peer.uid != geteuid())
	{
		turn_away(fd, "only the user that runs PostgreSQL may connect");
		return;
	}
	for (client = 0; client < max_clients; client++)
	{
		if (!clients[client].used)
			break;
	}
	if (client == max_clients)
	{
		turn_away(fd, "gpured-server has as many connections as it can serve");
		return;
	}
	clients[client].fd = fd;
	clients[client].busy_since_ns = 0;
	clients[client].used = true;
	counters.clients++;
	if (pthread_create(&thread, &thread_attributes, client_thread,
					   (void *) (intptr_t) client) != 0)
	{
		counters.clients--;
		clients[client].used = false;
		turn_away(fd, "gpured-server could not start another thread");
	}
}

/* Accept until the supervisor goes away. */
static void
serve(int listener)
{
	struct pollfd watched[2] = {
		{.fd = listener,.events = POLLIN},
		{.fd = life_fd,.events = POLLIN}
	};

	pthread_attr_init(&thread_attributes);
	pthread_attr_setdetachstate(&thread_attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&thread_attributes, THREAD_STACK);

	for (;;)
	{
		if (poll(watched, life_fd >= 0 ? 2 : 1, -1) < 0 && errno != EINTR)
			break;
		if (life_fd >= 0 && watched[1].revents != 0)
			break;
		if (watched[0].revents & POLLIN)
			accept_client(listener);
	}
}

/* If the machine runs out of memory, this process goes before any session. */
static void
offer_to_oom_killer(void)
{
	FILE	   *file = fopen("/proc/self/oom_score_adj", "w");

	if (file != NULL)
	{
		fputs("800", file);
		fclose(file);
	}
}

static void
on_terminate(int signum)
{
	unlink(server.socket_path);
	_exit(0);
}

int
main(int argc, char **argv)
{
	GpuredStatus status;
	int			listener;

	read_arguments(argc, argv);
	server.started_ns = now_ns();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, on_terminate);
	signal(SIGINT, on_terminate);
	if (life_fd >= 0)
	{
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		offer_to_oom_killer();
	}

	if (!choose_device())
	{
		status_write("no device", server.info.reason);
		say(strcmp(device_choice, "cuda") == 0 ? "WARNING" : "LOG",
			"no usable device: %s", server.info.reason);
		return GPURED_EXIT_NO_DEVICE;
	}
	if (!pool_create(buffer_size, &status))
	{
		status_write("failed", status.reason);
		say("WARNING", "%s", status.reason);
		return 1;
	}
	if (server.device->register_pool)
	{
		/* Any memory will do, but slower. */
		status = server.device->register_pool(pool_base(), pool_size());
		if (status.code != GPURED_OK)
			say("WARNING", "%s; going on without, slower", status.reason);
	}
	if (!watchdog_start(watchdog_seconds))
	{
		say("WARNING", "could not start a thread: %s", strerror(errno));
		return 1;
	}
	listener = listen_on(server.socket_path);
	if (listener < 0)
		return 1;
	status_write("running", "");
	say("LOG", "ready on %s, %u batches of %zu kB", server.info.name,
		pool_num_slots(), pool_slot_size() / 1024);
	serve(listener);
	unlink(server.socket_path);
	_exit(0);
}
