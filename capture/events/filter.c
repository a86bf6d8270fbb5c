#include "capture/events/events.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <pdconv/tracing_data.h>

#include "base/array.h"
#include "base/cleanup.h"

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
