#include "output/script_texts.h"

#include <stdlib.h>
#include <string.h>

/* Most bytes of texts. Beyond them, new texts are not kept. */
enum { MAX_BYTES = 64 << 20 };

void script_texts_deinit(struct script_texts *texts)
{
	if (texts->stream)
		fclose(texts->stream);
	free(texts->written);
	free(texts->list);
	pd_vec_deinit(&texts->bytes);
	*texts = (struct script_texts){ 0 };
}

static bool set_up(struct script_texts *texts, const struct profile *profile)
{
	if (!texts->stream)
		texts->stream = open_memstream(&texts->written, &texts->n_written);
	if (!texts->stream || texts->list)
		return texts->stream;
	texts->list = calloc(profile->frames.n, sizeof(*texts->list));
	texts->n = texts->list ? profile->frames.n : 0;
	return texts->list;
}

FILE *script_texts_begin(
	struct script_texts *texts, const struct profile *profile, struct prof_frame_id frame)
{
	if (texts->bytes.n >= MAX_BYTES || !set_up(texts, profile) || texts->list[frame.i].len)
		return NULL;
	rewind(texts->stream);
	return texts->stream;
}

const struct script_text *script_texts_end(struct script_texts *texts, struct prof_frame_id frame,
	const struct script_text_key *key, uint64_t mask)
{
	long len = ftell(texts->stream);

	if (fflush(texts->stream) || ferror(texts->stream) || len <= 0 || len > MAX_BYTES ||
		!pd_vec_reserve(&texts->bytes, texts->bytes.n + (size_t)len))
		return NULL;
	struct script_text *text = &texts->list[frame.i];
	*text = (struct script_text){
		.key = *key,
		.mask = mask,
		.offset = (uint32_t)texts->bytes.n,
		.len = (uint32_t)len,
	};
	text->key.pc &= mask;
	memcpy(texts->bytes.data + texts->bytes.n, texts->written, (size_t)len);
	texts->bytes.n += (size_t)len;
	return text;
}
