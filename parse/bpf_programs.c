#include "parse/bpf_programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/cursor.h>
#include <pdconv/feature.h>
#include <pdconv/vec.h>

#include "base/analyzer.h"
#include "base/limit.h"
#include "base/containers/map.h"
#include "base/lower_bound.h"

/* Bits of bpf_prog.arrays: fields of the info that are offsets into the data. */
enum {
	JITED_KSYMS = 3,
	JITED_FUNC_LENS = 4,
	LINE_INFO = 6,
	JITED_LINE_INFO = 7,
	PROG_TAGS = 8,
};

/* Limit of programs at one address: the kernel reuses the memory of unloaded programs. */
enum { MAX_AT_ADDRESS = PD_LIMIT_BPF_AT_ADDRESS };

enum { TAG_BYTES = 8, TAG_DIGITS = 2 * TAG_BYTES, BTF_MAGIC = 0xeb9f };

static const char prefix[] = "bpf_prog_";

struct line {
	uint64_t addr;
	const char *file;
	uint32_t line;
};

struct function {
	uint64_t start;
	uint64_t end;
	/**
	 * Tags of the function and of its program: the kernel names the first function by either.
	 */
	char tags[2][TAG_DIGITS + 1];
	/** Range of its lines in parse_bpf.lines: [first_line, first_line + n_lines). */
	size_t first_line;
	size_t n_lines;
};

struct parse_bpf {
	PD_VEC(struct function) functions;
	PD_VEC(struct line) lines;
};

/* String section of a BTF blob; empty if it is damaged. */
struct strings {
	const char *data;
	size_t size;
};

/* BTF blobs that programs refer to. */
struct source {
	const struct pd_file *file;
	struct parse_bpf *bpf;
	/** BTF id to index in strings. */
	struct base_map by_id;
	PD_VEC(struct strings) strings;
};

/* Program that is being read. */
struct program {
	const struct pd_file *file;
	struct parse_bpf *bpf;
	uint64_t arrays;
	struct pd_view data;
	struct pd_bpf_prog_info info;
	struct strings strings;
};

/*
 * Find the strings of a BTF blob, which has the byte order of the recorded machine (linux/btf.h).
 */
static struct strings btf_strings(const struct pd_view *btf)
{
	struct pd_cursor c = pd_view_cursor(btf);
	struct strings none = { 0 };

	if (pd_cursor_u16(&c) != BTF_MAGIC)
		return none;
	pd_cursor_u16(&c); /* version, flags */
	uint64_t start = pd_cursor_u32(&c);
	pd_cursor_u64(&c); /* types */
	start += pd_cursor_u32(&c);
	uint32_t size = pd_cursor_u32(&c);
	if (c.overrun || start > btf->n || size > btf->n - start || !size)
		return none;
	const char *data = (const char *)btf->data + start;
	return data[size - 1] ? none : (struct strings){ data, size };
}

static bool read_strings(struct source *source)
{
	const struct pd_file *file = source->file;
	struct pd_bpf_btf btfs;
	struct pd_bpf_btf_entry entry;
	bool is_new;

	/* Without BTF, lines have no file names and are left out. Functions do not need it. */
	if (!pd_file_feature(file, PD_FEATURE_BPF_BTF, &btfs))
		return true;
	struct pd_list_iter iter = pd_list_iter(&btfs.entries, NULL);
	while (pd_list_next(&iter, &pd_layout_bpf_btf_entry, &entry)) {
		uint64_t *number = base_map_add(&source->by_id, entry.id, &is_new);

		if (!number)
			return false;
		if (!is_new)
			continue;
		*number = source->strings.n;
		if (!pd_vec_push(&source->strings, btf_strings(&entry.btf)))
			return false;
	}
	return true;
}

static struct strings find_strings(const struct source *source, uint32_t btf_id)
{
	const uint64_t *number = base_map_find(&source->by_id, btf_id);

	PD_IS_TRUE(!number || source->strings.data, "each number is that of an element");
	return number ? source->strings.data[*number] : (struct strings){ 0 };
}

/*
 * Cursor over an array of the program: n records of size bytes. Empty if the array is absent or
 * cut.
 */
