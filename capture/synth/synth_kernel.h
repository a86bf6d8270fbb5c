/**
 * @file Records of the kernel, its modules and its BPF programs.
 */
#ifndef PD_CAPTURE_SYNTH_SYNTH_KERNEL_H
#define PD_CAPTURE_SYNTH_SYNTH_KERNEL_H

#include "capture/synth/synth.h"

/**
 * Emit the MMAP of the kernel, and those of its modules by address. Errors: those of emit; NOMEM.
 */
struct pd_error *cap_synth_kernel(struct cap_synth *synth) pd_must_check;

/**
 * Emit KSYMBOL and BPF_EVENT for the loaded BPF programs; nothing without the permission to list
 * them. Errors: those of emit; NOMEM.
 */
struct pd_error *cap_synth_bpf(struct cap_synth *synth) pd_must_check;

#endif
