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
#include <pdconv/record.h>
#include <pdconv/vec.h>

struct pd_chunk;

struct cap_ring {
	/** The metadata page (struct perf_event_mmap_page), followed by the data. */
	void *map;
	size_t map_bytes;
	uint8_t *data;
	/** Size of the data in bytes, a power of two. */
	size_t size;
};

/**
 * Read the record at the start of @p bytes, without its time. False unless @p size bytes hold it as
 * a whole.
 */
bool cap_record_read(const uint8_t *bytes, size_t size, struct pd_record *ret) pd_must_check;

/** Create the error of bytes that are not records. */
struct pd_error *cap_not_records(void) pd_must_check;

/**
 * Contents of a ring: two pieces, as data wraps around its end. Borrowed until they are released.
 */
struct cap_ring_bytes {
	const uint8_t *first;
	size_t n_first;
	const uint8_t *second;
	size_t n_second;
};

/** Buffer for data that wraps around the end of a ring. */
struct cap_joined {
	PD_VEC(uint8_t) bytes;
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
/**
 * Return the first @p n bytes of @p bytes in one piece: a copy in @p joined if they wrap around.
 * NULL: no memory.
 */
const uint8_t *cap_ring_join(
	const struct cap_ring_bytes *bytes, size_t n, struct cap_joined *joined) pd_must_check;
/** Give the first @p n bytes of that data back to the kernel. */
void cap_ring_release(struct cap_ring *ring, size_t n);
/**
 * Move that data to a new chunk, which the caller owns. *ret is NULL if there is none. Errors:
 * NOMEM; then the data stays in the ring.
 */
struct pd_error *cap_ring_take(struct cap_ring *ring, struct pd_chunk **ret) pd_must_check;

#endif
