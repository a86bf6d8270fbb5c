#include "parse/resync.h"

#include <string.h>

#include <pdconv/cursor.h>

#include "base/array.h"
#include "base/limit.h"
#include "parse/event_index.h"
#include "parse/frame.h"
#include "parse/open_file.h"
#include "parse/simpleperf.h"

enum {
	/** Valid records in a row that show that a chain is one of records. */
	MIN_VALID = 3,
	/** Headers that are examined after an implausible header. */
	MAX_CONTINUED = 32,
	/** Types up to here may be given to records of later kernels and perf tools. */
	MAX_FUTURE_TYPE = 255,
	/** Size of the largest record of the kernel and of perf. */
	MAX_RECORD_BYTES = UINT16_MAX,
	/**
	 * A search may check a record for each 4 bytes, in addition to FREE_WORK. A record counts
	 * more often if it is long, because its strings have to be read.
	 */
	BYTES_OF_WORK = 4,
	FREE_WORK = PD_LIMIT_SEARCHED_RECORDS,
	STRING_BYTES_OF_WORK = 256,
};

/** Largest plausible difference of times on both sides of the damage: a week, in ns. */
static const uint64_t max_distance = 7 * 24 * 3600 * UINT64_C(1000000000);

#define KERNEL_BIT(name, type, misc, member, fields, has_sid) | UINT64_C(1) << (type)
#define TOOL_BIT(name, type, misc, member, fields, has_sid) | UINT64_C(1) << ((type)-64)
const uint64_t parse_resync_known_types[2] = {
	0 PD_KERNEL_RECORDS(KERNEL_BIT),
	0 PD_TOOL_RECORDS(TOOL_BIT),
};
#undef KERNEL_BIT
#undef TOOL_BIT

static bool is_of_simpleperf(uint32_t type)
{
	return type >= PD_SIMPLEPERF_FIRST_RECORD &&
	       type <= PD_SIMPLEPERF_FIRST_RECORD + MAX_FUTURE_TYPE;
}

static bool is_marker(uint32_t type)
{
	return type == PD_RECORD_FINISHED_ROUND || type == PD_RECORD_FINISHED_INIT;
}

bool parse_resync_is_plausible_tool(const struct pd_file *file, struct parse_frame_header header)
{
	if (is_marker(header.type))
		return header.size == PD_RECORD_HEADER_BYTES;
	if (header.size < PD_RECORD_HEADER_BYTES)
		return false;
	return parse_resync_is_known_type(header.type) ||
	       (file->is_simpleperf && is_of_simpleperf(header.type));
}

