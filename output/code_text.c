#include "output/code_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memstream.h"

/* Write the target of a branch: an address, with the function and the distance from its start. */
static void write_target(const struct ann_listing *listing, const struct ann_row *row, FILE *out)
{
	uint64_t offset = row->target - listing->extent.start;

	fprintf(out, " %" PRIx64, row->target);
	/* Names in the listing itself would only repeat the title. */
	if (offset < listing->extent.end - listing->extent.start)
		fprintf(out, " <+0x%" PRIx64 ">", offset);
	else if (row->target_name && row->target_offset)
		fprintf(out, " <%s+0x%" PRIx64 ">", row->target_name, row->target_offset);
	else if (row->target_name)
		fprintf(out, " <%s>", row->target_name);
}

char *out_insn_text(const struct ann_listing *listing, const struct ann_row *row, int columns)
{
	int mnemonic = (int)strcspn(row->text, " ");
	const char *operands = row->text + mnemonic;
	char *text = NULL;
	size_t len;
	FILE *out = pd_memstream_open(&text, &len);

	if (!out)
		return NULL;
	if (*operands || row->branch)
		fprintf(out, "%-*.*s%s", columns, mnemonic, row->text, operands);
	else
		fputs(row->text, out);
	if (row->branch)
		write_target(listing, row, out);
	return pd_memstream_close(out, &text) ? text : NULL;
}

char *out_source_text(const char *text)
{
	enum { TAB = 8, MAX_COLUMNS = 1000 };
	char *copy = malloc(MAX_COLUMNS + 1);
	size_t n = 0;

	for (; copy && *text && n < MAX_COLUMNS; text++) {
		if (*text == '\r' && !text[1])
			break;
		if (*text != '\t') {
			copy[n++] = *text;
			continue;
		}
		do
			copy[n++] = ' ';
		while (n % TAB && n < MAX_COLUMNS);
	}
	if (copy)
		copy[n] = '\0';
	return copy;
}
