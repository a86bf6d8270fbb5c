#include "cmd/words.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/clock_defs.h"
#include "cmd/option_error.h"
#include "output/formats.h"
#include "profile/profile.h"

static const struct cmd_word unwind_words[] = {
	{ "auto", false, "follow frame pointers where there is no CFI" },
	{ "cfi", true, "never follow frame pointers" },
};

static const struct cmd_word weight_words[] = {
	{ "period", false, "sum up the period" },
	{ "samples", true, "count samples" },
};

static const struct cmd_word color_words[] = {
	{ "auto", CMD_WHEN_AUTO, "on a terminal" },
	{ "always", CMD_WHEN_ALWAYS, NULL },
	{ "never", CMD_WHEN_NEVER, NULL },
};

static const struct cmd_word form_words[] = {
	{ "templates", PD_NAME_FORM_TEMPLATES, "ns::f<int>" },
	{ "short", PD_NAME_FORM_SHORT, "ns::f" },
	{ "full", PD_NAME_FORM_FULL, "void ns::f<int>(int)" },
	{ "none", PD_NAME_FORM_MANGLED, "the name in the symbol table" },
};

/* The value of a label is its index. */
#define TAG_WORD(tag, name, help) { name, PROF_TAG_##tag, help },
static const struct cmd_word label_words[] = { PROF_TAGS(TAG_WORD) };
#undef TAG_WORD

/* The last clock has no other name, so that the list ends with a NULL. */
#define CLOCK_WORD(id, name, other) { name, id, NULL }, { other, id, name },
static const struct cmd_word clock_words[] = { PD_CLOCKS(CLOCK_WORD) };
#undef CLOCK_WORD

/* The value of a format is not used: out_format_find() has it. */
#define FORMAT_WORD(name) { #name, 0, NULL },
static const struct cmd_word format_words[] = { OUT_FORMATS(FORMAT_WORD) };
#undef FORMAT_WORD

struct cmd_words cmd_words_of(enum cmd_option_kind kind)
{
#define WORDS(what, rows) \
	{ \
		what, rows, PD_ARRAY_LEN(rows) \
	}
	static const struct cmd_words words[] = {
		[CMD_KIND_UNWIND] = WORDS("mode", unwind_words),
		[CMD_KIND_WEIGHT] = WORDS("weight", weight_words),
		[CMD_KIND_COLOR] = WORDS("color", color_words),
		[CMD_KIND_FORM] = WORDS("form", form_words),
		[CMD_KIND_LABELS] = WORDS("label", label_words),
		[CMD_KIND_CLOCK] = WORDS("clock", clock_words),
		[CMD_KIND_FORMAT] = WORDS("format", format_words),
	};
#undef WORDS
	struct cmd_words ret = { 0 };

	if ((size_t)kind < PD_ARRAY_LEN(words))
		ret = words[kind];
	while (ret.n && !ret.rows[ret.n - 1].name)
		ret.n--;
	return ret;
}

/* Write "expected a, b or c" to @p buf. */
static void write_expected(const struct cmd_words *words, char *buf, size_t size)
{
	size_t at = (size_t)snprintf(buf, size, "expected ");

	for (size_t i = 0; i < words->n && at < size; i++) {
		const char *separator = i + 1 < words->n ? ", " : " or ";

		at += (size_t)snprintf(
			buf + at, size - at, "%s%s", i ? separator : "", words->rows[i].name);
	}
}

struct pd_error *cmd_words_find(enum cmd_option_kind kind, struct pd_nearest *wanted, int *ret)
{
	const struct cmd_words words = cmd_words_of(kind);
	char expected[256];

	for (size_t i = 0; i < words.n; i++) {
		const struct cmd_word *word = &words.rows[i];

		if (strlen(word->name) == wanted->len &&
			memcmp(word->name, wanted->word, wanted->len) == 0) {
			*ret = word->value;
			return NULL;
		}
		pd_nearest_try(wanted, word->name);
	}
	write_expected(&words, expected, sizeof(expected));
	return cmd_unknown(words.what, wanted, expected);
}
