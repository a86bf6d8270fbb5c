#include "api/file_sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/temporary.h"

/* Modes of files that everybody may read, as far as the umask allows, and of others. */
enum { MODE = 0666, PRIVATE_MODE = 0600 };

static struct pd_error *open_in_place(struct pd_file_sink *sink, bool is_private)
{
	sink->fd = pd_destination_open(&sink->to, is_private ? PRIVATE_MODE : MODE);
	return sink->fd < 0 ? pd_error_os(sink->path, "cannot open") : NULL;
}

static struct pd_error *open_temporary(struct pd_file_sink *sink, bool is_private)
{
	const struct pd_destination *to = &sink->to;

	sink->fd = pd_destination_create_beside(
		to, is_private ? PRIVATE_MODE : MODE, &sink->temporary);
	if (sink->fd < 0)
		return pd_error_os(sink->path, "cannot create");
	/* The user may have hidden the older file from others. */
	if (to->exists && to->state.st_uid == geteuid() && !is_private)
		fchmod(sink->fd, to->state.st_mode & 0777);
	return NULL;
}

struct pd_error *pd_file_sink_open(const char *path, bool is_private, struct pd_file_sink *ret)
{
	struct pd_file_sink sink = { .path = path, .fd = -1 };
	struct pd_error *err = pd_destination_find(path, true, &sink.to);

	if (err)
		return err;
	err = pd_destination_is_special(&sink.to) ? open_in_place(&sink, is_private)
						  : open_temporary(&sink, is_private);
	if (err) {
		pd_destination_deinit(&sink.to);
		return err;
	}
	*ret = sink;
	return NULL;
}

struct pd_error *pd_file_sink_write(void *ctx, const void *bytes, size_t size)
{
	const struct pd_file_sink *sink = ctx;

	return pd_write_all(sink->fd, bytes, size) ? NULL : pd_error_os(sink->path, "cannot write");
}

/* Some file systems report that a write failed only when the file is closed. */
static struct pd_error *commit(const struct pd_file_sink *sink)
{
	if (close(sink->fd) < 0)
		return pd_error_os(sink->path, "cannot write");
	if (sink->temporary &&
		renameat(sink->to.dir, sink->temporary, sink->to.dir, sink->to.name) < 0)
		return pd_error_os(sink->path, "cannot rename to it");
	return NULL;
}

struct pd_error *pd_file_sink_finish(struct pd_file_sink *sink, struct pd_error *err)
{
	if (err)
		close(sink->fd);
	else
		err = commit(sink);
	if (err && sink->temporary)
		unlinkat(sink->to.dir, sink->temporary, 0);
	free(sink->temporary);
	pd_destination_deinit(&sink->to);
	return err;
}
