/**
 * @file Samples with another call chain, and without what was captured of their stacks.
 */
#ifndef PD_PARSE_SPLICE_H
#define PD_PARSE_SPLICE_H

#include <pdconv/sample.h>

struct pd_splice {
	/** The entries of CALLCHAIN, context markers among them, in this machine's order. */
	const uint64_t *chain;
	size_t n;
	/** REGS_USER and STACK_USER stay. */
	bool keep_stacks;
};

/**
 * Append @p rec, a SAMPLE of @p plan that was decoded to @p sample, with the chain of @p splice for
 * its own, if it has any, in the byte order of @p out, which is that of @p rec. All other fields are
 * as they were; bytes behind the last field are not taken over, unless they are of fields that are
 * not known. False if it would be larger than a record can be; then nothing is appended.
 */
bool pd_sample_splice(const struct pd_plan *plan, const struct pd_record *rec,
	const struct pd_sample *sample, const struct pd_splice *splice,
	struct pd_bytes *out) pd_must_check;

#endif
