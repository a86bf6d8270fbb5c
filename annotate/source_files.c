#include "annotate/source_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pdconv/vec.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "base/containers/intern.h"
#include "base/limit.h"
#include "symbolize/file/image.h"
#include "symbolize/file/path.h"
#include "symbolize/file/text_file.h"
#include "symbolize/find/debuginfod.h"
#include "symbolize/find/file_search.h"

enum { MAX_SIZE = PD_LIMIT_SOURCE_BYTES };

struct source {
	/** Path at which it was found; NULL: it was not. */
	char *path;
	/** Its text, with a NUL in place of each newline. */
	char *text;
	/** Start of each line. */
	PD_VEC(const char *) lines;
};

struct ann_sources {
	struct ann_sources_opts opts;
	/** Paths in debug information. The ids are indexes in list. */
	struct base_intern files;
	PD_VEC(struct source) list;
};

struct pd_error *ann_sources_create(const struct ann_sources_opts *opts, struct ann_sources **ret)
{
	struct ann_sources *sources = calloc(1, sizeof(*sources));

	if (!sources)
		return &pd_enomem;
	sources->opts = *opts;
	*ret = sources;
	return NULL;
}

void ann_sources_destroy(struct ann_sources *sources)
{
	if (!sources)
		return;
	for (size_t i = 0; i < sources->list.n; i++) {
		free(sources->list.data[i].path);
		free(sources->list.data[i].text);
		pd_vec_deinit(&sources->list.data[i].lines);
	}
	pd_vec_deinit(&sources->list);
	base_intern_deinit(&sources->files);
	free(sources);
}

static struct pd_error *split_lines(struct source *source)
{
	char *rest = source->text, *line;

	while ((line = sym_text_line(&rest))) {
		if (!pd_vec_push(&source->lines, line))
			return &pd_enomem;
	}
	return NULL;
}

/* Read @p path. Sets source->path on success. Errors: NOMEM. */
static struct pd_error *try_path(
	const struct ann_sources *sources, struct source *source, const char *path)
{
	const struct sym_access access = {
		.symfs = sources->opts.search->symfs,
		.trouble = sources->opts.search->trouble,
	};
	struct sym_failure failure;
	struct stat st;
	size_t len;
	_cleanup_close_ int fd = *path ? sym_open_regular(path, access, &failure) : -1;

	if (source->path || fd < 0 || fstat(fd, &st))
		return NULL;
	if (st.st_size > MAX_SIZE) {
		sym_trouble_add_limit(access.trouble, path, PD_LIMIT_ID_SOURCE_BYTES);
		return NULL;
	}
	struct pd_error *err =
		sym_text_file_read_fd(fd, path, access, &source->text, &len, &failure);
	if (err || !source->text)
		return err;
	char *copy = strdup(path);
	PD_IS_OWNED(copy, "ann_sources_destroy() frees the list");
	source->path = copy;
	return source->path ? split_lines(source) : &pd_enomem;
}

static struct pd_error *try_maps(
	const struct ann_sources *sources, struct source *source, const char *file)
{
	const struct sym_search *search = sources->opts.search;
	struct sym_path path;

	for (size_t i = 0; i < search->n_path_maps && !source->path; i++) {
		if (!sym_path_map_apply(&search->path_maps[i], file, &path))
			continue;
		struct pd_error *err = try_path(sources, source, path.text);
		if (err)
			return err;
	}
	return NULL;
}

/* Try @p file below each directory of @p list, which are separated by ':'. */
static struct pd_error *try_list(const struct ann_sources *sources, struct source *source,
	const char *list, const char *file)
{
	struct sym_path dir, path;
	size_t pos = 0;

	while (sym_path_next(list, &pos, &dir)) {
		struct pd_error *err =
			try_path(sources, source, sym_path_below(&path, dir.text, file));

		if (err)
			return err;
	}
	return NULL;
}

