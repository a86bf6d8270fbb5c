#include "symbolize/find/binary_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/deleted.h"
#include "base/system/base_machine.h"
#include "symbolize/file/local_processes.h"
#include "symbolize/file/text_file.h"
#include "symbolize/file/zip.h"
#include "symbolize/find/debug_paths.h"
#include "symbolize/find/file_search.h"

/* Whether the name is in brackets: such names come from the kernel and are not paths. */
bool sym_binary_in_none(struct sym_finder *finder)
{
	(void)finder;
	return false;
}

static bool is_bracketed(const struct sym_finder *finder)
{
	return finder->recorded.name[0] == '[';
}

static bool is_vdso(const struct sym_finder *finder)
{
	return strncmp(finder->recorded.name, "[vdso", 5) == 0;
}

static bool has_path(const struct sym_finder *finder)
{
	return !is_bracketed(finder) && !sym_is_no_image(finder->recorded.name);
}

/* Name that the program gave to its file in memory (memfd_create), or NULL if it is none. */
static const char *memfd_name(const struct sym_finder *finder)
{
	static const char prefix[] = "/memfd:";
	const char *name = finder->recorded.name;

	return strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : NULL;
}

bool sym_binary_in_symfs(struct sym_finder *finder)
{
	const char *symfs = finder->search->symfs;
	struct sym_path path;

	if (!symfs || (!has_path(finder) && !is_bracketed(finder)))
		return false;
	return sym_finder_try(finder, sym_path_below(&path, symfs, finder->recorded.name));
}

bool sym_binary_in_path_map(struct sym_finder *finder)
{
	struct sym_path path;

	if (!has_path(finder) && !memfd_name(finder))
		return false;
	for (size_t i = 0; i < finder->search->n_path_maps; i++) {
		if (sym_path_map_apply(
			    &finder->search->path_maps[i], finder->recorded.name, &path) &&
			sym_finder_try(finder, path.text))
			return true;
	}
	return false;
}

/* Path of a member in a package, without the directory of the package; "" for other files. */
static const char *package_base(const char *name)
{
	const char *member = strstr(name, SYM_ZIP_SEPARATOR);

	if (!member)
		return "";
	while (member > name && member[-1] != '/')
		member--;
	return member;
}

static bool try_dir(struct sym_finder *finder, const char *dir)
{
	const char *name = finder->recorded.name, *memfd = memfd_name(finder);
	char id[PD_BUILD_ID_HEX_MAX + 1];
	struct sym_path path;

	sym_path_of_id(&finder->id, id);
	if (finder->id.len &&
		(sym_finder_try(finder, sym_path_format(&path, "%s/.build-id/%s", dir, id)) ||
			sym_finder_try(
				finder, sym_path_format(&path, "%s/.build-id/%s/elf", dir, id))))
		return true;
	/* A copy of a program that ran from memory may have the name that it had there. */
	if (memfd)
		name = memfd;
	/*
	 * Names in brackets are not file names, but a vdso may have been saved under such a name.
	 */
	else if (!has_path(finder) && !is_vdso(finder))
		return false;
	const char *in_package = package_base(name);
	if (*in_package && sym_finder_try(finder, sym_path_below(&path, dir, in_package)))
		return true;
	return sym_finder_try(finder, sym_path_below(&path, dir, name)) ||
	       sym_finder_try(finder, sym_path_below(&path, dir, sym_path_base(name)));
}

bool sym_binary_in_symbol_dir(struct sym_finder *finder)
{
	struct sym_path dir;
	size_t pos = 0;

	while (sym_path_next(finder->search->debug_dirs, &pos, &dir)) {
		if (try_dir(finder, dir.text))
			return true;
	}
	return false;
}

bool sym_binary_in_cache(struct sym_finder *finder)
{
	struct sym_path root, path;
	char id[PD_BUILD_ID_HEX_MAX + 1];

	if (!finder->id.len || !*sym_cache_root(finder->search, &root))
		return false;
	sym_path_of_id(&finder->id, id);
	/* In old versions of perf the link led to the file itself. */
	return sym_finder_try(finder, sym_path_format(&path, "%s/.build-id/%s/%s", root.text, id,
					      is_vdso(finder) ? "vdso" : "elf")) ||
	       sym_finder_try(finder, sym_path_format(&path, "%s/.build-id/%s", root.text, id));
}

