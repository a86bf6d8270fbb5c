#include "output/otlp/otlp_dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "profile/known_runtimes.h"

/* Values of profile.frame.type for the runtimes that have one (semantic conventions 1.37). */
static const char *runtime_type(uint32_t runtime)
{
	switch (runtime) {
	case PROF_RUNTIME_CPYTHON:
		return "cpython";
	case PROF_RUNTIME_RUBY:
		return "ruby";
	case PROF_RUNTIME_PHP:
		return "php";
	case PROF_RUNTIME_PERL:
		return "perl";
	case PROF_RUNTIME_JAVA:
		return "jvm";
	case PROF_RUNTIME_V8:
		return "v8js";
	case PROF_RUNTIME_DOTNET:
		return "dotnet";
	case PROF_RUNTIME_ERLANG:
		return "beam";
	default:
		return NULL;
	}
}

/* Generated code is of a certain runtime only if the recording has no other one. */
static const char *find_generated(const struct profile *profile)
{
	const char *type =
		profile->runtimes.n ? runtime_type(profile->runtimes.data[0].runtime) : NULL;

	for (size_t i = 1; type && i < profile->runtimes.n; i++) {
		if (profile->runtimes.data[i].runtime != profile->runtimes.data[0].runtime)
			return NULL;
	}
	return type;
}

/* Return the index of @p n bytes in a table. */
static uint32_t add(struct otlp_dictionary *d, enum otlp_table table, const void *bytes, size_t n)
{
	uint32_t id = base_intern_add(&d->tables[table], bytes, n);

	/* Indexes are signed. */
	if (id <= INT32_MAX)
		return id;
	d->no_memory = true;
	return 0;
}

void otlp_dictionary_init(struct otlp_dictionary *d, const struct profile *profile)
{
	*d = (struct otlp_dictionary){
		.profile = profile,
		.generated = find_generated(profile),
		.binaries = base_calloc_n(profile->binaries.n, sizeof(*d->binaries)),
		.functions = base_calloc_n(profile->functions.n, sizeof(*d->functions)),
		.frames = base_calloc_n(profile->frames.n, sizeof(*d->frames)),
		.stacks = base_calloc_n(profile->stacks.n, sizeof(*d->stacks)),
	};
	d->no_memory = !d->binaries || !d->functions || !d->frames || !d->stacks;
	for (size_t i = 0; i < OTLP_N_TABLES; i++)
		add(d, (enum otlp_table)i, "", 0);
}

void otlp_dictionary_deinit(struct otlp_dictionary *d)
{
	for (size_t i = 0; i < OTLP_N_TABLES; i++)
		base_intern_deinit(&d->tables[i]);
	free(d->binaries);
	free(d->functions);
	free(d->frames);
	free(d->stacks);
	pd_vec_deinit(&d->buffer);
	pd_vec_deinit(&d->stack);
}

uint32_t otlp_string(struct otlp_dictionary *d, const char *text)
{
	_cleanup_free_ char *copy = NULL;
	const char *utf8 = base_utf8_text(text, &copy);

	if (utf8)
		return add(d, OTLP_STRINGS, utf8, strlen(utf8));
	d->no_memory = true;
	return 0;
}

static uint32_t string(struct otlp_dictionary *d, struct prof_string_id id)
{
	return otlp_string(d, prof_string(d->profile, id));
}

/* Add an attribute whose value has @p size bytes in the buffer, after room for other fields. */
static uint32_t add_attribute(struct otlp_dictionary *d, uint32_t key, size_t size)
{
	uint8_t *value = d->buffer.data + 2 * BASE_PROTO_NUMBER_BYTES;
	uint8_t *at = base_proto_seal(value, value + size, OTLP_ATTRIBUTE_VALUE);
	uint8_t *end = value + size;
	uint8_t head[BASE_PROTO_NUMBER_BYTES];
	size_t n = (size_t)(base_proto_int64(head, OTLP_ATTRIBUTE_KEY, key) - head);

	memcpy(at - n, head, n);
	return add(d, OTLP_ATTRIBUTES, at - n, (size_t)(end - at) + n);
}

static bool reserve_attribute(struct otlp_dictionary *d, size_t size)
{
	if (pd_vec_reserve(&d->buffer, 3 * BASE_PROTO_NUMBER_BYTES + size))
		return true;
	d->no_memory = true;
	return false;
}

