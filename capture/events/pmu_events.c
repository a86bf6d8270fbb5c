#include "capture/events/pmu_events.h"

#include <fnmatch.h>
#include <stdio.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "capture/events/event_item.h"
#include "capture/events/event_word_defs.h"

/* Size of the first attr with config3 (PERF_ATTR_SIZE_VER8). */
enum { CONFIG3_BYTES = 136 };

static const char default_devices[] = "/sys/bus/event_source/devices";

/* PMUs of hybrid machines, one for each kind of core. */
static const char *const core_kinds[] = { "cpu_core", "cpu_atom" };

/* perf's terms for how samples are taken, which here are options for all events. */
static const char *const recorder_terms[] = { "branch_type", "time", "call-graph", "stack-size",
	"inherit", "no-inherit", "max-stack", "nr", "overwrite", "no-overwrite", "driver-config",
	"percore", "aux-output", "aux-sample-size", "metric-id" };

enum term {
#define TERM_ENUM(name, word, meaning) TERM_##name,
	CAP_TERMS(TERM_ENUM)
};

static const char *const term_words[] = {
#define TERM_WORD(name, word, meaning) [TERM_##name] = word,
	CAP_TERMS(TERM_WORD)
};

/* The event that terms change. */
struct target {
	const struct cap_item *item;
	struct cap_event *event;
	/** Name of its PMU; NULL: none. */
	const char *pmu;
	/** All terms that the user wrote. */
	struct cap_word terms;
};

struct term_text {
	struct cap_word key;
	struct cap_word value;
	bool has_value;
};

static struct term_text split_term(struct cap_word *terms)
{
	struct cap_word value = cap_word_split(terms, ',');
	bool has_value = memchr(value.at, '=', value.n) != NULL;
	struct cap_word key = cap_word_split(&value, '=');

	return (struct term_text){ key, value, has_value };
}

static const char *devices_dir(const struct cap_item *item)
{
	return item->events->devices_dir ? item->events->devices_dir : default_devices;
}

/* Read the first line of a file of a PMU. False if there is none. */
static bool read_file(const struct cap_item *item, const char *pmu, const char *folder,
	struct cap_word name, char **ret)
{
	char path[1024];
	int n = snprintf(path, sizeof(path), "%s/%s/%s%.*s", devices_dir(item), pmu, folder,
		(int)name.n, name.at);

	return n < (int)sizeof(path) && cap_read_line(path, ret) == 0;
}

static bool read_type(const struct cap_item *item, const char *pmu, uint32_t *ret)
{
	_cleanup_free_ char *line = NULL;
	uint64_t type;

	if (!read_file(item, pmu, "", cap_word("type"), &line) ||
		!cap_word_number(cap_word(line), &type) || type > UINT32_MAX)
		return false;
	*ret = (uint32_t)type;
	return true;
}

static struct pd_error *apply_name(struct target *t, const struct term_text *term)
{
	char *name = strndup(term->value.at, term->value.n);

	if (!term->value.n) {
		free(name);
		return cap_item_bad(t->item, "name= expects a name");
	}
	if (!name)
		return &pd_enomem;
	free(t->event->name);
	t->event->name = name;
	return NULL;
}

static struct pd_error *apply_common(
	struct target *t, enum term which, const struct term_text *term)
{
	struct pd_attr *attr = &t->event->attr;
	uint64_t *const configs[] = {
		[TERM_CONFIG] = &attr->config,
		[TERM_CONFIG1] = &attr->config1,
		[TERM_CONFIG2] = &attr->config2,
		[TERM_CONFIG3] = &attr->config3,
	};
	uint64_t value;

	if (which == TERM_NAME)
		return apply_name(t, term);
	if (!cap_word_number(term->value, &value))
		return cap_item_bad(t->item, "%s= expects a number", term_words[which]);
	if (which < PD_ARRAY_LEN(configs)) {
		*configs[which] = value;
		return NULL;
	}
	/*
	 * With a sample_period of 0 the event would count and never sample (is_sampling_event() in
	 * the kernel).
	 */
	if (!value)
		return cap_item_bad(t->item, "%s= expects more than 0", term_words[which]);
	attr->sample_period = value;
	attr->flags &= ~CAP_FLAG(freq);
	attr->flags |= which == TERM_FREQ ? CAP_FLAG(freq) : 0;
	t->event->has_period = true;
	return NULL;
}

