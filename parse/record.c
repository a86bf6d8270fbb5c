#include <pdconv/record.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/chunk.h"
#include "base/integer.h"
#include "parse/layout_tables.h"

#define RECORD_LAYOUT(name_, type_, misc_, member, fields, has_sid_) \
	PD_DEFINE_LAYOUT( \
		member, fields, .name = #name_, .type = type_, .misc = misc_, .has_sid = has_sid_)
PD_RECORDS(RECORD_LAYOUT)

#define STRUCT_LAYOUT(member, fields) PD_DEFINE_LAYOUT(member, fields, .name = #member)
PD_RECORD_STRUCTS(STRUCT_LAYOUT)

#define LAYOUT_ADDRESS(name, type, misc, member, fields, has_sid) &pd_layout_##member,
static const struct pd_layout *const layouts[] = { PD_RECORDS(LAYOUT_ADDRESS) };

enum { N_LAYOUTS = PD_ARRAY_LEN(layouts) };

const struct pd_layout *const *pd_layouts(size_t *n_ret)
{
	*n_ret = N_LAYOUTS;
	return layouts;
}

const struct pd_layout *pd_layout_find(uint32_t type, uint16_t misc)
{
	const struct pd_layout *usual = NULL;

	for (size_t i = 0; i < N_LAYOUTS; i++) {
		if (layouts[i]->type != type)
			continue;
		if (layouts[i]->misc & misc)
			return layouts[i];
		if (!layouts[i]->misc)
			usual = layouts[i];
	}
	return usual;
}

const char *pd_record_name(uint32_t type)
{
	const struct pd_layout *layout = pd_layout_find(type, 0);

	return layout ? layout->name : NULL;
}

struct pd_record pd_record_keep(const struct pd_record *rec)
{
	base_chunk_ref(rec->chunk);
	return *rec;
}

void pd_record_release(struct pd_record *kept)
{
	base_chunk_unref(take_ptr(kept->chunk));
	kept->bytes = NULL;
}

bool pd_record_decode(
	const struct pd_record *rec, size_t sid_bytes, union pd_body *ret, const char **wrong_ret)
{
	const struct pd_layout *layout = pd_layout_find(rec->type, rec->misc);
	struct pd_layout_env env = { 0 };
	struct pd_layout_fault fault;

	if (!layout) {
		*wrong_ret = "type is not known";
		return false;
	}
	/*
	 * Exclude the trailer, or an array that extends to the end of the record would contain it.
	 */
	size_t fixed = PD_RECORD_HEADER_BYTES + (layout->has_sid ? sid_bytes : 0);
	if (rec->size < fixed) {
		*wrong_ret = "record is too short";
		return false;
	}
	struct pd_cursor c =
		pd_cursor_init(rec->bytes + PD_RECORD_HEADER_BYTES, rec->size - fixed, rec->swap);
	if (pd_layout_decode(layout, &c, &env, ret, &fault))
		return true;
	*wrong_ret = fault.message;
	return false;
}

struct pd_build_id pd_build_id_decode(const uint8_t bytes[24], uint16_t misc)
{
	struct pd_build_id id = { .len = PD_BUILD_ID_MAX };
	enum { LEN_AT = PD_BUILD_ID_MAX };

	memcpy(id.bytes, bytes, PD_BUILD_ID_MAX);
	if (misc & PD_MISC_BUILD_ID_SIZE) {
		if (bytes[LEN_AT] < PD_BUILD_ID_MAX)
			id.len = bytes[LEN_AT];
		memset(id.bytes + id.len, 0, PD_BUILD_ID_MAX - id.len);
		return id;
	}
	while (id.len && !memcmp(id.bytes + id.len - 4, "\0\0\0", 4))
		id.len -= 4;
	return id;
}

size_t pd_record_begin(uint32_t type, uint16_t misc, struct pd_bytes *out)
{
	size_t start = out->buf.n;

	pd_bytes_u32(out, type);
	pd_bytes_u16(out, misc);
	pd_bytes_u16(out, 0);
	return start;
}

bool pd_record_end(size_t start, struct pd_bytes *out)
{
	enum { SIZE_AT = 6 };

	pd_bytes_zeros(out, -(out->buf.n - start) % 8);
	size_t size = out->buf.n - start;
	if (size > UINT16_MAX) {
		out->buf.n = start;
		return false;
	}
	if (!out->failed)
		base_store_uint(out->buf.data + start + SIZE_AT, 2, out->swap, size);
	return true;
}

bool pd_record_encode(const struct pd_layout *layout, uint16_t misc, const union pd_body *body,
	const void *sid, size_t sid_bytes, struct pd_bytes *out)
{
	size_t start = pd_record_begin(layout->type, misc, out);

	pd_layout_encode(layout, body, NULL, out);
	pd_bytes_zeros(out, -(out->buf.n - start) % 8);
	pd_bytes_put(out, sid, sid_bytes);
	return pd_record_end(start, out);
}
