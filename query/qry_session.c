#include "query/qry_session.h"

#include <stdlib.h>
#include <string.h>

#include "advice/quality.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/plural.h"
#include "base/system/libc.h"
#include "output/quality_lines.h"

/* Threads of ledgers get ids as well, so all tools that can share one profile. */
static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	(void)opts;
	request->waits = true;
	request->pattern_names = true;
	request->ledger = true;
	request->ledger_if_known = true;
	return NULL;
}

const struct out_format qry_format_ledger = { .name = "query", .prepare = prepare };

void qry_session_init(struct qry_session *session, const struct qry_loader *loader)
{
	*session = (struct qry_session){ .loader = loader };
}

static void view_drop(struct qry_view *view)
{
	free(view->key);
	free(view->quality);
	ana_symbols_deinit(&view->symbols);
	pd_profile_destroy(view->profile);
	pd_diag_destroy(view->diag);
	*view = (struct qry_view){ 0 };
}

static void drop_views(struct qry_session *session)
{
	for (size_t i = 0; i < QRY_MAX_VIEWS; i++)
		view_drop(&session->views[i]);
}

static void recording_deinit(struct qry_recording *recording)
{
	free(recording->path);
	free(recording->real_path);
	qry_numbering_deinit(&recording->numbering);
}

void qry_session_deinit(struct qry_session *session)
{
	drop_views(session);
	for (size_t i = 0; i < session->recordings.n; i++)
		recording_deinit(&session->recordings.data[i]);
	for (size_t i = 0; i < session->dirs.n; i++)
		free(session->dirs.data[i]);
	pd_vec_deinit(&session->recordings);
	pd_vec_deinit(&session->dirs);
}

struct pd_error *qry_session_allow(struct qry_session *session, const char *path)
{
	char *real = base_real_path(path);

	if (!real)
		return pd_error_os(path, "cannot find the directory");
	if (pd_vec_push(&session->dirs, real))
		return NULL;
	free(real);
	return &pd_enomem;
}

/* Recordings. */

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	if (strncmp(path, dir, len) != 0)
		return false;
	return !path[len] || path[len] == '/' || (len && dir[len - 1] == '/');
}

bool qry_session_allows(const struct qry_session *session, const char *path)
{
	for (size_t i = 0; i < session->dirs.n; i++) {
		if (is_below(path, session->dirs.data[i]))
			return true;
	}
	return !session->dirs.n;
}

static struct pd_error *outside(const struct qry_session *session, const char *path)
{
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"'%s' is not below '%s'%s: the server was started for these directories only", path,
		session->dirs.data[0], session->dirs.n > 1 ? " and others" : "");
}

/* Find the real path of @p text. If there are directories, a relative one is below one of them. */
static char *resolve(const struct qry_session *session, const char *text)
{
	char *real = NULL;

	if (!session->dirs.n || text[0] == '/')
		return base_real_path(text);
	for (size_t i = 0; !real && i < session->dirs.n; i++) {
		_cleanup_free_ char *path = base_format("%s/%s", session->dirs.data[i], text);

		real = path ? base_real_path(path) : NULL;
	}
	return real;
}

/* Whether a path that does not exist leads outside: a client must not learn what exists there. */
static bool leads_outside(const struct qry_session *session, const char *text)
{
	return session->dirs.n &&
	       (strstr(text, "..") || (text[0] == '/' && !qry_session_allows(session, text)));
}

static struct pd_error *add_recording(
	struct qry_session *session, const char *text, char *real, size_t *ret)
{
	struct qry_recording recording = { .path = strdup(text), .real_path = real };

	if (session->recordings.n == QRY_MAX_RECORDINGS) {
		recording_deinit(&recording);
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"%d recordings are open, which is the most that can be",
			QRY_MAX_RECORDINGS);
	}
	if (!recording.path || !pd_vec_push(&session->recordings, recording)) {
		recording_deinit(&recording);
		return &pd_enomem;
	}
	*ret = session->recordings.n - 1;
	return NULL;
}

static struct pd_error *open_path(struct qry_session *session, const char *text, size_t *ret)
{
	char *real = resolve(session, text);

