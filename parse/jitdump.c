#include "parse/jitdump.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>
#include <pdconv/vec.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/lower_bound.h"
#include "base/system/libc.h"
#include "parse/layout_tables.h"

#define RECORD_LAYOUT(name_, id_, member, fields) \
	PD_DEFINE_LAYOUT(member, fields, .name = #name_, .type = id_)
PD_JITDUMP_RECORDS(RECORD_LAYOUT)

#define STRUCT_LAYOUT(member, fields) PD_DEFINE_LAYOUT(member, fields, .name = #member)
PD_JITDUMP_STRUCTS(STRUCT_LAYOUT)

enum record_id {
#define RECORD_ID(name, id, member, fields) PD_##name = id,
	PD_JITDUMP_RECORDS(RECORD_ID)
#undef RECORD_ID
};

enum { FLAG_ARCH_TIMESTAMP = 1, LAST_EPOCH = UINT32_MAX - 1, STILL_THERE = UINT32_MAX };

struct parse_jit {
	const uint8_t *bytes;
	size_t size;
	bool swap;
	/**
	 * Timestamps are those of the processor, not ns: their order relative to samples is
	 * unknown.
	 */
	bool has_arch_time;
	uint16_t machine;
	/** Sorted by time while reading, afterwards by start address and then by epoch. */
	PD_VEC(struct parse_jit_code) codes;
	/**
	 * Element i is the largest end of codes[0] to codes[i], which bounds the search of
	 * parse_jit_find().
	 */
	PD_VEC(uint64_t) ends_before;
	/** Start time of each epoch except for the first. */
	PD_VEC(uint64_t) epoch_times;
	/** Indexes of the codes that are mapped now, by start address. */
	PD_VEC(uint32_t) live;
	/** Indexes of the codes by offset, once all records are read. */
	PD_VEC(uint32_t) by_offset;
	/** Unwinding information for the next CODE_LOAD record. */
	struct pd_jit_code_unwinding_info unwinding;
};

void parse_jit_destroy(struct parse_jit *jit)
{
	if (!jit)
		return;
	pd_vec_deinit(&jit->codes);
	pd_vec_deinit(&jit->ends_before);
	pd_vec_deinit(&jit->epoch_times);
	pd_vec_deinit(&jit->live);
	pd_vec_deinit(&jit->by_offset);
	free(jit);
}

/* Index of the first live code that ends after addr. Live codes do not overlap. */
static size_t first_live_after(const struct parse_jit *jit, uint64_t addr)
{
	return base_lower_bound(jit->live.n, i, jit->codes.data[jit->live.data[i]].end <= addr);
}

/* Remove the live codes [first, end), because other code replaces them: that begins a new epoch. */
static bool replace(struct parse_jit *jit, size_t first, size_t end, uint64_t time)
{
	uint64_t last = jit->epoch_times.n ? jit->epoch_times.data[jit->epoch_times.n - 1] : 0;

	/* Epochs are looked up by time with a binary search, so their times must not decrease. */
	if (jit->epoch_times.n >= LAST_EPOCH ||
		!pd_vec_push(&jit->epoch_times, time > last ? time : last))
		return false;
	for (size_t i = first; i < end; i++)
		jit->codes.data[jit->live.data[i]].end_epoch = (uint32_t)jit->epoch_times.n;
	memmove(&jit->live.data[first], &jit->live.data[end],
		(jit->live.n - end) * sizeof(jit->live.data[0]));
	jit->live.n -= end - first;
	return true;
}

/* Make code live at its address from now on. */
static bool add_code(struct parse_jit *jit, struct parse_jit_code code, uint64_t time)
{
	uint32_t number = (uint32_t)jit->codes.n;
	size_t at = first_live_after(jit, code.start);
	size_t end = at;

	while (end < jit->live.n && jit->codes.data[jit->live.data[end]].start < code.end)
		end++;
	if (end > at && !replace(jit, at, end, time))
		return false;
	code.first_epoch = (uint32_t)jit->epoch_times.n;
	code.end_epoch = STILL_THERE;
	if (jit->codes.n >= UINT32_MAX || !pd_vec_push(&jit->codes, code) ||
		!pd_vec_push(&jit->live, number))
		return false;
	memmove(&jit->live.data[at + 1], &jit->live.data[at],
		(jit->live.n - 1 - at) * sizeof(jit->live.data[0]));
	jit->live.data[at] = number;
	return true;
}

/* Set code's .eh_frame from the unwinding information, if that is large enough for its header. */
static void use_unwinding(struct parse_jit *jit, struct parse_jit_code *code)
{
	const struct pd_jit_code_unwinding_info *info = &jit->unwinding;

	if (info->data.n && info->eh_frame_hdr_size < info->unwinding_size) {
		code->eh_frame = info->data.data;
		code->eh_frame_size = info->unwinding_size - info->eh_frame_hdr_size;
	}
	jit->unwinding = (struct pd_jit_code_unwinding_info){ 0 };
}

static bool load_code(struct parse_jit *jit, const struct pd_jit_code_load *load, uint64_t time)
{
	struct parse_jit_code code = {
		.start = load->code_addr,
		.end = load->code_addr + load->code_size,
		.offset = (uint64_t)(load->code.data - jit->bytes),
		.bytes = load->code.n >= load->code_size ? load->code.data : NULL,
		.name = load->name.s,
	};

	use_unwinding(jit, &code);
	return code.end <= code.start || add_code(jit, code, time);
}

static bool move_code(struct parse_jit *jit, const struct pd_jit_code_move *move, uint64_t time)
{
	size_t at = first_live_after(jit, move->old_code_addr);

	if (at == jit->live.n)
		return true;
	PD_IS_TRUE(jit->codes.data, "live code is an element of the list");
	struct parse_jit_code code = jit->codes.data[jit->live.data[at]];
	if (code.start != move->old_code_addr)
		return true;
	code.end = move->new_code_addr + (code.end - code.start);
	code.start = move->new_code_addr;
	/* The code moved: end its range in the epochs before. */
	return code.end <= code.start ||
	       (replace(jit, at, at + 1, time) && add_code(jit, code, time));
}

static bool apply(struct parse_jit *jit, uint32_t id, uint64_t time, const void *body)
{
	switch (id) {
	case PD_JIT_CODE_LOAD:
		return load_code(jit, body, time);
	case PD_JIT_CODE_MOVE:
		return move_code(jit, body, time);
	case PD_JIT_CODE_UNWINDING_INFO:
		jit->unwinding = *(const struct pd_jit_code_unwinding_info *)body;
		return true;
	default:
		return true;
	}
}

static const struct pd_layout *find_layout(uint32_t id)
{
	static const struct pd_layout *const layouts[] = {
#define RECORD_ADDRESS(name, id_, member, fields) [id_] = &pd_layout_##member,
		PD_JITDUMP_RECORDS(RECORD_ADDRESS)
#undef RECORD_ADDRESS
	};

	return id < PD_ARRAY_LEN(layouts) ? layouts[id] : NULL;
}

/*
 * Read records up to an incomplete one, which the program may have been writing when it was killed.
 */
static bool read_records(struct parse_jit *jit, struct pd_cursor c)
{
	enum { PREFIX_BYTES = 16 };
	struct pd_layout_env env = { 0 };
	struct pd_layout_fault fault;
	struct pd_jitdump_prefix prefix;
	union pd_any_struct body;

	while (pd_layout_decode(&pd_layout_jitdump_prefix, &c, &env, &prefix, &fault)) {
		if (prefix.total_size < PREFIX_BYTES)
			return true;
		const uint8_t *bytes = pd_cursor_bytes(&c, prefix.total_size - PREFIX_BYTES);
		const struct pd_layout *layout = find_layout(prefix.id);
		if (!bytes)
			return true;
		struct pd_cursor inner =
			pd_cursor_init(bytes, prefix.total_size - PREFIX_BYTES, jit->swap);
		/* A record that is unknown or damaged can be skipped, because its size is known. */
		if (layout && pd_layout_decode(layout, &inner, &env, &body, &fault) &&
			!apply(jit, prefix.id, prefix.timestamp, &body))
			return false;
	}
	return true;
}

static int compare_places(const void *a, const void *b)
{
	const struct parse_jit_code *x = a;
	const struct parse_jit_code *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->first_epoch < y->first_epoch ? -1 : x->first_epoch > y->first_epoch;
}

static int compare_offsets(const void *a, const void *b, void *codes)
{
	const struct parse_jit_code *x =
		(const struct parse_jit_code *)codes + *(const uint32_t *)a;
	const struct parse_jit_code *y =
		(const struct parse_jit_code *)codes + *(const uint32_t *)b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sort codes and build the tables for lookups, after all records are read. */
static bool make_index(struct parse_jit *jit)
{
	uint64_t end = 0;

	if (!jit->codes.n)
		return true;
	qsort(jit->codes.data, jit->codes.n, sizeof(jit->codes.data[0]), compare_places);
	for (uint32_t i = 0; i < jit->codes.n; i++) {
		if (jit->codes.data[i].end > end)
			end = jit->codes.data[i].end;
		if (!pd_vec_push(&jit->ends_before, end) || !pd_vec_push(&jit->by_offset, i))
			return false;
	}
	base_sort_with(jit->by_offset.data, jit->by_offset.n, sizeof(jit->by_offset.data[0]),
		compare_offsets, jit->codes.data);
	return true;
}

static struct pd_error *read_header(struct parse_jit *jit, struct pd_cursor *c, const char *path)
{
	struct pd_layout_env env = { 0 };
	struct pd_layout_fault fault;
	struct pd_jitdump_header header;

	/* A byteswapped magic shows that the writer had the opposite byte order. */
	jit->swap = jit->size >= 4 && pd_load_u32(jit->bytes, true) == PD_JITDUMP_MAGIC;
	*c = pd_cursor_init(jit->bytes, jit->size, jit->swap);
	if (!pd_layout_decode(&pd_layout_jitdump_header, c, &env, &header, &fault) ||
		header.magic != PD_JITDUMP_MAGIC)
		return pd_error_create(PD_ERROR_FORMAT, path, "not a jitdump file");
	uint64_t size = (uint64_t)(c->pos - jit->bytes);
	if (header.total_size < size || !pd_cursor_bytes(c, header.total_size - size))
		return pd_error_create(PD_ERROR_FORMAT, path, "jitdump header is too long");
	jit->has_arch_time = header.flags & FLAG_ARCH_TIMESTAMP;
	jit->machine = (uint16_t)header.elf_mach;
	return NULL;
}

struct pd_error *parse_jit_read(
	const uint8_t *bytes, size_t size, const char *path, struct parse_jit **ret)
{
	struct parse_jit *jit = calloc(1, sizeof(*jit));
	struct pd_cursor c;

	if (!jit)
		return &pd_enomem;
	jit->bytes = bytes;
	jit->size = size;
	struct pd_error *err = read_header(jit, &c, path);
	if (!err && (!read_records(jit, c) || !make_index(jit)))
		err = &pd_enomem;
	if (err) {
		parse_jit_destroy(jit);
		return err;
	}
	*ret = jit;
	return NULL;
}

uint16_t parse_jit_machine(const struct parse_jit *jit)
{
	return jit->machine;
}

bool parse_jit_swap(const struct parse_jit *jit)
{
	return jit->swap;
}

uint32_t parse_jit_epoch(const struct parse_jit *jit, uint64_t time)
{
	if (jit->has_arch_time)
		return (uint32_t)jit->epoch_times.n;
	return (uint32_t)base_lower_bound(jit->epoch_times.n, i, jit->epoch_times.data[i] <= time);
}

/* Index of the first code that starts where the one before @p end does. */
static size_t first_of_group(const struct parse_jit *jit, size_t end)
{
	uint64_t start = jit->codes.data[end - 1].start;

	/* Few programs replace code, so most addresses have one. */
	if (end == 1 || jit->codes.data[end - 2].start != start)
		return end - 1;
	return base_lower_bound(end, i, jit->codes.data[i].start < start);
}

/* Find the last of the codes [first, end) that begins in @p epoch or before it, or NULL. */
static const struct parse_jit_code *last_begun(
	const struct parse_jit *jit, size_t first, size_t end, uint32_t epoch)
{
	size_t n = base_lower_bound_from(first, end, i, jit->codes.data[i].first_epoch <= epoch);

	return n > first ? &jit->codes.data[n - 1] : NULL;
}

const struct parse_jit_code *parse_jit_find(
	const struct parse_jit *jit, uint32_t epoch, uint64_t addr)
{
	size_t low = base_lower_bound(jit->codes.n, i, jit->codes.data[i].start <= addr);

	/*
	 * Search backwards through codes that start before addr, while any of them can extend to
	 * addr. Of those that start at one address, each one ends the epochs of the one before.
	 */
	while (low > 0 && jit->ends_before.data[low - 1] > addr) {
		size_t first = first_of_group(jit, low);
		const struct parse_jit_code *code = last_begun(jit, first, low, epoch);

		if (code && addr < code->end && epoch < code->end_epoch)
			return code;
		low = first;
	}
	return NULL;
}

const struct parse_jit_code *parse_jit_at_offset(const struct parse_jit *jit, uint64_t offset)
{
	size_t low = base_lower_bound(
		jit->by_offset.n, i, jit->codes.data[jit->by_offset.data[i]].offset <= offset);

	if (!low)
		return NULL;
	const struct parse_jit_code *code = &jit->codes.data[jit->by_offset.data[low - 1]];
	return offset - code->offset < code->end - code->start ? code : NULL;
}

size_t parse_jit_n_codes(const struct parse_jit *jit)
{
	return jit->codes.n;
}

size_t parse_jit_number(const struct parse_jit *jit, const struct parse_jit_code *code)
{
	return (size_t)(code - jit->codes.data);
}

/* Return the position after one or more digits at @p p, or NULL if there is none. */
static const char *skip_digits(const char *p)
{
	size_t n = strspn(p, "0123456789");

	return n ? p + n : NULL;
}

bool parse_jit_is_path(const char *path)
{
	static const char start[] = "jit-";
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	if (strncmp(base, start, strlen(start)) != 0)
		return false;
	const char *rest = skip_digits(base + strlen(start));
	if (rest && *rest == '-')
		rest = skip_digits(rest + 1);
	return rest && strcmp(rest, ".dump") == 0;
}
