#include "capture/bpf/table_pool.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"

enum { SLAB_BYTES = BW_SLAB_PAGES * sizeof(union bw_page) };

struct cap_pool {
	/** Map of the slabs, and the first slab in it; -1: it does not exist yet. */
	int map;
	int first_slab;
	size_t capacity;
	/** Slabs, mapped; NULL: it does not exist yet. */
	union bw_page **slabs;
	size_t max_slabs;
	/** Held while slabs are added. */
	pthread_mutex_t growing;
	/** Protects the members below. */
	pthread_mutex_t lock;
	/** Signalled when a thread that added slabs ends. */
	pthread_cond_t has_ended;
	/** Number of these threads. */
	size_t n_adding;
	size_t n_slabs;
	PD_VEC(uint32_t) free;
	PD_VEC(uint32_t) returned;
};

static size_t pages_for(uint64_t bytes)
{
	return bytes / sizeof(union bw_page);
}

size_t cap_pool_slabs(uint64_t bytes)
{
	/* One page is empty. */
	return (pages_for(bytes) + 1 + BW_SLAB_PAGES - 1) / BW_SLAB_PAGES;
}

struct pd_error *cap_pool_create(int slabs, uint64_t bytes, struct cap_pool **ret)
{
	struct cap_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return &pd_enomem;
	pool->map = slabs;
	pool->first_slab = -1;
	pool->capacity = pages_for(bytes);
	pool->max_slabs = cap_pool_slabs(bytes);
	pthread_mutex_init(&pool->growing, NULL);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->has_ended, NULL);
	pool->slabs = calloc(pool->max_slabs, sizeof(*pool->slabs));
	if (pool->slabs)
		cap_pool_reserve(pool, 1);
	if (!pool->slabs || !pool->n_slabs) {
		struct pd_error *err =
			pool->slabs ? pd_error_os(NULL, "cannot map the tables of the BPF program")
				    : &pd_enomem;
		cap_pool_destroy(pool);
		return err;
	}
	*ret = pool;
	return NULL;
}

void cap_pool_destroy(struct cap_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	while (pool->n_adding)
		pthread_cond_wait(&pool->has_ended, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	for (size_t i = 0; i < pool->n_slabs; i++)
		munmap(pool->slabs[i], SLAB_BYTES);
	free(pool->slabs);
	base_close(&pool->first_slab);
	pd_vec_deinit(&pool->free);
	pd_vec_deinit(&pool->returned);
	pthread_cond_destroy(&pool->has_ended);
	pthread_mutex_destroy(&pool->lock);
	pthread_mutex_destroy(&pool->growing);
	free(pool);
}

size_t cap_pool_capacity(const struct cap_pool *pool)
{
	return pool->capacity;
}

/** Create the slab number @p number. Returns its descriptor, or a negative number with errno. */
static int create_slab(struct cap_pool *pool, size_t number)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "pdconv_pages", sizeof(uint32_t),
		sizeof(union bw_page), BW_SLAB_PAGES, &opts);

	if (fd < 0)
		return fd;
	void *memory =
		mmap(NULL, SLAB_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (memory == MAP_FAILED) {
		base_close(&fd);
		return fd;
	}
	pool->slabs[number] = memory;
	return fd;
}

/** Slabs that a thread adds to the map. */
struct addition {
	struct cap_pool *pool;
	size_t n;
	uint32_t *keys;
	int *fds;
	/** Nothing more will be added. */
	atomic_bool has_ended;
	/** Users: the thread and who waits for the slabs. */
	atomic_int n_users;
};

static void addition_unref(struct addition *addition)
{
	if (!addition || atomic_fetch_sub(&addition->n_users, 1) > 1)
		return;
	for (size_t i = 0; addition->fds && i < addition->n; i++)
		base_close(&addition->fds[i]);
	free(addition->keys);
	free(addition->fds);
	free(addition);
}

static struct addition *addition_create(struct cap_pool *pool, size_t n)
{
	struct addition *addition = calloc(1, sizeof(*addition));

	if (!addition)
		return NULL;
	addition->pool = pool;
	addition->keys = calloc(n, sizeof(*addition->keys));
	addition->fds = calloc(n, sizeof(*addition->fds));
	atomic_init(&addition->n_users, 1);
	if (addition->keys && addition->fds)
		return addition;
	addition_unref(addition);
	return NULL;
}

/** Kernels that cannot add several at once wait after each of them. */
static void add_to_map(struct addition *addition)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	uint32_t count = (uint32_t)addition->n;
	int map = addition->pool->map;

	if (bpf_map_update_batch(map, addition->keys, addition->fds, &count, &opts) == 0)
		return;
	for (size_t i = 0; i < addition->n; i++)
		bpf_map_update_elem(map, &addition->keys[i], &addition->fds[i], BPF_ANY);
}

