#include "capture/events/tracepoints.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <pdconv/tracing_data.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "capture/events/tracepoint_formats.h"

static const char *const mount_points[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

const char *cap_tracing_dir(const struct cap_events *events)
{
	char events_dir[64];

	if (events->tracing_dir)
		return events->tracing_dir;
	for (size_t i = 0; i < PD_ARRAY_LEN(mount_points); i++) {
		snprintf(events_dir, sizeof(events_dir), "%s/events", mount_points[i]);
		if (access(events_dir, F_OK) == 0)
			return mount_points[i];
	}
	return NULL;
}

struct pd_error *cap_tracing_error(const char *dir, int errnum)
{
	if (dir && errnum != EACCES && errnum != EPERM) {
		errno = errnum;
		return pd_error_os(dir, "cannot read tracepoints");
	}
	/* A mount point that this process may not enter looks as if nothing were mounted there. */
	if (dir || access(mount_points[0], X_OK) != 0)
		return pd_error_explained(EACCES, dir ? dir : mount_points[0],
			"permission denied: tracepoints are for root, or for a group after "
			"'mount -o remount,mode=750,gid=GROUP %s'",
			dir ? dir : mount_points[0]);
	return pd_error_create(PD_ERROR_OS, mount_points[0],
		"tracefs is not mounted: try 'mount -t tracefs nodev %s'", mount_points[0]);
}

void cap_probe_group(char ret[CAP_PROBE_GROUP_BYTES])
{
	snprintf(ret, CAP_PROBE_GROUP_BYTES, CAP_PROBE_GROUP "%d", (int)getpid());
}

const char *cap_probe_system(const char *system)
{
	char own[CAP_PROBE_GROUP_BYTES];

	cap_probe_group(own);
	return strcmp(system, own) == 0 ? "probe" : system;
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

static struct pd_error *add_one(
	const struct cap_item *item, const char *dir, const char *system, const char *name)
{
	struct pd_attr attr = cap_attr(PD_TYPE_TRACEPOINT, 0);
	_cleanup_free_ char *path = base_format("%s/events/%s/%s/id", dir, system, name);
	_cleanup_free_ char *line = NULL;

	if (!path)
		return &pd_enomem;
	int errnum = cap_read_line(path, &line);
	if (errnum == ENOENT || errnum == ENOTDIR)
		return cap_item_bad(item, "tracepoint not found");
	if (errnum)
		return cap_tracing_error(dir, errnum);
	if (!cap_word_number(cap_word(line), &attr.config))
		return pd_error_create(PD_ERROR_FORMAT, path, "expected a number");
	_cleanup_free_ char *full = base_format("%s:%s", cap_probe_system(system), name);
	if (!full)
		return &pd_enomem;
	/* Each hit is a sample, as in perf, because the fields describe one hit. */
	attr.sample_period = 1;
	return cap_item_add(item, &attr, cap_word(full));
}

/* Directories with an id are tracepoints; a system has other files, too. */
static bool has_id(const char *dir, const char *system, const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", dir, system, name);
	return access(path, F_OK) == 0;
}

static struct pd_error *add_of_system(
	const struct cap_item *item, const char *dir, const char *system, const char *pattern)
{
	_cleanup_(cap_names_deinit) struct cap_names names = { 0 };
	char path[1024];

	snprintf(path, sizeof(path), "%s/events/%s", dir, system);
	int errnum = cap_names_list(path, &names);
	/*
	 * Not every entry is a system: "enable" is a file. A system also disappears when its module
	 * is unloaded.
	 */
	if (errnum == ENOENT || errnum == ENOTDIR)
		return NULL;
	if (errnum)
		return cap_tracing_error(dir, errnum);
	for (int i = 0; i < names.n; i++) {
		const char *name = names.entries[i]->d_name;

		if (name[0] == '.' || fnmatch(pattern, name, 0) != 0 || !has_id(dir, system, name))
			continue;
		struct pd_error *err = add_one(item, dir, system, name);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *add_matching(
	const struct cap_item *item, const char *dir, const char *system, const char *name)
{
	_cleanup_(cap_names_deinit) struct cap_names names = { 0 };
	size_t first = item->events->list.n;
	char path[1024];

	snprintf(path, sizeof(path), "%s/events", dir);
	int errnum = cap_names_list(path, &names);
	if (errnum)
		return cap_tracing_error(dir, errnum);
	for (int i = 0; i < names.n; i++) {
		const char *found = names.entries[i]->d_name;

		if (found[0] == '.' || fnmatch(system, found, 0) != 0)
			continue;
		struct pd_error *err = add_of_system(item, dir, found, name);
		if (err)
			return err;
	}
	/*
	 * A system may match without having such a tracepoint. It is an error if no system has one.
	 */
	if (item->events->list.n == first)
		return cap_item_bad(item, "no tracepoint matches");
	return NULL;
}

struct pd_error *cap_tracepoint_add(
	const struct cap_item *item, struct cap_word system, struct cap_word name)
{
	const char *dir = cap_tracing_dir(item->events);
	_cleanup_free_ char *system_text = strndup(system.at, system.n);
	_cleanup_free_ char *name_text = strndup(name.at, name.n);

	if (!system_text || !name_text)
		return &pd_enomem;
	if (!system.n || !name.n || system.at[0] == '.' || name.at[0] == '.')
		return cap_item_bad(item, "tracepoint not found");
	if (!dir)
		return cap_tracing_error(NULL, 0);
	if (is_pattern(system_text) || is_pattern(name_text))
		return add_matching(item, dir, system_text, name_text);
	return add_one(item, dir, system_text, name_text);
}

/* Names that the kernel knows in the filter of any tracepoint. */
static const char *const general[] = { "CPU", "cpu", "COMM", "comm", "STACKTRACE", "stacktrace" };

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether an operator that compares a field begins at @p text, after blanks. */
static bool is_compared(const char *text)
{
	text += strspn(text, " \t");
	return strchr("=<>~", *text)
		       ? *text
		       : (text[0] == '!' && text[1] == '=') || (text[0] == '&' && text[1] != '&');
}

static size_t name_len(const char *text)
{
	size_t len = 0;

	while (is_name(text[len]))
		len++;
	return len;
}

/* Find the next field in a filter. Returns its length; 0: there is none. */
static size_t next_field(const char **at)
{
	while (**at) {
		size_t len = name_len(*at);
		/* A suffix such as ".ustring" says how the field is read. */
		size_t suffix = (*at)[len] == '.' ? 1 + name_len(*at + len + 1) : 0;

		if (len && !isdigit((unsigned char)**at) && is_compared(*at + len + suffix))
			return len;
		if (!len && !suffix && (**at == '"' || **at == '\'')) {
			const char *end = strchr(*at + 1, **at);

			len = end ? (size_t)(end - *at + 1) : strlen(*at);
		}
		*at += len + suffix ? len + suffix : 1;
	}
	return 0;
}

static bool is_equal(const char *name, const char *text, size_t len)
{
	return strncmp(name, text, len) == 0 && !name[len];
}

static bool has_field(const struct pd_tracepoint *tracepoint, const char *name, size_t len)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(general); i++) {
		if (is_equal(general[i], name, len))
			return true;
	}
	for (size_t i = 0; i < tracepoint->format.fields.n; i++) {
		if (is_equal(tracepoint->format.fields.data[i].name, name, len))
			return true;
	}
	return false;
}

/* Read the format of the tracepoint. NULL: it cannot be read. */
static struct pd_tracing *read_format(const struct cap_event *event)
{
	_cleanup_free_ char *name = strdup(event->name);
	struct pd_bytes bytes = { 0 };
	struct pd_tracing *tracing = NULL;
	char *system_end = name ? strchr(name, ':') : NULL;
	const char *wrong;

	if (!system_end)
		return NULL;
	/* Modifiers follow a second colon. */
	system_end[1 + strcspn(system_end + 1, ":")] = 0;
	struct pd_error *err = cap_tracing_data(NULL, (const char *const *)&name, 1, &bytes);
	if (!err)
		err = pd_tracing_create(bytes.buf.data, bytes.buf.n, &tracing, &wrong);
	pd_error_destroy(err);
	pd_bytes_deinit(&bytes);
	return tracing;
}

/* Describe why the kernel refuses the filter with EINVAL: most often for a misspelled field. */
static struct pd_error *describe(const struct cap_event *event)
{
	struct pd_tracing *tracing = read_format(event);
	const struct pd_tracepoint *tracepoint =
		tracing ? pd_tracing_find(tracing, event->attr.config) : NULL;
	const char *at = event->filter;
	struct pd_error *err = NULL;
	size_t len;

	for (; tracepoint && tracepoint->format.fields.n && (len = next_field(&at)); at += len) {
		if (has_field(tracepoint, at, len))
			continue;
		err = pd_error_explained(EINVAL, event->name,
			"the filter '%s' compares '%.*s', but the tracepoint has no such field",
			event->filter, (int)len, at);
		break;
	}
	pd_tracing_destroy(tracing);
	return err ? err
		   : pd_error_explained(EINVAL, event->name,
			     "the kernel does not accept the filter '%s'", event->filter);
}

struct pd_error *cap_filter_set(const struct cap_event *event, int fd)
{
	if (!event->filter || ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter) == 0)
		return NULL;
	if (errno == EINVAL)
		return describe(event);
	return pd_error_os(event->name, "cannot set the filter '%s'", event->filter);
}
