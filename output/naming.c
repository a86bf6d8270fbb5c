#include "output/naming.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "parse/jitdump.h"
#include "parse/space.h"
#include "symbolize/kernel.h"

/* The frames of one binary, and their names before they are entered in the profile. */
struct job {
	struct out_binary *binary;
	/** Frame numbers by ascending address; several frames can have the same address. */
	PD_VEC(uint32_t) frames;
	/** Distinct addresses, ascending, and which one each frame has. */
	uint64_t *addrs;
	size_t n_addrs;
	uint32_t *addr_of_frame;
	struct sym_names *names;
	struct pd_arena arena;
	struct pd_error *err;
};

struct naming {
	struct profile *profile;
	struct out_binaries *binaries;
	const struct out_opts *opts;
	struct sym_kernel *kernel;
	const struct pd_maps *kernel_maps;
	/** By the binary's number in the profile. */
	struct job *jobs;
	size_t n_jobs;
};

static int compare_frames(const void *a, const void *b, void *profile)
{
	uint64_t x = profile_frame(profile, *(const uint32_t *)a)->addr;
	uint64_t y = profile_frame(profile, *(const uint32_t *)b)->addr;

	return x < y ? -1 : x > y;
}

static struct pd_error *list_addrs(struct naming *naming, struct job *job)
{
	size_t n = job->frames.n;

	qsort_r(job->frames.data, n, sizeof(*job->frames.data), compare_frames, naming->profile);
	job->addrs = calloc(n, sizeof(*job->addrs));
	job->addr_of_frame = calloc(n, sizeof(*job->addr_of_frame));
	job->names = calloc(n, sizeof(*job->names));
	if (!job->addrs || !job->addr_of_frame || !job->names)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++) {
		uint64_t addr = profile_frame(naming->profile, job->frames.data[i])->addr;

		if (!job->n_addrs || job->addrs[job->n_addrs - 1] != addr)
			job->addrs[job->n_addrs++] = addr;
		job->addr_of_frame[i] = (uint32_t)job->n_addrs - 1;
	}
	return NULL;
}

/* Generated code has the names that its program gave it. */
static struct pd_error *name_generated(struct job *job)
{
	for (size_t i = 0; i < job->n_addrs; i++) {
		const struct pd_jit_code *code = pd_jit_at_offset(job->binary->jit, job->addrs[i]);
		struct sym_name *name = code ? pd_arena_alloc(&job->arena, sizeof(*name)) : NULL;

		if (!code)
			continue;
		if (!name)
			return &pd_enomem;
		*name = (struct sym_name){ .function = code->name };
		job->names[i] = (struct sym_names){ .names = name, .n = 1 };
	}
	return NULL;
}

static void name_binary(void *ctx, size_t worker, size_t item)
{
	struct naming *naming = ctx;
	struct job *job = &naming->jobs[item];

	(void)worker;
	if (!job->frames.n || !job->binary || job->binary->dso->is_kernel)
		return;
	job->err = list_addrs(naming, job);
	if (!job->err && job->binary->jit)
		job->err = name_generated(job);
	else if (!job->err && sym_binary_status(job->binary->symbols) == SYM_FOUND)
		job->err = sym_binary_names(job->binary->symbols, &naming->opts->names, job->addrs,
			job->n_addrs, &job->arena, job->names);
}

/* Enter one function of a frame behind those that are there. */
static struct pd_error *add_line(
	struct naming *naming, uint32_t frame, const struct sym_name *name, uint32_t binary)
{
	struct profile *profile = naming->profile;
	struct prof_lines *lines = &profile->frame_lines.data[frame];
	struct prof_function function = {
		.name = pd_intern_str(&profile->strings, name->function),
		.linkage = pd_intern_str(
			&profile->strings, name->linkage ? name->linkage : name->function),
		.file = pd_intern_str(&profile->strings, name->file),
		.start_line = name->start_line,
		.binary = binary,
	};
	if (function.name == PD_INTERN_NONE || function.linkage == PD_INTERN_NONE ||
		function.file == PD_INTERN_NONE)
		return &pd_enomem;
	struct prof_line line = {
		.function = pd_intern_add(&profile->functions, &function, sizeof(function)),
		.line = name->line,
	};
	if (line.function == PD_INTERN_NONE)
		return &pd_enomem;
	if (!lines->n)
		lines->first = (uint32_t)profile->lines.n;
	lines->n++;
	return pd_vec_push(&profile->lines, line) ? NULL : &pd_enomem;
}

static struct pd_error *enter_names(struct naming *naming, struct job *job)
{
	for (size_t i = 0; i < job->frames.n; i++) {
		const struct sym_names *names = &job->names[job->addr_of_frame[i]];

		for (uint32_t k = 0; k < names->n; k++) {
			const char *function = names->names[k].function;

			if (!function || !function[0])
				continue;
			struct pd_error *err = add_line(naming, job->frames.data[i],
				&names->names[k], job->binary->profile_id);
			if (err)
				return err;
		}
	}
	return NULL;
}

/* Generated code has its one symbol in the mapping itself. */
static bool find_kernel_symbol(
	const struct naming *naming, uint64_t addr, struct sym_kernel_symbol *ret)
{
	static const char padding[] = "__pfx_";
	const struct pd_mapping *mapping = pd_maps_find(naming->kernel_maps, addr);

	if (mapping && mapping->symbol) {
		*ret = (struct sym_kernel_symbol){ .name = mapping->symbol };
		return true;
	}
	if (!sym_kernel_find(naming->kernel, addr, ret))
		return false;
	/*
	 * Nothing returns into the padding in front of a function. The address behind it was no
	 * return address: an interrupt came at the function's first instruction.
	 */
	if (strncmp(ret->name, padding, strlen(padding)) == 0)
		return sym_kernel_find(naming->kernel, addr + 1, ret);
	return true;
}

