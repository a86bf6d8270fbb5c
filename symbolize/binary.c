#include "symbolize/binary.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/deleted.h"
#include "base/format.h"
#include "symbolize/binary_files.h"
#include "symbolize/dwarf/dwarf.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/file/image_segments.h"
#include "symbolize/file/trouble.h"
#include "symbolize/fill_ranges.h"
#include "symbolize/find/finder.h"
#include "symbolize/symbols/symbol_visit.h"

static const struct sym_search nowhere;

/* Whether the search ended with a file that is the recorded one. */
static bool is_last_taken(const struct sym_attempts *attempts)
{
	return attempts->list.n && attempts->list.data[attempts->list.n - 1].status == SYM_FOUND;
}

static struct pd_error *find_main(struct sym_binary *binary, const struct sym_recorded *recorded)
{
	struct sym_finder finder = {
		.search = binary->search,
		.recorded = *recorded,
		.id = recorded->id,
		.status = SYM_NO_FILE,
		.attempts = &binary->attempts,
	};

	finder.recorded.name = binary->name;
	sym_finder_binary(&finder);
	binary->main = take_ptr(finder.found);
	binary->status = binary->main			 ? SYM_FOUND
			 : sym_is_no_image(binary->name) ? SYM_NO_IMAGE
							 : finder.status;
	/*
	 * A file of another build is used only after all candidates were refused, so the last
	 * attempt was successful only if the recorded file was found.
	 */
	binary->is_mismatched = binary->main && !is_last_taken(&binary->attempts);
	binary->is_id_refuted = finder.refuted.len;
	binary->why = take_ptr(finder.why);
	struct pd_error *err = take_ptr(finder.err);
	sym_finder_deinit(&finder);
	return err;
}

static struct pd_error *find_debug(struct sym_binary *binary, bool is_remote)
{
	struct sym_finder finder = {
		.search = binary->search,
		.recorded = { .name = binary->name, .pid = binary->pid },
		.attempts = &binary->attempts,
		.is_local = !is_remote,
		.is_remote = is_remote,
	};

	if (!binary->main || binary->separate)
		return NULL;
	/* A binary with DWARF needs no separate file, even if it has a debug link. */
	if (sym_image_has_dwarf(binary->main)) {
		binary->dwarf = binary->main;
		return NULL;
	}
	sym_finder_debug(&finder, binary->main);
	binary->separate = take_ptr(finder.found);
	if (binary->separate && sym_image_has_dwarf(binary->separate))
		binary->dwarf = binary->separate;
	struct pd_error *err = take_ptr(finder.err);
	sym_finder_deinit(&finder);
	return err;
}

static bool explain(struct sym_binary *binary)
{
	if (binary->status == SYM_FOUND || binary->why)
		return true;
	binary->why = base_format(binary->status == SYM_NO_IMAGE ? "%s is not the name of a file"
								 : "%s: no such file found",
		binary->name);
	return binary->why;
}

static struct pd_error *find_files(struct sym_binary *binary, const struct sym_recorded *recorded)
{
	if (!binary->name)
		return &pd_enomem;
	struct pd_error *err = find_main(binary, recorded);
	if (err)
		return err;
	err = find_debug(binary, false);
	if (err)
		return err;
	return explain(binary) ? NULL : &pd_enomem;
}

struct pd_error *sym_binary_open(const struct sym_search *search,
	const struct sym_recorded *recorded, struct sym_binary **ret)
{
	PD_LIMIT_SCOPE();
	struct sym_binary *binary = calloc(1, sizeof(*binary));

	if (!binary)
		return &pd_enomem;
	binary->search = search ? search : &nowhere;
	/* A newer file may have the path of a deleted one. */
	binary->name = strndup(recorded->name, base_undeleted_len(recorded->name));
	binary->pid = recorded->pid;
	struct pd_error *err = find_files(binary, recorded);
	if (err) {
		sym_binary_destroy(binary);
		return err;
	}
	sym_binary_note_limits(binary);
	*ret = binary;
	return NULL;
}

