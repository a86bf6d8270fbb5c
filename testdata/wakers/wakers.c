/*
 * Three threads that wait for each other: the maker sleeps and then ends the wait of the packer, which ends that of
 * the shipper, which ends that of the main thread when all is shipped. So each wait has a function in which it is spent, and another one that ends it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

enum { N_ITEMS = 12, SLEEP_US = 3000, WORK_NS = 1000000 };

static sem_t made, packed, shipped;
static volatile unsigned long long n;

/* Use the CPU for a while. */
__attribute__((noinline)) static void work(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		n++;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000LL + now.tv_nsec - begin.tv_nsec < WORK_NS);
}

__attribute__((noinline)) static void make_item(void)
{
	usleep(SLEEP_US);
	sem_post(&made);
	n++;
}

__attribute__((noinline)) static void pack_item(void)
{
	sem_wait(&made);
	work();
	sem_post(&packed);
	n++;
}

__attribute__((noinline)) static void ship_item(void)
{
	sem_wait(&packed);
	n++;
}

static void *maker(void *arg)
{
	pthread_setname_np(pthread_self(), "maker");
	for (int i = 0; i < N_ITEMS; i++)
		make_item();
	return arg;
}

static void *packer(void *arg)
{
	pthread_setname_np(pthread_self(), "packer");
	for (int i = 0; i < N_ITEMS; i++)
		pack_item();
	return arg;
}

static void *shipper(void *arg)
{
	pthread_setname_np(pthread_self(), "shipper");
	for (int i = 0; i < N_ITEMS; i++)
		ship_item();
	sem_post(&shipped);
	return arg;
}

int main(void)
{
	void *(*const bodies[])(void *) = { shipper, packer, maker };
	pthread_t threads[3];

	sem_init(&made, 0, 0);
	sem_init(&packed, 0, 0);
	sem_init(&shipped, 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], 0, bodies[i], 0);
	sem_wait(&shipped);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], 0);
	return 0;
}
