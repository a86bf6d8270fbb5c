#include "parse/simpleperf.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

/* Pairs of texts, each with its NUL. */
const char *pd_simpleperf_info(const struct pd_file *file, const char *key)
{
	const struct pd_feature *info = &file->feature[PD_SIMPLEPERF_META_INFO];
	struct pd_cursor c = pd_cursor_init(info->bytes, info->size, file->swap);
	size_t len;

	while (pd_cursor_left(&c)) {
		const char *name = pd_cursor_str(&c, &len);
		const char *value = pd_cursor_str(&c, &len);

		if (!value)
			break;
		if (strcmp(name, key) == 0)
			return value;
	}
	return NULL;
}

/* The number behind the last comma before *end_ret, which then moves there. */
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

/* A line "name,type,config". */
static struct pd_error *name_by_line(struct pd_file *file, const char *line, const char *end)
{
	struct pd_events *events = &file->events;
	uint64_t config, type;

	if (!last_number(line, &end, &config) || !last_number(line, &end, &type))
		return NULL;
	for (uint32_t i = 0; i < events->list.n; i++) {
		const struct pd_attr *attr = &events->list.data[i].attr;

		if (attr->type != type || attr->config != config)
			continue;
		struct pd_error *err = pd_events_set_name(
			events, i, PD_NAME_EVENT_DESC, line, (size_t)(end - line));
		if (err)
			return err;
	}
	return NULL;
}

/* More lines than events say nothing new. */
struct pd_error *pd_simpleperf_name_events(struct pd_file *file)
{
	const char *line = pd_simpleperf_info(file, "event_type_info");
	size_t n_lines = 0;

	while (line && *line && n_lines++ < file->events.list.n) {
		const char *end = strchrnul(line, '\n');
		struct pd_error *err = name_by_line(file, line, end);

		if (err)
			return err;
		line = *end ? end + 1 : end;
	}
	return NULL;
}

enum { MAX_IDS = 1 << 24 };

/* u64 count, then pairs of event number and id. */
struct pd_error *pd_simpleperf_add_ids(struct pd_file *file, const struct pd_record *rec)
{
	struct pd_cursor c = pd_cursor_init(rec->bytes + PD_RECORD_HEADER_BYTES,
		rec->size - PD_RECORD_HEADER_BYTES, file->swap);
	uint64_t n = pd_cursor_u64(&c);

	for (uint64_t i = 0; i < n && !c.overrun && file->events.by_id.n < MAX_IDS; i++) {
		uint64_t index = pd_cursor_u64(&c);
		uint64_t id = pd_cursor_u64(&c);

		if (c.overrun || index >= file->events.list.n)
			continue;
		struct pd_error *err = pd_events_add_id(&file->events, id, (uint32_t)index);
		if (err)
			return err;
	}
	if (c.overrun)
		pd_diag_note(
			file->diag, file->path, rec->offset, "EVENT_ID", "record is too short");
	return NULL;
}
