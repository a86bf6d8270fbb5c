#include "capture/synth/synth_kernel.h"

#include <inttypes.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/intern.h"
#include "base/containers/map.h"
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
	struct base_intern names;
	/** File of each name, without the root; NULL: none was found. Owned. */
	char **files;
};

static void modules_deinit(struct modules *modules)
{
	for (size_t i = 0; modules->files && i < modules->names.n; i++)
		free(modules->files[i]);
	free(modules->files);
	pd_vec_deinit(&modules->list);
	base_intern_deinit(&modules->names);
}

/*
 * Parse "NAME SIZE USERS DEPENDENCIES STATE 0xADDRESS" and cut the line after the name. False if
 * the address is hidden.
 */
static bool parse_module(char *line, struct module *ret)
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

		if (!parse_module(line, &module)) {
			synth->counts.is_kernel_hidden = true;
			continue;
		}
		module.name = base_intern_str(&modules->names, line);
		if (module.name == PD_INTERN_NONE || !pd_vec_push(&modules->list, module))
			return &pd_enomem;
	}
	modules->files = base_calloc_n(modules->names.n, sizeof(*modules->files));
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
	return base_intern_find(&modules->names, name, len);
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
	const char *name = base_intern_bytes(&modules->names, module->name);
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

/* BPF programs: addresses of their code from bpf(2), its names from /proc/kallsyms. */

enum {
	/** Limit of functions in a program: more than the kernel allows. */
	MAX_FUNCTIONS = 4096,
	NAME_BYTES = 512,
};

/** Names of generated functions by address. */
struct name {
	uint64_t address;
	char *text;
};

struct names {
	/** Address to index in the list + 1. */
	struct base_map by_address;
	/** In the order of kallsyms. */
	PD_VEC(struct name) list;
};

/** A program, and the addresses and sizes of its functions. */
struct program {
	struct bpf_prog_info info;
	uint64_t *addresses;
	uint32_t *sizes;
};

static void names_deinit(struct names *names)
{
	for (size_t i = 0; i < names->list.n; i++)
		free(names->list.data[i].text);
	pd_vec_deinit(&names->list);
	base_map_deinit(&names->by_address);
}

static long call_bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static struct pd_error *put_symbol(
	struct cap_synth *synth, uint64_t address, uint32_t size, const char *name)
{
	const union pd_body body = {
		.ksymbol = {
			.addr = address,
			.len = size,
			.ksym_type = PD_KSYMBOL_BPF,
			.name = cap_str(name),
		},
	};

	return cap_synth_put(synth, &pd_layout_ksymbol, 0, &body);
}

/*
 * Trampolines and dispatchers call programs and belong to none. The kernel does not report their
 * sizes; each is within a page.
 */
static bool is_glue(const char *name)
{
	return strncmp(name, "bpf_trampoline_", 15) == 0 ||
	       strncmp(name, "bpf_dispatcher_", 15) == 0;
}

static struct pd_error *add_name(struct names *names, uint64_t address, const char *name)
{
	struct name entry = { address, strdup(name) };
	uint64_t *index = entry.text ? base_map_add(&names->by_address, address, NULL) : NULL;

	if (!index || !pd_vec_push(&names->list, entry)) {
		free(entry.text);
		return &pd_enomem;
	}
	PD_IS_OWNED(entry.text, "names_deinit() frees the list");
	*index = names->list.n;
	return NULL;
}

/* "ADDRESS TYPE NAME\t[bpf]" */
static bool parse_symbol(char *line, uint64_t *address_ret, char **name_ret)
{
	char *module = strstr(line, "\t[bpf]");
	char *end;

	if (!module)
		return false;
	*module = '\0';
	*address_ret = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !*address_ret)
		return false;
	*name_ret = end + 3;
	return true;
}

static struct pd_error *read_names(struct cap_synth *synth, struct names *names)
{
	_cleanup_fclose_ FILE *in = cap_machine_open(&synth->machine, "/proc/kallsyms");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	while (in && getline(&line, &cap, in) > 0) {
		uint64_t address;
		char *name;

		if (!parse_symbol(line, &address, &name))
			continue;
		struct pd_error *err = add_name(names, address, name);
		if (err)
			return err;
	}
	return NULL;
}

/*
 * Name a function as kallsyms does, or, if it is missing there, as the kernel names a program with
 * one function.
 */
