#include "base/io/spill.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <pdconv/vec.h>

#include "base/io/temporary.h"

/* The file grows by half of its size, but at most by this, so that little of the disk is unused. */
static const size_t MOST_AT_ONCE = (size_t)64 << 20;
static const size_t LEAST_AT_ONCE = (size_t)64 << 10;

static size_t next_file_bytes(const struct base_spill *spill, size_t want)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t step = spill->file.size / 2;

	step = step < LEAST_AT_ONCE ? LEAST_AT_ONCE : step > MOST_AT_ONCE ? MOST_AT_ONCE : step;
	if (want < spill->file.size + step)
		want = spill->file.size + step;
	return (want + page - 1) / page * page;
}

/* Error about the file, from errno. */
static struct pd_error *file_error(void)
{
	if (errno == ENOMEM)
		return &pd_enomem;
	return pd_error_os(
		NULL, "cannot write to a temporary file in %s", base_temporary_large_dir());
}

static struct pd_error *grow_file(
	struct base_spill *spill, void **data, size_t *cap, size_t want, size_t size)
{
	struct base_spill_file *file = &spill->file;

	/* Elements were written in order, so those in the mapping are not needed soon. */
	if (file->bytes)
		base_spill_file_drop(file, file->size);
	if (!base_spill_file_resize(file, next_file_bytes(spill, want * size)))
		return file_error();
	*data = file->bytes;
	*cap = file->size / size;
	return NULL;
}

/* Move the elements from memory to the new file with room for @p want. */
static struct pd_error *move_to_file(
	struct base_spill *spill, void **data, size_t *cap, size_t want, size_t size)
{
	void *old = *data;
	struct pd_error *err = NULL;

	/* Writing instead of copying to the mapping leaves only one copy in memory. */
	if (*cap && !base_write_all(spill->file.fd, old, *cap * size))
		err = file_error();
	if (!err)
		err = grow_file(spill, data, cap, want, size);
	if (err)
		base_spill_file_close(&spill->file);
	else
		free(old);
	return err;
}

/* Open the file of the array. Returns false if none can be created. */
static bool open_file(struct base_spill *spill)
{
	int fd = base_spill_files_exist() ? base_temporary_open_large() : -1;

	spill->file = (struct base_spill_file){ .fd = fd };
	return fd >= 0;
}

static void release(struct base_spill *spill)
{
	base_account_release(spill->account, spill->charged);
	spill->charged = 0;
}

static struct pd_error *grow_in_memory(
	struct base_spill *spill, void **data, size_t *cap, size_t want, size_t size)
{
	if (!pd_vec_grow(data, cap, want, size))
		return &pd_enomem;
	size_t more = *cap * size - spill->charged;
	if (!base_account_charge(spill->account, more))
		return &pd_enomem;
	spill->charged += spill->account ? more : 0;
	return NULL;
}

struct pd_error *base_spill_grow(
	struct base_spill *spill, void **data, size_t *cap, size_t want, size_t size)
{
	bool fits =
		!spill->max_bytes || (*cap * 2 < want ? want : *cap * 2) * size <= spill->max_bytes;
	struct pd_error *err = &pd_enomem;

	if (want > (size_t)PTRDIFF_MAX / 2 / size)
		return err;
	if (spill->file.bytes)
		return grow_file(spill, data, cap, want, size);
	if (fits)
		err = grow_in_memory(spill, data, cap, want, size);
	if (!err || !spill->max_bytes)
		return err;
	if (!open_file(spill))
		return fits ? err : grow_in_memory(spill, data, cap, want, size);
	err = move_to_file(spill, data, cap, want, size);
	if (!err)
		release(spill);
	return err;
}

void base_spill_drop(const struct base_spill *spill, size_t size)
{
	if (spill->file.bytes)
		base_spill_file_drop(&spill->file, size);
}

void base_spill_free(struct base_spill *spill, void *data)
{
	release(spill);
	if (!spill->file.bytes) {
		free(data);
		return;
	}
	base_spill_file_close(&spill->file);
	*spill = (struct base_spill){ .max_bytes = spill->max_bytes, .account = spill->account };
}
