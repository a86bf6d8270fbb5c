#include "parse/frame.h"

#include <pdconv/cursor.h>

/*
 * The kernel (perf_event_mmap_output(), 5.12 to 6.18 at least) fills one MMAP2 record for all
 * recordings. If one of them asks for build ids, it leaves the mark in the records of those after
 * it, which have device and inode instead.
 */
void parse_frame_check_build_id(struct pd_record *rec)
{
	enum { OFFSET = 32, HEAD = 4, MOST = 20 };
	struct pd_cursor c = pd_record_body(rec);
	const uint8_t *bytes = pd_cursor_bytes(&c, OFFSET + HEAD + MOST);

	if (!bytes)
		return;
	/* A build id has its size in the first byte, three zeros, and zeros after it. */
	const uint8_t *id = bytes + OFFSET;
	bool is_wrong = id[0] > MOST || id[1] || id[2] || id[3];
	for (size_t i = HEAD + id[0]; i < HEAD + MOST; i++)
		is_wrong |= id[i];
	if (is_wrong)
		rec->misc &= (uint16_t)~PD_MISC_MMAP_BUILD_ID;
}

uint64_t parse_frame_outside_bytes(const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec);

	if (rec->type == PD_RECORD_AUXTRACE)
		return pd_cursor_u64(&c);
	uint32_t size = pd_cursor_u32(&c);
	return parse_simpleperf_has_inner_tracing_data(rec->size, size) ? 0 : size;
}
