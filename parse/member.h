/**
 * @file Members of the structs that tables declare. Those of public headers are written out in
 * pdconv/structs.h.
 */
#ifndef PD_PARSE_MEMBER_H
#define PD_PARSE_MEMBER_H

/* Type of the struct member, by kind of field. */
#define PD_TYPE_u8 uint8_t
#define PD_TYPE_u16 uint16_t
#define PD_TYPE_u32 uint32_t
#define PD_TYPE_u64 uint64_t
#define PD_TYPE_str struct pd_str
#define PD_TYPE_text struct pd_str
#define PD_TYPE_chars(n) struct pd_str
#define PD_TYPE_raw(n) const uint8_t *
#define PD_TYPE_build_id struct pd_build_id
#define PD_TYPE_bytes struct pd_view
#define PD_TYPE_sized(back, minus) struct pd_view
#define PD_TYPE_sized_text(back, minus) struct pd_str
#define PD_TYPE_u16s(back) struct pd_view
#define PD_TYPE_u32s(back) struct pd_view
#define PD_TYPE_u64s(back) struct pd_view
#define PD_TYPE_bitmap(back) struct pd_view
#define PD_TYPE_all_u32s struct pd_view
#define PD_TYPE_all_u64s struct pd_view
#define PD_TYPE_list(elem, back) struct pd_list
#define PD_TYPE_all(elem) struct pd_list
#define PD_TYPE_cpus(elem) struct pd_list
#define PD_TYPE_as(fn) struct pd_view
#define PD_TYPE_sized_as(fn, back) struct pd_view
#define PD_TYPE_attr struct pd_view
#define PD_TYPE_attr_size uint32_t

/** Expand a list of fields to the members of a struct. */
#define PD_MEMBER(T, kind, name, format, meaning) PD_TYPE_##kind name;

/** Declare the struct of a list of fields, and its table. */
#define PD_DECLARE_STRUCT(member, fields) \
	struct pd_##member { \
		fields(PD_MEMBER, ) \
	}; \
	extern const struct pd_layout pd_layout_##member;

#endif
