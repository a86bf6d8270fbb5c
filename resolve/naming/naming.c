#include "resolve/naming/naming.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/prefetch.h"
#include "base/containers/sort.h"
#include "parse/bpf_programs.h"
#include "parse/open_file.h"
#include "resolve/naming/naming_code.h"
#include "resolve/naming/naming_kernel.h"
#include "resolve/naming/naming_without_symbols.h"

/* Number of frames whose lines are loaded ahead. */
enum { AHEAD = 16 };

/* Sort the frames of @p job by address, ascending. Returns the addresses; NULL: no memory. */
static struct base_keyed *sort_frames(const struct profile *profile, struct naming_job *job)
{
	size_t n = job->frames.n;
	struct base_keyed *keyed = reallocarray(NULL, n + 1, sizeof(*keyed));

	if (!keyed)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const struct prof_frame *frame = prof_frame(profile, job->frames.data[i]);

		keyed[i] = (struct base_keyed){ frame->addr, job->frames.data[i].i };
		job->has_data |= frame->flags & PROF_FRAME_DATA;
	}
	if (!base_sort_keyed(keyed, n)) {
		free(keyed);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		job->frames.data[i] = (struct prof_frame_id){ keyed[i].index };
	return keyed;
}

static struct pd_error *list_addrs(const struct naming *naming, struct naming_job *job)
{
	size_t n = job->frames.n;
	_cleanup_free_ struct base_keyed *keyed = sort_frames(naming->profile, job);

	job->addrs = calloc(n, sizeof(*job->addrs));
	job->addr_of_frame = calloc(n, sizeof(*job->addr_of_frame));
	job->names = calloc(n, sizeof(*job->names));
	if (!keyed || !job->addrs || !job->addr_of_frame || !job->names)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++) {
		/*
		 * Frames that differ only in their flags have one address, which is looked up once.
		 */
		if (!job->n_addrs || job->addrs[job->n_addrs - 1] != keyed[i].key)
			job->addrs[job->n_addrs++] = keyed[i].key;
		job->addr_of_frame[i] = (uint32_t)job->n_addrs - 1;
	}
	return NULL;
}

struct pd_error *naming_set(struct naming_job *job, size_t i, const char *name, uint64_t start)
{
	struct sym_name *copy = base_arena_alloc(&job->arena, sizeof(*copy));

	if (!copy)
		return &pd_enomem;
	*copy = (struct sym_name){ .function = name };
	job->names[i] = (struct sym_names){
		.names = copy,
		.n = 1,
		.symbol_start = start,
		.has_symbol = true,
	};
	return NULL;
}

/* Name the addresses as those of data, which most of them are not if other frames have them. */
static struct pd_error *find_data_names(const struct naming *naming, struct naming_job *job)
{
	if (!job->has_data)
		return NULL;
	job->data_names = calloc(job->n_addrs, sizeof(*job->data_names));
	if (!job->data_names)
		return &pd_enomem;
	return sym_binary_name_data(job->binary->symbols, naming->opts->names, job->addrs,
		job->n_addrs, &job->arena, job->data_names);
}

static struct pd_error *find_names(const struct naming *naming, struct naming_job *job)
{
	const struct resolve_binary *binary = job->binary;
	struct pd_error *err = list_addrs(naming, job);

	if (err)
		return err;
	if (binary->dso->is_kernel)
		return naming_of_kernel(naming, job);
	if (resolve_binary_is_generated(binary))
		return naming_of_generated(job);
	if (strcmp(binary->dso->name, "[uprobes]") == 0)
		return naming_of_probes(job);
	if (sym_binary_status(binary->symbols) != SYM_FOUND)
		return NULL;
	err = sym_binary_fetch_debug(binary->symbols);
	if (err)
		return err;
	err = sym_binary_names(binary->symbols, naming->opts->names, job->addrs, job->n_addrs,
		&job->arena, job->names);
	if (!err)
		err = naming_of_trampolines(job);
	if (!err)
		err = naming_of_nameless(job);
	return err ? err : find_data_names(naming, job);
}

static void do_job(const struct naming *naming, struct naming_job *job)
{
	PD_LIMIT_SCOPE();

	job->err = base_is_cancelled() ? base_cancel_error() : find_names(naming, job);
	if (!job->err)
		job->err = naming_list_code(naming, job);
	if (job->binary->symbols)
		sym_binary_drop(job->binary->symbols);
	job->limits = base_limit_reached();
}

