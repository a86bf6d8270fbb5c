#include "capture/synth/synth_kernel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/intern.h"
#include "capture/synth/synth_state.h"

/* Emit an MMAP with the addresses and name of @p body, or an MMAP2 if there is a build id. */
static struct pd_error *put_mmap(
	struct cap_synth *synth, const struct pd_mmap *body, const struct pd_build_id *id)
{
	const union pd_body plain = { .mmap = *body };
	const union pd_body identified = {
		.mmap2_build_id = {
			.pid = body->pid,
			.tid = body->tid,
			.addr = body->addr,
			.len = body->len,
			.pgoff = body->pgoff,
			.build_id = id ? *id : (struct pd_build_id){ 0 },
			.filename = body->filename,
		},
	};

	/* perf also writes MMAP for the kernel. MMAP2 is needed only for a build id. */
	if (!id)
		return cap_synth_put(synth, &pd_layout_mmap, PD_MISC_KERNEL, &plain);
	return cap_synth_put(synth, &pd_layout_mmap2_build_id,
		PD_MISC_KERNEL | PD_MISC_MMAP_BUILD_ID, &identified);
}

/* Modules: their addresses from /proc/modules, their files from /lib/modules. */

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

static void modules_deinit(struct modules *modules)
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
	modules->files = pd_calloc_n(modules->names.n, sizeof(*modules->files));
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
	PD_IS_OWNED(copy, "modules_deinit() frees the files");
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
	return put_mmap(synth, &body, has_id ? &id : NULL);
}

static struct pd_error *put_listed_modules(struct cap_synth *synth, struct modules *modules)
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

static struct pd_error *put_modules(struct cap_synth *synth)
{
	_cleanup_(modules_deinit) struct modules modules = { 0 };

	return put_listed_modules(synth, &modules);
}

/* The kernel: its addresses from /proc/kallsyms. */

/**
 * Symbols that the kernel's mapping may start at, by preference, and the one where it ends. Readers
 * relocate kernel addresses by the start symbol.
 */
static const char *const start_names[] = { "_text", "_stext" };
enum { N_STARTS = PD_ARRAY_LEN(start_names) };
static const char end_name[] = "_etext";

/** Addresses from kallsyms; 0: missing or hidden. */
struct kernel_symbols {
	uint64_t starts[N_STARTS];
	uint64_t end;
};

/*
 * Read a line "ADDRESS TYPE NAME". Symbols of modules, which have "\t[MODULE]" after the name,
 * match no name here.
 */
static void read_symbol(const char *line, struct kernel_symbols *ret)
{
	char *end;
	uint64_t address = strtoull(line, &end, 16);
	const char *name = end + 3;

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return;
	for (size_t i = 0; i < N_STARTS; i++) {
		if (strcmp(name, start_names[i]) == 0 && !ret->starts[i])
			ret->starts[i] = address;
	}
	if (strcmp(name, end_name) == 0)
		ret->end = address;
}

static struct kernel_symbols read_symbols(const struct cap_machine *machine)
{
	_cleanup_fclose_ FILE *in = cap_machine_open(machine, "/proc/kallsyms");
	struct kernel_symbols symbols = { 0 };
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	while (in && !(symbols.starts[0] && symbols.end) && getline(&line, &cap, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		read_symbol(line, &symbols);
	}
	return symbols;
}

/* Some architectures have no _etext: then the kernel extends to the end of the address space. */
static struct pd_error *put_image(
	struct cap_synth *synth, const char *name, uint64_t start, uint64_t end)
{
	struct pd_build_id id;
	bool has_id = synth->opts.build_ids && cap_build_id_kernel(&synth->machine, &id);
	char filename[64];

	snprintf(filename, sizeof(filename), "[kernel.kallsyms]%s", name);
	const struct pd_mmap body = {
		.pid = UINT32_MAX,
		.addr = start,
		.len = (end > start ? end : UINT64_MAX) - start,
		.pgoff = start,
		.filename = cap_str(filename),
	};
	return put_mmap(synth, &body, has_id ? &id : NULL);
}

struct pd_error *cap_synth_kernel(struct cap_synth *synth)
{
	struct kernel_symbols symbols = read_symbols(&synth->machine);
	size_t i = symbols.starts[0] ? 0 : 1;

	if (!symbols.starts[i]) {
		synth->counts.is_kernel_hidden = true;
		return NULL;
	}
	struct pd_error *err = put_image(synth, start_names[i], symbols.starts[i], symbols.end);
	return err ? err : put_modules(synth);
}