bool parse_resync_is_plausible_record(const struct pd_file *file, const struct pd_record *rec)
{
	const struct parse_frame_header header = { rec->type, rec->size, rec->misc };

	return parse_resync_is_plausible(file, header);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Whether @p time is possible near the damage. */
static bool is_near(const struct parse_resync *resync, uint64_t time)
{
	if (!resync->near[0] || time >= PD_FIRST_FAKE_TIME)
		return true;
	return distance(time, resync->near[0]) <= max_distance ||
	       (resync->near[1] && distance(time, resync->near[1]) <= max_distance);
}

/* Whether the id of rec is one of the recording. Records of perf, except for samples, have id 0. */
static bool has_known_id(const struct pd_file *file, const struct pd_record *rec)
{
	const struct pd_plan *plan = pd_events_plan(&file->events, rec);
	bool is_sample = rec->type == PD_RECORD_SAMPLE;
	uint64_t at;

	if (!plan || !parse_events_n_ids(&file->events))
		return true;
	if (is_sample) {
		at = plan->sample_id_at;
		if (at == PD_PLAN_ABSENT)
			return true;
	} else {
		if (plan->sid_id_from_end == PD_PLAN_ABSENT)
			return true;
		if (rec->size < (uint32_t)PD_RECORD_HEADER_BYTES + plan->sid_bytes)
			return false;
		at = rec->size - plan->sid_id_from_end;
	}
	if (at + 8 > rec->size)
		return false;
	uint64_t id = pd_load_u64(rec->bytes + at, rec->swap);
	return (!id && !is_sample) || pd_events_by_id(&file->events, id);
}

static bool is_valid_sample(const struct pd_file *file, const struct pd_record *rec)
{
	const struct pd_event *event = pd_events_find(&file->events, rec);
	struct pd_sample sample;
	const char *field;

	return event && rec->misc & PD_MISC_CPUMODE_MASK &&
	       pd_sample_decode(&event->plan, rec, &sample, &field) == PD_SAMPLE_OK;
}

/* Records of the kernel are padded to 8 bytes; those of tools may be padded to 64. */
static bool is_valid_body(const struct pd_file *file, const struct pd_record *rec)
{
	enum { KERNEL_PADDING = 8, TOOL_PADDING = 64 };
	const struct pd_layout *layout = pd_layout_find(rec->type, rec->misc);
	const struct pd_plan *plan = pd_events_plan(&file->events, rec);
	size_t fixed = PD_RECORD_HEADER_BYTES + (plan ? plan->sid_bytes : 0);
	struct pd_layout_env env = { 0 };
	struct pd_layout_fault fault;
	union pd_body body;

	if (!layout || rec->size < fixed)
		return false;
	struct pd_cursor c =
		pd_cursor_init(rec->bytes + PD_RECORD_HEADER_BYTES, rec->size - fixed, rec->swap);
	if (!pd_layout_decode(layout, &c, &env, &body, &fault))
		return false;
	return pd_cursor_left(&c) <
	       (rec->type < PD_RECORD_FIRST_TOOL ? KERNEL_PADDING : TOOL_PADDING);
}

bool parse_resync_is_valid(const struct parse_resync *resync, const struct pd_record *rec)
{
	const struct pd_file *file = resync->file;

	if (!parse_resync_is_plausible_record(file, rec))
		return false;
	if (rec->type < PD_RECORD_FIRST_TOOL &&
		(!has_known_id(file, rec) || !is_near(resync, pd_events_time(&file->events, rec))))
		return false;
	return rec->type == PD_RECORD_SAMPLE ? is_valid_sample(file, rec)
					     : is_valid_body(file, rec);
}

/* Records of later kernels and tools have types that are not known yet, but not any. */
static bool may_be_record(const struct pd_file *file, const struct pd_record *rec)
{
	if (rec->type > MAX_FUTURE_TYPE && !is_of_simpleperf(rec->type))
		return false;
	return parse_resync_is_known_type(rec->type)
		       ? parse_resync_is_plausible_record(file, rec) || file->is_simpleperf
		       : rec->type && rec->size % 8 == 0;
}

bool parse_resync_continues(
	const struct parse_resync *resync, const uint8_t *bytes, uint64_t len, bool is_last)
{
	const struct pd_file *file = resync->file;
	struct pd_record rec;
	size_t n_valid = 0;

	for (size_t i = 0; i < MAX_CONTINUED && n_valid < MIN_VALID; i++) {
		enum parse_framing framing = pd_frame(file, bytes, len, false, &rec);

		if (framing == PD_FRAME_BROKEN)
			return false;
		if (framing == PD_FRAME_CUT)
			return !len || !is_last || (len >= PD_RECORD_HEADER_BYTES && n_valid);
		if (!may_be_record(file, &rec))
			return false;
		n_valid += parse_resync_is_valid(resync, &rec);
		bytes += rec.size + rec.outside_size;
		len -= rec.size + rec.outside_size;
	}
	return true;
}

/*
 * Bytes in a record that may be anything, even copies of records: a chain of records must be longer
 * than that to be no part of a record.
 */
static uint64_t free_bytes(const struct pd_file *file)
{
	const uint64_t any = UINT64_C(1) << PD_SAMPLE_RAW | UINT64_C(1) << PD_SAMPLE_AUX;
	uint64_t most = 0;

	if (file->feature[PD_FEATURE_COMPRESSED].is_present || file->is_simpleperf)
		return MAX_RECORD_BYTES;
	for (size_t i = 0; i < file->events.list.n; i++) {
		const struct pd_attr *attr = &file->events.list.data[i].attr;

		if (attr->sample_type & any)
			return MAX_RECORD_BYTES;
		if (attr->sample_type >> PD_SAMPLE_STACK_USER & 1 && attr->sample_stack_user > most)
			most = attr->sample_stack_user;
	}
	return most < MAX_RECORD_BYTES ? most : MAX_RECORD_BYTES;
}

/* Whether the bytes that were searched so far pay for more work. This keeps a search linear. */
static bool may_work(const struct parse_resync *resync)
{
	return resync->n_work < FREE_WORK + resync->n_searched / BYTES_OF_WORK;
}

/* Bytes in which a chain is looked for. */
struct area {
	const uint8_t *bytes;
	uint64_t len;
	bool is_last;
	/** Length of a chain that cannot be part of a record. */
	uint64_t min_chain;
};

/* Whether a chain of n_valid records that ended at offset at, before the limit, is sufficient. */
static bool is_end(const struct area *area, uint64_t at, size_t n_valid)
{
	/* The last record may be truncated. */
	return area->is_last && n_valid >= (at == area->len ? 1 : MIN_VALID);
}

/*
 * Whether a chain may begin with a record of a type. Most records of tools have neither id nor
 * time, so that other bytes are easily taken for one. After samples they are rare.
 */
static bool may_be_first(const struct parse_resync *resync, uint32_t type)
{
	return type < PD_RECORD_FIRST_TOOL || is_marker(type) || type == PD_RECORD_AUXTRACE ||
	       type == PD_RECORD_COMPRESSED || type == PD_RECORD_COMPRESSED2 || !resync->near[0];
}

/* Whether a chain of valid records begins at offset start. */
static bool has_chain(struct parse_resync *resync, const struct area *area, uint64_t start)
{
	const struct pd_file *file = resync->file;
	struct pd_record rec;
	uint64_t at = start;
	size_t n_valid = 0;

	resync->n_failed = 0;
	for (;;) {
		enum parse_framing framing =
			pd_frame(file, area->bytes + at, area->len - at, false, &rec);

		if (framing == PD_FRAME_CUT) {
			bool has_header = area->len - at >= PD_RECORD_HEADER_BYTES;

			return (!has_header || parse_resync_is_plausible_record(file, &rec)) &&
			       is_end(area, at, n_valid);
		}
		if (framing == PD_FRAME_BROKEN || !parse_resync_is_plausible_record(file, &rec))
			return false;
		/* The header of the next record confirms the size of the last one. */
		if (n_valid >= MIN_VALID && at - start > area->min_chain)
			return true;
		resync->n_work += 1 + rec.size / STRING_BYTES_OF_WORK;
		if (!parse_resync_is_valid(resync, &rec))
			return false;
		if (resync->n_failed < PD_RESYNC_KEPT)
			resync->failed[resync->n_failed++] = at;
		n_valid++;
		at += rec.size + rec.outside_size;
	}
}

/*
 * Whether offset at is a record of the chain that failed last: then its own chain fails, too. Next
 * is the index of the first remembered record that is not before it.
 */
static bool has_failed(const struct parse_resync *resync, uint64_t at, size_t *next)
{
	while (*next < resync->n_failed && resync->failed[*next] < at)
		++*next;
	return *next < resync->n_failed && resync->failed[*next] == at;
}

bool parse_resync_find(
	struct parse_resync *resync, const uint8_t *bytes, uint64_t len, bool is_last, uint64_t *at)
{
	const struct area area = { bytes, len, is_last, free_bytes(resync->file) };
	uint64_t keep = is_last ? PD_RECORD_HEADER_BYTES - 1 : PD_RESYNC_LOOK_BYTES;
	uint64_t end = len > keep ? len - keep : 0;
	bool swap = resync->file->swap;
	size_t next = 0;

	resync->n_failed = 0;
	for (; *at < end; ++*at) {
		uint32_t type = pd_load_u32(bytes + *at, swap);

		resync->n_searched++;
		if ((!parse_resync_is_known_type(type) && !is_of_simpleperf(type)) ||
			!may_be_first(resync, type) || has_failed(resync, *at, &next) ||
			!may_work(resync))
			continue;
		resync->n_work++;
		next = 0;
		if (has_chain(resync, &area, *at))
			return true;
	}
	if (is_last)
		*at = len;
	return false;
}

/* Number of bytes by which a header with @p type differs at least from one with a known type. */
static unsigned n_wrong_in_type(uint32_t type)
{
	if (parse_resync_is_known_type(type))
		return 0;
	for (unsigned shift = 0; shift < 32; shift += 8) {
		uint32_t others = type & ~((uint32_t)0xff << shift);

		/* Types below 256 have one byte that is not zero. */
		if (shift ? parse_resync_is_known_type(others) : !others)
			return 1;
	}
	return 2;
}

static bool are_zeros(const uint8_t *bytes)
{
	static const uint8_t zeros[PD_RECORD_HEADER_BYTES];

	return memcmp(bytes, zeros, sizeof(zeros)) == 0;
}

/* perf writes text to standard output when it ends, which may be where the recording is. */
static bool are_text(const uint8_t *bytes)
{
	for (size_t i = 0; i < PD_RECORD_HEADER_BYTES; i++) {
		if (bytes[i] < ' ' || bytes[i] > '~')
			return false;
	}
	return true;
}

bool parse_resync_is_limited(const struct pd_file *file, const uint8_t *bytes, uint64_t distance)
{
	const uint8_t *last = bytes - PD_RECORD_HEADER_BYTES;

	if (distance < PD_RECORD_HEADER_BYTES)
		return false;
	if (are_zeros(bytes))
		return !are_zeros(last);
	if (are_text(bytes))
		return !are_text(last);
	struct parse_frame_header header = parse_frame_header(file, bytes);
	unsigned n_wrong = n_wrong_in_type(header.type);
	if (header.type < PD_RECORD_FIRST_TOOL && header.misc & PD_RESYNC_UNDEFINED_MISC)
		n_wrong++;
	if (!header.size)
		return !n_wrong && (header.type != PD_RECORD_SAMPLE || header.misc);
	if (distance > MAX_RECORD_BYTES)
		return false;
	n_wrong += (header.size & 0xff) != (distance & 0xff);
	n_wrong += header.size >> 8 != distance >> 8;
	return n_wrong <= 1;
}
