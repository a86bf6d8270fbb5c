#include "capture/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/chunk.h"
#include "capture/refusal.h"

bool cap_record_read(const uint8_t *bytes, size_t size, struct pd_record *ret)
{
	struct perf_event_header header;

	if (size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	*ret = (struct pd_record){
		.type = header.type,
		.misc = header.misc,
		.size = header.size,
		.bytes = bytes,
	};
	return header.size >= sizeof(header) && header.size <= size;
}

struct pd_error *cap_not_records(void)
{
	return pd_error_create(PD_ERROR_FORMAT, "ring buffer", "invalid record size");
}

struct pd_error *cap_ring_map(int fd, size_t pages, struct cap_ring *ret)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (pages + 1) * page;
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED) {
		int errnum = errno;
		const struct cap_limits limits = cap_limits_read();

		return cap_mmap_error(bytes, errnum, &limits);
	}
	*ret = (struct cap_ring){
		.map = map,
		.map_bytes = bytes,
		.data = (uint8_t *)map + page,
		.size = pages * page,
	};
	return NULL;
}

void cap_ring_unmap(struct cap_ring *ring)
{
	if (ring->map)
		munmap(ring->map, ring->map_bytes);
	*ring = (struct cap_ring){ 0 };
}

struct cap_ring_bytes cap_ring_peek(const struct cap_ring *ring)
{
	const struct perf_event_mmap_page *page = ring->map;
	/* Pairs with the barrier in the kernel between writing data and moving the head. */
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	size_t n = (size_t)(head - page->data_tail);
	size_t at = (size_t)(page->data_tail & (ring->size - 1));
	size_t n_first = n < ring->size - at ? n : ring->size - at;

	return (struct cap_ring_bytes){
		.first = ring->data + at,
		.n_first = n_first,
		.second = ring->data,
		.n_second = n - n_first,
	};
}

const uint8_t *cap_ring_join(
	const struct cap_ring_bytes *bytes, size_t n, struct cap_joined *joined)
{
	if (n <= bytes->n_first)
		return bytes->first;
	if (!pd_vec_reserve(&joined->bytes, n))
		return NULL;
	memcpy(joined->bytes.data, bytes->first, bytes->n_first);
	memcpy(joined->bytes.data + bytes->n_first, bytes->second, n - bytes->n_first);
	return joined->bytes.data;
}

void cap_ring_release(struct cap_ring *ring, size_t n)
{
	struct perf_event_mmap_page *page = ring->map;

	/* All reads of the data must be done before the kernel may overwrite it. */
	__atomic_store_n(&page->data_tail, page->data_tail + n, __ATOMIC_RELEASE);
}

struct pd_error *cap_ring_take(struct cap_ring *ring, struct pd_chunk **ret)
{
	struct cap_ring_bytes bytes = cap_ring_peek(ring);
	size_t n = bytes.n_first + bytes.n_second;
	struct pd_chunk *chunk = n ? base_chunk_create(n) : NULL;

	if (n && !chunk)
		return &pd_enomem;
	*ret = chunk;
	if (!n)
		return NULL;
	memcpy(chunk->bytes, bytes.first, bytes.n_first);
	memcpy(chunk->bytes + bytes.n_first, bytes.second, bytes.n_second);
	cap_ring_release(ring, n);
	return NULL;
}
