#include "capture/table_pool.h"

#include <bpf/bpf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"

enum { SLAB_BYTES = BW_SLAB_PAGES * sizeof(union bw_page) };

struct cap_pool {
	/** Map of the slabs. */
	int map;
	size_t capacity;
	/** Slabs, mapped; NULL: it does not exist yet. */
	union bw_page **slabs;
	size_t max_slabs;
	/** Held while slabs are added. */
	pthread_mutex_t growing;
	/** Protects the members below. */
	pthread_mutex_t lock;
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
	pool->capacity = pages_for(bytes);
	pool->max_slabs = cap_pool_slabs(bytes);
	pthread_mutex_init(&pool->growing, NULL);
	pthread_mutex_init(&pool->lock, NULL);
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
	for (size_t i = 0; i < pool->n_slabs; i++)
		munmap(pool->slabs[i], SLAB_BYTES);
	free(pool->slabs);
	pd_vec_deinit(&pool->free);
	pd_vec_deinit(&pool->returned);
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
	void *memory = mmap(
		NULL, SLAB_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (memory == MAP_FAILED) {
		pd_close(&fd);
		return fd;
	}
	pool->slabs[number] = memory;
	return fd;
}

/** Add the slabs to the map. Kernels that cannot add several at once wait for each of them. */
static bool add_to_map(const struct cap_pool *pool, const uint32_t *keys, const int *fds, size_t n)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	uint32_t count = (uint32_t)n;

	if (bpf_map_update_batch(pool->map, keys, fds, &count, &opts) == 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (bpf_map_update_elem(pool->map, &keys[i], &fds[i], BPF_ANY) < 0)
			return false;
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
	_cleanup_free_ uint32_t *keys = calloc(n, sizeof(*keys));
	_cleanup_free_ int *fds = calloc(n, sizeof(*fds));
	size_t first = pool->n_slabs, done = 0;

	while (keys && fds && done < n && (fds[done] = create_slab(pool, first + done)) >= 0) {
		keys[done] = (uint32_t)(first + done);
		done++;
	}
	bool is_added = done && add_to_map(pool, keys, fds, done) && note_slabs(pool, first, done);
	for (size_t i = 0; i < done; i++) {
		pd_close(&fds[i]);
		if (!is_added)
			munmap(pool->slabs[first + i], SLAB_BYTES);
	}
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
 * The entry is written as it is. Returns false if that failed.
 */
static bool wait_for_programs(struct cap_pool *pool)
{
	const uint32_t key = 0;
	uint32_t id;

	if (bpf_map_lookup_elem(pool->map, &key, &id) < 0)
		return false;
	int fd = bpf_map_get_fd_by_id(id);
	bool done = fd >= 0 && bpf_map_update_elem(pool->map, &key, &fd, BPF_ANY) == 0;
	pd_close(&fd);
	return done;
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
