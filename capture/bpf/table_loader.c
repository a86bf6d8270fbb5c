#include "capture/bpf/table_loader.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"
#include "capture/machine/machine.h"

struct request {
	size_t number;
	uint32_t pid;
	/** Its name belongs to the request. */
	struct cap_mapping mapping;
	bool with_table;
};

struct cap_table_loader {
	struct cap_table_maker maker;
	struct cap_pool *pool;
	struct cap_machine machine;
	pthread_t thread;
	bool has_thread;
	/** Readable while there are results; -1: not open. */
	int fd;
	/** Protects the members below. */
	pthread_mutex_t lock;
	/** Signalled when they change. */
	pthread_cond_t changed;
	PD_VEC(struct request) requests;
	PD_VEC(struct cap_loaded) results;
	/** Index of the next request. */
	size_t next;
	/** Number of requests without a result yet. */
	size_t n_open;
	bool has_ended;
	struct pd_error *err;
};

/** Arrange @p table in pages, for which the pool has room then. Errors: NOMEM. */
static struct pd_error *load(
	struct cap_table_loader *loader, const struct unw_table *table, struct cap_pages *ret)
{
	struct pd_error *err = table->rows.n ? cap_pages_make(table, ret) : NULL;

	if (err)
		cap_pages_deinit(ret);
	else
		cap_pool_reserve(loader->pool, ret->list.n);
	return err;
}

static struct pd_error *make(
	struct cap_table_loader *loader, const struct request *request, struct cap_loaded *ret)
{
	const struct cap_mapping *mapping = &request->mapping;
	struct unw_table *table = NULL;
	struct pd_build_id id = { 0 };

	/* A vdso without a build id is not found, and has no table. */
	if (!mapping->ino && !cap_build_id_vdso(&loader->machine, request->pid, mapping, &id))
		id.len = 0;
	*ret = (struct cap_loaded){ .number = request->number, .with_table = request->with_table };
	struct pd_error *err = loader->maker.open(loader->maker.ctx, request->pid, mapping, &id,
		request->with_table ? &table : NULL, &ret->delta);
	if (!err && table)
		err = load(loader, table, &ret->pages);
	unw_table_destroy(table);
	return err;
}

static void finish_one(
	struct cap_table_loader *loader, struct cap_loaded *loaded, struct pd_error *err)
{
	loader->n_open--;
	if (!err && !pd_vec_push(&loader->results, *loaded)) {
		cap_pages_deinit(&loaded->pages);
		err = &pd_enomem;
	}
	if (loader->err)
		pd_error_destroy(err);
	else
		loader->err = err;
	eventfd_write(loader->fd, 1);
	pthread_cond_broadcast(&loader->changed);
}

static uint64_t cost(const struct request *request)
{
	return request->with_table ? request->mapping.end - request->mapping.start : 0;
}

/** Take the next request: the smallest one, so that large binaries do not hold up others. */
static struct request take_request(struct cap_table_loader *loader)
{
	struct request *list = loader->requests.data;
	size_t at = loader->next, best = at;

	for (size_t i = at; i < loader->requests.n; i++) {
		if (cost(&list[i]) < cost(&list[best]))
			best = i;
	}
	struct request ret = list[best];
	list[best] = list[at];
	list[at] = ret;
	loader->next++;
	return ret;
}

static void *work(void *arg)
{
	struct cap_table_loader *loader = arg;

	cap_priority_raise();
	pthread_mutex_lock(&loader->lock);
	while (!loader->has_ended) {
		struct cap_loaded loaded;

		if (loader->next == loader->requests.n) {
			pthread_cond_wait(&loader->changed, &loader->lock);
			continue;
		}
		struct request request = take_request(loader);
		pthread_mutex_unlock(&loader->lock);
		struct pd_error *err = make(loader, &request, &loaded);
		pthread_mutex_lock(&loader->lock);
		finish_one(loader, &loaded, err);
	}
	pthread_mutex_unlock(&loader->lock);
	return NULL;
}

