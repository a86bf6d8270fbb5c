#include "base/system/spill_file.h"

bool base_spill_files_exist(void)
{
	return false;
}

bool base_spill_file_resize(struct base_spill_file *file, size_t size)
{
	(void)file;
	(void)size;
	return false;
}

void base_spill_file_drop(const struct base_spill_file *file, size_t size)
{
	(void)file;
	(void)size;
}

void base_spill_file_close(struct base_spill_file *file)
{
	(void)file;
}
