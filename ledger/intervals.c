#include "ledger/intervals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/line.h"
#include "ledger/interval_defs.h"
#include "ledger/syscall_name.h"
#include "parse/open_file.h"
#include "parse/trace/trace_fields.h"
#include "parse/trace/trace_print.h"

/* In place of the number of a label or an interval. */
#define NONE PD_INTERN_NONE

static const struct known {
	const char *name, *begin, *end, *keys, *check, *label;
	enum led_words words;
	const char *error;
	bool is_of_threads;
} known_kinds[] = {
#define KIND(name, begin, end, keys, check, label, words, error, is_of_threads) \
	{ name, begin, end, keys, check, label, LED_WORDS_##words, error, is_of_threads },
	LED_INTERVALS(KIND)
#undef KIND
};

static void free_kind(struct led_interval_kind *kind)
{
	free(kind->name);
	free(kind->begin);
	free(kind->end);
	for (size_t i = 0; i < kind->n_keys; i++)
		free(kind->keys[i]);
	free(kind->check);
	free(kind->label);
	free(kind->error);
}

void led_intervals_deinit(struct led_intervals *iv)
{
	for (size_t i = 0; i < iv->kinds.n; i++)
		free_kind(&iv->kinds.data[i]);
	pd_vec_deinit(&iv->kinds);
	pd_vec_deinit(&iv->roles);
	base_intern_deinit(&iv->keys);
	pd_vec_deinit(&iv->innermost);
	pd_vec_deinit(&iv->open);
	base_intern_deinit(&iv->numbers);
	pd_vec_deinit(&iv->number_labels);
	base_intern_deinit(&iv->labels);
	pd_vec_deinit(&iv->stacks);
}

/* Copy a text that may be NULL to @p ret. False: no memory. */
static bool copy_text(const char *text, char **ret)
{
	*ret = text ? strdup(text) : NULL;
	return *ret || !text;
}

/* Split off the part of *@p rest before a comma. Allocated; NULL: no memory. */
static char *take_part(const char **rest)
{
	size_t n = strcspn(*rest, ",");
	char *part = strndup(*rest, n);

	*rest += n + ((*rest)[n] == ',');
	return part;
}

/* Split keys. *@p is_wrong_ret: there are too many, or one is empty. False: no memory. */
static bool split_keys(const char *text, struct led_interval_kind *kind, bool *is_wrong_ret)
{
	*is_wrong_ret = false;
	while (text && *text) {
		if (kind->n_keys == LED_MAX_KEYS || *text == ',') {
			*is_wrong_ret = true;
			return true;
		}
		kind->keys[kind->n_keys] = take_part(&text);
		if (!kind->keys[kind->n_keys])
			return false;
		kind->n_keys++;
	}
	return true;
}

static struct pd_error *add_kind(struct led_intervals *iv, struct led_interval_kind *kind)
{
	if (pd_vec_push(&iv->kinds, *kind))
		return NULL;
	free_kind(kind);
	return &pd_enomem;
}

static struct pd_error *add_known(struct led_intervals *iv, const struct known *known)
{
	struct led_interval_kind kind = {
		.words = known->words,
		.is_of_threads = known->is_of_threads,
	};
	bool is_wrong;

	if (copy_text(known->name, &kind.name) && copy_text(known->begin, &kind.begin) &&
		copy_text(known->end, &kind.end) && copy_text(known->check, &kind.check) &&
		copy_text(known->label, &kind.label) && copy_text(known->error, &kind.error) &&
		split_keys(known->keys, &kind, &is_wrong))
		return add_kind(iv, &kind);
	free_kind(&kind);
	return &pd_enomem;
}

static struct pd_error *add_declared(struct led_intervals *iv, const char *text)
{
	struct led_interval_kind kind = { .is_of_threads = true, .is_declared = true };
	const char *equals = strchr(text, '=');
	const char *comma = equals ? strchr(equals, ',') : NULL;
	bool is_wrong =
		!comma || equals == text || comma == equals + 1 || !comma[1] || comma[1] == ',';
	const char *rest = is_wrong ? "" : equals + 1;

	if (!is_wrong) {
		kind.name = strndup(text, (size_t)(equals - text));
		kind.begin = take_part(&rest);
		kind.end = take_part(&rest);
		if (!kind.name || !kind.begin || !kind.end || !split_keys(rest, &kind, &is_wrong)) {
			free_kind(&kind);
			return &pd_enomem;
		}
	}
	if (!is_wrong)
		return add_kind(iv, &kind);
	free_kind(&kind);
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"interval '%s' is not NAME=BEGIN,END[,KEY...], with up to %d keys", text,
		LED_MAX_KEYS);
}

