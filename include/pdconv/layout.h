/**
 * @file Layouts: tables that describe the structures of perf.data, for decoding, encoding and
 * printing.
 *
 * A layout is a list of fields in wire order, without gaps. An X-macro in pdconv/record_defs.h or
 * pdconv/feature_defs.h defines it once, and generates a C struct, `struct pd_NAME`, and a table,
 * `pd_layout_NAME`. Decoding fills the struct: integers are converted to host byte order, and
 * fields of variable length become views of the input, whose elements are decoded on access.
 *
 * Kinds of fields, and their types in the struct. BACK is the distance to an earlier field, in
 * fields:
 *
 *   u8 u16 u32 u64      an integer
 *   str                 text up to a NUL                              struct pd_str
 *   text                u32 length, text, padding: a "string" of      struct pd_str
 *                       feature sections
 *   chars(N)            text in N bytes                               struct pd_str
 *   raw(N)              N bytes                                       const uint8_t *
 *   build_id            length, 3 bytes, 20 bytes                     struct pd_build_id
 *   bytes               bytes up to the end                           struct pd_view
 *   sized(BACK, MINUS)  bytes; their number is in the field BACK,     struct pd_view
 *                       MINUS is subtracted from it
 *   sized_text(...)     text, with the size of sized(...)             struct pd_str
 *   u16s u32s u64s(BACK) array; the field BACK counts its elements    struct pd_view
 *   bitmap(BACK)        u64 words; the field BACK counts the bits     struct pd_view
 *   all_u32s all_u64s   array up to the end                           struct pd_view
 *   list(NAME, BACK)    structs; the field BACK counts them           struct pd_list
 *   all(NAME)           structs up to the end                         struct pd_list
 *   cpus(NAME)          structs, one for each available CPU, or none  struct pd_list
 *   as(FUNCTION)        bytes up to the end, which have the layout    struct pd_view
 *                       that parse_select_FUNCTION() returns
 *   sized_as(FUNCTION, BACK) as(FUNCTION), with the size of sized(BACK, 0)  struct pd_view
 *   attr                perf_event_attr, with the size in it          struct pd_view
 *   attr_size           u32: size of each attr that follows           uint32_t
 */
#ifndef PDCONV_LAYOUT_H
#define PDCONV_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pdconv/build_id.h>
#include <pdconv/bytes.h>
#include <pdconv/cursor.h>
#include <pdconv/decls.h>
#include <pdconv/error.h>

PD_DECLS_BEGIN

/** Text in the input. It need not be followed by a NUL. */
struct pd_str {
	const char *s;
	size_t len;
	/** Size on the wire, including padding, in bytes; 0: len + 1. */
	uint32_t room;
};

/**
 * An array in the input, not decoded: @ref n elements, which need not be aligned. Views that
 * decoding returns have the byte order of the input. A zeroed view is empty. A caller that makes a
 * view of host integers leaves @ref swap unset.
 */
struct pd_view {
	const uint8_t *data;
	/** Size of an element, in bytes; 1: the view is bytes. */
	uint32_t elem_size;
	/** Integers in the view are in the opposite of the host byte order. */
	bool swap;
	uint64_t n;
};

/**
 * Structs in the input that have one layout but may differ in length, not decoded. Visit them with
 * pd_list_next().
 */
struct pd_list {
	const uint8_t *data;
	/** Size of all structs, in bytes. */
	uint64_t size;
	/** Number of structs. */
	uint64_t n;
	/** Integers in the structs are in the opposite of the host byte order. */
	bool swap;
};

/**
 * Take the next @p n elements at @p c, in its byte order. If there are fewer, the view is empty and
 * c->overrun is set.
 */
PD_INLINE struct pd_view pd_view_take(struct pd_cursor *c, uint32_t elem_size, uint64_t n)
{
	struct pd_view view;

	view.data = NULL;
	view.elem_size = elem_size;
	view.swap = c->swap;
	view.n = 0;
	if (n > pd_cursor_left(c) / elem_size) {
		c->overrun = true;
		return view;
	}
	view.n = n;
	view.data = pd_cursor_bytes(c, n * elem_size);
	return view;
}

/** Cursor over all bytes of @p view, in its byte order. */
PD_INLINE struct pd_cursor pd_view_cursor(const struct pd_view *view)
{
	return pd_cursor_init(view->data, view->n * view->elem_size, view->swap);
}

/** All bytes that are left at @p c, which does not move. */
PD_INLINE struct pd_view pd_cursor_rest(const struct pd_cursor *c)
{
	struct pd_cursor copy = *c;

	return pd_view_take(&copy, 1, pd_cursor_left(c));
}

/** Decode element @p i of an array of u64. @p i must be less than @p view->n. */
PD_INLINE uint64_t pd_view_u64(const struct pd_view *view, uint64_t i)
{
	return pd_load_u64(view->data + i * 8, view->swap);
}

/** Kinds of fields: see the top of this file. */
enum pd_field_kind {
	PD_KIND_u8,
	PD_KIND_u16,
	PD_KIND_u32,
	PD_KIND_u64,
	PD_KIND_str,
	PD_KIND_text,
	PD_KIND_chars,
	PD_KIND_raw,
	PD_KIND_build_id,
	PD_KIND_bytes,
	PD_KIND_sized,
	PD_KIND_sized_text,
	PD_KIND_array,
	PD_KIND_bitmap,
	PD_KIND_all_array,
	PD_KIND_list,
	PD_KIND_all,
	PD_KIND_cpus,
	PD_KIND_attr,
	PD_KIND_attr_size,
};

