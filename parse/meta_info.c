#include "parse/meta_info.h"

#include <string.h>

#include <pdconv/cursor.h>
#include <pdconv/feature.h>

static const char prefix[] = PD_TAG_PREFIX;
enum { PREFIX_LEN = sizeof(prefix) - 1 };

bool parse_meta_info_is_simpleperf(const uint8_t *bytes, size_t size)
{
	return size < PREFIX_LEN || memcmp(bytes, prefix, PREFIX_LEN) != 0;
}

bool parse_meta_info_next(
	const struct pd_file *file, size_t *at, const char **key_ret, const char **value_ret)
{
	const struct pd_view info = pd_file_feature_bytes(file, PD_FEATURE_SIMPLEPERF_META_INFO);
	struct pd_cursor c = pd_view_cursor(&info);
	size_t len;

	if (!pd_cursor_bytes(&c, *at) || !pd_cursor_left(&c))
		return false;
	const char *key = pd_cursor_str(&c, &len);
	const char *value = pd_cursor_str(&c, &len);
	if (!value)
		return false;
	*at = (size_t)(c.pos - info.data);
	*key_ret = key;
	*value_ret = value;
	return true;
}

bool parse_meta_info_next_tag(
	const struct pd_file *file, size_t *at, const char **key_ret, const char **value_ret)
{
	while (parse_meta_info_next(file, at, key_ret, value_ret)) {
		if (strncmp(*key_ret, prefix, PREFIX_LEN) != 0)
			continue;
		*key_ret += PREFIX_LEN;
		return true;
	}
	return false;
}
