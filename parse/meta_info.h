/**
 * @file META_INFO, pairs of strings: a feature of simpleperf, which pdconv uses for tags of
 * recordings.
 *
 * Keys of tags begin with "tag.". A META_INFO whose first key is that of a tag was not written by
 * simpleperf.
 */
#ifndef PD_PARSE_META_INFO_H
#define PD_PARSE_META_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/file.h>

#define PD_TAG_PREFIX "tag."

/** Whether the META_INFO of @p size bytes at @p bytes was written by simpleperf. */
bool parse_meta_info_is_simpleperf(const uint8_t *bytes, size_t size);

/**
 * Get the pair at offset @p at, initially 0, and move @p at to the next one. False at the end.
 * Borrowed.
 */
bool parse_meta_info_next(
	const struct pd_file *file, size_t *at, const char **key_ret, const char **value_ret);

/** Like parse_meta_info_next(), but only return tags, with keys without the prefix "tag.". */
bool parse_meta_info_next_tag(
	const struct pd_file *file, size_t *at, const char **key_ret, const char **value_ret);

#endif
