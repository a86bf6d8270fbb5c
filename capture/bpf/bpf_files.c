#include "capture/bpf/bpf_files.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/containers/hash.h"

/** How long a table is not requested again for which there was no room. */
static const double SECONDS_AFTER_REFUSAL = 1;

static uint64_t bytes_of(size_t n_pages)
{
	return n_pages * sizeof(union bw_page);
}

bool cap_bpf_has_live_table(const struct cap_bpf_file *file)
{
	return file->table < BW_TABLE_LOADING;
}

static struct bw_table *table_of(const struct cap_bpf *bpf, const struct cap_bpf_file *file)
{
	return &bpf->tables[file->table % BW_MAX_TABLES];
}

static uint32_t now_in_steps(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint32_t)(((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) >>
			  BW_USE_SHIFT);
}

static void drop_table(struct cap_bpf *bpf, struct cap_bpf_file *file)
{
	/* A program that has seen the number before may go on with the pages: see the pool. */
	__atomic_store_n(&table_of(bpf, file)->number, BW_NO_TABLE, __ATOMIC_RELEASE);
	cap_pool_return(bpf->pool, file->pages, file->n_pages);
	free(file->pages);
	file->pages = NULL;
	bpf->counts.table_bytes -= bytes_of(file->n_pages);
	bpf->counts.n_dropped++;
	bpf->n_tables--;
	file->table = BW_NO_TABLE;
	file->is_dropped = true;
	file->wanted_from = 0;
}

/** Drop the table that was not used for longest. Returns false if all are in use. */
static bool drop_oldest(struct cap_bpf *bpf)
{
	/* A table that was used in this step or the one before would be missed at once. */
	uint32_t oldest = now_in_steps() - 1;
	struct cap_bpf_file *found = NULL;

	for (size_t i = 0; i < bpf->files.n; i++) {
		struct cap_bpf_file *file = &bpf->files.data[i];
		uint32_t use = cap_bpf_has_live_table(file) ? table_of(bpf, file)->used_at : oldest;

		if (use < oldest) {
			found = file;
			oldest = use;
		}
	}
	if (found)
		drop_table(bpf, found);
	return found;
}

/**
 * Drop the largest table if it takes many times the @p n pages that another one needs: all stacks
 * need the C library, few need the largest program. Returns false if there is none.
 */
static bool drop_larger(struct cap_bpf *bpf, size_t n)
{
	enum { TIMES = 4 };
	struct cap_bpf_file *found = NULL;
	size_t most = TIMES * n;

	for (size_t i = 0; i < bpf->files.n; i++) {
		struct cap_bpf_file *file = &bpf->files.data[i];

		if (cap_bpf_has_live_table(file) && file->n_pages > most) {
			found = file;
			most = file->n_pages;
		}
	}
	if (!found)
		return false;
	drop_table(bpf, found);
	found->wanted_from = base_clock_now() + SECONDS_AFTER_REFUSAL;
	return true;
}

/** Take @p n pages for a table. Returns false if there are none, even without other tables. */
static bool make_room(struct cap_bpf *bpf, size_t n, uint32_t *ret)
{
	uint64_t most = bytes_of(cap_pool_capacity(bpf->pool));

	if (bytes_of(n) > most)
		return false;
	while (bpf->n_tables == BW_MAX_TABLES || bpf->counts.table_bytes + bytes_of(n) > most) {
		if (!drop_oldest(bpf) && !drop_larger(bpf, n))
			return false;
	}
	if (cap_pool_take(bpf->pool, n, ret))
		return true;
	cap_pool_settle(bpf->pool);
	cap_pool_reserve(bpf->pool, n);
	return cap_pool_take(bpf->pool, n, ret);
}

/** Get the number of a new table: one whose entry is not in use, as one is after make_room(). */
static uint32_t number_table(struct cap_bpf *bpf)
{
	while (bpf->tables[bpf->next_table % BW_MAX_TABLES].number != BW_NO_TABLE)
		bpf->next_table++;
	return bpf->next_table++;
}

