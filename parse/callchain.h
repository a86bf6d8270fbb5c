/**
 * @file The links of a sample's call chain as the kernel, the processor (LBR) or a
 * CALLCHAIN_DEFERRED record gave them, without the context markers between them.
 */
#ifndef PD_PARSE_CALLCHAIN_H
#define PD_PARSE_CALLCHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/vec.h>

/** Address space of a link. */
enum parse_callchain_context {
	PD_CALLCHAIN_NONE,
	PD_CALLCHAIN_KERNEL,
	PD_CALLCHAIN_USER,
	PD_CALLCHAIN_HYPERVISOR,
	PD_CALLCHAIN_GUEST,
	PD_CALLCHAIN_GUEST_KERNEL,
	PD_CALLCHAIN_GUEST_USER,
	PD_N_CALLCHAIN_CONTEXTS,
};

/**
 * Name for all code of @p context, e.g. "[hypervisor]", if recordings have no mappings of that
 * context; NULL if they have. Static storage.
 */
const char *parse_callchain_context_name(enum parse_callchain_context context);

/** Context that belongs to @p cpumode of a record header: PD_MISC_KERNEL and so on. */
enum parse_callchain_context parse_callchain_context_of(uint16_t cpumode);

/** Context of the entries after the context marker @p marker. Unknown markers leave it as it is. */
enum parse_callchain_context parse_callchain_context_after(
	enum parse_callchain_context before, uint64_t marker);

struct parse_callchain_link {
	/**
	 * Address of the executed instruction or a return address, in the address space of the
	 * context.
	 */
	uint64_t pc;
	/** An enum parse_callchain_context. */
	uint8_t context;
	/** @ref pc is a return address: symbolize the instruction before it. */
	bool is_return;
};

/** Zero before first use. Arrays are reused from sample to sample. */
struct parse_callchain {
	/** Links of all contexts except for the user's, leaf first. */
	PD_VEC(struct parse_callchain_link) system;
	/**
	 * User links, leaf first. They come after all others, whatever the order of the markers
	 * was.
	 */
	PD_VEC(struct parse_callchain_link) user;
	/** Cookie of the CALLCHAIN_DEFERRED record that has the user links, if @ref is_deferred. */
	uint64_t cookie;
	bool is_deferred;
};

void parse_callchain_deinit(struct parse_callchain *chain);

/**
 * Replace the links in @p chain by those of @p sample->callchain, which may be empty. Errors:
 * NOMEM.
 */
struct pd_error *parse_callchain_read(struct parse_callchain *chain, const struct pd_sample *sample,
	uint16_t cpumode) pd_must_check;

/** Entries of a call chain as a sample has them, context markers included, in host byte order. */
struct parse_callchain_entries {
	PD_VEC(uint64_t) list;
};

/** Sections of a call chain: entries of the user's context, and all others. */
enum { PD_CALLCHAIN_PART_SYSTEM = 1, PD_CALLCHAIN_PART_USER = 2 };

/**
 * Append the entries of @p sample->callchain that belong to @p parts, a mask of
 * PD_CALLCHAIN_PART_*, unchanged and with the markers that precede them. Errors: NOMEM.
 */
struct pd_error *parse_callchain_entries_add(struct parse_callchain_entries *entries,
	const struct pd_sample *sample, uint16_t cpumode, unsigned parts) pd_must_check;

/** Whether a later CALLCHAIN_DEFERRED record has the user links of @p sample, and its cookie. */
bool parse_callchain_is_deferred(const struct pd_sample *sample, uint64_t *cookie_ret);

/** Append @p ips of a CALLCHAIN_DEFERRED record to the user links. Errors: NOMEM. */
struct pd_error *parse_callchain_add_deferred(
	struct parse_callchain *chain, const struct pd_view *ips) pd_must_check;

/**
 * Replace the user links by the calls in the branch stack of @p sample, newest call first, which is
 * what PERF_SAMPLE_BRANCH_CALL_STACK records (perf_event_open(2)). Errors: NOMEM.
 */
struct pd_error *parse_callchain_use_branches(struct parse_callchain *chain,
	const struct pd_sample *sample, uint16_t cpumode) pd_must_check;

#endif