	if (!real && !leads_outside(session, text))
		return pd_error_os(text, "cannot open the recording");
	if (!real || !qry_session_allows(session, real)) {
		free(real);
		return outside(session, text);
	}
	for (size_t i = 0; i < session->recordings.n; i++) {
		if (strcmp(session->recordings.data[i].real_path, real) == 0) {
			free(real);
			*ret = i;
			return NULL;
		}
	}
	return add_recording(session, text, real, ret);
}

static struct pd_error *no_recording(const struct qry_session *session, const char *text)
{
	if (!session->recordings.n)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "no recording is open: call open with its path");
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"unknown recording '%s': r-1 to r-%zu are open", text, session->recordings.n);
}

/* Forget what was read of a file that has changed since. */
static struct pd_error *refresh(struct qry_session *session, struct qry_recording *recording)
{
	struct stat st;

	if (stat(recording->real_path, &st) != 0)
		return pd_error_os(recording->path, "cannot open the recording");
	const struct stat *was = &recording->st;
	if (was->st_ino == st.st_ino && was->st_size == st.st_size &&
		was->st_mtim.tv_sec == st.st_mtim.tv_sec &&
		was->st_mtim.tv_nsec == st.st_mtim.tv_nsec)
		return NULL;
	recording->st = st;
	qry_numbering_deinit(&recording->numbering);
	recording->numbering = (struct qry_numbering){ 0 };
	recording->is_numbered = false;
	drop_views(session);
	return NULL;
}

struct pd_error *qry_session_find(struct qry_session *session, const char *text, size_t *ret)
{
	uint32_t number = text ? qry_id_parse(text, 'r') : (uint32_t)session->current + 1;
	struct pd_error *err = NULL;

	if (text && !number)
		err = open_path(session, text, ret);
	else if (number > session->recordings.n)
		err = no_recording(session, text);
	else
		*ret = number - 1;
	if (err)
		return err;
	session->current = *ret;
	return refresh(session, &session->recordings.data[*ret]);
}

/* Views. */

/* Write everything that a view depends on. Lengths keep texts apart. Allocated; NULL: no memory. */
static char *key_of(const struct qry_load *load)
{
	const struct pd_filter_opts *filter = &load->filter;
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "%p %d %zu", (const void *)load->format, load->parts, load->n_paths);
	for (size_t i = 0; i < load->n_paths; i++)
		fprintf(out, " %zu:%s", strlen(load->paths[i]), load->paths[i]);
	fprintf(out, " path %s", load->critical_path ? load->critical_path : "(none)");
	for (size_t i = 0; i < filter->n_pids; i++)
		fprintf(out, " pid %u-%u", filter->pids[i].first, filter->pids[i].last);
	for (size_t i = 0; i < filter->n_tids; i++)
		fprintf(out, " tid %u-%u", filter->tids[i].first, filter->tids[i].last);
	for (size_t i = 0; i < filter->n_cpus; i++)
		fprintf(out, " cpu %u-%u", filter->cpus[i].first, filter->cpus[i].last);
	for (size_t i = 0; i < filter->n_times; i++)
		fprintf(out, " time %s", filter->times[i]);
	for (size_t i = 0; i < filter->n_comms; i++)
		fprintf(out, " comm %zu:%s", strlen(filter->comms[i]), filter->comms[i]);
	for (size_t i = 0; i < filter->n_focus; i++)
		fprintf(out, " focus %zu:%s", strlen(filter->focus[i]), filter->focus[i]);
	return base_memstream_close(out, &text) ? text : NULL;
}

static struct qry_view *find_view(struct qry_session *session, const char *key)
{
	for (size_t i = 0; i < QRY_MAX_VIEWS; i++) {
		struct qry_view *view = &session->views[i];

		if (view->key && strcmp(view->key, key) == 0)
			return view;
	}
	return NULL;
}

/* Return an empty view, or the one that was not used for longest, emptied. */
static struct qry_view *free_view(struct qry_session *session)
{
	struct qry_view *oldest = &session->views[0];

	for (size_t i = 0; i < QRY_MAX_VIEWS; i++) {
		struct qry_view *view = &session->views[i];

		if (view->used < oldest->used)
			oldest = view;
	}
	view_drop(oldest);
	return oldest;
}

