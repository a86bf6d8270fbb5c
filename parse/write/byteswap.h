/**
 * @file Turning what is in a recording to the other byte order.
 *
 * Nothing changes its size or place: numbers are turned where they are, each by the table that
 * decodes it (parse/layout.h, parse/sample_defs.h, parse/attr_defs.h), and all other bytes stay. So
 * turning twice gives the same bytes again, padding and unknown fields included. What does not
 * decode is turned as far as it does.
 *
 * These stay as they were written, as all readers expect: text, raw data of samples, stacks, AUX
 * data, BPF type information and the arrays of BPF_PROG_INFO, tracing data (which says its own
 * order), and what follows AUXTRACE and TRACING_DATA records.
 */
#ifndef PD_PARSE_TURN_H
#define PD_PARSE_TURN_H

#include <pdconv/events.h>

enum pd_byteswapped {
	/** Every field. */
	PD_BYTESWAPPED_ALL,
	/** It does not decode to the end: the fields before, and the trailer. */
	PD_BYTESWAPPED_PARTLY,
	/** Of a type that is not known, or a sample of no event: the header. */
	PD_BYTESWAPPED_HEADER,
};

/**
 * Turn @p rec of the recording of @p events, which tell its byte order and what its samples hold;
 * @p ret is as large as @p rec, and elsewhere. What follows the record is not touched.
 */
enum pd_byteswapped pd_byteswap_record(const struct pd_events *events,
	const struct pd_layout_env *env, const struct pd_record *rec, uint8_t *ret);

/**
 * The same of @p body, the section of feature @p bit. Unknown features stay as they are: HEADER.
 */
enum pd_byteswapped pd_byteswap_feature(const struct pd_events *events,
	const struct pd_layout_env *env, unsigned bit, const struct pd_view *body, uint8_t *ret);

#endif
