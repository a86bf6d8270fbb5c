#include "analyze/keys/keys.h"

#include <string.h>

#include "analyze/keys/ratio_defs.h"
#include "analyze/keys/sample_text.h"
#include "analyze/waits/sample_wakers.h"
#include "base/array.h"
#include "base/names/nearest.h"

const struct ana_event_ratio *ana_ratios(size_t *n_ret)
{
#define RATIO_ROW(...) { __VA_ARGS__ },
	static const struct ana_event_ratio rows[] = { ANA_RATIOS(RATIO_ROW) };
#undef RATIO_ROW

	*n_ret = PD_ARRAY_LEN(rows);
	return rows;
}

static bool is_text(const char *text, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(text, name, len) == 0;
}

bool ana_ratio_is_event(const char *event, const char *name)
{
#define SYNONYM_ROW(other, common) { other, common },
	static const struct {
		const char *other;
		const char *common;
	} synonyms[] = { ANA_EVENT_SYNONYMS(SYNONYM_ROW) };
#undef SYNONYM_ROW
	const char *slash = strchr(event, '/');
	const char *start = slash ? slash + 1 : event;
	size_t len = strcspn(start, slash ? "/," : ":");

	if (is_text(start, len, name))
		return true;
	for (size_t i = 0; i < PD_ARRAY_LEN(synonyms); i++) {
		if (is_text(start, len, synonyms[i].other) && strcmp(synonyms[i].common, name) == 0)
			return true;
	}
	return false;
}

static const struct ana_key_row rows[ANA_N_KEYS] = {
#define KEY_ROW(name, text, title, of, tag, fields, help) \
	{ text, title, ANA_OF_##of, tag, fields, help },
	ANA_KEYS(KEY_ROW)
#undef KEY_ROW
};

static const struct alias {
	const char *name;
	enum ana_key key;
} aliases[] = {
#define ALIAS_ROW(name, key) { name, ANA_KEY_##key },
	ANA_KEY_ALIASES(ALIAS_ROW)
#undef ALIAS_ROW
};

static const struct missing {
	const char *name;
	const char *why;
} missing[] = {
#define MISSING_ROW(name, why) { name, why },
	ANA_MISSING_KEYS(MISSING_ROW)
#undef MISSING_ROW
};

const struct ana_key_row *ana_key_row(enum ana_key key)
{
	return &rows[key];
}

const char *ana_key_alias(enum ana_key key, size_t i)
{
	for (size_t k = 0; k < PD_ARRAY_LEN(aliases); k++) {
		if (aliases[k].key == key && i-- == 0)
			return aliases[k].name;
	}
	return NULL;
}

bool ana_missing_key(size_t i, const char **name_ret, const char **why_ret)
{
	if (i >= PD_ARRAY_LEN(missing))
		return false;
	*name_ret = missing[i].name;
	*why_ret = missing[i].why;
	return true;
}

static struct pd_error *unknown_key(const char *name)
{
	struct base_nearest nearest;

	for (size_t i = 0; i < PD_ARRAY_LEN(missing); i++) {
		if (strcmp(missing[i].name, name) == 0)
			return pd_error_create(PD_ERROR_USAGE, NULL, "cannot sort by '%s': %s",
				name, missing[i].why);
	}
	base_nearest_init(&nearest, name, strlen(name));
	for (size_t i = 0; i < ANA_N_KEYS; i++) {
		if (i != ANA_KEY_FIELD)
			base_nearest_try(&nearest, rows[i].name);
	}
	return pd_error_create(PD_ERROR_USAGE, NULL, "cannot sort by '%s'%s%s%s", name,
		nearest.name ? ": did you mean '" : "", nearest.name ? nearest.name : "",
		nearest.name ? "'?" : "");
}

static bool is_missing(const char *name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(missing); i++) {
		if (strcmp(missing[i].name, name) == 0)
			return true;
	}
	return false;
}

/*
 * Split "sched:sched_switch.prev_comm" and "prev_comm". perf allows "/raw" at the end for numbers
 * as they were recorded, which all are here. Returns false if that is not the name of a field.
 */
