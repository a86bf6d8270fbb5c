/**
 * @file Texts of frames in the script format. Most frames are printed for many samples, with the
 * same text, which takes several look-ups to make.
 *
 * A frame has one text, the first that was made. What it depends on besides the frame is in struct
 * script_text. Texts are only an optimization: without memory for them, none are known, and it does
 * not matter for the output which thread makes the text of a frame first. So all threads share the
 * texts, which take as much memory as those of one thread.
 */
#ifndef PD_OUTPUT_SCRIPT_SCRIPT_TEXTS_H
#define PD_OUTPUT_SCRIPT_SCRIPT_TEXTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/prefetch.h"
#include "profile/profile.h"

struct script_text_key {
	/** Process address. */
	uint64_t pc;
	/** Fields that are printed. */
	uint32_t shown;
	/** The stack was unwound. */
	bool is_unwound;
	/** The text follows an address on the line of the sample; else it has separate lines. */
	bool is_location;
};

/** A text, which never changes. */
struct script_text {
	struct script_text_key key;
	/**
	 * Bits of the process address that are compared. Texts of frames in stacks begin their
	 * lines with the address, which has to be replaced if another bit differs.
	 */
	uint64_t mask;
	/** Printed address minus the process address: 0 or -1. */
	uint64_t to_shown;
	uint32_t len;
	char bytes[];
};

/** A zeroed one has no texts, and keeps none. */
struct script_texts {
	/** Indexed by frame; NULL: the frame has no text. */
	_Atomic(const struct script_text *) *list;
	size_t n;
	/** Bytes of all texts. */
	atomic_size_t n_bytes;
};

/** Make room for a text of each of @p n_frames frames. Without memory, none are kept. */
void script_texts_init(struct script_texts *texts, size_t n_frames);
/** Free the list. The texts belong to the arenas of script_texts_keep(). */
void script_texts_deinit(struct script_texts *texts);

/** Find the text of @p frame, or NULL. Thread-safe. */
static inline const struct script_text *script_texts_find(const struct script_texts *texts,
	struct prof_frame_id frame, const struct script_text_key *key)
{
	const struct script_text *text;

	if (frame.i >= texts->n)
		return NULL;
	text = atomic_load_explicit(&texts->list[frame.i], memory_order_acquire);
	if (!text || (key->pc ^ text->key.pc) & text->mask || key->shown != text->key.shown ||
		key->is_unwound != text->key.is_unwound ||
		key->is_location != text->key.is_location)
		return NULL;
	return text;
}

/** Start to load the entry of @p frame in the list. */
static inline void script_texts_load(const struct script_texts *texts, struct prof_frame_id frame)
{
	if (frame.i < texts->n)
		base_prefetch(&texts->list[frame.i]);
}

/** Start to load the text, after script_texts_load(). */
static inline void script_texts_load_bytes(
	const struct script_texts *texts, struct prof_frame_id frame)
{
	const struct script_text *text;

	if (frame.i >= texts->n)
		return;
	text = atomic_load_explicit(&texts->list[frame.i], memory_order_acquire);
	if (!text)
		return;
	/* Most texts lie across two cache lines. */
	base_prefetch(text);
	base_prefetch((const void *)((uintptr_t)text + 64));
}

/**
 * Keep a text of @p frame with the key, mask and length of @p text, and the bytes @p bytes, unless
 * the frame has one already or there are too many texts. The copy is allocated in @p arena, which
 * must be of the calling thread and live as long as @p texts. Thread-safe.
 */
void script_texts_keep(struct script_texts *texts, struct base_arena *arena,
	struct prof_frame_id frame, const struct script_text *text, const char *bytes);

#endif