struct pd_error *sym_binary_adopt(const struct sym_search *search, const char *path,
	struct sym_image *image, struct sym_binary **ret)
{
	struct sym_binary *binary = calloc(1, sizeof(*binary));
	char *name = strdup(path);

	if (!binary || !name) {
		free(binary);
		free(name);
		sym_image_destroy(image);
		return &pd_enomem;
	}
	/* Reading DWARF may search for further files, and relies on binary->search. */
	binary->search = search ? search : &nowhere;
	binary->name = name;
	binary->status = SYM_FOUND;
	binary->main = image;
	binary->dwarf = sym_image_has_dwarf(image) ? image : NULL;
	*ret = binary;
	return NULL;
}

struct pd_error *sym_binary_fetch_debug(struct sym_binary *binary)
{
	if (binary->has_fetched || !binary->search->debuginfod)
		return NULL;
	binary->has_fetched = true;
	return find_debug(binary, true);
}

struct pd_error *sym_binary_supplement(const struct sym_binary *binary, struct sym_supplement *ret)
{
	struct sym_image *image = NULL;

	*ret = (struct sym_supplement){ 0 };
	struct pd_error *err = binary->dwarf ? sym_dwarf_supplement(binary->dwarf, binary->search,
						       binary->name, &image)
					     : NULL;
	if (err || !image)
		return err;
	*ret = (struct sym_supplement){
		.path = image->path ? strdup(image->path) : NULL,
		.id = image->build_id,
		.is_of_separate = binary->dwarf == binary->separate,
	};
	sym_image_destroy(image);
	return ret->path ? NULL : &pd_enomem;
}

void sym_binary_destroy(struct sym_binary *binary)
{
	if (!binary)
		return;
	sym_symtab_deinit(&binary->symtab);
	sym_symtab_deinit(&binary->data);
	sym_go_table_deinit(&binary->go);
	sym_ranges_deinit(&binary->ranges);
	sym_image_destroy(binary->separate);
	sym_image_destroy(binary->main);
	sym_attempts_deinit(&binary->attempts);
	free(binary->why);
	free(binary->name);
	free(binary);
}

void sym_binary_drop(const struct sym_binary *binary)
{
	sym_image_drop(binary->main);
	sym_image_drop(binary->separate);
}

struct pd_error *sym_binary_check(const struct sym_binary *binary)
{
	struct pd_error *err = sym_image_check(binary->main);

	return err ? err : sym_image_check(binary->separate);
}

void sym_binary_add_limits(const struct sym_binary *binary, const struct base_limit_set *set)
{
	const char *path = sym_binary_path(binary);

	sym_trouble_add_limits(binary->search->trouble, path ? path : binary->name, set);
}

void sym_binary_note_limits(const struct sym_binary *binary)
{
	struct base_limit_set set = base_limit_reached();

	sym_binary_add_limits(binary, &set);
}

enum sym_status sym_binary_status(const struct sym_binary *binary)
{
	return binary->status;
}

const char *sym_binary_path(const struct sym_binary *binary)
{
	if (!binary->main)
		return NULL;
	return binary->main->path ? binary->main->path : binary->name;
}

const char *sym_binary_debug_path(const struct sym_binary *binary)
{
	return binary->dwarf ? binary->dwarf->path : NULL;
}

bool sym_binary_is_debug_only(const struct sym_binary *binary)
{
	return binary->main && sym_image_lacks_code(binary->main);
}

bool sym_binary_is_mismatched(const struct sym_binary *binary)
{
	return binary->is_mismatched;
}

bool sym_binary_is_id_refuted(const struct sym_binary *binary)
{
	return binary->is_id_refuted;
}

const struct sym_attempt *sym_binary_attempts(const struct sym_binary *binary, size_t *n_ret)
{
	*n_ret = binary->attempts.list.n;
	return binary->attempts.list.data;
}

const char *sym_binary_why(const struct sym_binary *binary)
{
	return binary->why;
}

const struct pd_build_id *sym_binary_build_id(const struct sym_binary *binary)
{
	static const struct pd_build_id none;

	return binary->main ? &binary->main->build_id : &none;
}

