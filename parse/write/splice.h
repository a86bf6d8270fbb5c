/**
 * @file Replacing the call chain of samples and removing their stack copies.
 */
#ifndef PD_PARSE_WRITE_SPLICE_H
#define PD_PARSE_WRITE_SPLICE_H

#include <pdconv/attr.h>
#include <pdconv/sample.h>

struct parse_splice {
	/** Entries of the new CALLCHAIN, including context markers, in host byte order. */
	const uint64_t *chain;
	size_t n;
	/** Keep REGS_USER and STACK_USER. */
	bool keep_stacks;
};

/** Change @p attr, which captures stacks, to that of samples without them (keep_stacks unset). */
void parse_attr_splice(struct pd_attr *attr);

/**
 * Append @p rec, a SAMPLE of @p plan that was decoded to @p sample, with the call chain of
 * @p splice instead of its own. @p out must have the byte order of @p rec. All other fields are
 * copied. Bytes after the last field are dropped, unless they belong to unknown fields. False, with
 * nothing appended, if the record would exceed 65535 bytes. Out of memory: sets out->failed.
 */
bool parse_sample_splice(const struct pd_plan *plan, const struct pd_record *rec,
	const struct pd_sample *sample, const struct parse_splice *splice,
	struct pd_bytes *out) pd_must_check;

#endif