static bool parse_field(const char *name, struct ana_field *ret)
{
	static const char chars[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *dot = strrchr(name, '.');

	*ret = (struct ana_field){ .key = name, .event = name, .name = dot ? dot + 1 : name };
	ret->event_len = dot ? (size_t)(dot - name) : 0;
	ret->name_len = strspn(ret->name, chars);
	const char *end = ret->name + ret->name_len;
	return ret->name_len && dot != name && (!*end || strcmp(end, "/raw") == 0);
}

static struct pd_error *find_key(const char *name, enum ana_key *ret, struct ana_field *field_ret)
{
	*field_ret = (struct ana_field){ 0 };
	for (size_t i = 0; i < ANA_N_KEYS; i++) {
		if (i != ANA_KEY_FIELD && strcmp(rows[i].name, name) == 0) {
			*ret = (enum ana_key)i;
			return NULL;
		}
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(aliases); i++) {
		if (strcmp(aliases[i].name, name) == 0) {
			*ret = aliases[i].key;
			return NULL;
		}
	}
	if (is_missing(name) || !parse_field(name, field_ret))
		return unknown_key(name);
	*ret = ANA_KEY_FIELD;
	return NULL;
}

const char *ana_keys_name(const struct ana_keys *keys, size_t i)
{
	return keys->list[i] == ANA_KEY_FIELD ? keys->fields[i].key : rows[keys->list[i]].name;
}

const char *ana_keys_title(const struct ana_keys *keys, size_t i)
{
	return keys->list[i] == ANA_KEY_FIELD ? keys->fields[i].key : rows[keys->list[i]].title;
}

bool ana_field_is_of(const struct ana_field *field, const char *name)
{
	const char *colon = strchr(name, ':');
	size_t n = field->event_len;

	if (!n || (strncmp(name, field->event, n) == 0 && !name[n]))
		return true;
	return colon && strncmp(colon + 1, field->event, n) == 0 && !colon[1 + n];
}

static enum ana_counted counted_by(enum ana_key_of of)
{
	return of == ANA_OF_BRANCH   ? ANA_COUNT_BRANCHES
	       : of == ANA_OF_ACCESS ? ANA_COUNT_ACCESSES
				     : ANA_COUNT_SAMPLES;
}

struct pd_error *ana_keys_add(struct ana_keys *keys, const char *name)
{
	enum ana_key key = ANA_N_KEYS;
	struct ana_field field;
	struct pd_error *err = find_key(name, &key, &field);

	if (err)
		return err;
	if (keys->n + keys->n_sums == ANA_MAX_KEYS)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "cannot sort by more than %d keys", ANA_MAX_KEYS);
	enum ana_counted counted = counted_by(rows[key].of);
	if (counted != ANA_COUNT_SAMPLES && keys->counted != ANA_COUNT_SAMPLES &&
		counted != keys->counted)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"cannot sort by '%s': branches and memory accesses need a table each",
			name);
	if (counted != ANA_COUNT_SAMPLES)
		keys->counted = counted;
	if (rows[key].of == ANA_OF_SUM) {
		keys->sums[keys->n_sums++] = key;
		return NULL;
	}
	keys->has_frame |= rows[key].of == ANA_OF_FRAME;
	keys->fields[keys->n] = field;
	keys->list[keys->n++] = key;
	return NULL;
}

/* Fields that single samples have, but not those that are added up. */
static uint32_t fields_of_rows(enum ana_key key)
{
	return rows[key].tag ? 0 : rows[key].fields;
}

bool ana_keys_need_rows(const struct ana_keys *keys)
{
	for (size_t i = 0; i < keys->n; i++) {
		if (fields_of_rows(keys->list[i]))
			return true;
	}
	return false;
}

static bool has_key(const struct ana_keys *keys, enum ana_key key)
{
	for (size_t i = 0; i < keys->n; i++) {
		if (keys->list[i] == key)
			return true;
	}
	return false;
}

static bool is_of_waker(enum ana_key key)
{
	return key == ANA_KEY_WAKER || key == ANA_KEY_WAKER_COMM || key == ANA_KEY_WAKER_SYM;
}

bool ana_keys_need_wakers(const struct ana_keys *keys)
{
	for (size_t i = 0; i < keys->n; i++) {
		if (is_of_waker(keys->list[i]))
			return true;
	}
	return false;
}