struct pd_error *led_intervals_set_up(
	struct led_intervals *iv, const char *const *texts, size_t n_texts)
{
	struct pd_error *err = NULL;

	iv->numbers.width = 2 * sizeof(uint64_t);
	if (n_texts > LED_MAX_DECLARED)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"%zu kinds of intervals are too many: at most %d", n_texts,
			LED_MAX_DECLARED);
	for (size_t i = 0; !err && i < PD_ARRAY_LEN(known_kinds); i++)
		err = add_known(iv, &known_kinds[i]);
	for (size_t i = 0; !err && i < n_texts; i++)
		err = add_declared(iv, texts[i]);
	return err;
}

/* Whether an event of the recording is called @p name. */
static bool is_called(
	const struct pd_event *event, const struct pd_tracepoint *tracepoint, const char *name)
{
	size_t n = tracepoint ? strlen(tracepoint->system) : 0;

	if (event->name && strcmp(event->name, name) == 0)
		return true;
	return tracepoint && strncmp(name, tracepoint->system, n) == 0 && name[n] == ':' &&
	       strcmp(name + n + 1, tracepoint->format.name) == 0;
}

static const struct pd_trace_field *find_field(
	const struct pd_tracepoint *tracepoint, const char *name)
{
	for (size_t i = 0; tracepoint && name && i < tracepoint->format.fields.n; i++) {
		if (strcmp(tracepoint->format.fields.data[i].name, name) == 0)
			return &tracepoint->format.fields.data[i];
	}
	return NULL;
}

/* Keys that are not fields of a tracepoint. */
static bool is_of_sample(const char *key)
{
	return strcmp(key, "tid") == 0 || strcmp(key, "pid") == 0 || strcmp(key, "cpu") == 0;
}

static struct pd_error *add_role(struct led_intervals *iv, uint32_t k, uint32_t event,
	const struct pd_tracepoint *tracepoint, bool is_end)
{
	struct led_interval_kind *kind = &iv->kinds.data[k];
	struct led_interval_role role = {
		.kind = k, .event = event, .is_end = is_end, .tracepoint = tracepoint
	};

	for (size_t i = 0; i < kind->n_keys; i++) {
		role.keys[i] = find_field(tracepoint, kind->keys[i]);
		if (role.keys[i] || is_of_sample(kind->keys[i]))
			continue;
		/* The kernel has another layout, or the declaration is wrong. */
		if (!kind->is_declared)
			return NULL;
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"interval '%s': '%s' is neither a field of %s nor tid, pid or cpu",
			kind->name, kind->keys[i], is_end ? kind->end : kind->begin);
	}
	role.check = find_field(tracepoint, kind->check);
	role.label = is_end ? NULL : find_field(tracepoint, kind->label);
	role.error = is_end ? find_field(tracepoint, kind->error) : NULL;
	kind->has_begin |= !is_end;
	kind->has_end |= is_end;
	return pd_vec_push(&iv->roles, role) ? NULL : &pd_enomem;
}

/* Find out what an event begins and ends. Ends come first: an event may be both. */
static struct pd_error *learn_event(
	struct led_intervals *iv, const struct pd_file *file, uint32_t index)
{
	const struct pd_event *event = &file->events.list.data[index];
	const struct pd_tracepoint *tracepoint =
		event->attr.type == PD_TYPE_TRACEPOINT && file->tracing
			? pd_tracing_find(file->tracing, event->attr.config)
			: NULL;
	struct pd_error *err = NULL;