struct pd_error *cap_table_loader_create(
	const struct cap_table_maker *maker, struct cap_pool *pool, struct cap_table_loader **ret)
{
	struct cap_table_loader *loader = calloc(1, sizeof(*loader));
	pthread_condattr_t attr;

	if (!loader)
		return &pd_enomem;
	loader->maker = *maker;
	loader->pool = pool;
	loader->machine = cap_machine_init(NULL);
	pthread_mutex_init(&loader->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&loader->changed, &attr);
	pthread_condattr_destroy(&attr);
	loader->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct pd_error *err =
		loader->fd < 0 ? pd_error_os(NULL, "cannot create an eventfd") : NULL;
	int why = err ? 0 : pthread_create(&loader->thread, NULL, work, loader);
	loader->has_thread = !err && !why;
	if (why) {
		errno = why;
		err = pd_error_os(NULL, "cannot start a thread");
	}
	if (err) {
		cap_table_loader_destroy(loader);
		return err;
	}
	*ret = loader;
	return NULL;
}

void cap_table_loader_destroy(struct cap_table_loader *loader)
{
	if (!loader)
		return;
	pthread_mutex_lock(&loader->lock);
	loader->has_ended = true;
	pthread_cond_broadcast(&loader->changed);
	pthread_mutex_unlock(&loader->lock);
	if (loader->has_thread)
		pthread_join(loader->thread, NULL);
	for (size_t i = 0; i < loader->requests.n; i++)
		free((char *)loader->requests.data[i].mapping.name);
	for (size_t i = 0; i < loader->results.n; i++)
		cap_pages_deinit(&loader->results.data[i].pages);
	pd_vec_deinit(&loader->requests);
	pd_vec_deinit(&loader->results);
	pd_error_destroy(loader->err);
	pthread_cond_destroy(&loader->changed);
	pthread_mutex_destroy(&loader->lock);
	base_close(&loader->fd);
	free(loader);
}

struct pd_error *cap_table_loader_add(struct cap_table_loader *loader, size_t number, uint32_t pid,
	const struct cap_mapping *mapping, bool with_table)
{
	struct request request = {
		.number = number, .pid = pid, .mapping = *mapping, .with_table = with_table
	};
	char *name = strdup(mapping->name);

	if (!name)
		return &pd_enomem;
	request.mapping.name = name;
	pthread_mutex_lock(&loader->lock);
	bool is_added = pd_vec_push(&loader->requests, request);
	loader->n_open += is_added;
	pthread_cond_broadcast(&loader->changed);
	pthread_mutex_unlock(&loader->lock);
	if (is_added)
		return NULL;
	free(name);
	return &pd_enomem;
}

int cap_table_loader_fd(const struct cap_table_loader *loader)
{
	return loader->fd;
}

/** Wait until @p until, as of base_clock_now, for a result. The lock is held. */
static void wait_for_result(struct cap_table_loader *loader, double until)
{
	const struct timespec end = { .tv_sec = (time_t)until,
		.tv_nsec = (long)((until - (double)(time_t)until) * 1e9) };
	int why = 0;

	while (!why && !loader->results.n && loader->n_open && !loader->err)
		why = pthread_cond_timedwait(&loader->changed, &loader->lock, &end);
}

struct pd_error *cap_table_loader_take(
	struct cap_table_loader *loader, double until, struct cap_loaded *ret, bool *has_ret)
{
	eventfd_t ignored;

	pthread_mutex_lock(&loader->lock);
	if (until > 0)
		wait_for_result(loader, until);
	struct pd_error *err = take_ptr(loader->err);
	*has_ret = !err && loader->results.n;
	if (*has_ret)
		*ret = loader->results.data[--loader->results.n];
	else if (eventfd_read(loader->fd, &ignored) < 0)
		ignored = 0;
	pthread_mutex_unlock(&loader->lock);
	return err;
}
