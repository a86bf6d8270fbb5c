#include "tests/unit/test.h"

#include <elf.h>
#include <sched.h>

#include <pdconv/build_id.h>
#include <pdconv/bytes.h>
#include <pdconv/cursor.h>
#include <pdconv/sample.h>
#include <pdconv/vec.h>

#include "base/arch.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/integer.h"
#include "base/system/file_map.h"
#include "base/containers/intern.h"
#include "base/containers/hash.h"
#include "base/containers/map.h"
#include "base/containers/merge_sort.h"
#include "base/pool.h"
#include "base/lower_bound.h"
#include "base/containers/sort.h"

static void cursor_reads_both_orders(void **state)
{
	const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct pd_cursor little = pd_cursor_init(bytes, sizeof(bytes), false);
	struct pd_cursor big = pd_cursor_init(bytes, sizeof(bytes), true);

	(void)state;
	assert_int_equal(pd_cursor_u16(&little), 0x0201);
	assert_int_equal(pd_cursor_u16(&big), 0x0102);
	assert_int_equal(pd_cursor_u32(&little), 0x06050403);
	assert_int_equal(pd_cursor_u32(&big), 0x03040506);
	assert_int_equal(pd_cursor_left(&little), 2);
	assert_false(little.overrun);
}

static void cursor_stops_at_the_end(void **state)
{
	const uint8_t bytes[] = { 'a', 0, 'b' };
	struct pd_cursor c = pd_cursor_init(bytes, sizeof(bytes), false);
	size_t len;

	(void)state;
	assert_string_equal(pd_cursor_str(&c, &len), "a");
	assert_int_equal(len, 1);
	assert_null(pd_cursor_str(&c, &len));
	assert_true(c.overrun);
	c = pd_cursor_init(bytes, sizeof(bytes), false);
	assert_int_equal(pd_cursor_u32(&c), 0);
	assert_true(c.overrun);
	assert_null(pd_cursor_bytes(&c, UINT64_MAX));
}

static void map_finds_what_was_added(void **state)
{
	struct base_map map = { 0 };
	bool is_new;

	(void)state;
	assert_null(base_map_find(&map, 0));
	for (uint64_t key = 0; key < 10000; key++) {
		*base_map_add(&map, key * 0x100000001U, &is_new) = key;
		assert_true(is_new);
	}
	base_map_add(&map, 0, &is_new);
	assert_false(is_new);
	for (uint64_t key = 0; key < 10000; key++)
		assert_int_equal(*base_map_find(&map, key * 0x100000001U), key);
	assert_null(base_map_find(&map, 1));
	*base_map_add(&map, UINT64_MAX, NULL) = 7;
	assert_int_equal(*base_map_find(&map, UINT64_MAX), 7);
	base_map_deinit(&map);
}

static void intern_numbers_are_dense(void **state)
{
	struct base_intern set = { 0 };
	char text[32];

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "name %u", i);
		assert_int_equal(base_intern_str(&set, text), i);
	}
	assert_int_equal(base_intern_str(&set, "name 17"), 17);
	assert_string_equal(base_intern_bytes(&set, 17), "name 17");
	assert_int_equal(base_intern_len(&set, 17), 7);
	assert_int_equal(base_intern_find(&set, "name 4999", 9), 4999);
	assert_int_equal(base_intern_find(&set, "name", 4), PD_INTERN_NONE);
	/* Interned bytes may contain NULs. */
	assert_int_equal(base_intern_add(&set, "a\0b", 3), 5000);
	assert_int_equal(base_intern_add(&set, "a\0c", 3), 5001);
	assert_int_equal(base_intern_add(&set, "", 0), 5002);
	base_intern_deinit(&set);
}

/* Resident bytes of the mapping that begins at start. */
static size_t resident_bytes(const void *start)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	unsigned long from, to;
	size_t kib = 0;
	bool is_here = false;
	char line[4096];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			is_here = from == (uintptr_t)start;
		if (is_here && sscanf(line, "Rss: %zu kB", &kib) == 1)
			break;
	}
	fclose(maps);
	return kib * 1024;
}

