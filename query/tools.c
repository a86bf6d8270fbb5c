#include "query/tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/names/nearest.h"
#include "base/number.h"
#include "query/call.h"

/* Largest number of a parameter of the kind COUNT. */
static const uint64_t MAX_COUNT = 1000000;

#define PARAM_ROW(id, name, kind, meaning) { name, QRY_KIND_##kind, meaning },
const struct qry_param_row qry_param_rows[QRY_N_PARAMS] = { QRY_PARAMS(PARAM_ROW) };

#define Q(name) ((uint32_t)1 << QRY_PARAM_##name)
#define TOOL_ROW(id, name_, answer_, takes_, needs_, main_, description_) \
	{ .name = name_, \
		.answer = qry_answer_##answer_, \
		.takes = (takes_) | Q(LIMIT) | Q(TOKENS), \
		.needs = needs_, \
		.main = QRY_PARAM_##main_, \
		.description = description_ },
const struct qry_tool_row qry_tool_rows[QRY_N_TOOLS] = { QRY_TOOLS(TOOL_ROW) };

static struct pd_error *unknown(
	const char *what, const struct base_nearest *nearest, const char *list)
{
	if (nearest->name)
		return pd_error_create(PD_ERROR_USAGE, NULL, "no %s '%.*s': did you mean '%s'?",
			what, (int)nearest->len, nearest->word, nearest->name);
	return pd_error_create(PD_ERROR_USAGE, NULL, "no %s '%.*s': expected one of %s", what,
		(int)nearest->len, nearest->word, list);
}

static struct pd_error *unknown_tool(const struct base_nearest *nearest)
{
	_cleanup_free_ char *list = NULL;
	size_t len;
	FILE *out = base_memstream_open(&list, &len);

	if (!out)
		return &pd_enomem;
	for (size_t i = 0; i < QRY_N_TOOLS; i++)
		fprintf(out, "%s%s", i ? ", " : "", qry_tool_rows[i].name);
	if (!base_memstream_close(out, &list))
		return &pd_enomem;
	return unknown("tool", nearest, list);
}

struct pd_error *qry_tool_find(const char *name, const struct qry_tool_row **ret)
{
	struct base_nearest nearest;

	base_nearest_init(&nearest, name, strlen(name));
	for (size_t i = 0; i < QRY_N_TOOLS; i++) {
		if (strcmp(qry_tool_rows[i].name, name) == 0) {
			*ret = &qry_tool_rows[i];
			return NULL;
		}
		base_nearest_try(&nearest, qry_tool_rows[i].name);
	}
	return unknown_tool(&nearest);
}

static bool takes(const struct qry_tool_row *tool, enum qry_param param)
{
	return tool->takes & (uint32_t)1 << param;
}

static void write_param(const struct qry_tool_row *tool, enum qry_param param, FILE *out)
{
	bool is_needed = tool->needs & (uint32_t)1 << param;

	fprintf(out, "%s%s", qry_param_rows[param].name, is_needed ? "*" : "");
}

void qry_tool_write_params(const struct qry_tool_row *tool, FILE *out)
{
	write_param(tool, tool->main, out);
	for (enum qry_param i = 0; i < QRY_N_PARAMS; i++) {
		if (!takes(tool, i) || i == tool->main)
			continue;
		fputs(", ", out);
		write_param(tool, i, out);
	}
}

/* Types of JSON by enum qry_param_kind, and the least value of numbers. */
static const char *const json_types[] = { "string", "integer", "number" };
static const unsigned least_values[] = { 0, 1, 0 };

static void write_property(struct base_json *json, const struct qry_param_row *param)
{
	base_json_object(json, param->name);
	base_json_str(json, "type", json_types[param->kind]);
	if (param->kind != QRY_KIND_TEXT)
		base_json_uint(json, "minimum", least_values[param->kind]);
	base_json_str(json, "description", param->meaning);
	base_json_end(json, '}');
}

void qry_tool_write_schema(const struct qry_tool_row *tool, struct base_json *json, const char *key)
{
	base_json_object(json, key);
	base_json_str(json, "type", "object");
	base_json_object(json, "properties");
	for (enum qry_param i = 0; i < QRY_N_PARAMS; i++) {
		if (takes(tool, i))
			write_property(json, &qry_param_rows[i]);
	}
	base_json_end(json, '}');
	base_json_array(json, "required");
	for (enum qry_param i = 0; i < QRY_N_PARAMS; i++) {
		if (tool->needs & (uint32_t)1 << i)
			base_json_str(json, NULL, qry_param_rows[i].name);
	}
	base_json_end(json, ']');
	base_json_bool(json, "additionalProperties", false);
	base_json_end(json, '}');
}

