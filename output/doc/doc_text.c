/* Documents as text for a terminal. */
#include "base/text.h"
#include "output/doc/doc_text.h"

/* Columns of the labels of facts. */
enum { LABEL_COLUMNS = 8 };

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

static void write_fact(const struct out_text_writer *w, const struct out_part *part)
{
	if (!part->title)
		return;
	/* Advice and commands are of no use without their middle. */
	fprintf(w->out, "  %-*s ", LABEL_COLUMNS, part->title);
	write_line(w, OUT_PLAIN, part->text);
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

void out_doc_write_text(const struct out_doc *doc, const struct out_doc_opts *opts, FILE *out)
{
	const struct out_text_writer w = {
		.out = out,
		.width = opts->width,
		.has_color = opts->has_color,
	};

	write_section(&w, &doc->root);
}