uint32_t otlp_text_attribute(struct otlp_dictionary *d, const char *key, const char *value)
{
	uint32_t key_index = otlp_string(d, key);
	_cleanup_free_ char *copy = NULL;
	const char *utf8 = base_utf8_text(value, &copy);

	if (!utf8 || !reserve_attribute(d, strlen(utf8))) {
		d->no_memory = true;
		return 0;
	}
	uint8_t *at = d->buffer.data + 2 * BASE_PROTO_NUMBER_BYTES;
	uint8_t *end = base_proto_bytes(at, OTLP_ANY_VALUE_STRING, utf8, strlen(utf8));
	return add_attribute(d, key_index, (size_t)(end - at));
}

uint32_t otlp_number_attribute(struct otlp_dictionary *d, const char *key, uint64_t value)
{
	uint32_t key_index = otlp_string(d, key);

	if (!reserve_attribute(d, BASE_PROTO_NUMBER_BYTES))
		return 0;
	uint8_t *at = d->buffer.data + 2 * BASE_PROTO_NUMBER_BYTES;
	/* A member of a oneof is written even if it is 0. */
	uint8_t *end = at;
	*end++ = base_proto_tag(OTLP_ANY_VALUE_INT, BASE_PROTO_VARINT);
	end = base_varint(end, value);
	return add_attribute(d, key_index, (size_t)(end - at));
}

/* Encode a list of at most one attribute; 0: there is none. */
static uint8_t *put_attribute(uint8_t *at, unsigned field, uint32_t attribute)
{
	if (!attribute)
		return at;
	at = base_proto_len(at, field, base_varint_size(attribute));
	return base_varint(at, attribute);
}

static uint32_t add_function(struct otlp_dictionary *d, struct prof_function_id id)
{
	const struct prof_function *function = prof_function(d->profile, id);
	uint8_t bytes[4 * BASE_PROTO_NUMBER_BYTES], *at = bytes;

	at = base_proto_int64(
		at, OTLP_FUNCTION_NAME, string(d, prof_function_label(d->profile, id)));
	at = base_proto_int64(at, OTLP_FUNCTION_SYSTEM_NAME, string(d, function->linkage));
	at = base_proto_int64(at, OTLP_FUNCTION_FILENAME, string(d, function->file));
	at = base_proto_int64(at, OTLP_FUNCTION_START_LINE, function->start_line);
	return add(d, OTLP_FUNCTIONS, bytes, (size_t)(at - bytes));
}

static uint32_t add_mapping(struct otlp_dictionary *d, struct prof_binary_id id)
{
	const struct prof_binary *binary = prof_binary(d->profile, id);
	uint8_t bytes[6 * BASE_PROTO_NUMBER_BYTES], *at = bytes;
	char hex[PD_BUILD_ID_HEX_MAX];
	uint32_t attribute = 0;

	if (binary->build_id.len)
		attribute = otlp_text_attribute(d, "process.executable.build_id.gnu",
			pd_build_id_hex(&binary->build_id, hex));
	/* Not all binaries have addresses, but a range must not be empty. */
	if (binary->start < binary->limit) {
		at = base_proto_int64(at, OTLP_MAPPING_START, (int64_t)binary->start);
		at = base_proto_int64(at, OTLP_MAPPING_LIMIT, (int64_t)binary->limit);
	}
	at = base_proto_int64(at, OTLP_MAPPING_OFFSET, (int64_t)binary->offset);
	at = base_proto_int64(at, OTLP_MAPPING_FILENAME, string(d, binary->name));
	at = put_attribute(at, OTLP_MAPPING_ATTRIBUTES, attribute);
	return add(d, OTLP_MAPPINGS, bytes, (size_t)(at - bytes));
}

/* Entries of a binary and of a function, which are added if they are new. */
static uint32_t find_mapping(struct otlp_dictionary *d, struct prof_binary_id id)
{
	if (!d->binaries[id.i])
		d->binaries[id.i] = add_mapping(d, id) + 1;
	return d->binaries[id.i] - 1;
}

static uint32_t find_function(struct otlp_dictionary *d, struct prof_function_id id)
{
	if (!d->functions[id.i])
		d->functions[id.i] = add_function(d, id) + 1;
	return d->functions[id.i] - 1;
}

/* Return the type of code that a frame is in; NULL: not known. */
static const char *frame_type(const struct otlp_dictionary *d, const struct prof_frame *frame)
{
	const struct prof_binary *binary;

	if (prof_is_none(frame->binary))
		return NULL;
	binary = prof_binary(d->profile, frame->binary);
	if (binary->is_kernel)
		return "kernel";
	if (binary->is_generated)
		return d->generated;
	return binary->is_go ? "go" : "native";
}

