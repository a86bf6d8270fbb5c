/**
 * @file Tables of layouts: macros that define them, and functions shared by decoding and visiting.
 */
#ifndef PD_PARSE_LAYOUT_TABLES_H
#define PD_PARSE_LAYOUT_TABLES_H

#include <pdconv/layout.h>

#include "base/array.h"

struct pd_value;

/** Functions of `as` fields: see the end of parse/layout.c. */
pd_select_fn parse_select_auxtrace_error, parse_select_auxtrace_index, parse_select_auxtrace_info,
	parse_select_bpf_prog_info, parse_select_cpu_domains, parse_select_cpu_map,
	parse_select_event_update, parse_select_feature, parse_select_schedstat_domain,
	parse_select_simpleperf_file;

/* Initialisers of struct pd_field, by kind. */

#define PD_COLUMNS_u8 .kind = PD_KIND_u8
#define PD_COLUMNS_u16 .kind = PD_KIND_u16
#define PD_COLUMNS_u32 .kind = PD_KIND_u32
#define PD_COLUMNS_u64 .kind = PD_KIND_u64
#define PD_COLUMNS_str .kind = PD_KIND_str
#define PD_COLUMNS_text .kind = PD_KIND_text
#define PD_COLUMNS_chars(n) .kind = PD_KIND_chars, .size = (n)
#define PD_COLUMNS_raw(n) .kind = PD_KIND_raw, .size = (n)
#define PD_COLUMNS_build_id .kind = PD_KIND_build_id
#define PD_COLUMNS_bytes .kind = PD_KIND_bytes
#define PD_COLUMNS_sized(back_, minus) .kind = PD_KIND_sized, .back = (back_), .size = (minus)
#define PD_COLUMNS_sized_text(back_, minus) \
	.kind = PD_KIND_sized_text, .back = (back_), .size = (minus)
#define PD_COLUMNS_u16s(back_) .kind = PD_KIND_array, .back = (back_), .size = 2
#define PD_COLUMNS_u32s(back_) .kind = PD_KIND_array, .back = (back_), .size = 4
#define PD_COLUMNS_u64s(back_) .kind = PD_KIND_array, .back = (back_), .size = 8
#define PD_COLUMNS_bitmap(back_) .kind = PD_KIND_bitmap, .back = (back_), .size = 8
#define PD_COLUMNS_all_u32s .kind = PD_KIND_all_array, .size = 4
#define PD_COLUMNS_all_u64s .kind = PD_KIND_all_array, .size = 8
#define PD_COLUMNS_list(elem_, back_) \
	.kind = PD_KIND_list, .elem = &pd_layout_##elem_, .back = (back_)
#define PD_COLUMNS_all(elem_) .kind = PD_KIND_all, .elem = &pd_layout_##elem_
#define PD_COLUMNS_cpus(elem_) .kind = PD_KIND_cpus, .elem = &pd_layout_##elem_
#define PD_COLUMNS_as(fn) .kind = PD_KIND_bytes, .select = parse_select_##fn
#define PD_COLUMNS_sized_as(fn, back_) \
	.kind = PD_KIND_sized, .back = (back_), .select = parse_select_##fn
#define PD_COLUMNS_attr .kind = PD_KIND_attr
#define PD_COLUMNS_attr_size .kind = PD_KIND_attr_size

/** Expand a list of fields to the rows of a table. */
#define PD_ROW(T, kind_, name_, format_, meaning_) \
	{ .name = #name_, \
		.offset = offsetof(T, name_), \
		.format = PD_FMT_##format_, \
		.meaning = meaning_, \
		PD_COLUMNS_##kind_ },

/** Define the tables that PD_DECLARE_STRUCT declares. */
#define PD_DEFINE_LAYOUT(member, fields_, ...) \
	static const struct pd_field member##_fields[] = { fields_(PD_ROW, struct pd_##member){ \
		0 } }; \
	const struct pd_layout pd_layout_##member = { \
		.struct_size = sizeof(struct pd_##member), \
		.n_fields = PD_ARRAY_LEN(member##_fields) - 1, \
		.fields = member##_fields, \
		__VA_ARGS__, \
	}; \
	_Static_assert(sizeof(struct pd_##member) <= PD_MAX_STRUCT_BYTES, "raise the limit");

/** Decode one field to @p body, which holds the fields before it. Check c->overrun afterwards. */
void parse_field_decode(
	const struct pd_field *field, struct pd_cursor *c, struct pd_layout_env *env, void *body);

/** Description of an overrun in @p field. Static storage. */
const char *parse_field_overrun_text(const struct pd_field *field);

/** Make an integer whose format has names, see enum pd_field_format, a value with names. */
void parse_value_set_names(struct pd_value *value);

#endif
