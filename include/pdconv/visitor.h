/**
 * @file Going through decoded bytes field by field, whatever they are: for showing them.
 *
 * A walk follows the tables (pdconv/layout.h, pdconv/sample_defs.h, pdconv/attr_defs.h) and calls a
 * visitor for each value, in wire order, with its place and its name. Bytes that no table accounts
 * for are values too, "rest" behind what is known and "unknown" where nothing is.
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
	/** An integer. */
	PD_VALUE_UINT,
	/** An integer of which each bit has a name. */
	PD_VALUE_MASK,
	/** An integer each of whose values has a name. */
	PD_VALUE_ENUM,
	PD_VALUE_TEXT,
	PD_VALUE_BYTES,
	/** An array of integers. */
	PD_VALUE_UINTS,
};

/** A value on the wire. Everything is borrowed until the visitor returns. */
struct pd_value {
	const char *name;
	enum pd_value_type type;
	enum pd_field_format format;
	/**
	 * On the wire: from the first byte of what is walked, and bytes; parts of integers share
	 * it.
	 */
	uint64_t at;
	uint64_t size;
	uint64_t number;
	/** By bit or by value; gaps are NULL. */
	const char *const *names;
	size_t n_names;
	struct pd_str text;
	/** Bytes, or an array of integers. */
	struct pd_view view;
};

struct pd_visitor {
	void *ctx;
	void (*value)(void *ctx, const struct pd_value *value);
	/** What follows, up to its leave, is a struct or a list; elements of lists have no name. */
	void (*enter)(void *ctx, const char *name, bool is_list);
	void (*leave)(void *ctx);
	/** Something does not decode: the rest of it follows as bytes. */
	void (*damage)(void *ctx, const char *name, const char *message);
};

/** Walk @p bytes, which have @p layout. Places count from @p base, at or before them. */
void pd_visit_layout(const struct pd_layout *layout, struct pd_view bytes, const uint8_t *base,
	const struct pd_layout_env *env, const struct pd_visitor *visitor);

/**
 * Walk a record of any type without its header; one of an unknown type is bytes. @p plan is that of
 * its event, NULL if there is none: then samples are bytes. A trailer comes as the struct
 * "sample_id".
 */
void pd_visit_record(const struct pd_record *rec, const struct pd_plan *plan,
	const struct pd_layout_env *env, const struct pd_visitor *visitor);

/** Walk an attr: its fields, and flags by name. */
void pd_visit_attr(struct pd_view bytes, const uint8_t *base, const struct pd_visitor *visitor);

PD_DECLS_END

#endif