/* Return the parameter of @p tool with this name, or QRY_N_PARAMS and the nearest name. */
static enum qry_param find_param(const struct qry_tool_row *tool, struct base_nearest *nearest)
{
	for (enum qry_param i = 0; i < QRY_N_PARAMS; i++) {
		const char *name = qry_param_rows[i].name;

		if (!takes(tool, i))
			continue;
		if (strlen(name) == nearest->len && memcmp(name, nearest->word, nearest->len) == 0)
			return i;
		base_nearest_try(nearest, name);
	}
	return QRY_N_PARAMS;
}

static struct pd_error *unknown_param(
	const struct qry_tool_row *tool, const struct base_nearest *nearest)
{
	_cleanup_free_ char *list = NULL;
	size_t len;
	FILE *out = base_memstream_open(&list, &len);
	const char *separator = "";

	if (!out)
		return &pd_enomem;
	for (enum qry_param i = 0; i < QRY_N_PARAMS; i++) {
		if (!takes(tool, i))
			continue;
		fprintf(out, "%s%s", separator, qry_param_rows[i].name);
		separator = ", ";
	}
	if (!base_memstream_close(out, &list))
		return &pd_enomem;
	return unknown("parameter", nearest, list);
}

static bool is_valid(enum qry_param_kind kind, const char *value)
{
	const char *end = value;
	uint64_t count;
	double share;

	if (kind == QRY_KIND_COUNT)
		return base_number_parse(value, MAX_COUNT, &end, &count) && !*end && count;
	if (kind == QRY_KIND_SHARE)
		return base_decimal_parse(value, &end, &share) && !*end && share <= 100;
	return true;
}

struct pd_error *qry_args_set(struct qry_args *args, const struct qry_tool_row *tool,
	const char *name, size_t len, const char *value)
{
	static const char *const expected[] = {
		[QRY_KIND_TEXT] = "text",
		[QRY_KIND_COUNT] = "a whole number from 1 to 1000000",
		[QRY_KIND_SHARE] = "a number from 0 to 100",
	};
	struct base_nearest nearest;

	base_nearest_init(&nearest, name, len);
	enum qry_param param = find_param(tool, &nearest);
	if (param == QRY_N_PARAMS)
		return unknown_param(tool, &nearest);
	const struct qry_param_row *row = &qry_param_rows[param];
	if (!is_valid(row->kind, value))
		return pd_error_create(PD_ERROR_USAGE, NULL, "invalid %s '%s': expected %s",
			row->name, value, expected[row->kind]);
	args->values[param] = value;
	return NULL;
}

struct pd_error *qry_args_take_word(
	struct qry_args *args, const struct qry_tool_row *tool, const char *word)
{
	const char *main = qry_param_rows[tool->main].name;
	size_t len = strcspn(word, "=");
	struct base_nearest nearest;

	base_nearest_init(&nearest, word, len);
	/* A function may be called operator==. */
	if (word[len] && find_param(tool, &nearest) != QRY_N_PARAMS)
		return qry_args_set(args, tool, word, len, word + len + 1);
	/* A mistyped name, but not a function called operator==. */
	if (word[len] && nearest.name && strspn(word, "abcdefghijklmnopqrstuvwxyz_") == len)
		return unknown_param(tool, &nearest);
	if (args->values[tool->main])
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"'%s' is one word too many: expected NAME=VALUE", word);
	return qry_args_set(args, tool, main, strlen(main), word);
}

struct pd_error *qry_args_check(const struct qry_args *args, const struct qry_tool_row *tool)
{
	for (enum qry_param i = 0; i < QRY_N_PARAMS; i++) {
		if (tool->needs & (uint32_t)1 << i && !args->values[i])
			return pd_error_create(PD_ERROR_USAGE, NULL, "%s needs %s: %s", tool->name,
				qry_param_rows[i].name, qry_param_rows[i].meaning);
	}
	return NULL;
}

size_t qry_args_count(const struct qry_args *args, enum qry_param param, size_t otherwise)
{
	const char *end;
	uint64_t count;

	if (!args->values[param] ||
		!base_number_parse(args->values[param], MAX_COUNT, &end, &count))
		return otherwise;
	return (size_t)count;
}

double qry_args_share(const struct qry_args *args, enum qry_param param, double otherwise)
{
	const char *end;
	double share;

	if (!args->values[param] || !base_decimal_parse(args->values[param], &end, &share))
		return otherwise;
	return share;
}