	for (uint32_t k = 0; !err && k < iv->kinds.n; k++) {
		if (is_called(event, tracepoint, iv->kinds.data[k].end))
			err = add_role(iv, k, index, tracepoint, true);
		if (!err && is_called(event, tracepoint, iv->kinds.data[k].begin))
			err = add_role(iv, k, index, tracepoint, false);
	}
	return err;
}

/* A stream may have new events at any time. */
static struct pd_error *learn(struct led_intervals *iv, const struct pd_file *file)
{
	struct pd_error *err = NULL;

	while (!err && iv->n_events < file->events.list.n)
		err = learn_event(iv, file, (uint32_t)iv->n_events++);
	return err;
}

/* A sample with the fields of its tracepoint. */
struct taking {
	struct led_intervals *iv;
	const struct led_interval_sample *at;
	const struct led_interval_role *role;
	struct pd_trace_values values;
	struct profile *profile;
	/* See led_intervals_take(). */
	uint32_t *beginning;
};

static bool read_number(const struct taking *t, const struct pd_trace_field *field, uint64_t *ret)
{
	struct pd_trace_value value;

	parse_trace_value_of(&t->values, field, &value);
	*ret = value.number.u;
	return value.kind == PD_TRACE_SIGNED || value.kind == PD_TRACE_UNSIGNED;
}

/* Idle tasks all have the number 0: their CPUs identify them. */
static uint64_t value_of_sample(const struct taking *t, const char *key)
{
	uint32_t tid = t->at->sample->tid;

	switch (key[0]) {
	case 't':
		return tid ? tid : (uint64_t)t->at->cpu << 32;
	case 'p':
		return t->at->sample->pid;
	default:
		return t->at->cpu;
	}
}

/* Number of the values of the keys. NONE: no memory, or @p is_short_ret: one is not there. */
static uint32_t find_keys(const struct taking *t, bool *is_short_ret)
{
	const struct led_interval_kind *kind = &t->iv->kinds.data[t->role->kind];
	uint64_t values[1 + LED_MAX_KEYS] = { t->role->kind };

	*is_short_ret = false;
	for (size_t i = 0; i < kind->n_keys; i++) {
		if (!t->role->keys[i])
			values[1 + i] = value_of_sample(t, kind->keys[i]);
		else if (!read_number(t, t->role->keys[i], &values[1 + i])) {
			*is_short_ret = true;
			return NONE;
		}
	}
	uint32_t keys = base_intern_add(&t->iv->keys, values, (1 + kind->n_keys) * sizeof(*values));
	if (keys == t->iv->innermost.n && !pd_vec_push(&t->iv->innermost, 0))
		return NONE;
	return keys;
}

static void write_label(const struct taking *t, struct base_line *line)
{
	char name[LED_SYSCALL_NAME_SIZE];
	enum led_words words = t->iv->kinds.data[t->role->kind].words;
	uint64_t number = 0;
	bool is_number = read_number(t, t->role->label, &number);

	if (is_number && words == LED_WORDS_SYSCALL) {
		led_syscall_name(t->profile->arch, (int64_t)number, name);
		base_line_put_str(line, name);
	} else if (is_number && words == LED_WORDS_DEVICE) {
		base_line_printf(line, "%" PRIu64 ":%" PRIu64, number >> 20, number & 0xfffff);
	} else if (is_number && words == LED_WORDS_ADDRESS) {
		base_line_printf(line, "0x%" PRIx64, number);
	} else {
		parse_trace_print_field(t->at->file->tracing, &t->values, t->role->label, line);
	}
}

static uint32_t make_label(const struct taking *t)
{
	char text[256];
	struct base_line line = { .bytes = text, .cap = sizeof(text) };

	write_label(t, &line);
	return base_intern_add(&t->iv->labels, text, line.n);
}

/* Number of the label. Those of numbers are written once. False: no memory. */
static bool find_label(const struct taking *t, uint32_t *ret)
{
	struct led_intervals *iv = t->iv;
	uint64_t key[2] = { t->role->kind, 0 };

	*ret = NONE;
	if (!t->role->label)
		return true;
	if (!read_number(t, t->role->label, &key[1])) {
		*ret = make_label(t);
		return *ret != NONE;
	}
	uint32_t number = base_intern_add(&iv->numbers, key, sizeof(key));
	if (number == NONE)
		return false;
	if (number == iv->number_labels.n) {
		uint32_t label = make_label(t);

		if (label == NONE || !pd_vec_push(&iv->number_labels, label))
			return false;
	}
	*ret = iv->number_labels.data[number];
	return true;
}

