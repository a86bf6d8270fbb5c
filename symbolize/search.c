#include "symbolize/search.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <zlib.h>

#include "base/cleanup.h"

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
	for (size_t i = 0; i < sizeof(NO_IMAGES) / sizeof(NO_IMAGES[0]); i++) {
		size_t len = strlen(NO_IMAGES[i]);

		if (len && NO_IMAGES[i][len - 1] == '*' ? strncmp(name, NO_IMAGES[i], len - 1) == 0
							: strcmp(name, NO_IMAGES[i]) == 0)
			return true;
	}
	return false;
}

void sym_hunt_deinit(struct sym_hunt *hunt)
{
	sym_image_destroy(hunt->found);
	free(hunt->why);
	pd_error_destroy(hunt->err);
	*hunt = (struct sym_hunt){ 0 };
}

/* How much a failure tells; the first of the best kind is remembered. */
static int weight(enum sym_status status)
{
	static const int weights[] = {
		[SYM_WRONG_BUILD_ID] = 3,
		[SYM_NOT_ELF] = 2,
		[SYM_UNREADABLE] = 1,
	};
	return (size_t)status < sizeof(weights) / sizeof(weights[0]) ? weights[status] : 0;
}

static void pd_printf(3, 4)
	note_failure(struct sym_hunt *hunt, enum sym_status status, const char *fmt, ...)
{
	va_list ap;

	if (weight(status) <= weight(hunt->status))
		return;
	free(hunt->why);
	va_start(ap, fmt);
	if (vasprintf(&hunt->why, fmt, ap) < 0)
		hunt->why = NULL;
	va_end(ap);
	hunt->status = status;
}

static bool has_crc(struct sym_image *image, uint32_t want)
{
	size_t size;
	const char *bytes = elf_rawfile(image->elf, &size);

	return bytes && crc32_z(0, (const Bytef *)bytes, size) == want;
}

static bool is_wanted(struct sym_hunt *hunt, struct sym_image *image, const char *path)
{
	char have[PD_BUILD_ID_HEX_MAX], want[PD_BUILD_ID_HEX_MAX];

	if (hunt->wants_dwarf && !sym_image_has_dwarf(image) && !sym_image_scn(image, ".symtab"))
		return false;
	if (hunt->id.len && image->build_id.len) {
		if (pd_build_id_equal(&hunt->id, &image->build_id))
			return true;
		note_failure(hunt, SYM_WRONG_BUILD_ID, "%s has build id %s, recorded was %s", path,
			pd_build_id_hex(&image->build_id, have), pd_build_id_hex(&hunt->id, want));
		return false;
	}
	if (hunt->has_crc) {
		if (has_crc(image, hunt->crc))
			return true;
		note_failure(hunt, SYM_WRONG_BUILD_ID, "%s has another checksum", path);
		return false;
	}
	if (!hunt->id.len)
		return true;
	note_failure(hunt, SYM_WRONG_BUILD_ID, "%s has no build id, recorded was %s", path,
		pd_build_id_hex(&hunt->id, want));
	return false;
}

bool sym_hunt_try(struct sym_hunt *hunt, const char *path)
{
	struct sym_trouble trouble = { 0 };
	struct sym_image *image;

	if (hunt->found || hunt->err)
		return true;
	if (!*path)
		return false;
	hunt->err = sym_image_open(path, &image, &trouble);
	if (hunt->err)
		return true;
	if (!image) {
		note_failure(hunt, trouble.status, "%s: %s", path, trouble.text);
		return false;
	}
	if (is_wanted(hunt, image, path))
		hunt->found = image;
	else
		sym_image_destroy(image);
	return hunt->found != NULL;
}

