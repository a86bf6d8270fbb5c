#include <pdconv/feature.h>

#include <stdio.h>
#include <string.h>

#include "base/arch.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "parse/open_file.h"
#include "parse/layout_tables.h"

#define FEATURE_LAYOUT(member, fields) PD_DEFINE_LAYOUT(member, fields, .name = #member)
PD_FEATURE_STRUCTS(FEATURE_LAYOUT)

struct feature_row {
	const char *name;
	unsigned bit;
	const struct pd_layout *layout;
};

#define FEATURE_ROW(bit_, name_, layout_) \
	{ .name = #name_, .bit = bit_, .layout = &pd_layout_##layout_ },
static const struct feature_row rows[] = { PD_FEATURES(FEATURE_ROW) };

static const struct feature_row *find_row(unsigned bit)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
		if (rows[i].bit == bit)
			return &rows[i];
	}
	return NULL;
}

const char *pd_feature_name(unsigned bit)
{
	const struct feature_row *row = find_row(bit);

	return row ? row->name : NULL;
}

const struct pd_layout *pd_feature_layout(unsigned bit)
{
	const struct feature_row *row = find_row(bit);

	return row ? row->layout : NULL;
}

static bool take_number(struct pd_str *text, uint32_t *ret)
{
	uint64_t n = 0;
	size_t i = 0;

	for (; i < text->len && text->s[i] >= '0' && text->s[i] <= '9' && n <= UINT32_MAX; i++)
		n = n * 10 + (uint64_t)(text->s[i] - '0');
	text->s += i;
	text->len -= i;
	*ret = (uint32_t)n;
	return i && n <= UINT32_MAX;
}

static bool take_char(struct pd_str *text, char c)
{
	if (!text->len || *text->s != c)
		return false;
	text->s++;
	text->len--;
	return true;
}

bool pd_cpu_range_take(struct pd_str *list, uint32_t *first_ret, uint32_t *last_ret)
{
	struct pd_str rest = *list;
	uint32_t first, last;

	if (!take_number(&rest, &first))
		return false;
	last = first;
	if (take_char(&rest, '-') && (!take_number(&rest, &last) || last < first))
		return false;
	if (rest.len && !take_char(&rest, ','))
		return false;
	*list = rest;
	*first_ret = first;
	*last_ret = last;
	return true;
}

/* Features that pdconv itself needs: names, build ids, tracing data. */

static const char *copy(struct pd_file *file, struct pd_str text)
{
	return base_arena_strndup(&file->arena, text.s ? text.s : "", text.len);
}

static struct pd_error *take_text(struct pd_file *file, unsigned bit, const struct pd_string *text)
{
	file->text[bit] = copy(file, text->value);
	if (bit == PD_FEATURE_ARCH && file->text[bit])
		file->env.arch = pd_arch_find(file->text[bit]);
	return file->text[bit] ? NULL : &pd_enomem;
}

static struct pd_error *take_cmdline(struct pd_file *file, const struct pd_strings *args)
{
	struct pd_list_iter iter = pd_list_iter(&args->strings, NULL);
	struct pd_string arg;

	file->cmdline.n = 0;
	while (pd_list_next(&iter, &pd_layout_string, &arg)) {
		const char *text = copy(file, arg.value);

		if (!text || !pd_vec_push(&file->cmdline, text))
			return &pd_enomem;
	}
	return NULL;
}

/*
 * Find the event that has one of the ids. If there is none, return the event at index place, unless
 * both it and the description have ids, because these differ. NULL if not found.
 */
static const struct pd_event *described_event(
	const struct pd_file *file, uint32_t place, const struct pd_view *ids)
{
	const struct pd_event *event = NULL;

	for (uint64_t k = 0; k < ids->n && !event; k++)
		event = pd_events_by_id(&file->events, pd_view_u64(ids, k));
	if (event)
		return event;
	event = &file->events.list.data[place];
	return ids->n && event->ids.n ? NULL : event;
}

