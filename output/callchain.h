/**
 * @file The links of one sample's call chain, as they were recorded: by the kernel, by the processor
 * (LBR), or later (deferred); with what stands between them, the context markers, taken out.
 */
#ifndef PD_OUTPUT_CALLCHAIN_H
#define PD_OUTPUT_CALLCHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/vec.h>

/** Whose address space a link is in. */
enum out_context {
	OUT_CONTEXT_NONE,
	OUT_CONTEXT_KERNEL,
	OUT_CONTEXT_USER,
	OUT_CONTEXT_HYPERVISOR,
	OUT_CONTEXT_GUEST,
	OUT_CONTEXT_GUEST_KERNEL,
	OUT_CONTEXT_GUEST_USER,
	OUT_N_CONTEXTS,
};

/**
 * What stands for the code of a context of which a recording holds no mappings, "[hypervisor]"; NULL
 * for those of which it does. Static storage.
 */
const char *out_context_name(enum out_context context);

/** Of a header misc's cpumode, PD_MISC_KERNEL and so on. */
enum out_context out_context_of(uint16_t cpumode);

struct out_link {
	/** In the context's address space; where execution was, or a return address. */
	uint64_t pc;
	uint8_t context;
	/** Look up the instruction before it. */
	bool is_return;
};

/** Zero it before first use; reused. */
struct out_links {
	/** Leaf first. The user part comes after all others, whatever is in between. */
	PD_VEC(struct out_link) system;
	PD_VEC(struct out_link) user;
	/** Of the CALLCHAIN_DEFERRED that has the rest. */
	uint64_t cookie;
	bool is_deferred;
};

void out_links_deinit(struct out_links *links);

/** What is in @p sample->callchain, if there is something. Errors: no memory. */
struct pd_error *out_links_read(struct out_links *links, const struct pd_sample *sample,
	uint16_t cpumode, bool swap) pd_must_check;

/** The entries of a call chain as CALLCHAIN has them, in this machine's order. */
struct out_entries {
	PD_VEC(uint64_t) list;
};

/** Parts of a call chain: what is of a user's context, and what is not. */
enum { OUT_PART_SYSTEM = 1, OUT_PART_USER = 2 };

/**
 * Append those of @p sample->callchain that are of @p parts, with the markers in front of them, as
 * they are. Errors: no memory.
 */
struct pd_error *out_entries_add(struct out_entries *entries, const struct pd_sample *sample,
	uint16_t cpumode, bool swap, unsigned parts) pd_must_check;

/** The cookie of a sample whose user part is still to come; false if that is not so. */
bool out_links_wait(const struct pd_sample *sample, bool swap, uint64_t *cookie_ret);

/** Append @p ips, the user part that came later. Errors: no memory. */
struct pd_error *out_links_add_deferred(
	struct out_links *links, const struct pd_view *ips, bool swap) pd_must_check;

/**
 * Put the calls that the processor kept in its branch records in place of the user part.
 * perf_event_open(2): PERF_SAMPLE_BRANCH_CALL_STACK; the newest call first. Errors: no memory.
 */
struct pd_error *out_links_use_branches(struct out_links *links, const struct pd_sample *sample,
	uint16_t cpumode, bool swap) pd_must_check;

#endif
