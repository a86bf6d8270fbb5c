/*
 * Whether a build id that was recorded with a path is that of the mapped file. See
 * base/id_source.h.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "base/format.h"
#include "symbolize/find/finder.h"

/* Largest page: the loader maps whole pages. */
enum { MAX_PAGE = 65536 };

/* Whether the image at the recorded path has the recorded build id. */
static bool has_recorded_id(struct sym_finder *finder)
{
	const struct sym_access access = { .deps = finder->search->deps };
	struct sym_failure failure = { 0 };
	struct sym_image *image;

	finder->err = sym_image_open(finder->recorded.name, access, &image, &failure);
	if (finder->err || !image)
		return false;
	bool is_equal = pd_build_id_equal(&finder->id, &image->build_id);
	sym_image_destroy(image);
	return is_equal;
}

/*
 * Look at the file that is at the recorded path now. If it was there when the recording ended, and
 * has the recorded id, the recorder took the id from it. ret->ino is 0 otherwise.
 */
static void find_source(struct sym_finder *finder, struct stat *ret)
{
	const struct sym_search *search = finder->search;
	const struct sym_access access = { .deps = search->deps };

	*ret = (struct stat){ 0 };
	if (!search->is_here || search->no_own_paths || !search->ended_at ||
		!finder->recorded.ino || finder->recorded.name[0] != '/')
		return;
	struct stat st;
	if (sym_stat_regular(finder->recorded.name, access, &st) &&
		st.st_ctime <= search->ended_at && has_recorded_id(finder))
		*ret = st;
}

bool sym_finder_is_id_refuted(struct sym_finder *finder, char **why_ret)
{
	const struct sym_recorded *recorded = &finder->recorded;
	struct stat source;

	if (!finder->id.len || recorded->id_source == PD_ID_OF_MAPPING)
		return false;
	find_source(finder, &source);
	if (finder->err)
		return false;
	if (source.st_ino && source.st_ino == recorded->ino) {
		finder->recorded.id_source = PD_ID_OF_MAPPING;
		return false;
	}
	if (source.st_ino) {
		*why_ret = pd_format("was another file: inode %llu, recorded was %llu",
			(unsigned long long)source.st_ino, (unsigned long long)recorded->ino);
		return true;
	}
	if (recorded->id_source != PD_ID_OF_TWIN)
		return false;
	*why_ret = pd_format("was several files, and the recording has the build id of only one");
	return true;
}

/* Bytes of a file that the loader maps for a segment of code. */
struct span {
	uint64_t start;
	uint64_t end;
	/** End if the loader maps the whole binary first, and other segments over it. */
	uint64_t whole_end;
};

/*
 * Get the span of code segment @p i, unless the file has none of that number. Rounding to @p page
 * cannot overflow in files that the loader takes.
 */
static bool get_span(const struct sym_image *image, size_t i, uint64_t page, struct span *ret)
{
	GElf_Phdr phdr;
	uint64_t top = 0;
	size_t n;

	if (!gelf_getphdr(image->elf, (int)i, &phdr) || phdr.p_type != PT_LOAD ||
		!(phdr.p_flags & PF_X) || elf_getphdrnum(image->elf, &n))
		return false;
	uint64_t vaddr = phdr.p_vaddr, offset = phdr.p_offset, size = phdr.p_filesz;
	bool is_first = vaddr == image->first_vaddr;
	for (size_t k = 0; k < n && is_first; k++) {
		if (gelf_getphdr(image->elf, (int)k, &phdr) && phdr.p_type == PT_LOAD &&
			phdr.p_vaddr + phdr.p_memsz > top)
			top = phdr.p_vaddr + phdr.p_memsz;
	}
	ret->start = offset & ~(page - 1);
	ret->end = (offset + size + page - 1) & ~(page - 1);
	ret->whole_end = ret->end;
	if (is_first && top > vaddr)
		ret->whole_end = (offset + (top - vaddr) + page - 1) & ~(page - 1);
	return true;
}

static bool is_known(const struct sym_finder *finder, const struct sym_image *image, size_t *n_ret)
{
	return finder->recorded.ino && finder->recorded.is_code && finder->recorded.size &&
	       elf_getphdrnum(image->elf, n_ret) == 0 && *n_ret;
}

bool sym_finder_fits(const struct sym_finder *finder, const struct sym_image *image)
{
	uint64_t start = finder->recorded.offset, end = start + finder->recorded.size;
	bool has_code = false, has_start = false, has_end = false;
	struct span span;
	size_t n;

	/* Program headers of debug files do not describe the binary. */
	if (finder->wants_debug || !is_known(finder, image, &n))
		return true;
	/* One mapping may have several segments that are next to each other. */
	for (size_t i = 0; i < n; i++) {
		if (!get_span(image, i, MAX_PAGE, &span))
			continue;
		has_code = true;
		has_start |= start >= span.start && start < span.end;
		has_end |= end > span.start && end <= span.whole_end;
	}
	/* Some loaders map the whole file as code. */
	return !has_code || start == 0 || (has_start && has_end);
}

bool sym_finder_fits_exactly(const struct sym_finder *finder, const struct sym_image *image)
{
	uint64_t start = finder->recorded.offset, end = start + finder->recorded.size;
	struct span span;
	size_t n;

	if (!is_known(finder, image, &n))
		return false;
	for (uint64_t page = 4096; page <= MAX_PAGE; page *= 2) {
		for (size_t i = 0; i < n; i++) {
			if (get_span(image, i, page, &span) && start == span.start &&
				(end == span.end || end == span.whole_end))
				return true;
		}
	}
	return false;
}
