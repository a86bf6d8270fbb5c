/* pdconv list: events that this machine has, which are candidates of completion as well. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pdconv/name_defs.h>
#include <pdconv/vec.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/text.h"
#include "capture/events/event_list.h"
#include "capture/events/tracepoints.h"
#include "capture/open.h"
#include "cmd/options/commands.h"
#include "cmd/options/complete_names.h"
#include "cmd/process/output_file.h"
#include "cmd/process/sandbox.h"

static const char devices[] = "/sys/bus/event_source/devices";

/* A list of events that is written. */
struct listing {
	/** Part of the names to list; NULL: all. */
	const char *wanted;
	FILE *out;
	size_t n;
};

static void list_name(struct listing *listing, const char *name, const char *kind)
{
	enum { NAME_COLUMNS = 48 };

	if (listing->wanted && !strstr(name, listing->wanted))
		return;
	base_text_write(listing->out, name);
	fprintf(listing->out, "%*s  %s\n",
		(int)(strlen(name) < NAME_COLUMNS ? NAME_COLUMNS - strlen(name) : 0), "", kind);
	listing->n++;
}

/* Whether an event opens. Permission for the kernel is not needed for this. */
static bool is_there(const char *name)
{
	_cleanup_free_ char *words = base_format("%s:u", name);
	struct cap_events events = { 0 };
	struct pd_error *err = words ? cap_events_parse(&events, words) : NULL;
	bool ret = false;
	int fd = -1;

	if (!err && events.list.n)
		ret = !cap_event_try(&events.list.data[0], 0, -1, -1, 0, &fd);
	if (fd >= 0)
		close(fd);
	pd_error_destroy(err);
	cap_events_deinit(&events);
	return ret;
}

static void list_if_there(struct listing *listing, const char *name, const char *kind)
{
	if (is_there(name))
		list_name(listing, name, kind);
}

static void list_generic(struct listing *listing)
{
#define EVENT_NAME(id, name, other) name,
	static const char *const hardware[] = { PD_HARDWARE_EVENTS(EVENT_NAME) };
	static const char *const software[] = { PD_SOFTWARE_EVENTS(EVENT_NAME) };
#undef EVENT_NAME

	for (size_t i = 0; i < PD_ARRAY_LEN(hardware); i++)
		list_if_there(listing, hardware[i], "hardware");
	for (size_t i = 0; i < PD_ARRAY_LEN(software); i++)
		list_if_there(listing, software[i], "software");
}

static void list_caches(struct listing *listing)
{
#define CACHE_NAME(id, ops, name, ...) { name, ops },
	static const struct {
		const char *name;
		unsigned ops;
	} caches[] = { PD_CACHES(CACHE_NAME) };
#undef CACHE_NAME
#define OP_NAME(id, one, several) { one, several },
	static const char *const ops[][2] = { PD_CACHE_OPS(OP_NAME) };
#undef OP_NAME

	for (size_t i = 0; i < PD_ARRAY_LEN(caches); i++) {
		for (size_t op = 0; op < PD_ARRAY_LEN(ops); op++) {
			if (!(caches[i].ops >> op & 1))
				continue;
			_cleanup_free_ char *all = base_format("%s-%s", caches[i].name, ops[op][1]);
			_cleanup_free_ char *misses =
				base_format("%s-%s-misses", caches[i].name, ops[op][0]);

			if (all)
				list_if_there(listing, all, "hardware cache");
			if (misses)
				list_if_there(listing, misses, "hardware cache");
		}
	}
}

typedef void entry_fn(struct listing *listing, const char *above, const char *name);

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Call @p fn for the entries of a folder in the order of their names. False: it cannot be read. */
static bool each_entry(struct listing *listing, const char *path, const char *above, entry_fn *fn)
{
	DIR *dir = opendir(path);
	PD_VEC(char *) names = { 0 };
	const struct dirent *entry;

	if (!dir)
		return false;
	while ((entry = readdir(dir))) {
		char *name = entry->d_name[0] == '.' ? NULL : strdup(entry->d_name);

		if (name && !pd_vec_push(&names, name))
			free(name);
	}
	closedir(dir);
	if (names.n)
		qsort(names.data, names.n, sizeof(*names.data), compare_names);
	for (size_t i = 0; i < names.n; i++) {
		fn(listing, above, names.data[i]);
		free(names.data[i]);
	}
	pd_vec_deinit(&names);
	return true;
}

