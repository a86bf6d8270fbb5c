/**
 * @file Tables of mapped files, which the BPF program reads.
 */
#ifndef PD_CAPTURE_BPF_BPF_FILES_H
#define PD_CAPTURE_BPF_BPF_FILES_H

#include "capture/bpf/bpf_state.h"

/**
 * Get the file of @p mapping, which process @p pid has, and request its table if it has none.
 * *@p ret is NULL if it cannot have one. It is valid until the next file is added. Errors: NOMEM.
 */
struct pd_error *cap_bpf_get_file(struct cap_bpf *bpf, uint32_t pid,
	const struct cap_mapping *mapping, const struct cap_bpf_file **ret) pd_must_check;

/** Whether the program can use the table of @p file. */
bool cap_bpf_has_live_table(const struct cap_bpf_file *file);

/** Let the program use the table that was made. The pages of @p loaded are freed. */
void cap_bpf_take_table(struct cap_bpf *bpf, struct cap_loaded *loaded);

#endif