/* Take the innermost open interval of these keys off. False: there is none. */
static bool close_innermost(struct led_intervals *iv, uint32_t keys, struct led_interval_open *ret)
{
	uint32_t i = iv->innermost.data[keys];

	if (!i)
		return false;
	*ret = iv->open.data[i - 1];
	iv->innermost.data[keys] = ret->outer;
	iv->open.data[i - 1].outer = iv->free;
	iv->free = i;
	return true;
}

/* Number the sample, once for all that begins with it. False: no memory. */
static bool number_beginning(const struct taking *t)
{
	struct led_intervals *iv = t->iv;

	if (!t->at->has_stack || *t->beginning != LED_NO_BEGINNING ||
		iv->stacks.n == LED_NO_BEGINNING)
		return true;
	*t->beginning = (uint32_t)iv->stacks.n;
	return pd_vec_push(&iv->stacks, prof_no_stack());
}

void led_intervals_set_stack(
	struct led_intervals *iv, uint32_t beginning, struct prof_stack_id stack)
{
	if (beginning != LED_NO_BEGINNING)
		iv->stacks.data[beginning] = stack;
}

static struct pd_error *begin(const struct taking *t, uint32_t keys)
{
	struct led_intervals *iv = t->iv;
	struct led_interval_kind *kind = &iv->kinds.data[t->role->kind];
	struct led_interval_open open = { .time = t->at->time, .thread = t->at->thread }, lost;

	if (!find_label(t, &open.label) || !number_beginning(t))
		return &pd_enomem;
	open.beginning = *t->beginning;
	if (t->role->check)
		read_number(t, t->role->check, &open.check);
	if (!kind->is_declared && close_innermost(iv, keys, &lost))
		kind->n_restarted++;
	open.outer = iv->innermost.data[keys];
	if (!iv->free) {
		if (iv->open.n >= UINT32_MAX - 1 || !pd_vec_push(&iv->open, open))
			return &pd_enomem;
		iv->innermost.data[keys] = (uint32_t)iv->open.n;
		return NULL;
	}
	uint32_t i = iv->free;
	iv->free = iv->open.data[i - 1].outer;
	iv->open.data[i - 1] = open;
	iv->innermost.data[keys] = i;
	return NULL;
}

/* Whether records are missing between @p open and the end. */
static bool is_of_other(const struct taking *t, const struct led_interval_open *open)
{
	uint64_t check;

	if (!t->role->check || !read_number(t, t->role->check, &check))
		return false;
	return check != open->check && (int64_t)check != -1;
}

static struct pd_error *end(const struct taking *t, uint32_t keys)
{
	struct led_interval_kind *kind = &t->iv->kinds.data[t->role->kind];
	struct led_interval_open open;
	uint64_t error = 0;

	if (!close_innermost(t->iv, keys, &open)) {
		kind->n_unbegun++;
		return NULL;
	}
	if (is_of_other(t, &open)) {
		kind->n_unended++;
		kind->n_unbegun++;
		return NULL;
	}
	bool has_error = t->role->error && read_number(t, t->role->error, &error);
	const struct prof_interval interval = {
		.begin_ns = open.time,
		.ns = t->at->time - open.time,
		.kind = (uint16_t)t->role->kind,
		.label.i = open.label,
		.stack.i = open.beginning,
		.thread = kind->is_of_threads ? open.thread : prof_no_thread(),
		.has_failed = has_error && (int64_t)error < 0,
	};
	return base_spill_push(&t->profile->intervals, interval);
}

static struct pd_error *play(struct taking *t)
{
	bool is_short;
	uint32_t keys;

	t->values = pd_trace_values(t->at->file->tracing, t->role->tracepoint, &t->at->sample->raw);
	keys = find_keys(t, &is_short);
	if (is_short)
		return NULL;
	if (keys == NONE)
		return &pd_enomem;
	return t->role->is_end ? end(t, keys) : begin(t, keys);
}