static void *add(void *arg)
{
	struct addition *addition = arg;
	struct cap_pool *pool = addition->pool;

	add_to_map(addition);
	atomic_store(&addition->has_ended, true);
	addition_unref(addition);
	pthread_mutex_lock(&pool->lock);
	pool->n_adding--;
	pthread_cond_broadcast(&pool->has_ended);
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/** Start the thread that adds the slabs. Returns false with errno. */
static bool start_adding(struct addition *addition)
{
	struct cap_pool *pool = addition->pool;
	pthread_t thread;

	pthread_mutex_lock(&pool->lock);
	pool->n_adding++;
	pthread_mutex_unlock(&pool->lock);
	atomic_fetch_add(&addition->n_users, 1);
	int why = pthread_create(&thread, NULL, add, addition);
	if (!why) {
		pthread_detach(thread);
		return true;
	}
	addition_unref(addition);
	pthread_mutex_lock(&pool->lock);
	pool->n_adding--;
	pthread_mutex_unlock(&pool->lock);
	errno = why;
	return false;
}

/** Wait until the program sees the last slab of the addition, which is the last one added. */
static bool wait_for_slabs(const struct addition *addition)
{
	const struct timespec pause = { .tv_nsec = 50000 };
	const uint32_t *last = &addition->keys[addition->n - 1];
	bool has_ended = false;
	uint32_t id;

	while (bpf_map_lookup_elem(addition->pool->map, last, &id) < 0) {
		if (has_ended)
			return false;
		nanosleep(&pause, NULL);
		has_ended = atomic_load(&addition->has_ended);
	}
	return true;
}

/** Note the slabs from @p first on, which the program can read now. */
static bool note_slabs(struct cap_pool *pool, size_t first, size_t n)
{
	/* Page 0 stays empty. */
	uint32_t begin = first ? (uint32_t)(first * BW_SLAB_PAGES) : BW_EMPTY_PAGE + 1;
	uint32_t end = (uint32_t)((first + n) * BW_SLAB_PAGES);

	pthread_mutex_lock(&pool->lock);
	bool done = pd_vec_reserve(&pool->free, (size_t)end) &&
		    pd_vec_reserve(&pool->returned, (size_t)end);
	/* The last one is taken first. */
	for (uint32_t number = end; done && number > begin; number--)
		pool->free.data[pool->free.n++] = number - 1;
	pool->n_slabs += done ? n : 0;
	pthread_mutex_unlock(&pool->lock);
	return done;
}

/** Add @p n slabs. */
static void grow(struct cap_pool *pool, size_t n)
{
	struct addition *addition = addition_create(pool, n);
	size_t first = pool->n_slabs;

	if (!addition)
		return;
	while (addition->n < n) {
		int fd = create_slab(pool, first + addition->n);

		if (fd < 0)
			break;
		addition->fds[addition->n] = fd;
		addition->keys[addition->n] = (uint32_t)(first + addition->n);
		addition->n++;
	}
	bool is_added = addition->n && start_adding(addition) && wait_for_slabs(addition) &&
			note_slabs(pool, first, addition->n);
	if (is_added && !first)
		pool->first_slab = fcntl(addition->fds[0], F_DUPFD_CLOEXEC, 0);
	for (size_t i = 0; !is_added && i < addition->n; i++)
		munmap(pool->slabs[first + i], SLAB_BYTES);
	addition_unref(addition);
}

/** Number of slabs to be added for @p n free pages. */
static size_t count_missing(struct cap_pool *pool, size_t n)
{
	pthread_mutex_lock(&pool->lock);
	size_t missing = n > pool->free.n ? n - pool->free.n : 0;
	size_t slabs = (missing + BW_SLAB_PAGES - 1) / BW_SLAB_PAGES;
	size_t left = pool->max_slabs - pool->n_slabs;
	pthread_mutex_unlock(&pool->lock);
	return slabs < left ? slabs : left;
}

void cap_pool_reserve(struct cap_pool *pool, size_t n)
{
	pthread_mutex_lock(&pool->growing);
	size_t missing = count_missing(pool, n);
	if (missing)
		grow(pool, missing);
	pthread_mutex_unlock(&pool->growing);
}

bool cap_pool_take(struct cap_pool *pool, size_t n, uint32_t *numbers_ret)
{
	pthread_mutex_lock(&pool->lock);
	bool has_enough = pool->free.n >= n;
	for (size_t i = 0; has_enough && i < n; i++)
		numbers_ret[i] = pool->free.data[--pool->free.n];
	pthread_mutex_unlock(&pool->lock);
	return has_enough;
}

union bw_page *cap_pool_page(const struct cap_pool *pool, uint32_t number)
{
	return &pool->slabs[number / BW_SLAB_PAGES][number % BW_SLAB_PAGES];
}

void cap_pool_return(struct cap_pool *pool, const uint32_t *numbers, size_t n)
{
	pthread_mutex_lock(&pool->lock);
	/* There is room for all pages that exist. */
	memcpy(pool->returned.data + pool->returned.n, numbers, n * sizeof(*numbers));
	pool->returned.n += n;
	pthread_mutex_unlock(&pool->lock);
}

/**
 * Wait for all programs that run: the kernel does so whenever an entry of a map of maps is written.
 * The first one is written as it is. Returns false if that failed.
 */
static bool wait_for_programs(const struct cap_pool *pool)
{
	const uint32_t key = 0;

	return bpf_map_update_elem(pool->map, &key, &pool->first_slab, BPF_ANY) == 0;
}

void cap_pool_settle(struct cap_pool *pool)
{
	if (!pool->returned.n || !wait_for_programs(pool))
		return;
	pthread_mutex_lock(&pool->lock);
	memcpy(pool->free.data + pool->free.n, pool->returned.data,
		pool->returned.n * sizeof(*pool->returned.data));
	pool->free.n += pool->returned.n;
	pool->returned.n = 0;
	pthread_mutex_unlock(&pool->lock);
}
