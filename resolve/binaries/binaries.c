#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/limit.h"
#include "parse/space/range_tree.h"
#include "resolve/binaries/binaries_generated.h"
#include "resolve/binaries/unwind_marks.h"
#include "symbolize/find/mapped_file.h"

struct pd_error *resolve_binaries_create(
	const struct pd_arch *arch, const struct sym_search *search, struct resolve_binaries **ret)
{
	struct resolve_binaries *binaries = calloc(1, sizeof(*binaries));

	if (!binaries)
		return &pd_enomem;
	binaries->arch = arch;
	binaries->search = search;
	pthread_mutex_init(&binaries->lock, NULL);
	*ret = binaries;
	return NULL;
}

void resolve_binaries_destroy(struct resolve_binaries *binaries)
{
	if (!binaries)
		return;
	/* The list owns each binary; by_dso, perf_maps, jits and modules only refer to it. */
	for (size_t i = 0; i < binaries->list.n; i++) {
		unw_binary_destroy(binaries->list.data[i]->unwind);
		sym_binary_destroy(binaries->list.data[i]->symbols);
		sym_perf_map_destroy(binaries->list.data[i]->perf_map);
		base_map_deinit(&binaries->list.data[i]->known_code);
		parse_range_tree_unref(binaries->list.data[i]->regions);
	}
	for (size_t i = 0; i < binaries->generated_unwinds.n; i++)
		unw_binary_destroy(binaries->generated_unwinds.data[i]);
	pd_vec_deinit(&binaries->list);
	pd_vec_deinit(&binaries->jits);
	base_map_deinit(&binaries->jit_numbers);
	base_map_deinit(&binaries->perf_maps);
	base_map_deinit(&binaries->in_packages);
	pd_vec_deinit(&binaries->generated_unwinds);
	pd_vec_deinit(&binaries->by_dso);
	pd_vec_deinit(&binaries->by_mapping);
	base_arena_deinit(&binaries->arena);
	pthread_mutex_destroy(&binaries->lock);
	free(binaries);
}

static struct unw_section section(struct sym_binary *symbols, const char *name)
{
	struct sym_section found;

	if (!sym_binary_section(symbols, name, &found))
		return (struct unw_section){ 0 };
	return (struct unw_section){ .data = found.data, .size = found.size, .vaddr = found.vaddr };
}

static struct unw_section text_of(const struct sym_binary *symbols)
{
	struct sym_section text;

	sym_binary_text(symbols, &text);
	return (struct unw_section){ .data = text.data, .size = text.size, .vaddr = text.vaddr };
}

static void find_plts(struct sym_binary *symbols, struct unw_binary_input *input)
{
	static const char *const names[UNW_MAX_PLTS] = { ".plt", ".plt.sec", ".plt.got", ".iplt" };

	for (size_t i = 0; i < UNW_MAX_PLTS; i++) {
		struct unw_section plt = section(symbols, names[i]);

		input->plts.list[i] = unw_section_range(&plt);
	}
	input->plts.has_header = section(symbols, ".dynamic").data;
}

static void add_root(void *ctx, const char *name, uint64_t start, uint64_t end)
{
	resolve_roots_add(ctx, name, start, end);
}

/*
 * Find the functions at the base of a stack. Only the runtime of Go has any that are known by name,
 * so the symbols of other binaries are not read before names are needed. Go's table of functions
 * has the names in stripped programs, too.
 */
static void find_roots(
	struct sym_binary *symbols, const struct base_pclntab *go, struct resolve_roots *roots)
{
	struct base_go_func func;

	for (uint64_t i = 0; go && i < go->n_funcs; i++) {
		if (base_pclntab_func(go, i, &func))
			add_root(roots, func.name, func.start, func.end);
	}
	/* The table of a later version of Go may have a layout that is not known. */
	if (!go && (section(symbols, ".gopclntab").data ||
			   section(symbols, ".data.rel.ro.gopclntab").data))
		sym_binary_visit_functions(symbols, add_root, roots);
}

/*
 * Prepare unwinding for the architecture of the file. A recording may have programs of two word
 * sizes, so the walker checks whether this architecture is the one that it unwinds.
 */
