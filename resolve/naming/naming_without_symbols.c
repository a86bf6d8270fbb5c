#include "resolve/naming/naming_without_symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "parse/jitdump.h"
#include "symbolize/perf_map.h"
#include "unwind/binary_rows.h"
#include "unwind/rules/step.h"

/* Return the name and the start of the code at @p addr. NULL if it has no name. */
static const char *find_name(struct naming_job *job, uint64_t addr, uint64_t *start_ret)
{
	const struct resolve_binary *binary = job->binary;

	if (binary->perf_map) {
		struct sym_perf_map_code code;

		if (!sym_perf_map_lookup(binary->perf_map, addr, &code))
			return NULL;
		job->n_reused += code.is_reused;
		*start_ret = code.start;
		return code.name;
	}
	const struct parse_jit_code *code = parse_jit_at_offset(binary->jit, addr);
	if (!code)
		return NULL;
	*start_ret = code->offset;
	return code->name;
}

struct pd_error *naming_of_generated(struct naming_job *job)
{
	for (size_t i = 0; i < job->n_addrs; i++) {
		uint64_t start;
		const char *name = find_name(job, job->addrs[i], &start);

		if (!name)
			continue;
		job->n_generated++;
		struct pd_error *err = naming_set(job, i, name, start);
		if (err)
			return err;
	}
	return NULL;
}

/* Make "prog+0x1139". The result is in the arena of the job; NULL: no memory. */
static const char *make_name(struct naming_job *job, uint64_t start)
{
	enum { MAX_OFFSET = sizeof("+0x0123456789abcdef") };
	const char *base = base_file_name(job->binary->dso->name);
	size_t len = strcspn(base, " ");
	char *name = base_arena_alloc(&job->arena, len + MAX_OFFSET);

	if (name)
		snprintf(name, len + MAX_OFFSET, "%.*s+0x%" PRIx64, (int)len, base, start);
	return name;
}

/* The kernel puts that code first in the page of uprobes; xol_get_trampoline_vaddr() has it. */
struct pd_error *naming_of_probes(struct naming_job *job)
{
	enum { PAGE = 4096, TRAP_BYTES = 4 };
	struct pd_error *err = NULL;

	for (size_t i = 0; i < job->n_addrs && !err; i++) {
		if (job->addrs[i] % PAGE <= TRAP_BYTES)
			err = naming_set(
				job, i, "[uretprobe]", job->addrs[i] & ~(uint64_t)(PAGE - 1));
	}
	return err;
}

/* Find the first byte of the signal trampoline at @p addr. False if there is none. */
static bool find_trampoline(const struct unw_binary *binary, uint64_t addr, uint64_t *ret)
{
	enum { MOST_BYTES = 16 };

	if (!unw_is_trampoline(unw_binary_code_at(binary, addr), false))
		return false;
	for (*ret = addr; !unw_is_trampoline(unw_binary_code_at(binary, *ret), true); --*ret) {
		if (addr - *ret == MOST_BYTES)
			return false;
	}
	return true;
}

struct pd_error *naming_of_trampolines(struct naming_job *job)
{
	/* Some have a symbol that begins an instruction before. */
	enum { NEAR_BYTES = 8 };
	struct pd_error *err = NULL;

	for (size_t i = 0; job->binary->unwind && i < job->n_addrs && !err; i++) {
		const struct sym_names *names = &job->names[i];
		uint64_t start;

		if (!find_trampoline(job->binary->unwind, job->addrs[i], &start) ||
			(names->n && names->has_symbol &&
				start - names->symbol_start <= NEAR_BYTES))
			continue;
		err = naming_set(job, i, "__restore_rt", start);
	}
	return err;
}

static struct pd_error *name_address(struct naming_job *job, size_t i)
{
	const struct unw_binary *binary = job->binary->unwind;
	struct unw_range function;
	struct unw_step plt;

	/* One FDE may cover a PLT, which has a function for each entry. */
	if (unw_binary_plt_step(binary, job->addrs[i], &plt))
		return NULL;
	struct pd_error *err = unw_binary_find_function(binary, job->addrs[i], &function);
	if (err || function.start == function.end)
		return err;
	const char *name = make_name(job, function.start);
	if (!name)
		return &pd_enomem;
	uint64_t size = function.end - function.start;
	job->made_sizes[i] = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	return naming_set(job, i, name, function.start);
}

struct pd_error *naming_of_nameless(struct naming_job *job)
{
	struct pd_error *err = NULL;

	if (!job->binary->unwind)
		return NULL;
	for (size_t i = 0; i < job->n_addrs && !err; i++) {
		if (job->names[i].n)
			continue;
		if (!job->made_sizes)
			job->made_sizes = calloc(job->n_addrs, sizeof(*job->made_sizes));
		if (!job->made_sizes)
			return &pd_enomem;
		err = name_address(job, i);
	}
	return err;
}
