/**
 * @file Damage in the rings of this process, which the kernel never makes.
 */
#ifndef PD_TESTS_UNIT_CAPTURE_DAMAGED_RING_H
#define PD_TESTS_UNIT_CAPTURE_DAMAGED_RING_H

#include "tests/unit/test.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include <pdconv/record.h>

enum damage {
	/** The call chain of the first sample seems longer than its record. */
	DAMAGE_CHAIN,
	/** The first sample has an invalid size. */
	DAMAGE_SIZE,
};

static bool damage_first_sample(struct perf_event_mmap_page *page, enum damage damage)
{
	/* After the header: IDENTIFIER, IP, TID, TIME and CPU. The period is fixed. */
	enum { LENGTH_AT = 8 + 5 * 8 };
	uint8_t *data = (uint8_t *)page + page->data_offset;
	uint64_t at = page->data_tail;
	struct perf_event_header header;

	for (; at < page->data_head; at += header.size) {
		memcpy(&header, data + at % page->data_size, sizeof(header));
		if (header.type == PD_RECORD_SAMPLE) {
			if (damage == DAMAGE_CHAIN)
				memset(data + (at + LENGTH_AT) % page->data_size, 0x7f, 8);
			else
				data[(at + 6) % page->data_size] = 3;
			return true;
		}
	}
	return false;
}

/*
 * Replace the rings by copies, because the kernel permits writing to the first page of a ring only.
 */
static bool damage_a_ring(enum damage damage)
{
	FILE *in = fopen("/proc/self/maps", "r");
	unsigned long begin_at, end_at;
	char line[512];
	bool is_done = false;

	assert_non_null(in);
	while (!is_done && fgets(line, sizeof(line), in)) {
		if (!strstr(line, "[perf_event]") ||
			sscanf(line, "%lx-%lx", &begin_at, &end_at) != 2)
			continue;
		void *copy = malloc(end_at - begin_at);
		assert_non_null(copy);
		memcpy(copy, (void *)begin_at, end_at - begin_at);
		void *map = mmap((void *)begin_at, end_at - begin_at, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		assert_true(map == (void *)begin_at);
		memcpy(map, copy, end_at - begin_at);
		free(copy);
		is_done = damage_first_sample(map, damage);
	}
	fclose(in);
	return is_done;
}

#endif
