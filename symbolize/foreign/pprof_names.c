#include "symbolize/foreign/pprof_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "base/protobuf.h"
#include "base/utf8.h"

/* Numbers of the fields of output/pprof/profile.proto. */
enum {
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	MAPPING_ID = 1,
	MAPPING_START = 2,
	MAPPING_LIMIT = 3,
	MAPPING_OFFSET = 4,
	MAPPING_PATH = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINE = 10,
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_LINKAGE = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5,
};

struct mapping {
	/** The message. Borrowed from the profile. */
	struct base_proto_field field;
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	uint64_t path;
	uint64_t build_id;
	uint32_t module;
	bool has_functions;
	/** Names, files and lines were found for locations of the mapping. */
	bool is_named;
	bool is_with_files;
	bool is_with_lines;
};

struct location {
	uint64_t address;
	/** NULL: none. */
	struct mapping *mapping;
	bool has_function;
};

/** A function that is added. The set has each of its texts once for a binary, and keeps it. */
struct function {
	const char *name;
	const char *linkage;
	const char *file;
	uint64_t line;
};

struct sym_pprof {
	const char *path;
	const uint8_t *bytes;
	size_t len;
	struct sym_asked *asked;
	PD_VEC(struct mapping) mappings;
	/** Id of a mapping -> its index. */
	struct base_map mapping_ids;
	/** Where the field of each string begins. The size of profiles is limited. */
	PD_VEC(uint32_t) strings;
	uint64_t max_function;
	/** Strings and functions that are added. */
	struct base_intern texts;
	struct base_intern functions;
	FILE *out;
	/** A location or a mapping that is written. */
	PD_VEC(uint8_t) message;
};

static struct base_proto whole(const struct sym_pprof *p)
{
	return (struct base_proto){ .at = p->bytes, .end = p->bytes + p->len };
}

static struct pd_error *damage(const struct sym_pprof *p, const uint8_t *at)
{
	return pd_error_create(PD_ERROR_FORMAT, p->path,
		"damaged profile of pprof: invalid field at byte %zu", (size_t)(at - p->bytes));
}

/* Reading. */

static struct pd_error *add_mapping(struct sym_pprof *p, const struct base_proto_field *field)
{
	struct mapping mapping = { .field = *field, .module = SYM_NO_MODULE };
	struct base_proto wire = base_proto_of(field);
	uint64_t id = 0, has_functions = 0;
	uint64_t *const members[] = {
		[MAPPING_ID] = &id,
		[MAPPING_START] = &mapping.start,
		[MAPPING_LIMIT] = &mapping.limit,
		[MAPPING_OFFSET] = &mapping.offset,
		[MAPPING_PATH] = &mapping.path,
		[MAPPING_BUILD_ID] = &mapping.build_id,
		[MAPPING_HAS_FUNCTIONS] = &has_functions,
	};
	struct base_proto_field f;
	bool is_new;

	while (base_proto_next(&wire, &f)) {
		if (f.type == BASE_PROTO_VARINT && f.number <= MAPPING_HAS_FUNCTIONS)
			*members[f.number] = f.value;
	}
	if (wire.is_damaged)
		return damage(p, wire.at);
	mapping.has_functions = has_functions;
	uint64_t *slot = base_map_add(&p->mapping_ids, id, &is_new);
	if (slot && is_new)
		*slot = p->mappings.n;
	return slot && pd_vec_push(&p->mappings, mapping) ? NULL : &pd_enomem;
}

static struct pd_error *note_function(struct sym_pprof *p, const struct base_proto_field *field)
{
	struct base_proto wire = base_proto_of(field);
	struct base_proto_field f;

	while (base_proto_next(&wire, &f)) {
		if (f.number == FUNCTION_ID && f.value > p->max_function)
			p->max_function = f.value;
	}
	return wire.is_damaged ? damage(p, wire.at) : NULL;
}

static struct pd_error *read_field(struct sym_pprof *p, const struct base_proto_field *field)
{
	if (field->type != BASE_PROTO_LEN)
		return NULL;
	switch (field->number) {
	case PROFILE_MAPPING:
		return add_mapping(p, field);
	case PROFILE_FUNCTION:
		return note_function(p, field);
	case PROFILE_STRING:
		return pd_vec_push(&p->strings, (uint32_t)(field->start - p->bytes)) ? NULL
										     : &pd_enomem;
	default:
		return NULL;
	}
}