const struct pd_arch *sym_binary_arch(const struct sym_binary *binary)
{
	if (!binary->main)
		return NULL;
	const GElf_Ehdr *ehdr = &binary->main->ehdr;
	return base_arch_of_elf(ehdr->e_machine, ehdr->e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8,
		ehdr->e_ident[EI_DATA] == ELFDATA2MSB);
}

uint64_t sym_binary_entry(const struct sym_binary *binary)
{
	if (!binary->main)
		return 0;
	struct sym_section descriptors = sym_image_descriptors(binary->main);
	return sym_image_code_address(binary->main, &descriptors, binary->main->ehdr.e_entry);
}

bool sym_binary_section(struct sym_binary *binary, const char *name, struct sym_section *ret)
{
	if (binary->main && sym_image_section(binary->main, name, ret))
		return true;
	if (!binary->separate || strcmp(name, ".debug_frame"))
		return false;
	return sym_image_section(binary->separate, name, ret);
}

bool sym_binary_text(const struct sym_binary *binary, struct sym_section *ret)
{
	*ret = (struct sym_section){ 0 };
	return binary->main && sym_image_text(binary->main, ret);
}

void sym_binary_visit_functions(
	const struct sym_binary *binary, sym_visit_function *visit, void *ctx)
{
	if (binary->main)
		sym_visit_functions(binary->main, binary->separate, visit, ctx);
}

static struct sym_segment segment_of(const GElf_Phdr *phdr)
{
	return (struct sym_segment){
		.vaddr = phdr->p_vaddr,
		.mem_size = phdr->p_memsz,
		.offset = phdr->p_offset,
		.file_size = phdr->p_filesz,
		.is_executable = phdr->p_flags & PF_X,
	};
}

/* Whether the @p size bytes from @p offset of the file on have one of the segment. */
static bool has_bytes_of(const GElf_Phdr *phdr, uint64_t offset, uint64_t size)
{
	if (phdr->p_type != PT_LOAD)
		return false;
	return offset < phdr->p_offset ? phdr->p_offset - offset < size && phdr->p_filesz
				       : offset - phdr->p_offset < phdr->p_filesz;
}

/* Whether @p phdr is a better segment for a mapping of code than @p than. */
static bool is_better(const GElf_Phdr *phdr, const struct sym_segment *than)
{
	bool is_executable = phdr->p_flags & PF_X;

	if (is_executable != than->is_executable)
		return is_executable;
	return phdr->p_offset < than->offset;
}

bool sym_binary_segment(
	const struct sym_binary *binary, uint64_t offset, uint64_t size, struct sym_segment *ret)
{
	bool is_found = false;
	size_t n = 0;
	GElf_Phdr phdr;

	if (!binary->main || elf_getphdrnum(binary->main->elf, &n))
		return false;
	if (sym_image_lacks_code(binary->main)) {
		is_found = sym_image_mapped_phdr(binary->main, offset, size, &phdr);
		if (is_found)
			*ret = segment_of(&phdr);
		return is_found;
	}
	for (size_t i = 0; i < n; i++) {
		if (!sym_image_phdr(binary->main, i, &phdr) || !has_bytes_of(&phdr, offset, size) ||
			(is_found && !is_better(&phdr, ret)))
			continue;
		*ret = segment_of(&phdr);
		is_found = true;
	}
	return is_found;
}

bool sym_binary_data_segment(
	const struct sym_binary *binary, uint64_t offset, struct sym_segment *ret)
{
	/* The kernel maps a page as a whole, so its start may belong to the segment before. */
	const uint64_t page_mask = 4096 - 1;
	bool is_found = false;
	size_t n = 0;
	GElf_Phdr phdr;

	if (!binary->main || elf_getphdrnum(binary->main->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!sym_image_phdr(binary->main, i, &phdr) || phdr.p_type != PT_LOAD ||
			offset < (phdr.p_offset & ~page_mask) ||
			offset >= phdr.p_offset + phdr.p_filesz ||
			(is_found && phdr.p_offset <= ret->offset))
			continue;
		*ret = segment_of(&phdr);
		is_found = true;
	}
	return is_found;
}

