/*
 * The format otlp: profiles of OpenTelemetry, a ProfilesData message. An event has two profiles as
 * it has two values in pprof: the sum of its periods, and the number of its samples.
 *
 * Messages contain each other, and each begins with its size. So samples are encoded twice: once to
 * add up sizes, and once to be written.
 */
#include "output/otlp/otlp.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/utf8.h"
#include "output/event_names.h"
#include "output/formats.h"
#include "output/loss_defs.h"

/* A Profile message. */
struct otlp_profile {
	/** None: the recording has no event, but there has to be a profile. */
	struct prof_event_id event;
	enum otlp_values values;
	/** Its fields except for the samples, in heads, and the size of all of its fields. */
	size_t head;
	size_t head_size;
	uint64_t size;
};

/** A ProfilesData message. */
struct otlp_message {
	const struct profile *profile;
	const struct out_pprof_opts *opts;
	/** The samples of this message; the first one has what is about the whole recording. */
	struct otlp_range range;
	struct otlp_dictionary dictionary;
	struct otlp_samples samples;
	PD_VEC(struct otlp_profile) profiles;
	PD_VEC(uint8_t) heads;
	/** Encoded Resource and InstrumentationScope. */
	PD_VEC(uint8_t) resource;
	PD_VEC(uint8_t) scope;
	/** Indexes of attributes that all profiles have, with the tag of the field. */
	PD_VEC(uint8_t) losses;
	bool no_memory;
};

/* Add an attribute to the resource. */
static void put_resource(struct otlp_message *m, const char *key, const char *value)
{
	_cleanup_free_ char *key_copy = NULL, *value_copy = NULL;

	key = base_utf8_text(key, &key_copy);
	value = base_utf8_text(value, &value_copy);
	size_t room = 4 * BASE_PROTO_NUMBER_BYTES;
	if (!key || !value ||
		!pd_vec_reserve(
			&m->resource, m->resource.n + 2 * room + strlen(key) + strlen(value))) {
		m->no_memory = true;
		return;
	}
	size_t value_size = base_proto_len_size(strlen(value));
	size_t size = base_proto_len_size(strlen(key)) + base_proto_len_size(value_size);
	uint8_t *at = m->resource.data + m->resource.n;
	at = base_proto_len(at, OTLP_RESOURCE_ATTRIBUTES, size);
	at = base_proto_bytes(at, OTLP_KEY_VALUE_KEY, key, strlen(key));
	at = base_proto_len(at, OTLP_KEY_VALUE_VALUE, value_size);
	at = base_proto_bytes(at, OTLP_ANY_VALUE_STRING, value, strlen(value));
	m->resource.n = (size_t)(at - m->resource.data);
}

/* Names that the semantic conventions have for architectures. */
static const char *host_arch(const char *machine)
{
	static const char *const names[][2] = {
		{ "x86_64", "amd64" },
		{ "i386", "x86" },
		{ "i686", "x86" },
		{ "aarch64", "arm64" },
		{ "armv7l", "arm32" },
		{ "armv8l", "arm32" },
		{ "ppc64le", "ppc64" },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		if (strcmp(names[i][0], machine) == 0)
			return names[i][1];
	}
	return machine;
}

/* Whether a label that the user gives replaces the attribute @p key, or the label before @p n. */
static bool is_given(const struct otlp_message *m, const char *key, size_t after)
{
	for (size_t i = after; i < m->opts->n_labels; i++) {
		if (strcmp(m->opts->labels[i].key, key) == 0)
			return true;
	}
	return false;
}

static void describe_resource(struct otlp_message *m)
{
	const struct prof_about *about = &m->profile->about;
	const struct {
		const char *key;
		const char *value;
	} facts[] = {
		{ "host.name", prof_string(m->profile, about->host) },
		{ "host.arch", host_arch(prof_string(m->profile, about->arch)) },
		{ "os.type", "linux" },
		{ "os.version", prof_string(m->profile, about->kernel_release) },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(facts); i++) {
		if (*facts[i].value && !is_given(m, facts[i].key, 0))
			put_resource(m, facts[i].key, facts[i].value);
	}
	for (size_t i = 0; i < m->opts->n_labels; i++) {
		if (!is_given(m, m->opts->labels[i].key, i + 1))
			put_resource(m, m->opts->labels[i].key, m->opts->labels[i].value);
	}
}

