#include <pdconv/file.h>

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "base/system/file_map.h"
#include "base/limit.h"
#include "base/format.h"
#include "parse/directory.h"
#include "parse/open_file.h"
#include "parse/simpleperf.h"
#include "parse/part_stream.h"

const char *pd_file_path(const struct pd_file *file)
{
	return file->path;
}

const struct pd_file_header *pd_file_header(const struct pd_file *file)
{
	return &file->header;
}

int pd_file_version(const struct pd_file *file)
{
	return file->version;
}

bool pd_file_is_swapped(const struct pd_file *file)
{
	return file->swap;
}

bool pd_file_is_pipe(const struct pd_file *file)
{
	return file->is_pipe;
}

bool pd_file_is_unfinished(const struct pd_file *file)
{
	return file->is_unfinished;
}

bool pd_file_is_simpleperf(const struct pd_file *file)
{
	return file->is_simpleperf;
}

const struct pd_events *pd_file_events(const struct pd_file *file)
{
	return &file->events;
}

const struct pd_layout_env *pd_file_env(const struct pd_file *file)
{
	return &file->env;
}

const struct pd_tracing *pd_file_tracing(const struct pd_file *file)
{
	return file->tracing;
}

struct pd_diag *pd_file_diag(const struct pd_file *file)
{
	return file->diag;
}

struct pd_gaps pd_file_gaps(const struct pd_file *file)
{
	return file->gaps;
}

size_t pd_file_n_parts(const struct pd_file *file)
{
	return file->parts.n;
}

const char *pd_file_part_path(const struct pd_file *file, uint32_t part)
{
	return part < file->parts.n ? file->parts.data[part].path : file->path;
}

struct pd_feature pd_file_feature_section(const struct pd_file *file, unsigned bit)
{
	return bit < PD_N_FEATURE_BITS ? file->feature[bit] : (struct pd_feature){ 0 };
}

struct pd_view pd_file_feature_bytes(const struct pd_file *file, unsigned bit)
{
	const struct pd_feature feature = pd_file_feature_section(file, bit);

	return (struct pd_view){
		.data = feature.bytes,
		.elem_size = 1,
		.swap = file->swap,
		.n = feature.size,
	};
}

const char *pd_file_text(const struct pd_file *file, unsigned bit)
{
	return bit < PD_N_FEATURE_BITS ? file->text[bit] : NULL;
}

const char *const *pd_file_cmdline(const struct pd_file *file, size_t *n_ret)
{
	*n_ret = file->cmdline.n;
	return file->cmdline.data;
}

const struct pd_build_id_entry *pd_file_build_ids(const struct pd_file *file, size_t *n_ret)
{
	*n_ret = file->build_ids.n;
	return file->build_ids.data;
}

bool pd_file_sample_times(const struct pd_file *file, uint64_t *first_ret, uint64_t *last_ret)
{
	if (!file->last_sample_ns)
		return false;
	*first_ret = file->first_sample_ns;
	*last_ret = file->last_sample_ns;
	return true;
}

/* Add a part. Takes ownership of input even on failure. */
static bool add_part(struct pd_file *file, const char *path, struct parse_input *input)
{
	struct parse_part part = {
		.path = base_arena_strndup(&file->arena, path, strlen(path)),
		.data.size = parse_input_size(input),
		.input = input,
		.first_gap = PD_NO_OFFSET,
	};

	if (part.path && pd_vec_push(&file->parts, part))
		return true;
	parse_input_close(input);
	return false;
}

static uint64_t hash_name(const char *name, uint16_t cpumode)
{
	return XXH3_64bits_withSeed(name, strlen(name), cpumode);
}

/*
 * If a name has several build ids, the first one is used, as in perf. Names in brackets are not
 * paths: perf once listed a vdso for each process.
 */
struct pd_error *parse_file_index_build_ids(struct pd_file *file)
{
	for (; file->n_indexed < file->build_ids.n; file->n_indexed++) {
		const struct pd_build_id_entry *entry = &file->build_ids.data[file->n_indexed];
		bool is_first;
		uint64_t *index = base_map_add(
			&file->build_id_index, hash_name(entry->name, entry->cpumode), &is_first);

		if (!index)
			return &pd_enomem;
		if (is_first)
			*index = file->n_indexed;
		else if (entry->name[0] == '/')
			file->has_namesakes = true;
	}
	return NULL;
}

