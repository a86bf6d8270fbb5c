/*
 * Header of a file, which locates its sections. The header of a stream has only its first two
 * words.
 */
#include <inttypes.h>
#include <string.h>

#include "parse/open_file.h"
#include "parse/layout_tables.h"
#include "parse/meta_info.h"
#include "parse/simpleperf.h"

#define HEADER_LAYOUT(member, fields) PD_DEFINE_LAYOUT(member, fields, .name = #member)
PD_HEADER_STRUCTS(HEADER_LAYOUT)

enum {
	IDS_SECTION_BYTES = 16,
	FEATURE_ENTRY_BYTES = 16,
	BITMAP_WORDS = PD_N_FEATURE_BITS / 64,
};

/* "PERFILE2" as a u64 of its writer. The magic of version 1 does not depend on the byte order. */
static const uint64_t magic_version_2 = 0x32454c4946524550U;
static const char magic_version_1[PD_MAGIC_BYTES] = { 'P', 'E', 'R', 'F', 'F', 'I', 'L', 'E' };

/* Whether size is plausible for an entry of the attr table: an attr and its section of ids. */
static bool is_attr_size(uint64_t size)
{
	return size >= PD_ATTR_MIN_BYTES + IDS_SECTION_BYTES &&
	       size <= PD_ATTR_MAX_BYTES + IDS_SECTION_BYTES && size % 8 == 0;
}

static bool find_byte_order(const uint8_t *bytes, size_t len, bool *swap_ret)
{
	uint64_t magic = pd_load_u64(bytes, false);

	if (magic == magic_version_2 || magic == __builtin_bswap64(magic_version_2)) {
		*swap_ret = magic != magic_version_2;
		return true;
	}
	if (memcmp(bytes, magic_version_1, PD_MAGIC_BYTES) != 0)
		return false;
	/*
	 * The header size of a stream, or the attr size of a file, is plausible in one byte order
	 * only.
	 */
	uint64_t header_size = pd_load_u64(bytes + PD_MAGIC_BYTES, false);
	if (header_size == PD_PIPE_HEADER_BYTES ||
		header_size == __builtin_bswap64(PD_PIPE_HEADER_BYTES))
		*swap_ret = header_size != PD_PIPE_HEADER_BYTES;
	else
		*swap_ret =
			len < PD_HEADER_LOOK_BYTES || !is_attr_size(pd_load_u64(bytes + 16, false));
	return true;
}

struct pd_error *parse_header_recognise(struct pd_file *file, const struct base_seen *start)
{
	if (start->len == 0)
		return pd_error_create(PD_ERROR_FORMAT, file->path, "file is empty");
	if (start->len < PD_PIPE_HEADER_BYTES ||
		!find_byte_order(start->bytes, start->len, &file->swap))
		return pd_error_create(PD_ERROR_FORMAT, file->path, "not a perf.data file");
	file->version = memcmp(start->bytes, magic_version_1, PD_MAGIC_BYTES) == 0 ? 1 : 2;
	file->header.size = pd_load_u64(start->bytes + PD_MAGIC_BYTES, file->swap);
	file->is_pipe = file->header.size == PD_PIPE_HEADER_BYTES;
	return NULL;
}

static bool is_within(const struct pd_file *file, struct pd_section section)
{
	return section.offset <= file->size && section.size <= file->size - section.offset;
}

static struct pd_section read_section(struct pd_cursor *c)
{
	struct pd_section section = { .offset = pd_cursor_u64(c) };

	section.size = pd_cursor_u64(c);
	return section;
}

static bool are_ids(const struct pd_file *file, struct pd_section ids)
{
	return is_within(file, ids) && ids.size % 8 == 0;
}

static struct pd_error *add_ids(struct pd_file *file, struct pd_section ids)
{
	uint32_t index = (uint32_t)file->events.list.n - 1;

	struct pd_cursor c = parse_section_cursor(file, ids);
	while (pd_cursor_left(&c)) {
		struct pd_error *err = parse_events_add_id(&file->events, pd_cursor_u64(&c), index);
		if (err)
			return err;
	}
	return NULL;
}

/*
 * How to step through the attr table. By the format, entries are attr_size apart, and the last 16
 * bytes of each locate its ids. perf itself steps by the size field of each attr instead. If the
 * two differ, the one that yields valid entries throughout is used.
 */
struct attr_steps {
	struct pd_section table;
	uint64_t attr_size;
	/** Step by the size field of each attr. */
	bool is_sequential;
};

struct entry {
	uint64_t offset;
	struct pd_attr attr;
	/** Bytes of the attr in the file. */
	struct pd_view wire;
	struct pd_section ids;
};

/* Read the entry at offset and move offset to the next one. False if it is not an attr. */
static bool read_entry(const struct pd_file *file, const struct attr_steps *steps, uint64_t *offset,
	struct entry *ret)
{
	struct pd_section rest = { .offset = *offset };

