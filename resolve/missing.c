#include "resolve/missing.h"

#include "base/cleanup.h"
#include "symbolize/binary_names.h"

static struct pd_error *note_missing(struct profile *profile, const struct resolve_binary *binary)
{
	struct prof_binary *entry = &profile->binaries.data[binary->profile_id.i];
	_cleanup_free_ char *text = NULL;

	if (!entry->is_found || entry->is_kernel || binary->jit)
		return NULL;
	struct pd_error *err = sym_ranges_missing(sym_binary_ranges(binary->symbols), &text);
	if (err || !text)
		return err;
	entry->why = prof_add_string(profile, text);
	return prof_is_none(entry->why) ? &pd_enomem : NULL;
}

struct pd_error *resolve_note_missing(struct profile *profile, struct resolve_binaries *binaries)
{
	for (size_t i = 0; i < resolve_binaries_n(binaries); i++) {
		const struct resolve_binary *binary = resolve_binaries_get(binaries, i);

		if (prof_is_none(binary->profile_id))
			continue;
		struct pd_error *err = note_missing(profile, binary);
		if (err)
			return err;
	}
	return NULL;
}