static struct pd_cursor array(
	const struct program *p, unsigned bit, uint64_t offset, uint64_t n, uint64_t size)
{
	bool has_it = p->arrays >> bit & 1 && offset <= p->data.n && n * size <= p->data.n - offset;

	return pd_cursor_init(has_it ? (const uint8_t *)p->data.data + offset : NULL,
		has_it ? n * size : 0, p->data.swap);
}

static void spell_tag(const uint8_t *tag, char ret[static TAG_DIGITS + 1])
{
	for (size_t i = 0; i < TAG_BYTES; i++)
		snprintf(ret + 2 * i, 3, "%02x", tag[i]);
}

static bool add_functions(struct program *p)
{
	const struct pd_bpf_prog_info *info = &p->info;
	struct pd_cursor starts = array(p, JITED_KSYMS, info->jited_ksyms, info->nr_jited_ksyms, 8);
	struct pd_cursor lens =
		array(p, JITED_FUNC_LENS, info->jited_func_lens, info->nr_jited_func_lens, 4);
	struct pd_cursor tags = array(p, PROG_TAGS, info->prog_tags, info->nr_prog_tags, TAG_BYTES);

	while (pd_cursor_left(&starts)) {
		struct function function = { .start = pd_cursor_u64(&starts) };
		const uint8_t *tag;

		function.end = function.start + pd_cursor_u32(&lens);
		tag = pd_cursor_bytes(&tags, TAG_BYTES);
		/*
		 * The kernel fills the three arrays in parallel. If one is shorter, the rest cannot
		 * be matched.
		 */
		if (lens.overrun || !tag)
			return true;
		spell_tag(tag, function.tags[0]);
		spell_tag(info->tag, function.tags[1]);
		if (!pd_vec_push(&p->bpf->functions, function))
			return false;
	}
	return true;
}

/* Decode struct bpf_line_info: u32 insn_off, file_name_off, line_off, line_col. */
static bool read_line(const struct program *p, const uint8_t *bytes, struct line *ret)
{
	uint32_t file_name = pd_load_u32(bytes + 4, p->data.swap);

	if (file_name >= p->strings.size)
		return false;
	ret->line = pd_load_u32(bytes + 12, p->data.swap) >> 10;
	ret->file = p->strings.data + file_name;
	return true;
}

