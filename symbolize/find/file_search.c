#include "symbolize/find/file_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/format.h"
#include "symbolize/file/deps.h"
#include "symbolize/file/path.h"
#include "symbolize/find/binary_archive.h"

/* Names of mappings without a file. Those that end in '*' are prefixes. */
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

bool sym_path_map_apply(const struct pd_path_map *map, const char *file, struct sym_path *ret)
{
	struct sym_path clean;
	/* The path begins with a slash now, even if it is a relative one. */
	const char *name = sym_path_below(&clean, "", file) + (file[0] != '/');
	const char *rest = sym_path_after(name, map->from);

	/* The map of a single file. */
	if (strcmp(name, map->from) == 0) {
		sym_path_format(ret, "%s", map->to);
		return true;
	}
	if (!rest)
		return false;
	sym_path_below(ret, map->to, rest);
	return true;
}

bool sym_path_is_of_this_machine(const char *path)
{
	return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;
}

bool sym_recorded_path(
	const struct sym_search *search, const char *name, size_t i, struct sym_path *ret)
{
	sym_path_format(ret, "%s", "");
	if (i > search->n_path_maps)
		return false;
	if (i) {
		if (!sym_path_map_apply(&search->path_maps[i - 1], name, ret))
			sym_path_format(ret, "%s", "");
	} else if (search->symfs) {
		sym_path_below(ret, search->symfs, name);
	} else if (sym_search_has_own_paths(search) && !sym_path_is_of_this_machine(name)) {
		sym_path_format(ret, "%s", name);
	}
	return true;
}

bool sym_given_is_file(const char *path, struct sym_deps *deps)
{
	struct stat st;

	if (path)
		sym_deps_add(deps, SYM_DEP_FILE, path);
	return path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

struct pd_error *sym_given_add_archive(
	struct sym_given *given, const char *path, struct sym_deps *deps)
{
	struct sym_archive *archive;
	struct pd_error *err = sym_archive_create(path, deps, &archive);

	if (err || pd_vec_push(&given->archives, archive))
		return err;
	sym_archive_destroy(archive);
	return &pd_enomem;
}

/* Add @p path, which is a tarball or a directory. */
static struct pd_error *add_one(struct sym_given *given, const char *path, struct sym_deps *deps)
{
	if (sym_given_is_file(path, deps))
		return sym_given_add_archive(given, path, deps);
	char *dirs = base_format("%s%s:", given->dirs ? given->dirs : "", path);
	if (!dirs)
		return &pd_enomem;
	free(given->dirs);
	given->dirs = dirs;
	return NULL;
}

struct pd_error *sym_given_add(struct sym_given *given, const char *path, struct sym_deps *deps)
{
	struct pd_error *err = NULL;
	struct sym_path part;
	size_t pos = 0;

	/* The name of a tarball may have a colon. */
	if (sym_given_is_file(path, deps))
		return sym_given_add_archive(given, path, deps);
	while (!err && sym_path_next(path, &pos, &part))
		err = add_one(given, part.text, deps);
	return err;
}

void sym_given_use(const struct sym_given *given, struct sym_search *search)
{
	search->debug_dirs = given->dirs;
	search->archives = given->archives.data;
	search->n_archives = given->archives.n;
}

void sym_given_report(const struct sym_given *given, struct pd_diag *diag)
{
	for (size_t i = 0; i < given->archives.n; i++) {
		const char *trouble = sym_archive_failure(given->archives.data[i]);

		if (trouble)
			pd_diag_warn(diag, sym_archive_path(given->archives.data[i]), PD_NO_OFFSET,
				NULL, "%s", trouble);
	}
}

void sym_given_deinit(struct sym_given *given)
{
	for (size_t i = 0; i < given->archives.n; i++)
		sym_archive_destroy(given->archives.data[i]);
	pd_vec_deinit(&given->archives);
	free(given->dirs);
	given->dirs = NULL;
}

/* Search paths as users see them. */
static const struct {
	const char *name;
	const char *text;
} search_paths[] = {
#define SEARCH_PATH_ROW(id, binary, debug, name_, text_) [SYM_SEARCH_##id] = { name_, text_ },
	SYM_SEARCH_PATHS(SEARCH_PATH_ROW)
#undef SEARCH_PATH_ROW
};

const char *sym_search_path_name(enum sym_search_path search_path)
{
	return search_paths[search_path].name;
}

const char *sym_search_path_text(enum sym_search_path search_path)
{
	return search_paths[search_path].text;
}

void sym_attempts_deinit(struct sym_attempts *attempts)
{
	for (size_t i = 0; i < attempts->list.n; i++) {
		free(attempts->list.data[i].path);
		free(attempts->list.data[i].why);
	}
	pd_vec_deinit(&attempts->list);
}

bool sym_attempts_add(struct sym_attempts *attempts, enum sym_search_path search_path,
	enum sym_status status, const char *path, const char *why)
{
	struct sym_attempt attempt = {
		.search_path = search_path,
		.status = status,
		.path = strdup(path),
		.why = strdup(why),
	};

	if (!attempt.path || !attempt.why || !pd_vec_push(&attempts->list, attempt)) {
		free(attempt.path);
		free(attempt.why);
		return false;
	}
	PD_IS_OWNED(attempt.path, "sym_attempts_deinit() frees the list");
	PD_IS_OWNED(attempt.why, "sym_attempts_deinit() frees the list");
	return true;
}
