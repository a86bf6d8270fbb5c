#include "index/reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/memstream.h"

/* Fixed part of an entry. The texts follow, each with a NUL. */
struct entry {
	uint64_t count;
	uint64_t offset;
	uint32_t code;
	/** Bytes of the texts with their NULs; 0: NULL. */
	uint32_t path;
	uint32_t what;
	uint32_t message;
};

static uint32_t len_of(const char *text)
{
	return text ? (uint32_t)strlen(text) + 1 : 0;
}

static void write_text(const char *text, FILE *out)
{
	if (text)
		fwrite(text, 1, strlen(text) + 1, out);
}

static void write_entry(const struct pd_diag_entry *from, FILE *out)
{
	const struct pd_error *first = from->first;
	const struct entry entry = {
		.count = from->count,
		.offset = first->offset,
		.code = first->code,
		.path = len_of(first->path),
		.what = len_of(first->what),
		.message = len_of(first->message),
	};

	fwrite(&entry, sizeof(entry), 1, out);
	write_text(first->path, out);
	write_text(first->what, out);
	write_text(first->message, out);
}

struct pd_error *index_reports_encode(const struct pd_diag *diag, uint8_t **ret, size_t *size_ret)
{
	char *bytes = NULL;
	FILE *out = pd_memstream_open(&bytes, size_ret);

	if (!out)
		return &pd_enomem;
	for (size_t i = 0; i < pd_diag_n(diag); i++) {
		struct pd_diag_entry entry = pd_diag_get(diag, i);

		/* Reports that were lost cannot be kept. */
		if (entry.first->code == PD_ERROR_NOMEM)
			pd_stream_fail(out);
		write_entry(&entry, out);
	}
	if (!pd_memstream_close(out, &bytes))
		return &pd_enomem;
	*ret = (uint8_t *)bytes;
	return NULL;
}

/* Take a text of @p len bytes. Returns false if it does not end there. */
static bool take_text(const uint8_t **at, size_t *left, uint32_t len, const char **ret)
{
	*ret = len ? (const char *)*at : NULL;
	if (len > *left || (len && (*at)[len - 1]))
		return false;
	*at += len;
	*left -= len;
	return true;
}

bool index_reports_decode(const uint8_t *bytes, size_t size, struct pd_diag *diag)
{
	struct entry entry;

	while (size) {
		const char *path, *what, *message;

		if (size < sizeof(entry))
			return false;
		memcpy(&entry, bytes, sizeof(entry));
		bytes += sizeof(entry);
		size -= sizeof(entry);
		if (!take_text(&bytes, &size, entry.path, &path) ||
			!take_text(&bytes, &size, entry.what, &what) ||
			!take_text(&bytes, &size, entry.message, &message) || !message ||
			entry.code > PD_ERROR_USAGE)
			return false;
		const struct pd_error first = {
			.code = (enum pd_error_code)entry.code,
			.offset = entry.offset,
			.path = (char *)path,
			.what = what,
			.message = (char *)message,
		};
		if (diag)
			pd_diag_restore(diag, &first, entry.count);
	}
	return true;
}
