#include "resolve/binaries/jits.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/bytes.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "parse/open_file.h"
#include "parse/jitdump.h"
#include "symbolize/find/mapped_file.h"

struct dump {
	const char *path;
	struct sym_mapped_file file;
	/** NULL if the dump was not found or cannot be read. */
	struct parse_jit *jit;
};

/* A process with generated code. */
struct process {
	size_t dump;
	/** Epoch that the mappings of the process were last set to. */
	uint32_t epoch;
};

struct resolve_jits {
	const struct pd_file *file;
	const struct pd_arch *arch;
	const struct sym_search *search;
	struct parse_space *space;
	struct resolve_binaries *binaries;
	/** Paths of the dumps, which have the same indexes. */
	struct base_intern paths;
	PD_VEC(struct dump) dumps;
	/** The recording uses the clock of the dumps. Set when a dump is read. */
	bool has_times;
	/** Index in processes by process id. */
	struct base_map by_pid;
	PD_VEC(struct process) processes;
};

struct pd_error *resolve_jits_create(const struct pd_file *file, const struct pd_arch *arch,
	const struct sym_search *search, struct parse_space *space,
	struct resolve_binaries *binaries, struct resolve_jits **ret)
{
	struct resolve_jits *jits = calloc(1, sizeof(*jits));

	if (!jits)
		return &pd_enomem;
	jits->file = file;
	jits->arch = arch;
	jits->search = search;
	jits->space = space;
	jits->binaries = binaries;
	*ret = jits;
	return NULL;
}

void resolve_jits_destroy(struct resolve_jits *jits)
{
	if (!jits)
		return;
	for (size_t i = 0; i < jits->dumps.n; i++) {
		parse_jit_destroy(jits->dumps.data[i].jit);
		sym_mapped_file_close(&jits->dumps.data[i].file);
	}
	base_intern_deinit(&jits->paths);
	pd_vec_deinit(&jits->dumps);
	pd_vec_deinit(&jits->processes);
	base_map_deinit(&jits->by_pid);
	free(jits);
}

/* Whether the recording uses CLOCK_MONOTONIC, as jitdumps do. */
static bool has_monotonic_clock(const struct pd_file *file)
{
	enum { CLOCK_MONOTONIC_ID = 1 };

	for (size_t i = 0; i < file->events.list.n; i++) {
		const struct pd_attr *attr = &file->events.list.data[i].attr;

		if (!(attr->flags >> PD_ATTR_use_clockid & 1) ||
			attr->clockid != CLOCK_MONOTONIC_ID)
			return false;
	}
	return true;
}

static void warn_about(struct resolve_jits *jits, const char *path, const char *what)
{
	pd_diag_warn(jits->file->diag, path, PD_NO_OFFSET, NULL, "%s", what);
}

/*
 * Find the architecture of the code: that of the recording, or that of 32-bit programs on its
 * machine. CPython 3.13.0 writes 0 for the machine. NULL if the code is for another one.
 */
static const struct pd_arch *find_arch(struct resolve_jits *jits, const struct dump *dump)
{
	uint16_t machine = parse_jit_machine(dump->jit);
	bool is_big_endian = pd_is_big_endian(parse_jit_swap(dump->jit));

	for (const struct pd_arch *arch = jits->arch; arch; arch = arch->compat) {
		if ((!machine || machine == arch->e_machine) &&
			arch->is_big_endian == is_big_endian)
			return arch;
	}
	if (jits->arch)
		warn_about(jits, dump->path,
			"its code is for another machine: not unwound by its call frame "
			"information");
	return NULL;
}

struct pd_error *resolve_jits_check(const struct resolve_jits *jits)
{
	for (size_t i = 0; i < jits->dumps.n; i++) {
		const struct dump *dump = &jits->dumps.data[i];
		struct pd_error *err = base_file_map_check(&dump->file.map, dump->path);

		if (err)
			return err;
	}
	return NULL;
}

/* A program that is being recorded still writes its dump, so wait for the end of the recording. */
static struct pd_error *read_dump(struct resolve_jits *jits, struct dump *dump, uint32_t pid)
{
	struct pd_error *err = parse_file_await(jits->file);

	if (err)
		return err;
	err = sym_mapped_file_open(jits->search, dump->path, &dump->file);
	if (err)
		return err;
	if (!dump->file.bytes) {
		warn_about(jits, dump->path, "no such file found: generated code has no names");
		return NULL;
	}
	err = parse_jit_read(dump->file.bytes, dump->file.size, dump->path, &dump->jit);
	/* The conversion goes on without the dump. Its jit stays NULL, and it is not read again. */
	if (err && err->code == PD_ERROR_FORMAT) {
		warn_about(jits, dump->path, "is not a jitdump: generated code has no names");
		pd_error_destroy(err);
		return NULL;
	}
	if (err)
		return err;
	jits->has_times = has_monotonic_clock(jits->file);
	if (!jits->has_times)
		warn_about(jits, dump->path,
			"recorded without -k mono: where generated code was replaced, the last is "
			"taken for all");
	return resolve_binaries_add_jit(
		jits->binaries, dump->jit, dump->path, find_arch(jits, dump), pid);
}