static uint32_t sum_bytes(const uint8_t *bytes, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + bytes[i];
	return sum;
}

/* Pages that were dropped are no longer resident, and are read from the file again. */
static void dropped_pages_are_read_again(void **state)
{
	enum { SIZE = (4 << 20) + 100 };
	FILE *file = tmpfile();
	struct base_file_map map;

	(void)state;
	needs_linux();
	assert_non_null(file);
	for (int i = 0; i < SIZE; i++)
		putc_unlocked(i % 251, file);
	assert_int_equal(fflush(file), 0);
	assert_true(base_file_map_open(fileno(file), 0, SIZE, PD_MAP_READ_ONLY, &map));
	uint32_t sum = sum_bytes(map.bytes, SIZE);
	assert_true(resident_bytes(map.bytes) > (3 << 20));
	/* Nothing, less than a page, and parts of pages at the ends. */
	base_file_map_drop(&map, 4096, 4096);
	base_file_map_drop(&map, 4097, 8000);
	assert_true(resident_bytes(map.bytes) > (3 << 20));
	base_file_map_drop(&map, 1, SIZE - 5000);
	assert_true(resident_bytes(map.bytes) < (1 << 20));
	assert_int_equal(sum_bytes(map.bytes, SIZE), sum);
	base_file_map_drop(&map, 0, SIZE + 100000);
	assert_int_equal(sum_bytes(map.bytes, SIZE), sum);
	base_file_map_close(&map);
	fclose(file);
}

/* A file may be larger than memory can be, on machines with 32-bit addresses. */
static void a_file_larger_than_memory_is_not_mapped(void **state)
{
	const uint64_t too_large = (uint64_t)PTRDIFF_MAX + 1;
	FILE *file = tmpfile();
	struct base_file_map map;
	size_t size = 1, extra;

	(void)state;
	assert_non_null(file);
	assert_false(base_size_in_memory(too_large, &size));
	assert_int_equal(size, 1);
	assert_true(base_size_in_memory(PTRDIFF_MAX, &size));
	assert_int_equal(size, PTRDIFF_MAX);
	errno = 0;
	assert_false(base_file_map_open(fileno(file), 0, too_large, PD_MAP_READ_ONLY, &map));
	assert_int_equal(errno, EFBIG);
	errno = 0;
	assert_false(base_file_map_open_extended(fileno(file), 0, too_large, 100, &map, &extra));
	assert_int_equal(errno, EFBIG);
	assert_null(map.bytes);
	fclose(file);
}

enum { N_ROWS = 5000, ROW_WORDS = 2, ROW_BYTES = ROW_WORDS * 8 };

static uint32_t add_row(struct base_intern *set, uint64_t i)
{
	const uint64_t row[ROW_WORDS] = { i / 3, i % 3 };

	return base_intern_add(set, row, sizeof(row));
}

/* Strings of one length are in rows, which do not move, and are found like all others. */
static void intern_keeps_rows(void **state)
{
	struct base_intern set = { .width = ROW_BYTES };

	(void)state;
	for (uint32_t i = 0; i < N_ROWS; i++)
		assert_int_equal(add_row(&set, i), i);
	const uint64_t *first = base_intern_bytes(&set, 0);
	for (uint32_t i = 0; i < 2 * N_ROWS; i++) {
		assert_int_equal(add_row(&set, i), i);
		const uint64_t *row = base_intern_bytes(&set, i);
		assert_int_equal(base_intern_len(&set, i), ROW_BYTES);
		assert_int_equal(row[0], i / 3);
		assert_int_equal(row[1], i % 3);
		assert_int_equal(((const char *)row)[ROW_BYTES], 0);
	}
	assert_ptr_equal(base_intern_bytes(&set, 0), first);
	assert_int_equal(base_intern_add(&set, "shorter", 7), PD_INTERN_NONE);
	assert_int_equal(base_intern_find(&set, "shorter", 7), PD_INTERN_NONE);
	base_intern_deinit(&set);
	assert_int_equal(add_row(&set, 7), 0);
	base_intern_deinit(&set);
}