static struct pd_error *describe_event(
	struct pd_file *file, uint32_t place, const struct pd_event_desc_entry *entry)
{
	const struct pd_view *ids = &entry->ids;
	const struct pd_event *event = described_event(file, place, ids);

	if (!event)
		return NULL;
	uint32_t index = event->index;
	uint64_t n_missing = event->ids.n ? 0 : ids->n;
	for (uint64_t k = 0; k < n_missing; k++) {
		struct pd_error *err =
			parse_events_add_id(&file->events, pd_view_u64(ids, k), index);
		if (err)
			return err;
	}
	return parse_events_set_name(
		&file->events, index, PD_NAME_EVENT_DESC, entry->name.s, entry->name.len);
}

static struct pd_error *take_event_desc(struct pd_file *file, const struct pd_event_desc *desc)
{
	struct pd_layout_env env = { .attr_size = desc->attr_size };
	struct pd_list_iter iter = pd_list_iter(&desc->events, &env);
	struct pd_event_desc_entry entry;

	for (uint32_t i = 0;
		i < file->events.list.n && pd_list_next(&iter, &pd_layout_event_desc_entry, &entry);
		i++) {
		struct pd_error *err = describe_event(file, i, &entry);
		if (err)
			return err;
	}
	return NULL;
}

/* Store the numbers of PMUs, as in attr.type, and their names. */
static struct pd_error *take_pmu_mappings(
	struct pd_file *file, const struct pd_pmu_mappings *mappings)
{
	struct pd_list_iter iter = pd_list_iter(&mappings->pmus, NULL);
	struct pd_pmu_mapping pmu;

	while (pd_list_next(&iter, &pd_layout_pmu_mapping, &pmu)) {
		const char *name = copy(file, pmu.name);
		struct pd_error *err =
			name ? parse_events_add_pmu(&file->events, pmu.type, name) : &pd_enomem;
		if (err)
			return err;
	}
	/* In a stream they follow the events. */
	return parse_events_finish(&file->events, 0);
}

static struct pd_error *take_build_ids(struct pd_file *file, const struct pd_build_ids *ids)
{
	struct pd_list_iter iter = pd_list_iter(&ids->entries, NULL);
	struct pd_build_id_record rec;

	while (pd_list_next(&iter, &pd_layout_build_id_record, &rec)) {
		struct pd_build_id_entry entry = {
			.id = pd_build_id_decode(rec.build_id, rec.misc),
			.cpumode = rec.misc & PD_MISC_CPUMODE_MASK,
			.pid = (int32_t)rec.pid,
			.name = copy(file, rec.filename),
		};

		if (!entry.name || !pd_vec_push(&file->build_ids, entry))
			return &pd_enomem;
	}
	return NULL;
}

/* Decode build ids: BUILD_ID records and entries of the feature have the same layout. */
struct pd_error *parse_build_ids_decode(struct pd_file *file, struct pd_cursor *c)
{
	struct pd_layout_env env = { 0 };
	struct pd_layout_fault fault;
	struct pd_build_ids ids;

	if (!pd_layout_decode(&pd_layout_build_ids, c, &env, &ids, &fault) || pd_cursor_left(c))
		c->overrun = true;
	return take_build_ids(file, &ids);
}

/* Name the events of tracepoints "SYSTEM:NAME". */
struct pd_error *parse_tracepoints_name(struct pd_file *file, size_t first)
{
	for (size_t i = first; i < file->events.list.n && file->tracing; i++) {
		const struct pd_attr *attr = &file->events.list.data[i].attr;
		const struct pd_tracepoint *tracepoint = NULL;

		if (attr->type == PD_TYPE_TRACEPOINT)
			tracepoint = pd_tracing_find(file->tracing, attr->config);
		if (!tracepoint)
			continue;
		_cleanup_free_ char *name =
			base_format("%s:%s", tracepoint->system, tracepoint->format.name);
		if (!name)
			return &pd_enomem;
		struct pd_error *err = parse_events_set_name(
			&file->events, (uint32_t)i, PD_NAME_TRACING, name, strlen(name));
		if (err)
			return err;
	}
	return NULL;
}