static uint8_t *encode_line(uint8_t *to, uint32_t function, uint32_t line)
{
	/* Two numbers take 22 bytes at most, so the size is a single byte. */
	uint8_t *start = to + 2, *at = start;

	at = base_proto_int64(at, OTLP_LINE_FUNCTION, function);
	at = base_proto_int64(at, OTLP_LINE_LINE, line);
	to[0] = base_proto_tag(OTLP_LOCATION_LINES, BASE_PROTO_LEN);
	to[1] = (uint8_t)(at - start);
	return at;
}

/* A function for locations of which nothing is known: an empty one would be no location. */
static uint32_t add_unknown(struct otlp_dictionary *d, const struct prof_frame *frame)
{
	char text[64];
	uint8_t bytes[BASE_PROTO_NUMBER_BYTES];
	uint32_t name = otlp_string(d, prof_unnamed(d->profile, frame, text, sizeof(text)));
	uint8_t *end = base_proto_int64(bytes, OTLP_FUNCTION_NAME, name);

	return add(d, OTLP_FUNCTIONS, bytes, (size_t)(end - bytes));
}

static uint32_t add_location(struct otlp_dictionary *d, struct prof_frame_id id)
{
	enum { LINE_BYTES = 2 + 2 * BASE_PROTO_NUMBER_BYTES };
	const struct prof_frame *frame = prof_frame(d->profile, id);
	const char *type = frame_type(d, frame);
	uint32_t attribute = type ? otlp_text_attribute(d, "profile.frame.type", type) : 0;
	uint32_t mapping = prof_is_none(frame->binary) ? 0 : find_mapping(d, frame->binary);
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(d->profile, id, &n);

	if (!pd_vec_reserve(
		    &d->buffer, 4 * BASE_PROTO_NUMBER_BYTES + ((size_t)n + 1) * LINE_BYTES)) {
		d->no_memory = true;
		return 0;
	}
	uint8_t *start = d->buffer.data, *at = start;
	at = base_proto_int64(at, OTLP_LOCATION_MAPPING, mapping);
	at = base_proto_int64(at, OTLP_LOCATION_ADDRESS, (int64_t)frame->addr);
	/* Innermost inlined function first. Functions and strings do not use the buffer. */
	for (uint32_t i = 0; i < n; i++)
		at = encode_line(at, find_function(d, lines[i].function), lines[i].line);
	if (at == start)
		at = encode_line(at, add_unknown(d, frame), 0);
	at = put_attribute(at, OTLP_LOCATION_ATTRIBUTES, attribute);
	return add(d, OTLP_LOCATIONS, start, (size_t)(at - start));
}

static uint32_t find_location(struct otlp_dictionary *d, struct prof_frame_id id)
{
	if (!d->frames[id.i])
		d->frames[id.i] = add_location(d, id) + 1;
	return d->frames[id.i] - 1;
}

static uint32_t add_stack(struct otlp_dictionary *d, struct prof_stack_id id)
{
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(d->profile, id, &n);

	if (!n)
		return 0;
	if (!pd_vec_reserve(&d->stack, BASE_PROTO_NUMBER_BYTES + (size_t)n * BASE_VARINT_BYTES)) {
		d->no_memory = true;
		return 0;
	}
	uint8_t *body = d->stack.data + BASE_PROTO_NUMBER_BYTES, *end = body;
	for (uint32_t i = 0; i < n; i++)
		end = base_varint(end, find_location(d, frames[i]));
	uint8_t *start = base_proto_seal(body, end, OTLP_STACK_LOCATIONS);
	return add(d, OTLP_STACKS, start, (size_t)(end - start));
}

uint32_t otlp_stack(struct otlp_dictionary *d, struct prof_stack_id id)
{
	if (!d->stacks[id.i])
		d->stacks[id.i] = add_stack(d, id) + 1;
	return d->stacks[id.i] - 1;
}

static uint64_t table_size(const struct base_intern *table)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < table->n; i++)
		size += base_proto_len_size(base_intern_len(table, i));
	return size;
}

uint64_t otlp_dictionary_size(const struct otlp_dictionary *d)
{
	uint64_t size = 0;

	for (size_t i = 0; i < OTLP_N_TABLES; i++)
		size += table_size(&d->tables[i]);
	return size;
}

void otlp_dictionary_put(const struct otlp_dictionary *d, struct otlp_out *out)
{
	otlp_begin(out, OTLP_FIELD_DATA_DICTIONARY, otlp_dictionary_size(d));
	for (size_t t = 0; t < OTLP_N_TABLES; t++) {
		enum otlp_field field = OTLP_FIELD_DICTIONARY_MAPPINGS + (enum otlp_field)t;

		for (uint32_t i = 0; i < d->tables[t].n; i++)
			otlp_put(out, field, base_intern_bytes(&d->tables[t], i),
				base_intern_len(&d->tables[t], i));
	}
	otlp_end(out);
}
