#include "symbolize/find/finder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "symbolize/file/deps.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/file/local_processes.h"
#include "symbolize/find/binary_paths.h"
#include "symbolize/find/debug_paths.h"

/* Functions that try the candidates of a search path. */
struct search_path {
	sym_binary_candidates_fn *binary;
	sym_debug_candidates_fn *debug;
};

static const struct search_path search_paths[] = {
#define SEARCH_PATH_ROW(id, binary_, debug_, name, text) \
	[SYM_SEARCH_##id] = { sym_binary_in_##binary_, sym_debug_in_##debug_ },
	SYM_SEARCH_PATHS(SEARCH_PATH_ROW)
#undef SEARCH_PATH_ROW
};

void sym_finder_deinit(struct sym_finder *finder)
{
	sym_image_destroy(finder->found);
	sym_image_destroy(finder->other_build);
	free(finder->why);
	pd_error_destroy(finder->err);
	*finder = (struct sym_finder){ 0 };
}

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

/*
 * Whether the recorded build id (see base/id_origin.h) is of another file than the recorded one, as
 * far as the file at the recorded path can show. Sets @p why_ret, owned, if so; it is NULL if
 * memory ran out. If the id is certain, finder->recorded.id_origin says so afterwards.
 */
static bool is_id_refuted(struct sym_finder *finder, char **why_ret)
{
	const struct sym_recorded *recorded = &finder->recorded;
	struct stat source;

	if (!finder->id.len || recorded->id_origin == PD_ID_OF_MAPPING)
		return false;
	find_source(finder, &source);
	if (finder->err)
		return false;
	if (source.st_ino && source.st_ino == recorded->ino) {
		finder->recorded.id_origin = PD_ID_OF_MAPPING;
		return false;
	}
	if (source.st_ino) {
		*why_ret = base_format("was another file: inode %llu, recorded was %llu",
			(unsigned long long)source.st_ino, (unsigned long long)recorded->ino);
		return true;
	}
	if (recorded->id_origin != PD_ID_OF_TWIN)
		return false;
	*why_ret = base_format("was several files, and the recording has the build id of only one");
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

/* Whether the code of @p image can have been mapped as the kernel recorded, with an inode. */
static bool fits(const struct sym_finder *finder, const struct sym_image *image)
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

/* Whether the loader maps the code of @p image exactly as recorded. */
static bool fits_exactly(const struct sym_finder *finder, const struct sym_image *image)
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

/* Importance of a failure for the user. The first failure of the highest importance is reported. */
static int weight(enum sym_status status)
{
	static const int weights[] = {
		[SYM_WRONG_BUILD_ID] = 3,
		[SYM_NOT_ELF] = 2,
		[SYM_UNREADABLE] = 1,
	};
	return (size_t)status < PD_ARRAY_LEN(weights) ? weights[status] : 0;
}

/* Judgement on a candidate. */
struct verdict {
	enum sym_status status;
	/**
	 * Predicate of a sentence about the file, such as "is not an ELF file"; for a file that is
	 * used, how it was identified. Owned; NULL: no memory.
	 */
	char *text;
};

static struct verdict pd_printf(2, 3) decide(enum sym_status status, const char *fmt, ...)
{
	struct verdict verdict = { .status = status };
	va_list ap;

	va_start(ap, fmt);
	verdict.text = base_vformat(fmt, ap);
	va_end(ap);
	return verdict;
}

/* Record the judgement on @p path. Takes ownership of the verdict's text. */
static void note(struct sym_finder *finder, const char *path, struct verdict verdict)
{
	struct sym_attempt attempt = {
		.search_path = finder->search_path,
		.is_debug = finder->wants_debug,
		.status = verdict.status,
		.path = strdup(path),
		.why = verdict.text,
	};

	PD_IS_OWNED(attempt.path, "the list of attempts frees it, or the end of this function");
	if (!attempt.path || !attempt.why)
		finder->err = finder->err ? finder->err : &pd_enomem;
	/* Only a more important reason replaces the first one: candidates are tried best first. */
	if (!finder->wants_debug && weight(verdict.status) > weight(finder->status) &&
		!finder->err) {
		free(finder->why);
		bool is_judged = verdict.status == SYM_WRONG_BUILD_ID;
		finder->why = base_format("%s%s %s", path, is_judged ? "" : ":", verdict.text);
		if (!finder->why)
			finder->err = &pd_enomem;
		finder->status = verdict.status;
	}
	if (!finder->err && finder->attempts) {
		if (pd_vec_push(&finder->attempts->list, attempt))
			return;
		finder->err = &pd_enomem;
	}
	free(attempt.path);
	free(attempt.why);
}

/* A file that is not mapped is read in parts, because libelf would keep it. */
static bool has_crc(const struct sym_image *image, uint32_t want)
{
	static const size_t PART = 1 << 16;
	const Bytef *whole = image->map.bytes ? image->map.bytes : image->memory;
	_cleanup_free_ Bytef *part = whole ? NULL : malloc(PART);
	uLong crc = 0;
	ssize_t n;

	if (whole)
		return crc32_z(0, whole, image->size) == want;
	if (!part || image->fd < 0)
		return false;
	for (uint64_t at = 0; (n = pread(image->fd, part, PART, (off_t)at)) > 0; at += (uint64_t)n)
		crc = crc32_z(crc, part, (size_t)n);
	return !n && crc == want;
}

/* Whether the recorded inode number is comparable with that of a candidate. */
static bool has_comparable_inode(const struct sym_finder *finder)
{
	return finder->search->is_here && finder->recorded.ino &&
	       (finder->search_path == SYM_SEARCH_OWN_PATH ||
		       finder->search_path == SYM_SEARCH_PROC_ROOT ||
		       finder->search_path == SYM_SEARCH_PROC_MAP);
}

/*
 * Judge a candidate when no build id was recorded. Size, inode and time of modification exclude
 * some files that are not the recorded one. The device is not compared, because overlays and
 * subvolumes report another one to stat() than to the recorder.
 */
static struct verdict judge_by_file(const struct sym_finder *finder, const struct sym_image *image)
{
	struct stat st;

	if (image->fd < 0 || fstat(image->fd, &st))
		return decide(SYM_FOUND, "taken by name: no build id was recorded");
	if (!sym_image_lacks_code(image) && (uint64_t)st.st_size <= finder->recorded.offset &&
		finder->recorded.offset)
		return decide(SYM_WRONG_BUILD_ID, "has %llu bytes, but byte %llu was mapped",
			(unsigned long long)st.st_size,
			(unsigned long long)finder->recorded.offset);
	if (has_comparable_inode(finder) && st.st_ino != finder->recorded.ino)
		return decide(SYM_WRONG_BUILD_ID, "is another file: inode %llu, recorded was %llu",
			(unsigned long long)st.st_ino, (unsigned long long)finder->recorded.ino);
	if (!fits(finder, image))
		return decide(SYM_WRONG_BUILD_ID, "lacks the code that was mapped");
	/* An inode that was reused, or a file that was rewritten in place, has the same number. */
	if (has_comparable_inode(finder) && finder->search->ended_at &&
		st.st_mtime > finder->search->ended_at)
		return decide(SYM_WRONG_BUILD_ID, "was changed after the recording");
	/* The process with that id may be another one by now, so the path alone is not enough. */
	if ((finder->search_path == SYM_SEARCH_PROC_ROOT ||
		    finder->search_path == SYM_SEARCH_PROC_MAP) &&
		!has_comparable_inode(finder))
		return decide(SYM_WRONG_BUILD_ID, "neither build id nor inode was recorded");
	return decide(SYM_FOUND, "taken by %s: no build id was recorded",
		has_comparable_inode(finder) ? "inode" : "name");
}

/* Whether the recorded build id was of another file, since the image of that id has other code. */
static bool is_misfit(const struct sym_finder *finder, const struct sym_image *image)
{
	enum base_id_origin source = finder->recorded.id_origin;

	if (finder->wants_debug || source == PD_ID_OF_MAPPING)
		return false;
	return source == PD_ID_OF_PATH ? !fits(finder, image) : !fits_exactly(finder, image);
}

/* Whether the user says that the candidate is the recorded file. */
static bool is_given(const struct sym_finder *finder)
{
	return finder->search_path == SYM_SEARCH_SYMFS ||
	       finder->search_path == SYM_SEARCH_PATH_MAP ||
	       finder->search_path == SYM_SEARCH_SYMBOL_DIR;
}

static struct verdict judge(struct sym_finder *finder, struct sym_image *image)
{
	char have[PD_BUILD_ID_HEX_MAX], want[PD_BUILD_ID_HEX_MAX];

	if (finder->wants_debug && !sym_image_has_dwarf(image) &&
		(finder->wants_dwarf || !sym_image_scn(image, ".symtab")))
		return decide(SYM_NO_FILE, "has no debug information");
	if (!finder->wants_debug && sym_image_lacks_code(image)) {
		finder->has_met_debug = true;
		return decide(SYM_NO_FILE, "is a debug file, not the binary itself");
	}
	if (finder->refuted.len && !is_given(finder) &&
		pd_build_id_equal(&finder->refuted, &image->build_id))
		return decide(SYM_WRONG_BUILD_ID, "is another file of that path");
	pd_build_id_hex(&finder->id, want);
	pd_build_id_hex(&image->build_id, have);
	/*
	 * The build id is decisive if both sides have one. A CRC is compared only without it,
	 * because that requires reading the whole file.
	 */
	if (finder->id.len && image->build_id.len) {
		if (!pd_build_id_equal(&finder->id, &image->build_id))
			return decide(
				SYM_WRONG_BUILD_ID, "has build id %s, recorded was %s", have, want);
		return is_misfit(finder, image)
			       ? decide(SYM_WRONG_BUILD_ID, "lacks the code that was mapped")
			       : decide(SYM_FOUND, "taken by build id");
	}
	if (finder->has_crc)
		return has_crc(image, finder->crc)
			       ? decide(SYM_FOUND, "taken by checksum")
			       : decide(SYM_WRONG_BUILD_ID, "has another checksum");
	if (finder->id.len)
		return decide(SYM_WRONG_BUILD_ID, "has no build id, recorded was %s", want);
	return judge_by_file(finder, image);
}

bool sym_finder_try_image(struct sym_finder *finder, struct sym_image *image, const char *path)
{
	struct verdict verdict = judge(finder, image);

	finder->is_misfit |= verdict.status == SYM_WRONG_BUILD_ID && finder->id.len &&
			     pd_build_id_equal(&finder->id, &image->build_id);
	note(finder, path, verdict);
	if (verdict.status == SYM_FOUND && !finder->err)
		finder->found = image;
	else if (verdict.status == SYM_WRONG_BUILD_ID && finder->search->force_mismatch &&
		 !finder->wants_debug && !finder->other_build)
		finder->other_build = image;
	else
		sym_image_destroy(image);
	return finder->found || finder->err;
}

bool sym_finder_try(struct sym_finder *finder, const char *path)
{
	struct sym_failure failure = { 0 };
	struct sym_image *image;

	if (finder->found || finder->err)
		return true;
	if (!*path || (finder->excluded && strcmp(path, finder->excluded) == 0))
		return false;
	finder->err = sym_image_open(path, sym_search_access(finder->search), &image, &failure);
	if (finder->err)
		return true;
	if (image)
		return sym_finder_try_image(finder, image, path);
	note(finder, path, decide(failure.status, "%s", failure.text));
	return finder->err != NULL;
}

const uint32_t *sym_finder_other_roots(const struct sym_finder *finder, size_t *n_ret)
{
	const struct sym_search *search = finder->search;

	if (search->roots)
		sym_deps_add(search->deps, SYM_DEP_ROOTS, "");
	return sym_process_roots_pids(search->roots, n_ret);
}

bool sym_finder_try_member(struct sym_finder *finder, const struct sym_archive *archive,
	const struct sym_member *member)
{
	struct sym_failure failure = { 0 };
	struct sym_image *image;
	struct sym_path name;

	if (finder->found || finder->err)
		return true;
	/*
	 * The image gets this name as its path, so a binary from an archive is not tried again as
	 * its own debug file.
	 */
	sym_path_format(&name, "%s:%s", sym_archive_path(archive), member->path);
	if (finder->excluded && strcmp(name.text, finder->excluded) == 0)
		return false;
	finder->err = sym_image_open_range(
		sym_archive_fd(archive), member->offset, member->size, name.text, &image, &failure);
	if (finder->err)
		return true;
	if (image)
		return sym_finder_try_image(finder, image, name.text);
	note(finder, name.text, decide(failure.status, "%s", failure.text));
	return finder->err != NULL;
}

bool sym_finder_debuginfod(struct sym_finder *finder, enum sym_debuginfod_kind kind)
{
	struct sym_debuginfod *debuginfod = finder->search->debuginfod;
	const char *why;

	if (!debuginfod || !finder->id.len || finder->found || finder->err)
		return finder->found || finder->err;
	_cleanup_free_ char *path = sym_debuginfod_fetch(
		debuginfod, &finder->id, kind, sym_path_base(finder->recorded.name), &why);
	if (!path) {
		note(finder, finder->recorded.name, decide(SYM_NO_FILE, "%s", why));
		return finder->err != NULL;
	}
	return sym_finder_try(finder, path);
}

static bool try_binary_paths(struct sym_finder *finder)
{
	bool is_over = false;

	for (size_t i = 0; i < SYM_N_SEARCH_PATHS && !is_over; i++) {
		finder->search_path = (enum sym_search_path)i;
		is_over = search_paths[i].binary(finder);
	}
	return is_over;
}

/* Try the search paths for debug files; without the name that @p main has if that is NULL. */
static bool try_debug_paths(struct sym_finder *finder, const struct sym_image *main)
{
	bool is_over = false;

	for (size_t i = 0; i < SYM_N_SEARCH_PATHS && !is_over; i++) {
		if (!main && i == SYM_SEARCH_DEBUGLINK)
			continue;
		if (i == SYM_SEARCH_DEBUGINFOD ? finder->is_local : finder->is_remote)
			continue;
		finder->search_path = (enum sym_search_path)i;
		is_over = search_paths[i].debug(finder, main);
	}
	return is_over;
}

/* Go on without the recorded build id, which is of another file. */
static void refute_id(struct sym_finder *finder)
{
	finder->refuted = finder->id;
	finder->id.len = 0;
}

/* Try debug files of the recorded binary, also those that were met in its place. */
static void try_debug_alone(struct sym_finder *finder)
{
	finder->wants_debug = true;
	if (!try_debug_paths(finder, NULL) && finder->has_met_debug)
		try_binary_paths(finder);
}

void sym_finder_binary(struct sym_finder *finder)
{
	char *why;

	if (is_id_refuted(finder, &why)) {
		refute_id(finder);
		finder->search_path = SYM_SEARCH_OWN_PATH;
		note(finder, finder->recorded.name, (struct verdict){ SYM_WRONG_BUILD_ID, why });
	}
	if (!finder->err)
		try_binary_paths(finder);
	if (finder->is_misfit && !finder->found && !finder->err) {
		refute_id(finder);
		try_binary_paths(finder);
	}
	/* A debug file does not show what of the binary was mapped. */
	if (!finder->found && !finder->err && !finder->refuted.len &&
		finder->recorded.id_origin <= PD_ID_OF_PATH)
		try_debug_alone(finder);
	if (!finder->found && !finder->err)
		finder->found = take_ptr(finder->other_build);
}

void sym_finder_debug(struct sym_finder *finder, const struct sym_image *main)
{
	finder->id = main->build_id;
	finder->has_crc = sym_read_debuglink(main, &finder->crc);
	finder->excluded = main->path;
	finder->wants_debug = true;
	if (try_debug_paths(finder, main) || !finder->id.len || finder->is_remote)
		return;
	/* Another copy of the binary may not have been stripped. */
	finder->wants_dwarf = true;
	try_binary_paths(finder);
}

void sym_finder_by_id(struct sym_finder *finder)
{
	try_debug_paths(finder, NULL);
}
