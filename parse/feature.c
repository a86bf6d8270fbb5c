/* Bodies of the header's features. */
#include "parse/file_private.h"

#include <string.h>

enum feature_codec { CODEC_BODY, CODEC_STR, CODEC_STRS, CODEC_FLAG };

struct feature_row {
	const char *name;
	uint8_t bit;
	uint8_t codec;
};

#define FEATURE_ROW(bit_, name_, codec_) { .name = #name_, .bit = bit_, .codec = CODEC_##codec_ },
static const struct feature_row feature_rows[] = { PD_FEATURES(FEATURE_ROW) };

enum { N_ROWS = sizeof(feature_rows) / sizeof(feature_rows[0]) };

static const struct feature_row *find_row(unsigned bit)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		if (feature_rows[i].bit == bit)
			return &feature_rows[i];
	}
	return NULL;
}

const char *pd_feature_name(unsigned bit)
{
	const struct feature_row *row = find_row(bit);

	return row ? row->name : NULL;
}

/* u32 length with padding, then text that ends at the first NUL or at the length. */
static const char *read_string(struct pd_file *file, struct pd_cursor *c)
{
	uint32_t len = pd_cursor_u32(c);
	const uint8_t *text = pd_cursor_bytes(c, len);

	return text ? pd_arena_strndup(&file->arena, text, strnlen((const char *)text, len)) : NULL;
}

static void warn_damaged(struct pd_file *file, unsigned bit)
{
	pd_diag_warn(file->diag, file->path, file->feature[bit].offset, pd_feature_name(bit),
		"feature section is damaged");
}

static struct pd_error *decode_cmdline(struct pd_file *file, struct pd_cursor *c)
{
	uint32_t n = pd_cursor_u32(c);

	file->cmdline.n = 0;
	/* A string has four bytes at least. */
	for (uint32_t i = 0; i < n && !c->overrun; i++) {
		const char *arg = read_string(file, c);

		if (arg && !pd_vec_push(&file->cmdline, arg))
			return &pd_enomem;
	}
	return NULL;
}

/* Each: the attr again, its ids, and the name that the user gave. */
static struct pd_error *decode_event_desc(struct pd_file *file, struct pd_cursor *c)
{
	uint32_t n = pd_cursor_u32(c);
	uint32_t attr_size = pd_cursor_u32(c);

	for (uint32_t i = 0; i < n && i < file->events.list.n; i++) {
		pd_cursor_bytes(c, attr_size);
		uint32_t n_ids = pd_cursor_u32(c);
		const char *name = read_string(file, c);
		const uint64_t *index = NULL;

		for (uint32_t k = 0; k < n_ids && !c->overrun; k++) {
			uint64_t id = pd_cursor_u64(c);
			if (!k)
				index = pd_map_find(&file->events.by_id, id);
		}
		if (c->overrun)
			break;
		if (!name)
			return &pd_enomem;
		struct pd_error *err = pd_events_set_name(
			&file->events, index ? (uint32_t)*index : i, name, strlen(name));
		if (err)
			return err;
	}
	return NULL;
}

enum { BUILD_ID_FIELD_BYTES = 24, BUILD_ID_LEN_AT = 20 };

/* The length is in the record where misc says so; else trailing groups of four zeros are padding. */
static struct pd_build_id parse_build_id(const uint8_t *bytes, uint16_t misc)
{
	struct pd_build_id id = { .len = PD_BUILD_ID_MAX };

	memcpy(id.bytes, bytes, PD_BUILD_ID_MAX);
	if (misc & PD_MISC_BUILD_ID_SIZE) {
		if (bytes[BUILD_ID_LEN_AT] < PD_BUILD_ID_MAX)
			id.len = bytes[BUILD_ID_LEN_AT];
		memset(id.bytes + id.len, 0, PD_BUILD_ID_MAX - id.len);
		return id;
	}
	while (id.len && !memcmp(id.bytes + id.len - 4, "\0\0\0", 4))
		id.len -= 4;
	return id;
}

/* Records: header, s32 pid, build id, name to the end. Their type is not reliable. */
static struct pd_error *decode_build_ids(struct pd_file *file, struct pd_cursor *c)
{
	while (pd_cursor_left(c) && !c->overrun) {
		pd_cursor_u32(c);
		struct pd_build_id_entry entry = { 0 };
		uint16_t misc = pd_cursor_u16(c);
		uint16_t size = pd_cursor_u16(c);
		pd_cursor_u32(c);
		const uint8_t *id = pd_cursor_bytes(c, BUILD_ID_FIELD_BYTES);
		uint16_t fixed = PD_RECORD_HEADER_BYTES + 4 + BUILD_ID_FIELD_BYTES;

		if (size < fixed)
			c->overrun = true;
		const uint8_t *name = c->overrun ? NULL : pd_cursor_bytes(c, size - fixed);
		if (!id || !name)
			break;
		entry.cpumode = misc & PD_MISC_CPUMODE_MASK;
		entry.id = parse_build_id(id, misc);
		entry.name = pd_arena_strndup(
			&file->arena, name, strnlen((const char *)name, size - fixed));
		if (!entry.name || !pd_vec_push(&file->build_ids, entry))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *decode_sample_time(struct pd_file *file, struct pd_cursor *c)
{
	file->first_sample_ns = pd_cursor_u64(c);
	file->last_sample_ns = pd_cursor_u64(c);
	return NULL;
}

static struct pd_error *decode_text(struct pd_file *file, struct pd_cursor *c, unsigned bit)
{
	file->text[bit] = read_string(file, c);
	return file->text[bit] || c->overrun ? NULL : &pd_enomem;
}

static struct pd_error *decode_body(struct pd_file *file, struct pd_cursor *c, unsigned bit)
{
	switch (bit) {
	case PD_FEATURE_BUILD_ID:
		return decode_build_ids(file, c);
	case PD_FEATURE_CMDLINE:
		return decode_cmdline(file, c);
	case PD_FEATURE_EVENT_DESC:
		return decode_event_desc(file, c);
	case PD_FEATURE_SAMPLE_TIME:
		return decode_sample_time(file, c);
	default:
		return NULL;
	}
}

struct pd_error *pd_feature_decode(struct pd_file *file, unsigned bit)
{
	const struct pd_feature *feature = &file->feature[bit];
	const struct feature_row *row = find_row(bit);
	struct pd_cursor c = pd_cursor_init(feature->bytes, feature->size, file->swap);

	if (!feature->size)
		return NULL;
	struct pd_error *err = row && row->codec == CODEC_STR ? decode_text(file, &c, bit)
							      : decode_body(file, &c, bit);
	if (!err && c.overrun)
		warn_damaged(file, bit);
	return err;
}
