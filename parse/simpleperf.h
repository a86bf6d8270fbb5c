/**
 * @file Extensions of Android's simpleperf: features from bit 128 on, record types from 32768 on,
 * split records, and event names in META_INFO.
 */
#ifndef PD_PARSE_SIMPLEPERF_H
#define PD_PARSE_SIMPLEPERF_H

#include <pdconv/error.h>
#include <pdconv/feature.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

/** First record type whose header has a size of 32 bits instead of a misc. */
enum { PD_SIMPLEPERF_FIRST_RECORD = 32768 };

/**
 * Whether a TRACING_DATA record (perf's type) of @p record_size bytes has its @p data_size bytes of
 * data within it: u32 size, data, padding. simpleperf up to Android 9 wrote such records, and later
 * versions use a separate type. A TRACING_DATA record of perf has 12 or 16 bytes, and the data
 * follow it.
 */
bool parse_simpleperf_has_inner_tracing_data(uint32_t record_size, uint32_t data_size);

/** Value of @p key in META_INFO, borrowed from the file; NULL if absent. */
const char *parse_simpleperf_info(const struct pd_file *file, const char *key);

/** Name the events by META_INFO. Errors: NOMEM. */
struct pd_error *parse_simpleperf_name_events(struct pd_file *file) pd_must_check;

/** Add the ids of an EVENT_ID record. Errors: NOMEM. */
struct pd_error *parse_simpleperf_add_ids(
	struct pd_file *file, const struct pd_record *rec) pd_must_check;

#endif
