/*
 * Threads that wait for what only interrupts end, on one CPU, which another thread uses: so the interrupts hit a thread
 * that is recorded. Each waiting thread is called by what it waits in.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 5, SPIN_MS = 300, BLOCK = 4096 };

static int receiver = -1;
static volatile unsigned long long n;

/* Sleep until a timer with high resolution expires. */
static void *sleeping(void *arg)
{
	pthread_setname_np(pthread_self(), "sleeping");
	for (int i = 0; i < TIMES; i++)
		usleep(3000);
	return arg;
}

/* Wait on a socket that nobody sends to, until a timer of the timer wheel expires. */
static void *timeout(void *arg)
{
	struct timeval time = { .tv_usec = 12000 };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char byte;

	pthread_setname_np(pthread_self(), "timeout");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	for (int i = 0; i < TIMES; i++)
		n += (unsigned long long)recv(fd, &byte, 1, 0);
	return arg;
}

/* Receive what the spinning thread sends: it arrives in a softirq on the loopback device. */
static void *receiving(void *arg)
{
	char byte;

	pthread_setname_np(pthread_self(), "receiving");
	for (int i = 0; i < TIMES; i++)
		n += (unsigned long long)recv(receiver, &byte, 1, 0);
	return arg;
}

/* Wait for the signal of an interval timer. */
static void *alarmed(void *arg)
{
	const struct itimerval every = { { 0, 15000 }, { 0, 15000 } };
	sigset_t set;
	int which;

	pthread_setname_np(pthread_self(), "alarmed");
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < TIMES; i++)
		sigwait(&set, &which);
	return arg;
}

/* Write to a disk, and wait until it is done. */
static void *writing(void *arg)
{
	int fd = open("interrupts.tmp", O_RDWR | O_CREAT | O_DIRECT, 0600);
	void *block = aligned_alloc(BLOCK, BLOCK);

	pthread_setname_np(pthread_self(), "writing");
	memset(block, 1, BLOCK);
	for (int i = 0; i < TIMES; i++)
		n += (unsigned long long)pwrite(fd, block, BLOCK, 0);
	unlink("interrupts.tmp");
	return arg;
}

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void spin(const struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	long long next = 0, begin = now();

	pthread_setname_np(pthread_self(), "spinning");
	while (now() - begin < SPIN_MS * 1000000LL) {
		if (now() - begin < next)
			continue;
		next += SPIN_MS * 1000000LL / 20;
		sendto(fd, "x", 1, 0, (const struct sockaddr *)address, sizeof(*address));
	}
}

int main(void)
{
	void *(*const bodies[])(void *) = { sleeping, timeout, receiving, alarmed, writing };
	enum { N = sizeof(bodies) / sizeof(*bodies) };
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	pthread_t threads[N];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	receiver = socket(AF_INET, SOCK_DGRAM, 0);
	bind(receiver, (struct sockaddr *)&address, size);
	getsockname(receiver, (struct sockaddr *)&address, &size);
	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, bodies[i], NULL);
	spin(&address);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
