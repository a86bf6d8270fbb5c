/**
 * @file Fixture of the tests of symbolize/: a temporary directory, and programs that are built in
 * it.
 */
#ifndef PD_TEST_SYM_FIXTURE_H
#define PD_TEST_SYM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pdconv/build_id.h>

#include "base/cleanup.h"
#include "symbolize/binary.h"

static char dir[] = "/tmp/pdconv-sym-XXXXXX";

/** Run a shell command in the directory. Returns its exit status. */
static inline int __attribute__((format(printf, 1, 2))) sh(const char *fmt, ...)
{
	char command[4096], full[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	snprintf(full, sizeof(full), "cd %s && { %s; } >>log 2>&1", dir, command);
	return system(full);
}

/** Whether the compiler and the linker of a command are installed. */
static inline bool can_build(const char *command)
{
	return sh("set -- %s && command -v $1 && for word; do case $word in "
		  "-fuse-ld=*) command -v ld.${word#*=} || exit 1;; esac; done",
		       command) == 0;
}

static inline void write_file(const char *name, const void *bytes, size_t size)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	_cleanup_fclose_ FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
}

static inline void write_text(const char *name, const char *text)
{
	write_file(name, text, strlen(text));
}

/** Read a whole file and append a NUL. */
static inline char *read_all(const char *name, size_t *size_ret)
{
	char path[256], *bytes = NULL;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*size_ret = (size_t)ftell(f);
	rewind(f);
	bytes = calloc(1, *size_ret + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size_ret, f), *size_ret);
	return bytes;
}

/** Create the directory, and make it HOME, so that files of the user are not found. */
static inline int make_dir(void **state)
{
	(void)state;
	unsetenv("DEBUGINFOD_CACHE_PATH");
	unsetenv("XDG_CACHE_HOME");
	if (!mkdtemp(dir))
		return -1;
	return setenv("HOME", dir, 1);
}

static inline int remove_dir(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static inline struct sym_binary *open_with(
	const struct sym_search *search, const char *path, const struct pd_build_id *id)
{
	struct sym_recorded recorded = { .name = path };
	struct sym_binary *binary = NULL;

	if (id)
		recorded.id = *id;
	assert_null(sym_binary_open(search, &recorded, &binary));
	assert_non_null(binary);
	return binary;
}

static inline struct sym_binary *open_here(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open_with(NULL, path, NULL);
}

#endif
