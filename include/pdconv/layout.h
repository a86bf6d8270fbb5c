/**
 * @file Layouts: structures of perf.data as tables, which decode, encode and show them.
 *
 * A layout is a list of fields in wire order, without gaps. It is written once, as an X-macro (see
 * pdconv/record_defs.h and pdconv/feature_defs.h), from which come a C struct, `struct pd_NAME`,
 * and a table, `pd_layout_NAME`. Decoding fills the struct; numbers are converted, and everything
 * of variable length is a view of the input, whose elements are decoded when they are looked at.
 *
 * Kinds of fields, and the type that each has in the struct:
 *
 *   u8 u16 u32 u64      an integer
 *   str                 text up to a NUL                              struct pd_str
 *   text                u32 length, text, padding: a "string" of      struct pd_str
 *                       feature sections
 *   chars(N)            text in N bytes                               struct pd_str
 *   raw(N)              N bytes                                       const uint8_t *
 *   build_id            length, 3 bytes, 20 bytes                     struct pd_build_id
 *   bytes               all that is left                              struct pd_view
 *   sized(BACK, MINUS)  as many bytes as the field BACK before says,  struct pd_view
 *                       less MINUS
 *   sized_text(...)     the same, text                                struct pd_str
 *   u16s u32s u64s(BACK) an array, counted by the field BACK before   struct pd_view
 *   bitmap(BACK)        u64 words for as many bits                    struct pd_view
 *   all_u32s all_u64s   an array to the end                           struct pd_view
 *   list(NAME, BACK)    structs, counted                              struct pd_list
 *   all(NAME)           structs to the end                            struct pd_list
 *   cpus(NAME)          structs, one for each available CPU, or none  struct pd_list
 *   as(FUNCTION)        all that is left; the function says what      struct pd_view
 *   sized_as(FUNCTION, BACK) the same of sized bytes                  struct pd_view
 *   attr                perf_event_attr, as long as it says           struct pd_view
 *   attr_size           u32; the length of each attr that follows     uint32_t
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

/** Text in the input. Not necessarily followed by a NUL: mind len. */
struct pd_str {
	const char *s;
	size_t len;
	/** Bytes it takes on the wire where that is not len + 1: padding included. */
	uint32_t room;
};

/**
 * An array in the input, not decoded: @ref n elements, which need not be aligned. Views that
 * decoding returns have the byte order of the input. A zeroed view is empty; one that a caller
 * makes of its own integers is in host byte order unless @ref swap is set.
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
static inline struct pd_view pd_view_take(struct pd_cursor *c, uint32_t elem_size, uint64_t n)
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
static inline struct pd_cursor pd_view_cursor(const struct pd_view *view)
{
	return pd_cursor_init(view->data, view->n * view->elem_size, view->swap);
}

/** All bytes that are left at @p c, which does not move. */
static inline struct pd_view pd_cursor_rest(const struct pd_cursor *c)
{
	struct pd_cursor copy = *c;

	return pd_view_take(&copy, 1, pd_cursor_left(c));
}

/** Decode element @p i of an array of u64. @p i must be less than @p view->n. */
static inline uint64_t pd_view_u64(const struct pd_view *view, uint64_t i)
{
	return pd_load_u64(view->data + i * 8, view->swap);
}

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

/**
 * How a person reads a value: a number, an address or mask, ns, text, a signed number, a double.
 */
enum pd_field_format {
	PD_FMT_DEC,
	PD_FMT_HEX,
	PD_FMT_TIME,
	PD_FMT_STR,
	PD_FMT_SIGNED,
	PD_FMT_DOUBLE,
};

struct pd_layout;

struct pd_arch;

/** What decoding needs to know beyond the bytes. Zeroed: nothing is known. */
struct pd_layout_env {
	/** HEADER_NRCPUS: CPUs that are available; 0: as many as fit. */
	uint32_t n_cpus;
	/** Bytes of each attr; 0: as it says itself. Set by a field of kind attr_size. */
	uint32_t attr_size;
	/** HEADER_ARCH: what registers are called; NULL: they have numbers. Opaque. */
	const struct pd_arch *arch;
};

/**
 * The layout of @p bytes, the value of an `as` field of @p body; NULL if it is not known. @p body
 * is decoded up to that field.
 */
typedef const struct pd_layout *pd_select_fn(const void *body, struct pd_view bytes);

struct pd_field {
	const char *name;
	/** Of the decoded value in the struct, bytes. */
	uint16_t offset;
	uint8_t kind;
	uint8_t format;
	/** Fields back to the one that counts. */
	uint8_t back;
	/** chars, raw: bytes; arrays: bytes of an element; sized: bytes less than said. */
	uint16_t size;
	const struct pd_layout *elem;
	pd_select_fn *select;
	const char *meaning;
};

struct pd_layout {
	const char *name;
	/** Of records: on the wire; else 0. */
	uint32_t type;
	/** Of records: header misc bit that selects this layout; 0: the usual layout. */
	uint16_t misc;
	/** Of records: kernels put a sample id trailer behind it. */
	bool has_sid;
	/** Of the C struct, bytes. */
	uint16_t struct_size;
	uint16_t n_fields;
	const struct pd_field *fields;
};

/* The type in the struct by kind. */
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

/** Expands a list of fields to the members of a struct. */
#define PD_MEMBER(T, kind, name, format, meaning) PD_TYPE_##kind name;

/** The struct of a list of fields, and its table. */
#define PD_DECLARE_STRUCT(member, fields) \
	struct pd_##member { \
		fields(PD_MEMBER, ) \
	}; \
	extern const struct pd_layout pd_layout_##member;

/** Bytes that hold any struct of a layout. */
enum { PD_MAX_STRUCT_BYTES = 512 };

/** Storage for a struct whose layout is known at run time only. */
union pd_any_struct {
	uint64_t align;
	uint8_t bytes[PD_MAX_STRUCT_BYTES];
};

/** What stopped decoding. */
struct pd_layout_fault {
	const struct pd_field *field;
	/** Static storage. */
	const char *message;
};

/**
 * Decode at @p c, in its byte order, into @p ret, a struct of that layout, which borrows from the
 * input. Bytes behind the last field are left. On failure the fields before are in @p ret.
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

/** The integer at @p field of @p body, which is of an integer kind. */
uint64_t pd_field_uint(const struct pd_field *field, const void *body);

/** Bytes that an integer kind takes, 0 for other kinds. */
size_t pd_field_int_size(const struct pd_field *field);

/**
 * Iterator over the structs of a list:
 *
 *	struct pd_list_iter it = pd_list_iter(&numa.nodes, &file->env);
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

/** @p env may be NULL: nothing is known. */
static inline struct pd_list_iter pd_list_iter(
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

/** Decode the next struct, of the list's layout; false at the end. */
bool pd_list_next(struct pd_list_iter *iter, const struct pd_layout *elem, void *ret);

PD_DECLS_END

#endif
