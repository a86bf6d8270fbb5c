/*
 * Waits in functions of their own, which measure how long they take: prints "FUNCTION KIND WAITS NS" for each. Without
 * symbols of the C library the kind of a join is the one after the |.
 * Apart from entering and leaving the kernel, that time is spent off the CPU.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N_SLEEPS = 100, N_LOCKS = 60, N_JOBS = 60, N_LONG = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t jobs_changed = PTHREAD_COND_INITIALIZER;
static int n_jobs;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static __attribute__((noinline)) void nap(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, NULL);
}

static __attribute__((noinline)) long sleep_here(void)
{
	struct timespec t = { 0, 3000000 };
	long start = now();

	nanosleep(&t, NULL);
	return now() - start;
}

static __attribute__((noinline)) long lock_here(void)
{
	long start = now();

	pthread_mutex_lock(&lock);
	long end = now();
	pthread_mutex_unlock(&lock);
	return end - start;
}

static __attribute__((noinline)) long wait_here(void)
{
	long start = now();

	pthread_mutex_lock(&jobs_lock);
	while (!n_jobs)
		pthread_cond_wait(&jobs_changed, &jobs_lock);
	n_jobs--;
	pthread_mutex_unlock(&jobs_lock);
	return now() - start;
}

static void *run_sleeper(void *unused)
{
	long sum = 0;

	for (int i = 0; i < N_SLEEPS; i++)
		sum += sleep_here();
	printf("sleep_here sleep %d %ld\n", N_SLEEPS, sum);
	return unused;
}

static void *run_holder(void *unused)
{
	for (int i = 0; i < N_LOCKS; i++) {
		pthread_mutex_lock(&lock);
		nap(4000);
		pthread_mutex_unlock(&lock);
		nap(500);
	}
	return unused;
}

static void *run_locker(void *unused)
{
	long sum = 0;

	for (int i = 0; i < N_LOCKS; i++) {
		sum += lock_here();
		nap(1000);
	}
	printf("lock_here lock %d %ld\n", N_LOCKS, sum);
	return unused;
}

static void *run_producer(void *unused)
{
	for (int i = 0; i < N_JOBS; i++) {
		nap(5000);
		pthread_mutex_lock(&jobs_lock);
		n_jobs++;
		pthread_cond_signal(&jobs_changed);
		pthread_mutex_unlock(&jobs_lock);
	}
	return unused;
}

static void *run_consumer(void *unused)
{
	long sum = 0;

	for (int i = 0; i < N_JOBS; i++)
		sum += wait_here();
	printf("wait_here condition %d %ld\n", N_JOBS, sum);
	return unused;
}

static __attribute__((noinline)) long wait_for_a_while_here(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	long start = now();

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += until.tv_nsec >= 980000000;
	until.tv_nsec = (until.tv_nsec + 20000000) % 1000000000;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&never, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	return now() - start;
}

static void *run_napper(void *unused)
{
	nap(40000);
	return unused;
}

static __attribute__((noinline)) long join_here(void)
{
	pthread_t thread;
	long start = now();

	pthread_create(&thread, NULL, run_napper, NULL);
	pthread_join(thread, NULL);
	return now() - start;
}

static __attribute__((noinline)) long signal_here(void)
{
	struct timespec t = { 0, 20000000 };
	sigset_t set;
	long start = now();

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigtimedwait(&set, NULL, &t);
	return now() - start;
}

static __attribute__((noinline)) long child_here(void)
{
	long start = now();
	pid_t child = fork();

	if (child == 0) {
		nap(40000);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return now() - start;
}

static void run_others(void)
{
	long sums[4] = { 0 };

	for (int i = 0; i < N_LONG; i++) {
		sums[0] += wait_for_a_while_here();
		sums[1] += join_here();
		sums[2] += signal_here();
		sums[3] += child_here();
	}
	printf("wait_for_a_while_here condition %d %ld\n", N_LONG, sums[0]);
	printf("join_here join|futex %d %ld\n", N_LONG, sums[1]);
	printf("signal_here signal %d %ld\n", N_LONG, sums[2]);
	printf("child_here join %d %ld\n", N_LONG, sums[3]);
}

int main(void)
{
	void *(*const list[])(
		void *) = { run_sleeper, run_holder, run_locker, run_producer, run_consumer };
	pthread_t threads[5];

	/* Child processes shall not print again what waits to be printed. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < 5; i++)
		pthread_create(&threads[i], NULL, list[i], NULL);
	run_others();
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
