#include "tables/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/utf8.h"

/*
 * Waits, the ledger and intervals are always requested, since threads get their numbers from them
 * as well: a row has the same number in each query. Recordings without switches take no longer.
 */
void tab_request(unsigned needs, struct prof_request *request)
{
	request->waits = true;
	request->ledger = request->ledger_if_known = true;
	request->intervals = true;
	request->tags |= 1u << PROF_TAG_CGROUP | 1u << PROF_TAG_PARALLELISM;
	request->no_names |= !(needs & TAB_NEEDS_NAMES);
	request->pattern_names |= (needs & TAB_NEEDS_NAMES) != 0;
	request->frame_offsets |= (needs & TAB_NEEDS_OFFSETS) != 0;
	request->rows |= (needs & TAB_NEEDS_ROWS) != 0;
	request->mappings |= (needs & TAB_NEEDS_MAPPINGS) != 0;
	request->phases |= (needs & TAB_NEEDS_PHASES) != 0;
}

/* Parts that are computed. Each returns false if memory ran out. */

static bool add_frames(struct tab_source *s)
{
	struct pd_error *err = ana_symbols_create(s->profile, &s->symbols);
	uint32_t n;

	pd_error_destroy(err);
	if (err || !pd_vec_reserve(&s->frame_owners, s->symbols.places.list.n))
		return false;
	for (struct prof_frame_id id = { 0 }; id.i < s->profile->frames.n; id.i++) {
		ana_symbols_at(&s->symbols, id, &n);
		for (uint32_t i = 0; i < n; i++)
			s->frame_owners.data[s->frame_owners.n++] = id;
	}
	return true;
}

static bool add_tree(struct tab_source *s)
{
	return tab_stack_tree_create(s->profile, &s->symbols.places, &s->tree);
}

static bool add_totals_of(struct tab_source *s, struct prof_event_id event, struct prof_value *self,
	struct prof_value *total)
{
	size_t n = s->tree.nodes.n;

	memset(self, 0, n * sizeof(*self));
	tab_stack_tree_sum(&s->tree, s->profile, event, self, total);
	for (uint32_t i = 0; i < n; i++) {
		const struct tab_stack_total row = { i, event.i, self[i], total[i] };

		if (total[i].samples && !pd_vec_push(&s->stack_totals, row))
			return false;
	}
	return true;
}

static bool add_stack_totals(struct tab_source *s)
{
	_cleanup_free_ struct prof_value *self = base_calloc_n(s->tree.nodes.n, sizeof(*self));
	_cleanup_free_ struct prof_value *total = base_calloc_n(s->tree.nodes.n, sizeof(*total));
	bool ok = self && total;

	for (struct prof_event_id id = { 0 }; ok && id.i < s->profile->events.n; id.i++) {
		if (prof_event(s->profile, id)->total.samples)
			ok = add_totals_of(s, id, self, total);
	}
	return ok;
}

static bool add_function_rows(struct tab_source *s, const struct ana_rows *rows)
{
	for (uint32_t event = 0; event < s->profile->events.n; event++) {
		for (uint32_t i = 0; i < s->symbols.list.n; i++) {
			const struct ana_cell *cell = &ana_rows_at(rows, i)[event];
			const struct tab_function_total row = { event, i, cell->self, cell->total };

			if (cell->total.samples && !pd_vec_push(&s->function_totals, row))
				return false;
		}
	}
	return true;
}

static bool add_function_totals(struct tab_source *s)
{
	size_t n = s->profile->samples.n;
	_cleanup_free_ uint32_t *columns = base_calloc_n(n, sizeof(*columns));
	struct ana_rows rows;

	if (!columns)
		return false;
	for (struct prof_sample_id id = { 0 }; id.i < n; id.i++)
		columns[id.i] = prof_sample(s->profile, id)->event.i;
	struct pd_error *err = ana_rows_of_functions(
		s->profile, &s->symbols, columns, s->profile->events.n, &rows);
	pd_error_destroy(err);
	if (err)
		return false;
	bool ok = add_function_rows(s, &rows);
	ana_rows_deinit(&rows);
	return ok;
}

static bool add_wait_functions(struct tab_source *s)
{
	if (prof_is_none(ana_wait_event(s->profile)))
		return true;
	struct pd_error *err = ana_waits_count(s->profile, &s->symbols, &s->waits);
	pd_error_destroy(err);
	return !err;
}

static bool push(struct tab_source *s, const char *name, const char *help, uint64_t n)
{
	const struct tab_number row = { name, help, n };

	return pd_vec_push(&s->quality, row);
}

static bool add_folded(struct tab_source *s)
{
	return tab_folded_groups_create(s->profile, &s->symbols, &s->folded);
}

