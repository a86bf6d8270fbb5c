#include "symbolize/find/given.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "symbolize/file/deps.h"
#include "symbolize/file/path.h"
#include "symbolize/find/archive.h"
#include "symbolize/find/search.h"
#include "base/format.h"

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
	char *dirs = pd_format("%s%s:", given->dirs ? given->dirs : "", path);
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
