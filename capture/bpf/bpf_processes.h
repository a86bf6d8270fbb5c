/**
 * @file Mappings of processes, which the BPF program reads, the records that change them, and the
 * programs whose tables are requested before they are mapped.
 */
#ifndef PD_CAPTURE_BPF_BPF_PROCESSES_H
#define PD_CAPTURE_BPF_BPF_PROCESSES_H

#include "capture/bpf/bpf_state.h"

/** Read the processes again whose tables were being made. Errors: NOMEM. */
struct pd_error *cap_bpf_read_loading(struct cap_bpf *bpf) pd_must_check;

/**
 * Load the tables of the libraries of the program that process @p pid has begun, before the dynamic
 * linker maps them. Each program is looked at once. Errors: NOMEM, OS.
 */
struct pd_error *cap_bpf_expect_libraries(struct cap_bpf *bpf, uint32_t pid) pd_must_check;

/** Remember which programs the command has started, and free the list. */
void cap_bpf_keep_started(struct cap_bpf *bpf);

#endif
