#include "parse/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parse/file_private.h"

/* The header of file mode. */
enum {
	MAGIC_BYTES = 8,
	PIPE_HEADER_BYTES = 16,
	HEADER_BYTES_WITHOUT_FEATURES = 72,
	HEADER_BYTES = 104,
	IDS_SECTION_BYTES = 16,
	FEATURE_ENTRY_BYTES = 16,
};

/* "PERFILE2" as its writer's u64; the older magic says nothing of the byte order. */
static const uint64_t magic_version_2 = 0x32454c4946524550U;
static const char magic_version_1[MAGIC_BYTES] = { 'P', 'E', 'R', 'F', 'F', 'I', 'L', 'E' };

/* Sizes of an attr table entry that writers have used, without the ids section. */
static bool is_attr_size(uint64_t size)
{
	return size >= PD_ATTR_MIN_BYTES + IDS_SECTION_BYTES && size <= 4096 && size % 8 == 0;
}

static bool find_byte_order(const uint8_t *bytes, bool *swap_ret)
{
	uint64_t magic = pd_load_u64(bytes, false);

	if (magic == magic_version_2 || magic == __builtin_bswap64(magic_version_2)) {
		*swap_ret = magic != magic_version_2;
		return true;
	}
	if (memcmp(bytes, magic_version_1, MAGIC_BYTES) != 0)
		return false;
	/* Either the attr size or, in a pipe, the header size reads right in one order only. */
	*swap_ret = !is_attr_size(pd_load_u64(bytes + 16, false)) &&
		    pd_load_u64(bytes + 8, false) != PIPE_HEADER_BYTES;
	return true;
}

static struct pd_error *check_magic(struct pd_file *file)
{
	if (file->size == 0)
		return pd_error_create(PD_ERROR_FORMAT, file->path, "file is empty");
	if (file->size < PIPE_HEADER_BYTES || !find_byte_order(file->bytes, &file->swap))
		return pd_error_create(PD_ERROR_FORMAT, file->path, "not a perf.data file");
	if (pd_load_u64(file->bytes + MAGIC_BYTES, file->swap) == PIPE_HEADER_BYTES)
		return pd_error_create(PD_ERROR_UNSUPPORTED, file->path,
			"a stream of `perf record -o -`, which is not read yet");
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

static struct pd_error *add_ids(struct pd_file *file, struct pd_section ids)
{
	uint32_t index = (uint32_t)file->events.list.n - 1;

	if (!is_within(file, ids) || ids.size % 8) {
		pd_diag_warn(file->diag, file->path, ids.offset, "attr", "event ids are damaged");
		return NULL;
	}
	struct pd_cursor c = pd_section_cursor(file, ids);
	while (pd_cursor_left(&c)) {
		struct pd_error *err = pd_events_add_id(&file->events, pd_cursor_u64(&c), index);
		if (err)
			return err;
	}
	return NULL;
}

/*
 * The table's stride is attr_size; perf itself steps by what each attr says of its own size. Where
 * they differ, the ids section is in the last 16 bytes of the stride.
 */
static struct pd_error *read_attrs(
	struct pd_file *file, struct pd_section attrs, uint64_t attr_size)
{
	if (!is_attr_size(attr_size))
		return pd_error_at(file->path, MAGIC_BYTES + 8, "header",
			"attr size %" PRIu64 " makes no sense%s", attr_size,
			attr_size ? "" : ": the recording was never finished");
	if (!is_within(file, attrs))
		return pd_error_at(file->path, attrs.offset, "attrs", "outside the file");

	for (uint64_t i = 0; i < attrs.size / attr_size; i++) {
		uint64_t at = attrs.offset + i * attr_size;
		struct pd_section ids_at = {
			.offset = at + attr_size - IDS_SECTION_BYTES,
			.size = IDS_SECTION_BYTES,
		};
		struct pd_cursor c = pd_section_cursor(file, ids_at);
		struct pd_attr attr;

		if (!pd_attr_decode(
			    file->bytes + at, attr_size - IDS_SECTION_BYTES, file->swap, &attr))
			return pd_error_at(file->path, at, "attr", "its size makes no sense");
		struct pd_error *err = pd_events_add(&file->events, &attr);
		if (!err)
			err = add_ids(file, read_section(&c));
		if (err)
			return err;
	}
	if (!file->events.list.n)
		return pd_error_at(file->path, attrs.offset, "attrs", "no events");
	return NULL;
}

/* Where the records end, as far as the file goes. */
static struct pd_error *place_data(struct pd_file *file)
{
	if (file->data.offset > file->size)
		return pd_error_at(
			file->path, file->data.offset, "header", "records begin past the end");
	uint64_t available = file->size - file->data.offset;

