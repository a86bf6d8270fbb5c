#include "parse/simpleperf.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>

#include "base/containers/hash.h"
#include "base/limit.h"
#include "parse/open_file.h"
#include "parse/meta_info.h"

bool parse_simpleperf_has_inner_tracing_data(uint32_t record_size, uint32_t data_size)
{
	enum { HEAD = PD_RECORD_HEADER_BYTES + 4, LARGEST_OF_PERF = 16 };

	return record_size > LARGEST_OF_PERF && data_size && data_size <= record_size - HEAD;
}

const char *parse_simpleperf_info(const struct pd_file *file, const char *key)
{
	const char *name, *value;
	size_t at = 0;

	while (parse_meta_info_next(file, &at, &name, &value)) {
		if (strcmp(name, key) == 0)
			return value;
	}
	return NULL;
}

/* Parse the number after the last comma before *end_ret, and move *end_ret to that comma. */
static bool last_number(const char *line, const char **end_ret, uint64_t *ret)
{
	const char *comma = memrchr(line, ',', (size_t)(*end_ret - line));
	char *stop;

	if (!comma)
		return false;
	*ret = strtoull(comma + 1, &stop, 0);
	if (stop != *end_ret || stop == comma + 1)
		return false;
	*end_ret = comma;
	return true;
}

/* Line "name,type,config". */
struct type_info {
	const char *name;
	size_t len;
	uint64_t type;
	uint64_t config;
};

static bool parse_line(const char *line, struct type_info *ret)
{
	const char *end = strchrnul(line, '\n');

	if (!last_number(line, &end, &ret->config) || !last_number(line, &end, &ret->type))
		return false;
	ret->name = line;
	ret->len = (size_t)(end - line);
	return true;
}

static uint64_t key_of(uint64_t type, uint64_t config)
{
	return base_hash_u64(type) ^ config;
}

/* Map type and config to the line. */
static struct pd_error *index_lines(const char *line, struct base_map *lines)
{
	while (line && *line) {
		struct type_info info;
		const char *end = strchrnul(line, '\n');

		if (parse_line(line, &info)) {
			uint64_t *value = base_map_add(lines, key_of(info.type, info.config), NULL);
			if (!value)
				return &pd_enomem;
			*value = (uintptr_t)line;
		}
		line = *end ? end + 1 : end;
	}
	return NULL;
}

static struct pd_error *name_event(
	struct pd_events *events, uint32_t index, const struct base_map *lines)
{
	const struct pd_attr *attr = &events->list.data[index].attr;
	const uint64_t *line = base_map_find(lines, key_of(attr->type, attr->config));
	struct type_info info;

	if (!line || !parse_line((const char *)(uintptr_t)*line, &info) ||
		info.type != attr->type || info.config != attr->config)
		return NULL;
	return parse_events_set_name(events, index, PD_NAME_EVENT_DESC, info.name, info.len);
}

struct pd_error *parse_simpleperf_name_events(struct pd_file *file)
{
	struct base_map lines = { 0 };
	struct pd_error *err = index_lines(parse_simpleperf_info(file, "event_type_info"), &lines);

	for (uint32_t i = 0; !err && i < file->events.list.n; i++)
		err = name_event(&file->events, i, &lines);
	base_map_deinit(&lines);
	return err;
}

enum { MAX_IDS = PD_LIMIT_EVENT_IDS };

/* EVENT_ID: u64 count, then pairs of event index and id. */
struct pd_error *parse_simpleperf_add_ids(struct pd_file *file, const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec);
	uint64_t n = pd_cursor_u64(&c);

	for (uint64_t i = 0; i < n && !c.overrun; i++) {
		if (parse_events_n_ids(&file->events) >= MAX_IDS) {
			pd_diag_note(file->diag, file->path, rec->offset, "EVENT_ID",
				"too many ids: further ones are left out");
			return NULL;
		}
		uint64_t index = pd_cursor_u64(&c);
		uint64_t id = pd_cursor_u64(&c);

		if (c.overrun || index >= file->events.list.n)
			continue;
		struct pd_error *err = parse_events_add_id(&file->events, id, (uint32_t)index);
		if (err)
			return err;
	}
	if (c.overrun)
		pd_diag_note(
			file->diag, file->path, rec->offset, "EVENT_ID", "record is too short");
	return NULL;
}
