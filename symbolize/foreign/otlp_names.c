#include "symbolize/foreign/otlp_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/span.h"
#include "base/utf8.h"
#include "symbolize/foreign/entries.h"
#include "symbolize/foreign/otlp_tables.h"

struct location {
	uint32_t module;
	uint64_t address;
	/** It has an address, and no line has a function. */
	bool is_wanted;
	bool has_function;
};

/** Identity of a function: indexes of strings, and a line. */
struct function {
	uint64_t name;
	uint64_t system_name;
	uint64_t filename;
	uint64_t start_line;
};

struct sym_otlp {
	struct sym_otlp_tables tables;
	struct sym_asked *asked;
	/** Module of each mapping. */
	PD_VEC(uint32_t) modules;
	struct sym_entries strings;
	struct sym_entries functions;
	/** Locations with functions, as they are encoded. */
	struct base_intern named;
	/** The dictionary, and a location, that are written. */
	PD_VEC(uint8_t) dictionary;
	PD_VEC(uint8_t) location;
};

/* Resources have messages, where the types of samples in pprof have numbers. */
bool sym_otlp_is_one(const uint8_t *bytes, size_t len)
{
	struct base_proto proto = { .at = bytes, .end = bytes + len };
	uint64_t tag, size, inner;

	while (base_proto_take_varint(&proto, &tag) && (tag & 7) == BASE_PROTO_LEN &&
		base_proto_take_varint(&proto, &size)) {
		if (tag >> 3 == SYM_OTLP_DATA_RESOURCE_PROFILES && size)
			return base_proto_take_varint(&proto, &inner) &&
			       (inner & 7) == BASE_PROTO_LEN;
		if (size > (uint64_t)(proto.end - proto.at))
			return false;
		proto.at += size;
	}
	return false;
}

/* Collectors write the resources first, as the format otlp-json does. */
bool sym_otlp_is_json(const char *text, size_t len)
{
	struct base_span rest = { text, text + len };

	base_span_skip_space(&rest);
	if (!base_span_take(&rest, "{"))
		return false;
	base_span_skip_space(&rest);
	return base_span_starts_with(rest, "\"resourceProfiles\"");
}

/* Reading. */

static struct pd_error *add_module(struct sym_otlp *o, uint32_t i)
{
	struct sym_asked_module module;
	uint32_t number = SYM_NO_MODULE;
	struct pd_error *err = sym_otlp_mapping(&o->tables, i, &module);

	/* The mapping 0 stands for none. */
	if (!err && i)
		err = sym_asked_add_module(o->asked, &module, &number);
	if (err)
		return err;
	return pd_vec_push(&o->modules, number) ? NULL : &pd_enomem;
}

/* Locations. */

static struct pd_error *decode_location(
	const struct sym_otlp *o, const struct base_proto_field *message, struct location *ret)
{
	struct base_proto proto = base_proto_of(message);
	struct base_proto_field f;
	struct sym_otlp_numbers n, line;
	struct pd_error *err = sym_otlp_decode(&o->tables, message, &n);

	*ret = (struct location){ .module = SYM_NO_MODULE,
		.address = n.of[SYM_OTLP_LOCATION_ADDRESS] };
	while (!err && base_proto_next(&proto, &f)) {
		if (f.number != SYM_OTLP_LOCATION_LINES || f.type != BASE_PROTO_LEN)
			continue;
		err = sym_otlp_decode(&o->tables, &f, &line);
		ret->has_function |= line.of[SYM_OTLP_LINE_FUNCTION] != 0;
	}
	if (n.of[SYM_OTLP_LOCATION_MAPPING] < o->modules.n)
		ret->module = o->modules.data[n.of[SYM_OTLP_LOCATION_MAPPING]];
	/* The location 0 stands for none. */
	ret->is_wanted = !ret->has_function && (n.of[SYM_OTLP_LOCATION_MAPPING] || ret->address);
	return err;
}

static struct pd_error *ask(void *ctx, const struct base_proto_field *field)
{
	struct sym_otlp *o = ctx;
	struct location location;
	struct pd_error *err;

