/**
 * @file Streaming JSON writer.
 */
#ifndef PD_BASE_JSON_H
#define PD_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Writer state. Set out and zero the rest to start a document. */
struct base_json {
	FILE *out;
	/** The next value follows another one in the same object or array. */
	bool needs_comma;
	/** Spaces per level, or 0 to write everything on one line. */
	int indent;
	/** Leave out the spaces after commas and colons. Requires indent 0. */
	bool is_compact;
	int depth;
};

/*
 * Each function writes one value. key is its name in an object, any text; NULL in an array and at
 * the top.
 */

/** Begin an object, which base_json_end() ends with '}'. */
void base_json_object(struct base_json *json, const char *key);
/** Begin an array, which base_json_end() ends with ']'. */
void base_json_array(struct base_json *json, const char *key);
void base_json_end(struct base_json *json, char bracket);
void base_json_uint(struct base_json *json, const char *key, uint64_t value);
void base_json_int(struct base_json *json, const char *key, int64_t value);
void base_json_double(struct base_json *json, const char *key, double value);
/** Write @p value / 10^@p digits, with all its digits. */
void base_json_decimal(struct base_json *json, const char *key, uint64_t value, unsigned digits);
void base_json_bool(struct base_json *json, const char *key, bool value);
/**
 * Write a string, or null if it is NULL. Characters that are not printable (base/printable.h) are
 * escaped, and bytes that are not UTF-8 are stored as base/utf8.h describes, so that readers get
 * every name as it is.
 */
void base_json_str(struct base_json *json, const char *key, const char *text);
void base_json_text(struct base_json *json, const char *key, const char *text, size_t len);
/** Write bytes as a string with two hexadecimal digits each. */
void base_json_hex(struct base_json *json, const char *key, const uint8_t *bytes, size_t len);

#endif