static struct pd_error *open_unwinding(struct sym_binary *symbols, struct unw_binary **ret)
{
	const struct pd_arch *arch = sym_binary_arch(symbols);

	if (sym_binary_status(symbols) != SYM_FOUND || !arch)
		return NULL;
	if (sym_binary_is_debug_only(symbols) && !section(symbols, ".debug_frame").data)
		return NULL;
	struct unw_binary_input input = {
		.arch = arch,
		.eh_frame = section(symbols, ".eh_frame"),
		.eh_frame_hdr = section(symbols, ".eh_frame_hdr"),
		.debug_frame = section(symbols, ".debug_frame"),
		.exidx = section(symbols, ".ARM.exidx"),
		.extab = section(symbols, ".ARM.extab"),
		.text = text_of(symbols),
		.text_vaddr = section(symbols, ".text").vaddr,
		.data_vaddr = section(symbols, ".got").vaddr,
		.entry_vaddr = sym_binary_entry(symbols),
		.is_doubtful = sym_binary_is_mismatched(symbols),
	};
	/* Code without unwind tables is unwound by decoding its instructions. */
	if (!input.eh_frame.data && !input.debug_frame.data && !input.text.data)
		return NULL;
	struct pd_error *err = sym_binary_go_functions(symbols, &input.go);
	if (err)
		return err;
	struct resolve_roots roots = { 0 };
	find_roots(symbols, input.go, &roots);
	input.roots.data = roots.list;
	input.roots.n = roots.n;
	find_plts(symbols, &input);
	struct resolve_mapping_symbols marks;
	err = resolve_mapping_symbols_create(symbols, &marks);
	if (err)
		return err;
	input.text.mapping_symbols.data = marks.list.data;
	input.text.mapping_symbols.n = marks.list.n;
	err = sym_binary_check(symbols);
	if (!err)
		err = unw_binary_create(&input, ret);
	resolve_mapping_symbols_deinit(&marks);
	return err;
}

struct pd_error *resolve_unwind_open(struct sym_binary *symbols, struct unw_binary **ret)
{
	PD_LIMIT_SCOPE();
	struct pd_error *err = open_unwinding(symbols, ret);

	sym_binary_note_limits(symbols);
	return err;
}

struct resolve_binary *binaries_add(struct resolve_binaries *binaries, const struct parse_dso *dso)
{
	struct resolve_binary *binary = base_arena_alloc(&binaries->arena, sizeof(*binary));

	if (!binary)
		return NULL;
	*binary = (struct resolve_binary){ .dso = dso, .profile_id = prof_no_binary() };
	return binary;
}

static struct sym_recorded recorded_binary(const struct parse_dso *dso)
{
	/* The kernel is not unwound, and its symbols are looked for only when they are wanted. */
	if (dso->is_kernel)
		return (struct sym_recorded){ .name = BINARIES_NO_FILE };
	return (struct sym_recorded){
		.name = dso->name,
		.id = dso->build_id,
		.id_origin = dso->id_origin,
		.pid = dso->pid,
		.maj = dso->maj,
		.min = dso->min,
		.ino = dso->ino,
		.offset = dso->pgoff,
		.size = dso->size,
		.is_code = dso->is_code,
	};
}

/* Open the binary and append it to the list. What was opened of it before an error stays in it. */
static struct pd_error *open_symbols_and_unwind(
	struct resolve_binaries *binaries, struct resolve_binary *binary)
{
	const struct sym_recorded recorded = recorded_binary(binary->dso);
	struct pd_error *err = sym_binary_open(binaries->search, &recorded, &binary->symbols);

	if (err)
		return err;
	err = resolve_unwind_open(binary->symbols, &binary->unwind);
	if (err)
		return err;
	return pd_vec_push(&binaries->list, binary) ? NULL : &pd_enomem;
}

static struct pd_error *open_binary(
	struct resolve_binaries *binaries, const struct parse_dso *dso, struct resolve_binary **ret)
{
	struct resolve_binary *binary = binaries_add(binaries, dso);

	if (!binary)
		return &pd_enomem;
	struct pd_error *err = open_symbols_and_unwind(binaries, binary);
	if (err) {
		unw_binary_destroy(binary->unwind);
		sym_binary_destroy(binary->symbols);
		return err;
	}
	*ret = binary;
	return NULL;
}

