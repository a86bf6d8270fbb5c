#include "batch/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/number.h"
#include "base/text.h"

/* A folder of the path: {dir1} is that of the recording, {dir2} the one that has it. */
static const char DIR_PREFIX[] = "dir";
enum { MAX_DIR = 99 };

static const struct {
	const char *name;
	bool is_recorded;
} variables[BAT_N_VARIABLES] = {
#define VARIABLE(id, name, is_recorded, help) { name, is_recorded },
	BAT_VARIABLES(VARIABLE)
#undef VARIABLE
};

const char *bat_variable_name(enum bat_variable variable)
{
	return variables[variable].name;
}

/* A part of a rule: plain text, or a variable. */
struct piece {
	const char *text;
	size_t len;
	/* Number of the folder; 0: it is none. */
	unsigned dir;
	/* BAT_N_VARIABLES: it is none. */
	enum bat_variable variable;
};

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* Find the variable whose name has @p len bytes. Returns false if there is none. */
static bool find_variable(const char *name, size_t len, struct piece *ret)
{
	const char *digits = name + strlen(DIR_PREFIX), *end;
	uint64_t number;

	for (size_t i = 0; i < BAT_N_VARIABLES; i++) {
		if (is_word(name, len, variables[i].name)) {
			ret->variable = (enum bat_variable)i;
			return true;
		}
	}
	if (!base_has_prefix(name, DIR_PREFIX) ||
		!base_number_parse(digits, MAX_DIR, &end, &number) || end != name + len || !number)
		return false;
	ret->dir = (unsigned)number;
	return true;
}

/* Take the next piece of *@p rule, which is not empty. Returns false if it is not valid. */
static bool next_piece(const char **rule, struct piece *ret)
{
	size_t len = strcspn(*rule, "{}");

	*ret = (struct piece){ .text = *rule, .len = len, .variable = BAT_N_VARIABLES };
	if (len) {
		*rule += len;
		return true;
	}
	const char *end = strchr(*rule, '}');
	if (**rule != '{' || !end)
		return false;
	ret->len = (size_t)(end + 1 - *rule);
	*rule = end + 1;
	return find_variable(ret->text + 1, ret->len - 2, ret);
}

static struct pd_error *check_rule(const char *rule)
{
	const char *at = rule;
	struct piece piece;

	while (*at) {
		if (!next_piece(&at, &piece))
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"invalid rule '%s': expected text with {host}, {kernel}, {arch}, "
				"{date}, {file}, {dir1}, {dir2} and so on",
				rule);
	}
	return NULL;
}

/* Labels become names of columns, for which databases differ between upper and lower case. */
static bool is_name(const char *text, size_t len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_", digits[] = "0123456789";

	if (!len || !strchr(letters, text[0]))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!strchr(letters, text[i]) && !strchr(digits, text[i]))
			return false;
	}
	return true;
}

struct pd_error *bat_labels_add(struct bat_labels *labels, const char *text)
{
	size_t len = strcspn(text, "=");

	if (!text[len] || !is_name(text, len))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid label '%s': expected NAME=RULE, with lower-case letters, digits "
			"and '_' in the name",
			text);
	struct pd_error *err = check_rule(text + len + 1);
	if (err)
		return err;
	struct bat_label label = { strndup(text, len), text + len + 1 };
	if (!label.name)
		return &pd_enomem;
	for (size_t i = 0; i < labels->items.n; i++) {
		if (strcmp(labels->items.data[i].name, label.name) == 0) {
			free(label.name);
			labels->items.data[i].rule = label.rule;
			return NULL;
		}
	}
	if (pd_vec_push(&labels->items, label))
		return NULL;
	free(label.name);
	return &pd_enomem;
}

void bat_labels_deinit(struct bat_labels *labels)
{
	for (size_t i = 0; i < labels->items.n; i++)
		free(labels->items.data[i].name);
	pd_vec_deinit(&labels->items);
}

bool bat_labels_use_path(const struct bat_labels *labels)
{
	struct piece piece;

	for (size_t i = 0; i < labels->items.n; i++) {
		const char *rule = labels->items.data[i].rule;

		while (*rule && next_piece(&rule, &piece)) {
			if (piece.dir || (piece.variable != BAT_N_VARIABLES &&
						 !variables[piece.variable].is_recorded))
				return true;
		}
	}
	return false;
}

/* Write folder number @p n of @p path, counted from its end. The last part is the file. */
static void write_dir(const char *path, unsigned n, FILE *out)
{
	size_t end = strlen(path);

	for (unsigned left = n;; left--) {
		while (end && path[end - 1] == '/')
			end--;
		size_t start = end;
		while (start && path[start - 1] != '/')
			start--;
		bool is_dot = end - start == 1 && path[start] == '.';
		if (!left && !is_dot) {
			fwrite(path + start, 1, end - start, out);
			return;
		}
		if (!start)
			return;
		left += is_dot;
		end = start;
	}
}

static void write_piece(const struct piece *piece, const struct bat_facts *facts, FILE *out)
{
	const char *value =
		piece->variable == BAT_N_VARIABLES ? NULL : facts->values[piece->variable];

	if (piece->dir)
		write_dir(facts->path, piece->dir, out);
	else if (value)
		fputs(value, out);
	else
		fwrite(piece->text, 1, piece->len, out);
}

void bat_label_write(const struct bat_label *label, const struct bat_facts *facts, FILE *out)
{
	const char *rule = label->rule;
	struct piece piece;

	while (*rule && next_piece(&rule, &piece))
		write_piece(&piece, facts, out);
}

/* Return the value of a label, allocated; NULL: no memory. */
static char *value_of(const struct bat_label *label, const struct bat_facts *facts, size_t *len)
{
	char *text = NULL;
	FILE *out = base_memstream_open(&text, len);

	if (!out)
		return NULL;
	bat_label_write(label, facts, out);
	return base_memstream_close(out, &text) ? text : NULL;
}

/* Write a value as a part of a path. Returns its length there. */
static size_t write_escaped(const char *value, FILE *out)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	size_t n = 0;

	for (; *value; value++) {
		bool is_plain = strchr(plain, *value);

		if (is_plain)
			fputc(*value, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*value);
		n += is_plain ? 1 : 3;
	}
	return n;
}

static struct pd_error *write_folder(
	const struct bat_label *label, const struct bat_facts *facts, FILE *out)
{
	size_t len;
	_cleanup_free_ char *value = value_of(label, facts, &len);

	if (!value)
		return &pd_enomem;
	fprintf(out, "%s=", label->name);
	if (!*value)
		fputs("__HIVE_DEFAULT_PARTITION__", out);
	else if (write_escaped(value, out) > BAT_MAX_VALUE)
		return pd_error_create(PD_ERROR_FORMAT, facts->path,
			"the label '%s' has more than %d bytes", label->name, BAT_MAX_VALUE);
	return NULL;
}

struct pd_error *bat_labels_path(
	const struct bat_labels *labels, const struct bat_facts *facts, char **ret)
{
	struct pd_error *err = NULL;
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return &pd_enomem;
	for (size_t i = 0; i < labels->items.n && !err; i++) {
		if (i)
			fputc('/', out);
		err = write_folder(&labels->items.data[i], facts, out);
	}
	if (!base_memstream_close(out, &text))
		return err ? err : &pd_enomem;
	if (err) {
		free(text);
		return err;
	}
	*ret = text;
	return NULL;
}
