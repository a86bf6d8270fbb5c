/* What pdconv itself takes from the header's features. */
#include <string.h>

#include "parse/feature.h"
#include "parse/file_private.h"

static const char *copy(struct pd_file *file, struct pd_str text)
{
	return pd_arena_strndup(&file->arena, text.s ? text.s : "", text.len);
}

static struct pd_error *take_text(struct pd_file *file, unsigned bit, const struct pd_string *text)
{
	file->text[bit] = copy(file, text->value);
	return file->text[bit] ? NULL : &pd_enomem;
}

static struct pd_error *take_cmdline(struct pd_file *file, const struct pd_strings *args)
{
	struct pd_list_iter iter = pd_list_iter(&args->strings, file->swap, NULL);
	struct pd_string arg;

	file->cmdline.n = 0;
	while (pd_list_next(&iter, &pd_layout_string, &arg)) {
		const char *text = copy(file, arg.value);

		if (!text || !pd_vec_push(&file->cmdline, text))
			return &pd_enomem;
	}
	return NULL;
}

/* Which event an entry is about: its first id tells, else its place. */
static uint32_t described_event(
	const struct pd_file *file, const struct pd_event_desc_entry *entry, uint32_t place)
{
	const uint64_t *index = NULL;

	if (entry->ids.n)
		index = pd_map_find(&file->events.by_id, pd_load_u64(entry->ids.data, file->swap));
	return index ? (uint32_t)*index : place;
}

static struct pd_error *take_event_desc(struct pd_file *file, const struct pd_event_desc *desc)
{
	struct pd_layout_env env = { .attr_size = desc->attr_size };
	struct pd_list_iter iter = pd_list_iter(&desc->events, file->swap, &env);
	struct pd_event_desc_entry entry;

	for (uint32_t i = 0;
		i < file->events.list.n && pd_list_next(&iter, &pd_layout_event_desc_entry, &entry);
		i++) {
		struct pd_error *err = pd_events_set_name(&file->events,
			described_event(file, &entry, i), entry.name.s, entry.name.len);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *take_build_ids(struct pd_file *file, const struct pd_build_ids *ids)
{
	struct pd_list_iter iter = pd_list_iter(&ids->entries, file->swap, NULL);
	struct pd_build_id_record rec;

	while (pd_list_next(&iter, &pd_layout_build_id_record, &rec)) {
		struct pd_build_id_entry entry = {
			.id = pd_build_id_decode(rec.build_id, rec.misc),
			.cpumode = rec.misc & PD_MISC_CPUMODE_MASK,
			.name = copy(file, rec.filename),
		};

		if (!entry.name || !pd_vec_push(&file->build_ids, entry))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *take_body(struct pd_file *file, unsigned bit, const void *body)
{
	const struct pd_sample_time *times = body;
	const struct pd_nrcpus *cpus = body;

	if (pd_feature_layout(bit) == &pd_layout_string)
		return take_text(file, bit, body);
	switch (bit) {
	case PD_FEATURE_BUILD_ID:
		return take_build_ids(file, body);
	case PD_FEATURE_CMDLINE:
		return take_cmdline(file, body);
	case PD_FEATURE_EVENT_DESC:
		return take_event_desc(file, body);
	case PD_FEATURE_SAMPLE_TIME:
		file->first_sample_ns = times->first_sample;
		file->last_sample_ns = times->last_sample;
		return NULL;
	case PD_FEATURE_NRCPUS:
		file->env.n_cpus = cpus->nr_cpus_available;
		return NULL;
	default:
		return NULL;
	}
}

struct pd_error *pd_feature_decode(struct pd_file *file, unsigned bit)
{
	const struct pd_feature *feature = &file->feature[bit];
	const struct pd_layout *layout = pd_feature_layout(bit);
	struct pd_cursor c = pd_cursor_init(feature->bytes, feature->size, file->swap);
	struct pd_layout_env env = file->env;
	struct pd_layout_fault fault;
	union pd_any_struct body = { 0 };

	if (!layout || !feature->size)
		return NULL;
	if (!pd_layout_decode(layout, &c, &env, &body, &fault) || pd_cursor_left(&c))
		pd_diag_warn(file->diag, file->path, feature->offset, pd_feature_name(bit),
			"feature section is damaged");
	return take_body(file, bit, &body);
}
