/*
 * A small order service: it parses orders, prices them in two threads, and writes a journal to the disk. Built with
 * -DEXTRA_TAX it does more work per item, as a change under review might.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_ORDERS = 16000, N_ITEMS = 48, QUEUE_SIZE = 256, N_PRICERS = 2 };

struct item {
	char *name;
	double price;
	int amount;
};

struct order {
	struct item items[N_ITEMS];
	double total;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct order *orders[QUEUE_SIZE];
	size_t first;
	size_t n;
	int is_closed;
};

#define EMPTY_QUEUE { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER }

static struct queue incoming = EMPTY_QUEUE;
static struct queue priced = EMPTY_QUEUE;
static pthread_mutex_t stock_lock = PTHREAD_MUTEX_INITIALIZER;
static double stock[4096];

static void push(struct queue *queue, struct order *order)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->n == QUEUE_SIZE)
		pthread_cond_wait(&queue->changed, &queue->lock);
	queue->orders[(queue->first + queue->n++) % QUEUE_SIZE] = order;
	if (queue->n == QUEUE_SIZE / 2)
		pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

/* NULL: the queue is closed. */
static struct order *pop(struct queue *queue)
{
	struct order *order = NULL;

	pthread_mutex_lock(&queue->lock);
	while (!queue->n && !queue->is_closed)
		pthread_cond_wait(&queue->changed, &queue->lock);
	if (queue->n) {
		order = queue->orders[queue->first];
		queue->first = (queue->first + 1) % QUEUE_SIZE;
		queue->n--;
	}
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	return order;
}

static void close_queue(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->is_closed = 1;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

static void parse_item(const char *text, struct item *item)
{
	char *end;

	item->price = strtod(text, &end);
	item->amount = (int)strtol(end, &end, 10);
	item->name = strdup(end + 1);
}

static struct order *parse_order(unsigned seed)
{
	struct order *order = calloc(1, sizeof(*order));
	char text[64];

	for (int i = 0; i < N_ITEMS; i++) {
		seed = seed * 1103515245 + 12345;
		snprintf(text, sizeof(text), "%u.%02u %u item-%u", seed >> 24, seed >> 8 & 63, seed >> 16 & 7, seed >> 20);
		parse_item(text, &order->items[i]);
	}
	return order;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->name, ((const struct item *)b)->name);
}

static double discount(double price, int amount)
{
	for (int i = 0; i < 40 + amount; i++)
		price = price * 0.999 + 0.0005;
	return price;
}

static double __attribute__((noinline)) tax(double price)
{
	double sum = 0;
#ifdef EXTRA_TAX
	int n = 200;
#else
	int n = 100;
#endif

	for (int i = 1; i <= n; i++)
		sum += price / (i * 3.0 + 1);
	return sum;
}

static void __attribute__((noinline)) price_order(struct order *order)
{
	qsort(order->items, N_ITEMS, sizeof(*order->items), compare_names);
	for (int i = 0; i < N_ITEMS; i++) {
		const struct item *item = &order->items[i];

		order->total += discount(item->price, item->amount) + tax(item->price);
	}
}

static void __attribute__((noinline)) update_stock(const struct order *order)
{
	pthread_mutex_lock(&stock_lock);
	for (int round = 0; round < 60; round++) {
		for (int i = 0; i < N_ITEMS; i++)
			stock[(round * N_ITEMS + i) % 4096] += order->items[i].amount;
	}
	pthread_mutex_unlock(&stock_lock);
}

static void *run_pricer(void *arg)
{
	struct order *order;

	(void)arg;
	while ((order = pop(&incoming))) {
		price_order(order);
		update_stock(order);
		push(&priced, order);
	}
	return NULL;
}

static void *run_parser(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < N_ORDERS; i++)
		push(&incoming, parse_order(i));
	close_queue(&incoming);
	return NULL;
}

static void free_order(struct order *order)
{
	for (int i = 0; i < N_ITEMS; i++)
		free(order->items[i].name);
	free(order);
}

static void *run_journal(void *arg)
{
	FILE *file = tmpfile();
	struct order *order;

	(void)arg;
	for (unsigned n = 1; file && (order = pop(&priced)); n++) {
		fprintf(file, "%u %.2f\n", n, order->total);
		free_order(order);
		if (n % 1000)
			continue;
		fflush(file);
		fsync(fileno(file));
	}
	return file;
}

static pthread_t start(void *(*run)(void *), const char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL))
		abort();
	pthread_setname_np(thread, name);
	return thread;
}

static void serve(void)
{
	pthread_t pricers[N_PRICERS];
	pthread_t journal = start(run_journal, "journal");
	pthread_t parser = start(run_parser, "parser");

	for (int i = 0; i < N_PRICERS; i++)
		pricers[i] = start(run_pricer, "pricer");
	pthread_join(parser, NULL);
	for (int i = 0; i < N_PRICERS; i++)
		pthread_join(pricers[i], NULL);
	close_queue(&priced);
	pthread_join(journal, NULL);
}

/* Enter the control group @p name. */
static void enter(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/fs/cgroup/unified/%s/cgroup.procs", name);
	FILE *file = fopen(path, "w");
	if (!file || fprintf(file, "%d\n", getpid()) < 0 || fclose(file)) {
		perror(path);
		exit(1);
	}
}

/* Serve in a process for each control group that is named on the command line. */
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (fork() == 0) {
			enter(argv[i]);
			serve();
			return 0;
		}
	}
	for (int i = 1; i < argc; i++)
		wait(NULL);
	return 0;
}
