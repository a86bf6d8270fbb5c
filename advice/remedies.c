#include "advice/remedies.h"

#include <stddef.h>
#include <string.h>

#include "advice/remedy_defs.h"
#include "base/array.h"

static const struct {
	enum prof_runtime runtime;
	unsigned lacks;
	uint32_t oldest;
	uint32_t newest;
	const char *text;
} remedies[] = {
#define REMEDY_ROW(id, lacks, oldest, newest, text) \
	{ PROF_RUNTIME_##id, ADVICE_LACKS_##lacks, oldest, newest, text },
	ADVICE_REMEDIES(REMEDY_ROW)
#undef REMEDY_ROW
};

static const struct {
	bool has_none;
	bool is_endless;
} stacks[PROF_N_RUNTIMES] = {
#define STACK_ROW(id, is_endless) [PROF_RUNTIME_##id] = { true, is_endless },
	ADVICE_RUNTIMES_WITHOUT_STACK(STACK_ROW)
#undef STACK_ROW
};

static const char *const arguments[PROF_N_RUNTIMES] = {
#define ARGUMENT_ROW(id, words) [PROF_RUNTIME_##id] = words,
	ADVICE_RUNTIME_ARGUMENTS(ARGUMENT_ROW)
#undef ARGUMENT_ROW
};

bool advice_runtime_has_no_stack(enum prof_runtime runtime)
{
	return stacks[runtime].has_none;
}

bool advice_runtime_is_endless(enum prof_runtime runtime)
{
	return stacks[runtime].is_endless;
}

bool advice_runtime_is_told_to_name(enum prof_runtime runtime, const char *command)
{
	for (const char *at = arguments[runtime]; at && *at;) {
		size_t len = strcspn(at, "|");

		if (memmem(command, strlen(command), at, len))
			return true;
		at += len + (at[len] == '|');
	}
	return false;
}

/* Whether a word of the command line is @p program, with or without folders. */
static bool runs(const char *command, const char *program)
{
	size_t len = strlen(program);

	for (const char *at = strstr(command, program); at; at = strstr(at + len, program)) {
		bool begins = at == command || at[-1] == ' ' || at[-1] == '/';

		if (begins && (at[len] == ' ' || !at[len]))
			return true;
	}
	return false;
}

static const struct {
	const char *program;
	const char *option;
} frame_pointers[PROF_N_RUNTIMES] = {
#define FRAME_POINTER_ROW(id, ...) [PROF_RUNTIME_##id] = { __VA_ARGS__ },
	ADVICE_RUNTIME_FRAME_POINTERS(FRAME_POINTER_ROW)
#undef FRAME_POINTER_ROW
};

bool advice_runtime_is_told_frame_pointers(enum prof_runtime runtime, const char *command)
{
	return frame_pointers[runtime].option && strstr(command, frame_pointers[runtime].option);
}

bool advice_runtime_lacks_frame_pointers(enum prof_runtime runtime, const char *command)
{
	return frame_pointers[runtime].program && runs(command, frame_pointers[runtime].program) &&
	       !advice_runtime_is_told_frame_pointers(runtime, command);
}

bool advice_remedy_exists(enum prof_runtime runtime, unsigned lacks)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(remedies); i++) {
		if (remedies[i].runtime == runtime && remedies[i].lacks & lacks)
			return true;
	}
	return false;
}

const char *advice_remedy_find(
	enum prof_runtime runtime, uint32_t version, unsigned lacks, unsigned *ret)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(remedies); i++) {
		if (remedies[i].runtime != runtime || !(remedies[i].lacks & lacks) ||
			version < remedies[i].oldest || version > remedies[i].newest)
			continue;
		*ret = remedies[i].lacks & lacks;
		return remedies[i].text;
	}
	return NULL;
}
