#include "pgo/pgo_image.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/format.h"

/* Bytes of the name of the binary in that of an image, at most. */
enum { NAME_BYTES = 100 };

static bool is_kernel_module(const struct prof_binary *binary)
{
	return binary->is_kernel && !binary->ref_symbol.i;
}

static bool has_file(const struct prof_binary *binary)
{
	if (binary->is_generated || !binary->has_image || !binary->is_found ||
		binary->is_mismatched)
		return false;
	/* Symbols in kallsyms are found without a file. */
	return !binary->is_kernel || (binary->has_lines && binary->load_addr);
}

/* Return a name of plain characters only, allocated; NULL: no memory. */
static char *plain_name(const struct profile *profile, struct prof_binary_id id)
{
	bool is_vmlinux =
		prof_binary(profile, id)->is_kernel && !is_kernel_module(prof_binary(profile, id));
	char *name = strndup(is_vmlinux ? "vmlinux" : prof_binary_base(profile, id), NAME_BYTES);

	for (char *at = name; at && *at; at++) {
		if (!isalnum((unsigned char)*at) && !strchr("._+-", *at))
			*at = '_';
	}
	/* A file that begins with a dot is hidden, and one with a dash is an option. */
	if (name && (*name == '.' || *name == '-'))
		*name = '_';
	return name;
}

struct pd_error *pgo_image_find(const struct profile *profile, struct prof_binary_id id,
	struct base_intern *names, uint32_t *ret)
{
	const struct prof_binary *binary = prof_binary(profile, id);
	char hex[PD_BUILD_ID_HEX_MAX];

	*ret = PROF_NONE;
	if (!has_file(binary))
		return NULL;
	_cleanup_free_ char *plain = plain_name(profile, id);
	if (!plain)
		return &pd_enomem;
	pd_build_id_hex(&binary->build_id, hex);
	/* Without build ids, binaries of one name may differ. */
	_cleanup_free_ char *name = hex[0] ? base_format("%s.%s", plain, hex)
					   : base_format("%s.no-id-%" PRIu32, plain, id.i + 1);
	*ret = name ? base_intern_str(names, name) : PD_INTERN_NONE;
	return *ret == PD_INTERN_NONE ? &pd_enomem : NULL;
}

uint64_t pgo_image_addr(const struct prof_binary *binary, uint64_t addr)
{
	if (!binary->is_kernel)
		return addr;
	return addr - (is_kernel_module(binary) ? binary->load_addr : binary->vmlinux_offset);
}
