/* Where binaries may be: the places of symbolize/find/search_path_defs.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/array.h"
#include "symbolize/find/finder.h"

/* Mappings without a file. Names that end in '*' are prefixes. */
static const char *const NO_IMAGES[] = {
	"",
	"//*",
	"[anon*",
	"[heap]",
	"[stack*",
	"[vsyscall]",
	"[vvar*",
	"[uprobes]",
	"[vectors]",
	"[sigpage]",
	"/anon_hugepage*",
	"/dev/zero*",
	"/SYSV*",
	"/memfd:*",
	"anon_inode:*",
	"[unknown]",
};

bool sym_is_no_image(const char *name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(NO_IMAGES); i++) {
		size_t len = strlen(NO_IMAGES[i]);

		if (len && NO_IMAGES[i][len - 1] == '*' ? strncmp(name, NO_IMAGES[i], len - 1) == 0
							: strcmp(name, NO_IMAGES[i]) == 0)
			return true;
	}
	return false;
}

/* A name in brackets is the kernel's, not a path. */
static bool is_bracketed(const struct sym_hunt *hunt)
{
	return hunt->recorded.name[0] == '[';
}

static bool is_vdso(const struct sym_hunt *hunt)
{
	return strncmp(hunt->recorded.name, "[vdso", 5) == 0;
}

static bool has_path(const struct sym_hunt *hunt)
{
	return !is_bracketed(hunt) && !sym_is_no_image(hunt->recorded.name);
}

bool sym_binary_in_symfs(struct sym_hunt *hunt)
{
	const char *symfs = hunt->search->symfs;
	struct sym_path path;

	if (!symfs || (!has_path(hunt) && !is_bracketed(hunt)))
		return false;
	return sym_hunt_try(hunt, sym_path_below(&path, symfs, hunt->recorded.name));
}

/* What follows the directory @p from in @p name; NULL if it is not below it. */
static const char *below(const char *name, const char *from)
{
	size_t len = strlen(from);

	while (len && from[len - 1] == '/')
		len--;
	return strncmp(name, from, len) == 0 && name[len] == '/' ? name + len : NULL;
}

bool sym_binary_in_path_map(struct sym_hunt *hunt)
{
	struct sym_path path;

	for (size_t i = 0; i < hunt->search->n_path_maps && has_path(hunt); i++) {
		const struct sym_path_map *map = &hunt->search->path_maps[i];
		const char *rest = below(hunt->recorded.name, map->from);

		if (rest && sym_hunt_try(hunt, sym_path_below(&path, map->to, rest)))
			return true;
	}
	return false;
}

static bool try_dir(struct sym_hunt *hunt, const char *dir)
{
	const char *name = hunt->recorded.name;
	char id[PD_BUILD_ID_HEX_MAX + 1];
	struct sym_path path;

	sym_path_of_id(&hunt->id, id);
	if (hunt->id.len &&
		(sym_hunt_try(hunt, sym_path_format(&path, "%s/.build-id/%s", dir, id)) ||
			sym_hunt_try(hunt, sym_path_format(&path, "%s/.build-id/%s/elf", dir, id))))
		return true;
	if (!has_path(hunt) && !is_vdso(hunt))
		return false;
	return sym_hunt_try(hunt, sym_path_below(&path, dir, name)) ||
	       sym_hunt_try(hunt, sym_path_below(&path, dir, sym_path_base(name)));
}

bool sym_binary_in_symbol_dir(struct sym_hunt *hunt)
{
	struct sym_path dir;
	size_t pos = 0;

	while (sym_path_next(hunt->search->debug_dirs, &pos, &dir)) {
		if (try_dir(hunt, dir.text))
			return true;
	}
	return false;
}

bool sym_binary_in_cache(struct sym_hunt *hunt)
{
	struct sym_path root, path;
	char id[PD_BUILD_ID_HEX_MAX + 1];

	if (!hunt->id.len || !*sym_cache_root(hunt->search, &root))
		return false;
	sym_path_of_id(&hunt->id, id);
	/* Of old, the link led straight to the file. */
	return sym_hunt_try(hunt, sym_path_format(&path, "%s/.build-id/%s/%s", root.text, id,
					  is_vdso(hunt) ? "vdso" : "elf")) ||
	       sym_hunt_try(hunt, sym_path_format(&path, "%s/.build-id/%s", root.text, id));
}

