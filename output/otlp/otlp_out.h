/**
 * @file Where the format otlp writes messages: protocol buffers, or the JSON that OTLP has for them
 * (https://opentelemetry.io/docs/specs/otlp/).
 *
 * Messages that are not too large are encoded once, and written as they are or as JSON.
 */
#ifndef PD_OUTPUT_OTLP_OTLP_OUT_H
#define PD_OUTPUT_OTLP_OTLP_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/protobuf.h"
#include "base/otlp_field_defs.h"

/** Numbers of fields: OTLP_SAMPLE_STACK is 1. */
enum {
#define OTLP_NUMBER(message, field, number, ...) OTLP_##message##_##field = (number),
	OTLP_FIELDS(OTLP_NUMBER)
#undef OTLP_NUMBER
};

/** Fields by which otlp_begin() and otlp_put() know what they write. */
enum otlp_field {
#define OTLP_FIELD_ENUM(message, field, ...) OTLP_FIELD_##message##_##field,
	OTLP_FIELDS(OTLP_FIELD_ENUM)
#undef OTLP_FIELD_ENUM
		OTLP_N_FIELDS,
};

/** Most messages that contain each other, in addition to the file. */
enum { OTLP_MAX_DEPTH = 8 };

/** Set the stream, and is_json; zero the rest. */
struct otlp_out {
	FILE *stream;
	bool is_json;
	struct base_json json;
	/** Field whose array is open in each of the messages that are open, plus 1; 0: none is. */
	unsigned arrays[OTLP_MAX_DEPTH];
	unsigned depth;
};

/** Begin and end the file. */
void otlp_open(struct otlp_out *out);
void otlp_close(struct otlp_out *out);

/** Begin a message that takes @p size bytes, and end it. */
void otlp_begin(struct otlp_out *out, enum otlp_field field, uint64_t size);
void otlp_end(struct otlp_out *out);

/** Write a message, which is encoded, or a text. */
void otlp_put(struct otlp_out *out, enum otlp_field field, const void *bytes, size_t n);

/** Write encoded fields of the message that was begun as @p field. */
void otlp_put_fields(struct otlp_out *out, enum otlp_field field, const void *bytes, size_t n);

#endif
