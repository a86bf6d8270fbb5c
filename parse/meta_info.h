/**
 * @file META_INFO, pairs of texts: simpleperf's feature, in which recordings of pdconv have their tags.
 *
 * The keys of tags begin with "tag.", and a META_INFO that begins with one is none of simpleperf's.
 */
#ifndef PD_PARSE_META_INFO_H
#define PD_PARSE_META_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/file.h>

#define PD_TAG_PREFIX "tag."

/** A META_INFO of @p size bytes is of simpleperf. */
bool pd_meta_info_is_simpleperf(const uint8_t *bytes, size_t size);

/** The pair at byte @p at, which is 0 at first, of the file's; false behind the last. Borrowed from it. */
bool pd_meta_info_next(
	const struct pd_file *file, size_t *at, const char **key_ret, const char **value_ret);

/** The same of tags alone, with keys as they were given. */
bool pd_meta_info_next_tag(
	const struct pd_file *file, size_t *at, const char **key_ret, const char **value_ret);

#endif