static bool try_cache(struct sym_hunt *hunt, const char *file)
{
	const char *home = getenv("HOME");
	struct sym_path root, path;
	char id[PD_BUILD_ID_HEX_MAX + 1];

	if (!hunt->id.len)
		return false;
	if (hunt->search->buildid_dir)
		sym_path_format(&root, "%s", hunt->search->buildid_dir);
	else if (home && *home)
		sym_path_format(&root, "%s/.debug", home);
	else
		return false;
	sym_path_of_id(&hunt->id, id);
	return sym_hunt_try(hunt, sym_path_format(&path, "%s/.build-id/%s%s", root.text, id, file));
}

/* A name that reaches into these would find what belongs to this machine, or to pdconv itself. */
static bool is_of_this_machine(const char *name)
{
	return strncmp(name, "/proc/", 6) == 0 || strncmp(name, "/sys/", 5) == 0;
}

static bool try_dirs(struct sym_hunt *hunt)
{
	struct sym_path dir, path;
	char id[PD_BUILD_ID_HEX_MAX + 1];
	size_t pos = 0;

	sym_path_of_id(&hunt->id, id);
	while (sym_path_next(hunt->search->debug_dirs, &pos, &dir)) {
		const char *d = dir.text;

		if (hunt->id.len &&
			(sym_hunt_try(hunt, sym_path_format(&path, "%s/.build-id/%s", d, id)) ||
				sym_hunt_try(hunt,
					sym_path_format(&path, "%s/.build-id/%s/elf", d, id))))
			return true;
		if (sym_hunt_try(hunt, sym_path_format(&path, "%s/%s", d, hunt->name)) ||
			sym_hunt_try(hunt,
				sym_path_format(&path, "%s/%s", d, sym_path_base(hunt->name))))
			return true;
	}
	return false;
}

/* The kernel maps its vdso into every process, this one too. It is used if it is the same. */
static void try_own_vdso(struct sym_hunt *hunt)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): that is how the kernel hands it over. */
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	struct sym_trouble trouble;
	GElf_Ehdr e;

	if (!vdso || !hunt->id.len || sizeof(void *) != 8)
		return;
	memcpy(&e, vdso, sizeof(e));
	/* The kernel links it with the section headers last, and maps all of it. */
	size_t size = e.e_shoff + (size_t)e.e_shnum * e.e_shentsize;
	if (e.e_ident[EI_CLASS] != ELFCLASS64 || !e.e_shoff || size > 64 * 1024)
		return;
	void *copy = malloc(size);
	if (!copy) {
		hunt->err = &pd_enomem;
		return;
	}
	memcpy(copy, vdso, size);
	struct sym_image *image;
	hunt->err = sym_image_open_memory(copy, size, &image, &trouble);
	if (hunt->err || !image)
		return;
	if (is_wanted(hunt, image, "this machine's vdso"))
		hunt->found = image;
	else
		sym_image_destroy(image);
}

/* A name in brackets is the kernel's, not a path. */
static void hunt_bracketed(struct sym_hunt *hunt)
{
	struct sym_path path;
	bool is_vdso = strncmp(hunt->name, "[vdso", 5) == 0;

	if (try_cache(hunt, is_vdso ? "/vdso" : "/elf") || try_cache(hunt, ""))
		return;
	if (hunt->search->symfs && sym_hunt_try(hunt, sym_path_format(&path, "%s/%s",
							      hunt->search->symfs, hunt->name)))
		return;
	if (is_vdso && !try_dirs(hunt))
		try_own_vdso(hunt);
}

void sym_hunt_binary(struct sym_hunt *hunt)
{
	struct sym_path path;

	if (hunt->name[0] == '[') {
		hunt_bracketed(hunt);
		return;
	}
	if (try_cache(hunt, "/elf") || try_cache(hunt, "") || sym_is_no_image(hunt->name))
		return;
	if (hunt->search->symfs) {
		if (sym_hunt_try(
			    hunt, sym_path_format(&path, "%s/%s", hunt->search->symfs, hunt->name)))
			return;
	} else if (!is_of_this_machine(hunt->name) && sym_hunt_try(hunt, hunt->name)) {
		return;
	}
	try_dirs(hunt);
}