static void describe_scope(struct otlp_message *m)
{
	static const char name[] = "pdconv", version[] = PD_VERSION;

	if (!pd_vec_reserve(
		    &m->scope, 2 * BASE_PROTO_NUMBER_BYTES + sizeof(name) + sizeof(version))) {
		m->no_memory = true;
		return;
	}
	uint8_t *at = m->scope.data;
	at = base_proto_bytes(at, OTLP_SCOPE_NAME, name, strlen(name));
	at = base_proto_bytes(at, OTLP_SCOPE_VERSION, version, strlen(version));
	m->scope.n = (size_t)(at - m->scope.data);
}

/* Return a key such as "pdconv.lost_samples" for "lost samples". Allocated; NULL: no memory. */
static char *loss_key(const char *text)
{
	char *key = base_format("pdconv.%s", text), *to = key;

	for (const char *at = key; at && *at; at++) {
		if (*at != ',')
			*to++ = (char)(*at == ' ' ? '_' : *at);
	}
	if (key)
		*to = '\0';
	return key;
}

/* Make an attribute of profiles for each kind of loss. */
static void describe_losses(struct otlp_message *m)
{
	const struct profile *profile = m->profile;
	const struct prof_stats *stats = &profile->stats;
	const struct {
		const char *text;
		uint64_t n;
	} losses[] = { OUT_LOSSES(OUT_LOSS_ROW) };
	uint8_t body[BASE_PROTO_NUMBER_BYTES * (1 + PD_ARRAY_LEN(losses))];
	uint8_t *start = body + BASE_PROTO_NUMBER_BYTES, *at = start;

	for (size_t i = 0; i < PD_ARRAY_LEN(losses); i++) {
		_cleanup_free_ char *key = losses[i].n ? loss_key(losses[i].text) : NULL;

		if (!losses[i].n)
			continue;
		if (!key) {
			m->no_memory = true;
			return;
		}
		at = base_varint(at, otlp_number_attribute(&m->dictionary, key, losses[i].n));
	}
	if (at == start)
		return;
	start = base_proto_seal(start, at, OTLP_PROFILE_ATTRIBUTES);
	m->losses.n = (size_t)(at - start);
	if (pd_vec_reserve(&m->losses, m->losses.n))
		memcpy(m->losses.data, start, m->losses.n);
	else
		m->no_memory = true;
}

static uint8_t *put_type(uint8_t *to, unsigned field, uint32_t type, uint32_t unit)
{
	uint8_t bytes[2 * BASE_PROTO_NUMBER_BYTES], *at = bytes;

	at = base_proto_int64(at, OTLP_VALUE_TYPE_TYPE, type);
	at = base_proto_int64(at, OTLP_VALUE_TYPE_UNIT, unit);
	return base_proto_bytes(to, field, bytes, (size_t)(at - bytes));
}

/* Encode when the recording began, and how long it took: all times of samples are within. */
static uint8_t *put_time(uint8_t *at, const struct otlp_message *m)
{
	const struct otlp_samples *s = &m->samples;
	uint64_t start = out_recording_start(m->profile);
	uint64_t length = prof_stats_length(&m->profile->stats), end = start + length;

	if (s->first_time <= s->last_time) {
		uint64_t first = s->zero + s->first_time, last = s->zero + s->last_time;

		start = first < start ? first : start;
		end = last >= end ? last + 1 : end;
		length = end - start;
	}
	if (start) {
		*at++ = base_proto_tag(OTLP_PROFILE_TIME, BASE_PROTO_FIXED64);
		at = base_fixed64(at, start);
	}
	return base_proto_int64(at, OTLP_PROFILE_DURATION, (int64_t)length);
}

/* Types and units of the values and of the period of a profile, as indexes of strings. */
struct types {
	uint32_t type;
	uint32_t unit;
	uint32_t period_type;
	uint32_t period_unit;
	int64_t period;
};

static void add_profile(struct otlp_message *m, struct prof_event_id event, enum otlp_values values,
	const struct types *types)
{
	struct otlp_profile profile = { .event = event, .values = values, .head = m->heads.n };

	if (!pd_vec_reserve(&m->heads, m->heads.n + 12 * BASE_PROTO_NUMBER_BYTES + m->losses.n)) {
		m->no_memory = true;
		return;
	}
	uint8_t *start = m->heads.data + m->heads.n, *at = start;
	at = put_type(at, OTLP_PROFILE_SAMPLE_TYPE, types->type, types->unit);
	at = put_time(at, m);
	at = put_type(at, OTLP_PROFILE_PERIOD_TYPE, types->period_type, types->period_unit);
	at = base_proto_int64(at, OTLP_PROFILE_PERIOD, types->period);
	if (m->losses.n)
		memcpy(at, m->losses.data, m->losses.n);
	at += m->losses.n;
	profile.head_size = (size_t)(at - start);
	m->heads.n += profile.head_size;
	profile.size = profile.head_size;
	if (!prof_is_none(event))
		profile.size += otlp_samples_put(&m->samples, event, values, NULL);
	m->no_memory |= !pd_vec_push(&m->profiles, profile);
}