	if (file->data.size == 0 && available) {
		file->is_unfinished = true;
		file->data.size = available;
		pd_diag_warn(file->diag, file->path, PD_NO_OFFSET, NULL,
			"the recording was interrupted: reading what is there, without host, "
			"command line and build ids");
	} else if (file->data.size > available) {
		pd_diag_warn(file->diag, file->path, file->size, NULL,
			"the file was cut: %" PRIu64 " of %" PRIu64 " bytes of records are there",
			available, file->data.size);
		file->is_unfinished = true;
		file->data.size = available;
	}
	return NULL;
}

/* One entry for each bit that is set, behind the records. */
static void place_features(struct pd_file *file, const uint64_t bitmap[static 4])
{
	struct pd_section rest = { .offset = file->data.offset + file->data.size };

	if (file->is_unfinished)
		return;
	rest.size = file->size - rest.offset;
	struct pd_cursor c = pd_section_cursor(file, rest);
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
}

static struct pd_error *decode_features(struct pd_file *file)
{
	for (unsigned bit = 0; bit < PD_N_FEATURE_BITS; bit++) {
		if (!file->feature[bit].is_present)
			continue;
		struct pd_error *err = pd_feature_decode(file, bit);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *read_header(struct pd_file *file)
{
	uint64_t bitmap[4] = { 0 };
	struct pd_cursor c = pd_cursor_init(file->bytes, file->size, file->swap);

	if (file->size < HEADER_BYTES_WITHOUT_FEATURES)
		return pd_error_create(PD_ERROR_FORMAT, file->path,
			"file ends in its header, after %" PRIu64 " bytes", file->size);
	pd_cursor_bytes(&c, MAGIC_BYTES);
	uint64_t header_size = pd_cursor_u64(&c);
	uint64_t attr_size = pd_cursor_u64(&c);
	struct pd_section attrs = read_section(&c);
	file->data = read_section(&c);
	struct pd_section event_types = read_section(&c);
	if (header_size >= HEADER_BYTES) {
		for (size_t i = 0; i < 4; i++)
			bitmap[i] = pd_cursor_u64(&c);
	}

	file->events.swap = file->swap;
	struct pd_error *err = read_attrs(file, attrs, attr_size);
	if (!err)
		err = place_data(file);
	if (err)
		return err;
	place_features(file, bitmap);
	err = decode_features(file);
	if (!err && is_within(file, event_types))
		err = pd_events_name_by_types(
			&file->events, file->bytes + event_types.offset, event_types.size);
	return err ? err : pd_events_finish(&file->events);
}

/* What cannot be read in any order is copied to where it can, unless it is meant to be a stream. */
static struct pd_error *take_input(struct pd_file *file)
{
	struct pd_seen seen;
	struct pd_error *err = pd_input_look(file->input, PIPE_HEADER_BYTES, &seen);

	if (err)
		return err;
	file->size = seen.len;
	file->bytes = seen.bytes;
	err = check_magic(file);
	if (!err && !pd_input_bytes(file->input, &file->size))
		err = pd_input_spool(file->input);
	file->bytes = pd_input_bytes(file->input, &file->size);
	return err;
}

/* A file of input, which it takes over. */
static struct pd_error *create(
	const char *path, struct pd_input *input, struct pd_diag *diag, struct pd_file **ret)
{
	struct pd_file *file = calloc(1, sizeof(*file));

	if (!file) {
		pd_input_close(input);
		return &pd_enomem;
	}
	file->diag = diag;
	file->input = input;
	file->path = pd_arena_strndup(&file->arena, path, strlen(path));
	struct pd_error *err = file->path ? take_input(file) : &pd_enomem;
	if (!err)
		err = read_header(file);
	if (err)
		pd_file_close(file);
	else
		*ret = file;
	return err;
}

struct pd_error *pd_file_open(const char *path, struct pd_diag *diag, struct pd_file **ret)
{
	struct pd_input *input;
	struct pd_error *err = pd_input_open(path, diag, &input);

	return err ? err : create(path, input, diag, ret);
}

struct pd_error *pd_file_open_fd(
	int fd, const char *name, struct pd_diag *diag, struct pd_file **ret)
{
	struct pd_input *input;
	struct pd_error *err = pd_input_open_fd(fd, name, diag, &input);

	return err ? err : create(name, input, diag, ret);
}

struct pd_error *pd_file_open_memory(const char *path, const void *bytes, size_t size,
	struct pd_diag *diag, struct pd_file **ret)
{
	struct pd_input *input;
	struct pd_error *err = pd_input_open_memory(bytes, size, path, diag, &input);

	return err ? err : create(path, input, diag, ret);
}

void pd_file_close(struct pd_file *file)
{
	if (!file)
		return;
	pd_input_close(file->input);
	pd_events_deinit(&file->events);
	pd_vec_deinit(&file->cmdline);
	pd_vec_deinit(&file->build_ids);
	pd_arena_deinit(&file->arena);
	free(file);
}

const struct pd_build_id *pd_file_build_id(
	const struct pd_file *file, const char *name, uint16_t cpumode)
{
	for (size_t i = 0; i < file->build_ids.n; i++) {
		const struct pd_build_id_entry *entry = &file->build_ids.data[i];

		if (entry->cpumode == cpumode && strcmp(entry->name, name) == 0)
			return &entry->id;
	}
	return NULL;
}
