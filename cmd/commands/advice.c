#include "cmd/commands/advice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/system/base_machine.h"
#include "base/text.h"
#include "cmd/commands/advice_defs.h"
#include "cmd/commands/question_command_defs.h"

static const struct {
	const char *options;
	const char *replaced;
} record_again[ADVICE_N_HINT_KINDS] = {
#define RECORD_ROW(kind, ...) [ADVICE_HINT_##kind] = { __VA_ARGS__ },
	CMD_RECORD_AGAIN(RECORD_ROW)
#undef RECORD_ROW
};

static const char *const commands[ADVICE_N_HINT_KINDS] = {
#define COMMAND_ROW(kind, text) [ADVICE_HINT_##kind] = (text),
	CMD_ADVICE(COMMAND_ROW)
#undef COMMAND_ROW
};

static const struct {
	enum prof_runtime runtime;
	unsigned lacks;
	const char *program;
	const char *arguments;
} arguments[] = {
#define ARGUMENT_ROW(id, lacks, ...) { PROF_RUNTIME_##id, ADVICE_LACKS_##lacks, __VA_ARGS__ },
	CMD_RUNTIME_ARGUMENTS(ARGUMENT_ROW)
#undef ARGUMENT_ROW
};

/* A word of a command line, with its quotes. */
struct word {
	const char *text;
	size_t len;
};

/* Read the next word at *@p at, which moves after it. False: there is none. */
static bool next_word(const char **at, struct word *ret)
{
	const char *text = *at + strspn(*at, " ");
	bool is_quoted = false;
	size_t len = 0;

	for (; text[len] && (is_quoted || text[len] != ' '); len++)
		is_quoted ^= text[len] == '\'';
	*at = text + len;
	*ret = (struct word){ text, len };
	return len;
}

static bool is_word(const struct word *word, const char *text, size_t len)
{
	return word->len == len && memcmp(word->text, text, len) == 0;
}

/* File name of a program, without folders. */
static struct word base_word(const struct word *word)
{
	const char *slash = memrchr(word->text, '/', word->len);
	size_t skip = slash ? (size_t)(slash + 1 - word->text) : 0;

	return (struct word){ word->text + skip, word->len - skip };
}

/* An option that is replaced. */
struct match {
	bool is_replaced;
	/* Its argument is the next word. */
	bool has_next;
};

/* Compare @p word with "-g|--call-graph=". */
static struct match match_replaced(const struct word *word, const char *replaced)
{
	for (const char *at = replaced; *at;) {
		size_t len = strcspn(at, "|");
		bool has_value = at[len - 1] == '=';

		if (is_word(word, at, len - has_value))
			return (struct match){ true, has_value };
		if (has_value && word->len > len && memcmp(word->text, at, len) == 0)
			return (struct match){ true, false };
		at += len + (at[len] == '|');
	}
	return (struct match){ false, false };
}

static bool is_recorder(const char **command)
{
	struct word program, verb;

	if (!next_word(command, &program) || !next_word(command, &verb))
		return false;
	program = base_word(&program);
	return is_word(&verb, "record", strlen("record")) &&
	       (is_word(&program, "perf", strlen("perf")) ||
		       is_word(&program, "pdconv", strlen("pdconv")));
}

/*
 * Write @p rest, the arguments of the recorder, without the first option that is replaced: a later
 * one may belong to the program that is recorded.
 */
static void write_rest(const char *rest, const char *replaced, FILE *out)
{
	bool is_done = false;
	struct word word;

	while (next_word(&rest, &word)) {
		struct match match = match_replaced(&word, replaced);

		if (match.is_replaced && !is_done) {
			is_done = true;
			if (match.has_next)
				next_word(&rest, &word);
			continue;
		}
		fprintf(out, " %.*s", (int)word.len, word.text);
	}
}

static void write_record_again(const char *command, const struct advice_hint *hint, FILE *out)
{
	const char *options = record_again[hint->kind].options;
	const char *rest = command;

	if (!is_recorder(&rest))
		return;
	fprintf(out, "%.*s ", (int)(rest - command), command);
	for (; *options; options++) {
		if (options[0] == '%' && options[1] == 'u') {
			fprintf(out, "%" PRIu32, hint->stack_bytes);
			options++;
		} else {
			fputc(*options, out);
		}
	}
	write_rest(rest, record_again[hint->kind].replaced, out);
}

/* Whether the word is a program called @p name, such as "/usr/lib/jvm/bin/java". */
static bool is_program(const struct word *word, const char *name)
{
	struct word base = base_word(word);

	return is_word(&base, name, strlen(name));
}

/* Write the recorded command line, with arguments after the name of the runtime. */
static void write_arguments(const char *command, const char *program, const char *added, FILE *out)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *line = base_memstream_open(&text, &size);
	const char *rest = command;
	bool is_done = false;
	struct word word;

	if (!line) {
		base_stream_fail(out);
		return;
	}
	while (next_word(&rest, &word)) {
		fprintf(line, "%s%.*s", word.text == command ? "" : " ", (int)word.len, word.text);
		if (!is_done && is_program(&word, program)) {
			fprintf(line, " %s", added);
			is_done = true;
		}
	}
	if (!base_memstream_close(line, &text))
		base_stream_fail(out);
	else if (is_done)
		fputs(text, out);
}

