#include "parse/decompress.h"

#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "parse/gaps.h"
#include "parse/open_file.h"

static void note(
	const struct pd_decompressor *d, uint64_t offset, const char *type, const char *what)
{
	pd_diag_note(d->file->diag, pd_file_part_path(d->file, d->part), offset, type, what);
}

static void drop_rest(struct pd_decompressor *d)
{
	pd_inflate_take(d->inflate, pd_inflate_peek(d->inflate).len);
}

struct pd_error *pd_decompressor_start(
	struct pd_decompressor *d, const struct pd_record *rec, uint64_t time)
{
	struct pd_cursor c = pd_record_body(rec);
	uint64_t size = UINT64_MAX;

	/* COMPRESSED2 states the size of its data because it is padded to 8 bytes. */
	if (rec->type == PD_RECORD_COMPRESSED2)
		size = pd_cursor_u64(&c);
	if (c.overrun) {
		note(d, rec->offset, "COMPRESSED2", "record is too short");
		return NULL;
	}
	if (size > pd_cursor_left(&c))
		size = pd_cursor_left(&c);
	if (d->needs_frame) {
		if (pd_codec_detect(c.pos, size) != PD_CODEC_ZSTD) {
			note(d, rec->offset, "COMPRESSED",
				"needs damaged bytes before it, and is passed over");
			pd_gaps_count(d->file, d->part, rec->offset, rec->size, time);
			return NULL;
		}
		d->needs_frame = false;
		pd_inflate_destroy(take_ptr(d->inflate));
	}
	/* All compressed records of a part are one zstd stream, so keep its state. */
	if (!d->inflate) {
		struct pd_error *err = pd_inflate_create(PD_CODEC_ZSTD, &d->inflate);
		if (err)
			return err;
	}
	pd_inflate_feed(d->inflate, c.pos, size);
	d->offset = rec->offset;
	d->is_active = true;
	d->n_returned = 0;
	return NULL;
}

void pd_decompressor_end(struct pd_decompressor *d, const char *wrong, uint64_t end, uint64_t time)
{
	d->is_active = false;
	if (!wrong)
		return;
	note(d, d->offset, "COMPRESSED", wrong);
	note(d, d->offset, "COMPRESSED", "compressed records are damaged");
	pd_gaps_count(d->file, d->part, d->offset, end - d->offset, time);
	d->needs_frame = true;
	drop_rest(d);
}

void pd_decompressor_lose(struct pd_decompressor *d)
{
	d->needs_frame = d->inflate;
	if (d->inflate)
		drop_rest(d);
}

void pd_decompressor_end_part(struct pd_decompressor *d)
{
	size_t left = d->inflate ? pd_inflate_peek(d->inflate).len : 0;

	if (!left)
		return;
	pd_diag_cut(d->file->diag, pd_file_part_path(d->file, d->part), d->offset, "COMPRESSED",
		"a record is cut: its first %zu bytes are not read", left);
	drop_rest(d);
}
