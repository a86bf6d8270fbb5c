#include "profile/known_runtimes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const struct {
	const char *name;
	bool has_version;
	const char *files;
	const char *interpreter;
	const char *script;
	const char *image;
} runtimes[PROF_N_RUNTIMES] = {
#define RUNTIME_ROW(id, ...) [PROF_RUNTIME_##id] = { __VA_ARGS__ },
	PROF_RUNTIMES(RUNTIME_ROW)
#undef RUNTIME_ROW
};

const char *prof_runtime_name(enum prof_runtime runtime)
{
	return runtimes[runtime].name;
}

/* Whether one of the patterns, separated by '|', matches the text. */
static bool matches(const char *patterns, const char *text)
{
	for (const char *at = patterns; *at;) {
		size_t len = strcspn(at, "|");
		bool is_prefix = at[len - 1] == '*';

		if (strncmp(at, text, len - is_prefix) == 0 && (is_prefix || !text[len]))
			return true;
		at += len + (at[len] == '|');
	}
	return false;
}

/* Read the first "3.11" in a file name, before ".so": the version of an ABI follows that. */
static uint32_t read_version(const char *name)
{
	enum { MAX_PART = 99 };
	const char *end = strstr(name, ".so");
	const char *at = name + strcspn(name, "0123456789");
	char *dot;

	if (!*at || (end && at > end))
		return 0;
	unsigned long major = strtoul(at, &dot, 10);
	if (*dot != '.' || dot[1] < '0' || dot[1] > '9')
		return 0;
	unsigned long minor = strtoul(dot + 1, NULL, 10);
	return major > MAX_PART || minor > MAX_PART ? 0 : (uint32_t)(major * 100 + minor);
}

enum prof_runtime prof_runtime_of_file(const char *path, uint32_t *version_ret)
{
	const char *name = base_file_name(path);

	*version_ret = 0;
	for (enum prof_runtime i = 0; i < PROF_N_RUNTIMES; i++) {
		if (!matches(runtimes[i].files, name))
			continue;
		if (runtimes[i].has_version)
			*version_ret = read_version(name);
		return i;
	}
	return PROF_N_RUNTIMES;
}

enum prof_runtime prof_runtime_of_function(const char *linkage, const char *path)
{
	const char *name = base_file_name(path);
	enum prof_runtime first = PROF_N_RUNTIMES;

	for (enum prof_runtime i = 0; i < PROF_N_RUNTIMES; i++) {
		if (!matches(runtimes[i].interpreter, linkage))
			continue;
		if (matches(runtimes[i].files, name))
			return i;
		if (first == PROF_N_RUNTIMES)
			first = i;
	}
	return first;
}

enum prof_runtime prof_runtime_of_script(const char *name)
{
	for (enum prof_runtime i = 0; i < PROF_N_RUNTIMES; i++) {
		if (matches(runtimes[i].script, name))
			return i;
	}
	return PROF_N_RUNTIMES;
}

bool prof_runtime_names_script(enum prof_runtime runtime)
{
	return runtimes[runtime].script[0];
}

bool prof_runtime_is_image(const char *path)
{
	const char *name = base_file_name(path);

	for (enum prof_runtime i = 0; i < PROF_N_RUNTIMES; i++) {
		if (matches(runtimes[i].image, name))
			return true;
	}
	return false;
}