/* Parse the bits of a field, FIRST[-LAST]. */
static bool parse_range(struct cap_word range, unsigned *first_ret, unsigned *n_ret)
{
	bool is_one = !memchr(range.at, '-', range.n);
	struct cap_word begin = cap_word_split(&range, '-');
	uint64_t first;
	uint64_t last;

	if (!cap_word_number(begin, &first) || !cap_word_number(is_one ? begin : range, &last) ||
		first > last || last > 63)
		return false;
	*first_ret = (unsigned)first;
	*n_ret = (unsigned)(last - first + 1);
	return true;
}

static uint64_t *config_of_field(struct pd_attr *attr, struct cap_word name)
{
	uint64_t *const configs[] = { &attr->config, &attr->config1, &attr->config2,
		&attr->config3 };

	for (size_t i = 0; i < PD_ARRAY_LEN(configs); i++) {
		if (cap_word_is(name, term_words[TERM_CONFIG + i]))
			return configs[i];
	}
	return NULL;
}

/*
 * Store @p value in the bits of @p ranges, lowest first. Bits that do not fit remain in @p value.
 */
static bool set_bits(uint64_t *config, struct cap_word ranges, uint64_t *value)
{
	unsigned first;
	unsigned n;

	while (ranges.n) {
		if (!parse_range(cap_word_split(&ranges, ','), &first, &n))
			return false;
		uint64_t mask = n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
		*config = (*config & ~(mask << first)) | (*value & mask) << first;
		*value = n == 64 ? 0 : *value >> n;
	}
	return true;
}

/* Set a field of the PMU, whose @p format is CONFIG:RANGE[,RANGE...]. */
static struct pd_error *apply_field(
	struct target *t, const char *format, const struct term_text *term)
{
	struct cap_word ranges = cap_word(format);
	uint64_t *config = config_of_field(&t->event->attr, cap_word_split(&ranges, ':'));
	uint64_t value = 1;

	if (term->has_value && !cap_word_number(term->value, &value))
		return cap_item_bad(
			t->item, "%.*s= expects a number", (int)term->key.n, term->key.at);
	if (!config || !ranges.n || !set_bits(config, ranges, &value))
		return cap_item_bad(t->item, "unknown format '%s' of %.*s", format,
			(int)term->key.n, term->key.at);
	if (value)
		return cap_item_bad(t->item, "value of %.*s does not fit %s", (int)term->key.n,
			term->key.at, format);
	return NULL;
}

static int find_term(struct cap_word key)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(term_words); i++) {
		if (cap_word_is(key, term_words[i]))
			return (int)i;
	}
	return -1;
}

static bool user_sets(const struct target *t, struct cap_word key)
{
	struct cap_word rest = t->terms;

	while (rest.n) {
		struct term_text term = split_term(&rest);

		if (term.has_value && term.key.n == key.n &&
			memcmp(term.key.at, key.at, key.n) == 0)
			return true;
	}
	return false;
}

/* Apply a term of an alias. Its value "?" means that the user must set the field. */
static struct pd_error *apply_event_term(struct target *t, const struct term_text *term)
{
	_cleanup_free_ char *format = NULL;
	int which = find_term(term->key);

	if (term->has_value && cap_word_is(term->value, "?"))
		return user_sets(t, term->key) ? NULL
					       : cap_item_bad(t->item, "%.*s= is missing",
							 (int)term->key.n, term->key.at);
	if (which >= 0)
		return apply_common(t, (enum term)which, term);
	if (!read_file(t->item, t->pmu, "format/", term->key, &format))
		return cap_item_bad(t->item, "PMU has no field '%.*s' that its event uses",
			(int)term->key.n, term->key.at);
	return apply_field(t, format, term);
}

/* Read the terms that the alias @p key of the PMU stands for; NULL: it has no such alias. */
static char *read_event(const struct cap_item *item, const char *pmu, struct cap_word key)
{
	struct cap_symbol_names hardware = cap_hardware_names(key);
	char *ret = NULL;

	/* Files like EVENT.unit and EVENT.scale describe an event. */
	if (memchr(key.at, '.', key.n))
		return NULL;
	if (read_file(item, pmu, "events/", key, &ret))
		return ret;
	for (size_t i = 0; i < PD_ARRAY_LEN(hardware.names) && hardware.names[i]; i++) {
		if (read_file(item, pmu, "events/", cap_word(hardware.names[i]), &ret))
			return ret;
	}
	return NULL;
}

