/**
 * @file Source lines of BPF programs, which perf has kept in the recording.
 *
 * HEADER_BPF_PROG_INFO holds what the kernel knows of each program (struct bpf_prog_info of
 * linux/bpf.h), with its arrays behind it: the addresses of its functions, and those at which a source
 * line begins. What lines and files are called is in HEADER_BPF_BTF.
 */
#ifndef PD_PARSE_BPF_H
#define PD_PARSE_BPF_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>

struct pd_bpf_line {
	/** Borrowed from the file. */
	const char *file;
	uint32_t line;
	/** Of the function's first line. */
	uint32_t start_line;
};

struct pd_bpf;

/**
 * Read what @p file, which outlives the result, says of BPF programs. Without it, or where it is damaged,
 * there are no lines. Errors: no memory.
 */
struct pd_error *pd_bpf_create(const struct pd_file *file, struct pd_bpf **ret) pd_must_check;
/** NULL is fine. */
void pd_bpf_destroy(struct pd_bpf *bpf);

/**
 * The line of the kernel address @p addr in the function that the kernel calls @p symbol
 * ("bpf_prog_TAG_NAME"); false if that is not known: addresses are used again for other programs. From
 * any thread.
 */
bool pd_bpf_find(
	const struct pd_bpf *bpf, const char *symbol, uint64_t addr, struct pd_bpf_line *ret);

#endif
