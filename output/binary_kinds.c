#include "output/binary_kinds.h"

#include <string.h>

#include "base/text.h"

enum out_binary_kind out_binary_kind(
	const struct profile *profile, const struct prof_binary *binary)
{
	const char *base = pd_base_name(prof_string(profile, binary->name));

	if (binary->is_generated)
		return OUT_BINARY_GENERATED;
	if (binary->is_kernel)
		return OUT_BINARY_KERNEL;
	if (strstr(base, ".so"))
		return OUT_BINARY_LIBRARY;
	return binary->has_image ? OUT_BINARY_PROGRAM : OUT_BINARY_OTHER;
}
