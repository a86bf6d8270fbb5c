/**
 * @file Writing JSON, piece by piece.
 */
#ifndef PD_OUTPUT_JSON_H
#define PD_OUTPUT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Zeroed but for out: at the beginning of a value. */
struct out_json {
	FILE *out;
	/** A value stands before this one, in the same object or array. */
	bool needs_comma;
	/** Spaces for each level; 0: all on one line. */
	int indent;
	int depth;
};

/* Each writes one value; key is its name in an object, NULL in an array and at the top. */

/** An object, up to out_json_end with '}'; an array, with ']'. */
void out_json_object(struct out_json *json, const char *key);
void out_json_array(struct out_json *json, const char *key);
void out_json_end(struct out_json *json, char bracket);
void out_json_uint(struct out_json *json, const char *key, uint64_t value);
void out_json_int(struct out_json *json, const char *key, int64_t value);
void out_json_double(struct out_json *json, const char *key, double value);
void out_json_bool(struct out_json *json, const char *key, bool value);
/** NULL becomes null. Bytes that are no UTF-8 become U+FFFD. */
void out_json_str(struct out_json *json, const char *key, const char *text);
void out_json_text(struct out_json *json, const char *key, const char *text, size_t len);
/** Two digits a byte, as a string. */
void out_json_hex(struct out_json *json, const char *key, const uint8_t *bytes, size_t len);

#endif
