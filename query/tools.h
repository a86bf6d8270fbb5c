/**
 * @file The tools and their parameters as tables, and arguments that were checked with them.
 */
#ifndef PD_QUERY_TOOLS_H
#define PD_QUERY_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "base/json.h"
#include "query/tool_defs.h"

enum qry_param {
#define QRY_PARAM_ENUM(name, ...) QRY_PARAM_##name,
	QRY_PARAMS(QRY_PARAM_ENUM)
#undef QRY_PARAM_ENUM
		QRY_N_PARAMS,
};

enum qry_tool {
#define QRY_TOOL_ENUM(name, ...) QRY_TOOL_##name,
	QRY_TOOLS(QRY_TOOL_ENUM)
#undef QRY_TOOL_ENUM
		QRY_N_TOOLS,
};

enum qry_param_kind { QRY_KIND_TEXT, QRY_KIND_COUNT, QRY_KIND_SHARE };

struct qry_param_row {
	const char *name;
	enum qry_param_kind kind;
	const char *meaning;
};

struct qry_call;

struct qry_tool_row {
	const char *name;
	/** Answers a call: see query/call.h. */
	struct pd_error *(*answer)(struct qry_call *call);
	/** Bits of enum qry_param: those that the tool takes, and those that must be given. */
	uint32_t takes;
	uint32_t needs;
	enum qry_param main;
	const char *description;
};

extern const struct qry_param_row qry_param_rows[QRY_N_PARAMS];
extern const struct qry_tool_row qry_tool_rows[QRY_N_TOOLS];

/** Find the tool called @p name. Errors: USAGE, there is none, with the nearest name. */
struct pd_error *qry_tool_find(const char *name, const struct qry_tool_row **ret) pd_must_check;

/** Write the JSON schema of the arguments of @p tool as the value of @p key. */
void qry_tool_write_schema(
	const struct qry_tool_row *tool, struct base_json *json, const char *key);

/** Write the names of the parameters of @p tool, the main one first: "function*, event, limit". */
void qry_tool_write_params(const struct qry_tool_row *tool, FILE *out);

/** Arguments of a call. Values are borrowed; NULL: not given. A zeroed one has none. */
struct qry_args {
	const char *values[QRY_N_PARAMS];
};

/**
 * Set the argument @p name (its first @p len bytes) of @p tool to @p value. Errors: USAGE, the tool
 * has no such parameter, or the value is invalid.
 */
struct pd_error *qry_args_set(struct qry_args *args, const struct qry_tool_row *tool,
	const char *name, size_t len, const char *value) pd_must_check;

/** Take a word of a command line: "NAME=VALUE", or the main argument. Errors: USAGE. */
struct pd_error *qry_args_take_word(
	struct qry_args *args, const struct qry_tool_row *tool, const char *word) pd_must_check;

/** Check that all arguments that @p tool needs were given. Errors: USAGE. */
struct pd_error *qry_args_check(
	const struct qry_args *args, const struct qry_tool_row *tool) pd_must_check;

/** Value of a parameter of the kind COUNT, or @p otherwise if it was not given. */
size_t qry_args_count(const struct qry_args *args, enum qry_param param, size_t otherwise);
/** Value of a parameter of the kind SHARE, or @p otherwise if it was not given. */
double qry_args_share(const struct qry_args *args, enum qry_param param, double otherwise);

#endif