static bool has_function(const struct base_proto_field *line)
{
	struct base_proto wire = base_proto_of(line);
	struct base_proto_field f;

	while (base_proto_next(&wire, &f)) {
		if (f.number == LINE_FUNCTION && f.value)
			return true;
	}
	return false;
}

static struct pd_error *decode_location(
	const struct sym_pprof *p, const struct base_proto_field *field, struct location *ret)
{
	struct base_proto wire = base_proto_of(field);
	struct base_proto_field f;
	uint64_t mapping = 0;

	*ret = (struct location){ 0 };
	while (base_proto_next(&wire, &f)) {
		if (f.number == LOCATION_MAPPING)
			mapping = f.value;
		else if (f.number == LOCATION_ADDRESS)
			ret->address = f.value;
		else if (f.number == LOCATION_LINE && f.type == BASE_PROTO_LEN)
			ret->has_function |= has_function(&f);
	}
	const uint64_t *index = mapping ? base_map_find(&p->mapping_ids, mapping) : NULL;
	if (index)
		ret->mapping = &p->mappings.data[*index];
	return wire.is_damaged ? damage(p, wire.at) : NULL;
}

/* Whether the location is to be named. Names of mappings that lack functions are not the best. */
static bool is_wanted(const struct location *location)
{
	return !location->has_function || (location->mapping && !location->mapping->has_functions);
}

static uint32_t module_of(const struct location *location)
{
	return location->mapping ? location->mapping->module : SYM_NO_MODULE;
}

static struct pd_error *ask(struct sym_pprof *p, const struct base_proto_field *field)
{
	struct location location;
	struct pd_error *err = decode_location(p, field, &location);

	if (err || !is_wanted(&location))
		return err;
	return sym_asked_add(p->asked, module_of(&location), location.address);
}

/* The text of a string, which is empty if there is none of that number. */
static struct base_proto_field string(const struct sym_pprof *p, uint64_t number)
{
	struct base_proto_field ret = { .bytes = p->bytes };

	if (number < p->strings.n) {
		struct base_proto wire = { .at = p->bytes + p->strings.data[number],
			.end = p->bytes + p->len };

		base_proto_next(&wire, &ret);
	}
	return ret;
}

static struct pd_error *add_module(struct sym_pprof *p, struct mapping *mapping)
{
	struct base_proto_field path = string(p, mapping->path), id = string(p, mapping->build_id);
	/* Profilers that name no mapping have the addresses of the file. */
	bool is_mapped = mapping->start || mapping->limit;
	const struct sym_asked_module module = {
		.path = (const char *)path.bytes,
		.path_len = path.len,
		.id = (const char *)id.bytes,
		.id_len = id.len,
		.kind = is_mapped ? SYM_ADDRESS_PROCESS : SYM_ADDRESS_VADDR,
		.start = mapping->start,
		.limit = mapping->limit,
		.offset = mapping->offset,
	};

	return sym_asked_add_module(p->asked, &module, &mapping->module);
}

/* Call @p fn for each field of the profile. */
static struct pd_error *each_field(struct sym_pprof *p,
	struct pd_error *(*fn)(struct sym_pprof *p, const struct base_proto_field *field))
{
	struct base_proto wire = whole(p);
	struct base_proto_field field;
	struct pd_error *err = NULL;

	while (!err && base_proto_next(&wire, &field))
		err = fn(p, &field);
	return !err && wire.is_damaged ? damage(p, wire.at) : err;
}

static struct pd_error *ask_field(struct sym_pprof *p, const struct base_proto_field *field)
{
	bool is_location = field->number == PROFILE_LOCATION && field->type == BASE_PROTO_LEN;

	return is_location ? ask(p, field) : NULL;
}

static struct pd_error *read_all(struct sym_pprof *p)
{
	struct pd_error *err = each_field(p, read_field);

	for (size_t i = 0; i < p->mappings.n && !err; i++)
		err = add_module(p, &p->mappings.data[i]);
	return err ? err : each_field(p, ask_field);
}

struct pd_error *sym_pprof_read(const char *path, const uint8_t *bytes, size_t len,
	struct sym_asked *asked, struct sym_pprof **ret)
{
	struct sym_pprof *p = calloc(1, sizeof(*p));

	if (!p)
		return &pd_enomem;
	*p = (struct sym_pprof){ .path = path, .bytes = bytes, .len = len, .asked = asked };
	p->functions.width = sizeof(struct function);
	struct pd_error *err = len <= UINT32_MAX ? read_all(p) : damage(p, bytes);
	if (err)
		sym_pprof_destroy(p);
	else
		*ret = p;
	return err;
}

