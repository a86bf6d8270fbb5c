/**
 * @file Byteswapping of records and features.
 *
 * Integers are byteswapped in place, by the tables that decode them (pdconv/layout.h,
 * pdconv/sample_defs.h, pdconv/attr_defs.h). Sizes, offsets and all other bytes do not change. So
 * byteswapping twice yields the original bytes, including padding and unknown fields. Data that
 * cannot be decoded completely is byteswapped up to the damage.
 *
 * The following is never byteswapped, as all readers expect: text, raw data of samples, stacks, AUX
 * data, BPF type information and the arrays of BPF_PROG_INFO, tracing data (which has its own byte
 * order mark), and payloads that follow AUXTRACE and TRACING_DATA records.
 */
#ifndef PD_PARSE_WRITE_BYTESWAP_H
#define PD_PARSE_WRITE_BYTESWAP_H

#include <pdconv/events.h>

enum parse_byteswapped {
	/** All fields were byteswapped. */
	PD_BYTESWAPPED_ALL,
	/** The fields before the damage, and the trailer, were byteswapped. */
	PD_BYTESWAPPED_PARTLY,
	/** Only the header was byteswapped: the type, or the event of a sample, is unknown. */
	PD_BYTESWAPPED_HEADER,
};

/**
 * Byteswap @p rec to @p ret, which has room for as many bytes and does not overlap it. @p events
 * are those of the recording. A payload that follows the record is not affected.
 */
enum parse_byteswapped parse_byteswap_record(const struct pd_events *events,
	const struct pd_layout_env *env, const struct pd_record *rec, uint8_t *ret);

/**
 * Byteswap @p body, the section of feature @p bit, to @p ret. An unknown feature is copied
 * unchanged, which returns PD_BYTESWAPPED_HEADER.
 */
enum parse_byteswapped parse_byteswap_feature(const struct pd_events *events,
	const struct pd_layout_env *env, unsigned bit, const struct pd_view *body, uint8_t *ret);

#endif