const struct pd_build_id *pd_file_build_id(
	const struct pd_file *file, const char *name, uint16_t cpumode)
{
	if (!file->build_ids.n)
		return NULL;
	const uint64_t *index = base_map_find(&file->build_id_index, hash_name(name, cpumode));
	const struct pd_build_id_entry *entry = index ? &file->build_ids.data[*index] : NULL;

	return entry && entry->cpumode == cpumode && !strcmp(entry->name, name) ? &entry->id : NULL;
}

bool parse_file_has_namesakes(const struct pd_file *file)
{
	return file->has_namesakes;
}

enum { MAX_EVENT_TYPES = PD_LIMIT_EVENT_TYPES };

/* Marks a config with two names in the map. */
enum { AMBIGUOUS = 1 };

/* Decode an event type: u64 attr.config, then 64 bytes of name. */
struct pd_error *parse_event_type_decode(struct pd_file *file, struct pd_cursor *c)
{
	uint64_t config = pd_cursor_u64(c);
	uint64_t room = pd_cursor_left(c);

	/* Records of perf until 3.10 end after the name. */
	if (room > PD_EVENT_TYPE_BYTES - 8)
		room = PD_EVENT_TYPE_BYTES - 8;
	const char *name = (const char *)pd_cursor_bytes(c, room);
	bool is_first;

	if (!name || !room || !name[0])
		return NULL;
	if (file->event_types.n >= MAX_EVENT_TYPES) {
		pd_diag_note(file->diag, file->path, PD_NO_OFFSET, "EVENT_TYPE",
			"too many event types: further ones are left out");
		return NULL;
	}
	uint64_t *text = base_map_add(&file->event_types, config, &is_first);
	if (!text)
		return &pd_enomem;
	if (!is_first) {
		*text = AMBIGUOUS;
		return NULL;
	}
	*text = (uintptr_t)base_arena_strndup(&file->arena, name, strnlen(name, room));
	return *text ? NULL : &pd_enomem;
}

/*
 * Name events by event types. These have a config but no attr.type, so a config is only used if it
 * is unique both among the event types and among the events.
 */
static struct pd_error *name_by_event_types(struct pd_file *file, size_t first)
{
	struct pd_events *events = &file->events;

