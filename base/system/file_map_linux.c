#include "base/system/file_map.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pdconv/file_guard.h>

/*
 * Mapping that the handler may find. Entries are reused and never freed, so the handler can follow
 * the list at any time. Members are accessed atomically, except for next_unused.
 */
struct base_file_map_entry {
	/** First byte, and the end of the last page; both 0 if the entry is not used. */
	uintptr_t start;
	uintptr_t end;
	bool has_shrunk;
	/** Never changes once the entry is in the list. */
	struct base_file_map_entry *next;
	struct base_file_map_entry *next_unused;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/** All entries. Written with the lock held. */
static struct base_file_map_entry *entries;
/** The members from here on are guarded by the lock, or constant once an entry exists. */
static struct base_file_map_entry *unused;
static uintptr_t page_size;
static bool is_installed;
static struct sigaction previous;

unsigned int base_file_maps_n_shrunk;

/* A 32-bit process has 3 GiB of addresses for everything. Tests read all files by offset. */
bool base_file_map_is_cheap(uint64_t size)
{
#ifdef PD_TEST_WINDOW
	(void)size;
	return false;
#else
	return size <= SIZE_MAX / 8;
#endif
}

static uintptr_t end_of_page(uintptr_t addr)
{
	return (addr + page_size - 1) & ~(page_size - 1);
}

/* Take a free entry, or add one to the list. Returns NULL if memory ran out. */
static struct base_file_map_entry *take_entry(void)
{
	struct base_file_map_entry *entry = unused;