void ana_keys_request(const struct ana_keys *keys, struct prof_request *request)
{
	uint32_t fields = keys->counted == ANA_COUNT_ACCESSES ? ANA_WEIGHT : 0;

	for (size_t i = 0; i < keys->n; i++) {
		request->tags |= rows[keys->list[i]].tag;
		fields |= fields_of_rows(keys->list[i]);
	}
	for (size_t i = 0; i < keys->n_sums; i++)
		request->tags |= rows[keys->sums[i]].tag;
	if (ana_keys_need_wakers(keys))
		request->ledger = request->phases = request->waits = true;
	if (!fields)
		return;
	request->rows = true;
	/* Single fields are found in the text of all, which is not what the kernel prints. */
	if (has_key(keys, ANA_KEY_TRACE) && !has_key(keys, ANA_KEY_FIELD))
		request->frame_offsets = request->printed_traces = true;
	for (size_t i = 0; i < PROF_N_EVENT_KINDS; i++)
		request->details[i] |= fields;
}

static struct pd_error *lacks_field(enum ana_key key)
{
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"cannot sort by '%s': the samples were recorded without PERF_SAMPLE_%s",
		rows[key].name, prof_field_name((enum prof_field)__builtin_ctz(rows[key].fields)));
}

/* Whether it is known of any sample how many threads were running. */
static bool has_parallelism(const struct profile *profile)
{
	for (struct prof_tags_id id = { 0 }; id.i < profile->tags.n; id.i++) {
		const struct prof_tags *tags = prof_tags(profile, id);

		if (tags && tags->parallelism)
			return true;
	}
	return false;
}

static struct pd_error *check_parallelism(enum ana_key key, const struct profile *profile)
{
	if (!(rows[key].tag >> PROF_TAG_PARALLELISM & 1) || !profile->samples.n ||
		has_parallelism(profile))
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"cannot sort by '%s': the recording lacks the context switches of its threads",
		rows[key].name);
}

static struct pd_error *check_key(enum ana_key key, const struct profile *profile)
{
	uint32_t wanted = rows[key].fields;
	bool has_samples = false;
	bool has_field = !wanted;

	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		has_samples |= event->total.samples > 0;
		has_field |= event->total.samples && event->fields & wanted;
	}
	if (has_samples && !has_field)
		return lacks_field(key);
	struct pd_error *err = check_parallelism(key, profile);
	if (err)
		return err;
	if (is_of_waker(key) && profile->samples.n && !ana_has_sample_wakers(profile))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"cannot sort by '%s': the recording lacks wakeups that end waits",
			rows[key].name);
	if (key == ANA_KEY_SOCKET && !profile->sockets.n)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"cannot sort by 'socket': the recording lacks the topology of its CPUs");
	return NULL;
}

static bool has_field(const struct profile *profile, const struct ana_field *field)
{
	struct ana_trace_field found;

	for (size_t i = 0; i < profile->rows.n; i++) {
		const struct prof_row *row = &profile->rows.data[i];

		base_spill_pass(&profile->rows, i);
		const struct prof_event *event =
			prof_event(profile, prof_sample(profile, row->sample)->event);

		if (ana_field_is_of(field, prof_string(profile, event->name)) &&
			ana_trace_find(prof_trace_text(profile, row->trace), field->name,
				field->name_len, &found))
			return true;
	}
	return !profile->rows.n;
}

/* Check that a sample has the field. A name without an event may also be meant to be a key. */
static struct pd_error *check_field(const struct profile *profile, const struct ana_field *field)
{
	if (has_field(profile, field))
		return NULL;
	if (!field->event_len)
		return unknown_key(field->key);
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"cannot sort by '%s': no sample of '%.*s' has the field '%.*s'", field->key,
		(int)field->event_len, field->event, (int)field->name_len, field->name);
}

/* Single samples are not merged, so those of several recordings are not complete. */
static bool has_all_rows(const struct profile *profile)
{
	uint64_t n = 0;

	for (size_t i = 0; i < profile->values.n; i++)
		n += profile->values.data[i].samples;
	return profile->rows.n == n;
}

struct pd_error *ana_keys_check(const struct ana_keys *keys, const struct profile *profile)
{
	for (size_t i = 0; i < keys->n_sums; i++) {
		struct pd_error *err = check_parallelism(keys->sums[i], profile);

		if (err)
			return err;
	}
	for (size_t i = 0; i < keys->n; i++) {
		enum ana_key key = keys->list[i];
		struct pd_error *err = key == ANA_KEY_FIELD ? check_field(profile, &keys->fields[i])
							    : check_key(key, profile);

		if (err)
			return err;
		if (fields_of_rows(key) && !has_all_rows(profile))
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"cannot sort several recordings by '%s'", ana_keys_name(keys, i));
	}
	return NULL;
}
