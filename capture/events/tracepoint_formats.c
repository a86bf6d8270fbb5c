#include "capture/events/tracepoint_formats.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "capture/events/event_list.h"
#include "capture/events/tracepoints.h"
#include "capture/machine/machine.h"

/* The system of ftrace's own events, whose formats come before those of other systems. */
static const char ftrace[] = "ftrace";

/** The tracing data being written, and its source. */
struct tracing {
	struct cap_machine machine;
	/** Mount point of tracefs, without the root. */
	const char *dir;
	const char *const *names;
	size_t n;
	struct pd_bytes *out;
};

static const char *find_dir(const struct cap_machine *machine)
{
	static const char *const dirs[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	for (size_t i = 0; i < PD_ARRAY_LEN(dirs); i++) {
		char path[PATH_MAX];

		if (cap_machine_path(machine, path, "%s/events", dirs[i]) &&
			access(path, R_OK | X_OK) == 0)
			return dirs[i];
	}
	return NULL;
}

/* Append the size of a text in @p size_bytes bytes, then the text. */
static void put_text(struct tracing *tracing, const char *text, size_t len, size_t size_bytes)
{
	pd_bytes_uint(tracing->out, len, size_bytes);
	pd_bytes_put(tracing->out, text, len);
}

/* Append a file like a text; a missing file is empty. */
static void put_file(struct tracing *tracing, const char *name, size_t size_bytes)
{
	size_t len = 0;
	_cleanup_free_ char *text =
		cap_machine_read(&tracing->machine, &len, "%s/%s", tracing->dir, name);

	put_text(tracing, text, text ? len : 0, size_bytes);
}

static void put_string(struct tracing *tracing, const char *text)
{
	pd_bytes_put(tracing->out, text, strlen(text) + 1);
}

static void put_head(struct tracing *tracing)
{
	static const uint8_t magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	static const char version[] = "0.6";

	pd_bytes_put(tracing->out, magic, sizeof(magic));
	put_string(tracing, version);
	pd_bytes_u8(tracing->out, pd_is_big_endian(tracing->out->swap));
	pd_bytes_u8(tracing->out, sizeof(long));
	pd_bytes_u32(tracing->out, (uint32_t)sysconf(_SC_PAGESIZE));
	put_string(tracing, "header_page");
	put_file(tracing, "events/header_page", sizeof(uint64_t));
	put_string(tracing, "header_event");
	put_file(tracing, "events/header_event", sizeof(uint64_t));
}

/* Whether a tracepoint is recorded. @p dir: of its system; @p event NULL: any of the system. */
static bool is_wanted(const struct tracing *tracing, const char *dir, const char *event)
{
	const char *system = cap_probe_system(dir);
	size_t len = strlen(system);

	for (size_t i = 0; i < tracing->n; i++) {
		const char *name = tracing->names[i];

		if (strncmp(name, system, len) == 0 && name[len] == ':' &&
			(!event || strcmp(name + len + 1, event) == 0))
			return true;
	}
	return false;
}

static DIR *open_events(const struct tracing *tracing, const char *system)
{
	return cap_machine_dir(&tracing->machine, "%s/events/%s", tracing->dir, system);
}

/* Set the count for which put_system() and put_systems() have left room. */
static void set_count(struct tracing *tracing, size_t at, uint32_t n)
{
	if (!tracing->out->failed)
		memcpy(tracing->out->buf.data + at, &n, sizeof(n));
}

/*
 * Append the number of formats of @p system, and the formats. The number is known only at the end.
 */
static void put_system(struct tracing *tracing, const char *system)
{
	_cleanup_(cap_close_dir) DIR *dir = open_events(tracing, system);
	/* Keep an offset, because the buffer moves while it grows. */
	size_t count_at = tracing->out->buf.n;
	struct dirent *entry;
	uint32_t n = 0;

	pd_bytes_u32(tracing->out, 0);
	while (dir && (entry = readdir(dir))) {
		size_t len = 0;
		_cleanup_free_ char *text = NULL;

		if (is_wanted(tracing, system, entry->d_name))
			text = cap_machine_read(&tracing->machine, &len, "%s/events/%s/%s/format",
				tracing->dir, system, entry->d_name);
		if (!text)
			continue;
		put_text(tracing, text, len, sizeof(uint64_t));
		n++;
	}
	set_count(tracing, count_at, n);
}

static void put_systems(struct tracing *tracing, DIR *dir)
{
	size_t count_at = tracing->out->buf.n;
	struct dirent *entry;
	uint32_t n = 0;

	pd_bytes_u32(tracing->out, 0);
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ftrace) == 0 || !is_wanted(tracing, entry->d_name, NULL))
			continue;
		put_string(tracing, cap_probe_system(entry->d_name));
		put_system(tracing, entry->d_name);
		n++;
	}
	set_count(tracing, count_at, n);
}

/*
 * The kernel's symbols are large, and readers take them from elsewhere, so that section stays
 * empty.
 */
static void put_rest(struct tracing *tracing)
{
	put_text(tracing, NULL, 0, sizeof(uint32_t));
	put_file(tracing, "printk_formats", sizeof(uint32_t));
	put_file(tracing, "saved_cmdlines", sizeof(uint64_t));
}

static struct pd_error *put_all(struct tracing *tracing)
{
	_cleanup_(cap_close_dir) DIR *dir =
		tracing->dir ? cap_machine_dir(&tracing->machine, "%s/events", tracing->dir) : NULL;

	if (!dir)
		return pd_error_os(tracing->dir ? tracing->dir : "/sys/kernel/tracing",
			"cannot read tracepoints");
	/*
	 * The order is fixed, because sections have no type (tools/perf/util/trace-event-info.c).
	 * The ftrace section has no name and is not counted as a system.
	 */
	put_head(tracing);
	put_system(tracing, ftrace);
	put_systems(tracing, dir);
	put_rest(tracing);
	return tracing->machine.failed || tracing->out->failed ? &pd_enomem : NULL;
}

struct pd_error *cap_tracing_data(
	const char *root, const char *const *names, size_t n, struct pd_bytes *out)
{
	struct tracing tracing = {
		.machine = cap_machine_init(root),
		.names = names,
		.n = n,
		.out = out,
	};

	tracing.dir = find_dir(&tracing.machine);
	return put_all(&tracing);
}

struct pd_error *cap_tracing_data_at(
	const char *dir, const char *const *names, size_t n, struct pd_bytes *out)
{
	struct tracing tracing = {
		.machine = cap_machine_init(NULL),
		.dir = dir,
		.names = names,
		.n = n,
		.out = out,
	};

	return dir ? put_all(&tracing) : cap_tracing_data(NULL, names, n, out);
}
