#include "cmd/options/option_tables.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/clock_defs.h"
#include "cmd/options/message.h"
#include "output/formats.h"
#include "profile/profile.h"

/* The words of cmd/options/option_defs.h for commands. */
enum {
	BATCH = CMD_BATCH,
	/* A batch is conversions. */
	CONVERT = CMD_CONVERT | CMD_BATCH,
	REPORT = CMD_REPORT,
	DUMP = CMD_DUMP,
	INFO = CMD_INFO,
	DIFF = CMD_DIFF,
	PERF_TO_PROFILE = CMD_PERF_TO_PROFILE,
	RECORD = CMD_RECORD,
	ANNOTATE = CMD_ANNOTATE,
	VIEW = CMD_VIEW,
	ARCHIVE = CMD_ARCHIVE,
	LIST = CMD_LIST,
	SQL = CMD_SQL,
	QUERY = CMD_QUERY,
	MCP = CMD_MCP,
	SYMBOLIZE = CMD_SYMBOLIZE,
	ASK = QUERY | MCP,
	SHOW = CONVERT | REPORT | DIFF | ANNOTATE | VIEW | SQL,
	READ = SHOW | INFO | ARCHIVE,
	NAME = SHOW | ASK | RECORD | SYMBOLIZE,
	FIND = READ | ASK | RECORD | SYMBOLIZE,
	ALL = FIND | DUMP | PERF_TO_PROFILE | LIST,
};

/* The words of cmd/options/option_defs.h for formats. */
enum {
#define FORMAT_INDEX(id, name) INDEX_##id,
	OUT_FORMATS(FORMAT_INDEX)
#undef FORMAT_INDEX
		N_FORMATS,
	TEXT_REPORT = 1 << INDEX_report,
	PPROF = 1 << INDEX_pprof,
	OTLP = 1 << INDEX_otlp | 1 << INDEX_otlp_json,
	FOLDED = 1 << INDEX_folded,
	SCRIPT = 1 << INDEX_script,
	HTML = 1 << INDEX_html,
	PERFDATA = 1 << INDEX_perfdata,
	ANY = (1 << N_FORMATS) - 1,
	NAMED = ANY & ~PERFDATA,
};

_Static_assert(ANY > 0 && ALL > 0, "a bit for each format and command");

#define KIND_TYPE(name, type, take) typedef type kind_##name;
CMD_KINDS(KIND_TYPE)

/* An option writes to its member through a pointer to void: this is where its type is checked. */
#define CHECK_MEMBER(commands, topic, formats, name, letter, kind, argument, member, ...) \
	_Static_assert(__builtin_types_compatible_p( \
			       __typeof__(((struct cmd_options *)0)->member), kind_##kind), \
		"--" name ": the member does not have the type of the kind " #kind);
CMD_OPTIONS(CHECK_MEMBER)

#define OPTION_ROW( \
	commands_, topic_, formats_, name_, letter_, kind_, argument_, member_, help_, details_) \
	{ .commands = commands_, \
		.topic = CMD_TOPIC_##topic_, \
		.formats = formats_, \
		.name = name_, \
		.letter = letter_, \
		.kind = CMD_KIND_##kind_, \
		.offset = offsetof(struct cmd_options, member_), \
		.argument = argument_, \
		.help = help_, \
		.details = details_ },
const struct cmd_option_row cmd_option_rows[CMD_N_OPTIONS] = { CMD_OPTIONS(OPTION_ROW) };

#define COMMAND_ROW(command_, name_, arguments_, run_, summary_, description_) \
	{ CMD_##command_, name_, arguments_, run_, summary_, description_ },
const struct cmd_command_row cmd_command_rows[CMD_N_COMMANDS] = { CMD_COMMANDS(COMMAND_ROW) };

#define TOPIC_TITLE(name, title) title,
const char *const cmd_topic_titles[CMD_N_TOPICS] = { CMD_TOPICS(TOPIC_TITLE) };

#define NOTE_ROW(commands_, name_, text_) { commands_, name_, text_ },
const struct cmd_note_row cmd_example_rows[CMD_N_EXAMPLES] = { CMD_EXAMPLES(NOTE_ROW) };
const struct cmd_note_row cmd_status_rows[CMD_N_STATUSES] = { CMD_STATUSES(NOTE_ROW) };
const struct cmd_note_row cmd_file_rows[CMD_N_FILES] = { CMD_FILES(NOTE_ROW) };
const struct cmd_note_row cmd_variable_rows[CMD_N_VARIABLES] = { CMD_ENVIRONMENT(NOTE_ROW) };

bool cmd_is_for_conversion(const struct cmd_option_row *row, enum cmd_command command)
{
	return command == CMD_RECORD && row->commands & CMD_CONVERT && row->commands != ALL &&
	       row->topic != CMD_TOPIC_OUTPUT;
}

char cmd_option_letter(const struct cmd_option_row *row, enum cmd_command command)
{
	return cmd_is_for_conversion(row, command) ? '\0' : row->letter;
}

bool cmd_option_is_of_few(const struct cmd_option_row *row)
{
	return row->formats != ANY && row->formats != NAMED;
}

const struct cmd_command_row *cmd_command_find(const char *name)
{
	for (size_t i = 0; i < CMD_N_COMMANDS; i++) {
		if (strcmp(cmd_command_rows[i].name, name) == 0)
			return &cmd_command_rows[i];
	}
	return NULL;
}

const struct cmd_command_row *cmd_command_row(enum cmd_command command)
{
	size_t i = 0;

	while (cmd_command_rows[i].command != command)
		i++;
	return &cmd_command_rows[i];
}

unsigned cmd_format_bit(const struct out_format *format)
{
	size_t n, i = 0;
	const struct out_format *const *formats = out_formats(&n);

	while (formats[i] != format)
		i++;
	return 1u << i;
}

unsigned cmd_formats_of(enum cmd_command command)
{
	size_t n;
	const struct out_format *const *formats = out_formats(&n);
	unsigned ret = 0;

	if (command & (CMD_REPORT | CMD_ANNOTATE))
		return cmd_format_bit(&out_format_report);
	if (command == CMD_VIEW)
		return cmd_format_bit(&out_format_html);
	if (command == CMD_SQL)
		return cmd_format_bit(&out_format_sqlite);
	for (size_t i = 0; i < n; i++) {
		if (command != CMD_DIFF || formats[i]->write_diff)
			ret |= cmd_format_bit(formats[i]);
	}
	return ret;
}

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

static const struct cmd_word offsets_words[] = {
	{ "auto", SYM_OFFSETS_AUTO, "file after a build id, else vaddr" },
	{ "file", SYM_OFFSETS_FILE, "offsets in the file" },
	{ "vaddr", SYM_OFFSETS_VADDR, "virtual addresses of the file" },
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
#define FORMAT_WORD(id, name) { name, 0, NULL },
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
		[CMD_KIND_OFFSETS] = WORDS("kind of offsets", offsets_words),
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

struct pd_error *cmd_words_find(enum cmd_option_kind kind, struct base_nearest *wanted, int *ret)
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
		base_nearest_try(wanted, word->name);
	}
	write_expected(&words, expected, sizeof(expected));
	return cmd_unknown(words.what, wanted, expected);
}