/* Open the kernel, which may take long, or name the frames of one of the other binaries. */
static void open_or_name(void *ctx, size_t worker, size_t item)
{
	struct naming *naming = ctx;
	struct naming_job *job = item ? &naming->jobs[item - 1] : NULL;

	(void)worker;
	if (!job)
		naming->kernel_err = naming_open_kernel(naming);
	else if (job->frames.n && job->binary && !job->binary->dso->is_kernel)
		do_job(naming, job);
}

static void name_kernel(void *ctx, size_t worker, size_t item)
{
	struct naming *naming = ctx;
	struct naming_job *job = &naming->jobs[item];

	(void)worker;
	if (naming_is_of_kernel(job))
		do_job(naming, job);
}

/* Functions of a mismatched file are marked by their name, so that every format shows it. */
static struct prof_string_id function_name(
	struct profile *profile, const char *name, struct prof_binary_id binary)
{
	if (prof_is_none(binary) || !prof_binary(profile, binary)->is_mismatched)
		return prof_add_string(profile, name);
	_cleanup_free_ char *marked = base_format("%s [mismatch]", name);
	return marked ? prof_add_string(profile, marked) : prof_no_string();
}

static struct prof_function_id add_function(struct profile *profile, const struct sym_name *name,
	struct prof_binary_id binary, uint32_t made_size)
{
	const struct prof_function function = {
		.name = function_name(profile, name->function, binary),
		.linkage = prof_add_string(profile, name->linkage ? name->linkage : name->function),
		.file = prof_add_string(profile, name->file),
		.decl_file = prof_add_string(profile, name->decl_file),
		.start_line = name->start_line,
		.binary = binary,
		.made_size = made_size,
	};

	if (prof_is_none(function.name) || prof_is_none(function.linkage) ||
		prof_is_none(function.file) || prof_is_none(function.decl_file))
		return prof_no_function();
	return prof_add_function(profile, &function);
}

/*
 * Find or add a function. Frames are named in the order of their addresses, so most have a function
 * that was found just before. Its texts are compared by their addresses: they do not move before
 * all frames are named.
 */
static struct prof_function_id find_function(struct naming *naming, const struct sym_name *name,
	struct prof_binary_id binary, uint32_t made_size)
{
	size_t at = ((uintptr_t)name->function / 8 ^ name->start_line) % NAMING_RECENT;
	struct naming_function *recent = &naming->recent[at];

	if (recent->function == name->function && recent->linkage == name->linkage &&
		recent->file == name->file && recent->decl_file == name->decl_file &&
		recent->start_line == name->start_line && recent->binary.i == binary.i)
		return recent->id;
	struct prof_function_id id = add_function(naming->profile, name, binary, made_size);
	if (!prof_is_none(id))
		*recent = (struct naming_function){ name->function, name->linkage, name->file,
			name->decl_file, name->start_line, binary, id };
	return id;
}

/* Append a function to the lines of a frame or of code. */
static struct pd_error *add_line(struct naming *naming, struct prof_lines *lines,
	const struct sym_name *name, struct prof_binary_id binary, uint32_t made_size)
{
	struct profile *profile = naming->profile;
	struct prof_line line = {
		.function = find_function(naming, name, binary, made_size),
		.line = name->line,
		.discriminator = name->discriminator,
	};

	if (prof_is_none(line.function))
		return &pd_enomem;
	/*
	 * They refer to a range of profile->lines, so lines are added one after the other.
	 */
	if (!lines->n)
		lines->first = (uint32_t)profile->lines.n;
	lines->n++;
	return pd_vec_push(&profile->lines, line) ? NULL : &pd_enomem;
}