static void write_runtime(const char *command, const struct advice_hint *hint, FILE *out)
{
	for (size_t i = 0; !hint->is_told && i < PD_ARRAY_LEN(arguments); i++) {
		if (arguments[i].runtime != hint->runtime ||
			(arguments[i].lacks & hint->lacks) != arguments[i].lacks)
			continue;
		write_arguments(command, arguments[i].program, arguments[i].arguments, out);
		return;
	}
}

/*
 * Write the command that copies the names of the recorded kernel. If it ran on this machine and
 * another one does now, its names are gone.
 */
static void write_kernel(const struct profile *profile, const char *input, FILE *out)
{
	const char *host = prof_string(profile, profile->about.host);
	struct utsname here;

	if (!*host || *host == '-')
		return;
	if (!base_machine_here(&here) || strcmp(here.nodename, host) != 0) {
		fputs("ssh ", out);
		base_text_write_word(out, host);
		fputc(' ', out);
	} else if (strcmp(here.release, prof_string(profile, profile->about.kernel_release)) != 0) {
		return;
	}
	fprintf(out, "%s %s", commands[ADVICE_HINT_KERNEL], input);
}

static void write_command(
	const struct profile *profile, const struct advice_hint *hint, const char *input, FILE *out)
{
	const char *command = prof_string(profile, profile->about.command);

	if (hint->kind == ADVICE_HINT_RUNTIME)
		write_runtime(command, hint, out);
	else if (hint->kind == ADVICE_HINT_KERNEL)
		write_kernel(profile, input, out);
	else if (record_again[hint->kind].options)
		write_record_again(command, hint, out);
	else if (commands[hint->kind])
		fprintf(out, "%s %s", commands[hint->kind], input);
}

struct pd_error *cmd_advice(const struct profile *profile, const struct advice_hint *hint,
	const char *input, char **ret)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = base_memstream_open(&text, &size);

	if (!out)
		return &pd_enomem;
	write_command(profile, hint, input, out);
	if (!base_memstream_close(out, &text))
		return &pd_enomem;
	*ret = *text ? take_ptr(text) : NULL;
	return NULL;
}

/* Whether @p word is one of @p names, which '|' separates. */
static bool is_one_of(const struct word *word, const char *names)
{
	for (const char *at = names; *at;) {
		size_t len = strcspn(at, "|");

		if (is_word(word, at, len))
			return true;
		at += len + (at[len] == '|');
	}
	return false;
}

/* Write the options of @p rest that say what is recorded. Return what follows: the program. */
static const char *write_target(const char *rest, bool is_own, FILE *out)
{
	const char *before = rest;
	struct word word, argument;

	for (; next_word(&rest, &word) && word.text[0] == '-'; before = rest) {
		if (is_word(&word, "--", strlen("--")))
			return rest;
		bool is_target = is_one_of(&word, CMD_TARGET_OPTIONS);
		bool has_next = is_target || is_one_of(&word, CMD_ARGUMENT_OPTIONS) ||
				(is_own && is_word(&word, "-d", strlen("-d")));

		if (is_target || is_one_of(&word, CMD_TARGET_FLAGS))
			fprintf(out, " %.*s", (int)word.len, word.text);
		if (has_next && next_word(&rest, &argument) && is_target)
			fprintf(out, " %.*s", (int)argument.len, argument.text);
	}
	return before;
}

static void write_record(const struct profile *profile, const char *options, FILE *out)
{
	const char *command = prof_string(profile, profile->about.command);
	const char *rest = command;
	struct word program;

	fprintf(out, "pdconv record %s", options);
	if (!is_recorder(&rest)) {
		fputs(" -- COMMAND", out);
		return;
	}
	next_word(&command, &program);
	program = base_word(&program);
	rest = write_target(rest, is_word(&program, "pdconv", strlen("pdconv")), out);
	rest += strspn(rest, " ");
	if (*rest)
		fprintf(out, " -- %s", rest);
}

#define QUESTION_TEXT(name, text) [QRY_QUESTION_##name] = (text),
static const char *const question_options[QRY_N_QUESTIONS] = { CMD_QUESTION_RECORD(QUESTION_TEXT) };
static const char *const question_advice[QRY_N_QUESTIONS] = { CMD_QUESTION_ADVICE(QUESTION_TEXT) };
static const char *const question_commands[QRY_N_QUESTIONS] = { CMD_QUESTION_COMMAND(
	QUESTION_TEXT) };
#undef QUESTION_TEXT

void cmd_write_remedy(
	const struct profile *profile, enum qry_question question, bool is_answered, FILE *out)
{
	if (is_answered) {
		if (question_commands[question])
			fprintf(out, "  command: %s\n", question_commands[question]);
		return;
	}
	if (question_advice[question])
		fprintf(out, "  do: %s\n", question_advice[question]);
	if (!question_options[question])
		return;
	_cleanup_free_ char *command = NULL;
	size_t size;
	FILE *text = base_memstream_open(&command, &size);
	if (text)
		write_record(profile, question_options[question], text);
	if (!text || !base_memstream_close(text, &command)) {
		base_stream_fail(out);
		return;
	}
	fputs("  command: ", out);
	/* A newline in the recorded command must not look like a line of the answer. */
	base_text_write(out, command);
	fputc('\n', out);
}
