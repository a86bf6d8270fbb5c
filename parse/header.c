/*
 * Header of a file, which locates its sections. The header of a stream has only its first two
 * words.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limit.h"
#include "parse/open_file.h"
#include "parse/layout_tables.h"
#include "parse/meta_info.h"
#include "parse/simpleperf.h"

#define HEADER_LAYOUT(member, fields) PD_DEFINE_LAYOUT(member, fields, .name = #member)
PD_HEADER_STRUCTS(HEADER_LAYOUT)

enum {
	IDS_SECTION_BYTES = 16,
	/** Largest entry of the attr table. */
	MAX_ENTRY_BYTES = PD_ATTR_MAX_BYTES + IDS_SECTION_BYTES,
	FEATURE_ENTRY_BYTES = 16,
	BITMAP_WORDS = PD_N_FEATURE_BITS / 64,
};

/* "PERFILE2" as a u64 of its writer. The magic of version 1 does not depend on the byte order. */
static const uint64_t magic_version_2 = 0x32454c4946524550U;
static const char magic_version_1[PD_MAGIC_BYTES] = { 'P', 'E', 'R', 'F', 'F', 'I', 'L', 'E' };

/* Whether size is plausible for an entry of the attr table: an attr and its section of ids. */
static bool is_attr_size(uint64_t size)
{
	return size >= PD_ATTR_MIN_BYTES + IDS_SECTION_BYTES && size <= MAX_ENTRY_BYTES &&
	       size % 8 == 0;
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

struct pd_error *parse_header_recognise(struct pd_file *file, const uint8_t *start, size_t len)
{
	if (len == 0)
		return pd_error_create(PD_ERROR_FORMAT, file->path, "file is empty");
	if (len < PD_PIPE_HEADER_BYTES || !find_byte_order(start, len, &file->swap))
		return pd_error_create(PD_ERROR_FORMAT, file->path, "not a perf.data file");
	file->version = memcmp(start, magic_version_1, PD_MAGIC_BYTES) == 0 ? 1 : 2;
	file->header.size = pd_load_u64(start + PD_MAGIC_BYTES, file->swap);
	file->is_pipe = file->header.size == PD_PIPE_HEADER_BYTES;
	return NULL;
}

/* Sections. */

/* The whole file in memory, or NULL. */
static const uint8_t *whole(const struct pd_file *file)
{
	return parse_input_bytes(file->parts.data[0].input);
}

static struct pd_error *read_section(
	const struct pd_file *file, struct pd_section section, uint8_t *to)
{
	return parse_input_read_at(
		file->parts.data[0].input, section.offset, to, (size_t)section.size);
}

struct pd_error *parse_section_load(
	const struct pd_file *file, struct pd_section section, struct parse_section *ret)
{
	const uint8_t *mapped = whole(file);
	_cleanup_free_ uint8_t *copy = NULL;

	*ret = (struct parse_section){ .bytes = NULL };
	if (mapped) {
		ret->bytes = mapped + section.offset;
		ret->size = (size_t)section.size;
		return NULL;
	}
	if (section.size > PD_LIMIT_RECORD_BYTES) {
		parse_file_note_limit(file, PD_LIMIT_ID_RECORD_BYTES);
		return NULL;
	}
	copy = malloc(section.size ? (size_t)section.size : 1);
	if (!copy)
		return &pd_enomem;
	struct pd_error *err = read_section(file, section, copy);
	if (err)
		return err;
	ret->bytes = ret->copy = take_ptr(copy);
	ret->size = (size_t)section.size;
	return NULL;
}

void parse_section_unload(struct parse_section *section)
{
	free(section->copy);
}

struct pd_error *parse_section_keep(
	struct pd_file *file, struct pd_section section, const uint8_t **ret)
{
	const uint8_t *mapped = whole(file);

	if (mapped) {
		*ret = mapped + section.offset;
		return NULL;
	}
	*ret = NULL;
	/* Damaged sections may overlap, so all of them together can be larger than the file. */
	if (section.size > PD_LIMIT_RECORD_BYTES - file->n_kept) {
		parse_file_note_limit(file, PD_LIMIT_ID_RECORD_BYTES);
		return NULL;
	}
	uint8_t *copy = base_arena_alloc(&file->arena, section.size ? (size_t)section.size : 1);
	if (!copy)
		return &pd_enomem;
	file->n_kept += section.size;
	*ret = copy;
	return read_section(file, section, copy);
}

static struct pd_section section_at(uint64_t offset, uint64_t size)
{
	return (struct pd_section){ .offset = offset, .size = size };
}

static bool is_within(const struct pd_file *file, struct pd_section section)
{
	return section.offset <= file->size && section.size <= file->size - section.offset;
}

static struct pd_section decode_section(struct pd_cursor *c)
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
	_cleanup_(parse_section_unload) struct parse_section loaded = { .bytes = NULL };
	struct pd_error *err = parse_section_load(file, ids, &loaded);

	struct pd_cursor c = pd_cursor_init(loaded.bytes, loaded.size, file->swap);
	while (!err && pd_cursor_left(&c))
		err = parse_events_add_id(&file->events, pd_cursor_u64(&c), index);
	return err;
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
	/** Bytes in which the entries are. */
	struct pd_section area;
	const uint8_t *bytes;
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
	uint64_t at = *offset - steps->area.offset;
	uint64_t left = at < steps->area.size ? steps->area.size - at : 0;
	uint64_t room = steps->attr_size;

	if (steps->is_sequential)
		room = left < MAX_ENTRY_BYTES ? left : MAX_ENTRY_BYTES;
	if (room > left || room < IDS_SECTION_BYTES)
		return false;
	struct pd_cursor c = pd_cursor_init(steps->bytes + at, room, file->swap);
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
	ret->ids = decode_section(&c);
	*offset += size + IDS_SECTION_BYTES;
	return !c.overrun;
}