/* Return a pointer to element i of a list, which is extended with NULL. NULL: memory ran out. */
#define slot(list, i) \
	({ \
		while ((list)->n <= (i) && pd_vec_push(list, NULL)) \
			; \
		(i) < (list)->n ? &(list)->data[i] : NULL; \
	})

static struct pd_error *get_binary(
	struct resolve_binaries *binaries, const struct parse_dso *dso, struct resolve_binary **ret)
{
	struct resolve_binary **known = slot(&binaries->by_dso, dso->id);
	struct pd_error *err = NULL;

	if (!known)
		return &pd_enomem;
	if (!*known)
		err = open_binary(binaries, dso, known);
	*ret = *known;
	return err;
}

/* Return the reason why a module has no call frame information. */
static enum pd_unwind_end missing(const struct resolve_binary *binary)
{
	if (sym_binary_is_debug_only(binary->symbols))
		return PD_UNWIND_END_NO_FILE;
	switch (sym_binary_status(binary->symbols)) {
	case SYM_FOUND:
		return PD_UNWIND_END_NO_CFI;
	case SYM_WRONG_BUILD_ID:
		return PD_UNWIND_END_WRONG_BUILD_ID;
	case SYM_NO_IMAGE:
		return PD_UNWIND_END_NO_CFI;
	default:
		return PD_UNWIND_END_NO_FILE;
	}
}

/* Whether the mapping is code that the kernel provides, under the names that it uses. */
static bool is_vdso(const struct parse_dso *dso)
{
	return strcmp(dso->name, "[vdso]") == 0 || strcmp(dso->name, "[vdso32]") == 0 ||
	       strcmp(dso->name, "[sigpage]") == 0;
}

/* Create the binary of the library @p member of the package @p package. */
static struct pd_error *open_member(struct resolve_binaries *binaries,
	const struct parse_dso *package, const struct sym_zip_member *member,
	struct resolve_binary **ret)
{
	struct parse_dso *dso = base_arena_alloc(&binaries->arena, sizeof(*dso));
	_cleanup_free_ char *name =
		base_format("%s%s%s", package->name, SYM_ZIP_SEPARATOR, member->name.text);
	char *copy = name ? base_arena_strndup(&binaries->arena, name, strlen(name)) : NULL;

	if (!dso || !copy)
		return &pd_enomem;
	*dso = *package;
	dso->name = copy;
	/* Inode, offset and size are those of the package, not of the file in it. */
	dso->is_code = false;
	dso->ino = dso->pgoff = 0;
	return open_binary(binaries, dso, ret);
}

/*
 * Find the library that @p mapping maps out of a package, and its offset there. *ret is NULL if
 * there is none.
 */
static struct pd_error *packaged_binary(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, uint64_t *offset_ret, struct resolve_binary **ret)
{
	struct sym_zip_member member;
	bool is_new;

	*ret = NULL;
	*offset_ret = 0;
	if (!binaries->search || !sym_zip_is_package(mapping->dso->name))
		return NULL;
	if (binaries->n_searched >= PD_LIMIT_PACKAGE_SEARCHES) {
		sym_package_note_limit(binaries->search, mapping->dso->name);
		return NULL;
	}
	binaries->n_searched++;
	if (!sym_package_member(binaries->search, mapping->dso->name, mapping->pgoff, &member))
		return NULL;
	uint64_t *known = base_map_add(&binaries->in_packages,
		(uint64_t)mapping->dso->id << 40 | member.offset >> 12, &is_new);
	if (!known)
		return &pd_enomem;
	if (is_new) {
		struct pd_error *err = open_member(binaries, mapping->dso, &member, ret);
		*known = err ? 0 : (uintptr_t)*ret;
		if (err)
			return err;
	}
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the map holds numbers. */
	*ret = (struct resolve_binary *)(uintptr_t)*known;
	*offset_ret = member.offset;
	return NULL;
}

/* Find the binary of @p mapping: generated code of a perf-PID.map, or the mapped file. */
static struct pd_error *mapped_binary(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, struct resolve_binary **ret)
{
	bool is_code = mapping->prot & PD_PROT_EXEC;
	bool may_be_file = sym_file_may_be_generated(mapping->dso->name);
	struct pd_error *err = NULL;

