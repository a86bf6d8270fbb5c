#include "symbolize/kernel/kernel_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/system/base_machine.h"
#include "symbolize/binary_files.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/kernel/packed.h"
#include "symbolize/symbols/symtab.h"
#include "symbolize/file/text_file.h"

/* The offset of a kernel is a multiple of the page size. */
static const uint64_t PAGE_MASK = 4096 - 1;

/* Address of _text and _stext in x86-64 kernels without address randomization. */
static const uint64_t UNRANDOMIZED_TEXT = 0xffffffff81000000;

static bool has_ref_symbol(const struct sym_kernel_identity *identity)
{
	return identity->ref_symbol && *identity->ref_symbol && identity->ref_addr;
}

static bool has_release(const struct sym_kernel_identity *identity)
{
	return identity->release && *identity->release;
}

/* Compare @p id with the recorded build id. Returns false, after recording why, if they differ. */
static bool check_build_id(
	struct sym_kernel *kernel, const struct pd_build_id *id, const char *path)
{
	const struct pd_build_id *recorded = &kernel->identity->build_id;
	char have[PD_BUILD_ID_HEX_MAX], want[PD_BUILD_ID_HEX_MAX];

	if (id->len && pd_build_id_equal(recorded, id))
		return true;
	sym_kernel_refuse(kernel, SYM_KERNEL_OTHER, "%s has %s%s, recorded was %s", path,
		id->len ? "build id " : "no build id", pd_build_id_hex(id, have),
		pd_build_id_hex(recorded, want));
	return false;
}

/* Find the release after "Linux version " in the image. Returns NULL if there is none. */
static const char *find_banner(const struct sym_image *image, size_t *len_ret)
{
	static const char mark[] = "Linux version ";
	struct sym_section rodata;

	if (!sym_image_section(image, ".rodata", &rodata))
		return NULL;
	const char *end = (const char *)rodata.data + rodata.size;
	const char *banner = memmem(rodata.data, rodata.size, mark, strlen(mark));
	if (!banner)
		return NULL;
	banner += strlen(mark);
	const char *space = memchr(banner, ' ', (size_t)(end - banner));
	*len_ret = space ? (size_t)(space - banner) : 0;
	return space ? banner : NULL;
}

/*
 * Compare the release, if no build id was recorded, as far as it is known. Returns false, after
 * recording why, if the kernel is or may be another one.
 */
static bool check_release(struct sym_kernel *kernel, const struct sym_image *image,
	const char *path, enum sym_kernel_origin way)
{
	const struct sym_kernel_identity *identity = kernel->identity;
	size_t len = 0;
	const char *banner = find_banner(image, &len);

	if (has_release(identity) && banner) {
		if (strlen(identity->release) == len && !memcmp(banner, identity->release, len))
			return true;
		sym_kernel_refuse(kernel, SYM_KERNEL_OTHER, "%s is Linux %.*s, recorded was %s",
			path, len < 64 ? (int)len : 64, banner, identity->release);
		return false;
	}
	if (way == SYM_KERNEL_GIVEN)
		return true;
	sym_kernel_refuse(kernel, SYM_KERNEL_OTHER,
		"%s may be of any kernel: give it as the vmlinux if it is this one", path);
	return false;
}

static bool is_named(
	const struct sym_image *image, const GElf_Shdr *shdr, size_t name, const char *want)
{
	const char *have = elf_strptr(image->elf, shdr->sh_link, name);

	return have && strcmp(have, want) == 0;
}

static Elf_Scn *find_symtab(const struct sym_image *image, GElf_Shdr *ret)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(image->elf, scn))) {
		if (gelf_getshdr(scn, ret) && ret->sh_type == SHT_SYMTAB)
			return scn;
	}
	return NULL;
}