/* Try members of the archives with the build id, and of that kind. */
bool sym_hunt_archives(struct sym_hunt *hunt, const char *kind)
{
	const struct sym_search *search = hunt->search;

	for (size_t a = 0; a < search->n_archives && hunt->id.len; a++) {
		const struct sym_member *member;
		size_t i = 0;

		while ((member = sym_archive_find(search->archives[a], &hunt->id, kind, i++))) {
			if (sym_hunt_try_member(hunt, search->archives[a], member))
				return true;
		}
	}
	return false;
}

bool sym_binary_in_archive(struct sym_hunt *hunt)
{
	return sym_hunt_archives(hunt, is_vdso(hunt) ? "vdso" : "elf") ||
	       sym_hunt_archives(hunt, NULL);
}

bool sym_binary_in_system_debug(struct sym_hunt *hunt)
{
	struct sym_path path;
	char id[PD_BUILD_ID_HEX_MAX + 1];

	if (!hunt->id.len)
		return false;
	sym_path_of_id(&hunt->id, id);
	return sym_hunt_try(hunt, sym_path_format(&path, "%s/.build-id/%s", SYM_SYSTEM_DEBUG, id));
}

/* A name that reaches into these would find what belongs to this machine, or to pdconv itself. */
static bool is_of_this_machine(const char *name)
{
	return strncmp(name, "/proc/", 6) == 0 || strncmp(name, "/sys/", 5) == 0;
}

bool sym_binary_in_own_path(struct sym_hunt *hunt)
{
	const char *name = hunt->recorded.name;

	if (hunt->search->symfs || !has_path(hunt) || is_of_this_machine(name))
		return false;
	return sym_hunt_try(hunt, name);
}

/* Of a process in a container, whose paths are not this machine's. */
bool sym_binary_in_proc_root(struct sym_hunt *hunt)
{
	const char *name = hunt->recorded.name;
	struct sym_path path;

	if (hunt->search->symfs || !hunt->search->is_here || !hunt->recorded.pid ||
		name[0] != '/' || !has_path(hunt) || is_of_this_machine(name))
		return false;
	return sym_hunt_try(hunt,
		sym_path_format(&path, "/proc/%u/root%s", (unsigned)hunt->recorded.pid, name));
}

/* The kernel maps its vdso into every process, this one too. It is used if it is the same. */
bool sym_binary_in_vdso(struct sym_hunt *hunt)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): that is how the kernel hands it over. */
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	struct sym_trouble trouble;
	struct sym_image *image;
	GElf_Ehdr e;

	if (!is_vdso(hunt) || !vdso || !hunt->id.len || sizeof(void *) != 8)
		return false;
	memcpy(&e, vdso, sizeof(e));
	/* The kernel links it with the section headers last, and maps all of it. */
	size_t size = e.e_shoff + (size_t)e.e_shnum * e.e_shentsize;
	if (e.e_ident[EI_CLASS] != ELFCLASS64 || !e.e_shoff || size > 64 * 1024)
		return false;
	void *copy = malloc(size);
	if (!copy) {
		hunt->err = &pd_enomem;
		return true;
	}
	memcpy(copy, vdso, size);
	hunt->err = sym_image_open_memory(copy, size, &image, &trouble);
	if (hunt->err || !image)
		return hunt->err != NULL;
	return sym_hunt_try_image(hunt, image, "this machine's vdso");
}

bool sym_binary_in_debuginfod(struct sym_hunt *hunt)
{
	/* Another copy of what is there already would not be any better. */
	return has_path(hunt) && !hunt->wants_debug &&
	       sym_hunt_debuginfod(hunt, SYM_DEBUGINFOD_EXECUTABLE);
}

bool sym_binary_in_debuginfod_cache(struct sym_hunt *hunt)
{
	struct sym_path path;

	return hunt->id.len &&
	       sym_hunt_try(hunt, sym_debuginfod_cached(&hunt->id, "executable", &path));
}
