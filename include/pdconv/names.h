/**
 * @file Names of numbers in attrs and records, from pdconv/name_defs.h.
 *
 * Each function returns NULL for a number without a name, such as one of a later kernel. Names are
 * in static storage. All functions are thread-safe.
 */
#ifndef PDCONV_NAMES_H
#define PDCONV_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/name_defs.h>

PD_DECLS_BEGIN

/** CPU mode of a record: pd_record.misc & PD_MISC_CPUMODE_MASK. */
const char *pd_cpu_mode_name(uint64_t mode);
/** Type of an attr, PERF_TYPE_*. Numbers of PMUs have no name. */
const char *pd_attr_type_name(uint64_t type);
/** Letter of bit @p bit of attr.bp_type: "r", "w" or "x". */
const char *pd_breakpoint_kind_name(uint64_t bit);
/** Requested precision of instruction pointers: pd_attr_precise_ip(). */
const char *pd_precision_name(uint64_t precise_ip);
/** Width of sampled registers: pd_regs.abi. */
const char *pd_regs_abi_name(uint64_t abi);
/** Bit @p bit of the flags of an AUX record. */
const char *pd_aux_flag_name(uint64_t bit);
/** Format of the data of an AUX record of CoreSight: bits 8 to 15 of its flags. */
const char *pd_aux_format_name(uint64_t format);
/** Type of a KSYMBOL record. */
const char *pd_ksym_type_name(uint64_t type);
/** Type of a BPF_EVENT record. */
const char *pd_bpf_event_name(uint64_t type);
/** Event of type hardware: the lower half of attr.config. */
const char *pd_hardware_event_name(uint64_t id);
/** Event of type software: attr.config. */
const char *pd_software_event_name(uint64_t id);
/** Cache, operation ("load") and result of an event of type hw-cache: see pd_attr_cache(). */
const char *pd_cache_name(uint64_t cache);
const char *pd_cache_op_name(uint64_t op);
const char *pd_cache_result_name(uint64_t result);

PD_DECLS_END

#endif