static bool add_quality_rows(struct tab_source *s, const struct advice_quality *quality)
{
	const struct advice_unwind_stats *unwinds = &quality->unwinds.all;
	bool ok =
		push(s, "stacks", "samples with a user stack", advice_quality_n_stacks(quality)) &&
		push(s, "rooted_stacks", "those that reach the root, or do not look cut",
			advice_quality_n_rooted(quality)) &&
		push(s, "unwound_stacks", "those that pdconv has unwound", unwinds->walked.samples);

	for (size_t i = 0; ok && i < PD_N_UNWIND_ENDS; i++)
		ok = push(s, pd_unwind_end_name((enum pd_unwind_end)i),
			pd_unwind_end_text((enum pd_unwind_end)i), unwinds->ends[i].samples);
	ok = ok && push(s, "frames", "frames of all samples", quality->unnamed.n_frames);
	for (size_t i = 0; ok && i < ADVICE_N_UNNAMED; i++)
		ok = push(s, advice_unnamed_key((enum advice_unnamed_why)i),
			advice_unnamed_text((enum advice_unnamed_why)i), quality->unnamed.n[i]);
	return ok;
}

static bool add_quality(struct tab_source *s)
{
	_cleanup_(advice_quality_deinit) struct advice_quality quality = { 0 };
	struct pd_error *err = advice_quality_find(s->profile, true, &quality);

	pd_error_destroy(err);
	return !err && add_quality_rows(s, &quality);
}

static bool add_losses(struct tab_source *s)
{
	const struct prof_stats *stats = &s->profile->stats;
	const struct tab_number rows[] = {
		{ "lost_records", "records that the recorder lost", stats->n_lost_records },
		{ "lost_samples", "samples that the recorder lost", stats->n_lost_samples },
		{ "throttled", "times that the kernel took no samples, to limit their rate",
			stats->n_throttled },
		{ "gaps", "places of damage", stats->n_gaps },
		{ "gap_bytes", "bytes that were passed over there", stats->gap_bytes },
		{ "samples_after_gaps", "samples after the first of them", stats->n_after_gaps },
		{ "unknown_records", "records of unknown types", stats->n_unknown_records },
#define SKIP(id, name, text) { name, "samples that are " text, stats->skipped[PROF_SKIP_##id] },
		PD_SKIPS(SKIP)
#undef SKIP
#define FILTER(id, name, ...) \
	{ "filter_" name, "samples that this filter left out", stats->filtered[PROF_FILTER_##id] },
			PD_FILTERS(FILTER)
#undef FILTER
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
		if (!pd_vec_push(&s->losses, rows[i]))
			return false;
	}
	return true;
}

/* Parts in an order in which each needs only those before it. */
static const struct part {
	unsigned needs;
	bool (*add)(struct tab_source *);
} parts[] = {
	{ TAB_NEEDS_FRAMES | TAB_NEEDS_TREE | TAB_NEEDS_TREE_TOTALS | TAB_NEEDS_FUNCTION_TOTALS |
			TAB_NEEDS_WAIT_FUNCTIONS | TAB_NEEDS_FOLDED,
		add_frames },
	{ TAB_NEEDS_TREE | TAB_NEEDS_TREE_TOTALS, add_tree },
	{ TAB_NEEDS_TREE_TOTALS, add_stack_totals },
	{ TAB_NEEDS_FUNCTION_TOTALS, add_function_totals },
	{ TAB_NEEDS_WAIT_FUNCTIONS, add_wait_functions },
	{ TAB_NEEDS_QUALITY, add_quality },
	{ TAB_NEEDS_FOLDED, add_folded },
};

struct pd_error *tab_source_create(
	const struct profile *profile, unsigned needs, struct tab_source **ret)
{
	struct tab_source *source = calloc(1, sizeof(*source));

	if (!source)
		return &pd_enomem;
	*source = (struct tab_source){
		.profile = profile,
		.needs = needs,
		.no_stack = base_intern_find(&profile->stacks, "", 0),
	};
	bool ok = add_losses(source);
	for (size_t i = 0; ok && i < PD_ARRAY_LEN(parts); i++)
		ok = !(needs & parts[i].needs) || parts[i].add(source);
	if (!ok) {
		tab_source_destroy(source);
		return &pd_enomem;
	}
	*ret = source;
	return NULL;
}

void tab_source_destroy(struct tab_source *source)
{
	if (!source)
		return;
	ana_symbols_deinit(&source->symbols);
	pd_vec_deinit(&source->frame_owners);
	tab_stack_tree_deinit(&source->tree);
	pd_vec_deinit(&source->stack_totals);
	pd_vec_deinit(&source->function_totals);
	ana_waits_deinit(&source->waits);
	tab_folded_groups_deinit(&source->folded);
	pd_vec_deinit(&source->losses);
	pd_vec_deinit(&source->quality);
	free(source->text);
	free(source);
}

/* Values. */

/* Names of a recording hardly ever have other bytes. */
static bool is_ascii(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] - 1U >= 0x7f)
			return false;
	}
	return true;
}

