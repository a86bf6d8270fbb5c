/**
 * @file Positions of the fields in plain samples, which consist of fields of 8 bytes and, at their
 * end, a call chain. All others have to be decoded.
 */
#ifndef PD_RESOLVE_PLAIN_LAYOUT_H
#define PD_RESOLVE_PLAIN_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/events.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>

/** Offsets in a record are in bytes, and 0 if the field is absent. */
struct resolve_plain_layout {
	/** Samples of the event consist of such fields. */
	bool is_plain;
	uint16_t ip_at;
	/** Process id; the thread id follows. */
	uint16_t tid_at;
	uint16_t period_at;
	uint16_t cpu_at;
	/** Number of entries of the call chain, which follow. */
	uint16_t chain_at;
	/** Size of a sample, without the entries of its call chain. */
	uint16_t size;
	/** Period of samples that do not contain one. */
	uint64_t fixed_period;
};

/** Fields of a sample. */
struct resolve_plain_fields {
	uint64_t ip;
	uint32_t pid;
	uint32_t tid;
	uint64_t period;
	/** UINT32_MAX if the sample does not contain it. */
	uint32_t cpu;
	/** Entries of the call chain, not byteswapped; n is 0 without one. */
	const uint8_t *chain;
	uint64_t n;
};

struct resolve_plain_layout resolve_plain_layout_of(const struct pd_event *event);

/**
 * Read the fields of @p rec. Returns false if its size differs from that of its fields, or a later
 * record has the rest of its call chain.
 */
bool resolve_plain_read(const struct resolve_plain_layout *layout, const struct pd_record *rec,
	struct resolve_plain_fields *ret);

#endif