	*ret = NULL;
	if (is_code && (!may_be_file || binaries->follows_maps))
		err = binaries_get_perf_map(binaries, mapping, ret);
	if (err || *ret)
		return err;
	err = get_binary(binaries, mapping->dso, ret);
	if (err || !is_code || !may_be_file || sym_binary_status((*ret)->symbols) == SYM_FOUND)
		return err;
	struct resolve_binary *generated;
	err = binaries_get_file_map(binaries, mapping, &generated);
	*ret = generated ? generated : *ret;
	return err;
}

static struct pd_error *apply_segment(
	struct resolve_binaries *binaries, struct resolve_module *module) pd_must_check;

/* Let frames of a module of data hold virtual addresses instead of file offsets. */
static void apply_data_segment(struct resolve_module *module)
{
	struct sym_segment segment;

	if (sym_binary_data_segment(module->binary->symbols, module->pgoff, &segment))
		module->unw.bias += segment.offset - segment.vaddr;
}

/*
 * Cut @p module where a segment of code follows that is loaded elsewhere, and create the module of
 * the rest. The linker lld puts the end of one segment and the start of the next into one page of
 * the file, which is mapped by both.
 */
static struct pd_error *split(struct resolve_binaries *binaries, struct resolve_module *module,
	const struct sym_segment *first)
{
	uint64_t end = first->offset + first->file_size;
	uint64_t size = module->unw.end - module->unw.start, left = module->pgoff + size - end;
	struct sym_segment next;

	if (end <= module->pgoff || end - module->pgoff >= size ||
		!sym_binary_segment(module->binary->symbols, end, left, &next) ||
		!next.is_executable || next.vaddr - next.offset == first->vaddr - first->offset)
		return NULL;
	struct resolve_module *rest = base_arena_alloc(&binaries->arena, sizeof(*rest));
	if (!rest)
		return &pd_enomem;
	*rest = *module;
	rest->pgoff = next.offset;
	rest->unw.start += next.offset - module->pgoff;
	rest->unw.bias = rest->mapping->start - rest->mapping->pgoff + rest->in_package;
	rest->next = module->binary->modules;
	module->binary->modules = module->rest = rest;
	module->unw.end = rest->unw.start;
	return apply_segment(binaries, rest);
}

/* Let frames of @p module hold virtual addresses instead of file offsets. */
static struct pd_error *apply_segment(
	struct resolve_binaries *binaries, struct resolve_module *module)
{
	struct resolve_binary *binary = module->binary;
	struct sym_segment segment;
	uint64_t size = module->unw.end - module->unw.start;

	if (!sym_binary_segment(binary->symbols, module->pgoff, size, &segment))
		return NULL;
	module->unw.bias += segment.offset - segment.vaddr;
	/*
	 * Keep the lowest segment, so that the result does not depend on which thread opens which
	 * mapping first.
	 */
	if (!binary->has_segment || segment.vaddr < binary->segment.vaddr)
		binary->segment = segment;
	binary->has_segment = true;
	return split(binaries, module, &segment);
}

static struct pd_error *make_module(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, struct resolve_module **ret)
{
	struct resolve_module *module = base_arena_alloc(&binaries->arena, sizeof(*module));
	struct resolve_binary *binary;
	uint64_t in_package = 0;
	struct pd_error *err =
		module ? packaged_binary(binaries, mapping, &in_package, &binary) : &pd_enomem;

	if (!err && !binary)
		err = mapped_binary(binaries, mapping, &binary);
	if (err)
		return err;
	*module = (struct resolve_module){
		.unw = {
			.start = mapping->start,
			.end = mapping->end,
			.bias = mapping->start - mapping->pgoff + in_package,
			.binary = binary->unwind,
			.missing = missing(binary),
			.is_vdso = is_vdso(mapping->dso),
			.is_uprobes = strcmp(mapping->dso->name, "[uprobes]") == 0,
		},
		.binary = binary,
		.pgoff = mapping->pgoff - in_package,
		.in_package = in_package,
		.mapping = mapping,
		.next = binary->modules,
	};
	binary->modules = module;
	/* Without a file, only process addresses distinguish frames. */
	if (sym_binary_status(binary->symbols) == SYM_NO_IMAGE)
		module->unw.bias = 0;
	*ret = module;
	if (sym_binary_status(binary->symbols) != SYM_FOUND)
		return NULL;
	if (mapping->prot & PD_PROT_EXEC)
		return apply_segment(binaries, module);
	apply_data_segment(module);
	return NULL;
}