static bool add_lines(struct program *p)
{
	enum { LINE_BYTES = 16, ADDR_BYTES = 8 };
	const struct pd_bpf_prog_info *info = &p->info;
	uint32_t size = info->line_info_rec_size, addr_size = info->jited_line_info_rec_size;
	struct pd_cursor lines = array(p, LINE_INFO, info->line_info, info->nr_line_info, size);
	struct pd_cursor addrs = array(
		p, JITED_LINE_INFO, info->jited_line_info, info->nr_jited_line_info, addr_size);

	/* The recording states the record sizes, because later kernels may append fields. */
	if (size < LINE_BYTES || addr_size < ADDR_BYTES)
		return true;
	for (;;) {
		const uint8_t *line_bytes = pd_cursor_bytes(&lines, size);
		const uint8_t *addr_bytes = pd_cursor_bytes(&addrs, addr_size);
		struct line line;

		if (!line_bytes || !addr_bytes)
			return true;
		line.addr = pd_load_u64(addr_bytes, p->data.swap);
		if (read_line(p, line_bytes, &line) && !pd_vec_push(&p->bpf->lines, line))
			return false;
	}
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Index of the first line in [low, high) whose address is addr or higher. */
static size_t first_line_at(const struct parse_bpf *bpf, size_t low, size_t high, uint64_t addr)
{
	return base_lower_bound_from(low, high, i, bpf->lines.data[i].addr < addr);
}

/* Assign the lines from first_line on to the functions from first on, by address. */
static void share_lines(struct parse_bpf *bpf, size_t first, size_t first_line)
{
	size_t end_line = bpf->lines.n;

	if (end_line > first_line)
		qsort(bpf->lines.data + first_line, end_line - first_line, sizeof(*bpf->lines.data),
			compare_lines);
	for (size_t i = first; i < bpf->functions.n; i++) {
		struct function *function = &bpf->functions.data[i];
		size_t k = first_line_at(bpf, first_line, end_line, function->start);

		function->first_line = k;
		function->n_lines = first_line_at(bpf, k, end_line, function->end) - k;
	}
}

static bool add_program(const struct source *source, const struct pd_bpf_prog *of)
{
	struct parse_bpf *bpf = source->bpf;
	struct program p = {
		.file = source->file, .bpf = bpf, .arrays = of->arrays, .data = of->data
	};
	struct pd_cursor c = pd_view_cursor(&of->info);
	struct pd_layout_env env = { 0 };
	struct pd_layout_fault fault;
	size_t first = bpf->functions.n, first_line = bpf->lines.n;

	/* The info of kernels before 5.0 is shorter and has no lines. */
	if (!pd_layout_decode(&pd_layout_bpf_prog_info, &c, &env, &p.info, &fault))
		return true;
	p.strings = find_strings(source, p.info.btf_id);
	if (!add_functions(&p) || !add_lines(&p))
		return false;
	share_lines(bpf, first, first_line);
	return true;
}

static bool read_programs(struct source *source)
{
	const struct pd_file *file = source->file;
	struct pd_bpf_prog_infos infos;
	struct pd_bpf_prog program;

	/* Programs before the damage can still be used. */
	if (!pd_file_feature(file, PD_FEATURE_BPF_PROG_INFO, &infos) && !infos.programs.size)
		return true;
	struct pd_list_iter iter = pd_list_iter(&infos.programs, NULL);
	while (pd_list_next(&iter, &pd_layout_bpf_prog, &program)) {
		if (!add_program(source, &program))
			return false;
	}
	return true;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

struct pd_error *parse_bpf_create(const struct pd_file *file, struct parse_bpf **ret)
{
	struct parse_bpf *bpf = calloc(1, sizeof(*bpf));
	struct source source = { .file = file, .bpf = bpf };

	if (!bpf)
		return &pd_enomem;
	bool ok = read_strings(&source) && read_programs(&source);
	base_map_deinit(&source.by_id);
	pd_vec_deinit(&source.strings);
	if (!ok) {
		parse_bpf_destroy(bpf);
		return &pd_enomem;
	}
	if (bpf->functions.n)
		qsort(bpf->functions.data, bpf->functions.n, sizeof(*bpf->functions.data),
			compare_functions);
	*ret = bpf;
	return NULL;
}

void parse_bpf_destroy(struct parse_bpf *bpf)
{
	if (!bpf)
		return;
	pd_vec_deinit(&bpf->functions);
	pd_vec_deinit(&bpf->lines);
	free(bpf);
}

static bool find_line(const struct parse_bpf *bpf, const struct function *function, uint64_t addr,
	struct parse_bpf_line *ret)
{
	size_t first = function->first_line, end = first + function->n_lines;
	size_t behind = first_line_at(bpf, first, end, addr + 1);

	if (behind == first)
		return false;
	const struct line *at = &bpf->lines.data[behind - 1];
	*ret = (struct parse_bpf_line){
		.file = at->file,
		.line = at->line,
		.start_line = bpf->lines.data[first].line,
	};
	return true;
}

static bool is_called(const struct function *function, const char *symbol)
{
	size_t len = strlen(prefix);

	return strncmp(symbol, prefix, len) == 0 &&
	       (strncmp(symbol + len, function->tags[0], TAG_DIGITS) == 0 ||
		       strncmp(symbol + len, function->tags[1], TAG_DIGITS) == 0);
}

bool parse_bpf_find(
	const struct parse_bpf *bpf, const char *symbol, uint64_t addr, struct parse_bpf_line *ret)
{
	size_t low = base_lower_bound(bpf->functions.n, i, bpf->functions.data[i].start <= addr);

	for (int tries = 0; low--; tries++) {
		const struct function *function = &bpf->functions.data[low];

		if (tries == MAX_AT_ADDRESS)
			return addr < function->end &&
			       !base_limit_reach(PD_LIMIT_ID_BPF_AT_ADDRESS);
		if (addr < function->end && is_called(function, symbol))
			return find_line(bpf, function, addr, ret);
	}
	return false;
}