/* Rows may be added to borrowed ones, which need not fill their last block. */
static void intern_adopts_rows(void **state)
{
	static const size_t counts[] = { 0, 1, PD_INTERN_BLOCK_ROWS - 1, PD_INTERN_BLOCK_ROWS,
		PD_INTERN_BLOCK_ROWS + 1, N_ROWS };
	enum { STRIDE = ROW_BYTES + 8 };

	(void)state;
	for (size_t c = 0; c < PD_ARRAY_LEN(counts); c++) {
		struct base_intern set = { .width = ROW_BYTES };
		char *bytes = calloc(N_ROWS + 1, STRIDE);
		uint32_t lens[N_ROWS];

		for (uint64_t i = 0; i < counts[c]; i++) {
			const uint64_t row[ROW_WORDS] = { i / 3, i % 3 };

			memcpy(bytes + i * STRIDE, row, sizeof(row));
			lens[i] = ROW_BYTES;
		}
		assert_true(base_intern_adopt(&set, lens, counts[c], bytes, counts[c] * STRIDE));
		for (uint32_t i = 0; i < 2 * N_ROWS; i++)
			assert_int_equal(add_row(&set, i), i);
		for (uint32_t i = 0; i < 2 * N_ROWS; i++)
			assert_int_equal(*(const uint64_t *)base_intern_bytes(&set, i), i / 3);
		base_intern_deinit(&set);
		/* All lengths must be that of the rows. */
		lens[0] = ROW_BYTES - 1;
		if (counts[c])
			assert_false(base_intern_adopt(
				&set, lens, counts[c], bytes, counts[c] * STRIDE));
		base_intern_deinit(&set);
		free(bytes);
	}
}

static void arena_aligns_and_keeps(void **state)
{
	struct base_arena arena = { 0 };
	char *first = base_arena_strndup(&arena, "first", 5);

	(void)state;
	for (size_t size = 1; size < 100000; size = size * 3 + 1) {
		char *p = base_arena_alloc(&arena, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 8, 0);
		memset(p, 0xff, size);
	}
	assert_string_equal(first, "first");
	assert_null(base_arena_alloc(&arena, SIZE_MAX));
	base_arena_deinit(&arena);
}

static void vec_refuses_overflow(void **state)
{
	PD_VEC(uint64_t) vec = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(pd_vec_push(&vec, i));
	assert_int_equal(vec.data[999], 999);
	assert_false(pd_vec_reserve(&vec, SIZE_MAX));
	assert_int_equal(vec.n, 1000);
	pd_vec_deinit(&vec);
}

static void error_text_has_its_parts(void **state)
{
	struct pd_error *err =
		pd_error_at("perf.data", 0x1f38, "MMAP2", "%s is not terminated", "filename");
	char *text = pd_error_string(err);

	(void)state;
	assert_string_equal(text, "perf.data: 0x1f38: MMAP2: filename is not terminated");
	free(text);
	pd_error_destroy(err);
	pd_error_destroy(&pd_enomem);
	pd_error_destroy(NULL);
}

static void errors_are_printed_as_a_line(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	assert_int_equal(pd_error_print(NULL, out), 0);
	assert_int_equal(
		pd_error_print(pd_error_create(PD_ERROR_FORMAT, "a\nb", "no\033 record"), out), 1);
	assert_int_equal(pd_error_print(&pd_enomem, out), 1);
	fclose(out);
	assert_string_equal(text, "a\\x0ab: no\\x1b record\nout of memory\n");
	free(text);
}

static void diag_counts_kinds(void **state)
{
	struct pd_diag *diag = pd_diag_create();

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		pd_diag_warn(diag, "f", i, NULL, "bad %u", i);
	pd_diag_warn(diag, "f", PD_NO_OFFSET, NULL, "other");
	pd_diag_warn(NULL, "f", 0, NULL, "to nobody");
	assert_int_equal(pd_diag_n(diag), 2);
	assert_string_equal(diag_text(diag, 0), "f: 0x0: bad 0");
	assert_int_equal(pd_diag_get(diag, 0).count, 3);
	assert_string_equal(diag_text(diag, 1), "f: other");
	assert_int_equal(pd_diag_get(diag, 1).count, 1);
	pd_diag_destroy(diag);
}

