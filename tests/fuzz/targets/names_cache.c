/*
 * Files of the cache of names. Input: a byte with flags; then for each list of the table
 * (symbolize/table/ranges.h) the number of its elements, and these. The header is that of a real
 * file, with the right checksum, because only accidents have a wrong one.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include <pdconv/bytes.h>

#include "base/array.h"
#include "base/io/cache_dir.h"
#include "symbolize/binary_files.h"
#include "symbolize/cache.h"
#include "symbolize/binary_names.h"
#include "tests/fuzz/elf.h"

/* Offsets in the header: after the magic number and the checksum, everything is signed. */
enum { CHECKSUM_AT = 8, SIGNED_AT = 16, N_ADDRS = 64, MAX_ELEMENTS = 48 };

static const char kept_name[] = "abababababababababababababababababababab" SYM_CACHE_SUFFIX;

#define INDEX(member) LIST_##member,
enum { SYM_CACHE_LISTS(INDEX) N_LISTS };
#undef INDEX

static const size_t sizes[N_LISTS] = {
#define SIZE(member) SYM_CACHE_ELEMENT_BYTES(member),
	SYM_CACHE_LISTS(SIZE)
#undef SIZE
};

/* A binary with a build id, and the file that was kept for it. */
static struct {
	struct sym_search search;
	char path[128];
	uint8_t *kept;
	size_t kept_size;
	size_t header_size;
	uint64_t n[N_LISTS];
} real;

static void make_program(void)
{
	static const uint8_t note[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab,
		0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab,
		0xab, 0xab, 0xab, 0xab, 0xab };
	const struct fuzz_section section = { ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x100,
		NULL, { note, sizeof(note) } };
	size_t size;
	uint8_t *bytes = fuzz_elf_make(&section, 1, &size);

	snprintf(real.path, sizeof(real.path), "%s", fuzz_write("program", bytes, size));
	free(bytes);
	real.search = fuzz_no_search;
	real.search.cache_dir = fuzz_dir();
}

static struct sym_binary *open_program(void)
{
	struct sym_failure failure;
	struct sym_image *image = NULL;
	struct sym_binary *binary = NULL;
	struct pd_error *err =
		sym_image_open(real.path, (struct sym_access){ 0 }, &image, &failure);

	if (!err && image)
		err = sym_binary_adopt(&real.search, real.path, image, &binary);
	if (err || !binary)
		abort();
	return binary;
}

static void name(struct sym_binary *binary)
{
	struct sym_names names[N_ADDRS];
	uint64_t addrs[N_ADDRS];
	struct base_arena arena = { 0 };

	for (uint64_t i = 0; i < N_ADDRS; i++)
		addrs[i] = FUZZ_TEXT + 4 * i;
	pd_error_destroy(sym_binary_names(binary, NULL, addrs, N_ADDRS, &arena, names));
	base_arena_deinit(&arena);
}

/* Keep the table of the program once, and read what was written. */
static void make_real(void)
{
	make_program();
	struct sym_binary *binary = open_program();
	name(binary);
	sym_cache_save(binary);
	sym_binary_destroy(binary);
	real.kept = base_cache_dir_read(fuzz_dir(), kept_name, UINT64_MAX, &real.kept_size);
	if (!real.kept)
		abort();
	/* The numbers of elements are at the end of the header. */
	for (real.header_size = SIGNED_AT + sizeof(real.n); real.header_size < real.kept_size;
		real.header_size += 8) {
		size_t size = real.header_size;

		memcpy(real.n, real.kept + size - sizeof(real.n), sizeof(real.n));
		for (size_t i = 0; i < N_LISTS; i++)
			size += real.n[i] < real.kept_size ? real.n[i] * sizes[i] : real.kept_size;
		if (size == real.kept_size)
			return;
	}
	abort();
}

/* Bytes of list @p i in the real file. */
static struct fuzz_input real_list(size_t i)
{
	size_t at = real.header_size;

	for (size_t k = 0; k < i; k++)
		at += real.n[k] * sizes[k];
	return (struct fuzz_input){ real.kept + at, real.n[i] * sizes[i] };
}

/*
 * Append list @p i. With @p is_real the strings begin with those of the real file, and the sources
 * are its own: then the table is one of this program.
 */
static uint64_t add_list(struct fuzz_input *in, size_t i, bool is_real, struct pd_bytes *out)
{
	size_t start = out->buf.n;

	if (is_real && (i == LIST_files || i == LIST_strings)) {
		struct fuzz_input list = real_list(i);

		pd_bytes_put(out, list.bytes, list.size);
	}
	if (!is_real || i != LIST_files) {
		size_t n = i == LIST_strings ? fuzz_byte(in) : fuzz_choice(in, MAX_ELEMENTS);
		struct fuzz_input list = fuzz_take(in, n * sizes[i]);

		pd_bytes_put(out, list.bytes, list.size / sizes[i] * sizes[i]);
	}
	return (out->buf.n - start) / sizes[i];
}

static void write_file(struct fuzz_input *in)
{
	struct pd_bytes out = { 0 };
	bool is_real = fuzz_bool(in);
	uint64_t n[N_LISTS];

	pd_bytes_put(&out, real.kept, real.header_size);
	for (size_t i = 0; i < N_LISTS; i++)
		n[i] = add_list(in, i, is_real, &out);
	if (out.failed)
		abort();
	memcpy(out.buf.data + real.header_size - sizeof(n), n, sizeof(n));
	uint64_t checksum = XXH3_64bits(out.buf.data + SIGNED_AT, out.buf.n - SIGNED_AT);
	memcpy(out.buf.data + CHECKSUM_AT, &checksum, sizeof(checksum));
	fuzz_write(kept_name, out.buf.data, out.buf.n);
	pd_bytes_deinit(&out);
}

void fuzz_target_names_cache(struct fuzz_input *in)
{
	if (!real.kept)
		make_real();
	write_file(in);
	struct sym_binary *binary = open_program();
	char *missing = NULL;
	pd_error_destroy(sym_cache_load(binary));
	name(binary);
	pd_error_destroy(sym_ranges_missing(sym_binary_ranges(binary), &missing));
	free(missing);
	sym_binary_destroy(binary);
}