	for (size_t i = first; i < events->list.n && file->event_types.n; i++) {
		uint64_t config = events->list.data[i].attr.config;
		const uint64_t *text = base_map_find(&file->event_types, config);

		if (!text || *text == AMBIGUOUS || parse_events_n_with_config(events, config) != 1)
			continue;
		const char *name = (const char *)(uintptr_t)*text;
		struct pd_error *err = parse_events_set_name(
			events, (uint32_t)i, PD_NAME_EVENT_TYPES, name, strlen(name));
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *parse_file_name_events(struct pd_file *file, size_t first)
{
	struct pd_error *err = name_by_event_types(file, first);

	if (err)
		return err;
	err = parse_tracepoints_name(file, first);
	return err ? err : parse_events_finish(&file->events, first);
}

/* Read header and sections of a file, without those of its records. */
static struct pd_error *open_sections(struct pd_file *file)
{
	struct pd_error *err = parse_header_read(file);

	if (err)
		return err;
	if (file->is_simpleperf) {
		err = parse_simpleperf_name_events(file);
		if (err)
			return err;
	}
	return parse_file_index_build_ids(file);
}

/* Open a stream: records follow its header immediately. */
static struct pd_error *open_stream(struct pd_file *file)
{
	struct parse_part *part = &file->parts.data[0];

	part->data.offset = PD_PIPE_HEADER_BYTES;
	if (file->start)
		part->data.size = file->size - PD_PIPE_HEADER_BYTES;
	else
		parse_input_take(file->parts.data[0].input, PD_PIPE_HEADER_BYTES);
	struct parse_stream *stream;
	struct pd_error *err = parse_stream_create(file, 0, &stream);
	if (err)
		return err;
	file->stream = stream;
	return parse_stream_read_ahead(stream);
}

/* Keep the header. An input that is read once, but has sections, is copied to a temporary file. */
static struct pd_error *keep_header(struct pd_file *file)
{
	struct parse_input *input = file->parts.data[0].input;
	struct pd_section start = { .offset = 0 };

	if (!file->is_pipe && parse_input_size(input) == UINT64_MAX) {
		struct pd_error *err = parse_input_spool(input);
		if (err)
			return err;
	}
	file->size = parse_input_size(input);
	if (file->size == UINT64_MAX)
		return NULL;
	start.size = file->size < PD_HEADER_BYTES ? file->size : PD_HEADER_BYTES;
	return parse_section_keep(file, start, &file->start);
}

static struct pd_error *open_first_part(struct pd_file *file)
{
	uint8_t start[PD_HEADER_LOOK_BYTES];
	size_t len;
	struct pd_error *err =
		parse_input_look(file->parts.data[0].input, start, sizeof(start), &len);

	if (err)
		return err;
	err = parse_header_recognise(file, start, len);
	if (err)
		return err;
	err = keep_header(file);
	if (err)
		return err;
	err = file->is_pipe ? open_stream(file) : open_sections(file);
	return err ? err : parse_file_name_events(file, 0);
}

/* Create a recording without parts. NULL if out of memory. */
static struct pd_file *create(struct pd_diag *diag)
{
	struct pd_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->diag = diag ? diag : (file->own_diag = pd_diag_create());
	if (file->diag)
		return file;
	pd_file_close(file);
	return NULL;
}

static void close_file(struct pd_file **file)
{
	pd_file_close(*file);
}

void parse_gaps_count(
	struct pd_file *file, uint32_t part, uint64_t offset, uint64_t n, uint64_t time)
{
	struct parse_part *from = &file->parts.data[part];

	if (offset < from->gaps_end || !n)
		return;
	if (from->first_gap == PD_NO_OFFSET) {
		from->first_gap = offset;
		from->first_gap_time = time;
	}
	from->gaps_end = offset + n;
	file->gaps.n++;
	file->gaps.bytes += n;
}

bool parse_gaps_precede_record(const struct pd_file *file, const struct pd_record *rec)
{
	const struct parse_part *parts = file->parts.data;

	if (rec->offset > parts[rec->part].first_gap)
		return true;
	/* Records of one file of a directory are about the threads of the others, too. */
	for (size_t i = 0; i < file->parts.n; i++) {
		if (i != rec->part && parts[i].first_gap != PD_NO_OFFSET &&
			rec->time > parts[i].first_gap_time)
			return true;
	}
	return false;
}

static struct pd_error *check_inputs(const struct pd_file *file)
{
	for (size_t i = 0; i < file->parts.n; i++) {
		struct pd_error *err = parse_input_check(file->parts.data[i].input);

		if (err)
			return err;
	}
	return NULL;
}

void parse_file_drop(const struct pd_file *file)
{
	for (size_t i = 0; i < file->parts.n; i++) {
		const struct parse_part *part = &file->parts.data[i];

		if (part->input)
			parse_input_drop(part->input, 0, UINT64_MAX);
	}
}

struct pd_error *parse_file_await(const struct pd_file *file)
{
	for (size_t i = 0; i < file->parts.n; i++) {
		struct pd_error *err = parse_input_await(file->parts.data[i].input);

		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *parse_file_or_shrunk(const struct pd_file *file, struct pd_error *err)
{
	struct pd_error *shrunk = base_file_maps_have_shrunk() ? check_inputs(file) : NULL;

	if (!shrunk)
		return err;
	pd_error_destroy(err);
	return shrunk;
}

/* Open the first part of file. Takes ownership of input even on failure. */
static struct pd_error *start(struct pd_file *file, const char *path, struct parse_input *input)
{
	if (!add_part(file, path, input))
		return &pd_enomem;
	file->path = file->parts.data[0].path;
	return parse_file_or_shrunk(file, open_first_part(file));
}

static struct pd_error *open_path(const char *path, struct pd_diag *diag, struct pd_file **ret)
{
	_cleanup_(close_file) struct pd_file *file = create(diag);
	struct parse_input *input;

	if (!file)
		return &pd_enomem;
	struct pd_error *err = parse_input_open(path, file->diag, &input);
	if (err)
		return err;
	err = start(file, path, input);
	if (err)
		return err;
	*ret = take_ptr(file);
	return NULL;
}

/* Version of the directory layout in HEADER_DIR_FORMAT; 0: the recording is a single file. */
static uint64_t directory_format(const struct pd_file *file)
{
	const struct pd_view body = pd_file_feature_bytes(file, PD_FEATURE_DIR_FORMAT);
	struct pd_cursor c = pd_view_cursor(&body);

	return pd_cursor_u64(&c);
}

static struct pd_error *add_thread_parts(
	struct pd_file *file, const struct parse_directory *directory)
{
	for (size_t i = 0; i < directory->entries.n; i++) {
		const char *path = directory->entries.data[i].path;
		struct parse_input *input;
		struct pd_error *err = parse_input_open(path, file->diag, &input);

		if (err)
			return err;
		if (!add_part(file, path, input))
			return &pd_enomem;
	}
	return NULL;
}

enum { KNOWN_DIRECTORY_FORMAT = 1 };

static struct pd_error *open_thread_parts(struct pd_file *file, const char *path)
{
	struct parse_directory directory;
	uint64_t format = directory_format(file);

	if (!format)
		return NULL;
	if (format > KNOWN_DIRECTORY_FORMAT)
		pd_diag_warn(file->diag, path, PD_NO_OFFSET, "DIR_FORMAT",
			"the directory's layout is newer than known");
	struct pd_error *err = parse_directory_read(path, &directory);
	if (err)
		return err;
	err = add_thread_parts(file, &directory);
	parse_directory_deinit(&directory);
	return err;
}

static struct pd_error *open_directory(const char *path, struct pd_diag *diag, struct pd_file **ret)
{
	_cleanup_free_ char *data = base_format("%s/data", path);

	if (!data)
		return &pd_enomem;
	if (!parse_directory_is_file(data))
		return pd_error_create(PD_ERROR_FORMAT, path,
			"is a directory without a recording: there is no file \"data\" in it");
	struct pd_error *err = open_path(data, diag, ret);
	if (err)
		return err;
	err = open_thread_parts(*ret, path);
	if (err)
		pd_file_close(*ret);
	return err;
}

struct pd_error *pd_file_open(const char *path, struct pd_diag *diag, struct pd_file **ret)
{
	struct pd_error *err = parse_directory_is(path) ? open_directory(path, diag, ret)
							: open_path(path, diag, ret);

	if (err)
		return err;
	struct pd_file *file = *ret;
	file->opened_path = base_arena_strndup(&file->arena, path, strlen(path));
	if (file->opened_path)
		return NULL;
	pd_file_close(*ret);
	return &pd_enomem;
}

struct pd_error *pd_file_open_fd(
	int fd, const char *name, struct pd_diag *diag, struct pd_file **ret)
{
	_cleanup_(close_file) struct pd_file *file = create(diag);
	struct parse_input *input;

	if (!file)
		return &pd_enomem;
	struct pd_error *err = parse_input_open_fd(fd, name, file->diag, &input);
	if (err)
		return err;
	err = start(file, name, input);
	if (err)
		return err;
	*ret = take_ptr(file);
	return NULL;
}

struct pd_error *pd_file_open_memory(const char *path, const void *bytes, size_t size,
	struct pd_diag *diag, struct pd_file **ret)
{
	_cleanup_(close_file) struct pd_file *file = create(diag);
	struct parse_input *input;

	if (!file)
		return &pd_enomem;
	struct pd_error *err = parse_input_open_memory(bytes, size, path, file->diag, &input);
	if (err)
		return err;
	err = start(file, path, input);
	if (err)
		return err;
	*ret = take_ptr(file);
	return NULL;
}

/* Open the bytes of part @p i of @p file as another input. */
static struct pd_error *borrow_part(
	const struct pd_file *file, size_t i, struct pd_diag *diag, struct parse_input **ret)
{
	const char *path = file->parts.data[i].path;
	const struct parse_input *input = file->parts.data[i].input;

	if (parse_input_size(input) == UINT64_MAX)
		return pd_error_create(PD_ERROR_UNSUPPORTED, path,
			"cannot be read a second time, because it is a stream");
	return parse_input_open_again(input, diag, ret);
}

struct pd_error *parse_file_reopen(const struct pd_file *file, struct pd_file **ret)
{
	_cleanup_(close_file) struct pd_file *again = create(NULL);

	if (!again)
		return &pd_enomem;
	for (size_t i = 0; i < file->parts.n; i++) {
		const char *path = file->parts.data[i].path;
		struct parse_input *input = NULL;
		struct pd_error *err = borrow_part(file, i, again->diag, &input);

		if (err)
			return err;
		if (!i)
			err = start(again, path, input);
		else if (!add_part(again, path, input))
			err = &pd_enomem;
		if (err)
			return err;
	}
	*ret = take_ptr(again);
	return NULL;
}

void pd_file_set_budget(struct pd_file *file, struct pd_budget *budget)
{
	file->budget = budget;
}

void pd_file_close(struct pd_file *file)
{
	if (!file)
		return;
	parse_stream_destroy(file->stream);
	for (size_t i = 0; i < file->parts.n; i++)
		parse_input_close(file->parts.data[i].input);
	pd_vec_deinit(&file->parts);
	pd_tracing_destroy(file->tracing);
	parse_events_deinit(&file->events);
	pd_vec_deinit(&file->cmdline);
	pd_vec_deinit(&file->build_ids);
	base_map_deinit(&file->build_id_index);
	base_map_deinit(&file->event_types);
	base_arena_deinit(&file->arena);
	pd_diag_destroy(file->own_diag);
	free(file);
}
