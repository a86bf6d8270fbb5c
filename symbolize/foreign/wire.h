/**
 * @file Protocol buffers from untrusted input, field by field, and fields that are written.
 */
#ifndef PD_SYMBOLIZE_FOREIGN_WIRE_H
#define PD_SYMBOLIZE_FOREIGN_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Wire types. Groups, which are 3 and 4, are refused: no profile has them. */
enum sym_wire_type { SYM_WIRE_NUMBER = 0, SYM_WIRE_64 = 1, SYM_WIRE_BYTES = 2, SYM_WIRE_32 = 5 };

/** Bytes of a message that were not read yet. */
struct sym_wire {
	const uint8_t *at;
	const uint8_t *end;
	/** The bytes at @ref at are not a field. */
	bool is_damaged;
};

struct sym_field {
	/** The whole field with its tag: [start, end). */
	const uint8_t *start;
	const uint8_t *end;
	uint32_t number;
	enum sym_wire_type type;
	/** SYM_WIRE_NUMBER: the value. */
	uint64_t value;
	/** SYM_WIRE_BYTES: what the field has. */
	const uint8_t *bytes;
	size_t len;
};

/** Read a field. Returns false at the end, and at damage. */
bool sym_wire_next(struct sym_wire *wire, struct sym_field *ret);

/** The fields of the message in a field of bytes. */
static inline struct sym_wire sym_wire_of(const struct sym_field *field)
{
	return (struct sym_wire){ .at = field->bytes, .end = field->bytes + field->len };
}

/** Most bytes of a field that is a number, and of the tag and the length of one that is bytes. */
enum { SYM_FIELD_BYTES = 15 };

/** Write a number, unless it is 0, the default. Returns the end of what was written. */
uint8_t *sym_put_number(uint8_t *to, uint32_t number, uint64_t value);

/** Write the tag and the length of @p len bytes that follow. Returns the end of the tag. */
uint8_t *sym_put_len(uint8_t *to, uint32_t number, size_t len);

#endif
