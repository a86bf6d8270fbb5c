/**
 * @file Decoding UTF-8 from untrusted input.
 *
 * Names in recordings and binaries are arbitrary bytes, but JSON and protocol buffers hold Unicode
 * only. There, a byte b that is not UTF-8 is stored as the private character U+10FE00 + b. If the
 * input itself holds one of these characters, each of its bytes is stored in the same way, so the
 * original bytes can always be restored. Lone surrogates, which some programs use instead, are
 * rejected by strict JSON parsers.
 */
#ifndef PD_BASE_UTF8_H
#define PD_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Stands for the byte 0; the characters for the bytes 0x80 to 0xff are in use. */
enum { PD_UTF8_BYTE = 0x10fe00 };

/** Longest encoding of a character, in bytes. */
enum { PD_UTF8_MAX = 4 };

/**
 * Decode the character at @p text, of which @p len bytes may be read (at least 1). Returns its
 * length in bytes, or 0 if the bytes are not well-formed UTF-8 (RFC 3629); then @p ret is not set.
 */
size_t base_utf8_decode(const char *text, size_t len, uint32_t *ret);

/** Whether @p len bytes are well-formed UTF-8. */
bool base_utf8_is_valid(const char *text, size_t len);

/**
 * Like base_utf8_decode(), but never fails: the result is PD_UTF8_BYTE plus the first byte, and the
 * length 1, if that byte does not begin a well-formed character, or begins one that stands for a
 * byte.
 */
size_t base_utf8_decode_any(const char *text, size_t len, uint32_t *ret);

/**
 * Return @p text with the bytes that are not UTF-8 stored as characters: @p text itself if it has
 * none, otherwise a copy, which is *@p copy_ret as well and is freed by the caller. NULL: no
 * memory.
 */
const char *base_utf8_text(const char *text, char **copy_ret);

/** Encode @p character to @p ret. Returns the length in bytes. */
size_t base_utf8_encode(uint32_t character, char ret[static PD_UTF8_MAX]);

#endif
