#include "output/otlp/otlp_out.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/memstream.h"

enum kind {
	NUMBER,
	LONG,
	FIXED,
	TEXT,
	MESSAGE,
	/* Repeated ones, in the same order. */
	NUMBERS,
	LONGS,
	FIXEDS,
	TEXTS,
	MESSAGES,
};

enum message {
#define MESSAGE_ENUM(message) MESSAGE_##message,
	OTLP_MESSAGES(MESSAGE_ENUM)
#undef MESSAGE_ENUM
		MESSAGE_NONE,
};

static const struct row {
	enum message in;
	unsigned number;
	const char *name;
	enum kind kind;
	enum message message;
} rows[OTLP_N_FIELDS] = {
#define ROW(in, field, number, name, kind, message) \
	{ MESSAGE_##in, number, name, kind, MESSAGE_##message },
	OTLP_FIELDS(ROW)
#undef ROW
};

static void write_head(struct otlp_out *out, enum otlp_field field, uint64_t size)
{
	uint8_t head[BASE_PROTO_NUMBER_BYTES];
	uint8_t *end = base_proto_len(head, rows[field].number, size);

	fwrite_unlocked(head, 1, (size_t)(end - head), out->stream);
}

/* End the array that is open in the current message, if one is. */
static void end_array(struct otlp_out *out)
{
	if (out->arrays[out->depth])
		base_json_end(&out->json, ']');
	out->arrays[out->depth] = 0;
}

/* Return the key of a value of @p row: NULL in the array of the field, which is begun if needed. */
static const char *begin_value(struct otlp_out *out, const struct row *row)
{
	unsigned id = (unsigned)(row - rows) + 1;

	if (out->arrays[out->depth] == id)
		return NULL;
	end_array(out);
	if (row->kind < NUMBERS)
		return row->name;
	base_json_array(&out->json, row->name);
	out->arrays[out->depth] = id;
	return NULL;
}

static void begin_object(struct otlp_out *out, const struct row *row)
{
	base_json_object(&out->json, begin_value(out, row));
	out->arrays[++out->depth] = 0;
}

static void end_object(struct otlp_out *out)
{
	end_array(out);
	out->depth--;
	base_json_end(&out->json, '}');
}

/* Numbers of 64 bits are strings, because those of JavaScript have 53 bits. */
static void write_number(struct otlp_out *out, const struct row *row, uint64_t value)
{
	const char *key = begin_value(out, row);
	char text[24];

	if (row->kind % NUMBERS == NUMBER) {
		base_json_uint(&out->json, key, value);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64, value);
	base_json_str(&out->json, key, text);
}

/*
 * Write a text. The writer of JSON stores bytes that are not UTF-8 as characters (base/utf8.h).
 * That has been done with this text, so the writer gets the bytes back: F4 8F BA 80 to F4 8F BB BF
 * are 80 to FF.
 */
static void write_text(struct otlp_out *out, const char *key, struct base_proto proto)
{
	const uint8_t *at = proto.at, *end = proto.end;
	_cleanup_free_ char *text = malloc((size_t)(end - at) + 1);
	char *to = text;

	if (!text) {
		base_stream_fail(out->stream);
		return;
	}
	while (at < end) {
		bool is_byte =
			end - at >= 4 && at[0] == 0xf4 && at[1] == 0x8f && (at[2] & 0xfe) == 0xba;

		*to++ = (char)(is_byte ? 0x80 | (at[2] & 1) << 6 | (at[3] & 0x3f) : *at);
		at += is_byte ? 4 : 1;
	}
	base_json_text(&out->json, key, text, (size_t)(to - text));
}

static void write_fields(struct otlp_out *out, enum message message, struct base_proto proto);

/* Write a text, a message or packed numbers. */
static void write_bytes(struct otlp_out *out, const struct row *row, struct base_proto proto)
{
	uint64_t value;

	switch (row->kind) {
	case TEXT:
	case TEXTS:
		write_text(out, begin_value(out, row), proto);
		return;
	case MESSAGE:
	case MESSAGES:
		begin_object(out, row);
		write_fields(out, row->message, proto);
		end_object(out);
		return;
	case FIXEDS:
		while (base_proto_take_fixed64(&proto, &value))
			write_number(out, row, value);
		return;
	default:
		while (base_proto_take_varint(&proto, &value))
			write_number(out, row, value);
	}
}

static const struct row *find_row(enum message message, unsigned number)
{
	const struct row *row = rows;

	while (row->in != message || row->number != number)
		row++;
	return row;
}

/* Messages contain each other as far as the table says, which is less than OTLP_MAX_DEPTH. */
static void write_fields( // NOLINT(misc-no-recursion): as deep as the table
	struct otlp_out *out, enum message message, struct base_proto proto)
{
	struct base_proto_field field;

	while (base_proto_next(&proto, &field)) {
		const struct row *row = find_row(message, field.number);

		if (field.type == BASE_PROTO_LEN)
			write_bytes(out, row, base_proto_of(&field));
		else
			write_number(out, row, field.value);
	}
}

static struct base_proto encoded(const void *bytes, size_t n)
{
	return (struct base_proto){ .at = bytes, .end = (const uint8_t *)bytes + n };
}

void otlp_open(struct otlp_out *out)
{
	out->json = (struct base_json){ .out = out->stream, .is_compact = true };
	if (out->is_json)
		base_json_object(&out->json, NULL);
}

void otlp_close(struct otlp_out *out)
{
	if (!out->is_json)
		return;
	end_array(out);
	base_json_end(&out->json, '}');
	putc_unlocked('\n', out->stream);
}

void otlp_begin(struct otlp_out *out, enum otlp_field field, uint64_t size)
{
	if (out->is_json)
		begin_object(out, &rows[field]);
	else
		write_head(out, field, size);
}

void otlp_end(struct otlp_out *out)
{
	if (out->is_json)
		end_object(out);
}

void otlp_put(struct otlp_out *out, enum otlp_field field, const void *bytes, size_t n)
{
	if (out->is_json) {
		write_bytes(out, &rows[field], encoded(bytes, n));
		return;
	}
	write_head(out, field, n);
	fwrite_unlocked(bytes, 1, n, out->stream);
}

void otlp_put_fields(struct otlp_out *out, enum otlp_field field, const void *bytes, size_t n)
{
	if (out->is_json)
		write_fields(out, rows[field].message, encoded(bytes, n));
	else
		fwrite_unlocked(bytes, 1, n, out->stream);
}
