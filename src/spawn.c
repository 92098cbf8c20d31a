/*
 * spawn.c
 *	  Execute gpured-server with nothing of PostgreSQL's in it.
 *
 * The server inherits no descriptor but the reading end of its life pipe, no
 * signal handler and no signal mask, and is a process group of its own.
 */
#include "postgres.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor.h"

/* In the child, between fork and exec: only async-signal-safe calls. */
static void
exec_server(char **argv, int life, int log)
{
	static const char failure[] = "LOG: could not execute gpured-server\n";
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t	none;
	int			null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	/* above the numbers that are about to be taken */
	life = fcntl(life, F_DUPFD, 10);
	log = fcntl(log, F_DUPFD, 10);
	dup2(null, 0);
	dup2(log, 1);
	dup2(log, 2);
	dup2(life, GPURED_LIFE_FD);
#ifdef SYS_close_range
	if (syscall(SYS_close_range, GPURED_LIFE_FD + 1, UINT_MAX, 0) != 0)
#endif
	{
		for (int fd = GPURED_LIFE_FD + 1; fd < 65536; fd++)
			close(fd);
	}
	for (int signum = 1; signum < NSIG; signum++)
		sigaction(signum, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);

	execv(argv[0], argv);
	if (write(2, failure, sizeof(failure) - 1) < 0)
		_exit(126);
	_exit(127);
}

/* Raises an error if the process cannot be made. */
pid_t
gpured_spawn(char **argv, int *life_end, int *log_end)
{
	int			life[2];
	int			log[2];
	pid_t		pid;

	if (pipe2(life, O_CLOEXEC) != 0)
		ereport(ERROR, (errmsg("could not create a pipe: %m")));
	if (pipe2(log, O_CLOEXEC | O_NONBLOCK) != 0)
	{
		close(life[0]);
		close(life[1]);
		ereport(ERROR, (errmsg("could not create a pipe: %m")));
	}

	/* only the reading end shall not block */
	(void) fcntl(log[1], F_SETFL, 0);

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		exec_server(argv, life[0], log[1]);
	close(life[0]);
	close(log[1]);
	if (pid < 0)
	{
		close(life[1]);
		close(log[0]);
		ereport(ERROR, (errmsg("could not start gpured-server: %m")));
	}
	*life_end = life[1];
	*log_end = log[0];
	return pid;
}
