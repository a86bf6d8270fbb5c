/* The kernel, from /proc/kallsyms, and its modules, from /proc/modules. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "capture/synth/private.h"

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

struct pd_error *cap_synth_put_kernel(
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
	return cap_synth_put_kernel(synth, &body, has_id ? &id : NULL);
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
	return err ? err : cap_synth_modules(synth);
}