static void name_function(const struct names *names, const struct bpf_prog_info *info,
	uint64_t address, char ret[NAME_BYTES])
{
	const uint64_t *index = base_map_find(&names->by_address, address);
	char tag[2 * BPF_TAG_SIZE + 1];

	for (int i = 0; i < BPF_TAG_SIZE; i++)
		snprintf(tag + 2 * i, 3, "%02x", info->tag[i]);
	if (index)
		snprintf(ret, NAME_BYTES, "%s", names->list.data[*index - 1].text);
	else
		snprintf(ret, NAME_BYTES, "bpf_prog_%s%s%.*s", tag, info->name[0] ? "_" : "",
			BPF_OBJ_NAME_LEN, info->name);
}

static struct pd_error *put_program(
	struct cap_synth *synth, const struct names *names, const struct program *program)
{
	const struct bpf_prog_info *info = &program->info;
	const union pd_body event = {
		.bpf_event = {
			.event_type = PD_BPF_PROG_LOAD,
			.id = info->id,
			.tag = info->tag,
		},
	};

	/*
	 * The kernel also reports the functions of a program before the program
	 * (perf_event_bpf_event()).
	 */
	for (uint32_t i = 0; i < info->nr_jited_ksyms; i++) {
		char name[NAME_BYTES];

		name_function(names, info, program->addresses[i], name);
		struct pd_error *err =
			put_symbol(synth, program->addresses[i], program->sizes[i], name);
		if (err)
			return err;
	}
	synth->counts.programs++;
	return cap_synth_put(synth, &pd_layout_bpf_event, 0, &event);
}

static bool get_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr attr = { 0 };

	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(*info);
	attr.info.info = (uintptr_t)info;
	return call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0;
}

/*
 * Read the functions of a program. False if the kernel hides them, or the program is interpreted.
 */
static bool read_program(int fd, struct program *ret)
{
	struct bpf_prog_info info = { 0 };

	if (!get_info(fd, &info) || !info.nr_jited_ksyms || info.nr_jited_ksyms > MAX_FUNCTIONS ||
		info.nr_jited_ksyms != info.nr_jited_func_lens)
		return false;
	/* The first call returned the numbers, the second one fills the arrays. */
	uint32_t n = info.nr_jited_ksyms;
	ret->addresses = calloc(n, sizeof(*ret->addresses));
	ret->sizes = calloc(n, sizeof(*ret->sizes));
	ret->info = (struct bpf_prog_info){
		.nr_jited_ksyms = n,
		.jited_ksyms = (uintptr_t)ret->addresses,
		.nr_jited_func_lens = n,
		.jited_func_lens = (uintptr_t)ret->sizes,
	};
	return ret->addresses && ret->sizes && get_info(fd, &ret->info) &&
	       ret->info.nr_jited_ksyms == n && ret->addresses[0];
}

static struct pd_error *put_program_fd(struct cap_synth *synth, const struct names *names, int fd)
{
	struct program program = { 0 };
	struct pd_error *err =
		read_program(fd, &program) ? put_program(synth, names, &program) : NULL;

	free(program.addresses);
	free(program.sizes);
	return err;
}

static struct pd_error *put_programs(struct cap_synth *synth, const struct names *names)
{
	union bpf_attr attr = { 0 };

	while (call_bpf(BPF_PROG_GET_NEXT_ID, &attr) == 0) {
		uint32_t id = attr.next_id;

		attr = (union bpf_attr){ .prog_id = id };
		/* A program may be unloaded between the two calls. */
		_cleanup_close_ int fd = (int)call_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		struct pd_error *err = fd >= 0 ? put_program_fd(synth, names, fd) : NULL;
		if (err)
			return err;
		attr = (union bpf_attr){ .start_id = id };
	}
	return NULL;
}

static struct pd_error *put_glue(struct cap_synth *synth, const struct names *names)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < names->list.n; i++) {
		const struct name *name = &names->list.data[i];

		if (!is_glue(name->text))
			continue;
		struct pd_error *err = put_symbol(synth, name->address, page, name->text);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *put_bpf(struct cap_synth *synth, struct names *names)
{
	struct pd_error *err = read_names(synth, names);

	if (err || !names->list.n)
		return err;
	err = put_programs(synth, names);
	return err ? err : put_glue(synth, names);
}

struct pd_error *cap_synth_bpf(struct cap_synth *synth)
{
	_cleanup_(names_deinit) struct names names = { 0 };

	return put_bpf(synth, &names);
}
