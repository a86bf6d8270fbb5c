#include "symbolize/kernel/kcore.h"

#include <stdlib.h>

#include "symbolize/file/image_segments.h"
#include "symbolize/file/path.h"

struct sym_kcore {
	struct sym_image *image;
};

struct pd_error *sym_kcore_open(const struct sym_search *search, struct sym_kcore **ret)
{
	struct sym_failure failure;
	struct sym_image *image;
	struct sym_path path;

	*ret = NULL;
	if (!search->kernel_dir)
		return NULL;
	struct pd_error *err =
		sym_image_open(sym_path_format(&path, "%s/kcore", search->kernel_dir),
			sym_search_access(search), &image, &failure);
	if (err || !image)
		return err;
	struct sym_kcore *kcore = calloc(1, sizeof(*kcore));
	if (!kcore) {
		sym_image_destroy(image);
		return &pd_enomem;
	}
	kcore->image = image;
	*ret = kcore;
	return NULL;
}

void sym_kcore_destroy(struct sym_kcore *kcore)
{
	if (!kcore)
		return;
	sym_image_destroy(kcore->image);
	free(kcore);
}

const char *sym_kcore_path(const struct sym_kcore *kcore)
{
	return kcore->image->path;
}

const struct pd_arch *sym_kcore_arch(const struct sym_kcore *kcore)
{
	const GElf_Ehdr *ehdr = &kcore->image->ehdr;

	return pd_arch_of_elf(ehdr->e_machine, ehdr->e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8,
		ehdr->e_ident[EI_DATA] == ELFDATA2MSB);
}

const uint8_t *sym_kcore_code(
	const struct sym_kcore *kcore, uint64_t addr, size_t size, size_t *n_ret)
{
	return sym_image_code(kcore->image, addr, size, n_ret);
}