bool sym_binary_is_zeroed(const struct sym_binary *binary, uint64_t vaddr)
{
	size_t n = 0;
	GElf_Phdr phdr;

	if (!binary->main || elf_getphdrnum(binary->main->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (sym_image_phdr(binary->main, i, &phdr) && phdr.p_type == PT_LOAD &&
			vaddr >= phdr.p_vaddr + phdr.p_filesz &&
			vaddr - phdr.p_vaddr < phdr.p_memsz)
			return true;
	}
	return false;
}

/*
 * How well the segment fits @p vaddr: 0 not at all, 1 if only a page has both. No page is larger
 * than the segment's alignment. Executable segments fit better, because addresses that are looked
 * up are those of code.
 */
static int fit(const GElf_Phdr *phdr, uint64_t vaddr)
{
	uint64_t align = phdr->p_align & (phdr->p_align - 1) ? 0 : phdr->p_align;
	uint64_t slack = align ? align - 1 : 0;
	uint64_t start = phdr->p_vaddr & ~slack;
	uint64_t end = (phdr->p_vaddr + phdr->p_memsz + slack) & ~slack;
	bool is_within = vaddr >= phdr->p_vaddr && vaddr - phdr->p_vaddr < phdr->p_memsz;

	if (phdr->p_type != PT_LOAD || vaddr < start || vaddr >= end)
		return 0;
	return 1 + (phdr->p_flags & PF_X ? 1 : 0) + (is_within ? 2 : 0);
}

bool sym_binary_offset(const struct sym_binary *binary, uint64_t vaddr, uint64_t *ret)
{
	size_t n = 0;
	GElf_Phdr phdr;
	int best = 0;

	if (!binary->main || elf_getphdrnum(binary->main->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		int quality = sym_image_phdr(binary->main, i, &phdr) ? fit(&phdr, vaddr) : 0;

		if (!quality || quality < best)
			continue;
		*ret = vaddr - phdr.p_vaddr + phdr.p_offset;
		best = quality;
	}
	return best > 0;
}

struct pd_error *sym_binary_read_symbols(struct sym_binary *binary)
{
	if (binary->has_symtab)
		return NULL;
	struct pd_error *err = sym_symtab_init(&binary->symtab, binary->main, binary->separate);
	if (err)
		return err;
	binary->has_symtab = true;
	return NULL;
}

struct pd_error *sym_binary_read_go(struct sym_binary *binary)
{
	if (binary->has_go || !binary->main)
		return NULL;
	struct pd_error *err = sym_go_table_open(binary->main, &binary->go);
	if (err)
		return err;
	binary->has_go = true;
	return NULL;
}

struct pd_error *sym_binary_go_functions(struct sym_binary *binary, const struct base_pclntab **ret)
{
	struct pd_error *err = sym_binary_read_go(binary);

	*ret = !err && binary->go.functions.n_funcs ? &binary->go.functions : NULL;
	return err;
}

struct pd_error *sym_binary_code_extent(
	struct sym_binary *binary, uint64_t vaddr, struct sym_code_extent *ret)
{
	struct sym_symbol symbol = { 0 };
	struct pd_error *err = binary->main ? sym_find_symbol(binary, vaddr, &symbol) : NULL;

	*ret = (struct sym_code_extent){ symbol.start, symbol.end };
	return err;
}

const uint8_t *sym_binary_code(
	struct sym_binary *binary, uint64_t vaddr, size_t size, size_t *n_ret)
{
	*n_ret = 0;
	return binary->main ? sym_image_code(binary->main, vaddr, size, n_ret) : NULL;
}

void sym_binary_visit_mapping_symbols(
	const struct sym_binary *binary, sym_visit_mapping_symbol *visit, void *ctx)
{
	if (binary->main)
		sym_visit_mapping_symbols(binary->main, binary->separate, visit, ctx);
}
