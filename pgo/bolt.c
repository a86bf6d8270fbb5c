#include "pgo/bolt.h"

#include <inttypes.h>

/* Write the end of a branch. "X" is BOLT's name for other code. */
static void write_end(uint64_t addr, FILE *out)
{
	if (addr == PGO_ELSEWHERE)
		fputs(" X:0", out);
	else
		fprintf(out, " %" PRIx64, addr);
}

static void write_branch(const struct pgo_branch *branch, FILE *out)
{
	putc_unlocked('B', out);
	write_end(branch->from, out);
	write_end(branch->to, out);
	fprintf(out, " %" PRIu64 " %" PRIu64 "\n", branch->n, branch->mispredicted);
}

/* BOLT extends a run that begins in the middle of a function back to the call before it. */
static void write_run(const struct pgo_run *run, FILE *out)
{
	fprintf(out, "%c %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", run->is_entry ? 'f' : 'F',
		run->start, run->last, run->n);
}

/* Write @p event as a word: a space would end it. */
static void write_event(const char *event, FILE *out)
{
	fputs("E ", out);
	for (const char *at = event; *at; at++)
		putc_unlocked(*at > ' ' && *at < 0x7f ? *at : '_', out);
	putc_unlocked('\n', out);
}

void pgo_bolt_write(const struct pgo_image *image, const char *event, FILE *out)
{
	for (size_t i = 0; i < image->branches.n; i++)
		write_branch(&image->branches.data[i], out);
	for (size_t i = 0; i < image->runs.n; i++)
		write_run(&image->runs.data[i], out);
	if (image->hits.n)
		write_event(event, out);
	for (size_t i = 0; i < image->hits.n; i++)
		fprintf(out, "S %" PRIx64 " %" PRIu64 "\n", image->hits.data[i].addr,
			image->hits.data[i].n);
}
