#include "annotate/function_listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/system/file_map.h"
#include "base/format.h"
#include "base/limit.h"
#include "base/lower_bound.h"

/*
 * Limit for the code of a function, in bytes. Functions of compilers are much shorter; without
 * a limit a damaged symbol table could make one of the whole file.
 */
enum { MAX_CODE = PD_LIMIT_LISTED_CODE_BYTES };

struct building {
	struct ann_listing *listing;
	struct ann_code *code;
	const struct pd_name_opts *names;
	struct ann_disassembler *disassembler;
	struct ann_mapping_symbols marks;
};

static size_t n_events(const struct ann_listing *listing)
{
	return listing->functions->events.n;
}

static struct pd_error *add_row(struct ann_listing *listing, const struct ann_row *row)
{
	struct ann_row own = *row;

	own.target_row = ANN_NO_ROW;
	own.values = listing->values.n;
	for (size_t i = 0; i < n_events(listing); i++) {
		if (!pd_vec_push(&listing->values, (struct prof_value){ 0 }))
			return &pd_enomem;
	}
	return pd_vec_push(&listing->rows, own) ? NULL : &pd_enomem;
}

static uint64_t leaf_addr(const struct ann_listing *listing, size_t i)
{
	const struct ann_functions *functions = listing->functions;

	return prof_frame(functions->profile, functions->leaves.data[i].frame)->addr;
}

/* Add a row for each address with samples. */
static struct pd_error *list_leaves(struct ann_listing *listing)
{
	const struct ann_function *function = listing->function;

