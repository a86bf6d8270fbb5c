/**
 * @file Source lines of BPF programs in the recording.
 *
 * HEADER_BPF_PROG_INFO has the kernel's struct bpf_prog_info (linux/bpf.h) of each program,
 * followed by arrays: the addresses of its functions, and the addresses at which source lines
 * begin. HEADER_BPF_BTF has the names of files.
 */
#ifndef PD_PARSE_BPF_PROGRAMS_H
#define PD_PARSE_BPF_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>

struct parse_bpf_line {
	/** Path of the source file, borrowed from the recording. */
	const char *file;
	uint32_t line;
	/** Number of the function's first line. */
	uint32_t start_line;
};

struct parse_bpf;

/**
 * Read the BPF features of @p file, which must outlive the result. Programs whose information is
 * absent or damaged have no lines. Errors: NOMEM.
 */
struct pd_error *parse_bpf_create(const struct pd_file *file, struct parse_bpf **ret) pd_must_check;
/** Free @p bpf, which may be NULL. */
void parse_bpf_destroy(struct parse_bpf *bpf);

/**
 * Find the source line of the kernel address @p addr in the function with the kernel symbol
 * @p symbol ("bpf_prog_TAG_NAME"). The symbol is needed because addresses are reused for other
 * programs. False if the line is not known. Thread-safe.
 */
bool parse_bpf_find(
	const struct parse_bpf *bpf, const char *symbol, uint64_t addr, struct parse_bpf_line *ret);

#endif