/* Find the value of the symbol @p name. Returns false if the image has none. */
static bool find_symbol(const struct sym_image *image, const char *name, uint64_t *ret)
{
	GElf_Shdr shdr;
	GElf_Sym sym;
	Elf_Scn *scn = find_symtab(image, &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t size = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t n = data && size ? data->d_size / size : 0;

	for (size_t i = 1; i < n && i < INT32_MAX; i++) {
		if (!gelf_getsym(data, (int)i, &sym) || !is_named(image, &shdr, sym.st_name, name))
			continue;
		*ret = sym.st_value;
		return true;
	}
	return false;
}

/*
 * Find the offset of the kernel. Returns false, after recording why, if it is not known or not
 * possible.
 */
static bool find_offset(struct sym_kernel *kernel, const struct sym_image *image, const char *path)
{
	const struct sym_kernel_identity *identity = kernel->identity;
	uint64_t value;

	if (!has_ref_symbol(identity)) {
		sym_kernel_refuse(kernel, SYM_KERNEL_HIDDEN,
			"the recording has no address of its kernel (kptr_restrict hid it)");
		return false;
	}
	if (!find_symbol(image, identity->ref_symbol, &value)) {
		sym_kernel_refuse(kernel, SYM_KERNEL_OTHER, "%s has no symbol %s", path,
			identity->ref_symbol);
		return false;
	}
	/*
	 * Address randomization moves the kernel by whole pages. Any other distance means another
	 * kernel.
	 */
	kernel->vmlinux_offset = identity->ref_addr - value;
	if (!(kernel->vmlinux_offset & PAGE_MASK))
		return true;
	sym_kernel_refuse(kernel, SYM_KERNEL_OTHER, "%s has %s at %llx, recorded was %llx", path,
		identity->ref_symbol, (unsigned long long)value,
		(unsigned long long)identity->ref_addr);
	return false;
}

static bool is_vmlinux(struct sym_kernel *kernel, const struct sym_image *image, const char *path,
	enum sym_kernel_origin way)
{
	const struct sym_kernel_identity *identity = kernel->identity;

	if (identity->build_id.len ? !check_build_id(kernel, &image->build_id, path)
				   : !check_release(kernel, image, path, way))
		return false;
	return find_offset(kernel, image, path);
}

struct pd_error *sym_kernel_try_vmlinux(
	struct sym_kernel *kernel, const char *path, enum sym_kernel_origin way)
{
	struct sym_failure failure;
	struct sym_image *image;
	struct pd_error *err =
		sym_image_open(path, sym_search_access(kernel->search), &image, &failure);

	if (err)
		return err;
	if (!image) {
		if (way == SYM_KERNEL_GIVEN || failure.status == SYM_UNREADABLE)
			sym_kernel_refuse(kernel, SYM_KERNEL_NO_FILE, "%s: %s", path, failure.text);
		return NULL;
	}
	if (!is_vmlinux(kernel, image, path, way)) {
		sym_image_destroy(image);
		return NULL;
	}
	return sym_binary_adopt(kernel->search, path, image, &kernel->vmlinux);
}

/*
 * Compare the address of the reference symbol. A kallsyms file has the addresses of the boot in
 * which it was written. One of another boot of the same build has the same distances, except in
 * modules.
 */
static bool check_reference(struct sym_kernel *kernel, const struct sym_kallsyms *kallsyms,
	const char *path, enum sym_kernel_origin way)
{
	const struct sym_kernel_identity *identity = kernel->identity;
	uint64_t addr = sym_kallsyms_ref_addr(kallsyms);

	kernel->kallsyms_offset = 0;
	if (!has_ref_symbol(identity) || identity->ref_addr == addr)
		return true;
	kernel->kallsyms_offset = identity->ref_addr - addr;
	/* KASLR is known to be the only difference only if the file was found by build id. */
	if (addr && way == SYM_KERNEL_BY_ID && !(kernel->kallsyms_offset & PAGE_MASK))
		return true;
	if (addr)
		sym_kernel_refuse(kernel, SYM_KERNEL_OTHER, "%s has %s at %llx, recorded was %llx",
			path, identity->ref_symbol, (unsigned long long)addr,
			(unsigned long long)identity->ref_addr);
	else
		sym_kernel_refuse(kernel, SYM_KERNEL_OTHER, "%s has no symbol %s", path,
			identity->ref_symbol);
	return false;
}

/* Whether the running kernel has the recorded release. */
static bool is_running_release(const struct sym_kernel_identity *identity)
{
	struct utsname running;

	return has_release(identity) && base_machine_here(&running) &&
	       strcmp(running.release, identity->release) == 0;
}

/* Whether the file is that of the running kernel, and the recording is of another release. */
static bool is_of_other_release(struct sym_kernel *kernel, const char *path)
{
	const struct sym_kernel_identity *identity = kernel->identity;

	if (strcmp(path, "/proc/kallsyms") != 0 || !has_release(identity) ||
		is_running_release(identity))
		return false;
	sym_kernel_refuse(kernel, SYM_KERNEL_OTHER,
		"%s is that of this machine's kernel, which is another kernel than the recorded %s",
		path, identity->release);
	return true;
}

/*
 * Whether the file must belong to the kernel. It does if it was found by build id, or if its
 * reference symbol is at a random address that matches.
 */
static bool is_identified(struct sym_kernel *kernel, const char *path, enum sym_kernel_origin way)
{
	const struct sym_kernel_identity *identity = kernel->identity;

	if (is_of_other_release(kernel, path))
		return false;
	if (way != SYM_KERNEL_BY_PATH ||
		(has_ref_symbol(identity) && identity->ref_addr != UNRANDOMIZED_TEXT))
		return true;
	sym_kernel_refuse(kernel, SYM_KERNEL_OTHER,
		"%s may be of any kernel: pass it as the kallsyms if it is this one", path);
	return false;
}

static bool is_kallsyms(struct sym_kernel *kernel, const struct sym_kallsyms *kallsyms,
	const char *path, enum sym_kernel_origin way)
{
	if (sym_kallsyms_has_addresses(kallsyms))
		return is_identified(kernel, path, way) &&
		       check_reference(kernel, kallsyms, path, way);
	sym_kernel_refuse(
		kernel, SYM_KERNEL_HIDDEN, "%s shows no addresses; kptr_restrict hides them", path);
	return false;
}

/*
 * Use @p text (from malloc()), which was read from @p path, if it belongs to the kernel. Takes
 * ownership of it.
 */
static struct pd_error *use_kallsyms(
	struct sym_kernel *kernel, char *text, const char *path, enum sym_kernel_origin way)
{
	struct sym_kallsyms *kallsyms;
	struct pd_error *err = sym_kallsyms_create(text, kernel->identity->ref_symbol, &kallsyms);

	if (err)
		return err;
	if (!is_kallsyms(kernel, kallsyms, path, way)) {
		sym_kallsyms_destroy(kallsyms);
		return NULL;
	}
	kernel->kallsyms = kallsyms;
	kernel->kallsyms_path = strdup(path);
	return kernel->kallsyms_path ? NULL : &pd_enomem;
}

struct pd_error *sym_kernel_try_kallsyms(
	struct sym_kernel *kernel, const char *path, enum sym_kernel_origin way)
{
	struct sym_failure failure;
	_cleanup_free_ char *text = NULL;
	size_t len;
	struct pd_error *err =
		sym_text_file_read(path, sym_search_access(kernel->search), &text, &len, &failure);

	if (err)
		return err;
	if (len)
		return use_kallsyms(kernel, take_ptr(text), path, way);
	if (way == SYM_KERNEL_GIVEN || text)
		sym_kernel_refuse(kernel, SYM_KERNEL_NO_FILE, "%s: %s", path,
			text ? "is empty" : failure.text);
	return NULL;
}

struct pd_error *sym_kernel_try_archive(struct sym_kernel *kernel, struct sym_archive *archive)
{
	const struct pd_build_id *id = &kernel->identity->build_id;
	const struct sym_member *member =
		id->len ? sym_archive_find(archive, id, "kallsyms", 0) : NULL;
	_cleanup_free_ uint8_t *bytes = NULL;
	struct sym_failure failure;
	size_t size = 0;
	struct pd_error *err =
		member ? sym_packed_read_member(archive, member, &bytes, &size, &failure) : NULL;

	if (err || !size)
		return err;
	char *text = realloc(bytes, size + 1);
	if (!text)
		return &pd_enomem;
	bytes = NULL;
	text[size] = '\0';
	return use_kallsyms(kernel, text, member->path, SYM_KERNEL_BY_ID);
}

/* Read the build id in the notes of the running kernel. Its len is 0 if they cannot be read. */
static struct pd_error *running_build_id(struct sym_access access, struct pd_build_id *ret)
{
	_cleanup_free_ char *notes = NULL;
	struct sym_failure failure;
	size_t len;
	struct pd_error *err =
		sym_text_file_read("/sys/kernel/notes", access, &notes, &len, &failure);

	*ret = (struct pd_build_id){ 0 };
	if (err)
		return err;
	if (notes)
		sym_build_id_of_notes((const uint8_t *)notes, len, false, ret);
	return NULL;
}

/*
 * Whether the running kernel may be the recorded one if no build id was recorded. The address of
 * the reference symbol is compared later, but without randomization it is that of many kernels.
 */
static bool may_be_running(struct sym_kernel *kernel)
{
	const struct sym_kernel_identity *identity = kernel->identity;

	if (!identity->ref_addr) {
		sym_kernel_refuse(kernel, SYM_KERNEL_OTHER,
			"the recording does not say which kernel it is of");
		return false;
	}
	if (has_release(identity) && !is_running_release(identity)) {
		sym_kernel_refuse(kernel, SYM_KERNEL_OTHER,
			"the recorded kernel is %s, which does not run on this machine: copy its "
			"kallsyms or vmlinux from the recorded machine",
			identity->release);
		return false;
	}
	if (identity->ref_addr != UNRANDOMIZED_TEXT || has_release(identity))
		return true;
	sym_kernel_refuse(kernel, SYM_KERNEL_OTHER,
		"the recording has no build id of its kernel, and its address is that of many "
		"kernels: pass /proc/kallsyms as the kallsyms if it is this one");
	return false;
}

struct pd_error *sym_kernel_is_running(struct sym_kernel *kernel, bool *ret)
{
	struct pd_build_id running;

	*ret = false;
	if (!kernel->identity->build_id.len) {
		*ret = may_be_running(kernel);
		return NULL;
	}
	struct pd_error *err = running_build_id(sym_search_access(kernel->search), &running);
	if (err)
		return err;
	*ret = check_build_id(kernel, &running, "the running kernel");
	return NULL;
}