static struct pd_error *name_kernel_frames(struct naming *naming, struct job *job)
{
	for (size_t i = 0; i < job->frames.n; i++) {
		uint32_t id = job->frames.data[i];
		uint64_t addr = profile_frame(naming->profile, id)->addr;
		struct sym_kernel_symbol symbol;

		if (!find_kernel_symbol(naming, addr, &symbol))
			continue;
		struct sym_name name = { .function = symbol.name };
		struct pd_error *err = add_line(naming, id, &name, job->binary->profile_id);
		if (err)
			return err;
	}
	return NULL;
}

/* Why kernel frames stay without names, told once for each of its binaries. */
static struct pd_error *note_kernel(struct naming *naming, struct job *job)
{
	struct prof_binary *binary = &naming->profile->binaries.data[job->binary->profile_id];

	binary->has_image = true;
	binary->is_found = sym_kernel_status(naming->kernel) == SYM_KERNEL_FOUND;
	if (binary->is_found)
		return NULL;
	binary->why = pd_intern_str(&naming->profile->strings, sym_kernel_why(naming->kernel));
	return binary->why == PD_INTERN_NONE ? &pd_enomem : NULL;
}

static struct pd_error *open_kernel(struct naming *naming, const struct pd_kernel *kernel)
{
	struct sym_kernel_identity identity = {
		.ref_symbol = kernel->ref_symbol,
		.ref_addr = kernel->ref_addr,
		.release = profile_string(naming->profile, naming->profile->about.kernel_release),
	};

	if (kernel->dso)
		identity.build_id = kernel->dso->build_id;
	return sym_kernel_open(&identity, naming->opts->kallsyms, &naming->kernel);
}

/* Deal out the frames to their binaries. */
static struct pd_error *create_jobs(struct naming *naming)
{
	struct profile *profile = naming->profile;
	struct prof_lines none = { 0 };

	naming->n_jobs = profile->binaries.n;
	naming->jobs = calloc(naming->n_jobs + 1, sizeof(*naming->jobs));
	if (!naming->jobs)
		return &pd_enomem;
	for (size_t i = 0; i < out_binaries_n(naming->binaries); i++) {
		struct out_binary *binary = out_binaries_get(naming->binaries, i);
		if (binary->profile_id != PROF_NONE)
			naming->jobs[binary->profile_id].binary = binary;
	}
	for (uint32_t id = 0; id < profile->frames.n; id++) {
		uint32_t binary = profile_frame(profile, id)->binary;

		if (!pd_vec_push(&profile->frame_lines, none))
			return &pd_enomem;
		if (binary != PROF_NONE && !pd_vec_push(&naming->jobs[binary].frames, id))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *collect(struct naming *naming)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < naming->n_jobs && !err; i++) {
		struct job *job = &naming->jobs[i];

		err = take_ptr(job->err);
		if (err || !job->frames.n || !job->binary)
			continue;
		if (job->binary->dso->is_kernel) {
			err = note_kernel(naming, job);
			if (!err)
				err = name_kernel_frames(naming, job);
		} else {
			err = enter_names(naming, job);
		}
	}
	return err;
}

/* What is no frame but a mark between frames or at the root. */
static struct pd_error *name_marks(struct naming *naming)
{
	static const struct sym_name truncated = { .function = "[truncated]" };
	static const struct sym_name stitched = { .function = "[stitched]" };
	struct profile *profile = naming->profile;
	struct pd_error *err = NULL;

	for (uint32_t id = 0; id < profile->frames.n && !err; id++) {
		uint32_t flags = profile_frame(profile, id)->flags;

		if (flags & PROF_FRAME_TRUNCATED)
			err = add_line(naming, id, &truncated, PROF_NONE);
		if (flags & PROF_FRAME_STITCHED)
			err = add_line(naming, id, &stitched, PROF_NONE);
	}
	return err;
}

static void destroy_jobs(struct naming *naming)
{
	for (size_t i = 0; naming->jobs && i < naming->n_jobs; i++) {
		struct job *job = &naming->jobs[i];

		pd_error_destroy(job->err);
		pd_vec_deinit(&job->frames);
		free(job->addrs);
		free(job->addr_of_frame);
		free(job->names);
		pd_arena_deinit(&job->arena);
	}
	free(naming->jobs);
}

struct pd_error *out_name_frames(struct profile *profile, struct out_binaries *binaries,
	struct pd_space *space, const struct out_opts *opts, struct pd_pool *pool)
{
	struct naming naming = {
		.profile = profile,
		.binaries = binaries,
		.opts = opts,
		.kernel_maps = pd_space_kernel_maps(space),
	};
	struct pd_error *err = create_jobs(&naming);

	if (!err)
		err = open_kernel(&naming, pd_space_kernel(space));
	if (!err) {
		pd_pool_run(pool, naming.n_jobs, name_binary, &naming);
		err = collect(&naming);
	}
	if (!err)
		err = name_marks(&naming);
	destroy_jobs(&naming);
	sym_kernel_destroy(naming.kernel);
	return err;
}
