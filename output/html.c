/*
 * The html format: a page that shows the profile in a browser, with nothing to fetch. It has a
 * program (web/), and each profile as base64 of a zlib stream: JSON that describes it, and columns
 * of numbers. doc/design/html.md describes both.
 */
#include "output/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/memstream.h"
#include "base/text.h"
#include "output/gzip.h"
#include "output/html_about.h"
#include "output/html_code.h"
#include "output/html_samples.h"
#include "output/html_tree.h"
#include "output/tracks.h"

/*
 * The text around the profiles is made of web/ when pdconv is built. The assembler reads it:
 * PD_WEB_DIR has the files.
 */
#define INCLUDE_BYTES(name, file) \
	__asm__(".section .rodata\n" #name ":\n" \
		".incbin \"" PD_WEB_DIR "/" file "\"\n" #name "_end:\n" \
		".previous\n"); \
	extern const char name[] __attribute__((visibility("hidden"))); \
	extern const char name##_end[] __attribute__((visibility("hidden")))

INCLUDE_BYTES(html_page_head, "page.head");
INCLUDE_BYTES(html_page_tail, "page.tail");

/* The level of zlib that makes pages small without taking longer than the rest. */
enum { LEVEL = 6 };

/* Write the attribute of an element, without characters that are not printable. */
static void write_escaped(const char *attribute, FILE *out)
{
	size_t len;
	_cleanup_free_ char *printable = pd_text_dup(attribute, strlen(attribute), &len);

	if (!printable) {
		pd_stream_fail(out);
		return;
	}
	for (const char *text = printable; *text; text++) {
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '"')
			fputs("&quot;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else
			putc_unlocked(*text, out);
	}
}

static void write_u32(struct out_gzip *gzip, uint32_t value)
{
	const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
		(uint8_t)(value >> 24) };

	out_gzip_write(gzip, bytes, sizeof(bytes));
}

static void put_strings(struct html *h)
{
	for (uint32_t i = 0; i < h->strings.n; i++) {
		uint32_t len = pd_intern_len(&h->strings, i);

		html_put(&h->columns, HTML_STRING_LENGTH, len);
		html_put_bytes(&h->columns, HTML_STRING_TEXT, pd_intern_bytes(&h->strings, i), len);
	}
}

static struct pd_error *fill(struct html *h)
{
	struct pd_error *err;

	html_string(h, "", 0);
	err = advice_chain_ends_find(h->profile, &h->chain_ends);
	if (err)
		return err;
	err = html_put_code(h);
	if (err || h->no_memory)
		return err ? err : &pd_enomem;
	html_put_samples(h);
	if (h->no_memory)
		return &pd_enomem;
	html_put_marks(h);
	err = html_put_sources(h);
	if (err)
		return err;
	html_put_tree(h);
	put_strings(h);
	return h->no_memory || h->columns.no_memory ? &pd_enomem : NULL;
}

/* Write the description of the profile to *@p ret, allocated. */
static struct pd_error *describe(const struct html *h, char **ret, size_t *len_ret)
{
	_cleanup_(advice_quality_deinit) struct advice_quality quality = { 0 };
	struct pd_error *err = advice_quality_find(h->profile, true, &quality);
	FILE *out = err ? NULL : pd_memstream_open(ret, len_ret);

	if (!out)
		return err ? err : &pd_enomem;
	html_write_about(h, &quality, out);
	return pd_memstream_close(out, ret) ? NULL : &pd_enomem;
}

static struct pd_error *write_data(const struct html *h, FILE *base64)
{
	const struct out_gzip_opts opts = {
		.jobs = h->opts->jobs, .level = LEVEL, .is_zlib = true
	};
	_cleanup_free_ char *about = NULL;
	size_t len;
	struct out_gzip *gzip;
	struct pd_error *err = describe(h, &about, &len);

	err = err ? err : out_gzip_create(base64, &opts, &gzip);
	if (err)
		return err;
	out_gzip_write(gzip, "PDW1", 4);
	write_u32(gzip, (uint32_t)len);
	out_gzip_write(gzip, about, len);
	for (size_t i = 0; i < HTML_N_COLUMNS; i++)
		out_gzip_write(gzip, h->columns.list[i].bytes.data, h->columns.list[i].bytes.n);
	out_gzip_finish(gzip);
	out_gzip_destroy(gzip);
	return NULL;
}

static struct pd_error *write_element(const struct html *h, FILE *out)
{
	FILE *base64 = pd_base64_open(out);

	if (!base64)
		return &pd_enomem;
	fputs("<script type=\"application/octet-stream\" class=\"profile\" data-name=\"", out);
	_cleanup_free_ char *input = html_input_name(h->opts->input);

	if (!input)
		pd_stream_fail(out);
	write_escaped(input ? input : "", out);
	fputs("\">", out);
	struct pd_error *err = write_data(h, base64);
	fclose(base64);
	fputs("</script>\n", out);
	return err;
}

static void tear_down(struct html *h)
{
	folded_names_deinit(&h->names);
	html_columns_deinit(&h->columns);
	pd_intern_deinit(&h->strings);
	pd_map_deinit(&h->named_functions);
	pd_intern_deinit(&h->functions);
	pd_intern_deinit(&h->frames);
	free(h->spots);
	pd_vec_deinit(&h->spot_frames);
	pd_vec_deinit(&h->nodes);
	pd_map_deinit(&h->node_ids);
	free(h->leaves);
	free(h->thread_rows);
	advice_chain_ends_deinit(&h->chain_ends);
	pd_vec_deinit(&h->path);
	pd_vec_deinit(&h->trail);
	pd_vec_deinit(&h->threads);
	pd_vec_deinit(&h->processes);
	pd_map_deinit(&h->thread_ids);
	pd_map_deinit(&h->process_ids);
	free(h->instructions);
	pd_intern_deinit(&h->places);
	pd_intern_deinit(&h->source_paths);
	pd_vec_deinit(&h->lines);
}

void out_html_begin(FILE *out)
{
	fwrite(html_page_head, 1, (size_t)(html_page_head_end - html_page_head), out);
}

struct pd_error *out_html_add(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct html h = { .profile = profile, .opts = opts };
	struct pd_error *err = &pd_enomem;

	h.spots = calloc(profile->frames.n + 1, sizeof(*h.spots));
	h.leaves = calloc(profile->stacks.n + 1, sizeof(*h.leaves));
	if (folded_names_init(&h.names, profile, opts) && h.spots && h.leaves) {
		err = fill(&h);
		if (!err)
			err = write_element(&h, out);
	}
	tear_down(&h);
	return err;
}

void out_html_end(FILE *out)
{
	fwrite(html_page_tail, 1, (size_t)(html_page_tail_end - html_page_tail), out);
}

static struct pd_error *write_html(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	out_html_begin(out);
	struct pd_error *err = out_html_add(profile, opts, out);
	out_html_end(out);
	return err;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	/* Functions are identified by the start of their symbols. */
	request->frame_offsets = opts->format.html.embeds_source;
	request->tags = 1u << PROF_TAG_TIME | 1u << PROF_TAG_CPU;
	request->note_types = out_note_types(false);
	request->note_text = out_note_text;
	return NULL;
}

const struct out_format out_format_html = {
	.name = "html",
	.suffix = ".html",
	.is_binary = true,
	.takes_one = true,
	.reports_quality = true,
	.help = "page for a browser: flame graphs, threads over time, search",
	.prepare = prepare,
	.write = write_html,
};