/* Code, location and subject of an error are available without parsing its text. */
static void diag_holds_errors(void **state)
{
	struct pd_diag *diag = pd_diag_create();

	(void)state;
	pd_diag_warn(diag, "f", 0x1f38, "MMAP2", "%s is not terminated", "filename");
	pd_diag_cut(diag, NULL, PD_NO_OFFSET, NULL, "%d bytes are not read", 7);
	pd_diag_cut(NULL, NULL, PD_NO_OFFSET, NULL, "to nobody");
	const struct pd_error *damage = pd_diag_get(diag, 0).first;
	assert_int_equal(damage->code, PD_ERROR_FORMAT);
	assert_string_equal(damage->path, "f");
	assert_int_equal(damage->offset, 0x1f38);
	assert_string_equal(damage->what, "MMAP2");
	assert_string_equal(damage->message, "filename is not terminated");
	const struct pd_error *end = pd_diag_get(diag, 1).first;
	assert_int_equal(end->code, PD_ERROR_CUT);
	assert_null(end->path);
	assert_int_equal(end->offset, PD_NO_OFFSET);
	assert_null(end->what);
	assert_string_equal(end->message, "7 bytes are not read");
	pd_diag_destroy(diag);
}

/* Diagnostics with another subject or another message are of another kind. */
static void diag_distinguishes_subjects(void **state)
{
	static const char too_short[] = "record is too short";
	static const char open_end[] = "string is not terminated";
	struct pd_diag *diag = pd_diag_create();

	(void)state;
	pd_diag_note(diag, "f", 1, "MMAP2", too_short);
	pd_diag_note(diag, "f", 2, "COMM", too_short);
	pd_diag_note(diag, "f", 3, "COMM", open_end);
	pd_diag_note(diag, "f", 4, "COMM", open_end);
	pd_diag_note(NULL, "f", 5, "COMM", open_end);
	assert_int_equal(pd_diag_n(diag), 3);
	assert_string_equal(diag_text(diag, 0), "f: 0x1: MMAP2: record is too short");
	assert_string_equal(diag_text(diag, 1), "f: 0x2: COMM: record is too short");
	assert_string_equal(diag_text(diag, 2), "f: 0x3: COMM: string is not terminated");
	assert_int_equal(pd_diag_get(diag, 2).count, 2);
	pd_diag_destroy(diag);
}

struct tally {
	uint32_t done[1000];
	size_t busy_worker[8];
};

static void count_item(void *ctx, size_t worker, size_t item)
{
	struct tally *tally = ctx;

	assert_true(worker < 8);
	tally->done[item]++;
	tally->busy_worker[worker]++;
}

static void pool_does_every_item_once(void **state)
{
	(void)state;
	for (size_t n_workers = 1; n_workers <= 8; n_workers += 7) {
		struct base_pool *pool;

		assert_ok(base_pool_create(n_workers, &pool));
		assert_int_equal(base_pool_n_workers(pool), n_workers);
		for (int run = 0; run < 50; run++) {
			struct tally tally = { 0 };

			base_pool_run(pool, 1000, count_item, &tally);
			for (size_t i = 0; i < 1000; i++)
				assert_int_equal(tally.done[i], 1);
			base_pool_run(pool, 0, count_item, &tally);
			/* The caller does something else in between. */
			base_pool_start(pool, 1000, count_item, &tally);
			sched_yield();
			base_pool_finish(pool);
			for (size_t i = 0; i < 1000; i++)
				assert_int_equal(tally.done[i], 2);
		}
		base_pool_destroy(pool);
	}
}

static const struct pd_arch *const arches[] = { &base_arch_x86_64, &base_arch_i386,
	&base_arch_aarch64, &base_arch_arm, &base_arch_riscv64, &base_arch_s390x, &base_arch_ppc64,
	&base_arch_ppc64le };