	if (!is_within(file, rest))
		return false;
	rest.size = steps->is_sequential ? file->size - *offset : steps->attr_size;
	if (!is_within(file, rest) || rest.size < IDS_SECTION_BYTES)
		return false;
	struct pd_cursor c = parse_section_cursor(file, rest);
	struct pd_view bytes = pd_cursor_rest(&c);
	bytes.n -= IDS_SECTION_BYTES;
	size_t size = pd_attr_decode(&bytes, &ret->attr);
	if (!size)
		return false;
	/* The ids section is in the last 16 bytes of the entry, even if the attr is shorter. */
	if (!steps->is_sequential)
		size = steps->attr_size - IDS_SECTION_BYTES;
	ret->wire = pd_view_take(&c, 1, size);
	ret->offset = *offset;
	ret->ids = read_section(&c);
	*offset += size + IDS_SECTION_BYTES;
	return !c.overrun;
}

static uint64_t n_entries(const struct attr_steps *steps)
{
	return steps->table.size / steps->attr_size;
}

/* Whether all entries are attrs. */
static bool has_attrs(const struct pd_file *file, const struct attr_steps *steps)
{
	uint64_t offset = steps->table.offset;
	struct entry entry;

	for (uint64_t i = 0; i < n_entries(steps); i++) {
		if (!read_entry(file, steps, &offset, &entry))
			return false;
	}
	return true;
}

/*
 * Whether the entries are valid. Entries must not share ids, so all ids together fit in the file.
 */
static bool is_valid(const struct pd_file *file, const struct attr_steps *steps)
{
	uint64_t offset = steps->table.offset;
	uint64_t total = 0;
	struct entry entry;

	for (uint64_t i = 0; i < n_entries(steps); i++) {
		if (!read_entry(file, steps, &offset, &entry) || !are_ids(file, entry.ids))
			return false;
		total += entry.ids.size;
		if (total > file->size)
			return false;
	}
	return true;
}

static struct pd_error *add_events(
	struct pd_file *file, const struct attr_steps *steps, bool has_ids)
{
	uint64_t offset = steps->table.offset;
	struct entry entry;

