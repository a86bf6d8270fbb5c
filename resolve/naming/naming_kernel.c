#include "resolve/naming/naming_kernel.h"

#include "base/cleanup.h"
#include "parse/bpf_programs.h"

/*
 * Find the mapping of the binary at address @p i at the end of the recording. NULL if there is
 * none.
 */
static const struct parse_mapping *find_mapping(
	const struct naming *naming, const struct naming_job *job, size_t i)
{
	const struct parse_mapping *mapping = parse_maps_find(naming->kernel_maps, job->addrs[i]);

	return mapping && mapping->dso == job->binary->dso ? mapping : NULL;
}

/* Generated code has one symbol. A BPF program may also have source lines. */
static struct pd_error *name_generated(const struct naming *naming, struct naming_job *job)
{
	const char *symbol = job->binary->dso->name;

	for (size_t i = 0; i < job->n_addrs; i++) {
		const struct parse_mapping *mapping = find_mapping(naming, job, i);
		/* A program may have been unloaded before the end. Its start is not known then. */
		uint64_t start = mapping ? mapping->start : job->addrs[i];
		struct parse_bpf_line line;
		struct pd_error *err = naming_set(job, i, symbol, start);

		if (err)
			return err;
		if (naming->opts->names->no_lines ||
			!parse_bpf_find(naming->bpf, symbol, job->addrs[i], &line))
			continue;
		job->names[i].names->file = line.file;
		job->names[i].names->line = line.line;
		job->names[i].names->start_line = line.start_line;
	}
	return NULL;
}

/* Name the addresses [first, end), which are in one mapping of the module. */
static struct pd_error *name_range(const struct naming *naming, struct naming_job *job,
	const struct parse_mapping *mapping, size_t first, size_t end)
{
	size_t n = end - first;
	_cleanup_free_ uint64_t *offsets = calloc(n, sizeof(*offsets));
	_cleanup_free_ struct sym_names *names = calloc(n, sizeof(*names));

	if (!offsets || !names)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++)
		offsets[i] = job->addrs[first + i] - mapping->start;
	struct pd_error *err =
		sym_module_names(job->module, naming->opts->names, offsets, n, &job->arena, names);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		names[i].symbol_start += mapping->start;
		/* Where the file has no name, that of kallsyms stays. */
		if (names[i].n)
			job->names[first + i] = names[i];
	}
	return NULL;
}