static struct pd_error *apply_event(struct target *t, const char *text)
{
	struct cap_word rest = cap_word(text);

	while (rest.n) {
		struct term_text term = split_term(&rest);
		struct pd_error *err = apply_event_term(t, &term);

		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *unknown_term(const struct target *t, struct cap_word key)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(recorder_terms); i++) {
		if (cap_word_is(key, recorder_terms[i]))
			return cap_item_bad(t->item, "term %s is not supported for single events",
				recorder_terms[i]);
	}
	if (t->pmu)
		return cap_item_bad(t->item, "PMU %s has neither a field nor an event '%.*s'",
			t->pmu, (int)key.n, key.at);
	return cap_item_bad(t->item, "unknown term '%.*s'", (int)key.n, key.at);
}

static struct pd_error *apply_pmu_term(struct target *t, const struct term_text *term)
{
	_cleanup_free_ char *text = NULL;
	struct cap_word key = term->key;
	bool is_plain = !term->has_value || cap_word_is(term->value, "1");

	if (read_file(t->item, t->pmu, "format/", key, &text))
		return apply_field(t, text, term);
	text = is_plain ? read_event(t->item, t->pmu, key) : NULL;
	if (text)
		return apply_event(t, text);
	if (is_plain && key.n > 1 && key.at[0] == 'r' &&
		cap_word_hex((struct cap_word){ key.at + 1, key.n - 1 }, &t->event->attr.config))
		return NULL;
	return unknown_term(t, key);
}

/* Terms of all events win over fields of the PMU of the same name. */
static struct pd_error *apply_term(struct target *t, const struct term_text *term)
{
	int which = find_term(term->key);

	if (which >= 0)
		return apply_common(t, (enum term)which, term);
	return t->pmu ? apply_pmu_term(t, term) : unknown_term(t, term->key);
}

static struct pd_error *apply_terms(struct target *t)
{
	struct cap_word rest = t->terms;

	while (rest.n) {
		struct term_text term = split_term(&rest);
		struct pd_error *err = apply_term(t, &term);

		if (err)
			return err;
	}
	if (t->event->attr.config3)
		t->event->attr.size = CONFIG3_BYTES;
	return NULL;
}

static struct cap_event *last_event(const struct cap_item *item)
{
	return &item->events->list.data[item->events->list.n - 1];
}

struct pd_error *cap_terms_apply(const struct cap_item *item, struct cap_word terms)
{
	struct target t = { .item = item, .event = last_event(item), .terms = terms };

	return apply_terms(&t);
}

/* Core PMUs list their CPUs in "cpus", others in "cpumask" one CPU for each socket. */
static void read_cpus(const struct cap_item *item, const char *pmu, struct cap_event *event)
{
	if (!read_file(item, pmu, "", cap_word("cpumask"), &event->cpus))
		(void)!read_file(item, pmu, "", cap_word("cpus"), &event->cpus);
}

static struct pd_error *set_pmu(const struct cap_item *item, const char *pmu)
{
	struct cap_event *event = last_event(item);

	event->pmu = strdup(pmu);
	if (!event->pmu)
		return &pd_enomem;
	read_cpus(item, pmu, event);
	return NULL;
}

static struct pd_error *add_of_pmu(
	const struct cap_item *item, const char *pmu, struct cap_word terms)
{
	uint32_t type;

	if (!read_type(item, pmu, &type))
		return cap_item_bad(item, "cannot read the type of PMU %s", pmu);
	struct pd_attr attr = cap_attr(type, 0);
	struct pd_error *err = cap_item_add(item, &attr, item->whole);
	if (err)
		return err;
	err = set_pmu(item, pmu);
	if (err)
		return err;
	struct target t = { .item = item, .event = last_event(item), .pmu = pmu, .terms = terms };
	return apply_terms(&t);
}

/*
 * Whether @p word denotes @p pmu: as a pattern, or without "uncore_" and a number at its end, as in
 * perf.
 */
