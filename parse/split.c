#include "parse/split.h"

#include <string.h>

#include "base/limit.h"
#include "parse/frame.h"
#include "parse/open_file.h"

/* Append the body of a piece. Returns false if out of memory. */
static bool append(struct pd_window *pieces, const struct pd_record *piece)
{
	const uint8_t *from = piece->bytes + PD_RECORD_HEADER_BYTES;
	size_t left = piece->size - PD_RECORD_HEADER_BYTES;
	size_t n;

	for (; left; from += n, left -= n) {
		uint8_t *to = pd_window_room(pieces, &n);

		if (!to)
			return false;
		n = n < left ? n : left;
		memcpy(to, from, n);
		pd_window_add(pieces, n);
	}
	return true;
}

static void drop(struct pd_window *pieces, const struct pd_file *file,
	const struct pd_record *piece, const char *wrong)
{
	pd_diag_note(
		file->diag, pd_file_part_path(file, piece->part), piece->offset, "SPLIT", wrong);
	pd_window_take(pieces, pd_window_peek(pieces).len);
}

struct pd_error *pd_split_join(
	struct pd_window *pieces, const struct pd_file *file, struct pd_record *rec)
{
	struct pd_record piece = *rec;
	struct pd_seen seen = pd_window_peek(pieces);

	_Static_assert(PD_LIMIT_SPLIT_BYTES == 256 << 20, "the message has the value");
	*rec = (struct pd_record){ .bytes = NULL };
	if (piece.type == PD_RECORD_SIMPLEPERF_SPLIT && seen.len > PD_LIMIT_SPLIT_BYTES) {
		drop(pieces, file, &piece, "a record of more than 256 MiB is left out");
		return NULL;
	}
	if (piece.type == PD_RECORD_SIMPLEPERF_SPLIT)
		return append(pieces, &piece) ? NULL : &pd_enomem;
	if (seen.len >= PD_RECORD_HEADER_BYTES)
		*rec = pd_frame_record(file, seen.bytes, pd_frame_header(file, seen.bytes));
	/* The first piece begins with the header of the whole record, whose size must match. */
	if (!rec->bytes || rec->size != seen.len) {
		drop(pieces, file, &piece, "pieces that make no record are left out");
		*rec = (struct pd_record){ .bytes = NULL };
		return NULL;
	}
	pd_window_take(pieces, seen.len);
	rec->part = piece.part;
	rec->offset = piece.offset;
	rec->chunk = seen.chunk;
	return NULL;
}
