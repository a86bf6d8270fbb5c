#include "capture/sink.h"

#include <string.h>
#include <sys/mman.h>

#include <pdconv/events.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "capture/stack_level.h"

struct pd_error *cap_sink_init(struct cap_sink *sink, struct pd_writer *writer, int level)
{
	*sink = (struct cap_sink){ .writer = writer };
	return level ? pd_pack_create(writer, level, &sink->pack) : NULL;
}

void cap_sink_deinit(struct cap_sink *sink)
{
	pd_pack_destroy(sink->pack);
	pd_vec_deinit(&sink->joined);
	cap_overlap_deinit(&sink->overlap);
}

static uint64_t load_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static struct pd_record record_of(const uint8_t *bytes, const struct cap_record_header *header)
{
	return (struct pd_record){
		.type = header->type,
		.misc = header->misc,
		.size = header->size,
		.bytes = bytes,
	};
}

static void note_time(
	struct cap_sink *sink, const uint8_t *record, const struct cap_record_header *header)
{
	struct cap_counts *counts = &sink->counts;

	if (!sink->time_at || sink->time_at + 8 > header->size)
		return;
	uint64_t time = load_u64(record + sink->time_at);
	if (!counts->first_ns || time < counts->first_ns)
		counts->first_ns = time;
	if (time > counts->last_ns)
		counts->last_ns = time;
}

static uint32_t load_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Samples have their process and thread right before the time. */
static void note_process(
	struct cap_sink *sink, const uint8_t *record, const struct cap_record_header *header)
{
	enum { PARENT_AT = PD_RECORD_HEADER_BYTES + 4 };

	if (!sink->postponed)
		return;
	if (header->type == PD_RECORD_SAMPLE && sink->time_at && sink->time_at <= header->size)
		cap_postponed_note(sink->postponed, load_u32(record + sink->time_at - 8));
	else if (header->type == PD_RECORD_FORK && header->size >= PARENT_AT + 4)
		cap_postponed_note(sink->postponed, load_u32(record + PARENT_AT));
}

/* Whether the sample has the stack of a further level. */
static bool is_shortened(
	const struct cap_sink *sink, const uint8_t *record, const struct cap_record_header *header)
{
	const struct pd_record rec = record_of(record, header);
	struct pd_sample sample;
	const char *field;

	if (header->size < sink->shortened_from || header->size >= sink->shortened_to)
		return false;
	const struct pd_event *event = pd_events_find(sink->events, &rec);
	if (!event || pd_sample_decode(&event->plan, &rec, &sample, &field) != PD_SAMPLE_OK)
		return false;
	return cap_stack_level_of(event->attr.sample_stack_user, sample.stack_user.reserved) > 0;
}

bool cap_sink_note_thread(struct cap_sink *sink, uint32_t tid, bool exists)
{
	uint64_t *state =
		exists ? pd_map_add(sink->threads, tid, NULL) : pd_map_find(sink->threads, tid);

	if (state)
		*state = exists;
	return state || !exists;
}

/* Follow threads that recorded ones create, which are recorded as well (attr.inherit). */
static bool note_thread(
	struct cap_sink *sink, const uint8_t *record, const struct cap_record_header *header)
{
	enum { TID_AT = PD_RECORD_HEADER_BYTES + 8 };
	bool is_fork = header->type == PD_RECORD_FORK;

	if (!sink->threads || (!is_fork && header->type != PD_RECORD_EXIT) ||
		header->size < TID_AT + 4)
		return true;
	return cap_sink_note_thread(sink, load_u32(record + TID_AT), is_fork);
}

static void count(
	struct cap_sink *sink, const uint8_t *record, const struct cap_record_header *header)
{
	enum { LOST_AT = PD_RECORD_HEADER_BYTES + 8 };
	struct cap_counts *counts = &sink->counts;

	counts->n_records++;
	switch (header->type) {
	case PD_RECORD_SAMPLE:
		counts->n_samples++;
		counts->n_shortened += is_shortened(sink, record, header);
		note_time(sink, record, header);
		break;
	case PD_RECORD_LOST:
		/* The count follows an event id, which LOST_SAMPLES does not have. */
		if (header->size >= LOST_AT + 8)
			counts->n_lost += load_u64(record + LOST_AT);
		break;
	case PD_RECORD_LOST_SAMPLES:
		if (header->size >= PD_RECORD_HEADER_BYTES + 8)
			counts->n_lost += load_u64(record + PD_RECORD_HEADER_BYTES);
		break;
	case PD_RECORD_THROTTLE:
		counts->n_throttled++;
		break;
	}
}

static struct pd_error *not_records(void)
{
	return pd_error_create(PD_ERROR_FORMAT, "ring buffer", "invalid record size");
}