/* Store each byte that is not UTF-8 as a character. Three bytes more for each are enough. */
static size_t to_utf8(const char *text, size_t len, char *to)
{
	size_t at = 0, n = 0;

	while (at < len) {
		uint32_t character;

		at += base_utf8_decode_any(text + at, len - at, &character);
		n += base_utf8_encode(character ? character : PD_UTF8_BYTE, to + n);
	}
	return n;
}

void tab_set_text(struct tab_source *source, const char *text, size_t len, struct tab_cell *ret)
{
	ret->bytes = text;
	ret->len = len;
	if (is_ascii(text, len))
		return;
	char *copy = len < SIZE_MAX / PD_UTF8_MAX ? realloc(source->text, len * PD_UTF8_MAX) : NULL;
	if (!copy) {
		source->no_memory = true;
		return;
	}
	source->text = copy;
	ret->bytes = copy;
	ret->len = to_utf8(text, len, copy);
}

void tab_set_string(struct tab_source *source, struct prof_string_id id, struct tab_cell *ret)
{
	tab_set_text(source, prof_string(source->profile, id), prof_string_len(source->profile, id),
		ret);
}

static void set_member(struct tab_source *source, const struct tab_column *column, const void *at,
	struct tab_cell *ret)
{
	switch (column->from) {
	case TAB_FROM_BOOL:
		ret->integer = *(const bool *)at;
		break;
	case TAB_FROM_U16:
		ret->integer = *(const uint16_t *)at;
		break;
	case TAB_FROM_U32:
		ret->integer = *(const uint32_t *)at;
		break;
	case TAB_FROM_U64:
		ret->integer = (int64_t) * (const uint64_t *)at;
		break;
	case TAB_FROM_ID:
		tab_set_id(*(const uint32_t *)at, ret);
		break;
	case TAB_FROM_TIME:
		ret->integer = (int64_t) * (const uint64_t *)at;
		ret->is_null = *(const uint64_t *)at == PD_NO_TIME;
		break;
	default:
		tab_set_string(source, *(const struct prof_string_id *)at, ret);
		ret->is_null = column->may_be_null && !ret->len;
	}
}

struct pd_error *tab_get(struct tab_source *source, const struct tab_table *table,
	const struct tab_column *column, size_t row, struct tab_cell *ret)
{
	*ret = (struct tab_cell){ 0 };
	if (column->from == TAB_FROM_ROW) {
		ret->integer = (int64_t)row;
		return NULL;
	}
	const void *at = table->row(source, row);
	if (column->from == TAB_FROM_FUNCTION)
		column->get(source, at, row, ret);
	else
		set_member(source, column, (const char *)at + column->offset, ret);
	return source->no_memory ? &pd_enomem : NULL;
}

size_t tab_n_rows(const struct tab_source *source, const struct tab_table *table)
{
	return (table->needs & ~source->needs) ? 0 : table->n_rows(source);
}

void tab_pass(const struct tab_source *source, const struct tab_table *table, size_t row)
{
	if (table->pass)
		table->pass(source, row);
}

/* The list of tables. */

static const struct tab_table *const tables[] = { &tab_recording, &tab_losses, &tab_quality,
	&tab_events, &tab_processes, &tab_threads, &tab_binaries, &tab_mappings, &tab_functions,
	&tab_frames, &tab_stacks, &tab_sample_groups, &tab_samples, &tab_function_totals,
	&tab_stack_totals, &tab_wait_functions, &tab_waits, &tab_lives, &tab_states, &tab_wakeups,
	&tab_delays, &tab_cpus, &tab_interval_kinds, &tab_intervals };

const struct tab_table *const *tab_tables(size_t *n_ret)
{
	*n_ret = PD_ARRAY_LEN(tables);
	return tables;
}

const struct tab_table *tab_find(const char *name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(tables); i++) {
		if (strcmp(tables[i]->name, name) == 0)
			return tables[i];
	}
	return NULL;
}

unsigned tab_all_needs(void)
{
	unsigned needs = 0;

	for (size_t i = 0; i < PD_ARRAY_LEN(tables); i++) {
		needs |= tables[i]->needs;
		for (size_t k = 0; k < tables[i]->n_columns; k++)
			needs |= tables[i]->columns[k].needs;
	}
	return needs;
}

const char *tab_type_name(enum tab_type type)
{
	static const char *const names[] = { [TAB_INTEGER] = "INTEGER",
		[TAB_REAL] = "REAL",
		[TAB_TEXT] = "TEXT",
		[TAB_BLOB] = "BLOB" };

	return names[type];
}
