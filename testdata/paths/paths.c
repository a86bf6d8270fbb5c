/*
 * Threads whose critical path is known by construction: a fork and join, a chain, locks, and a pipe. The main thread waits
 * for each of them in turn, so all are on its critical path. At the end the program prints "NAME CPU WALL" in ns for each
 * thread on the path: the CPU time that it spent there, and the time on the clock.
 *
 *     main ─► last of the workers ─► main ─► first ─► second ─► third (which also sleeps) ─► main
 *          ─► holder ─► middle ─► outer ─► main ─► source ─► sink (its last part) ─► main
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 4 };

/* The part of a thread that is on the path. */
struct part {
	const char *name;
	long cpu;
	long wall;
};

static struct part parts[32];
static int n_parts;

static sem_t done, ready, to_second, to_third;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

/* Workers, and the one that was done last. */
static struct part *last_worker;
static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER;

static long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void nap(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, NULL);
}

/* Not inlined, so that profiles have it in the stack. */
static void __attribute__((noinline)) spin(long us)
{
	long end = now(CLOCK_THREAD_CPUTIME_ID) + us * 1000;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static struct part *begin(const char *name)
{
	struct part *part = calloc(1, sizeof(*part));

	if (!part)
		abort();
	part->name = name;
	part->cpu = -now(CLOCK_THREAD_CPUTIME_ID);
	part->wall = -now(CLOCK_MONOTONIC);
	return part;
}

static void end(struct part *part)
{
	part->cpu += now(CLOCK_THREAD_CPUTIME_ID);
	part->wall += now(CLOCK_MONOTONIC);
}

static void put_on_path(const struct part *part)
{
	parts[n_parts++] = *part;
}

static void __attribute__((noinline)) prepare(void)
{
	struct part *part = begin("main");

	spin(6000);
	end(part);
	put_on_path(part);
}

static pthread_t start(void *(*run)(void *), const char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, (void *)name))
		abort();
	return thread;
}

static void finish_worker(struct part *part)
{
	end(part);
	pthread_mutex_lock(&last_lock);
	last_worker = part;
	pthread_mutex_unlock(&last_lock);
	sem_post(&done);
}

static void *run_long(void *name)
{
	struct part *part = begin(name);

	pthread_setname_np(pthread_self(), name);
	spin(20000);
	finish_worker(part);
	return NULL;
}

static void *run_short(void *name)
{
	struct part *part = begin(name);

	pthread_setname_np(pthread_self(), name);
	spin(4000);
	nap(2000);
	finish_worker(part);
	return NULL;
}

static void fork_and_join(void)
{
	pthread_t threads[] = { start(run_long, "long"), start(run_short, "short"), start(run_short, "shorter") };

	for (int i = 0; i < 3; i++)
		sem_wait(&done);
	put_on_path(last_worker);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void *run_first(void *name)
{
	pthread_setname_np(pthread_self(), name);
	struct part *part = begin(name);
	spin(8000);
	end(part);
	put_on_path(part);
	sem_post(&to_second);
	return NULL;
}

static void *run_second(void *name)
{
	pthread_setname_np(pthread_self(), name);
	sem_wait(&to_second);
	struct part *part = begin(name);
	spin(12000);
	end(part);
	put_on_path(part);
	sem_post(&to_third);
	return NULL;
}

static void *run_third(void *name)
{
	pthread_setname_np(pthread_self(), name);
	sem_wait(&to_third);
	struct part *part = begin(name);
	nap(10000);
	spin(5000);
	end(part);
	put_on_path(part);
	sem_post(&done);
	return NULL;
}

static void chain(void)
{
	pthread_t threads[] = { start(run_third, "third"), start(run_second, "second") };

	/* The others wait already. */
	nap(3000);
	pthread_t first = start(run_first, "first");
	sem_wait(&done);
	pthread_join(first, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void *run_holder(void *name)
{
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&inner);
	sem_post(&ready);
	struct part *part = begin(name);
	spin(14000);
	end(part);
	put_on_path(part);
	pthread_mutex_unlock(&inner);
	return NULL;
}

static void *run_middle(void *name)
{
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&outer);
	sem_post(&ready);
	pthread_mutex_lock(&inner);
	struct part *part = begin(name);
	spin(7000);
	end(part);
	put_on_path(part);
	pthread_mutex_unlock(&outer);
	pthread_mutex_unlock(&inner);
	return NULL;
}

static void *run_outer(void *name)
{
	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&outer);
	struct part *part = begin(name);
	spin(5000);
	end(part);
	put_on_path(part);
	pthread_mutex_unlock(&outer);
	sem_post(&done);
	return NULL;
}

static void locks(void)
{
	pthread_t threads[3];

	threads[0] = start(run_holder, "holder");
	sem_wait(&ready);
	threads[1] = start(run_middle, "middle");
	sem_wait(&ready);
	threads[2] = start(run_outer, "outer");
	sem_wait(&done);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void *run_source(void *name)
{
	char item = 0;

	pthread_setname_np(pthread_self(), name);
	struct part *part = begin(name);
	for (int i = 0; i < ITEMS; i++) {
		spin(4000);
		if (i == ITEMS - 1) {
			end(part);
			put_on_path(part);
		}
		if (write(ends[1], &item, 1) != 1)
			abort();
	}
	return NULL;
}

static void *run_sink(void *name)
{
	char item;

	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < ITEMS; i++) {
		if (read(ends[0], &item, 1) != 1)
			abort();
		struct part *part = begin(name);
		spin(1500);
		end(part);
		if (i == ITEMS - 1)
			put_on_path(part);
	}
	sem_post(&done);
	return NULL;
}

static void pipeline(void)
{
	if (pipe(ends))
		abort();
	pthread_t sink = start(run_sink, "sink"), source = start(run_source, "source");

	sem_wait(&done);
	pthread_join(source, NULL);
	pthread_join(sink, NULL);
}

int main(void)
{
	static void (*const list[])(void) = { fork_and_join, chain, locks, pipeline };

	sem_init(&done, 0, 0);
	sem_init(&ready, 0, 0);
	sem_init(&to_second, 0, 0);
	sem_init(&to_third, 0, 0);
	for (int i = 0; i < 4; i++) {
		prepare();
		list[i]();
	}
	prepare();
	for (int i = 0; i < n_parts; i++)
		printf("%s %ld %ld\n", parts[i].name, parts[i].cpu, parts[i].wall);
	return 0;
}