/* One more entry than can become events shows that there are too many. */
static uint64_t n_entries(const struct attr_steps *steps)
{
	uint64_t n = steps->table.size / steps->attr_size;

	return n <= PD_MAX_EVENTS ? n : PD_MAX_EVENTS + 1;
}

/* Get the bytes of the entries, which live as long as the file because events refer to them. */
static struct pd_error *keep_entries(struct pd_file *file, struct attr_steps *steps)
{
	uint64_t left = file->size - steps->table.offset;
	uint64_t size =
		n_entries(steps) * (steps->is_sequential ? MAX_ENTRY_BYTES : steps->attr_size);

	steps->area = section_at(steps->table.offset, size < left ? size : left);
	struct pd_error *err = parse_section_keep(file, steps->area, &steps->bytes);
	if (!err && !steps->bytes)
		steps->area.size = 0;
	return err;
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
	struct pd_error *err = keep_entries(file, &steps);
	if (err)
		return err;
	if (is_valid(file, &steps))
		return add_events(file, &steps, true);
	err = keep_entries(file, &sequential);
	if (err)
		return err;
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
	_cleanup_(parse_section_unload) struct parse_section loaded = { .bytes = NULL };
	struct pd_error *err = parse_section_load(file, types, &loaded);
	struct pd_cursor c = pd_cursor_init(loaded.bytes, loaded.size, file->swap);
	while (!err && pd_cursor_left(&c) >= PD_EVENT_TYPE_BYTES)
		err = parse_event_type_decode(file, &c);
	return err;
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

/* Get the feature that has the next section in the table. */
static struct pd_error *place_feature(struct pd_file *file, unsigned bit, struct pd_cursor *table)
{
	struct pd_section section = decode_section(table);
	const uint8_t *bytes;

	if (table->overrun || !is_within(file, section)) {
		pd_diag_warn(file->diag, file->path, section.offset, pd_feature_name(bit),
			"feature section is outside the file");
		return NULL;
	}
	struct pd_error *err = parse_section_keep(file, section, &bytes);
	if (err || !bytes)
		return err;
	file->feature[bit] = (struct pd_feature){
		.is_present = true,
		.offset = section.offset,
		.bytes = bytes,
		.size = section.size,
	};
	return NULL;
}

/* Locate the features: a table after the records has one section for each bit that is set. */
static struct pd_error *place_features(
	struct pd_file *file, const uint64_t bitmap[static BITMAP_WORDS])
{
	enum { TABLE_BYTES = PD_N_FEATURE_BITS * FEATURE_ENTRY_BYTES };
	const struct pd_section *data = &file->parts.data[0].data;
	struct pd_section table = { .offset = data->offset + data->size };
	_cleanup_(parse_section_unload) struct parse_section loaded = { .bytes = NULL };

	/* An unfinished recording has no table, but perf record sets the bitmap at its start. */
	if (file->is_unfinished)
		return NULL;
	table.size = file->size - table.offset;
	table.size = table.size < TABLE_BYTES ? table.size : TABLE_BYTES;
	struct pd_error *err = parse_section_load(file, table, &loaded);
	struct pd_cursor c = pd_cursor_init(loaded.bytes, loaded.size, file->swap);
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS && !err; bit++) {
		if (bitmap[bit / 64] >> (bit % 64) & 1)
			err = place_feature(file, bit, &c);
	}
	const struct pd_feature *info = &file->feature[PD_FEATURE_SIMPLEPERF_META_INFO];
	file->is_simpleperf =
		info->is_present && parse_meta_info_is_simpleperf(info->bytes, info->size);
	return err;
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

/* Decode the header. Version 1 ends before the bitmap; later versions may be longer than known. */
static struct pd_error *decode_header(struct pd_file *file)
{
	struct pd_cursor c = pd_cursor_init(file->start, 0, file->swap);
	struct pd_layout_env env = { 0 };
	struct pd_layout_fault fault;

	if (file->size < PD_HEADER_BYTES_WITHOUT_FEATURES)
		return pd_error_create(PD_ERROR_FORMAT, file->path,
			"file ends in its header, after %" PRIu64 " bytes", file->size);
	uint64_t size = pd_load_u64(file->start + PD_MAGIC_BYTES, file->swap);
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
	*data = section_at(header->data_offset, header->data_size);
	if (header->adds_features.n == BITMAP_WORDS)
		read_bitmap(&header->adds_features, bitmap);
	err = read_attrs(
		file, section_at(header->attrs_offset, header->attrs_size), header->attr_size);
	if (err)
		return err;
	err = read_event_types(
		file, section_at(header->event_types_offset, header->event_types_size));
	if (err)
		return err;
	/*
	 * The feature table has no offset in the header: it follows the records. Features such as
	 * EVENT_DESC describe events, so the attrs must have been read before.
	 */
	err = place_data(file, data);
	if (err)
		return err;
	err = place_features(file, bitmap);
	return err ? err : decode_features(file);
}