	if (entry) {
		unused = entry->next_unused;
		return entry;
	}
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	if (!page_size)
		page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	entry->next = entries;
	__atomic_store_n(&entries, entry, __ATOMIC_RELEASE);
	return entry;
}

/*
 * Let the handler know the mapping of @p size bytes at @p bytes, of which the first @p in_file are
 * in a file. It is removed if memory runs out.
 */
static bool register_map(void *bytes, size_t size, size_t in_file, struct base_file_map *ret)
{
	pthread_mutex_lock(&lock);
	struct base_file_map_entry *entry = take_entry();
	pthread_mutex_unlock(&lock);
	if (!entry) {
		munmap(bytes, size);
		errno = ENOMEM;
		return false;
	}
	__atomic_store_n(&entry->has_shrunk, false, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->end, end_of_page((uintptr_t)bytes + in_file), __ATOMIC_RELAXED);
	__atomic_store_n(&entry->start, (uintptr_t)bytes, __ATOMIC_RELEASE);
	*ret = (struct base_file_map){ .bytes = bytes, .size = size, .entry = entry };
	return true;
}

size_t base_file_map_unit(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

bool base_file_map_open(int fd, uint64_t offset, uint64_t file_size, enum base_file_map_kind kind,
	struct base_file_map *ret)
{
	int prot = kind == PD_MAP_PRIVATE ? PROT_READ | PROT_WRITE : PROT_READ;
	size_t size;

	*ret = (struct base_file_map){ 0 };
	if (!base_size_in_memory(file_size, &size))
		return false;
	void *bytes = mmap(NULL, size, prot, MAP_PRIVATE, fd, (off_t)offset);
	if (bytes != MAP_FAILED && kind == PD_MAP_IN_ORDER)
		madvise(bytes, size, MADV_SEQUENTIAL);
	if (bytes == MAP_FAILED || !register_map(bytes, size, size, ret))
		return false;
	ret->is_read_only = kind != PD_MAP_PRIVATE;
	return true;
}

bool base_file_map_open_extended(int fd, uint64_t offset, uint64_t file_size, size_t extra,
	struct base_file_map *ret, size_t *extra_ret)
{
	const int prot = PROT_READ | PROT_WRITE;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size, full, all;

	*ret = (struct base_file_map){ 0 };
	if (!base_size_in_memory(file_size, &size))
		return false;
	if (__builtin_add_overflow(size, page - 1, &full) ||
		__builtin_add_overflow(full & ~(page - 1), extra, &all)) {
		errno = ENOMEM;
		return false;
	}
	full &= ~(page - 1);
	void *bytes = mmap(NULL, all, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bytes == MAP_FAILED)
		return false;
	if (mmap(bytes, size, prot, MAP_PRIVATE | MAP_FIXED, fd, (off_t)offset) == MAP_FAILED) {
		munmap(bytes, all);
		return false;
	}
	*extra_ret = full;
	return register_map(bytes, all, size, ret);
}

void base_file_map_drop(const struct base_file_map *map, size_t from, size_t to)
{
	from = (from + page_size - 1) & ~(page_size - 1);
	to = (to < map->size ? to : map->size) & ~(page_size - 1);
	/* If it fails, the pages stay. */
	if (map->is_read_only && from < to)
		madvise((char *)map->bytes + from, to - from, MADV_DONTNEED);
}

void base_file_map_close(struct base_file_map *map)
{
	if (!map->bytes)
		return;
	/* The addresses may belong to another mapping as soon as they are unmapped. */
	__atomic_store_n(&map->entry->start, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&map->entry->end, 0, __ATOMIC_RELEASE);
	munmap(map->bytes, map->size);
	if (base_file_map_has_shrunk(map))
		__atomic_fetch_sub(&base_file_maps_n_shrunk, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&lock);
	map->entry->next_unused = unused;
	unused = map->entry;
	pthread_mutex_unlock(&lock);
	*map = (struct base_file_map){ 0 };
}

bool base_file_map_has_shrunk(const struct base_file_map *map)
{
	return map->entry && __atomic_load_n(&map->entry->has_shrunk, __ATOMIC_RELAXED);
}

struct pd_error *base_file_map_check(const struct base_file_map *map, const char *path)
{
	if (!base_file_maps_have_shrunk() || !base_file_map_has_shrunk(map))
		return NULL;
	return pd_error_create(PD_ERROR_OS, path, "was truncated while it was read");
}

/*
 * Put zeros in the place of the page at @p addr and all pages of the mapping after it, which are
 * beyond the end of the file as well. mmap() is a system call without a lock in the C library, so a
 * handler may call it.
 */
static bool replace(struct base_file_map_entry *entry, uintptr_t addr, uintptr_t end)
{
	uintptr_t page = addr & ~(page_size - 1);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the list holds numbers. */
	void *at = (void *)page;
	void *zeros = mmap(at, end - page, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (zeros == MAP_FAILED)
		return false;
	if (!__atomic_exchange_n(&entry->has_shrunk, true, __ATOMIC_RELAXED))
		__atomic_fetch_add(&base_file_maps_n_shrunk, 1, __ATOMIC_RELAXED);
	return true;
}

bool pd_file_guard_handle(const void *address)
{
	uintptr_t addr = (uintptr_t)address;
	struct base_file_map_entry *entry = __atomic_load_n(&entries, __ATOMIC_ACQUIRE);
	int saved = errno;

	for (; entry; entry = entry->next) {
		uintptr_t start = __atomic_load_n(&entry->start, __ATOMIC_ACQUIRE);
		uintptr_t end = __atomic_load_n(&entry->end, __ATOMIC_RELAXED);

		if (!start || addr < start || addr >= end)
			continue;
		bool is_replaced = replace(entry, addr, end);
		errno = saved;
		return is_replaced;
	}
	return false;
}

/* Do what would have been done without the guard. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	if (previous.sa_flags & SA_SIGINFO) {
		previous.sa_sigaction(number, info, context);
		return;
	}
	bool is_ignored = previous.sa_handler == SIG_IGN;
	if (previous.sa_handler != SIG_DFL && !is_ignored) {
		previous.sa_handler(number);
		return;
	}
	/* The kernel never ignores a fault. A signal that was sent can be ignored. */
	bool is_fault = info->si_code > 0;
	if (is_ignored && !is_fault)
		return;
	signal(number, SIG_DFL);
	/* A fault occurs again as soon as the handler returns. */
	if (!is_fault)
		raise(number);
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	if (info->si_code != BUS_ADRERR || !pd_file_guard_handle(info->si_addr))
		pass_on(number, info, context);
}

struct pd_error *pd_file_guard_install(void)
{
	struct sigaction action = {
		.sa_sigaction = on_bus_error,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART,
	};
	struct pd_error *err = NULL;

	sigemptyset(&action.sa_mask);
	pthread_mutex_lock(&lock);
	/* The handler needs what was set before as soon as it is called. */
	if (!is_installed &&
		(sigaction(SIGBUS, NULL, &previous) || sigaction(SIGBUS, &action, NULL)))
		err = pd_error_os(NULL, "cannot handle SIGBUS");
	is_installed = !err;
	pthread_mutex_unlock(&lock);
	return err;
}