	for (size_t i = function->first; i < function->first + function->n; i++) {
		struct ann_row row = { .addr = leaf_addr(listing, i) };

		/* Frames that differ only in their flags have one address. */
		if (listing->rows.n && listing->rows.data[listing->rows.n - 1].addr == row.addr)
			continue;
		struct pd_error *err = add_row(listing, &row);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *add_insn(
	struct ann_listing *listing, uint64_t addr, const struct ann_insn *insn)
{
	struct ann_row row = {
		.addr = addr,
		.size = (uint32_t)insn->size,
		.text = base_arena_strndup(&listing->arena, insn->text, strlen(insn->text)),
		.branch = insn->branch,
		.target = insn->target,
	};

	return row.text ? add_row(listing, &row) : &pd_enomem;
}

/* Add a row for each instruction in the @p size bytes at the start of the function. */
static struct pd_error *list_code(struct building *b, const uint8_t *bytes, size_t size)
{
	struct ann_listing *listing = b->listing;
	uint64_t start = listing->extent.start, next;
	struct ann_insn insn;
	size_t at = 0;

	for (size_t i = 0; i < size; i += insn.size) {
		enum sym_code_kind kind =
			ann_mapping_symbols_kind(&b->marks, start + i, &at, &next);
		size_t n = next - start - i < size - i ? next - start - i : size - i;

		ann_disassemble(b->disassembler, kind, bytes + i, n, start + i, &insn);
		struct pd_error *err = add_insn(listing, start + i, &insn);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *disassemble(struct building *b)
{
	struct ann_listing *listing = b->listing;
	uint64_t start = listing->extent.start;
	uint64_t whole = listing->extent.end - start;
	size_t size = whole < MAX_CODE ? (size_t)whole : MAX_CODE, n = 0;

	listing->is_cut = whole > MAX_CODE;
	const uint8_t *bytes;
	struct pd_error *err = ann_code_bytes(b->code, start, size, &bytes, &n);
	if (err)
		return err;
	if (!n) {
		listing->why = "the file does not have the code";
		return list_leaves(listing);
	}
	err = ann_code_marks(b->code, &listing->extent, &b->marks);
	return err ? err : list_code(b, bytes, n);
}

/* Code of a function without a symbol, whose start and size are known otherwise. */
static struct sym_code_extent made_extent(const struct ann_listing *listing)
{
	const struct ann_leaf *leaf = &listing->functions->leaves.data[listing->function->first];
	const struct profile *profile = listing->functions->profile;
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, leaf->frame, &n);
	uint32_t size = n ? prof_function(profile, lines[0].function)->made_size : 0;

	return (struct sym_code_extent){ leaf->start, leaf->start + size };
}

static struct pd_error *list_rows(struct building *b)
{
	struct ann_listing *listing = b->listing;

	listing->arch = ann_code_arch(b->code);
	listing->why = ann_code_why(b->code);
	if (listing->why)
		return list_leaves(listing);
	struct pd_error *err = ann_code_extent(
		b->code, leaf_addr(listing, listing->function->first), &listing->extent);
	if (err)
		return err;
	if (listing->extent.end <= listing->extent.start)
		listing->extent = made_extent(listing);
	if (listing->extent.end <= listing->extent.start) {
		listing->why = "no symbol covers the code";
		return list_leaves(listing);
	}
	err = ann_disassembler_create(listing->arch, &b->disassembler, &listing->why);
	if (err)
		return err;
	if (!b->disassembler)
		return list_leaves(listing);
	listing->why = NULL;
	return disassemble(b);
}

/* Names in the profile for the address of leaf @p i, as symbolize/ has them. */
static struct pd_error *copy_names(
	struct ann_listing *listing, const struct ann_leaf *leaf, struct sym_names *ret)
{
	const struct profile *profile = listing->functions->profile;
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, leaf->frame, &n);

	*ret = (struct sym_names){
		.names = base_arena_alloc(&listing->arena, (n + 1) * sizeof(*ret->names)),
		.n = n,
		.symbol_start = leaf->start,
		.has_symbol = true,
	};
	if (!ret->names)
		return &pd_enomem;
	PD_IS_TRUE(lines || !n, "frames without lines have none");
	for (uint32_t i = 0; i < n; i++) {
		const struct prof_function *function = prof_function(profile, lines[i].function);
		const char *file = prof_string(profile, function->file);

		ret->names[i] = (struct sym_name){
			.function = prof_string(profile, function->name),
			.linkage = prof_string(profile, function->linkage),
			.file = *file ? file : NULL,
			.line = lines[i].line,
			.start_line = function->start_line,
		};
	}
	return NULL;
}

static struct pd_error *name_rows_by_profile(struct ann_listing *listing)
{
	const struct ann_functions *functions = listing->functions;
	size_t leaf = listing->function->first;

	for (size_t i = 0; i < listing->rows.n; i++) {
		struct ann_row *row = &listing->rows.data[i];

		while (leaf_addr(listing, leaf) != row->addr)
			leaf++;
		struct pd_error *err =
			copy_names(listing, &functions->leaves.data[leaf], &row->names);
		if (err)
			return err;
	}
	return NULL;
}

/* Names without a code that was found are those of the profile. */
static struct pd_error *name_rows(struct building *b)
{
	struct ann_listing *listing = b->listing;
	size_t n = listing->rows.n;
	_cleanup_free_ uint64_t *addrs = base_calloc_n(n, sizeof(*addrs));
	_cleanup_free_ struct sym_names *names = base_calloc_n(n, sizeof(*names));

	if (!addrs || !names)
		return &pd_enomem;
	if (listing->why)
		return name_rows_by_profile(listing);
	for (size_t i = 0; i < n; i++)
		addrs[i] = listing->rows.data[i].addr;
	struct pd_error *err = ann_code_names(b->code, b->names, addrs, n, &listing->arena, names);
	for (size_t i = 0; i < n && !err; i++)
		listing->rows.data[i].names = names[i];
	return err;
}

const struct ann_row *ann_listing_row_at(const struct ann_listing *listing, uint64_t addr)
{
	const struct ann_row *rows = listing->rows.data;
	size_t n = base_lower_bound(listing->rows.n, i, rows[i].addr <= addr);

	/*
	 * An interrupt at the first instruction of a kernel function may be recorded at the byte
	 * before it.
	 */
	if (!n)
		return listing->rows.n && addr + 1 == rows[0].addr ? &rows[0] : NULL;
	uint64_t size = rows[n - 1].size ? rows[n - 1].size : 1;
	return addr - rows[n - 1].addr < size ? &rows[n - 1] : NULL;
}

static void count_rows(struct ann_listing *listing)
{
	const struct ann_functions *functions = listing->functions;
	const struct ann_function *function = listing->function;

	for (size_t i = function->first; i < function->first + function->n; i++) {
		const struct ann_row *row = ann_listing_row_at(listing, leaf_addr(listing, i));
		struct prof_value *sums =
			row ? &listing->values.data[row->values] : listing->outside.data;
		const struct prof_value *values =
			ann_values(functions, functions->leaves.data[i].values);

		for (size_t k = 0; k < n_events(listing); k++) {
			sums[k].samples += values[k].samples;
			sums[k].period += values[k].period;
		}
	}
}

static int compare_targets(const void *a, const void *b)
{
	const struct ann_row *const *x = a, *const *y = b;

	return ((*x)->target > (*y)->target) - ((*x)->target < (*y)->target);
}

/* List the rows with targets outside of the listing, by target; those inside get their row. */
static size_t find_targets(struct ann_listing *listing, struct ann_row **ret)
{
	struct ann_row *rows = listing->rows.data;
	size_t n = 0;

	for (size_t i = 0; i < listing->rows.n; i++) {
		if (!rows[i].branch)
			continue;
		const struct ann_row *target = ann_listing_row_at(listing, rows[i].target);
		if (target && target->addr == rows[i].target)
			rows[i].target_row = (uint32_t)(target - rows);
		else if (!target)
			ret[n++] = &rows[i];
	}
	if (n)
		qsort(ret, n, sizeof(*ret), compare_targets);
	return n;
}

/* Name the targets outside of the listing. */
static struct pd_error *name_targets(struct building *b)
{
	struct ann_listing *listing = b->listing;
	struct pd_name_opts opts = *b->names;
	_cleanup_free_ struct ann_row **rows = base_calloc_n(listing->rows.n, sizeof(*rows));
	_cleanup_free_ uint64_t *addrs = base_calloc_n(listing->rows.n, sizeof(*addrs));
	_cleanup_free_ struct sym_names *names = base_calloc_n(listing->rows.n, sizeof(*names));
	size_t n_addrs = 0;

	if (!rows || !addrs || !names)
		return &pd_enomem;
	size_t n = find_targets(listing, rows);
	for (size_t i = 0; i < n; i++) {
		if (!n_addrs || addrs[n_addrs - 1] != rows[i]->target)
			addrs[n_addrs++] = rows[i]->target;
	}
	opts.no_inline = opts.no_lines = true;
	struct pd_error *err =
		ann_code_names(b->code, &opts, addrs, n_addrs, &listing->arena, names);
	for (size_t i = 0, k = 0; i < n && !err; i++) {
		while (addrs[k] != rows[i]->target)
			k++;
		if (!names[k].n || !names[k].has_symbol)
			continue;
		rows[i]->target_name = names[k].names[0].function;
		rows[i]->target_offset = rows[i]->target - names[k].symbol_start;
	}
	return err;
}

static struct pd_error *build(struct building *b)
{
	struct ann_listing *listing = b->listing;
	struct pd_error *err = list_rows(b);

	for (size_t i = 0; i < n_events(listing); i++) {
		if (!pd_vec_push(&listing->outside, (struct prof_value){ 0 }))
			return &pd_enomem;
	}
	if (err)
		return err;
	err = name_rows(b);
	if (err)
		return err;
	count_rows(listing);
	return listing->why ? NULL : name_targets(b);
}

struct pd_error *ann_listing_create(const struct ann_functions *functions,
	const struct ann_function *function, struct ann_code *code,
	const struct pd_name_opts *names, struct ann_listing *ret)
{
	struct building b = { .listing = ret, .code = code, .names = names };

	*ret = (struct ann_listing){
		.functions = functions,
		.function = function,
		.name = ann_function_name(functions, function),
	};
	struct pd_error *err = build(&b);
	ann_disassembler_destroy(b.disassembler);
	ann_mapping_symbols_deinit(&b.marks);
	if (!err && base_file_maps_have_shrunk())
		err = ann_code_check(code);
	if (err)
		ann_listing_deinit(ret);
	return err;
}

void ann_listing_deinit(struct ann_listing *listing)
{
	pd_vec_deinit(&listing->rows);
	pd_vec_deinit(&listing->values);
	pd_vec_deinit(&listing->outside);
	base_arena_deinit(&listing->arena);
}

/*
 * Largest number of instructions of a function that is shown as a whole, and number of instructions
 * shown on either side of one with samples in longer functions.
 */
enum { LONG_FUNCTION = 500, NEAR = 8 };

static bool has_samples(const struct ann_listing *listing, size_t i)
{
	const struct prof_value *values = ann_row_values(listing, &listing->rows.data[i]);

	for (size_t k = 0; k < listing->functions->events.n; k++) {
		if (values[k].samples)
			return true;
	}
	return false;
}

void ann_excerpt(const struct ann_listing *listing, bool *ret)
{
	size_t n = listing->rows.n;

	memset(ret, n <= LONG_FUNCTION, n);
	for (size_t i = 0; i < n && n > LONG_FUNCTION; i++) {
		if (!has_samples(listing, i))
			continue;
		size_t first = i > NEAR ? i - NEAR : 0;
		size_t end = i + NEAR + 1 < n ? i + NEAR + 1 : n;
		memset(ret + first, true, end - first);
	}
}

/* The target of a branch: an address, with the function and the distance from its start. */
static char *target_text(const struct ann_listing *listing, const struct ann_row *row)
{
	uint64_t offset = row->target - listing->extent.start;

	/* Names in the listing itself would only repeat the title. */
	if (offset < listing->extent.end - listing->extent.start)
		return base_format(" %" PRIx64 " <+0x%" PRIx64 ">", row->target, offset);
	if (row->target_name && row->target_offset)
		return base_format(" %" PRIx64 " <%s+0x%" PRIx64 ">", row->target, row->target_name,
			row->target_offset);
	if (row->target_name)
		return base_format(" %" PRIx64 " <%s>", row->target, row->target_name);
	return base_format(" %" PRIx64, row->target);
}

char *ann_insn_text(const struct ann_listing *listing, const struct ann_row *row, int columns)
{
	int mnemonic = (int)strcspn(row->text, " ");
	const char *operands = row->text + mnemonic;

	if (!*operands && !row->branch)
		return strdup(row->text);
	_cleanup_free_ char *target = row->branch ? target_text(listing, row) : strdup("");
	if (!target)
		return NULL;
	return base_format("%-*.*s%s%s", columns, mnemonic, row->text, operands, target);
}