	if (!sym_otlp_is_in(field, SYM_OTLP_LOCATIONS))
		return NULL;
	err = decode_location(o, field, &location);
	if (err || !location.is_wanted)
		return err;
	return sym_asked_add(o->asked, location.module, location.address);
}

static struct pd_error *read_all(struct sym_otlp *o)
{
	struct pd_error *err = NULL;

	for (uint32_t i = 0; i < sym_otlp_count(&o->tables, SYM_OTLP_MAPPINGS) && !err; i++)
		err = add_module(o, i);
	return err ? err : sym_otlp_each(&o->tables, ask, o);
}

struct pd_error *sym_otlp_read(const char *path, const uint8_t *bytes, size_t len,
	struct sym_asked *asked, struct sym_otlp **ret)
{
	struct sym_otlp *o = calloc(1, sizeof(*o));

	if (!o)
		return &pd_enomem;
	o->asked = asked;
	o->functions.keys.width = sizeof(struct function);
	struct pd_error *err = sym_otlp_tables_init(&o->tables, path, bytes, len);
	if (!err)
		err = read_all(o);
	if (err)
		sym_otlp_destroy(o);
	else
		*ret = o;
	return err;
}

void sym_otlp_destroy(struct sym_otlp *o)
{
	if (!o)
		return;
	sym_otlp_tables_deinit(&o->tables);
	pd_vec_deinit(&o->modules);
	sym_entries_deinit(&o->strings);
	sym_entries_deinit(&o->functions);
	base_intern_deinit(&o->named);
	pd_vec_deinit(&o->dictionary);
	pd_vec_deinit(&o->location);
	free(o);
}

/* Writing: the tables of the profile, to which entries are added. */

/* Add the entry 0, which stands for none, also to a table that has no entries. */
static struct pd_error *add_none(const struct sym_otlp *o, enum sym_otlp_table table,
	struct sym_entries *entries, const void *key, size_t len)
{
	uint32_t index;

	return sym_otlp_count(&o->tables, table)
		       ? sym_entries_append(entries, key, len)
		       : sym_entries_find(entries, o->tables.path, key, len, &index);
}

static struct pd_error *read_strings(struct sym_otlp *o)
{
	struct pd_error *err = add_none(o, SYM_OTLP_STRINGS, &o->strings, "", 0);

	for (uint32_t i = 1; i < sym_otlp_count(&o->tables, SYM_OTLP_STRINGS) && !err; i++) {
		const struct base_proto_field string =
			sym_otlp_entry(&o->tables, SYM_OTLP_STRINGS, i);

		err = sym_entries_append(&o->strings, string.bytes, string.len);
	}
	return err;
}

static struct pd_error *read_function(struct sym_otlp *o, uint32_t i)
{
	const struct base_proto_field message = sym_otlp_entry(&o->tables, SYM_OTLP_FUNCTIONS, i);
	struct sym_otlp_numbers n;
	struct pd_error *err = sym_otlp_decode(&o->tables, &message, &n);

	if (err)
		return err;
	const struct function function = { n.of[SYM_OTLP_FUNCTION_NAME],
		n.of[SYM_OTLP_FUNCTION_SYSTEM_NAME], n.of[SYM_OTLP_FUNCTION_FILENAME],
		n.of[SYM_OTLP_FUNCTION_START_LINE] };
	return sym_entries_append(&o->functions, &function, sizeof(function));
}

static struct pd_error *read_functions(struct sym_otlp *o)
{
	const struct function none = { 0 };
	struct pd_error *err = add_none(o, SYM_OTLP_FUNCTIONS, &o->functions, &none, sizeof(none));

	for (uint32_t i = 1; i < sym_otlp_count(&o->tables, SYM_OTLP_FUNCTIONS) && !err; i++)
		err = read_function(o, i);
	return err;
}

static struct pd_error *note_named(void *ctx, const struct base_proto_field *field)
{
	struct sym_otlp *o = ctx;
	struct location location;
	struct pd_error *err;

	if (!sym_otlp_is_in(field, SYM_OTLP_LOCATIONS))
		return NULL;
	err = decode_location(o, field, &location);
	if (err || !location.has_function)
		return err;
	return base_intern_add(&o->named, field->bytes, field->len) == PD_INTERN_NONE ? &pd_enomem
										      : NULL;
}