static struct pd_error *mapping_module(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, struct resolve_module **ret)
{
	struct resolve_module **known = slot(&binaries->by_mapping, mapping->id);
	struct pd_error *err = NULL;

	if (!known)
		return &pd_enomem;
	if (!*known)
		err = make_module(binaries, mapping, known);
	*ret = *known;
	return err;
}

static struct pd_error *find_locked(struct resolve_binaries *binaries,
	const struct parse_maps *maps, uint64_t addr, struct resolve_module **ret)
{
	const struct parse_mapping *mapping = parse_maps_find(maps, addr);
	struct pd_error *err = NULL;

	*ret = NULL;
	/*
	 * Programs generate code into memory without a file, or that was not recorded as
	 * executable.
	 */
	if (maps->jit && (!mapping || sym_is_no_image(mapping->dso->name) ||
				 sym_file_may_be_generated(mapping->dso->name)))
		err = binaries_get_jit(binaries, maps, addr, ret);
	if (err || *ret || !mapping)
		return err;
	struct resolve_module *module;
	err = mapping_module(binaries, mapping, &module);
	if (err)
		return err;
	while (module->rest && addr >= module->unw.end)
		module = module->rest;
	if (module->binary->perf_map)
		err = binaries_get_known_code(binaries, module->binary, addr, ret);
	if (!*ret)
		*ret = module;
	return err;
}

struct pd_error *resolve_binaries_find(struct resolve_binaries *binaries,
	const struct parse_maps *maps, uint64_t addr, const struct resolve_module **ret)
{
	struct resolve_module *module;

	pthread_mutex_lock(&binaries->lock);
	struct pd_error *err = find_locked(binaries, maps, addr, &module);
	pthread_mutex_unlock(&binaries->lock);
	*ret = err ? NULL : module;
	return err;
}

struct pd_error *resolve_binaries_module(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, const struct resolve_module **ret)
{
	struct resolve_module *module;

	pthread_mutex_lock(&binaries->lock);
	struct pd_error *err = mapping_module(binaries, mapping, &module);
	pthread_mutex_unlock(&binaries->lock);
	*ret = err ? NULL : module;
	return err;
}

struct pd_error *resolve_binaries_find_kernel(struct resolve_binaries *binaries,
	const struct parse_maps *maps, uint64_t addr, const struct resolve_module **ret)
{
	bool is_kernel_half = addr >> 63;
	struct pd_error *err = resolve_binaries_find(binaries, maps, addr, ret);

	if (err || *ret || !is_kernel_half || !maps->kernel_image)
		return err;
	return resolve_binaries_module(binaries, maps->kernel_image, ret);
}

/* Find the module whose .bss is at addr, which is in memory without a file. */
static struct pd_error *find_bss(struct resolve_binaries *binaries, const struct parse_maps *maps,
	uint64_t addr, const struct resolve_module **ret)
{
	const struct parse_mapping *before = parse_maps_find_before(maps, addr);

	if (!before || sym_is_no_image(before->dso->name))
		return NULL;
	struct resolve_module *module;
	struct pd_error *err = mapping_module(binaries, before, &module);
	if (err)
		return err;
	if (sym_binary_is_zeroed(module->binary->symbols, resolve_module_addr(module, addr)))
		*ret = module;
	return NULL;
}

static struct pd_error *find_data_locked(struct resolve_binaries *binaries,
	const struct parse_maps *maps, uint64_t addr, const struct resolve_module **ret)
{
	const struct parse_mapping *mapping = parse_maps_find(maps, addr);

	*ret = NULL;
	if (!mapping)
		return NULL;
	if (sym_is_no_image(mapping->dso->name)) {
		struct pd_error *err = find_bss(binaries, maps, addr, ret);

		if (err || *ret)
			return err;
	}
	struct resolve_module *module;
	struct pd_error *err = mapping_module(binaries, mapping, &module);
	if (!err)
		*ret = module;
	return err;
}