/* Files such as "mem-loads.scale" belong to the event of that name. */
static void list_pmu_event(struct listing *listing, const char *pmu, const char *name)
{
	_cleanup_free_ char *event = strchr(name, '.') ? NULL : base_format("%s/%s/", pmu, name);

	if (event)
		list_name(listing, event, "PMU");
}

static void list_pmu(struct listing *listing, const char *above, const char *name)
{
	_cleanup_free_ char *path = base_format("%s/%s/events", above, name);

	if (path)
		(void)each_entry(listing, path, name, list_pmu_event);
}

static void list_tracepoint(struct listing *listing, const char *system, const char *name)
{
	_cleanup_free_ char *event = base_format("%s:%s", base_file_name(system), name);
	_cleanup_free_ char *id = base_format("%s/%s/id", system, name);

	if (event && id && access(id, F_OK) == 0)
		list_name(listing, event, "tracepoint");
}

static void list_system(struct listing *listing, const char *above, const char *name)
{
	_cleanup_free_ char *path = base_format("%s/%s", above, name);

	/* Files such as "enable" are not folders. */
	if (path)
		(void)each_entry(listing, path, path, list_tracepoint);
}

static void list_all(struct listing *listing, struct cmd_result *result)
{
	const struct cap_events none = { 0 };
	const char *mount = cap_tracing_dir(&none);
	_cleanup_free_ char *path = mount ? base_format("%s/events", mount) : NULL;

	list_generic(listing);
	list_caches(listing);
	(void)each_entry(listing, devices, devices, list_pmu);
	if (!path || !each_entry(listing, path, path, list_system))
		pd_diag_note(result->diag, path ? path : "tracefs", PD_NO_OFFSET, "tracepoints",
			"are not listed, because their folder cannot be read");
}

static struct pd_error *write_list(const struct cmd_output_opts *opts, const char *text, size_t n)
{
	struct cmd_output_file file;
	struct pd_error *err = cmd_output_open(NULL, opts, &file);

	if (err)
		return err;
	fputs(text, file.stream);
	if (!n)
		fputs("no such events\n", file.stream);
	return cmd_output_finish(&file, NULL);
}

struct pd_error *cmd_list(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_output_opts opts = { .options = options, .is_text = true };
	struct listing listing = { .wanted = options->event_text };
	char *text = NULL;
	size_t size;

	listing.out = base_memstream_open(&text, &size);
	if (!listing.out)
		return &pd_enomem;
	list_all(&listing, result);
	if (!base_memstream_close(listing.out, &text)) {
		free(text);
		return &pd_enomem;
	}
	struct pd_error *err = cmd_sandbox_enter(NULL, &opts);
	if (!err)
		err = write_list(&opts, text, listing.n);
	free(text);
	if (!err && !listing.n)
		result->status = CMD_FAILED;
	return err;
}

/* Systems of tracepoints, "sched:", which a name follows. */
static void offer_systems(const struct cmd_completion *completion)
{
	const struct cap_events none = { 0 };
	const char *mount = cap_tracing_dir(&none);
	_cleanup_free_ char *path = mount ? base_format("%s/events", mount) : NULL;
	DIR *dir = path ? opendir(path) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *name = base_format("%s:", entry->d_name);

		if (name && entry->d_type == DT_DIR && entry->d_name[0] != '.')
			cmd_completion_offer(completion, name, "tracepoints");
	}
	if (dir)
		closedir(dir);
}

/* Tracepoints of the system that the text begins with. */
static void offer_tracepoints(const struct cmd_completion *completion)
{
	size_t len = strcspn(completion->text, ":");
	_cleanup_free_ char *all = base_format("%.*s:*", (int)len, completion->text);
	struct cap_events events = { 0 };
	struct pd_error *err = all ? cap_events_parse(&events, all) : NULL;

	for (size_t i = 0; i < events.list.n; i++)
		cmd_completion_offer(completion, events.list.data[i].name, NULL);
	pd_error_destroy(err);
	cap_events_deinit(&events);
}

void cmd_complete_recordable(const struct cmd_completion *completion)
{
#define EVENT_NAME(id, name, other) name,
	static const char *const names[] = { PD_HARDWARE_EVENTS(EVENT_NAME)
			PD_SOFTWARE_EVENTS(EVENT_NAME) };
#undef EVENT_NAME

	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++)
		cmd_completion_offer(completion, names[i], NULL);
	if (strchr(completion->text, ':'))
		offer_tracepoints(completion);
	else
		offer_systems(completion);
}