/* Index of a string; NULL is the empty one. */
static struct pd_error *find_string(struct sym_otlp *o, const char *text, uint64_t *ret)
{
	_cleanup_free_ char *copy = NULL;
	const char *utf8 = base_utf8_text(text ? text : "", &copy);
	uint32_t index = 0;

	if (!utf8)
		return &pd_enomem;
	struct pd_error *err =
		sym_entries_find(&o->strings, o->tables.path, utf8, strlen(utf8), &index);
	*ret = index;
	return err;
}

static struct pd_error *find_function(
	struct sym_otlp *o, const struct sym_name *name, uint32_t *ret)
{
	struct function function = { .start_line = name->start_line };
	struct pd_error *err = find_string(o, name->function, &function.name);

	if (!err)
		err = find_string(
			o, name->linkage ? name->linkage : name->function, &function.system_name);
	if (!err)
		err = find_string(o, name->file, &function.filename);
	if (err)
		return err;
	return sym_entries_find(&o->functions, o->tables.path, &function, sizeof(function), ret);
}

/* Messages. */

/* Append a field that stays to the dictionary. */
static struct pd_error *keep(struct sym_otlp *o, const struct base_proto_field *field)
{
	size_t len = (size_t)(field->end - field->start);

	if (!pd_vec_reserve(&o->dictionary, o->dictionary.n + len))
		return &pd_enomem;
	memcpy(o->dictionary.data + o->dictionary.n, field->start, len);
	o->dictionary.n += len;
	return NULL;
}

/* Append an entry to the dictionary. */
static struct pd_error *put_entry(
	struct sym_otlp *o, enum sym_otlp_table table, const void *bytes, size_t len)
{
	if (!pd_vec_reserve(&o->dictionary, o->dictionary.n + BASE_PROTO_NUMBER_BYTES + len))
		return &pd_enomem;
	uint8_t *end = base_proto_bytes(o->dictionary.data + o->dictionary.n, table, bytes, len);
	o->dictionary.n = (size_t)(end - o->dictionary.data);
	return NULL;
}

static struct pd_error *add_line(struct sym_otlp *o, const struct sym_name *name)
{
	uint8_t line[2 * BASE_PROTO_NUMBER_BYTES], *end = line;
	uint32_t function;
	struct pd_error *err = find_function(o, name, &function);

	if (err)
		return err;
	if (!pd_vec_reserve(&o->location, o->location.n + BASE_PROTO_NUMBER_BYTES + sizeof(line)))
		return &pd_enomem;
	end = base_proto_int64(end, SYM_OTLP_LINE_FUNCTION, function);
	end = base_proto_int64(end, SYM_OTLP_LINE_LINE, name->line);
	end = base_proto_bytes(o->location.data + o->location.n, SYM_OTLP_LOCATION_LINES, line,
		(size_t)(end - line));
	o->location.n = (size_t)(end - o->location.data);
	return NULL;
}

static struct pd_error *add_lines(struct sym_otlp *o, const struct sym_names *names)
{
	struct pd_error *err = NULL;

	for (uint32_t i = 0; i < names->n && !err; i++)
		err = add_line(o, &names->names[i]);
	return err;
}

/* Encode a location with names. Fields are in the order of their numbers, as they are elsewhere. */
static struct pd_error *encode_named(
	struct sym_otlp *o, const struct base_proto_field *message, const struct sym_names *names)
{
	struct base_proto proto = base_proto_of(message);
	struct base_proto_field f;
	struct pd_error *err = NULL;
	bool has_lines = false;

	o->location.n = 0;
	while (!err && base_proto_next(&proto, &f)) {
		size_t len = (size_t)(f.end - f.start);

		if (f.number == SYM_OTLP_LOCATION_LINES)
			continue;
		if (f.number > SYM_OTLP_LOCATION_LINES && !has_lines) {
			err = add_lines(o, names);
			has_lines = true;
		}
		if (err || !pd_vec_reserve(&o->location, o->location.n + len))
			return err ? err : &pd_enomem;
		memcpy(o->location.data + o->location.n, f.start, len);
		o->location.n += len;
	}
	return err || has_lines ? err : add_lines(o, names);
}