struct pd_error *led_intervals_take(struct led_intervals *iv, const struct led_interval_sample *at,
	struct profile *profile, uint32_t *beginning_ret)
{
	struct pd_error *err = learn(iv, at->file);

	*beginning_ret = LED_NO_BEGINNING;

	for (size_t i = 0; !err && i < iv->roles.n; i++) {
		struct taking t = {
			.iv = iv,
			.at = at,
			.role = &iv->roles.data[i],
			.profile = profile,
			.beginning = beginning_ret,
		};

		if (t.role->event == at->event)
			err = play(&t);
	}
	return err;
}

/* Check that the recording has what the user declared. */
static struct pd_error *check(const struct led_intervals *iv)
{
	for (size_t i = 0; i < iv->kinds.n; i++) {
		const struct led_interval_kind *kind = &iv->kinds.data[i];

		if (!kind->is_declared || (kind->has_begin && kind->has_end))
			continue;
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"interval '%s': the recording has no event %s", kind->name,
			kind->has_begin ? kind->end : kind->begin);
	}
	return NULL;
}

/* Numbers that things get in the profile. Allocated. */
struct numbers {
	uint32_t *kinds;
	struct prof_string_id *labels;
};

/* Kinds whose events are both in the recording are shown, even if they have no intervals. */
static bool add_kinds(struct led_intervals *iv, struct profile *profile, struct numbers *numbers)
{
	for (size_t i = 0; i < iv->kinds.n; i++) {
		const struct led_interval_kind *kind = &iv->kinds.data[i];
		const struct prof_interval_kind row = {
			.name = prof_add_string(profile, kind->name),
			.is_of_threads = kind->is_of_threads,
			.n_unended = kind->n_unended,
			.n_unbegun = kind->n_unbegun,
			.n_restarted = kind->n_restarted,
		};

		numbers->kinds[i] = (uint32_t)profile->interval_kinds.n;
		if (!kind->has_begin || !kind->has_end)
			continue;
		if (prof_is_none(row.name) || !pd_vec_push(&profile->interval_kinds, row))
			return false;
	}
	for (size_t i = 0; i < iv->labels.n; i++) {
		numbers->labels[i] =
			prof_add_string(profile, base_intern_bytes(&iv->labels, (uint32_t)i));
		if (prof_is_none(numbers->labels[i]))
			return false;
	}
	return true;
}

/* Those that are open at the end are not ended. */
static void count_open(struct led_intervals *iv)
{
	for (size_t keys = 0; keys < iv->innermost.n; keys++) {
		const uint64_t *values = base_intern_bytes(&iv->keys, (uint32_t)keys);

		for (uint32_t i = iv->innermost.data[keys]; i; i = iv->open.data[i - 1].outer)
			iv->kinds.data[values[0]].n_unended++;
	}
}

static void complete(
	const struct led_intervals *iv, const struct numbers *numbers, struct profile *profile)
{
	for (size_t i = 0; i < profile->intervals.n; i++) {
		struct prof_interval *row = &profile->intervals.data[i];

		row->kind = (uint16_t)numbers->kinds[row->kind];
		if (!prof_is_none(row->label))
			row->label = numbers->labels[row->label.i];
		if (row->stack.i != LED_NO_BEGINNING)
			row->stack = iv->stacks.data[row->stack.i];
	}
}

struct pd_error *led_intervals_finish(struct led_intervals *iv, struct profile *profile)
{
	struct numbers numbers = { 0 };
	struct pd_error *err = check(iv);

	if (err)
		return err;
	count_open(iv);
	numbers.kinds = base_calloc_n(iv->kinds.n, sizeof(*numbers.kinds));
	numbers.labels = base_calloc_n(iv->labels.n, sizeof(*numbers.labels));
	if (!numbers.kinds || !numbers.labels || !add_kinds(iv, profile, &numbers))
		err = &pd_enomem;
	else
		complete(iv, &numbers, profile);
	free(numbers.kinds);
	free(numbers.labels);
	return err;
}
