#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pdconv/vec.h>

#include "base/temporary.h"

/* The file grows by half of its size, but at most by this, so that little of the disk is unused. */
static const size_t MOST_AT_ONCE = (size_t)64 << 20;
static const size_t LEAST_AT_ONCE = (size_t)64 << 10;

static size_t next_file_bytes(const struct base_spill *spill, size_t want)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t step = spill->file_bytes / 2;

	step = step < LEAST_AT_ONCE ? LEAST_AT_ONCE : step > MOST_AT_ONCE ? MOST_AT_ONCE : step;
	if (want < spill->file_bytes + step)
		want = spill->file_bytes + step;
	return (want + page - 1) / page * page;
}

static struct pd_error *cannot_write(void)
{
	return pd_error_os(
		NULL, "cannot write to a temporary file in %s", base_temporary_large_dir());
}

/* Set the size of the file. Its blocks are reserved, because writing to a mapping cannot fail. */
static struct pd_error *resize(struct base_spill *spill, size_t size)
{
	errno = posix_fallocate(spill->fd, 0, (off_t)size);
	return errno ? cannot_write() : NULL;
}

static struct pd_error *grow_file(
	struct base_spill *spill, void **data, size_t *cap, size_t want, size_t size)
{
	size_t bytes = next_file_bytes(spill, want * size);
	struct pd_error *err = resize(spill, bytes);

	if (err)
		return err;
	/* Elements were written in order, so those in the mapping are not needed soon. */
	base_spill_drop(spill, *data, spill->file_bytes);
	void *grown = mremap(*data, spill->file_bytes, bytes, MREMAP_MAYMOVE);
	if (grown == MAP_FAILED)
		return &pd_enomem;
	*data = grown;
	*cap = bytes / size;
	spill->file_bytes = bytes;
	return NULL;
}

/* Move the elements from memory to a new file with room for @p want. */
static struct pd_error *move_to_file(
	struct base_spill *spill, void **data, size_t *cap, size_t want, size_t size)
{
	size_t bytes = next_file_bytes(spill, want * size);
	struct pd_error *err = resize(spill, bytes);
	void *mapped = MAP_FAILED;

	/* Writing instead of copying to the mapping leaves only one copy in memory. */
	if (!err && *cap && !base_write_all(spill->fd, *data, *cap * size))
		err = cannot_write();
	if (!err)
		mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, spill->fd, 0);
	if (mapped == MAP_FAILED) {
		close(spill->fd);
		return err ? err : &pd_enomem;
	}
	free(*data);
	*data = mapped;
	*cap = bytes / size;
	spill->file_bytes = bytes;
	spill->is_in_file = true;
	return NULL;
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
	if (spill->is_in_file)
		return grow_file(spill, data, cap, want, size);
	if (fits)
		err = grow_in_memory(spill, data, cap, want, size);
	if (!err || !spill->max_bytes)
		return err;
	spill->fd = base_temporary_open_large();
	if (spill->fd < 0)
		return fits ? err : grow_in_memory(spill, data, cap, want, size);
	err = move_to_file(spill, data, cap, want, size);
	if (!err)
		release(spill);
	return err;
}

void base_spill_drop(const struct base_spill *spill, void *data, size_t size)
{
	/* The pages stay in the page cache, or on disk if the kernel needs the memory. */
	if (spill->is_in_file)
		madvise(data, size, MADV_DONTNEED);
}

void base_spill_free(struct base_spill *spill, void *data)
{
	release(spill);
	if (!spill->is_in_file) {
		free(data);
		return;
	}
	munmap(data, spill->file_bytes);
	close(spill->fd);
	*spill = (struct base_spill){ .max_bytes = spill->max_bytes, .account = spill->account };
}
