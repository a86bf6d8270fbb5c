/* Documents as text for a terminal. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/printable.h"
#include "base/text.h"
#include "output/doc/doc_text.h"

enum {
	/** Columns of the labels of facts. */
	LABEL_COLUMNS = 8,
	/** Columns before the text of a fact. */
	FACT_COLUMNS = LABEL_COLUMNS + 3,
};

void out_text_write(const struct out_text_writer *w, enum out_emphasis emphasis, const char *text)
{
	static const char *const starts[OUT_N_EMPHASES] = {
		[OUT_TITLE] = "\x1b[1m",
		[OUT_HOT] = "\x1b[31m",
		[OUT_WARM] = "\x1b[32m",
		[OUT_FAINT] = "\x1b[2m",
	};
	bool is_colored = w->has_color && emphasis != OUT_PLAIN && *text;

	if (is_colored)
		fputs(starts[emphasis], w->out);
	pd_text_write(w->out, text);
	if (is_colored)
		fputs("\x1b[m", w->out);
}

static void write_line(
	const struct out_text_writer *w, enum out_emphasis emphasis, const char *text)
{
	out_text_write(w, emphasis, text);
	fputc('\n', w->out);
}

/* Number of bytes of @p text that are written into a line of @p width columns: whole words. */
static size_t line_length(const char *text, size_t width)
{
	size_t len = strlen(text);
	size_t fitting = pd_columns_prefix(text, width);

	if (fitting == len)
		return len;
	for (size_t i = fitting; i > 0; i--) {
		if (text[i] == ' ')
			return i;
	}
	/* A word that is longer than a line stays whole. */
	return strcspn(text, " ");
}

/* Write @p text in lines that begin below each other. */
static void write_wrapped(const struct out_text_writer *w, const char *text, size_t width)
{
	while (*text) {
		size_t len = line_length(text, width);
		_cleanup_free_ char *line = strndup(text, len);

		write_line(w, OUT_PLAIN, line ? line : text);
		if (!line)
			return;
		text += len + strspn(text + len, " ");
		if (*text)
			fprintf(w->out, "%*s", FACT_COLUMNS, "");
	}
}

static void write_fact(const struct out_text_writer *w, const struct out_part *part)
{
	size_t room = w->width > FACT_COLUMNS ? w->width - FACT_COLUMNS : 1;
	bool is_long = w->width && pd_columns(part->text) > room;

	if (!part->title)
		return;
	fprintf(w->out, "  %-*s ", LABEL_COLUMNS, part->title);
	if (is_long && part->fit == OUT_FACT_WRAPPED) {
		write_wrapped(w, part->text, room);
		return;
	}
	_cleanup_free_ char *cut =
		is_long && part->fit == OUT_FACT_CUT ? pd_columns_cut(part->text, room) : NULL;
	write_line(w, OUT_PLAIN, cut ? cut : part->text);
}

static void write_section(const struct out_text_writer *w, const struct out_part *section)
{
	if (section->title) {
		fputc('\n', w->out);
		write_line(w, OUT_TITLE, section->title);
	}
	for (const struct out_part *i = section->first; i; i = i->next) {
		switch (i->kind) {
		case OUT_PART_SECTION:
			write_section(w, i);
			break;
		case OUT_PART_FACT:
			write_fact(w, i);
			break;
		case OUT_PART_LINE:
			write_line(w, OUT_PLAIN, i->text);
			break;
		case OUT_PART_TABLE:
			out_text_write_table(w, i);
			break;
		case OUT_PART_NUMBER:
		case OUT_PART_REAL:
		case OUT_PART_BOOL:
			break;
		}
	}
}

void out_doc_write_text(const struct out_doc *doc, const struct pd_text_opts *opts, FILE *out)
{
	const struct out_text_writer w = {
		.out = out,
		.width = opts->width,
		.has_color = opts->has_color,
	};

	write_section(&w, &doc->root);
}