/* Parse the tracing data: names and fields of tracepoints. */
static struct pd_error *take_tracing_data(struct pd_file *file, const struct pd_blob *blob)
{
	uint64_t offset = file->feature[PD_FEATURE_TRACING_DATA].offset;
	const char *wrong = NULL;

	pd_tracing_destroy(file->tracing);
	file->tracing = NULL;
	struct pd_error *err =
		pd_tracing_create(blob->data.data, blob->data.n, &file->tracing, &wrong);
	/* Damaged tracing data only cost the names and fields of tracepoints. */
	if (err && err->code == PD_ERROR_FORMAT) {
		pd_error_destroy(err);
		pd_diag_warn(file->diag, file->path, offset, "TRACING_DATA",
			"feature section is damaged");
		return NULL;
	}
	if (err)
		return err;
	if (wrong)
		pd_diag_note(file->diag, file->path, offset, "TRACING_DATA", wrong);
	return parse_tracepoints_name(file, 0);
}

static struct pd_error *take_body(struct pd_file *file, unsigned bit, const void *body)
{
	const struct pd_sample_time *times = body;
	const struct pd_nrcpus *cpus = body;

	if (pd_feature_layout(bit) == &pd_layout_string)
		return take_text(file, bit, body);
	switch (bit) {
	case PD_FEATURE_TRACING_DATA:
		return take_tracing_data(file, body);
	case PD_FEATURE_BUILD_ID:
		return take_build_ids(file, body);
	case PD_FEATURE_CMDLINE:
		return take_cmdline(file, body);
	case PD_FEATURE_EVENT_DESC:
		return take_event_desc(file, body);
	case PD_FEATURE_PMU_MAPPINGS:
		return take_pmu_mappings(file, body);
	case PD_FEATURE_SAMPLE_TIME:
		file->first_sample_ns = times->first_sample;
		file->last_sample_ns = times->last_sample;
		return NULL;
	case PD_FEATURE_NRCPUS:
		file->env.n_cpus = cpus->nr_cpus_available;
		return NULL;
	/* pd_file_feature() decodes the other features when they are needed. */
	default:
		return NULL;
	}
}

/* Whether only zeros are left: in FEATURE records padding follows the body. */
static bool is_padding(const struct pd_cursor *c)
{
	const uint8_t *p = c->pos;

	while (p < c->end && !*p)
		p++;
	return p == c->end;
}

struct pd_error *parse_feature_decode(struct pd_file *file, unsigned bit)
{
	const struct pd_feature *feature = &file->feature[bit];
	const struct pd_layout *layout = pd_feature_layout(bit);
	const struct pd_view bytes = pd_file_feature_bytes(file, bit);
	struct pd_cursor c = pd_view_cursor(&bytes);
	struct pd_layout_env env = file->env;
	struct pd_layout_fault fault;
	union pd_any_struct body = { 0 };

	if (!layout || !feature->size)
		return NULL;
	if (!pd_layout_decode(layout, &c, &env, &body, &fault) || !is_padding(&c))
		pd_diag_warn(file->diag, file->path, feature->offset, pd_feature_name(bit),
			"feature section is damaged");
	return take_body(file, bit, &body);
}

bool pd_file_feature(const struct pd_file *file, unsigned bit, void *ret)
{
	const struct pd_layout *layout = pd_feature_layout(bit);
	struct pd_layout_env env = file->env;
	struct pd_layout_fault fault;

	if (!layout)
		return false;
	memset(ret, 0, layout->struct_size);
	if (!file->feature[bit].is_present)
		return false;
	const struct pd_view bytes = pd_file_feature_bytes(file, bit);
	struct pd_cursor c = pd_view_cursor(&bytes);
	return pd_layout_decode(layout, &c, &env, ret, &fault);
}