/* Write whole records. Uncompressed ones go to the writer in one piece. */
static struct pd_error *put(struct cap_sink *sink, const uint8_t *records, size_t size)
{
	struct cap_record_header header;

	for (size_t at = 0; at < size; at += header.size) {
		if (!cap_record_header_read(records + at, size - at, &header))
			return not_records();
		note_process(sink, records + at, &header);
		count(sink, records + at, &header);
		if (!note_thread(sink, records + at, &header))
			return &pd_enomem;
		if (!sink->pack)
			continue;
		struct pd_error *err = pd_pack_add(sink->pack, records + at, header.size);
		if (err)
			return err;
	}
	sink->counts.bytes += size;
	sink->has_news |= size > 0;
	return sink->pack || !size ? NULL : pd_writer_add_records(sink->writer, records, size);
}

/* Write records except for those that are held for off-CPU time, in runs as long as possible. */
static struct pd_error *put_unheld(struct cap_sink *sink, const uint8_t *records, size_t size)
{
	struct cap_record_header header;
	size_t done = 0;

	for (size_t at = 0; at < size; at += header.size) {
		bool is_held;

		if (!cap_record_header_read(records + at, size - at, &header))
			return not_records();
		struct pd_error *err =
			cap_offcpu_take(sink->offcpu, records + at, header.size, &is_held);
		if (err)
			return err;
		if (!is_held)
			continue;
		/*
		 * Note the process now: cap_sink_round() writes the sample, but the postponed
		 * mappings of the round are written before that.
		 */
		note_process(sink, records + at, &header);
		err = put(sink, records + done, at - done);
		if (err)
			return err;
		done = at + header.size;
	}
	return put(sink, records + done, size - done);
}

static struct pd_error *put_any(void *ctx, const uint8_t *records, size_t size)
{
	struct cap_sink *sink = ctx;

	return sink->offcpu ? put_unheld(sink, records, size) : put(sink, records, size);
}

/* Hold records until they are unwound. Mappings of their processes are read in this round. */
static struct pd_error *hold(struct cap_sink *sink, const uint8_t *records, size_t size)
{
	struct cap_record_header header;

	for (size_t at = 0; at < size; at += header.size) {
		if (!cap_record_header_read(records + at, size - at, &header))
			return not_records();
		note_process(sink, records + at, &header);
	}
	return cap_unwound_add(sink->unwound, records, size);
}

struct pd_error *cap_sink_add(struct cap_sink *sink, const void *records, size_t size)
{
	if (!size)
		return NULL;
	return sink->unwound ? hold(sink, records, size) : put_any(sink, records, size);
}

/* Add what is in a ring except for samples that are there twice, in runs as long as possible. */
static struct pd_error *add_once(struct cap_sink *sink, const uint8_t *records, size_t size)
{
	struct cap_record_header header;
	size_t done = 0;

	for (size_t at = 0; cap_overlap_is_on(&sink->overlap) && at < size; at += header.size) {
		if (!cap_record_header_read(records + at, size - at, &header))
			return not_records();
		const struct pd_record rec = record_of(records + at, &header);
		if (!cap_overlap_has_other(&sink->overlap, sink->events, &rec))
			continue;
		struct pd_error *err = cap_sink_add(sink, records + done, at - done);
		if (err)
			return err;
		done = at + header.size;
	}
	return cap_sink_add(sink, records + done, size - done);
}

static struct pd_error *emit(void *ctx, const uint8_t *sample, size_t size)
{
	return put(ctx, sample, size);
}

struct pd_error *cap_sink_end(struct cap_sink *sink)
{
	struct pd_error *err =
		sink->unwound ? cap_unwound_round(sink->unwound, true, put_any, sink) : NULL;

	/* Later records are about the whole recording. */
	sink->unwound = NULL;
	if (err || !sink->offcpu)
		return err;
	return cap_offcpu_round(sink->offcpu, true, emit, sink);
}

/* Add what is in a ring. @p used_ret: the part of it that was used, in bytes. */
static struct pd_error *add_ring(
	struct cap_sink *sink, const uint8_t *records, size_t size, size_t *used_ret)
{
	struct cap_record_header header;
	struct cap_merged merged;

	*used_ret = size;
	if (!sink->chains)
		return add_once(sink, records, size);
	struct pd_error *err = cap_chains_merge(sink->chains, records, size, &merged);
	if (err)
		return err;
	for (size_t at = 0; at < merged.size; at += header.size) {
		if (!cap_record_header_read(merged.bytes + at, merged.size - at, &header))
			return not_records();
		err = cap_bpf_note(sink->bpf, merged.bytes + at, header.size);
		if (err)
			return err;
	}
	*used_ret = merged.used;
	return cap_sink_add(sink, merged.bytes, merged.size);
}

