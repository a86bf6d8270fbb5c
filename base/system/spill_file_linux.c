#include "base/system/spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

bool base_spill_files_exist(void)
{
	return true;
}

bool base_spill_file_resize(struct base_spill_file *file, size_t size)
{
	void *bytes;

	errno = posix_fallocate(file->fd, 0, (off_t)size);
	if (errno)
		return false;
	if (file->bytes)
		bytes = mremap(file->bytes, file->size, size, MREMAP_MAYMOVE);
	else
		bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	file->bytes = bytes;
	file->size = size;
	return true;
}

void base_spill_file_drop(const struct base_spill_file *file, size_t size)
{
	/* The pages stay in the page cache, or on disk if the kernel needs the memory. */
	madvise(file->bytes, size, MADV_DONTNEED);
}

void base_spill_file_close(struct base_spill_file *file)
{
	if (file->bytes)
		munmap(file->bytes, file->size);
	close(file->fd);
	*file = (struct base_spill_file){ 0 };
}
