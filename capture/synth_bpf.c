/* BPF programs: their code from the kernel by number, its names from /proc/kallsyms. */
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "capture/synth_private.h"

enum {
	/** Functions of a program: more than the kernel allows. */
	MAX_FUNCTIONS = 4096,
	NAME_BYTES = 512,
};

/** Functions of generated code by address. */
struct names {
	/** Address to place in the list + 1. */
	struct pd_map by_address;
	PD_VEC(char *) list;
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
		free(names->list.data[i]);
	pd_vec_deinit(&names->list);
	pd_map_deinit(&names->by_address);
}

static long bpf(enum bpf_cmd cmd, union bpf_attr *attr)
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

/* Code without a program, which calls those that have one, is a page each. */
static bool is_glue(const char *name)
{
	return strncmp(name, "bpf_trampoline_", 15) == 0 ||
	       strncmp(name, "bpf_dispatcher_", 15) == 0;
}

static struct pd_error *add_name(struct names *names, uint64_t address, const char *name)
{
	char *copy = strdup(name);
	uint64_t *place = copy ? pd_map_add(&names->by_address, address, NULL) : NULL;

	if (!place || !pd_vec_push(&names->list, copy)) {
		free(copy);
		return &pd_enomem;
	}
	*place = names->list.n;
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
	struct pd_error *err = NULL;
	size_t cap = 0;

	while (in && !err && getline(&line, &cap, in) > 0) {
		uint64_t address;
		char *name;

		if (parse_line(line, &address, &name))
			err = add_name(names, address, name);
	}
	return err;
}

/* The kernel's name of a function, or what it would be for a program of one. */
static void name_function(const struct names *names, const struct bpf_prog_info *info,
	uint64_t address, char ret[NAME_BYTES])
{
	const uint64_t *place = pd_map_find(&names->by_address, address);
	char tag[2 * BPF_TAG_SIZE + 1];

	for (int i = 0; i < BPF_TAG_SIZE; i++)
		snprintf(tag + 2 * i, 3, "%02x", info->tag[i]);
	if (place)
		snprintf(ret, NAME_BYTES, "%s", names->list.data[*place - 1]);
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
	struct pd_error *err = NULL;

	for (uint32_t i = 0; !err && i < info->nr_jited_ksyms; i++) {
		char name[NAME_BYTES];

		name_function(names, info, program->addresses[i], name);
		err = put_symbol(synth, program->addresses[i], program->sizes[i], name);
	}
	synth->counts.programs++;
	return err ? err : cap_synth_put(synth, &pd_layout_bpf_event, 0, &event);
}

static bool get_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr attr = { 0 };

	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(*info);
	attr.info.info = (uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0;
}

/* False if its code is not to be known. */
static bool read_program(int fd, struct program *ret)
{
	struct bpf_prog_info info = { 0 };

	if (!get_info(fd, &info) || !info.nr_jited_ksyms || info.nr_jited_ksyms > MAX_FUNCTIONS ||
		info.nr_jited_ksyms != info.nr_jited_func_lens)
		return false;
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

static struct pd_error *put_programs(struct cap_synth *synth, const struct names *names)
{
	struct pd_error *err = NULL;
	union bpf_attr attr = { 0 };

	while (!err && bpf(BPF_PROG_GET_NEXT_ID, &attr) == 0) {
		uint32_t id = attr.next_id;
		struct program program = { 0 };

		attr = (union bpf_attr){ .prog_id = id };
		_cleanup_close_ int fd = (int)bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd >= 0 && read_program(fd, &program))
			err = put_program(synth, names, &program);
		free(program.addresses);
		free(program.sizes);
		attr = (union bpf_attr){ .start_id = id };
	}
	return err;
}

static struct pd_error *put_glue(struct cap_synth *synth, const struct names *names)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);

	pd_map_each (slot, &names->by_address) {
		const char *name = names->list.data[slot->value - 1];

		if (!is_glue(name))
			continue;
		struct pd_error *err = put_symbol(synth, slot->key, page, name);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *cap_synth_bpf(struct cap_synth *synth)
{
	struct names names = { 0 };
	struct pd_error *err = read_names(synth, &names);

	if (!err && names.list.n)
		err = put_programs(synth, &names);
	if (!err)
		err = put_glue(synth, &names);
	names_deinit(&names);
	return err;
}