static struct pd_error *read_view(
	const struct qry_session *session, const struct qry_load *load, struct qry_view *ret)
{
	const struct qry_loader *loader = session->loader;

	ret->diag = pd_diag_create();
	if (!ret->diag)
		return &pd_enomem;
	struct pd_error *err = loader->load(loader->ctx, load, ret->diag, &ret->profile);
	return err ? err : ana_symbols_create(ret->profile->profile, &ret->symbols);
}

/* Read a profile. If memory runs out, try again without those that are kept. */
static struct pd_error *read_or_make_room(
	struct qry_session *session, const struct qry_load *load, struct qry_view *ret)
{
	struct pd_error *err = read_view(session, load, ret);

	if (err)
		view_drop(ret);
	if (!err || err->code != PD_ERROR_NOMEM)
		return err;
	drop_views(session);
	pd_error_destroy(err);
	err = read_view(session, load, ret);
	if (err)
		view_drop(ret);
	return err;
}

struct pd_error *qry_session_view(
	struct qry_session *session, const struct qry_load *load, struct qry_view **ret)
{
	_cleanup_free_ char *key = key_of(load);
	struct qry_view read = { 0 };

	if (!key)
		return &pd_enomem;
	*ret = find_view(session, key);
	if (!*ret) {
		struct pd_error *err = read_or_make_room(session, load, &read);

		if (err)
			return err;
		read.key = take_ptr(key);
		*ret = free_view(session);
		**ret = read;
	}
	(*ret)->used = ++session->n_uses;
	return NULL;
}

struct pd_error *qry_session_whole(struct qry_session *session, size_t index, struct qry_view **ret)
{
	const struct qry_recording *recording = &session->recordings.data[index];
	const char *paths[] = { recording->real_path };
	const struct qry_load load = {
		.paths = paths,
		.n_paths = 1,
		.title = recording->path,
		.format = &qry_format_ledger,
	};

	return qry_session_view(session, &load, ret);
}

struct pd_error *qry_session_number(
	struct qry_session *session, size_t index, const struct qry_numbering **ret)
{
	struct qry_recording *recording = &session->recordings.data[index];
	struct qry_view *view;

	*ret = &recording->numbering;
	if (recording->is_numbered)
		return NULL;
	struct pd_error *err = qry_session_whole(session, index, &view);
	if (err)
		return err;
	err = qry_numbering_create(view->profile->profile, &view->symbols, &recording->numbering);
	recording->is_numbered = !err;
	return err;
}

/* "stacks: 95 % reach main; names: ..." */
static struct pd_error *write_quality(
	const struct qry_view *view, const struct advice_quality *quality, FILE *out)
{
	size_t n_hints = quality->hints.list.n, n_warnings = pd_diag_n(view->diag);
	static const enum out_quality_line lines[] = { OUT_QUALITY_STACKS, OUT_QUALITY_NAMES,
		OUT_QUALITY_PERIODS, OUT_QUALITY_LOSSES };
	const char *separator = "";

	for (size_t i = 0; i < PD_ARRAY_LEN(lines); i++) {
		_cleanup_free_ char *text =
			out_quality_line(view->profile->profile, quality, lines[i]);

		if (!text)
			return &pd_enomem;
		if (!*text)
			continue;
		fprintf(out, "%s%s: %s", separator, out_quality_line_name(lines[i]), text);
		separator = "; ";
	}
	if (n_hints)
		fprintf(out, "; %zu hint%s", n_hints, base_plural(n_hints));
	if (n_warnings)
		fprintf(out, "%s%zu warning%s", n_hints ? " and " : "; ", n_warnings,
			base_plural(n_warnings));
	if (n_hints || n_warnings)
		fputs(": ask quality", out);
	return NULL;
}

struct pd_error *qry_view_quality(struct qry_view *view, const char **ret)
{
	_cleanup_(advice_quality_deinit) struct advice_quality quality = { 0 };
	size_t len;

	*ret = view->quality;
	if (view->quality)
		return NULL;
	struct pd_error *err = advice_quality_find(view->profile->profile, true, &quality);
	FILE *out = err ? NULL : base_memstream_open(&view->quality, &len);
	if (err || !out)
		return err ? err : &pd_enomem;
	err = write_quality(view, &quality, out);
	if (!base_memstream_close(out, &view->quality) && !err)
		err = &pd_enomem;
	if (err)
		free(take_ptr(view->quality));
	*ret = view->quality;
	return err;
}
