/**
 * @file A ring buffer that the kernel writes records to.
 *
 * perf_event_open(2), "MMAP layout".
 */
#ifndef PD_CAPTURE_RING_H
#define PD_CAPTURE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

struct pd_chunk;

struct cap_ring {
	/** The metadata page (struct perf_event_mmap_page), followed by the data. */
	void *map;
	size_t map_bytes;
	uint8_t *data;
	/** Size of the data in bytes, a power of two. */
	size_t size;
};

/** Header of a record. */
struct cap_record_header {
	uint32_t type;
	uint16_t misc;
	/** Bytes of the record including this header. */
	uint16_t size;
};

/**
 * Read the header of the record at the start of @p bytes. False unless @p size bytes hold the whole
 * record.
 */
bool cap_record_header_read(
	const uint8_t *bytes, size_t size, struct cap_record_header *ret) pd_must_check;

/**
 * Contents of a ring: two pieces, as data wraps around its end. Borrowed until they are released.
 */
struct cap_ring_bytes {
	const uint8_t *first;
	size_t n_first;
	const uint8_t *second;
	size_t n_second;
};

/**
 * Map a ring of @p pages data pages, a power of two, for the event @p fd. Errors: OS, as
 * cap_mmap_error() explains.
 */
struct pd_error *cap_ring_map(int fd, size_t pages, struct cap_ring *ret) pd_must_check;
/** Unmap a ring. A zeroed one is fine. */
void cap_ring_unmap(struct cap_ring *ring);

/** Get the data that has not been released yet. */
struct cap_ring_bytes cap_ring_peek(const struct cap_ring *ring);
/** Give the first @p n bytes of that data back to the kernel. */
void cap_ring_release(struct cap_ring *ring, size_t n);
/**
 * Move that data to a new chunk, which the caller owns. *ret is NULL if there is none. Errors:
 * NOMEM; then the data stays in the ring.
 */
struct pd_error *cap_ring_take(struct cap_ring *ring, struct pd_chunk **ret) pd_must_check;

#endif