enum { N_ARCHES = PD_ARRAY_LEN(arches) };

static void check_registers(const struct pd_arch *arch)
{
	for (size_t i = 0; i < arch->n_regs; i++) {
		for (size_t k = 0; k < i; k++) {
			assert_int_not_equal(arch->regs[i].perf, arch->regs[k].perf);
			if (arch->regs[i].dwarf != PD_NO_DWARF)
				assert_int_not_equal(arch->regs[i].dwarf, arch->regs[k].dwarf);
			assert_string_not_equal(arch->regs[i].name, arch->regs[k].name);
		}
	}
}

static void registers_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ARCHES; i++)
		check_registers(arches[i]);
}

static void registers_have_the_kernels_bits(void **state)
{
	/* Some registers of each architecture's asm/perf_regs.h, including the last one. */
	static const struct {
		const struct pd_arch *arch;
		unsigned bit;
		const char *name;
	} facts[] = {
		{ &base_arch_x86_64, 8, "ip" },
		{ &base_arch_x86_64, 23, "r15" },
		{ &base_arch_i386, 8, "ip" },
		{ &base_arch_i386, 15, "gs" },
		{ &base_arch_aarch64, 29, "x29" },
		{ &base_arch_aarch64, 30, "lr" },
		{ &base_arch_aarch64, 31, "sp" },
		{ &base_arch_aarch64, 32, "pc" },
		{ &base_arch_aarch64, 46, "vg" },
		{ &base_arch_arm, 13, "sp" },
		{ &base_arch_arm, 15, "pc" },
		{ &base_arch_riscv64, 0, "pc" },
		{ &base_arch_riscv64, 2, "sp" },
		{ &base_arch_riscv64, 18, "s2" },
		{ &base_arch_riscv64, 31, "t6" },
		{ &base_arch_s390x, 15, "r15" },
		{ &base_arch_s390x, 31, "fp15" },
		{ &base_arch_s390x, 33, "pc" },
		{ &base_arch_ppc64, 32, "nip" },
		{ &base_arch_ppc64, 36, "link" },
		{ &base_arch_ppc64, 44, "mmcra" },
		{ &base_arch_ppc64, 58, "siar" },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(facts); i++)
		assert_string_equal(pd_arch_reg_name(facts[i].arch, facts[i].bit), facts[i].name);
	for (size_t i = 0; i < N_ARCHES; i++) {
		const char *pc = pd_arch_reg_name(arches[i], arches[i]->pc);

		assert_true(strstr("ip pc nip", pc));
	}
	assert_null(pd_arch_reg_name(&base_arch_arm, 16));
	assert_null(pd_arch_reg_name(NULL, 0));
}

static void architectures_by_name(void **state)
{
	static const struct {
		const char *name;
		const struct pd_arch *arch;
	} names[] = {
		{ "x86_64", &base_arch_x86_64 },
		{ "i386", &base_arch_i386 },
		{ "i686", &base_arch_i386 },
		{ "x86", &base_arch_i386 },
		{ "aarch64", &base_arch_aarch64 },
		{ "arm64", &base_arch_aarch64 },
		{ "arm", &base_arch_arm },
		{ "armv5tel", &base_arch_arm },
		{ "armv7l", &base_arch_arm },
		{ "armv8l", &base_arch_arm },
		{ "riscv64", &base_arch_riscv64 },
		{ "s390x", &base_arch_s390x },
		{ "ppc64", &base_arch_ppc64 },
		{ "ppc64le", &base_arch_ppc64le },
	};
	/* The last names are of variants in the other byte order. */
	static const char *const unknown[] = { "", "pdp11", "i286", "i6868", "loongarch64", "ppc",
		"s390", "riscv32", "aarch64_be", "armv7b" };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++)
		assert_ptr_equal(pd_arch_find(names[i].name), names[i].arch);
	for (size_t i = 0; i < PD_ARRAY_LEN(unknown); i++)
		assert_null(pd_arch_find(unknown[i]));
	for (size_t i = 0; i < N_ARCHES; i++)
		assert_ptr_equal(pd_arch_find(arches[i]->name), arches[i]);
}

