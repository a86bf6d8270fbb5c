/*
 * Profiles of other programs, as each of their forms: no binary of this machine has names, so
 * profiles of pprof and OpenTelemetry keep their locations, and text is copied byte by byte.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memstream.h"
#include "symbolize/foreign/heap_names.h"
#include "symbolize/foreign/otlp_names.h"
#include "symbolize/foreign/pprof_names.h"
#include "symbolize/foreign/text_names.h"
#include "tests/fuzz/fuzz.h"

static const struct pd_name_opts names;

static void check_copy(const struct fuzz_input *in, const char *text, size_t len, size_t skipped)
{
	if (len - skipped != in->size || memcmp(text + skipped, in->bytes, in->size) != 0)
		abort();
}

static struct pd_error *write_pprof(const struct fuzz_input *in, struct sym_asked *asked, FILE *out)
{
	struct sym_pprof *pprof;
	struct pd_error *err = sym_pprof_read("input", in->bytes, in->size, asked, &pprof);

	if (err)
		return err;
	err = sym_asked_name(asked, &names, 1);
	if (!err)
		err = sym_pprof_write(pprof, out);
	sym_pprof_destroy(pprof);
	return err;
}

static struct pd_error *write_otlp(const struct fuzz_input *in, struct sym_asked *asked, FILE *out)
{
	struct sym_otlp *otlp;
	struct pd_error *err = sym_otlp_read("input", in->bytes, in->size, asked, &otlp);

	if (err)
		return err;
	err = sym_asked_name(asked, &names, 1);
	if (!err)
		err = sym_otlp_write(otlp, out);
	sym_otlp_destroy(otlp);
	return err;
}

static struct pd_error *write_text(const struct fuzz_input *in, struct sym_asked *asked, FILE *out)
{
	enum sym_text_offsets offsets = (enum sym_text_offsets)fuzz_pick(in, 3);
	struct sym_text *text;
	struct pd_error *err =
		sym_text_read((const char *)in->bytes, in->size, offsets, asked, &text);

	if (err)
		return err;
	err = sym_asked_name(asked, &names, 1);
	if (!err)
		err = sym_text_write(text, out);
	sym_text_destroy(text);
	return err;
}

static struct pd_error *write_heap(const struct fuzz_input *in, struct sym_asked *asked, FILE *out)
{
	struct sym_heap *heap;
	struct pd_error *err = sym_heap_read((const char *)in->bytes, in->size, asked, &heap);

	if (err)
		return err;
	err = sym_asked_name(asked, &names, 1);
	if (!err)
		sym_heap_write(heap, out);
	sym_heap_destroy(heap);
	return err;
}

typedef struct pd_error *write_fn(const struct fuzz_input *in, struct sym_asked *asked, FILE *out);

/* Write the profile. Returns the text, which is allocated, or NULL after an error. */
static char *name(const struct fuzz_input *in, write_fn *fn, size_t *len_ret)
{
	struct sym_asked *asked;
	char *text = NULL;
	FILE *out = base_memstream_open(&text, len_ret);
	struct pd_error *err = sym_asked_create("input", &fuzz_no_search, &asked);

	if (!out || err)
		abort();
	err = fn(in, asked, out);
	if (!base_memstream_close(out, &text))
		abort();
	sym_asked_destroy(asked);
	if (err) {
		free(text);
		text = NULL;
	}
	pd_error_destroy(err);
	return text;
}

/*
 * A profile that was written once is copied byte by byte: the mappings of pprof are last already,
 * and the dictionary of OpenTelemetry is in one part.
 */
static void check_written(const struct fuzz_input *in, write_fn *fn)
{
	struct fuzz_input written = { 0 };
	char *text = name(in, fn, &written.size);

	if (!text)
		return;
	size_t len;
	written.bytes = (const uint8_t *)text;
	char *again = name(&written, fn, &len);
	if (!again)
		abort();
	check_copy(&written, again, len, 0);
	free(again);
	free(text);
}

void fuzz_target_foreign(struct fuzz_input *in)
{
	size_t len;

	check_written(in, write_pprof);
	sym_otlp_is_one(in->bytes, in->size);
	sym_otlp_is_json((const char *)in->bytes, in->size);
	check_written(in, write_otlp);
	char *text = name(in, write_text, &len);
	if (!text)
		abort();
	check_copy(in, text, len, 0);
	free(text);
	text = name(in, write_heap, &len);
	if (!text || len < in->size)
		abort();
	check_copy(in, text, len, len - in->size);
	free(text);
}