/* Try the members of all archives that have the build id and are of @p kind. */
bool sym_finder_archives(struct sym_finder *finder, const char *kind)
{
	const struct sym_search *search = finder->search;

	for (size_t a = 0; a < search->n_archives && finder->id.len; a++) {
		const struct sym_member *member;
		size_t i = 0;

		while ((member = sym_archive_find(search->archives[a], &finder->id, kind, i++))) {
			if (sym_finder_try_member(finder, search->archives[a], member))
				return true;
		}
	}
	return false;
}

/* Try the member with the recorded path, if the recording has no build id. */
static bool try_archived_path(struct sym_finder *finder, const char *kind)
{
	const struct sym_search *search = finder->search;

	for (size_t a = 0; a < search->n_archives && !finder->id.len; a++) {
		const struct sym_member *member =
			sym_archive_find_path(search->archives[a], finder->recorded.name, kind);

		if (member && sym_finder_try_member(finder, search->archives[a], member))
			return true;
	}
	return false;
}

bool sym_binary_in_archive(struct sym_finder *finder)
{
	if (!finder->id.len)
		return try_archived_path(finder, is_vdso(finder) ? "vdso" : "elf");
	return sym_finder_archives(finder, is_vdso(finder) ? "vdso" : "elf") ||
	       sym_finder_archives(finder, NULL);
}

bool sym_binary_in_system_debug(struct sym_finder *finder)
{
	struct sym_path path;
	char id[PD_BUILD_ID_HEX_MAX + 1];

	if (!finder->id.len)
		return false;
	sym_path_of_id(&finder->id, id);
	return sym_finder_try(
		finder, sym_path_format(&path, "%s/.build-id/%s", SYM_SYSTEM_DEBUG, id));
}

bool sym_binary_in_own_path(struct sym_finder *finder)
{
	const char *name = finder->recorded.name;

	if (!sym_search_has_own_paths(finder->search) || !has_path(finder) ||
		sym_path_is_of_this_machine(name))
		return false;
	return sym_finder_try(finder, name);
}

/*
 * Try the path in the root directory of the recorded process: in a container it is not this
 * machine's. The process may have exited, while others of its container still run.
 */
bool sym_binary_in_proc_root(struct sym_finder *finder)
{
	const char *name = finder->recorded.name;
	struct sym_path path;
	size_t n;

	if (!sym_search_has_processes(finder->search) || name[0] != '/' || !has_path(finder) ||
		sym_path_is_of_this_machine(name))
		return false;
	if (finder->recorded.pid &&
		sym_finder_try(finder, sym_path_format(&path, "/proc/%u/root%s",
					       (unsigned)finder->recorded.pid, name)))
		return true;
	const uint32_t *pids = sym_finder_other_roots(finder, &n);
	for (size_t i = 0; i < n; i++) {
		if (sym_finder_try(finder,
			    sym_path_format(&path, "/proc/%u/root%s", (unsigned)pids[i], name)))
			return true;
	}
	return false;
}

/* Line of /proc/PID/maps. */
struct mapped {
	unsigned long start;
	unsigned long end;
	unsigned maj;
	unsigned min;
	unsigned long ino;
	/** Path, or "" for memory without a file. */
	char *name;
};

static bool parse_mapped(char *line, struct mapped *ret)
{
	int at = 0;

	if (sscanf(line, "%lx-%lx %*s %*x %x:%x %lu %n", &ret->start, &ret->end, &ret->maj,
		    &ret->min, &ret->ino, &at) < 5 ||
		!at)
		return false;
	ret->name = line + at;
	return true;
}

