/* BPF programs: addresses of their code from bpf(2), its names from /proc/kallsyms. */
#include "capture/synth/synth_bpf.h"

#include <inttypes.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "capture/synth/synth_state.h"

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
	struct pd_map by_address;
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
	pd_map_deinit(&names->by_address);
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
	uint64_t *index = entry.text ? pd_map_add(&names->by_address, address, NULL) : NULL;

	if (!index || !pd_vec_push(&names->list, entry)) {
		free(entry.text);
		return &pd_enomem;
	}
	PD_IS_OWNED(entry.text, "names_deinit() frees the list");
	*index = names->list.n;
	return NULL;
}

/* "ADDRESS TYPE NAME\t[bpf]" */
static bool parse_line(char *line, uint64_t *address_ret, char **name_ret)
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

		if (!parse_line(line, &address, &name))
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
	const uint64_t *index = pd_map_find(&names->by_address, address);
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

static struct pd_error *put_all(struct cap_synth *synth, struct names *names)
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

	return put_all(synth, &names);
}
