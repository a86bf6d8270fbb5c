/*
 * Files of the index. Input: a piece with the files that the answer depends on, a piece with
 * reports, and the profile. Header and question are those of a real file, with the right checksum,
 * because only accidents have a wrong one.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xxhash.h>

#include <pdconv/bytes.h>

#include "base/io/cache_dir.h"
#include "index/index.h"
#include "tests/fuzz/fuzz.h"

/* Offsets in the header, whose last members are the sizes of the parts. */
enum { CHECKSUM_AT = 8, SIGNED_AT = 16, HEADER = 128, N_PARTS = 4 };

static struct {
	struct index_entry *entry;
	char name[256];
	uint8_t *kept;
	size_t kept_size;
	uint64_t question_size;
} real;

/* Create the entry of a file of our own. The index creates none while the file is new. */
static void create_entry(void)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	const char *path = fuzz_write("recording", "PERFILE2", 8);
	enum { MOST_TRIES = 1000 };

	for (int i = 0; i < MOST_TRIES && !real.entry; i++) {
		if (index_entry_create(fuzz_dir(), path, "?", 1, &real.entry))
			abort();
		if (!real.entry)
			nanosleep(&pause, NULL);
	}
}

/* Save an empty profile as the answer about it. */
static void save_real(void)
{
	struct profile *profile;
	struct sym_deps *deps;
	struct pd_diag *diag = pd_diag_create();
	bool is_sure = false;
	struct pd_error *err = sym_deps_create(&deps);

	create_entry();
	if (!err)
		err = prof_create(&profile);
	if (err || !real.entry || !diag)
		abort();
	err = index_entry_conclude(real.entry, deps, diag, &is_sure);
	if (err || !is_sure)
		abort();
	if (!index_entry_save(real.entry, profile))
		abort();
	prof_destroy(profile);
	sym_deps_destroy(deps);
	pd_diag_destroy(diag);
}

static void find_name(void)
{
	DIR *dir = opendir(fuzz_dir());
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (strstr(entry->d_name, INDEX_SUFFIX))
			snprintf(real.name, sizeof(real.name), "%s", entry->d_name);
	}
	if (!dir || !real.name[0])
		abort();
	closedir(dir);
}

static void load(bool must_be_valid)
{
	struct profile *profile = NULL;
	struct pd_diag *diag = pd_diag_create();
	struct pd_error *err = index_entry_load(real.entry, false, diag, &profile);

	if (must_be_valid && !profile)
		abort();
	if (!err)
		prof_destroy(profile);
	pd_error_destroy(err);
	pd_diag_destroy(diag);
}

static void make_real(void)
{
	save_real();
	find_name();
	real.kept = base_cache_dir_read(fuzz_dir(), real.name, UINT64_MAX, &real.kept_size);
	if (!real.kept || real.kept_size < HEADER)
		abort();
	memcpy(&real.question_size, real.kept + HEADER - N_PARTS * sizeof(uint64_t),
		sizeof(real.question_size));
	load(true);
}

static void add_part(struct pd_bytes *out, const struct fuzz_input *part)
{
	pd_bytes_put(out, part->bytes, part->size);
	pd_bytes_zeros(out, -out->buf.n % 8);
}

static void write_file(struct fuzz_input *in)
{
	struct pd_bytes out = { 0 };
	struct fuzz_input parts[N_PARTS] = { { real.kept + HEADER, real.question_size } };
	uint64_t sizes[N_PARTS];

	parts[1] = fuzz_piece(in);
	parts[2] = fuzz_piece(in);
	parts[3] = *in;
	pd_bytes_put(&out, real.kept, HEADER);
	for (size_t i = 0; i < N_PARTS; i++) {
		sizes[i] = parts[i].size;
		add_part(&out, &parts[i]);
	}
	if (out.failed)
		abort();
	memcpy(out.buf.data + HEADER - sizeof(sizes), sizes, sizeof(sizes));
	uint64_t checksum = XXH3_64bits(out.buf.data + SIGNED_AT, out.buf.n - SIGNED_AT);
	memcpy(out.buf.data + CHECKSUM_AT, &checksum, sizeof(checksum));
	fuzz_write(real.name, out.buf.data, out.buf.n);
	pd_bytes_deinit(&out);
}

void fuzz_target_index(struct fuzz_input *in)
{
	if (!real.kept)
		make_real();
	write_file(in);
	load(false);
}
