#include "index/index.h"

#include <link.h>
#include <stddef.h>
#include <xxhash.h>

#include "symbolize/file/image.h"

struct objects {
	uint64_t hash;
	size_t n;
	bool has_program_id;
};

static bool find_build_id(const struct dl_phdr_info *info, struct pd_build_id *ret)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];

		/* NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses. */
		if (phdr->p_type == PT_NOTE &&
			sym_build_id_of_notes((const uint8_t *)(info->dlpi_addr + phdr->p_vaddr),
				phdr->p_memsz, false, ret))
			return true;
	}
	return false;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct objects *objects = ctx;
	struct pd_build_id id = { 0 };
	bool has_id = find_build_id(info, &id);

	(void)size;
	/* The program itself comes first. */
	if (!objects->n++)
		objects->has_program_id = has_id;
	objects->hash = XXH3_64bits_withSeed(id.bytes, sizeof(id.bytes), objects->hash);
	return 0;
}

bool index_program_id(uint64_t *ret)
{
	struct objects objects = { 0 };

	dl_iterate_phdr(add_object, &objects);
	*ret = objects.hash;
	return objects.has_program_id;
}