static bool matches_pmu(const char *word, const char *pmu)
{
	size_t n = strlen(word);

	if (strncmp(pmu, "uncore_", 7) == 0 && strncmp(word, "uncore_", 7) != 0)
		pmu += 7;
	if (fnmatch(word, pmu, 0) == 0)
		return true;
	if (!n || strncmp(word, pmu, n) != 0)
		return false;
	const char *number = pmu + n + (pmu[n] == '_');
	return *number && !number[strspn(number, "0123456789")];
}

/* Add an event for each PMU that @p want accepts, in the order of their names. */
static struct pd_error *for_pmus(const struct cap_item *item, const char *text,
	bool (*want)(const struct cap_item *item, const char *text, const char *pmu),
	struct cap_word terms, bool *found_ret)
{
	_cleanup_(cap_names_deinit) struct cap_names pmus = { 0 };

	*found_ret = false;
	/* A kernel without the directory has no PMUs. */
	(void)cap_names_list(devices_dir(item), &pmus);
	for (int i = 0; i < pmus.n; i++) {
		const char *pmu = pmus.entries[i]->d_name;

		if (pmu[0] == '.' || !want(item, text, pmu))
			continue;
		*found_ret = true;
		struct pd_error *err = add_of_pmu(item, pmu, terms);
		if (err)
			return err;
	}
	return NULL;
}

static bool want_pmu(const struct cap_item *item, const char *word, const char *pmu)
{
	(void)item;
	return matches_pmu(word, pmu);
}

static bool want_event(const struct cap_item *item, const char *name, const char *pmu)
{
	_cleanup_free_ char *text = read_event(item, pmu, cap_word(name));

	return text != NULL;
}

struct pd_error *cap_pmu_add(
	const struct cap_item *item, struct cap_word pmu, struct cap_word terms, bool *found_ret)
{
	_cleanup_free_ char *word = strndup(pmu.at, pmu.n);
	uint32_t type;

	if (!word)
		return &pd_enomem;
	if (read_type(item, word, &type)) {
		*found_ret = true;
		return add_of_pmu(item, word, terms);
	}
	return for_pmus(item, word, want_pmu, terms, found_ret);
}

struct pd_error *cap_pmu_add_named(
	const struct cap_item *item, struct cap_word name, bool *found_ret)
{
	_cleanup_free_ char *text = strndup(name.at, name.n);

	if (!text)
		return &pd_enomem;
	*found_ret = false;
	return name.n ? for_pmus(item, text, want_event, name, found_ret) : NULL;
}

/*
 * Add a generic event for one kind of core of a hybrid machine. The PMU type is in the upper half
 * of config.
 */
static struct pd_error *add_of_kind(const struct cap_item *item, const char *pmu, uint32_t type,
	const struct pd_attr *attr, struct cap_word name, struct cap_word terms)
{
	_cleanup_free_ char *full = base_format("%s/%.*s%s%.*s/%.*s", pmu, (int)name.n, name.at,
		terms.n ? "," : "", (int)terms.n, terms.n ? terms.at : "", (int)item->modifiers.n,
		item->modifiers.at);
	struct pd_attr own = *attr;

	if (!full)
		return &pd_enomem;
	own.config |= (uint64_t)type << 32;
	struct pd_error *err = cap_item_add(item, &own, cap_word(full));
	if (err)
		return err;
	err = set_pmu(item, pmu);
	return err ? err : cap_terms_apply(item, terms);
}

struct pd_error *cap_pmu_add_generic(const struct cap_item *item, const struct pd_attr *attr,
	struct cap_word name, struct cap_word terms)
{
	uint32_t types[PD_ARRAY_LEN(core_kinds)];
	size_t n = 0;
	struct pd_error *err;

	while (n < PD_ARRAY_LEN(core_kinds) && read_type(item, core_kinds[n], &types[n]))
		n++;
	for (size_t i = 0; i < n && n == PD_ARRAY_LEN(core_kinds); i++) {
		err = add_of_kind(item, core_kinds[i], types[i], attr, name, terms);
		if (err)
			return err;
	}
	if (n == PD_ARRAY_LEN(core_kinds))
		return NULL;
	/* perf omits modifiers and terms from the names of cache events. */
	err = cap_item_add(item, attr, attr->type == PD_TYPE_HW_CACHE ? name : item->whole);
	return err ? err : cap_terms_apply(item, terms);
}