void sym_pprof_destroy(struct sym_pprof *p)
{
	if (!p)
		return;
	pd_vec_deinit(&p->mappings);
	pd_vec_deinit(&p->strings);
	pd_vec_deinit(&p->message);
	base_map_deinit(&p->mapping_ids);
	base_intern_deinit(&p->texts);
	base_intern_deinit(&p->functions);
	free(p);
}

/* Writing. */

static void put_message(struct sym_pprof *p, uint32_t number, const void *bytes, size_t len)
{
	uint8_t head[BASE_PROTO_NUMBER_BYTES];

	fwrite_unlocked(head, 1, (size_t)(base_proto_len(head, number, len) - head), p->out);
	fwrite_unlocked(bytes, 1, len, p->out);
}

static void put_field(struct sym_pprof *p, const struct base_proto_field *field)
{
	fwrite_unlocked(field->start, 1, (size_t)(field->end - field->start), p->out);
}

static struct pd_error *add_function(
	struct sym_pprof *p, const struct sym_name *name, uint64_t *ret)
{
	const struct function function = {
		.name = name->function,
		.linkage = name->linkage ? name->linkage : name->function,
		.file = name->file,
		.line = name->start_line,
	};
	uint32_t id = base_intern_add(&p->functions, &function, sizeof(function));

	if (id == PD_INTERN_NONE)
		return &pd_enomem;
	*ret = p->max_function + 1 + id;
	if (*ret > p->max_function)
		return NULL;
	return pd_error_create(PD_ERROR_FORMAT, p->path, "no ids are left for functions");
}

static struct pd_error *add_line(struct sym_pprof *p, const struct sym_name *name)
{
	uint8_t line[2 * BASE_PROTO_NUMBER_BYTES], *end = line;
	uint64_t function = 0;
	struct pd_error *err = add_function(p, name, &function);

	if (err)
		return err;
	if (!pd_vec_reserve(&p->message, p->message.n + BASE_PROTO_NUMBER_BYTES + sizeof(line)))
		return &pd_enomem;
	end = base_proto_int64(end, LINE_FUNCTION, (int64_t)function);
	end = base_proto_int64(end, LINE_LINE, name->line);
	size_t len = (size_t)(end - line);
	uint8_t *to = base_proto_len(p->message.data + p->message.n, LOCATION_LINE, len);
	memcpy(to, line, len);
	p->message.n = (size_t)(to + len - p->message.data);
	return NULL;
}

/* Copy a field of a location or a mapping that stays. */
static struct pd_error *keep(struct sym_pprof *p, const struct base_proto_field *field)
{
	size_t len = (size_t)(field->end - field->start);

	/* Without the additional byte, an empty message has no address. */
	if (!pd_vec_reserve(&p->message, p->message.n + len + 1))
		return &pd_enomem;
	memcpy(p->message.data + p->message.n, field->start, len);
	p->message.n += len;
	return NULL;
}

static struct pd_error *put_named(
	struct sym_pprof *p, const struct base_proto_field *field, const struct sym_names *names)
{
	struct base_proto wire = base_proto_of(field);
	struct pd_error *err = NULL;
	struct base_proto_field f;

	p->message.n = 0;
	while (!err && base_proto_next(&wire, &f)) {
		if (f.number != LOCATION_LINE)
			err = keep(p, &f);
	}
	for (uint32_t i = 0; i < names->n && !err; i++)
		err = add_line(p, &names->names[i]);
	if (!err)
		put_message(p, PROFILE_LOCATION, p->message.data, p->message.n);
	return err;
}

static void note_names(struct mapping *mapping, const struct sym_names *names)
{
	mapping->is_named = true;
	for (uint32_t i = 0; i < names->n; i++) {
		mapping->is_with_files |= names->names[i].file != NULL;
		mapping->is_with_lines |= names->names[i].line > 0;
	}
}

static struct pd_error *write_location(struct sym_pprof *p, const struct base_proto_field *field)
{
	const struct sym_names *names = NULL;
	struct location location;
	struct pd_error *err = decode_location(p, field, &location);

	if (err)
		return err;
	if (!location.has_function)
		names = sym_asked_find(p->asked, module_of(&location), location.address);
	else if (is_wanted(&location))
		names = sym_asked_find_better(p->asked, module_of(&location), location.address);
	if (!names) {
		put_field(p, field);
		return NULL;
	}
	note_names(location.mapping, names);
	return put_named(p, field, names);
}