static void architectures_of_samples_and_files(void **state)
{
	(void)state;
	assert_ptr_equal(pd_arch_of_abi(&base_arch_x86_64, PD_REGS_ABI_64), &base_arch_x86_64);
	assert_ptr_equal(pd_arch_of_abi(&base_arch_x86_64, PD_REGS_ABI_32), &base_arch_i386);
	assert_ptr_equal(pd_arch_of_abi(&base_arch_aarch64, PD_REGS_ABI_32), &base_arch_arm);
	assert_ptr_equal(pd_arch_of_abi(&base_arch_i386, PD_REGS_ABI_32), &base_arch_i386);
	assert_ptr_equal(pd_arch_of_abi(&base_arch_i386, PD_REGS_ABI_64), &base_arch_x86_64);
	assert_ptr_equal(pd_arch_of_abi(&base_arch_arm, PD_REGS_ABI_64), &base_arch_aarch64);
	assert_null(pd_arch_of_abi(&base_arch_s390x, PD_REGS_ABI_32));
	assert_null(pd_arch_of_abi(&base_arch_x86_64, PD_REGS_ABI_NONE));
	assert_null(pd_arch_of_abi(NULL, PD_REGS_ABI_64));

	assert_ptr_equal(base_arch_of_elf(EM_386, 4, false), &base_arch_i386);
	assert_ptr_equal(base_arch_of_elf(EM_PPC64, 8, true), &base_arch_ppc64);
	assert_ptr_equal(base_arch_of_elf(EM_PPC64, 8, false), &base_arch_ppc64le);
	assert_null(base_arch_of_elf(EM_RISCV, 4, false));
	assert_null(base_arch_of_elf(EM_S390, 4, true));
	assert_null(base_arch_of_elf(EM_AARCH64, 8, true));
	assert_null(base_arch_of_elf(EM_NONE, 8, false));
}

static void build_ids_may_be_padded(void **state)
{
	struct pd_build_id md5 = { .len = 16, .bytes = { 1, 2, 0xab } };
	struct pd_build_id padded = { .len = 20, .bytes = { 1, 2, 0xab } };
	struct pd_build_id other = { .len = 20, .bytes = { 1, 2, 0xab, [19] = 1 } };
	char hex[PD_BUILD_ID_HEX_MAX];

	(void)state;
	assert_true(pd_build_id_equal(&md5, &padded));
	assert_false(pd_build_id_equal(&md5, &other));
	assert_memory_equal(pd_build_id_hex(&md5, hex), "0102ab00", 8);
	assert_int_equal(strlen(hex), 32);
}

/* A stack without frames is interned as an empty list, whose bytes may be NULL. */
static void empty_lists_are_interned(void **state)
{
	struct base_intern set = { 0 };

	(void)state;
	assert_int_equal(base_intern_find(&set, NULL, 0), PD_INTERN_NONE);
	assert_int_equal(base_intern_add(&set, NULL, 0), 0);
	assert_int_equal(base_intern_add(&set, "x", 1), 1);
	assert_int_equal(base_intern_add(&set, NULL, 0), 0);
	assert_int_equal(base_intern_add(&set, "", 0), 0);
	assert_int_equal(base_intern_find(&set, NULL, 0), 0);
	assert_int_equal(base_intern_len(&set, 0), 0);
	base_intern_deinit(&set);
}

/* Lengths for qsort() and for the radix sort, with keys of every order of magnitude. */
static void sorting_keeps_equal_keys_in_order(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 100, 511, 512, 20000 };
	static struct base_keyed list[20000];
	uint64_t random = 1;

	(void)state;
	for (unsigned shift = 0; shift < 64; shift += 9) {
		for (size_t s = 0; s < PD_ARRAY_LEN(sizes); s++) {
			size_t n = sizes[s];

			for (size_t i = 0; i < n; i++) {
				random = random * 6364136223846793005U + 1442695040888963407U;
				list[i] = (struct base_keyed){ random >> 52 << shift, (uint32_t)i };
			}
			assert_true(base_sort_keyed(list, n));
			for (size_t i = 1; i < n; i++) {
				assert_true(list[i - 1].key <= list[i].key);
				if (list[i - 1].key == list[i].key)
					assert_true(list[i - 1].index < list[i].index);
			}
		}
	}
}