static void add_event(
	struct otlp_message *m, struct prof_event_id id, const char *name, bool is_only)
{
	const struct prof_event *event = prof_event(m->profile, id);
	struct otlp_dictionary *d = &m->dictionary;
	_cleanup_free_ char *samples = base_format(is_only ? "samples" : "%s:samples", name);
	int64_t period = out_event_period(event);

	if (!samples) {
		m->no_memory = true;
		return;
	}
	struct types types = {
		.type = otlp_string(d, name),
		.unit = otlp_string(d, prof_string(m->profile, event->unit)),
		.period = period ? period : 1,
	};
	types.period_type = types.type;
	types.period_unit = types.unit;
	add_profile(m, id, OTLP_PERIODS, &types);
	types.type = otlp_string(d, samples);
	types.unit = otlp_string(d, "count");
	add_profile(m, id, OTLP_COUNTS, &types);
}

/* Whether the message has samples of an event, or has to have a profile of it all the same. */
static bool has_event(const struct otlp_message *m, struct prof_event_id id)
{
	return !m->range.first || m->samples.first_series[id.i] != PROF_NONE;
}

/* Add the profiles, those of the main event first: viewers show the first one. */
static void add_profiles(struct otlp_message *m, const struct out_event_names *names)
{
	bool is_only = out_count_listed_events(m->profile) == 1;
	struct prof_event_id first = out_main_event(m->profile);

	if (prof_is_none(first)) {
		struct types types = { .period = 1 };

		types.type = types.period_type = otlp_string(&m->dictionary, "samples");
		types.unit = types.period_unit = otlp_string(&m->dictionary, "count");
		add_profile(m, first, OTLP_COUNTS, &types);
		return;
	}
	if (has_event(m, first))
		add_event(m, first, out_event_name(names, m->profile, first), is_only);
	for (struct prof_event_id id = { 0 }; id.i < m->profile->events.n; id.i++) {
		if (!prof_same_event(id, first) && has_event(m, id) &&
			out_event_is_listed(prof_event(m->profile, id)))
			add_event(m, id, out_event_name(names, m->profile, id), is_only);
	}
}

static void put_profile(
	struct otlp_message *m, const struct otlp_profile *profile, struct otlp_out *out)
{
	otlp_begin(out, OTLP_FIELD_SCOPE_PROFILES_PROFILES, profile->size);
	otlp_put_fields(out, OTLP_FIELD_SCOPE_PROFILES_PROFILES, m->heads.data + profile->head,
		profile->head_size);
	if (!prof_is_none(profile->event))
		otlp_samples_put(&m->samples, profile->event, profile->values, out);
	otlp_end(out);
}

static uint64_t scope_size(const struct otlp_message *m)
{
	uint64_t size = base_proto_len_size(m->scope.n);

	for (size_t i = 0; i < m->profiles.n; i++)
		size += base_proto_len_size(m->profiles.data[i].size);
	return size;
}

static uint64_t resource_size(const struct otlp_message *m)
{
	return base_proto_len_size(m->resource.n) + base_proto_len_size(scope_size(m));
}

static void put_all(struct otlp_message *m, struct otlp_out *out)
{
	otlp_open(out);
	otlp_begin(out, OTLP_FIELD_DATA_RESOURCE_PROFILES, resource_size(m));
	otlp_put(out, OTLP_FIELD_RESOURCE_PROFILES_RESOURCE, m->resource.data, m->resource.n);
	otlp_begin(out, OTLP_FIELD_RESOURCE_PROFILES_SCOPE_PROFILES, scope_size(m));
	otlp_put(out, OTLP_FIELD_SCOPE_PROFILES_SCOPE, m->scope.data, m->scope.n);
	for (size_t i = 0; i < m->profiles.n; i++)
		put_profile(m, &m->profiles.data[i], out);
	otlp_end(out);
	otlp_end(out);
	otlp_dictionary_put(&m->dictionary, out);
	otlp_close(out);
}