/* Name addresses by mapping: a module that was loaded again has another address. */
static struct pd_error *name_by_module(const struct naming *naming, struct naming_job *job)
{
	for (size_t i = 0, end; i < job->n_addrs; i = end) {
		const struct parse_mapping *mapping = find_mapping(naming, job, i);

		for (end = i + 1; end < job->n_addrs && find_mapping(naming, job, end) == mapping;)
			end++;
		if (!mapping)
			continue;
		struct pd_error *err = name_range(naming, job, mapping, i, end);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *resolve_open_module(const struct profile *profile, const struct parse_dso *dso,
	const struct sym_search *search, struct sym_module **ret)
{
	const struct sym_module_identity identity = {
		.name = dso->name,
		.build_id = dso->build_id,
		.release = prof_string(profile, profile->about.kernel_release),
	};

	return sym_module_open(search, &identity, ret);
}

/*
 * Name frames by the file of the module. Its names replace those of kallsyms, which has no lines.
 */
static struct pd_error *name_module(const struct naming *naming, struct naming_job *job)
{
	struct pd_error *err = resolve_open_module(
		naming->profile, job->binary->dso, naming->opts->search, &job->module);

	if (err || !sym_module_path(job->module))
		return err;
	return name_by_module(naming, job);
}

/* Whether the binary is a module: neither the kernel image nor generated code. */
static bool is_module(const struct naming *naming, const struct naming_job *job)
{
	return job->binary->dso != naming->kernel_dso && !job->binary->dso->is_generated;
}

struct pd_error *naming_of_kernel(const struct naming *naming, struct naming_job *job)
{
	if (job->binary->dso->is_generated)
		return name_generated(naming, job);
	struct pd_error *err = sym_kernel_names(naming->kernel, naming->opts->names, job->addrs,
		job->n_addrs, &job->arena, job->names);
	return err || !is_module(naming, job) ? err : name_module(naming, job);
}

/* Return the reason why kernel frames have no names. NULL if they have. */
static const char *why_unnamed(const struct naming *naming, const struct naming_job *job)
{
	if (job->binary->dso->is_generated)
		return NULL;
	if (job->module)
		return sym_module_path(job->module) || sym_kernel_kallsyms_path(naming->kernel)
			       ? NULL
			       : sym_module_why(job->module);
	return sym_kernel_why(naming->kernel);
}

uint64_t naming_module_start(const struct naming *naming, const struct naming_job *job)
{
	for (size_t i = 0; i < job->n_addrs; i++) {
		const struct parse_mapping *mapping = find_mapping(naming, job, i);

		if (mapping)
			return mapping->start;
	}
	return 0;
}

/* Record where the kernel or the module was loaded. */
static void note_load(
	const struct naming *naming, const struct naming_job *job, struct prof_binary *binary)
{
	if (job->binary->dso->is_generated)
		return;
	if (is_module(naming, job)) {
		binary->load_addr = naming_module_start(naming, job);
		return;
	}
	sym_kernel_vmlinux(naming->kernel, &binary->vmlinux_offset);
	binary->load_addr = naming->kernel_facts->ref_addr;
	binary->ref_symbol = prof_add_string(naming->profile, naming->kernel_facts->ref_symbol);
}

struct pd_error *naming_note_kernel(struct naming *naming, const struct naming_job *job)
{
	struct prof_binary *binary = &naming->profile->binaries.data[job->binary->profile_id.i];
	const struct sym_kernel_opts *given = naming->opts->kernel;
	const char *why = why_unnamed(naming, job);

	binary->has_image = !job->binary->dso->is_generated;
	binary->is_found = !why;
	binary->has_lines = job->module ? sym_module_path(job->module)
					: sym_kernel_vmlinux_path(naming->kernel);
	binary->why = prof_add_string(naming->profile, why);
	binary->is_given_refused = why && !job->module && (given->kallsyms || given->vmlinux);
	note_load(naming, job, binary);
	return prof_is_none(binary->why) || prof_is_none(binary->ref_symbol) ? &pd_enomem : NULL;
}

/* Whether kernel frames are not mapped. Such frames are in modules that were loaded later. */
static bool has_unmapped(const struct naming *naming, const struct naming_job *job)
{
	for (size_t i = 0; i < job->frames.n; i++) {
		uint64_t addr = prof_frame(naming->profile, job->frames.data[i])->addr;

		if (!parse_maps_find(naming->kernel_maps, addr))
			return true;
	}
	return false;
}

bool naming_is_of_kernel(const struct naming_job *job)
{
	return job->frames.n && job->binary && job->binary->dso->is_kernel;
}

struct pd_error *resolve_open_kernel(const struct profile *profile,
	const struct parse_kernel *kernel, const struct sym_search *search,
	const struct sym_kernel_opts *opts, struct sym_kernel **ret)
{
	struct sym_kernel_identity identity = {
		.ref_symbol = kernel->ref_symbol,
		.ref_addr = kernel->ref_addr,
		.release = prof_string(profile, profile->about.kernel_release),
	};

	if (kernel->dso)
		identity.build_id = kernel->dso->build_id;
	return sym_kernel_open(&identity, search, opts, ret);
}

struct pd_error *naming_open_kernel(struct naming *naming)
{
	struct sym_kernel_opts opts = *naming->opts->kernel;
	bool has_frames = false;

	/*
	 * A vmlinux does not name modules: kallsyms are read in addition only if frames need them.
	 */
	for (size_t i = 0; i < naming->n_jobs; i++) {
		const struct naming_job *job = &naming->jobs[i];

		has_frames = has_frames || naming_is_of_kernel(job);
		if (naming_is_of_kernel(job) &&
			(is_module(naming, job) || has_unmapped(naming, job)))
			opts.wants_modules = true;
	}
	if (!has_frames)
		return NULL;
	struct pd_error *err = parse_bpf_create(naming->file, &naming->bpf);
	if (err)
		return err;
	return resolve_open_kernel(naming->profile, naming->kernel_facts, naming->opts->search,
		&opts, &naming->kernel);
}