static bool is_key_less(const void *a, const void *b)
{
	const struct base_keyed *x = a, *y = b;

	return x->key < y->key;
}

/* Lists with one run, with many, and with runs of one element. */
static void merge_sort_keeps_equal_elements_in_order(void **state)
{
	static const struct base_merge_order order = { sizeof(struct base_keyed), is_key_less };
	static const uint64_t periods[] = { 1, 2, 3, 7, 100, 1000 };
	struct base_keyed list[1000], scratch[1000];

	(void)state;
	for (size_t p = 0; p < PD_ARRAY_LEN(periods); p++) {
		for (size_t n = 0; n <= PD_ARRAY_LEN(list); n += n < 4 ? 1 : 83) {
			for (size_t i = 0; i < n; i++)
				list[i] = (struct base_keyed){ (i * 7) % periods[p], (uint32_t)i };
			base_merge_sort(list, scratch, n, &order);
			assert_true(base_merge_is_sorted(list, n, &order));
			for (size_t i = 1; i < n; i++)
				assert_true(list[i - 1].key < list[i].key ||
					    list[i - 1].index < list[i].index);
		}
	}
}

static void lower_bound_is_the_first_not_below(void **state)
{
	static const int list[] = { 1, 3, 3, 5 };
	static const size_t expected[] = { 0, 0, 1, 1, 3, 3, 4 };

	(void)state;
	for (int v = 0; v < (int)PD_ARRAY_LEN(expected); v++) {
		assert_int_equal(base_lower_bound(PD_ARRAY_LEN(list), i, list[i] < v), expected[v]);
		assert_int_equal(base_lower_bound_from(2, 3, i, list[i] < v), v > 3 ? 3 : 2);
	}
	assert_int_equal(base_lower_bound((uint32_t)0, i, list[i] < 1), 0);
}

static void map_loop_visits_every_entry_once(void **state)
{
	struct base_map map = { 0 };
	bool seen[1000] = { false };
	size_t n = 0;

	(void)state;
	base_map_each(slot, &map) fail();
	for (uint64_t key = 0; key < PD_ARRAY_LEN(seen); key++)
		*base_map_add(&map, key << 40, NULL) = key;
	base_map_each(slot, &map)
	{
		assert_int_equal(slot->key, slot->value << 40);
		assert_false(seen[slot->value]);
		seen[slot->value] = true;
		n++;
	}
	assert_int_equal(n, PD_ARRAY_LEN(seen));
	base_map_deinit(&map);
}

/* Count distinct numbers below 1024. */
static size_t count_distinct(const uint64_t *hashes, size_t n)
{
	bool seen[1024] = { false };
	size_t distinct = 0;

	for (size_t i = 0; i < n; i++) {
		distinct += !seen[hashes[i] % PD_ARRAY_LEN(seen)];
		seen[hashes[i] % PD_ARRAY_LEN(seen)] = true;
	}
	return distinct;
}

