#include <pdconv/error.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"

struct pd_error pd_enomem = {
	.code = PD_ERROR_NOMEM,
	.offset = PD_NO_OFFSET,
	.message = (char *)"out of memory",
};

static struct pd_error *create(
	enum pd_error_code code, const char *path, uint64_t offset, const char *what, char *message)
{
	_cleanup_free_ char *owned_message = message;
	_cleanup_free_ char *owned_path = path ? strdup(path) : NULL;
	struct pd_error *err = malloc(sizeof(*err));

	if (!err || !message || (path && !owned_path)) {
		free(err);
		return &pd_enomem;
	}
	*err = (struct pd_error){
		.code = code,
		.offset = offset,
		.path = take_ptr(owned_path),
		.what = what,
		.message = take_ptr(owned_message),
	};
	return err;
}

static char *vformat(const char *fmt, va_list ap)
{
	char *text;

	return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

struct pd_error *pd_error_create(enum pd_error_code code, const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *message = vformat(fmt, ap);
	va_end(ap);
	return create(code, path, PD_NO_OFFSET, NULL, message);
}

struct pd_error *pd_error_os(const char *path, const char *fmt, ...)
{
	int saved_errno = errno;
	char *message = NULL;
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *doing = vformat(fmt, ap);
	va_end(ap);
	if (!doing || asprintf(&message, "%s: %s", doing, strerror(saved_errno)) < 0)
		return &pd_enomem;
	return create(PD_ERROR_OS, path, PD_NO_OFFSET, NULL, message);
}

struct pd_error *pd_error_at(
	const char *path, uint64_t offset, const char *what, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *message = vformat(fmt, ap);
	va_end(ap);
	return create(PD_ERROR_FORMAT, path, offset, what, message);
}

void pd_error_destroy(struct pd_error *err)
{
	if (!err || err == &pd_enomem)
		return;
	free(err->path);
	free(err->message);
	free(err);
}

static char *join(const char *path, uint64_t offset, const char *what, const char *message)
{
	char at[24] = "";
	char *text;

	if (offset != PD_NO_OFFSET)
		snprintf(at, sizeof(at), "0x%" PRIx64 ": ", offset);
	if (asprintf(&text, "%s%s%s%s%s%s", path ? path : "", path ? ": " : "", at,
		    what ? what : "", what ? ": " : "", message) < 0)
		return NULL;
	return text;
}

char *pd_error_string(const struct pd_error *err)
{
	return join(err->path, err->offset, err->what, err->message);
}

struct diag_kind {
	const char *what;
	const char *fmt;
	char *text;
	uint64_t count;
};

struct pd_diag {
	PD_VEC(struct diag_kind) kinds;
};

struct pd_diag *pd_diag_create(void)
{
	return calloc(1, sizeof(struct pd_diag));
}

void pd_diag_destroy(struct pd_diag *diag)
{
	if (!diag)
		return;
	for (size_t i = 0; i < diag->kinds.n; i++)
		free(diag->kinds.data[i].text);
	pd_vec_deinit(&diag->kinds);
	free(diag);
}

static bool is_same_what(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static struct diag_kind *find_kind(struct pd_diag *diag, const char *what, const char *fmt)
{
	for (size_t i = 0; i < diag->kinds.n; i++) {
		struct diag_kind *kind = &diag->kinds.data[i];

		if (kind->fmt == fmt && is_same_what(kind->what, what))
			return kind;
	}
	return NULL;
}

/* Takes text over, which may be NULL for want of memory. */
static void add_kind(struct pd_diag *diag, const char *what, const char *fmt, char *text)
{
	struct diag_kind kind = { .what = what, .fmt = fmt, .text = text, .count = 1 };

	if (!text || !pd_vec_push(&diag->kinds, kind))
		free(text);
}

void pd_diag_warn(struct pd_diag *diag, const char *path, uint64_t offset, const char *what,
	const char *fmt, ...)
{
	va_list ap;

	if (!diag)
		return;
	struct diag_kind *known = find_kind(diag, what, fmt);
	if (known) {
		known->count++;
		return;
	}
	va_start(ap, fmt);
	_cleanup_free_ char *message = vformat(fmt, ap);
	va_end(ap);
	if (message)
		add_kind(diag, what, fmt, join(path, offset, what, message));
}

void pd_diag_note(struct pd_diag *diag, const char *path, uint64_t offset, const char *what,
	const char *message)
{
	struct diag_kind *known = diag ? find_kind(diag, what, message) : NULL;

	if (known)
		known->count++;
	else if (diag)
		add_kind(diag, what, message, join(path, offset, what, message));
}

size_t pd_diag_n(const struct pd_diag *diag)
{
	return diag->kinds.n;
}

const char *pd_diag_get(const struct pd_diag *diag, size_t i, uint64_t *count_ret)
{
	*count_ret = diag->kinds.data[i].count;
	return diag->kinds.data[i].text;
}