/* Try the directories with the whole path, then without its first part, and so on. */
static struct pd_error *try_dirs(
	const struct ann_sources *sources, struct source *source, const char *file)
{
	for (const char *rest = file; rest && !source->path; rest = strchr(rest, '/')) {
		rest += strspn(rest, "/");
		for (size_t i = 0; i < sources->opts.n_dirs; i++) {
			struct pd_error *err =
				try_list(sources, source, sources->opts.dirs[i], rest);

			if (err)
				return err;
		}
	}
	return NULL;
}

static struct pd_error *try_own_path(
	const struct ann_sources *sources, struct source *source, const char *file)
{
	const char *symfs = sources->opts.search->symfs;
	struct sym_path path;

	if (symfs)
		return try_path(sources, source, sym_path_below(&path, symfs, file));
	return sources->opts.search->no_own_paths ? NULL : try_path(sources, source, file);
}

static struct pd_error *try_servers(const struct ann_sources *sources, struct source *source,
	const char *file, const struct pd_build_id *id)
{
	struct sym_debuginfod *debuginfod = sources->opts.search->debuginfod;
	const char *why;

	if (source->path || !debuginfod || !id->len || file[0] != '/')
		return NULL;
	_cleanup_free_ char *path = sym_debuginfod_fetch_source(debuginfod, id, file, &why);
	return path ? try_path(sources, source, path) : NULL;
}

static struct pd_error *find(const struct ann_sources *sources, struct source *source,
	const char *file, const struct pd_build_id *id)
{
	struct pd_error *err = try_maps(sources, source, file);

	if (err)
		return err;
	err = try_dirs(sources, source, file);
	if (err)
		return err;
	err = try_own_path(sources, source, file);
	if (err)
		return err;
	return try_servers(sources, source, file, id);
}

static struct pd_error *get_source(struct ann_sources *sources, const char *file,
	const struct pd_build_id *id, const struct source **ret)
{
	size_t n = sources->files.n;
	uint32_t number = base_intern_str(&sources->files, file);

	if (number == PD_INTERN_NONE ||
		(number == n && !pd_vec_push(&sources->list, (struct source){ 0 })))
		return &pd_enomem;
	*ret = &sources->list.data[number];
	return number == n ? find(sources, &sources->list.data[number], file, id) : NULL;
}

struct pd_error *ann_sources_line(struct ann_sources *sources, const char *file,
	const struct pd_build_id *id, uint32_t line, const char **ret)
{
	const struct source *source;

	*ret = NULL;
	if (!sources)
		return NULL;
	struct pd_error *err = get_source(sources, file, id, &source);

	if (err)
		return err;
	*ret = line && line <= source->lines.n ? source->lines.data[line - 1] : NULL;
	return NULL;
}

/* The source of @p file, or NULL if it was not looked for. */
static const struct source *known_source(const struct ann_sources *sources, const char *file)
{
	uint32_t number = base_intern_find(&sources->files, file, strlen(file));

	return number == PD_INTERN_NONE ? NULL : &sources->list.data[number];
}

size_t ann_sources_n_lines(const struct ann_sources *sources, const char *file)
{
	const struct source *source = known_source(sources, file);

	return source ? source->lines.n : 0;
}

const char *ann_sources_path(const struct ann_sources *sources, const char *file)
{
	const struct source *source = sources ? known_source(sources, file) : NULL;

	return source ? source->path : NULL;
}

char *ann_source_text(const char *text)
{
	enum { TAB = 8, MAX_COLUMNS = 1000 };
	char *copy = malloc(MAX_COLUMNS + 1);
	size_t n = 0;

	for (; copy && *text && n < MAX_COLUMNS; text++) {
		if (*text == '\r' && !text[1])
			break;
		if (*text != '\t') {
			copy[n++] = *text;
			continue;
		}
		do
			copy[n++] = ' ';
		while (n % TAB && n < MAX_COLUMNS);
	}
	if (copy)
		copy[n] = '\0';
	return copy;
}
