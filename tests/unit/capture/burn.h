/**
 * @file Helpers of tests that record this process: work that has samples, and open descriptors.
 */
#ifndef PD_TESTS_UNIT_CAPTURE_BURN_H
#define PD_TESTS_UNIT_CAPTURE_BURN_H

#include "tests/unit/test.h"

#include <dirent.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/** Result of computations, so that they are not optimized away. */
static volatile unsigned long sunk;

/** Compute for @p seconds of CPU time. */
static __attribute__((noinline, unused)) void burn(double seconds)
{
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end) {
		for (int i = 0; i < 100000; i++)
			sunk += (unsigned long)i;
	}
}

/** Cause @p n page faults at least. */
static inline void touch_pages(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *map =
		mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(map != MAP_FAILED);
	assert_int_equal(madvise(map, n * page, MADV_NOHUGEPAGE), 0);
	for (size_t i = 0; i < n; i++)
		map[i * page] = 1;
	munmap(map, n * page);
}

static inline size_t n_open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

#endif