/* Note the file of code that a record says was mapped. */
static void note_code(
	struct cap_sink *sink, const uint8_t *record, const struct cap_record_header *header)
{
	const struct pd_record rec = record_of(record, header);
	union pd_body body;
	const char *wrong;

	if (header->type != PD_RECORD_MMAP2 ||
		!pd_record_decode(&rec, cap_chains_plan(sink->chains)->sid_bytes, &body, &wrong))
		return;
	const struct pd_mmap2 *inode = &body.mmap2;
	const struct pd_mmap2_build_id *id = &body.mmap2_build_id;
	bool has_id = header->misc & PD_MISC_MMAP_BUILD_ID;
	uint64_t start = has_id ? id->addr : inode->addr;
	struct pd_str name = has_id ? id->filename : inode->filename;
	const struct cap_replaced_code code = {
		.pid = has_id ? id->pid : inode->pid,
		.time = pd_sid_decode(cap_chains_plan(sink->chains), &rec).time,
		.code = { start, start + (has_id ? id->len : inode->len),
			cap_code_file(name.s, name.len) },
	};

	if ((has_id ? id->prot : inode->prot) & PROT_EXEC && (has_id || inode->ino))
		cap_bpf_note_code(sink->bpf, &code);
}

static struct pd_error *scan(struct cap_sink *sink, const uint8_t *records, size_t size)
{
	struct cap_record_header header;

	for (size_t at = 0; at < size; at += header.size) {
		if (!cap_record_header_read(records + at, size - at, &header))
			return not_records();
		note_code(sink, records + at, &header);
	}
	return NULL;
}

static struct pd_error *note_overlap(struct cap_sink *sink, const uint8_t *records, size_t size)
{
	struct cap_record_header header;

	for (size_t at = 0; at < size; at += header.size) {
		if (!cap_record_header_read(records + at, size - at, &header))
			return not_records();
		const struct pd_record rec = record_of(records + at, &header);
		if (!cap_overlap_note(&sink->overlap, sink->events, &rec))
			return &pd_enomem;
	}
	return NULL;
}

/* The contents of a ring in one piece, which is a copy if they wrap around. NULL: no memory. */
static const uint8_t *join(struct cap_sink *sink, const struct cap_ring_bytes *bytes)
{
	if (!bytes->n_second)
		return bytes->first;
	if (!pd_vec_reserve(&sink->joined, bytes->n_first + bytes->n_second))
		return NULL;
	memcpy(sink->joined.data, bytes->first, bytes->n_first);
	memcpy(sink->joined.data + bytes->n_first, bytes->second, bytes->n_second);
	return sink->joined.data;
}

struct pd_error *cap_sink_look_ahead(struct cap_sink *sink, const struct cap_ring *ring)
{
	if (!sink->chains && !cap_overlap_is_on(&sink->overlap))
		return NULL;
	struct cap_ring_bytes bytes = cap_ring_peek(ring);
	size_t n = bytes.n_first + bytes.n_second;
	const uint8_t *records = join(sink, &bytes);
	struct pd_error *err = records ? NULL : &pd_enomem;

	if (!err && sink->chains)
		err = scan(sink, records, n);
	return err || !cap_overlap_is_on(&sink->overlap) ? err : note_overlap(sink, records, n);
}

struct pd_error *cap_sink_drain(struct cap_sink *sink, struct cap_ring *ring, double *fill_ret)
{
	struct cap_ring_bytes bytes = cap_ring_peek(ring);
	size_t n = bytes.n_first + bytes.n_second, used = n;
	const uint8_t *records = join(sink, &bytes);
	struct pd_error *err = records ? add_ring(sink, records, n, &used) : &pd_enomem;

	cap_ring_release(ring, used);
	*fill_ret = (double)n / (double)ring->size;
	return err;
}

struct pd_error *cap_sink_round(struct cap_sink *sink)
{
	const struct cap_record_header round = { .type = PD_RECORD_FINISHED_ROUND,
		.size = sizeof(round) };
	struct pd_error *err =
		sink->unwound ? cap_unwound_round(sink->unwound, false, put_any, sink) : NULL;

	if (err)
		return err;
	if (sink->offcpu) {
		err = cap_offcpu_round(sink->offcpu, false, emit, sink);
		if (err)
			return err;
	}
	if (!sink->has_news)
		return NULL;
	sink->has_news = false;
	/*
	 * FINISHED_ROUND is never compressed: records before it must be out of the compressor
	 * first.
	 */
	if (sink->pack) {
		err = pd_pack_flush(sink->pack);
		if (err)
			return err;
	}
	err = pd_writer_add_records(sink->writer, &round, sizeof(round));
	return err ? err : pd_writer_sync(sink->writer);
}
