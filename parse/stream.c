#include "parse/stream.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "parse/inflate.h"

struct pd_stream {
	const struct pd_file *file;
	/** In the file, bytes; end is behind the last record. */
	uint64_t offset;
	uint64_t end;
	/** Created with the first compressed record. */
	struct pd_inflate *inflate;
	/** Of the compressed record that is being unpacked. */
	uint64_t compressed_offset;
	bool is_unpacking;
};

struct pd_error *pd_stream_create(const struct pd_file *file, struct pd_stream **ret)
{
	struct pd_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return &pd_enomem;
	stream->file = file;
	stream->offset = file->data.offset;
	stream->end = file->data.offset + file->data.size;
	*ret = stream;
	return NULL;
}

void pd_stream_destroy(struct pd_stream *stream)
{
	if (!stream)
		return;
	pd_inflate_destroy(stream->inflate);
	free(stream);
}

static void read_header(const uint8_t *bytes, bool swap, struct pd_record *ret)
{
	struct pd_cursor c = pd_cursor_init(bytes, PD_RECORD_HEADER_BYTES, swap);

	*ret = (struct pd_record){ .bytes = bytes, .time = PD_NO_TIME };
	ret->type = pd_cursor_u32(&c);
	ret->misc = pd_cursor_u16(&c);
	ret->size = pd_cursor_u16(&c);
}

enum framing { FRAMED, NEEDS_MORE, BROKEN };

/* Whether the bytes hold a whole record. */
static enum framing frame(const uint8_t *bytes, uint64_t len, bool swap, struct pd_record *ret)
{
	if (len < PD_RECORD_HEADER_BYTES)
		return NEEDS_MORE;
	read_header(bytes, swap, ret);
	if (ret->size < PD_RECORD_HEADER_BYTES)
		return BROKEN;
	return ret->size <= len ? FRAMED : NEEDS_MORE;
}

/* Bytes behind a record that its size does not cover. */
static uint64_t outside_bytes(const struct pd_stream *stream, const struct pd_record *rec)
{
	union pd_body body;
	const char *wrong;

	if (rec->type != PD_RECORD_AUXTRACE && rec->type != PD_RECORD_HEADER_TRACING_DATA)
		return 0;
	if (!pd_record_decode(rec, 0, stream->file->swap, &body, &wrong))
		return 0;
	return rec->type == PD_RECORD_AUXTRACE ? body.auxtrace.data_size
					       : body.header_tracing_data.data_size;
}

static void end_early(struct pd_stream *stream, const char *what)
{
	const struct pd_file *file = stream->file;

	pd_diag_warn(file->diag, file->path, stream->offset, NULL,
		"%s: the last %" PRIu64 " bytes of records are not read", what,
		stream->end - stream->offset);
	stream->offset = stream->end;
}

/* The next record at top level; bytes NULL at the end. */
static void next_in_file(struct pd_stream *stream, struct pd_record *ret)
{
	const struct pd_file *file = stream->file;
	uint64_t left = stream->end - stream->offset;

	*ret = (struct pd_record){ .bytes = NULL };
	if (!left)
		return;
	enum framing framing = frame(file->bytes + stream->offset, left, file->swap, ret);
	if (framing != FRAMED) {
		*ret = (struct pd_record){ .bytes = NULL };
		end_early(stream,
			framing == BROKEN ? "record size makes no sense" : "a record is cut");
		return;
	}
	ret->offset = stream->offset;
	stream->offset += ret->size;
	uint64_t outside = outside_bytes(stream, ret);
	if (outside > stream->end - stream->offset)
		end_early(stream, "data behind a record is cut");
	else
		stream->offset += outside;
}

static struct pd_error *start_unpacking(struct pd_stream *stream, const struct pd_record *rec)
{
	const struct pd_file *file = stream->file;
	union pd_body body;
	const char *wrong;
	struct pd_view payload;

	if (!pd_record_decode(rec, 0, file->swap, &body, &wrong)) {
		pd_diag_note(file->diag, file->path, rec->offset, "COMPRESSED2", wrong);
		return NULL;
	}
	payload = body.compressed.data;
	if (rec->type == PD_RECORD_COMPRESSED2) {
		payload = body.compressed2.data;
		if (body.compressed2.data_size < payload.n)
			payload.n = body.compressed2.data_size;
	}
	if (!stream->inflate) {
		struct pd_error *err = pd_inflate_create(PD_CODEC_ZSTD, &stream->inflate);
		if (err)
			return err;
	}
	pd_inflate_feed(stream->inflate, payload.data, payload.n);
	stream->compressed_offset = rec->offset;
	stream->is_unpacking = true;
	return NULL;
}

static bool is_compressed(const struct pd_record *rec)
{
	return rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2;
}

/* The next record of those unpacked; bytes NULL when the compressed record is used up. */
static struct pd_error *next_unpacked(struct pd_stream *stream, struct pd_record *ret)
{
	const struct pd_file *file = stream->file;

	for (;;) {
		struct pd_seen inflated = pd_inflate_peek(stream->inflate);
		const char *wrong = NULL;
		bool more;

		switch (frame(inflated.bytes, inflated.len, file->swap, ret)) {
		case FRAMED:
			pd_inflate_take(stream->inflate, ret->size);
			ret->offset = stream->compressed_offset;
			ret->chunk = inflated.chunk;
			return NULL;
		case BROKEN:
			wrong = "record size makes no sense";
			break;
		case NEEDS_MORE:
			break;
		}
		*ret = (struct pd_record){ .bytes = NULL };
		if (!wrong) {
			struct pd_error *err = pd_inflate_fill(stream->inflate, &more, &wrong);
			if (err)
				return err;
		}
		if (wrong) {
			pd_diag_note(file->diag, file->path, stream->compressed_offset,
				"COMPRESSED", wrong);
			end_early(stream, "compressed records are damaged");
			pd_inflate_take(stream->inflate, inflated.len);
		}
		if (wrong || !more) {
			stream->is_unpacking = false;
			return NULL;
		}
	}
}

/* At the end: what was unpacked and is no whole record. Nothing is left of it after damage. */
static void end_unpacking(struct pd_stream *stream)
{
	const struct pd_file *file = stream->file;
	size_t left = stream->inflate ? pd_inflate_peek(stream->inflate).len : 0;

	if (!left)
		return;
	pd_diag_warn(file->diag, file->path, stream->compressed_offset, "COMPRESSED",
		"a record is cut: its first %zu bytes are not read", left);
	pd_inflate_take(stream->inflate, left);
}

struct pd_error *pd_stream_next(struct pd_stream *stream, struct pd_record *ret)
{
	for (;;) {
		struct pd_error *err = NULL;

		if (stream->is_unpacking) {
			err = next_unpacked(stream, ret);
			if (err || ret->bytes)
				return err;
			continue;
		}
		next_in_file(stream, ret);
		if (!ret->bytes)
			end_unpacking(stream);
		if (!ret->bytes || !is_compressed(ret))
			return NULL;
		err = start_unpacking(stream, ret);
		if (err)
			return err;
	}
}
