#include <pdconv/error.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/analyzer.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/format.h"
#include "base/text.h"

struct pd_error pd_enomem = {
	.code = PD_ERROR_NOMEM,
	.errnum = ENOMEM,
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

struct pd_error *pd_error_create(enum pd_error_code code, const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *message = base_vformat(fmt, ap);
	va_end(ap);
	return create(code, path, PD_NO_OFFSET, NULL, message);
}

/* Takes ownership of the message. */
static struct pd_error *create_os(int errnum, const char *path, char *message)
{
	struct pd_error *err = create(PD_ERROR_OS, path, PD_NO_OFFSET, NULL, message);

	if (err != &pd_enomem)
		err->errnum = errnum;
	return err;
}

struct pd_error *pd_error_os(const char *path, const char *fmt, ...)
{
	int saved_errno = errno;
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *doing = base_vformat(fmt, ap);
	va_end(ap);
	char *message = doing ? base_format("%s: %s", doing, strerror(saved_errno)) : NULL;
	return create_os(saved_errno, path, message);
}

struct pd_error *pd_error_explained(int errnum, const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *message = base_vformat(fmt, ap);
	va_end(ap);
	return create_os(errnum, path, message);
}

struct pd_error *pd_error_at(
	const char *path, uint64_t offset, const char *what, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *message = base_vformat(fmt, ap);
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

char *pd_error_string(const struct pd_error *err)
{
	char at[24] = "";

	if (err->offset != PD_NO_OFFSET)
		snprintf(at, sizeof(at), "0x%" PRIx64 ": ", err->offset);
	return base_format("%s%s%s%s%s%s", err->path ? err->path : "", err->path ? ": " : "", at,
		err->what ? err->what : "", err->what ? ": " : "", err->message);
}

int pd_error_print(struct pd_error *err, FILE *stream)
{
	if (!err)
		return 0;
	_cleanup_free_ char *text = pd_error_string(err);
	base_text_write_message(stream, text ? text : err->message);
	fputc('\n', stream);
	pd_error_destroy(err);
	return 1;
}

struct diag_kind {
	/** Format string. Its address and first->what identify the kind. */
	const char *fmt;
	struct pd_error *first;
	uint64_t count;
};

struct pd_diag {
	PD_VEC(struct diag_kind) kinds;
	/** Texts of restored entries that errors expect in static storage. */
	struct base_arena texts;
	/** Number of occurrences for which there was no memory. */
	uint64_t n_lost;
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
		pd_error_destroy(diag->kinds.data[i].first);
	pd_vec_deinit(&diag->kinds);
	base_arena_deinit(&diag->texts);
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

		/* The address of the literal identifies the message, whatever its arguments are. */
		if (kind->fmt == fmt && is_same_what(kind->first->what, what))
			return kind;
	}
	return NULL;
}

/* Add a kind. Without memory it is counted as lost, because reporting must not fail. */
static void add_kind(struct pd_diag *diag, const char *fmt, struct pd_error *first, uint64_t count)
{
	struct diag_kind kind = { .fmt = fmt, .first = first, .count = count };

	PD_IS_OWNED(first, "pd_diag_destroy() frees the kinds");
	if (first->code != PD_ERROR_NOMEM && pd_vec_push(&diag->kinds, kind))
		return;
	diag->n_lost += count;
	pd_error_destroy(first);
}

/* Count another occurrence if the kind is known. Returns whether it is. */
static bool count_known(struct pd_diag *diag, const char *what, const char *fmt)
{
	struct diag_kind *known = find_kind(diag, what, fmt);

	if (known)
		known->count++;
	return known;
}

void pd_diag_warn(struct pd_diag *diag, const char *path, uint64_t offset, const char *what,
	const char *fmt, ...)
{
	va_list ap;

	if (!diag || count_known(diag, what, fmt))
		return;
	va_start(ap, fmt);
	add_kind(diag, fmt, create(PD_ERROR_FORMAT, path, offset, what, base_vformat(fmt, ap)), 1);
	va_end(ap);
}

void pd_diag_note(struct pd_diag *diag, const char *path, uint64_t offset, const char *what,
	const char *message)
{
	if (!diag || count_known(diag, what, message))
		return;
	add_kind(diag, message, create(PD_ERROR_FORMAT, path, offset, what, strdup(message)), 1);
}

void pd_diag_cut(struct pd_diag *diag, const char *path, uint64_t offset, const char *what,
	const char *fmt, ...)
{
	va_list ap;

	if (!diag || count_known(diag, what, fmt))
		return;
	va_start(ap, fmt);
	add_kind(diag, fmt, create(PD_ERROR_CUT, path, offset, what, base_vformat(fmt, ap)), 1);
	va_end(ap);
}

void base_diag_restore(struct pd_diag *diag, const struct pd_error *first, uint64_t count)
{
	const char *what = first->what;
	struct pd_error *copy = &pd_enomem;

	if (what)
		what = base_arena_strndup(&diag->texts, what, strlen(what));
	if (what || !first->what)
		copy = create(
			first->code, first->path, first->offset, what, strdup(first->message));
	add_kind(diag, NULL, copy, count);
}

size_t pd_diag_n(const struct pd_diag *diag)
{
	return diag->kinds.n + (diag->n_lost != 0);
}

struct pd_diag_entry pd_diag_get(const struct pd_diag *diag, size_t i)
{
	if (i == diag->kinds.n)
		return (struct pd_diag_entry){ .first = &pd_enomem, .count = diag->n_lost };
	const struct diag_kind *kind = &diag->kinds.data[i];
	return (struct pd_diag_entry){ .first = kind->first, .count = kind->count };
}