/** How to print a value: decimal, hexadecimal, time in ns, text, signed decimal, double. */
enum pd_field_format {
	PD_FMT_DEC,
	PD_FMT_HEX,
	PD_FMT_TIME,
	PD_FMT_STR,
	PD_FMT_SIGNED,
	PD_FMT_DOUBLE,
	/* Integers whose values or bits have names: see pdconv/names.h. */
	PD_FMT_ATTR_TYPE,
	PD_FMT_BREAKPOINT,
	PD_FMT_PRECISION,
	PD_FMT_REGS_ABI,
	PD_FMT_AUX_FLAGS,
	PD_FMT_KSYM_TYPE,
	PD_FMT_BPF_EVENT,
};

struct pd_layout;

struct pd_arch;

/** Context of decoding that is not in the decoded bytes. Zeroed: nothing is known. */
struct pd_layout_env {
	/** Number of available CPUs, from HEADER_NRCPUS; 0: as many as fit. */
	uint32_t n_cpus;
	/** Size of each attr, in bytes; 0: its size field. Set by a field of kind attr_size. */
	uint32_t attr_size;
	/** Architecture from HEADER_ARCH, for names of registers; NULL: print numbers. Opaque. */
	const struct pd_arch *arch;
};

/**
 * Select the layout of @p bytes, the value of an `as` field of @p body. NULL if it is not known.
 * @p body is decoded up to that field.
 */
typedef const struct pd_layout *pd_select_fn(const void *body, struct pd_view bytes);

/** Field of a layout. */
struct pd_field {
	const char *name;
	/** Offset of the decoded value in the C struct, in bytes. */
	uint16_t offset;
	/** An enum pd_field_kind. */
	uint8_t kind;
	/** An enum pd_field_format. */
	uint8_t format;
	/** Distance to the earlier field that counts this one, in fields. */
	uint8_t back;
	/**
	 * chars, raw: size in bytes. Arrays: size of an element. sized: bytes to subtract from the
	 * counting field.
	 */
	uint16_t size;
	/** Layout of the structs of a list, or NULL. */
	const struct pd_layout *elem;
	/** Function that selects the layout of an `as` field, or NULL. */
	pd_select_fn *select;
	/** Description for documentation; may be empty. */
	const char *meaning;
};

/** Table of a structure. Layouts are in static storage. */
struct pd_layout {
	const char *name;
	/** Record type on the wire; 0 for layouts that are not records. */
	uint32_t type;
	/** Bit of the record header's misc that selects this layout; 0: the default layout. */
	uint16_t misc;
	/** Kernels append a sample id trailer to the record. */
	bool has_sid;
	/** Size of the C struct, in bytes. */
	uint16_t struct_size;
	uint16_t n_fields;
	const struct pd_field *fields;
};

/** Largest size of a layout's struct, in bytes. */
enum { PD_MAX_STRUCT_BYTES = 512 };

/** Storage for a struct whose layout is only known at run time. */
union pd_any_struct {
	uint64_t align;
	uint8_t bytes[PD_MAX_STRUCT_BYTES];
};

/** Reason why decoding stopped. */
struct pd_layout_fault {
	/** Field that could not be decoded. */
	const struct pd_field *field;
	/** Description, in static storage. */
	const char *message;
};

/**
 * Decode the structure at @p c to @p ret, the struct of @p layout, which borrows from the input.
 * @p c moves past the last field; bytes after it are left. On failure @p ret holds the fields
 * before fault->field. @p env is read and updated: see pd_layout_env.attr_size.
 */
bool pd_layout_decode(const struct pd_layout *layout, struct pd_cursor *c,
	struct pd_layout_env *env, void *ret, struct pd_layout_fault *fault) pd_must_check;

/**
 * Append @p body, a struct of @p layout, in the byte order of @p out. Views in it may have any byte
 * order. Arrays and lists must have as many elements as their counting fields say. @p env may be
 * NULL. Out of memory: sets out->failed.
 */
void pd_layout_encode(const struct pd_layout *layout, const void *body,
	const struct pd_layout_env *env, struct pd_bytes *out);

/** Value of @p field, of an integer kind, in the decoded struct @p body. */
uint64_t pd_field_uint(const struct pd_field *field, const void *body);

/** Size of @p field on the wire if it is of an integer kind, in bytes; otherwise 0. */
size_t pd_field_int_size(const struct pd_field *field);

/**
 * Iterator over the structs of a list:
 *
 *	struct pd_list_iter it = pd_list_iter(&numa.nodes, pd_file_env(file));
 *	struct pd_numa_node node;
 *
 *	while (pd_list_next(&it, &pd_layout_numa_node, &node))
 *		...
 */
struct pd_list_iter {
	struct pd_cursor c;
	uint64_t left;
	struct pd_layout_env env;
};

/** Iterate over @p list, which is borrowed. @p env is copied and may be NULL. */
PD_INLINE struct pd_list_iter pd_list_iter(
	const struct pd_list *list, const struct pd_layout_env *env)
{
	struct pd_list_iter iter;

	iter.c = pd_cursor_init(list->data, list->size, list->swap);
	iter.left = list->n;
	if (env)
		iter.env = *env;
	else
		memset(&iter.env, 0, sizeof(iter.env));
	return iter;
}

/** Decode the next struct, whose layout is @p elem, to @p ret. False at the end. */
bool pd_list_next(struct pd_list_iter *iter, const struct pd_layout *elem, void *ret);

PD_DECLS_END

#endif
