#include "symbolize/kernel/proc_copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "symbolize/file/image_segments.h"
#include "symbolize/file/path.h"
#include "symbolize/file/text_file.h"

typedef PD_VEC(struct sym_loaded_module) modules_vec;

/* Next field of a line, terminated by a NUL, or NULL at the end. */
static char *next_field(char **p)
{
	char *field = *p + strspn(*p, " \t");

	if (!*field)
		return NULL;
	*p = field + strcspn(field, " \t");
	if (**p)
		*(*p)++ = '\0';
	return field;
}

static bool parse_line(char *line, const char **name_ret, struct sym_loaded_module *ret)
{
	enum { NAME, SIZE, USERS, DEPENDENCIES, STATE, ADDRESS, N_FIELDS };
	char *fields[N_FIELDS];

	for (size_t i = 0; i < N_FIELDS; i++) {
		fields[i] = next_field(&line);
		if (!fields[i])
			return false;
	}
	if (strncmp(fields[ADDRESS], "0x", 2) != 0)
		return false;
	*name_ret = fields[NAME];
	ret->size = strtoull(fields[SIZE], NULL, 10);
	sym_text_hex(fields[ADDRESS] + 2, &ret->start);
	return ret->start && ret->size;
}

static bool parse(char *text, modules_vec *modules)
{
	const char *name;
	char *line;

	while ((line = sym_text_line(&text))) {
		struct sym_loaded_module module;

		if (!parse_line(line, &name, &module))
			continue;
		module.name = base_format("[%s]", name);
		if (!module.name || !pd_vec_push(modules, module)) {
			free(module.name);
			return false;
		}
	}
	return true;
}

struct pd_error *sym_modules_file_read(
	const char *path, struct sym_access access, struct sym_loaded_modules *ret)
{
	_cleanup_free_ char *text = NULL;
	modules_vec modules = { 0 };
	struct sym_failure failure;
	size_t len;
	struct pd_error *err = sym_text_file_read(path, access, &text, &len, &failure);

	*ret = (struct sym_loaded_modules){ 0 };
	if (err)
		return err;
	if (!text)
		return pd_error_create(PD_ERROR_OS, path, "%s", failure.text);
	/*
	 * Without the right to see them, the kernel writes 0 for all addresses, and such lines are
	 * left out.
	 */
	bool ok = parse(text, &modules);
	*ret = (struct sym_loaded_modules){ modules.data, modules.n };
	if (ok && modules.n)
		return NULL;
	sym_loaded_modules_deinit(ret);
	if (!ok)
		return &pd_enomem;
	return pd_error_create(PD_ERROR_FORMAT, path,
		"has no addresses of modules: it is not a copy of /proc/modules, or one in which "
		"the kernel hid them (kptr_restrict)");
}

void sym_loaded_modules_deinit(struct sym_loaded_modules *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		free(modules->list[i].name);
	free(modules->list);
	*modules = (struct sym_loaded_modules){ 0 };
}

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

	return base_arch_of_elf(ehdr->e_machine, ehdr->e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8,
		ehdr->e_ident[EI_DATA] == ELFDATA2MSB);
}

const uint8_t *sym_kcore_code(
	const struct sym_kcore *kcore, uint64_t addr, size_t size, size_t *n_ret)
{
	return sym_image_code(kcore->image, addr, size, n_ret);
}