/* Whether the mapping is memory without a file. */
static bool is_anonymous(const char *name)
{
	static const char *const names[] = { "//anon", "/dev/zero", "/anon_hugepage", "/SYSV",
		"[heap]", "[stack" };

	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

/* Names of a frame of the job. Data may be code, for example if it is executed the first time. */
static const struct sym_names *names_of(
	const struct naming *naming, const struct naming_job *job, size_t i)
{
	uint32_t at = job->addr_of_frame[i];

	if (!job->data_names || !job->data_names[at].n)
		return &job->names[at];
	bool is_data = prof_frame(naming->profile, job->frames.data[i])->flags & PROF_FRAME_DATA;
	return is_data ? &job->data_names[at] : &job->names[at];
}

/* Set the offsets of a frame in its file and in its symbol. */
static void set_offset(const struct naming *naming, const struct naming_job *job, size_t i,
	struct prof_frame_offset *ret)
{
	const struct sym_names *names = names_of(naming, job, i);
	const struct prof_binary *binary = prof_binary(naming->profile, job->binary->profile_id);
	uint64_t addr = job->addrs[job->addr_of_frame[i]];

	ret->has_symbol = names->has_symbol;
	ret->in_symbol = addr - names->symbol_start;
	ret->in_file = addr;
	if (binary->is_kernel || binary->is_generated)
		return;
	if (!binary->has_image)
		ret->has_file = !is_anonymous(job->binary->dso->name) &&
				resolve_binary_offset(job->binary, addr, &ret->in_file);
	else
		ret->has_file = !binary->is_found ||
				sym_binary_offset(job->binary->symbols, addr, &ret->in_file);
}

static struct pd_error *add_lines(struct naming *naming, const struct naming_job *job,
	const struct sym_names *names, uint32_t made_size, struct prof_lines *ret)
{
	for (uint32_t k = 0; k < names->n; k++) {
		const char *function = names->names[k].function;

		/* A frame without lines has no name. A line without a function would hide that. */
		if (!function || !function[0])
			continue;
		struct pd_error *err =
			add_line(naming, ret, &names->names[k], job->binary->profile_id, made_size);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *add_names(struct naming *naming, struct naming_job *job)
{
	if (naming->opts->request->frame_offsets) {
		struct pd_error *err = resolve_binary_index_offsets(job->binary);
		if (err)
			return err;
	}
	naming->profile->binaries.data[job->binary->profile_id.i].has_made_names = job->made_sizes;
	for (size_t i = 0; i < job->frames.n; i++) {
		const struct sym_names *names = names_of(naming, job, i);
		uint32_t at = job->addr_of_frame[i];
		bool is_code = names == &job->names[at];
		uint32_t made_size = job->made_sizes && is_code ? job->made_sizes[at] : 0;
		size_t ahead = i + AHEAD < job->frames.n ? i + AHEAD : i;

		base_prefetch(&naming->profile->frame_lines.data[job->frames.data[ahead].i]);
		if (naming->opts->request->frame_offsets)
			set_offset(naming, job, i,
				&naming->profile->frame_offsets.data[job->frames.data[i].i]);
		struct pd_error *err = add_lines(naming, job, names, made_size,
			&naming->profile->frame_lines.data[job->frames.data[i].i]);
		if (err)
			return err;
	}
	return NULL;
}

/* Add the code of the functions of the job. */
static struct pd_error *add_code(struct naming *naming, const struct naming_job *job)
{
	for (size_t i = 0; i < job->code.list.n; i++) {
		const struct prof_code code = {
			.start = job->code.list.data[i].start,
			.end = job->code.list.data[i].end,
			.binary = job->binary->profile_id,
		};
		struct prof_lines lines = { 0 };
		struct pd_error *err = add_lines(naming, job, &job->code_names[i], 0, &lines);

		if (!err)
			err = prof_add_code(naming->profile, &code, lines);
		if (err)
			return err;
	}
	return NULL;
}

/* Create a job for each binary, with the frames in it. */
static struct pd_error *create_jobs(struct naming *naming)
{
	struct profile *profile = naming->profile;
	struct prof_lines none = { 0 };
	struct prof_frame_offset nowhere = { 0 };

	naming->n_jobs = profile->binaries.n;
	naming->jobs = base_calloc_n(naming->n_jobs, sizeof(*naming->jobs));
	if (!naming->jobs)
		return &pd_enomem;
	/*
	 * Only binaries with frames have an id. The job of a binary for a context, such as a guest,
	 * has no file and names nothing.
	 */
	for (size_t i = 0; i < resolve_binaries_n(naming->binaries); i++) {
		struct resolve_binary *binary = resolve_binaries_get(naming->binaries, i);
		if (!prof_is_none(binary->profile_id))
			naming->jobs[binary->profile_id.i].binary = binary;
	}
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++) {
		struct prof_binary_id binary = prof_frame(profile, id)->binary;

		if (!pd_vec_push(&profile->frame_lines, none) ||
			(naming->opts->request->frame_offsets &&
				!pd_vec_push(&profile->frame_offsets, nowhere)))
			return &pd_enomem;
		if (!prof_is_none(binary) && !pd_vec_push(&naming->jobs[binary.i].frames, id))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *collect_job(struct naming *naming, struct naming_job *job)
{
	struct pd_error *err = take_ptr(job->err);

	if (err)
		return err;
	if (!job->frames.n || !job->binary)
		return NULL;
	if (job->binary->dso->is_kernel) {
		err = naming_note_kernel(naming, job);
		if (err)
			return err;
	}
	naming->profile->stats.n_generated += job->n_generated;
	naming->profile->stats.n_reused += job->n_reused;
	/* Limits of binaries were reported with their files. */
	if (base_limit_set_has(&job->limits, PD_LIMIT_ID_BPF_AT_ADDRESS))
		parse_file_note_limit(naming->file, PD_LIMIT_ID_BPF_AT_ADDRESS);
	err = add_names(naming, job);
	return err ? err : add_code(naming, job);
}

static struct pd_error *collect(struct naming *naming)
{
	for (size_t i = 0; i < naming->n_jobs; i++) {
		struct pd_error *err = collect_job(naming, &naming->jobs[i]);
		if (err)
			return err;
	}
	return NULL;
}

/* Name the frames that are marks. */
static struct pd_error *name_marks(struct naming *naming)
{
	static const struct sym_name truncated = { .function = "[truncated]" };
	static const struct sym_name stitched = { .function = "[stitched]" };
	struct profile *profile = naming->profile;

	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++) {
		uint32_t flags = prof_frame(profile, id)->flags;
		const struct sym_name *name = flags & PROF_FRAME_TRUNCATED  ? &truncated
					      : flags & PROF_FRAME_STITCHED ? &stitched
									    : NULL;
		if (!name)
			continue;
		struct pd_error *err = add_line(
			naming, &profile->frame_lines.data[id.i], name, prof_no_binary(), 0);
		if (err)
			return err;
	}
	return NULL;
}

static void destroy_jobs(struct naming *naming)
{
	for (size_t i = 0; naming->jobs && i < naming->n_jobs; i++) {
		struct naming_job *job = &naming->jobs[i];

		pd_error_destroy(job->err);
		sym_module_destroy(job->module);
		pd_vec_deinit(&job->frames);
		free(job->addrs);
		free(job->addr_of_frame);
		free(job->names);
		free(job->data_names);
		sym_code_list_deinit(&job->code);
		free(job->code_names);
		free(job->made_sizes);
		base_arena_deinit(&job->arena);
	}
	free(naming->jobs);
}

static struct pd_error *name_frames(struct naming *naming, struct base_pool *pool)
{
	struct pd_error *err = base_cancel_ask() ? base_cancel_error() : create_jobs(naming);

	if (err)
		return err;
	base_pool_run(pool, naming->n_jobs + 1, open_or_name, naming);
	if (naming->kernel_err)
		return naming->kernel_err;
	base_pool_run(pool, naming->n_jobs, name_kernel, naming);
	/*
	 * The profile is filled by one thread, in the order of binaries: so ids do not depend on
	 * the workers.
	 */
	err = collect(naming);
	return err ? err : name_marks(naming);
}

struct pd_error *resolve_name_frames(const struct pd_file *file, struct profile *profile,
	struct resolve_binaries *binaries, struct parse_space *space,
	const struct resolve_naming_opts *opts, struct base_pool *pool)
{
	struct naming naming = {
		.file = file,
		.profile = profile,
		.binaries = binaries,
		.opts = opts,
		.kernel_facts = parse_space_kernel(space),
		.kernel_dso = parse_space_kernel(space)->dso,
		.kernel_maps = parse_space_kernel_maps(space),
	};
	struct pd_error *err = name_frames(&naming, pool);

	destroy_jobs(&naming);
	sym_kernel_destroy(naming.kernel);
	parse_bpf_destroy(naming.bpf);
	return err;
}