/* Whether the line is about the recorded file, by its inode if that was recorded. */
static bool is_recorded(const struct sym_finder *finder, const struct mapped *mapped)
{
	const struct sym_recorded *recorded = &finder->recorded;
	size_t len = strlen(recorded->name);

	if (!mapped->ino)
		return false;
	if (recorded->ino)
		return mapped->ino == recorded->ino && mapped->maj == recorded->maj &&
		       mapped->min == recorded->min;
	return strncmp(mapped->name, recorded->name, len) == 0 &&
	       (!mapped->name[len] || strcmp(mapped->name + len, PD_DELETED_MARK) == 0);
}

static bool try_mapped(struct sym_finder *finder, char *maps)
{
	struct mapped mapped;
	struct sym_path path;
	char *line;

	while ((line = sym_text_line(&maps))) {
		if (!parse_mapped(line, &mapped) || !is_recorded(finder, &mapped))
			continue;
		return sym_finder_try(
			finder, sym_path_format(&path, SYM_MAP_FILE_FORMAT,
					(unsigned)finder->recorded.pid, mapped.start, mapped.end));
	}
	return false;
}

/* Whether the recorded process still runs. Sets finder->err. */
static bool is_alive(struct sym_finder *finder)
{
	const struct sym_search *search = finder->search;
	struct sym_process process;

	finder->err = sym_process_read(finder->recorded.pid, search->ended_at, &process);
	if (finder->err)
		return false;
	sym_deps_add_process(search->deps, finder->recorded.pid, search->ended_at);
	return process.is_alive;
}

/*
 * Try what the recorded process has mapped. That can be opened although the file was deleted, or
 * never had a path (memfd), or is in a file system that cannot be reached from here.
 */
bool sym_binary_in_proc_map(struct sym_finder *finder)
{
	const struct sym_access access = { .is_kernel_expected = true };
	_cleanup_free_ char *maps = NULL;
	struct sym_failure failure;
	struct sym_path path;
	size_t len;

	if (!sym_search_has_processes(finder->search) || !finder->recorded.pid ||
		is_bracketed(finder) || !*finder->recorded.name)
		return false;
	if (!is_alive(finder))
		return finder->err;
	sym_path_format(&path, "/proc/%u/maps", (unsigned)finder->recorded.pid);
	sym_deps_add(finder->search->deps, SYM_DEP_FILE, path.text);
	finder->err = sym_text_file_read(path.text, access, &maps, &len, &failure);
	return finder->err || (maps && try_mapped(finder, maps));
}

/*
 * Whether this machine's vdso may be taken for the recorded one if that has no build id. Where
 * programs of 64 bits may run, too, a process of 32 bits has another one than most of them.
 */
static bool has_vdso_of_here(const struct sym_finder *finder)
{
	return sizeof(void *) == 8 && strcmp(finder->recorded.name, "[vdso]") == 0 &&
	       sym_search_has_processes(finder->search);
}

/*
 * Try this machine's vdso, which the kernel maps into every process, pdconv included. It is used if
 * the build id is the recorded one. perf records none since it has those of mappings, because the
 * kernel knows none of the vdso. Then it is used if the recording is of this kernel on this host.
 */
bool sym_binary_in_vdso(struct sym_finder *finder)
{
	struct sym_failure failure;
	struct sym_image *image;
	size_t size;

	if (!is_vdso(finder) || (!finder->id.len && !has_vdso_of_here(finder)))
		return false;
	const void *vdso = base_machine_vdso(&size);
	if (!vdso)
		return false;
	void *copy = malloc(size);
	if (!copy) {
		finder->err = &pd_enomem;
		return true;
	}
	memcpy(copy, vdso, size);
	finder->err = sym_image_open_memory(copy, size, &image, &failure);
	if (finder->err || !image)
		return finder->err != NULL;
	return sym_finder_try_image(finder, image, SYM_OWN_VDSO);
}

bool sym_binary_in_debuginfod(struct sym_finder *finder)
{
	/* If only debug information is missing, another copy of the binary does not help. */
	return has_path(finder) && !finder->wants_debug &&
	       sym_finder_debuginfod(finder, SYM_DEBUGINFOD_EXECUTABLE);
}

bool sym_binary_in_debuginfod_cache(struct sym_finder *finder)
{
	struct sym_path path;

	return finder->id.len &&
	       sym_finder_try(finder, sym_debuginfod_cached(&finder->id, "executable", &path));
}
