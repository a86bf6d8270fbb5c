/* Kernel modules: their addresses from /proc/modules, their files from /lib/modules. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "base/intern.h"
#include "capture/synth/private.h"

/** Depth to which /lib/modules is searched. */
enum { MAX_DEPTH = 16 };

struct module {
	/** Kernel address and size in bytes. */
	uint64_t start;
	uint64_t size;
	/** Index of its name in modules.names. */
	uint32_t name;
};

struct modules {
	PD_VEC(struct module) list;
	struct pd_intern names;
	/** File of each name, without the root; NULL: none was found. Owned. */
	char **files;
};

static void deinit(struct modules *modules)
{
	for (size_t i = 0; modules->files && i < modules->names.n; i++)
		free(modules->files[i]);
	free(modules->files);
	pd_vec_deinit(&modules->list);
	pd_intern_deinit(&modules->names);
}

/*
 * Parse "NAME SIZE USERS DEPENDENCIES STATE 0xADDRESS" and cut the line after the name. False if
 * the address is hidden.
 */
static bool parse_line(char *line, struct module *ret)
{
	char *rest = line + strcspn(line, " ");
	const char *address = strstr(rest, " 0x");

	if (!*rest || !address)
		return false;
	*rest++ = '\0';
	ret->size = strtoull(rest, NULL, 10);
	ret->start = strtoull(address + 1, NULL, 16);
	return ret->start != 0;
}

static int compare(const void *a, const void *b)
{
	const struct module *x = a;
	const struct module *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static struct pd_error *read_list(struct cap_synth *synth, struct modules *modules)
{
	_cleanup_fclose_ FILE *in = cap_machine_open(&synth->machine, "/proc/modules");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	while (in && getline(&line, &cap, in) > 0) {
		struct module module;

		if (!parse_line(line, &module)) {
			synth->counts.is_kernel_hidden = true;
			continue;
		}
		module.name = pd_intern_str(&modules->names, line);
		if (module.name == PD_INTERN_NONE || !pd_vec_push(&modules->list, module))
			return &pd_enomem;
	}
	modules->files = calloc(modules->names.n + 1, sizeof(*modules->files));
	if (!modules->files)
		return &pd_enomem;
	/*
	 * The kernel lists the most recently loaded module first, but perf writes modules by
	 * address.
	 */
	if (modules->list.n)
		qsort(modules->list.data, modules->list.n, sizeof(struct module), compare);
	return NULL;
}

/*
 * Find the module of a file name, x_y for "x-y.ko.xz". Returns the index of its name, or
 * PD_INTERN_NONE.
 */
static uint32_t find_name(const struct modules *modules, const char *base)
{
	const char *suffix = strstr(base, ".ko");
	size_t len = suffix ? (size_t)(suffix - base) : 0;
	char name[NAME_MAX + 1];

	if (!len || len > NAME_MAX || (suffix[3] && suffix[3] != '.'))
		return PD_INTERN_NONE;
	for (size_t i = 0; i < len; i++)
		name[i] = base[i] == '-' ? '_' : base[i];
	return pd_intern_find(&modules->names, name, len);
}

static struct pd_error *add_file(struct modules *modules, const char *path, const char *base)
{
	uint32_t n = find_name(modules, base);

	if (n == PD_INTERN_NONE)
		return NULL;
	char *copy = strdup(path);
	if (!copy)
		return &pd_enomem;
	free(modules->files[n]);
	modules->files[n] = copy;
	PD_IS_OWNED(copy, "deinit() frees the files");
	return NULL;
}

static struct pd_error *search(
	const struct cap_machine *machine, struct modules *modules, char path[PATH_MAX], int depth);

/* Visit @p path, whose last component is @p base: a file that may be a module, or a directory. */
static struct pd_error *visit_entry(const struct cap_machine *machine, struct modules *modules,
	char path[PATH_MAX], const char *base, int depth)
{
	char whole[PATH_MAX];
	struct stat st;

	if (base[0] == '.' || !cap_machine_path(machine, whole, "%s", path) ||
		lstat(whole, &st) != 0)
		return NULL;
	/* lstat(): links to directories ("build", "source") lead to kernel sources. */
	if (S_ISDIR(st.st_mode))
		return search(machine, modules, path, depth + 1);
	return S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) ? add_file(modules, path, base) : NULL;
}

/* Search the directory @p path. It is the buffer for the paths below, and unchanged afterwards. */
static struct pd_error *search(
	const struct cap_machine *machine, struct modules *modules, char path[PATH_MAX], int depth)
{
	_cleanup_(cap_close_dir) DIR *dir =
		depth < MAX_DEPTH ? cap_machine_dir(machine, "%s", path) : NULL;
	size_t len = strlen(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int n = snprintf(path + len, PATH_MAX - len, "/%s", entry->d_name);

		/* Skip a path that snprintf() has truncated. */
		struct pd_error *err =
			n > 0 && (size_t)n < PATH_MAX - len
				? visit_entry(machine, modules, path, entry->d_name, depth)
				: NULL;
		if (err)
			return err;
		path[len] = '\0';
	}
	return NULL;
}

static struct pd_error *find_files(struct cap_synth *synth, struct modules *modules)
{
	_cleanup_free_ char *release =
		cap_machine_line(&synth->machine, "/proc/sys/kernel/osrelease");
	char path[PATH_MAX];

	if (!release || !modules->list.n)
		return cap_machine_check(&synth->machine);
	if (snprintf(path, sizeof(path), "/lib/modules/%s", release) >= (int)sizeof(path))
		return NULL;
	return search(&synth->machine, modules, path, 0);
}

static struct pd_error *put_module(
	struct cap_synth *synth, const struct modules *modules, const struct module *module)
{
	const char *name = pd_intern_bytes(&modules->names, module->name);
	const char *file = modules->files[module->name];
	char bare[NAME_MAX + 3];
	struct pd_build_id id;
	bool has_id = synth->opts.build_ids && cap_build_id_module(&synth->machine, name, &id);

	snprintf(bare, sizeof(bare), "[%.*s]", NAME_MAX, name);
	const struct pd_mmap body = {
		.pid = UINT32_MAX,
		.addr = module->start,
		.len = module->size,
		.filename = cap_str(file ? file : bare),
	};
	synth->counts.modules++;
	return cap_synth_put_kernel(synth, &body, has_id ? &id : NULL);
}

static struct pd_error *put_all(struct cap_synth *synth, struct modules *modules)
{
	struct pd_error *err = read_list(synth, modules);

	if (err)
		return err;
	err = find_files(synth, modules);
	if (err)
		return err;
	for (size_t i = 0; i < modules->list.n; i++) {
		err = put_module(synth, modules, &modules->list.data[i]);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *cap_synth_modules(struct cap_synth *synth)
{
	_cleanup_(deinit) struct modules modules = { 0 };

	return put_all(synth, &modules);
}
