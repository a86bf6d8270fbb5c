/**
 * @file A ring buffer of the kernel, and what is in it.
 *
 * perf_event_open(2), "MMAP layout".
 */
#ifndef PD_CAPTURE_RING_H
#define PD_CAPTURE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

struct cap_ring {
	/** The page of the kernel, with the data behind it. */
	void *map;
	size_t map_bytes;
	uint8_t *data;
	/** Bytes, a power of two. */
	size_t size;
};

/** What each record begins with. */
struct cap_record_header {
	uint32_t type;
	uint16_t misc;
	/** Of the record with its header, bytes. */
	uint16_t size;
};

/** The header of a whole record at the beginning of @p size bytes; false if there is none. */
bool cap_record_header_read(
	const uint8_t *bytes, size_t size, struct cap_record_header *ret) pd_must_check;

/**
 * What is in a ring: two pieces, as it may go on at the beginning. Borrowed until it is released.
 */
struct cap_ring_bytes {
	const uint8_t *first;
	size_t n_first;
	const uint8_t *second;
	size_t n_second;
};

/**
 * Map the ring of event @p fd, @p pages pages of data, a power of two. Errors: OS; more locked
 * memory than allowed is told as such.
 */
struct pd_error *cap_ring_map(int fd, size_t pages, struct cap_ring *ret) pd_must_check;
/** A zeroed one is fine. */
void cap_ring_unmap(struct cap_ring *ring);

/** What has been written and not been released yet. */
struct cap_ring_bytes cap_ring_peek(const struct cap_ring *ring);
/** Give @p n bytes of that back to the kernel. */
void cap_ring_release(struct cap_ring *ring, size_t n);

#endif
