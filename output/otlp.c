/*
 * The format otlp: profiles of OpenTelemetry, a ProfilesData message. An event has two profiles as
 * it has two values in pprof: the sum of its periods, and the number of its samples.
 *
 * Messages contain each other, and each begins with its size. So samples are encoded twice: once to
 * add up sizes, and once to be written.
 */
#include "output/otlp.h"

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
	/** Its fields except for the samples, in otlp_file.heads, and the size of all of them. */
	size_t head;
	size_t head_size;
	uint64_t size;
};

struct otlp_file {
	const struct profile *profile;
	const struct out_pprof_opts *opts;
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
static void put_resource(struct otlp_file *f, const char *key, const char *value)
{
	_cleanup_free_ char *key_copy = NULL, *value_copy = NULL;

	key = base_utf8_text(key, &key_copy);
	value = base_utf8_text(value, &value_copy);
	size_t room = 4 * BASE_PROTO_NUMBER_BYTES;
	if (!key || !value ||
		!pd_vec_reserve(
			&f->resource, f->resource.n + 2 * room + strlen(key) + strlen(value))) {
		f->no_memory = true;
		return;
	}
	size_t value_size = base_proto_len_size(strlen(value));
	size_t size = base_proto_len_size(strlen(key)) + base_proto_len_size(value_size);
	uint8_t *at = f->resource.data + f->resource.n;
	at = base_proto_len(at, OTLP_RESOURCE_ATTRIBUTES, size);
	at = base_proto_bytes(at, OTLP_KEY_VALUE_KEY, key, strlen(key));
	at = base_proto_len(at, OTLP_KEY_VALUE_VALUE, value_size);
	at = base_proto_bytes(at, OTLP_ANY_VALUE_STRING, value, strlen(value));
	f->resource.n = (size_t)(at - f->resource.data);
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
static bool is_given(const struct otlp_file *f, const char *key, size_t after)
{
	for (size_t i = after; i < f->opts->n_labels; i++) {
		if (strcmp(f->opts->labels[i].key, key) == 0)
			return true;
	}
	return false;
}

static void describe_resource(struct otlp_file *f)
{
	const struct prof_about *about = &f->profile->about;
	const struct {
		const char *key;
		const char *value;
	} facts[] = {
		{ "host.name", prof_string(f->profile, about->host) },
		{ "host.arch", host_arch(prof_string(f->profile, about->arch)) },
		{ "os.type", "linux" },
		{ "os.version", prof_string(f->profile, about->kernel_release) },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(facts); i++) {
		if (*facts[i].value && !is_given(f, facts[i].key, 0))
			put_resource(f, facts[i].key, facts[i].value);
	}
	for (size_t i = 0; i < f->opts->n_labels; i++) {
		if (!is_given(f, f->opts->labels[i].key, i + 1))
			put_resource(f, f->opts->labels[i].key, f->opts->labels[i].value);
	}
}

static void describe_scope(struct otlp_file *f)
{
	static const char name[] = "pdconv", version[] = PD_VERSION;

	if (!pd_vec_reserve(
		    &f->scope, 2 * BASE_PROTO_NUMBER_BYTES + sizeof(name) + sizeof(version))) {
		f->no_memory = true;
		return;
	}
	uint8_t *at = f->scope.data;
	at = base_proto_bytes(at, OTLP_SCOPE_NAME, name, strlen(name));
	at = base_proto_bytes(at, OTLP_SCOPE_VERSION, version, strlen(version));
	f->scope.n = (size_t)(at - f->scope.data);
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
static void describe_losses(struct otlp_file *f)
{
	const struct profile *profile = f->profile;
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
			f->no_memory = true;
			return;
		}
		at = base_varint(at, otlp_number_attribute(&f->dictionary, key, losses[i].n));
	}
	if (at == start)
		return;
	start = otlp_seal(start, at, OTLP_PROFILE_ATTRIBUTES);
	f->losses.n = (size_t)(at - start);
	if (pd_vec_reserve(&f->losses, f->losses.n))
		memcpy(f->losses.data, start, f->losses.n);
	else
		f->no_memory = true;
}

static uint8_t *put_type(uint8_t *to, unsigned field, uint32_t type, uint32_t unit)
{
	uint8_t bytes[2 * BASE_PROTO_NUMBER_BYTES], *at = bytes;

	at = base_proto_int64(at, OTLP_VALUE_TYPE_TYPE, type);
	at = base_proto_int64(at, OTLP_VALUE_TYPE_UNIT, unit);
	return base_proto_bytes(to, field, bytes, (size_t)(at - bytes));
}

/* Encode when the recording began, and how long it took: all times of samples are within. */
static uint8_t *put_time(uint8_t *at, const struct otlp_file *f)
{
	const struct otlp_samples *s = &f->samples;
	uint64_t start = out_recording_start(f->profile);
	uint64_t length = prof_stats_length(&f->profile->stats), end = start + length;

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

static void add_profile(struct otlp_file *f, struct prof_event_id event, enum otlp_values values,
	const struct types *types)
{
	struct otlp_profile profile = { .event = event, .values = values, .head = f->heads.n };

	if (!pd_vec_reserve(&f->heads, f->heads.n + 12 * BASE_PROTO_NUMBER_BYTES + f->losses.n)) {
		f->no_memory = true;
		return;
	}
	uint8_t *start = f->heads.data + f->heads.n, *at = start;
	at = put_type(at, OTLP_PROFILE_SAMPLE_TYPE, types->type, types->unit);
	at = put_time(at, f);
	at = put_type(at, OTLP_PROFILE_PERIOD_TYPE, types->period_type, types->period_unit);
	at = base_proto_int64(at, OTLP_PROFILE_PERIOD, types->period);
	if (f->losses.n)
		memcpy(at, f->losses.data, f->losses.n);
	at += f->losses.n;
	profile.head_size = (size_t)(at - start);
	f->heads.n += profile.head_size;
	profile.size = profile.head_size;
	if (!prof_is_none(event))
		profile.size += otlp_samples_put(&f->samples, event, values, NULL);
	f->no_memory |= !pd_vec_push(&f->profiles, profile);
}

static void add_event(struct otlp_file *f, struct prof_event_id id, const char *name, bool is_only)
{
	const struct prof_event *event = prof_event(f->profile, id);
	struct otlp_dictionary *d = &f->dictionary;
	_cleanup_free_ char *samples = base_format(is_only ? "samples" : "%s:samples", name);
	int64_t period = out_event_period(event);

	if (!samples) {
		f->no_memory = true;
		return;
	}
	struct types types = {
		.type = otlp_string(d, name),
		.unit = otlp_string(d, prof_string(f->profile, event->unit)),
		.period = period ? period : 1,
	};
	types.period_type = types.type;
	types.period_unit = types.unit;
	add_profile(f, id, OTLP_PERIODS, &types);
	types.type = otlp_string(d, samples);
	types.unit = otlp_string(d, "count");
	add_profile(f, id, OTLP_COUNTS, &types);
}

/* Add the profiles, those of the main event first: viewers show the first one. */
static void add_profiles(struct otlp_file *f, const struct out_event_names *names)
{
	bool is_only = out_count_listed_events(f->profile) == 1;
	struct prof_event_id first = out_main_event(f->profile);

	if (prof_is_none(first)) {
		struct types types = { .period = 1 };

		types.type = types.period_type = otlp_string(&f->dictionary, "samples");
		types.unit = types.period_unit = otlp_string(&f->dictionary, "count");
		add_profile(f, first, OTLP_COUNTS, &types);
		return;
	}
	add_event(f, first, out_event_name(names, f->profile, first), is_only);
	for (struct prof_event_id id = { 0 }; id.i < f->profile->events.n; id.i++) {
		if (!prof_same_event(id, first) && out_event_is_listed(prof_event(f->profile, id)))
			add_event(f, id, out_event_name(names, f->profile, id), is_only);
	}
}

static void put_profile(
	struct otlp_file *f, const struct otlp_profile *profile, struct otlp_out *out)
{
	otlp_begin(out, OTLP_FIELD_SCOPE_PROFILES_PROFILES, profile->size);
	otlp_put_fields(out, OTLP_FIELD_SCOPE_PROFILES_PROFILES, f->heads.data + profile->head,
		profile->head_size);
	if (!prof_is_none(profile->event))
		otlp_samples_put(&f->samples, profile->event, profile->values, out);
	otlp_end(out);
}

static void put_all(struct otlp_file *f, struct otlp_out *out)
{
	uint64_t scope = otlp_size(f->scope.n);

	for (size_t i = 0; i < f->profiles.n; i++)
		scope += otlp_size(f->profiles.data[i].size);
	otlp_open(out);
	otlp_begin(out, OTLP_FIELD_DATA_RESOURCE_PROFILES,
		otlp_size(f->resource.n) + otlp_size(scope));
	otlp_put(out, OTLP_FIELD_RESOURCE_PROFILES_RESOURCE, f->resource.data, f->resource.n);
	otlp_begin(out, OTLP_FIELD_RESOURCE_PROFILES_SCOPE_PROFILES, scope);
	otlp_put(out, OTLP_FIELD_SCOPE_PROFILES_SCOPE, f->scope.data, f->scope.n);
	for (size_t i = 0; i < f->profiles.n; i++)
		put_profile(f, &f->profiles.data[i], out);
	otlp_end(out);
	otlp_end(out);
	otlp_dictionary_put(&f->dictionary, out);
	otlp_close(out);
}

static struct pd_error *collect(struct otlp_file *f)
{
	_cleanup_(out_event_names_deinit) struct out_event_names names = { 0 };
	bool has_names = out_event_names_init(&names, f->profile);
	struct pd_error *err = otlp_samples_init(&f->samples, f->profile, &f->dictionary);

	if (err)
		return err;
	describe_resource(f);
	describe_scope(f);
	describe_losses(f);
	if (!has_names || f->no_memory)
		return &pd_enomem;
	add_profiles(f, &names);
	return f->no_memory || f->samples.no_memory || f->dictionary.no_memory ? &pd_enomem : NULL;
}

static struct pd_error *write_file(const struct profile *profile, const struct out_write_opts *opts,
	FILE *stream, bool is_json)
{
	struct otlp_file f = { .profile = profile, .opts = &opts->pprof };
	struct otlp_out out = { .stream = stream, .is_json = is_json };

	otlp_dictionary_init(&f.dictionary, profile);
	struct pd_error *err = f.dictionary.no_memory ? &pd_enomem : collect(&f);
	if (!err) {
		put_all(&f, &out);
		err = f.samples.no_memory ? &pd_enomem : NULL;
	}
	otlp_samples_deinit(&f.samples);
	otlp_dictionary_deinit(&f.dictionary);
	pd_vec_deinit(&f.profiles);
	pd_vec_deinit(&f.heads);
	pd_vec_deinit(&f.resource);
	pd_vec_deinit(&f.scope);
	pd_vec_deinit(&f.losses);
	return err;
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