struct pd_error *resolve_binaries_find_data(struct resolve_binaries *binaries,
	const struct parse_maps *maps, uint64_t addr, const struct resolve_module **ret)
{
	pthread_mutex_lock(&binaries->lock);
	struct pd_error *err = find_data_locked(binaries, maps, addr, ret);
	pthread_mutex_unlock(&binaries->lock);
	return err;
}

struct sym_segment resolve_binaries_segment(
	struct resolve_binaries *binaries, const struct resolve_binary *binary)
{
	pthread_mutex_lock(&binaries->lock);
	struct sym_segment segment = binary->segment;
	pthread_mutex_unlock(&binaries->lock);
	return segment;
}

static const struct unw_module *find_module(const struct unw_space *unw, uint64_t addr)
{
	/* The member is in a struct of the thread that unwinds, which is not const. */
	struct resolve_space *space = base_container_of(unw, struct resolve_space, unw);
	const struct resolve_module *module;
	struct pd_error *err = resolve_binaries_find(space->binaries, space->maps, addr, &module);

	/* The unwinder has no way to report errors from here: treat the address as not mapped. */
	if (err) {
		if (space->err)
			pd_error_destroy(err);
		else
			space->err = err;
		return NULL;
	}
	return module ? &module->unw : NULL;
}

struct pd_error *resolve_binaries_check(struct resolve_binaries *binaries)
{
	struct pd_error *err = NULL;

	pthread_mutex_lock(&binaries->lock);
	for (size_t i = 0; !err && i < binaries->list.n; i++)
		err = sym_binary_check(binaries->list.data[i]->symbols);
	pthread_mutex_unlock(&binaries->lock);
	return err;
}

void resolve_binaries_report_limits(const struct resolve_binaries *binaries)
{
	for (size_t i = 0; i < binaries->list.n; i++) {
		const struct resolve_binary *binary = binaries->list.data[i];

		if (!binary->unwind)
			continue;
		struct base_limit_set set = unw_binary_limits(binary->unwind);
		sym_binary_add_limits(binary->symbols, &set);
	}
}

struct resolve_space resolve_space_init(struct resolve_binaries *binaries, struct parse_maps *maps)
{
	return (struct resolve_space){
		.unw = { .id = maps->id, .find = find_module },
		.binaries = binaries,
		.maps = maps,
	};
}

uint64_t resolve_module_addr(const struct resolve_module *module, uint64_t addr)
{
	return addr - module->unw.bias;
}

static int compare_ids_descending(const void *a, const void *b)
{
	const struct parse_mapping *x = *(const struct parse_mapping *const *)a;
	const struct parse_mapping *y = *(const struct parse_mapping *const *)b;

	return (x->id < y->id) - (x->id > y->id);
}

struct pd_error *resolve_binary_index_offsets(struct resolve_binary *binary)
{
	PD_VEC(const struct parse_mapping *) list = { 0 };
	bool ok = true;

	if (sym_binary_status(binary->symbols) != SYM_NO_IMAGE)
		return NULL;
	for (const struct resolve_module *m = binary->modules; ok && m; m = m->next)
		ok = pd_vec_push(&list, m->mapping);
	/* The last one takes the place of others. The order of the list depends on threads. */
	if (list.n)
		qsort(list.data, list.n, sizeof(list.data[0]), compare_ids_descending);
	for (size_t i = 0; ok && i < list.n; i++) {
		const struct parse_mapping *mapping = list.data[i];
		const struct parse_maps_entry put = { mapping->start, mapping->end, mapping };

		ok = parse_range_tree_replace(&binary->regions, &put);
	}
	pd_vec_deinit(&list);
	return ok ? NULL : &pd_enomem;
}

bool resolve_binary_offset(const struct resolve_binary *binary, uint64_t addr, uint64_t *ret)
{
	const struct parse_maps_entry *entry = parse_range_tree_find(binary->regions, addr);

	if (!entry || entry->start > addr)
		return false;
	*ret = addr - entry->mapping->start + entry->mapping->pgoff;
	return true;
}

size_t resolve_binaries_n(const struct resolve_binaries *binaries)
{
	return binaries->list.n;
}

struct resolve_binary *resolve_binaries_get(const struct resolve_binaries *binaries, size_t i)
{
	return binaries->list.data[i];
}
