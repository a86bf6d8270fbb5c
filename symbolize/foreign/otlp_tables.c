#include "symbolize/foreign/otlp_tables.h"

#include <string.h>

#include "base/array.h"

static struct pd_error *damage(const struct sym_otlp_tables *t, const struct base_proto *proto)
{
	return pd_error_create(PD_ERROR_FORMAT, t->path,
		"damaged profile of OpenTelemetry: invalid field at byte %zu",
		(size_t)(proto->at - t->bytes));
}

static struct pd_error *each_in(const struct sym_otlp_tables *t,
	const struct base_proto_field *dictionary,
	struct pd_error *(*fn)(void *ctx, const struct base_proto_field *field), void *ctx)
{
	struct base_proto proto = base_proto_of(dictionary);
	struct base_proto_field field;
	struct pd_error *err = NULL;

	while (!err && base_proto_next(&proto, &field))
		err = fn(ctx, &field);
	return !err && proto.is_damaged ? damage(t, &proto) : err;
}

struct pd_error *sym_otlp_each(const struct sym_otlp_tables *t,
	struct pd_error *(*fn)(void *ctx, const struct base_proto_field *field), void *ctx)
{
	struct base_proto proto = sym_otlp_fields(t);
	struct base_proto_field field;
	struct pd_error *err = NULL;

	while (!err && base_proto_next(&proto, &field)) {
		if (sym_otlp_is_dictionary(&field))
			err = each_in(t, &field, fn, ctx);
	}
	return !err && proto.is_damaged ? damage(t, &proto) : err;
}

static struct pd_error *note_entry(void *ctx, const struct base_proto_field *field)
{
	struct sym_otlp_tables *t = ctx;

	if (field->type != BASE_PROTO_LEN || field->number >= SYM_OTLP_N_TABLES)
		return NULL;
	return pd_vec_push(&t->tables[field->number].starts, (uint32_t)(field->start - t->bytes))
		       ? NULL
		       : &pd_enomem;
}

struct base_proto_field sym_otlp_entry(
	const struct sym_otlp_tables *t, enum sym_otlp_table table, uint64_t index)
{
	struct base_proto_field ret = { .bytes = t->bytes };

	if (index < sym_otlp_count(t, table)) {
		struct base_proto proto = sym_otlp_fields(t);

		proto.at += t->tables[table].starts.data[index];
		base_proto_next(&proto, &ret);
	}
	return ret;
}

struct pd_error *sym_otlp_decode(const struct sym_otlp_tables *t,
	const struct base_proto_field *message, struct sym_otlp_numbers *ret)
{
	struct base_proto proto = base_proto_of(message);
	struct base_proto_field f;

	*ret = (struct sym_otlp_numbers){ 0 };
	while (base_proto_next(&proto, &f)) {
		if (f.type == BASE_PROTO_VARINT && f.number < PD_ARRAY_LEN(ret->of))
			ret->of[f.number] = f.value;
	}
	return proto.is_damaged ? damage(t, &proto) : NULL;
}

/* Attributes and mappings. */

/* Find the last field @p number of a message, which has bytes. Its fields are valid. */
static bool find_bytes(
	const struct base_proto_field *message, uint32_t number, struct base_proto_field *ret)
{
	struct base_proto proto = base_proto_of(message);
	struct base_proto_field f;
	bool found = false;

	while (base_proto_next(&proto, &f)) {
		if (f.number != number || f.type != BASE_PROTO_LEN)
			continue;
		*ret = f;
		found = true;
	}
	return found;
}

static bool is_key(const struct base_proto_field *key, const char *text)
{
	return key->len == strlen(text) && memcmp(key->bytes, text, key->len) == 0;
}

/* Find the text of a value, which is a string of the table or not. */
static struct pd_error *find_text(const struct sym_otlp_tables *t,
	const struct base_proto_field *value, struct sym_otlp_id *ret)
{
	struct sym_otlp_numbers n;
	struct pd_error *err = sym_otlp_decode(t, value, &n);

	if (err)
		return err;
	struct base_proto_field text =
		sym_otlp_entry(t, SYM_OTLP_STRINGS, n.of[SYM_OTLP_ANY_VALUE_STRING_INDEX]);
	find_bytes(value, SYM_OTLP_ANY_VALUE_STRING, &text);
	ret->text = (const char *)text.bytes;
	ret->len = text.len;
	return NULL;
}

