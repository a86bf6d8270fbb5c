#include "output/script/script_texts.h"

#include <stdlib.h>
#include <string.h>

/* Most bytes of texts, with what describes them. Beyond them, new texts are not kept. */
enum { MAX_BYTES = 96 << 20 };

void script_texts_init(struct script_texts *texts, size_t n_frames)
{
	*texts = (struct script_texts){ .list = calloc(n_frames, sizeof(*texts->list)) };
	texts->n = texts->list ? n_frames : 0;
}

void script_texts_deinit(struct script_texts *texts)
{
	free(texts->list);
	*texts = (struct script_texts){ 0 };
}

void script_texts_keep(struct script_texts *texts, struct base_arena *arena,
	struct prof_frame_id frame, const struct script_text *text, const char *bytes)
{
	size_t size = sizeof(*text) + text->len;
	const struct script_text *none = NULL;

	if (frame.i >= texts->n || atomic_load(&texts->list[frame.i]) ||
		atomic_load(&texts->n_bytes) + size > MAX_BYTES)
		return;
	struct script_text *copy = base_arena_alloc(arena, size);
	if (!copy)
		return;
	*copy = *text;
	memcpy(copy->bytes, bytes, copy->len);
	atomic_fetch_add(&texts->n_bytes, size);
	/* Another thread may have been faster. Its text remains, and the copy is not used. */
	atomic_compare_exchange_strong(&texts->list[frame.i], &none, copy);
}
