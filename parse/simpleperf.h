/**
 * @file What Android's simpleperf does in its own way: features from bit 128 on, record types from
 * 32768 on, records in pieces, event names in META_INFO.
 */
#ifndef PD_PARSE_SIMPLEPERF_H
#define PD_PARSE_SIMPLEPERF_H

#include <pdconv/error.h>
#include <pdconv/feature.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

/** Record types from this one on have a header that holds a size of 32 bits, and no misc. */
enum { PD_SIMPLEPERF_FIRST_RECORD = 32768 };

/** The value of @p key in META_INFO, borrowed from the file; NULL if there is none. */
const char *pd_simpleperf_info(const struct pd_file *file, const char *key);

/** Name the events as META_INFO does. Errors: no memory. */
struct pd_error *pd_simpleperf_name_events(struct pd_file *file) pd_must_check;

/** Add the ids of an EVENT_ID record. Errors: no memory. */
struct pd_error *pd_simpleperf_add_ids(
	struct pd_file *file, const struct pd_record *rec) pd_must_check;

#endif
