/**
 * @file Visitors, which are called for each field of decoded data, for printing it.
 *
 * Visiting follows the tables (pdconv/layout.h, pdconv/sample_defs.h, pdconv/attr_defs.h) and calls
 * the visitor for each value in wire order, with its name and offset. Bytes that no table describes
 * are values too: "rest" after known fields, and "unknown" if nothing is known.
 */
#ifndef PDCONV_VISITOR_H
#define PDCONV_VISITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/feature.h>
#include <pdconv/layout.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>

PD_DECLS_BEGIN

enum pd_value_type {
	/** Integer. */
	PD_VALUE_UINT,
	/** Integer whose bits have names. */
	PD_VALUE_MASK,
	/** Integer whose values have names. */
	PD_VALUE_ENUM,
	PD_VALUE_TEXT,
	PD_VALUE_BYTES,
	/** Array of integers. */
	PD_VALUE_UINTS,
};

/** Value on the wire. Everything is borrowed until the visitor returns. */
struct pd_value {
	const char *name;
	/** Type of the value, which selects the members below that are set. */
	enum pd_value_type type;
	enum pd_field_format format;
	/**
	 * Offset on the wire from the visited data's base, in bytes. Bit-fields have that of their
	 * integer.
	 */
	uint64_t at;
	/** Size on the wire, in bytes. */
	uint64_t size;
	/** UINT, MASK, ENUM: the integer. */
	uint64_t number;
	/** MASK, ENUM: names indexed by bit or by value. Entries without a name are NULL. */
	const char *const *names;
	size_t n_names;
	/** TEXT: the text. */
	struct pd_str text;
	/** BYTES, UINTS: the bytes or the array. */
	struct pd_view view;
};

/** Callbacks, all of which must be set. */
struct pd_visitor {
	/** First argument of the callbacks. */
	void *ctx;
	/** Called for each value. */
	void (*value)(void *ctx, const struct pd_value *value);
	/** Begin of a struct or a list; elements of lists have the name NULL. */
	void (*enter)(void *ctx, const char *name, bool is_list);
	/** End of that struct or list. */
	void (*leave)(void *ctx);
	/** The field @p name cannot be decoded. The rest of the data follows as bytes. */
	void (*damage)(void *ctx, const char *name, const char *message);
};

/**
 * Visit the fields of @p bytes, which have @p layout. Offsets count from @p base, at or before the
 * first byte. @p env may be NULL.
 */
void pd_visit_layout(const struct pd_layout *layout, struct pd_view bytes, const uint8_t *base,
	const struct pd_layout_env *env, const struct pd_visitor *visitor);

/**
 * Visit the fields of @p rec, except for its header. A record of unknown type is visited as bytes.
 * @p plan is the plan of its event; if it is NULL, a sample is visited as bytes. A trailer is
 * visited as a struct "sample_id". @p env may be NULL.
 */
void pd_visit_record(const struct pd_record *rec, const struct pd_plan *plan,
	const struct pd_layout_env *env, const struct pd_visitor *visitor);

/** Visit the fields of the attr in @p bytes. Offsets count from @p base. */
void pd_visit_attr(struct pd_view bytes, const uint8_t *base, const struct pd_visitor *visitor);

PD_DECLS_END

#endif