/** Let the program use the table @p pages of @p file. Returns false without room for it. */
static bool use_table(struct cap_bpf *bpf, const struct cap_pages *pages, struct cap_bpf_file *file)
{
	const size_t n = pages->list.n;
	uint32_t *numbers = calloc(n, sizeof(*numbers));

	if (!numbers || !make_room(bpf, n, numbers)) {
		free(numbers);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		cap_pages_copy(pages, i, numbers, cap_pool_page(bpf->pool, numbers[i]));
	file->table = number_table(bpf);
	file->pages = numbers;
	file->n_pages = n;
	file->shift = pages->shift;
	file->base = pages->base;
	file->is_dropped = false;
	/* It counts as used from the beginning. No mapping refers to it yet. */
	*table_of(bpf, file) = (struct bw_table){
		.number = file->table,
		.used_at = now_in_steps(),
	};
	bpf->n_tables++;
	bpf->counts.n_tables++;
	bpf->counts.table_bytes += bytes_of(n);
	if (bpf->counts.table_bytes > bpf->counts.most_table_bytes)
		bpf->counts.most_table_bytes = bpf->counts.table_bytes;
	return true;
}

void cap_bpf_take_table(struct cap_bpf *bpf, struct cap_loaded *loaded)
{
	struct cap_bpf_file *file = &bpf->files.data[loaded->number];
	struct cap_bpf_file *main = &bpf->files.data[file->main];

	file->delta = loaded->delta;
	file->is_loading = false;
	if (!loaded->with_table)
		return;
	main->table = BW_NO_TABLE;
	if (loaded->pages.list.n && !use_table(bpf, &loaded->pages, main)) {
		bpf->counts.n_refused++;
		/* Stacks end there. By frame pointers they would lack callers. */
		main->table = BW_TABLE_LOADING;
		main->is_dropped = true;
		main->wanted_from = base_clock_now() + SECONDS_AFTER_REFUSAL;
	}
	cap_pages_deinit(&loaded->pages);
}

static bool is_same_inode(const struct cap_bpf_file *file, const struct cap_mapping *mapping)
{
	return file->maj == mapping->maj && file->min == mapping->min && file->ino == mapping->ino;
}

static uint64_t hash_inode(const struct cap_mapping *mapping)
{
	return base_hash_pair(mapping->ino, (uint64_t)mapping->maj << 32 | mapping->min);
}

/** Find the file whose table the new file number @p number has, which may be itself. */
static struct pd_error *find_main(
	struct cap_bpf *bpf, const struct cap_mapping *mapping, size_t number, size_t *ret)
{
	uint64_t *slot = base_map_add(&bpf->main_numbers, hash_inode(mapping), NULL);

	if (!slot)
		return &pd_enomem;
	if (!*slot)
		*slot = number + 1;
	*ret = *slot - 1;
	/* Two inodes with one hash: the second one has a table for each offset. */
	if (*ret != number && !is_same_inode(&bpf->files.data[*ret], mapping))
		*ret = number;
	return NULL;
}

/** Add the file of @p mapping, and request its table. */
static struct pd_error *add_file(
	struct cap_bpf *bpf, uint32_t pid, const struct cap_mapping *mapping, size_t *ret)
{
	struct cap_bpf_file file = {
		.maj = mapping->maj,
		.min = mapping->min,
		.ino = mapping->ino,
		.pgoff = mapping->pgoff,
		.is_loading = true,
		.table = BW_TABLE_LOADING,
	};
	struct pd_error *err = find_main(bpf, mapping, bpf->files.n, &file.main);

	if (err)
		return err;
	*ret = bpf->files.n;
	if (!pd_vec_push(&bpf->files, file))
		return &pd_enomem;
	return cap_table_loader_add(bpf->loader, *ret, pid, mapping, file.main == *ret);
}

/** Request the table of the file number @p number again, if it was dropped. */
static struct pd_error *request_again(
	struct cap_bpf *bpf, uint32_t pid, const struct cap_mapping *mapping, size_t number)
{
	struct cap_bpf_file *main = &bpf->files.data[bpf->files.data[number].main];

	if (!main->is_dropped || base_clock_now() < main->wanted_from)
		return NULL;
	main->is_dropped = false;
	main->table = BW_TABLE_LOADING;
	return cap_table_loader_add(bpf->loader, number, pid, mapping, true);
}

struct pd_error *cap_bpf_get_file(struct cap_bpf *bpf, uint32_t pid,
	const struct cap_mapping *mapping, const struct cap_bpf_file **ret)
{
	uint64_t key = base_hash_pair(hash_inode(mapping), mapping->pgoff);
	uint64_t *slot = base_map_add(&bpf->file_numbers, key, NULL);
	size_t i = 0;

	if (!slot)
		return &pd_enomem;
	if (!*slot) {
		struct pd_error *err = add_file(bpf, pid, mapping, &i);

		if (err)
			return err;
		*slot = i + 1;
	}
	*ret = &bpf->files.data[*slot - 1];
	/* Two files with one hash: the second one has no table. */
	if (!is_same_inode(*ret, mapping) || (*ret)->pgoff != mapping->pgoff) {
		*ret = NULL;
		return NULL;
	}
	return request_again(bpf, pid, mapping, *slot - 1);
}