static struct pd_error *collect(struct otlp_message *m)
{
	_cleanup_(out_event_names_deinit) struct out_event_names names = { 0 };
	bool has_names = out_event_names_init(&names, m->profile);
	struct pd_error *err = otlp_samples_init(&m->samples, m->profile, m->range, &m->dictionary);

	if (err)
		return err;
	describe_resource(m);
	describe_scope(m);
	if (!m->range.first)
		describe_losses(m);
	if (!has_names || m->no_memory)
		return &pd_enomem;
	add_profiles(m, &names);
	return m->no_memory || m->samples.no_memory || m->dictionary.no_memory ? &pd_enomem : NULL;
}

static void deinit(struct otlp_message *m)
{
	otlp_samples_deinit(&m->samples);
	otlp_dictionary_deinit(&m->dictionary);
	pd_vec_deinit(&m->profiles);
	pd_vec_deinit(&m->heads);
	pd_vec_deinit(&m->resource);
	pd_vec_deinit(&m->scope);
	pd_vec_deinit(&m->losses);
}

/* Whether a message of @p size bytes is larger than @p most, and can be divided. */
static bool has_to_be_divided(struct otlp_range range, uint64_t size, uint64_t most)
{
	return size > most && range.end - range.first > 1;
}

/* Write a message of some samples, unless it has to be divided. *@p size_ret: its bytes. */
static struct pd_error *write_message(const struct profile *profile,
	const struct out_pprof_opts *opts, struct otlp_range range, uint64_t most,
	struct otlp_out *out, uint64_t *size_ret)
{
	_cleanup_(deinit) struct otlp_message m = {
		.profile = profile, .opts = opts, .range = range
	};
	uint8_t head[BASE_VARINT_BYTES];

	otlp_dictionary_init(&m.dictionary, profile);
	struct pd_error *err = m.dictionary.no_memory ? &pd_enomem : collect(&m);
	if (err)
		return err;
	*size_ret = base_proto_len_size(resource_size(&m)) +
		    base_proto_len_size(otlp_dictionary_size(&m.dictionary));
	if (has_to_be_divided(range, *size_ret, most))
		return NULL;
	if (most != UINT64_MAX)
		fwrite(head, 1, (size_t)(base_varint(head, *size_ret) - head), out->stream);
	put_all(&m, out);
	return m.samples.no_memory ? &pd_enomem : NULL;
}

/*
 * Return how many of @p n samples, which take @p size bytes, may fit into @p most: somewhat less
 * than their share, because parts of the dictionary are in each message.
 */
static uint32_t shrink(uint32_t n, uint64_t size, uint64_t most)
{
	uint32_t fewer = (uint32_t)((double)n * 0.8 * (double)most / (double)size);

	return fewer ? fewer : 1;
}

static struct pd_error *write_file(const struct profile *profile, const struct out_write_opts *opts,
	FILE *stream, bool is_json)
{
	struct otlp_out out = { .stream = stream, .is_json = is_json };
	uint64_t most = opts->message_bytes ? opts->message_bytes : UINT64_MAX, size;
	uint32_t n = profile->samples.n, step = n;
	struct otlp_range range = { 0, n };

	do {
		range.end = n - range.first > step ? range.first + step : n;
		struct pd_error *err =
			write_message(profile, &opts->pprof, range, most, &out, &size);
		if (err)
			return err;
		if (has_to_be_divided(range, size, most))
			step = shrink(range.end - range.first, size, most);
		else
			range.first = range.end;
	} while (range.first < n);
	return NULL;
}

static struct pd_error *write_protobuf(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	return write_file(profile, opts, out, false);
}

static struct pd_error *write_json(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	return write_file(profile, opts, out, true);
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	request->tags = 1 << PROF_TAG_CPU | 1 << PROF_TAG_CGROUP | 1 << PROF_TAG_TIME;
	return NULL;
}

const struct out_format out_format_otlp = {
	.name = "otlp",
	.suffix = ".otlp",
	.is_binary = true,
	.help = "profiles of OpenTelemetry, for collectors and other servers",
	.prepare = prepare,
	.write = write_protobuf,
};

const struct out_format out_format_otlp_json = {
	.name = "otlp-json",
	.suffix = ".otlp.json",
	.is_binary = true,
	.help = "the same as JSON",
	.prepare = prepare,
	.write = write_json,
};
