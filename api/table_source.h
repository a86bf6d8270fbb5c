/**
 * @file Tables of binaries for a recorder that unwinds by BPF (capture/bpf/unwinding.h).
 */
#ifndef PD_API_TABLE_SOURCE_H
#define PD_API_TABLE_SOURCE_H

#include "capture/bpf/unwinding.h"
#include "symbolize/find/file_search.h"

/** Source that finds binaries of running processes by @p search, which is borrowed. */
struct cap_table_source pd_table_source(struct sym_search *search);

#endif
