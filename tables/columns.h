/**
 * @file Columns of tables: one macro for each way in which a column gets its value.
 *
 * INTEGER(name, FROM, struct, member, "help") is a member of the row, ID(name, table, struct,
 * member, "help") an id or NULL, TEXT(name, struct, member, "help") a string and MAYBE_TEXT one
 * that is NULL if it is empty. GET(name, TYPE, may_be_null, function, "help") and GET_ID(name,
 * table, may_be_null, function, "help") call a function.
 */
#ifndef PD_TABLES_COLUMNS_H
#define PD_TABLES_COLUMNS_H

#include <stddef.h>

#include "base/array.h"
#include "tables/tables.h"

#define ROW_ID(text) \
	{ \
		.name = "id", .help = text, .from = TAB_FROM_ROW \
	}

#define INTEGER(title, how, of, member, text) \
	{ \
		.name = title, .help = text, .from = TAB_FROM_##how, \
		.offset = offsetof(of, member), \
		.may_be_null = TAB_FROM_##how == TAB_FROM_ID || TAB_FROM_##how == TAB_FROM_TIME \
	}

#define ID(title, table, of, member, text) \
	{ \
		.name = title, .help = text, .from = TAB_FROM_ID, .offset = offsetof(of, member), \
		.refers_to = table, .may_be_null = true \
	}

/** Offset of a member that is a string of the profile, not another text. */
#define STRING_OFFSET(of, member) \
	(offsetof(of, member) + _Generic(((of *)0)->member, struct prof_string_id : 0))

#define TEXT(title, of, member, text) \
	{ \
		.name = title, .type = TAB_TEXT, .help = text, .from = TAB_FROM_STRING, \
		.offset = STRING_OFFSET(of, member) \
	}

#define MAYBE_TEXT(title, of, member, text) \
	{ \
		.name = title, .type = TAB_TEXT, .help = text, .from = TAB_FROM_STRING, \
		.offset = STRING_OFFSET(of, member), .may_be_null = true \
	}

#define GET(title, kind, maybe, function, text) \
	{ \
		.name = title, .type = TAB_##kind, .may_be_null = maybe, .help = text, \
		.get = function \
	}

#define GET_ID(title, table, maybe, function, text) \
	{ \
		.name = title, .may_be_null = maybe, .refers_to = table, .help = text, \
		.get = function \
	}

/** The members of a table that list its columns. */
#define COLUMNS(list) .columns = list, .n_columns = PD_ARRAY_LEN(list)

/** Define n_NAME() and row_of_NAME() of a table whose rows are an array of the source. */
#define ARRAY_ROWS(name, array) \
	static size_t n_##name(const struct tab_source *s) \
	{ \
		return s->array.n; \
	} \
	static const void *row_of_##name(const struct tab_source *s, size_t i) \
	{ \
		return &s->array.data[i]; \
	}

/** Define pass_NAME() in addition, for an array that may be in a temporary file. */
#define SPILLED_ROWS(name, array) \
	ARRAY_ROWS(name, array) \
	static void pass_##name(const struct tab_source *s, size_t i) \
	{ \
		base_spill_pass(&s->array, i); \
	}

#endif