/* Recordings must not be able to contain keys that collide: what collides with one seed does not with another. */
static void hashes_depend_on_the_seed(void **state)
{
	enum { KEYS = 200 };
	const struct base_hash_seed random = base_hash_seed;
	uint64_t keys[KEYS], numbers[KEYS], pairs[KEYS], texts[KEYS];
	size_t n = 0;

	(void)state;
	assert_int_not_equal(random.mask, 0);
	assert_int_equal(random.factor & 1, 1);
	base_hash_seed =
		(struct base_hash_seed){ 1, 0xd6e8feb86659fd93U, 0x9e3779b97f4a7c15U, { 5 } };
	for (uint64_t key = 0; n < KEYS; key++) {
		if (base_hash_u64(key) % 1024 == 7)
			keys[n++] = key;
	}
	uint64_t text = base_hash_bytes("text", 4);
	for (uint64_t i = 0; i < KEYS; i++)
		assert_int_equal(
			base_hash_pair(0U - i * base_hash_seed.spread, i), base_hash_pair(0, 0));
	const uint64_t spread = base_hash_seed.spread;
	base_hash_seed = random;
	assert_int_not_equal(base_hash_bytes("text", 4), text);
	for (uint64_t i = 0; i < KEYS; i++) {
		numbers[i] = base_hash_u64(keys[i]);
		pairs[i] = base_hash_pair(0U - i * spread, i);
		texts[i] = base_hash_bytes(&i, sizeof(i));
	}
	/* On average, 182 of 200 random numbers below 1024 are distinct. */
	assert_uint_in_range(count_distinct(numbers, KEYS), 120, KEYS);
	assert_uint_in_range(count_distinct(pairs, KEYS), 120, KEYS);
	assert_uint_in_range(count_distinct(texts, KEYS), 120, KEYS);
}

static void integers_have_a_size_and_an_order(void **state)
{
	uint8_t bytes[8];

	(void)state;
	for (unsigned size = 1; size <= 8; size *= 2) {
		uint64_t mask = UINT64_MAX >> (64 - 8 * size);

		for (int swap = 0; swap < 2; swap++) {
			struct pd_cursor c = pd_cursor_init(bytes, size, swap);

			base_store_uint(bytes, size, swap, 0x8182838485868788U);
			assert_int_equal(bytes[pd_is_big_endian(swap) ? size - 1 : 0], 0x88);
			assert_int_equal(
				base_load_uint(bytes, size, swap), 0x8182838485868788U & mask);
			assert_int_equal(base_cursor_uint(&c, size), 0x8182838485868788U & mask);
			assert_false(c.overrun);
		}
		assert_true(base_sign_extend(UINT64_C(0x80) << (8 * size - 8), size) < 0);
		assert_true(base_sign_extend(mask >> 1, size) > 0);
	}
	struct pd_cursor c = pd_cursor_init(bytes, sizeof(bytes), false);
	assert_int_equal(base_cursor_uint(&c, 3), 0);
	assert_true(c.overrun);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cursor_reads_both_orders),
		cmocka_unit_test(cursor_stops_at_the_end),
		cmocka_unit_test(map_finds_what_was_added),
		cmocka_unit_test(intern_numbers_are_dense),
		cmocka_unit_test(dropped_pages_are_read_again),
		cmocka_unit_test(a_file_larger_than_memory_is_not_mapped),
		cmocka_unit_test(intern_keeps_rows),
		cmocka_unit_test(intern_adopts_rows),
		cmocka_unit_test(arena_aligns_and_keeps),
		cmocka_unit_test(vec_refuses_overflow),
		cmocka_unit_test(error_text_has_its_parts),
		cmocka_unit_test(errors_are_printed_as_a_line),
		cmocka_unit_test(diag_counts_kinds),
		cmocka_unit_test(diag_holds_errors),
		cmocka_unit_test(diag_distinguishes_subjects),
		cmocka_unit_test(pool_does_every_item_once),
		cmocka_unit_test(registers_are_unique),
		cmocka_unit_test(registers_have_the_kernels_bits),
		cmocka_unit_test(architectures_by_name),
		cmocka_unit_test(architectures_of_samples_and_files),
		cmocka_unit_test(build_ids_may_be_padded),
		cmocka_unit_test(empty_lists_are_interned),
		cmocka_unit_test(sorting_keeps_equal_keys_in_order),
		cmocka_unit_test(merge_sort_keeps_equal_elements_in_order),
		cmocka_unit_test(lower_bound_is_the_first_not_below),
		cmocka_unit_test(map_loop_visits_every_entry_once),
		cmocka_unit_test(hashes_depend_on_the_seed),
		cmocka_unit_test(integers_have_a_size_and_an_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
