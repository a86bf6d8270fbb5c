/**
 * @file Texts of frames in the script format. Most frames are printed for many samples, with the
 * same text, which takes several look-ups to make.
 *
 * A frame has one text, the first that was made. What it depends on besides the frame is in struct
 * script_text_key. Texts are only an optimization: without memory for them, none are known.
 */
#ifndef PD_OUTPUT_SCRIPT_TEXTS_H
#define PD_OUTPUT_SCRIPT_TEXTS_H

#include <stdbool.h>
#include <stdio.h>

#include <pdconv/vec.h>

#include "profile/profile.h"

struct script_text_key {
	/** Process address, or the part of it that matters. */
	uint64_t pc;
	/** Fields that are printed. */
	uint32_t shown;
	/** The stack was unwound. */
	bool is_unwound;
	/** The text follows an address on the line of the sample; else it has separate lines. */
	bool is_location;
};

struct script_text {
	struct script_text_key key;
	/** Bits of a process address that are compared with the key. */
	uint64_t mask;
	/** Offset in script_texts.bytes, and length; 0: the frame has none. */
	uint32_t offset;
	uint32_t len;
};

/** A zeroed one has no texts. */
struct script_texts {
	/** Indexed by frame; NULL before the first text. */
	struct script_text *list;
	size_t n;
	PD_VEC(char) bytes;
	/** Stream to which the next text is written, and its contents. */
	FILE *stream;
	char *written;
	size_t n_written;
};

void script_texts_deinit(struct script_texts *texts);

/** Find the text of @p frame, or NULL. */
static inline const struct script_text *script_texts_find(const struct script_texts *texts,
	struct prof_frame_id frame, const struct script_text_key *key)
{
	const struct script_text *text;

	if (frame.i >= texts->n)
		return NULL;
	text = &texts->list[frame.i];
	if (!text->len || (key->pc & text->mask) != text->key.pc || key->shown != text->key.shown ||
		key->is_unwound != text->key.is_unwound ||
		key->is_location != text->key.is_location)
		return NULL;
	return text;
}

/** Start to load what script_texts_find() looks at. */
static inline void script_texts_load(const struct script_texts *texts, struct prof_frame_id frame)
{
	if (frame.i < texts->n)
		__builtin_prefetch(&texts->list[frame.i]);
}

/** Start to load the text, after script_texts_load(). */
static inline void script_texts_load_bytes(
	const struct script_texts *texts, struct prof_frame_id frame)
{
	if (frame.i < texts->n && texts->list[frame.i].len)
		__builtin_prefetch(texts->bytes.data + texts->list[frame.i].offset);
}

static inline const char *script_texts_bytes(
	const struct script_texts *texts, const struct script_text *text)
{
	return texts->bytes.data + text->offset;
}

/**
 * Begin the text of @p frame of @p profile. Returns the stream to write it to, or NULL if it cannot
 * be kept.
 */
FILE *script_texts_begin(
	struct script_texts *texts, const struct profile *profile, struct prof_frame_id frame);
/**
 * Keep what was written to the stream as the text of @p frame, with the bits @p mask of the address
 * in @p key. NULL: no memory.
 */
const struct script_text *script_texts_end(struct script_texts *texts, struct prof_frame_id frame,
	const struct script_text_key *key, uint64_t mask);

#endif
