/**
 * @file Writing JSON, piece by piece.
 */
#ifndef PD_BASE_JSON_H
#define PD_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Zeroed but for out: at the beginning of a value. */
struct pd_json {
	FILE *out;
	/** A value stands before this one, in the same object or array. */
	bool needs_comma;
	/** Spaces for each level; 0: all on one line. */
	int indent;
	int depth;
};

/* Each writes one value; key is its name in an object, NULL in an array and at the top. */

/** An object, up to pd_json_end with '}'; an array, with ']'. */
void pd_json_object(struct pd_json *json, const char *key);
void pd_json_array(struct pd_json *json, const char *key);
void pd_json_end(struct pd_json *json, char bracket);
void pd_json_uint(struct pd_json *json, const char *key, uint64_t value);
void pd_json_int(struct pd_json *json, const char *key, int64_t value);
void pd_json_double(struct pd_json *json, const char *key, double value);
void pd_json_bool(struct pd_json *json, const char *key, bool value);
/** NULL becomes null. Bytes that are no UTF-8 become U+FFFD. */
void pd_json_str(struct pd_json *json, const char *key, const char *text);
void pd_json_text(struct pd_json *json, const char *key, const char *text, size_t len);
/** Two digits a byte, as a string. */
void pd_json_hex(struct pd_json *json, const char *key, const uint8_t *bytes, size_t len);

#endif