static struct pd_error *find_dump(
	struct resolve_jits *jits, const char *path, uint32_t pid, size_t *ret)
{
	uint32_t id = base_intern_str(&jits->paths, path);

	if (id == PD_INTERN_NONE)
		return &pd_enomem;
	*ret = id;
	if (id < jits->dumps.n)
		return NULL;
	const struct dump dump = { .path = base_intern_bytes(&jits->paths, id) };
	if (!pd_vec_push(&jits->dumps, dump))
		return &pd_enomem;
	return read_dump(jits, &jits->dumps.data[*ret], pid);
}

static struct pd_error *add_process(struct resolve_jits *jits, uint32_t pid, size_t dump)
{
	const struct process process = { .dump = dump, .epoch = UINT32_MAX };
	bool is_new;
	uint64_t *number = base_map_add(&jits->by_pid, pid, &is_new);

	if (!number)
		return &pd_enomem;
	/* A program that is started again in the same process has another dump. */
	if (!is_new) {
		jits->processes.data[*number] = process;
		return NULL;
	}
	*number = jits->processes.n;
	return pd_vec_push(&jits->processes, process) ? NULL : &pd_enomem;
}

bool resolve_jits_has(const struct resolve_jits *jits, uint32_t pid)
{
	return jits->processes.n && base_map_find(&jits->by_pid, pid);
}

struct pd_error *resolve_jits_step(struct resolve_jits *jits, uint32_t pid, uint64_t time)
{
	const uint64_t *number = jits->processes.n ? base_map_find(&jits->by_pid, pid) : NULL;

	if (!number)
		return NULL;
	struct process *process = &jits->processes.data[*number];
	const struct parse_jit *jit = jits->dumps.data[process->dump].jit;
	uint32_t epoch = parse_jit_epoch(jit, jits->has_times ? time : PD_NO_TIME);
	if (epoch == process->epoch)
		return NULL;
	process->epoch = epoch;
	return parse_space_set_jit(jits->space, pid, jit, epoch);
}

/* A process has the generated code of its parent, as of the time when it is forked. */
static struct pd_error *take_fork(
	struct resolve_jits *jits, const struct pd_record *rec, size_t sid_bytes)
{
	union pd_body body;
	const char *wrong;

	if (!jits->processes.n || !pd_record_decode(rec, sid_bytes, &body, &wrong) ||
		body.fork.pid == body.fork.ppid)
		return NULL;
	return resolve_jits_step(jits, body.fork.ppid, body.fork.time);
}

static struct pd_error *take_mapping(
	struct resolve_jits *jits, const struct pd_record *rec, size_t sid_bytes)
{
	bool is_mmap = rec->type == PD_RECORD_MMAP;
	bool has_build_id = rec->misc & PD_MISC_MMAP_BUILD_ID;
	union pd_body body;
	const char *wrong;
	size_t dump;

	/* Most mappings are not jitdumps: skip decoding for these. */
	if (!memmem(rec->bytes, rec->size, "jit-", 4))
		return NULL;
	/* Invalid records are reported when mappings are replayed. */
	if (!pd_record_decode(rec, sid_bytes, &body, &wrong))
		return NULL;
	const char *path = is_mmap	  ? body.mmap.filename.s
			   : has_build_id ? body.mmap2_build_id.filename.s
					  : body.mmap2.filename.s;
	if (!parse_jit_is_path(path))
		return NULL;
	uint32_t pid = is_mmap	      ? body.mmap.pid
		       : has_build_id ? body.mmap2_build_id.pid
				      : body.mmap2.pid;
	struct pd_error *err = find_dump(jits, path, pid, &dump);
	if (err || !jits->dumps.data[dump].jit)
		return err;
	return add_process(jits, pid, dump);
}

struct pd_error *resolve_jits_take_record(
	struct resolve_jits *jits, const struct pd_record *rec, size_t sid_bytes)
{
	switch (rec->type) {
	case PD_RECORD_MMAP:
	case PD_RECORD_MMAP2:
		return take_mapping(jits, rec, sid_bytes);
	case PD_RECORD_FORK:
		return take_fork(jits, rec, sid_bytes);
	default:
		return NULL;
	}
}
