/**
 * @file Records of BPF programs.
 */
#ifndef PD_CAPTURE_SYNTH_SYNTH_BPF_H
#define PD_CAPTURE_SYNTH_SYNTH_BPF_H

#include "capture/synth/synth.h"

/**
 * Emit KSYMBOL and BPF_EVENT for the loaded BPF programs; nothing without the permission to list
 * them. Errors: those of emit; NOMEM.
 */
struct pd_error *cap_synth_bpf(struct cap_synth *synth) pd_must_check;

#endif
