#include "batch/shard.h"

#include "base/number.h"
#include "batch/digest.h"

/* Most shards of a list. */
static const uint64_t MAX_SHARDS = 1000000000;

struct pd_error *bat_shard_parse(const char *text, struct bat_shard *ret)
{
	struct bat_shard shard;
	const char *end;

	if (!base_number_parse(text, MAX_SHARDS, &end, &shard.index) || *end != '/' ||
		!base_number_parse(end + 1, MAX_SHARDS, &end, &shard.count) || *end ||
		shard.index >= shard.count)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid shard '%s': expected INDEX/COUNT, with an INDEX from 0 to COUNT - 1",
			text);
	*ret = shard;
	return NULL;
}

bool bat_shard_has(const struct bat_shard *shard, const char *name)
{
	return shard->count < 2 || bat_digest_number(name) % shard->count == shard->index;
}