	for (uint64_t i = 0; i < n_entries(steps); i++) {
		if (file->events.list.n >= PD_MAX_EVENTS) {
			pd_diag_warn(file->diag, file->path, offset, "attr", "too many events");
			return NULL;
		}
		if (!read_entry(file, steps, &offset, &entry))
			return pd_error_at(file->path, offset, "attr", "invalid attr size");
		struct pd_error *err = parse_events_add(&file->events, &entry.attr);
		if (err)
			return err;
		parse_events_set_wire(&file->events, &entry.wire, entry.offset);
		err = has_ids ? add_ids(file, entry.ids) : NULL;
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *read_attrs(
	struct pd_file *file, struct pd_section table, uint64_t attr_size)
{
	struct attr_steps steps = { .table = table, .attr_size = attr_size };
	struct attr_steps sequential = {
		.table = table, .attr_size = attr_size, .is_sequential = true
	};

	if (!is_attr_size(attr_size))
		return pd_error_at(file->path, PD_MAGIC_BYTES + 8, "header",
			"invalid attr size %" PRIu64 "%s", attr_size,
			attr_size ? "" : ": the recording was never finished");
	if (!is_within(file, table))
		return pd_error_at(file->path, table.offset, "attrs", "outside the file");
	if (!n_entries(&steps))
		return pd_error_at(file->path, table.offset, "attrs", "no events");
	/*
	 * If neither way yields valid ids, keep the events without ids: records can still be
	 * decoded if there is one event, or if all events have the same layout.
	 */
	if (is_valid(file, &steps))
		return add_events(file, &steps, true);
	if (is_valid(file, &sequential))
		return add_events(file, &sequential, true);
	pd_diag_warn(file->diag, file->path, table.offset, "attrs", "event ids are damaged");
	return add_events(file, has_attrs(file, &steps) ? &steps : &sequential, false);
}

static struct pd_error *read_event_types(struct pd_file *file, struct pd_section types)
{
	if (!is_within(file, types)) {
		pd_diag_warn(
			file->diag, file->path, types.offset, "event_types", "outside the file");
		return NULL;
	}
	struct pd_cursor c = parse_section_cursor(file, types);
	while (pd_cursor_left(&c) >= PD_EVENT_TYPE_BYTES) {
		struct pd_error *err = parse_event_type_decode(file, &c);
		if (err)
			return err;
	}
	return NULL;
}

/* Limit the data section to the end of the file. */
static struct pd_error *place_data(struct pd_file *file, struct pd_section *data)
{
	if (data->offset > file->size)
		return pd_error_at(
			file->path, data->offset, "header", "records begin past the end");
	uint64_t available = file->size - data->offset;

	/* perf record stores the size of the records when it ends. Until then it is 0. */
	if (data->size == 0 && available) {
		file->is_unfinished = true;
		pd_diag_warn(file->diag, file->path, PD_NO_OFFSET, NULL,
			"the recording was interrupted: reading what is there, without host, "
			"command line and build ids");
	} else if (data->size > available) {
		pd_diag_cut(file->diag, file->path, file->size, NULL,
			"the file is truncated: %" PRIu64 " of %" PRIu64
			" bytes of records are there",
			available, data->size);
		file->is_unfinished = true;
	}
	if (file->is_unfinished)
		data->size = available;
	return NULL;
}

/*
 * Decode the bitmap of features, an array of the writer's long. If the writer was a 32-bit
 * big-endian machine, the halves of each u64 are exchanged. That is detected by HEADER_HOSTNAME,
 * which every writer sets.
 */
static void read_bitmap(const struct pd_view *words, uint64_t bitmap[static BITMAP_WORDS])
{
	const uint64_t hostname = (uint64_t)1 << PD_FEATURE_HOSTNAME;

	for (size_t i = 0; i < BITMAP_WORDS; i++)
		bitmap[i] = pd_view_u64(words, i);
	if (!pd_is_big_endian(words->swap) || bitmap[0] & hostname || !(bitmap[0] >> 32 & hostname))
		return;
	for (size_t i = 0; i < BITMAP_WORDS; i++)
		bitmap[i] = bitmap[i] >> 32 | bitmap[i] << 32;
}

/* Locate the features: a table after the records has one section for each bit that is set. */
static void place_features(struct pd_file *file, const uint64_t bitmap[static BITMAP_WORDS])
{
	const struct pd_section *data = &file->parts.data[0].data;
	struct pd_section rest = { .offset = data->offset + data->size };

	/* An unfinished recording has no table, but perf record sets the bitmap at its start. */
	if (file->is_unfinished)
		return;
	rest.size = file->size - rest.offset;
	struct pd_cursor c = parse_section_cursor(file, rest);
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		if (!(bitmap[bit / 64] >> (bit % 64) & 1))
			continue;
		struct pd_section section = read_section(&c);
		if (c.overrun || !is_within(file, section)) {
			pd_diag_warn(file->diag, file->path, section.offset, pd_feature_name(bit),
				"feature section is outside the file");
			continue;
		}
		file->feature[bit] = (struct pd_feature){
			.is_present = true,
			.offset = section.offset,
			.bytes = file->bytes + section.offset,
			.size = section.size,
		};
	}
	const struct pd_feature *info = &file->feature[PD_FEATURE_SIMPLEPERF_META_INFO];
	file->is_simpleperf =
		info->is_present && parse_meta_info_is_simpleperf(info->bytes, info->size);
}

static struct pd_error *decode_features(struct pd_file *file)
{
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		if (!file->feature[bit].is_present)
			continue;
		struct pd_error *err = parse_feature_decode(file, bit);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_section section(uint64_t offset, uint64_t size)
{
	return (struct pd_section){ .offset = offset, .size = size };
}

/* Decode the header. Version 1 ends before the bitmap; later versions may be longer than known. */
static struct pd_error *decode_header(struct pd_file *file)
{
	struct pd_cursor c = pd_cursor_init(file->bytes, file->size, file->swap);
	struct pd_layout_env env = { 0 };
	struct pd_layout_fault fault;

	if (file->size < PD_HEADER_BYTES_WITHOUT_FEATURES)
		return pd_error_create(PD_ERROR_FORMAT, file->path,
			"file ends in its header, after %" PRIu64 " bytes", file->size);
	uint64_t size = pd_load_u64(file->bytes + PD_MAGIC_BYTES, file->swap);
	if (size < PD_HEADER_BYTES || file->size < PD_HEADER_BYTES)
		c.end = c.pos + PD_HEADER_BYTES_WITHOUT_FEATURES;
	else
		c.end = c.pos + PD_HEADER_BYTES;
	if (!pd_layout_decode(&pd_layout_file_header, &c, &env, &file->header, &fault))
		return pd_error_at(file->path, 0, "header", "%s", fault.message);
	return NULL;
}

struct pd_error *parse_header_read(struct pd_file *file)
{
	uint64_t bitmap[BITMAP_WORDS] = { 0 };
	const struct pd_file_header *header = &file->header;
	struct pd_section *data = &file->parts.data[0].data;
	struct pd_error *err = decode_header(file);

	if (err)
		return err;
	*data = section(header->data_offset, header->data_size);
	if (header->adds_features.n == BITMAP_WORDS)
		read_bitmap(&header->adds_features, bitmap);
	err = read_attrs(
		file, section(header->attrs_offset, header->attrs_size), header->attr_size);
	if (err)
		return err;
	err = read_event_types(file, section(header->event_types_offset, header->event_types_size));
	if (err)
		return err;
	/*
	 * The feature table has no offset in the header: it follows the records. Features such as
	 * EVENT_DESC describe events, so the attrs must have been read before.
	 */
	err = place_data(file, data);
	if (err)
		return err;
	place_features(file, bitmap);
	return decode_features(file);
}