static struct pd_error *write_location(struct sym_otlp *o, const struct base_proto_field *field)
{
	struct location location;
	struct pd_error *err = decode_location(o, field, &location);

	if (err || !location.is_wanted)
		return err ? err : keep(o, field);
	const struct sym_names *names = sym_asked_find(o->asked, location.module, location.address);
	if (!names)
		return keep(o, field);
	err = encode_named(o, field, names);
	if (err)
		return err;
	/* A dictionary must not have duplicates. An equal entry has added no function or string. */
	if (base_intern_find(&o->named, o->location.data, o->location.n) != PD_INTERN_NONE)
		return keep(o, field);
	return put_entry(o, SYM_OTLP_LOCATIONS, o->location.data, o->location.n);
}

static struct pd_error *write_entry(void *ctx, const struct base_proto_field *field)
{
	struct sym_otlp *o = ctx;

	return sym_otlp_is_in(field, SYM_OTLP_LOCATIONS) ? write_location(o, field)
							 : keep(o, field);
}

static struct pd_error *write_functions(struct sym_otlp *o)
{
	const struct sym_entries *functions = &o->functions;
	struct pd_error *err = NULL;

	for (uint32_t i = sym_entries_first_added(functions); i < functions->keys.n && !err; i++) {
		const struct function *function = base_intern_bytes(&functions->keys, i);
		uint8_t bytes[4 * BASE_PROTO_NUMBER_BYTES], *end = bytes;

		end = base_proto_int64(end, SYM_OTLP_FUNCTION_NAME, (int64_t)function->name);
		end = base_proto_int64(
			end, SYM_OTLP_FUNCTION_SYSTEM_NAME, (int64_t)function->system_name);
		end = base_proto_int64(
			end, SYM_OTLP_FUNCTION_FILENAME, (int64_t)function->filename);
		end = base_proto_int64(
			end, SYM_OTLP_FUNCTION_START_LINE, (int64_t)function->start_line);
		err = put_entry(o, SYM_OTLP_FUNCTIONS, bytes, (size_t)(end - bytes));
	}
	return err;
}

static struct pd_error *write_strings(struct sym_otlp *o)
{
	const struct base_intern *keys = &o->strings.keys;
	struct pd_error *err = NULL;

	for (uint32_t i = sym_entries_first_added(&o->strings); i < keys->n && !err; i++)
		err = put_entry(
			o, SYM_OTLP_STRINGS, base_intern_bytes(keys, i), base_intern_len(keys, i));
	return err;
}

static struct pd_error *make_dictionary(struct sym_otlp *o)
{
	struct pd_error *err = read_strings(o);

	if (!err)
		err = read_functions(o);
	if (!err)
		err = sym_otlp_each(&o->tables, note_named, o);
	if (!err)
		err = sym_otlp_each(&o->tables, write_entry, o);
	if (!err)
		err = write_functions(o);
	return err ? err : write_strings(o);
}

/* Write the profile. Parts of a dictionary become one, since not all readers join them. */
struct pd_error *sym_otlp_write(struct sym_otlp *o, FILE *out)
{
	struct base_proto proto = sym_otlp_fields(&o->tables);
	struct pd_error *err = make_dictionary(o);
	struct base_proto_field field;
	bool is_written = false;
	uint8_t head[BASE_PROTO_NUMBER_BYTES];

	while (!err && base_proto_next(&proto, &field)) {
		if (!sym_otlp_is_dictionary(&field)) {
			fwrite_unlocked(field.start, 1, (size_t)(field.end - field.start), out);
			continue;
		}
		if (is_written)
			continue;
		uint8_t *end = base_proto_len(head, SYM_OTLP_DATA_DICTIONARY, o->dictionary.n);
		fwrite_unlocked(head, 1, (size_t)(end - head), out);
		fwrite_unlocked(o->dictionary.data, 1, o->dictionary.n, out);
		is_written = true;
	}
	return err;
}