static struct pd_error *add_id(struct sym_otlp_tables *t, uint64_t index)
{
	const struct base_proto_field attribute = sym_otlp_entry(t, SYM_OTLP_ATTRIBUTES, index);
	struct sym_otlp_id id = { 0 };
	struct base_proto_field value;
	struct sym_otlp_numbers n;
	struct pd_error *err = sym_otlp_decode(t, &attribute, &n);

	if (err)
		return err;
	const struct base_proto_field key =
		sym_otlp_entry(t, SYM_OTLP_STRINGS, n.of[SYM_OTLP_ATTRIBUTE_KEY]);
	id.is_other = is_key(&key, "process.executable.build_id.go") ||
		      is_key(&key, "process.executable.build_id.htlhash");
	if ((id.is_other || is_key(&key, "process.executable.build_id.gnu")) &&
		find_bytes(&attribute, SYM_OTLP_ATTRIBUTE_VALUE, &value))
		err = find_text(t, &value, &id);
	if (err)
		return err;
	return pd_vec_push(&t->ids, id) ? NULL : &pd_enomem;
}

struct pd_error *sym_otlp_tables_init(
	struct sym_otlp_tables *t, const char *path, const uint8_t *bytes, size_t len)
{
	*t = (struct sym_otlp_tables){ .path = path, .bytes = bytes, .len = len };
	if (len > UINT32_MAX)
		return pd_error_create(PD_ERROR_FORMAT, path, "too large");
	struct pd_error *err = sym_otlp_each(t, note_entry, t);
	for (size_t i = 0; i < sym_otlp_count(t, SYM_OTLP_ATTRIBUTES) && !err; i++)
		err = add_id(t, i);
	return err;
}

void sym_otlp_tables_deinit(struct sym_otlp_tables *t)
{
	for (size_t i = 0; i < SYM_OTLP_N_TABLES; i++)
		pd_vec_deinit(&t->tables[i].starts);
	pd_vec_deinit(&t->ids);
}

/* Set the build id of a module if an attribute is one. That of ELF files is preferred. */
static void note_attribute(
	const struct sym_otlp_tables *t, uint64_t index, struct sym_asked_module *module)
{
	const struct sym_otlp_id *id = index < t->ids.n ? &t->ids.data[index] : NULL;

	if (!id || !id->text || (id->is_other && module->id_len))
		return;
	module->id = id->text;
	module->id_len = id->len;
	module->is_other_id = id->is_other;
}

/* Find the build id of a mapping. Indexes are packed, or in a field each. */
static struct pd_error *find_id(const struct sym_otlp_tables *t,
	const struct base_proto_field *mapping, struct sym_asked_module *module)
{
	struct base_proto proto = base_proto_of(mapping);
	struct base_proto_field f;
	uint64_t index;

	while (base_proto_next(&proto, &f)) {
		if (f.number != SYM_OTLP_MAPPING_ATTRIBUTES)
			continue;
		if (f.type == BASE_PROTO_VARINT)
			note_attribute(t, f.value, module);
		if (f.type != BASE_PROTO_LEN)
			continue;
		struct base_proto packed = base_proto_of(&f);
		while (base_proto_take_varint(&packed, &index))
			note_attribute(t, index, module);
		if (packed.is_damaged)
			return damage(t, &packed);
	}
	return NULL;
}

struct pd_error *sym_otlp_mapping(
	const struct sym_otlp_tables *t, uint64_t index, struct sym_asked_module *ret)
{
	const struct base_proto_field mapping = sym_otlp_entry(t, SYM_OTLP_MAPPINGS, index);
	struct sym_otlp_numbers n;
	struct pd_error *err = sym_otlp_decode(t, &mapping, &n);

	if (err)
		return err;
	const struct base_proto_field path =
		sym_otlp_entry(t, SYM_OTLP_STRINGS, n.of[SYM_OTLP_MAPPING_FILENAME]);
	/* Mappings without a range have the addresses of the file. */
	bool is_mapped = n.of[SYM_OTLP_MAPPING_START] || n.of[SYM_OTLP_MAPPING_LIMIT];
	*ret = (struct sym_asked_module){
		.path = (const char *)path.bytes,
		.path_len = path.len,
		.kind = is_mapped ? SYM_ADDRESS_PROCESS : SYM_ADDRESS_VADDR,
		.start = n.of[SYM_OTLP_MAPPING_START],
		.limit = n.of[SYM_OTLP_MAPPING_LIMIT],
		.offset = n.of[SYM_OTLP_MAPPING_OFFSET],
	};
	return find_id(t, &mapping, ret);
}