static struct pd_error *write_field(struct sym_pprof *p, const struct base_proto_field *field)
{
	bool is_message = field->type == BASE_PROTO_LEN;

	if (is_message && field->number == PROFILE_LOCATION)
		return write_location(p, field);
	/* Mappings follow, when it is known what was found for them. */
	if (!is_message || field->number != PROFILE_MAPPING)
		put_field(p, field);
	return NULL;
}

static struct pd_error *write_mapping(struct sym_pprof *p, const struct mapping *mapping)
{
	const bool found[] = { mapping->is_named, mapping->is_with_files, mapping->is_with_lines,
		mapping->is_with_lines };
	struct base_proto wire = base_proto_of(&mapping->field);
	uint8_t flags[4 * BASE_PROTO_NUMBER_BYTES], *end = flags;
	struct pd_error *err = NULL;
	struct base_proto_field f;

	p->message.n = 0;
	while (!err && base_proto_next(&wire, &f)) {
		bool is_flag = f.number >= MAPPING_HAS_FUNCTIONS && f.number <= MAPPING_HAS_INLINE;

		if (!is_flag || !found[f.number - MAPPING_HAS_FUNCTIONS])
			err = keep(p, &f);
	}
	for (uint32_t i = 0; i < 4; i++)
		end = base_proto_int64(end, MAPPING_HAS_FUNCTIONS + i, found[i]);
	const struct base_proto_field all = { .start = flags, .end = end };
	if (!err)
		err = keep(p, &all);
	if (!err)
		put_message(p, PROFILE_MAPPING, p->message.data, p->message.n);
	return err;
}

/* Number of an added string; NULL is the empty string, which is the first one. */
static struct pd_error *add_text(struct sym_pprof *p, const char *text, uint64_t *ret)
{
	uint32_t id = text && *text ? base_intern_str(&p->texts, text) : 0;

	*ret = text && *text ? p->strings.n + id : 0;
	return id == PD_INTERN_NONE ? &pd_enomem : NULL;
}

static struct pd_error *write_function(struct sym_pprof *p, uint32_t i)
{
	const struct function *function = base_intern_bytes(&p->functions, i);
	uint8_t bytes[5 * BASE_PROTO_NUMBER_BYTES], *end = bytes;
	uint64_t name, linkage, file;
	struct pd_error *err = add_text(p, function->name, &name);

	if (!err)
		err = add_text(p, function->linkage, &linkage);
	if (!err)
		err = add_text(p, function->file, &file);
	if (err)
		return err;
	end = base_proto_int64(end, FUNCTION_ID, (int64_t)(p->max_function + 1 + i));
	end = base_proto_int64(end, FUNCTION_NAME, (int64_t)name);
	end = base_proto_int64(end, FUNCTION_LINKAGE, (int64_t)linkage);
	end = base_proto_int64(end, FUNCTION_FILE, (int64_t)file);
	end = base_proto_int64(end, FUNCTION_LINE, (int64_t)function->line);
	put_message(p, PROFILE_FUNCTION, bytes, (size_t)(end - bytes));
	return NULL;
}

static struct pd_error *write_text(struct sym_pprof *p, uint32_t i)
{
	_cleanup_free_ char *copy = NULL;
	const char *text = base_utf8_text(base_intern_bytes(&p->texts, i), &copy);

	if (!text)
		return &pd_enomem;
	put_message(p, PROFILE_STRING, text, strlen(text));
	return NULL;
}

static struct pd_error *write_all(struct sym_pprof *p)
{
	struct pd_error *err = each_field(p, write_field);

	for (uint32_t i = 0; i < p->functions.n && !err; i++)
		err = write_function(p, i);
	for (uint32_t i = 0; i < p->texts.n && !err; i++)
		err = write_text(p, i);
	for (size_t i = 0; i < p->mappings.n && !err; i++)
		err = write_mapping(p, &p->mappings.data[i]);
	return err;
}

struct pd_error *sym_pprof_write(struct sym_pprof *p, FILE *out)
{
	p->out = out;
	/* The first string has to be the empty one, for functions without a file, too. */
	if (!p->strings.n && base_intern_add(&p->texts, "", 0) == PD_INTERN_NONE)
		return &pd_enomem;
	return write_all(p);
}
