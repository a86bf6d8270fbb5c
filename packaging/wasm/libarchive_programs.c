/* Filters of libarchive that run another program. Under WASI each of them fails. */
#include "archive_platform.h"

#include "archive.h"
#include "archive_read_private.h"
#include "archive_write_private.h"

int __archive_read_program(struct archive_read_filter *filter, const char *command)
{
	(void)command;
	archive_set_error(&filter->archive->archive, ARCHIVE_ERRNO_MISC, "cannot run a program");
	return ARCHIVE_FATAL;
}

struct archive_write_program_data *__archive_write_program_allocate(const char *name)
{
	(void)name;
	return NULL;
}

int __archive_write_program_free(struct archive_write_program_data *data)
{
	(void)data;
	return ARCHIVE_OK;
}

int __archive_write_program_open(struct archive_write_filter *filter,
	struct archive_write_program_data *data, const char *command)
{
	(void)data;
	(void)command;
	archive_set_error(filter->archive, ARCHIVE_ERRNO_MISC, "cannot run a program");
	return ARCHIVE_FATAL;
}

int __archive_write_program_write(struct archive_write_filter *filter,
	struct archive_write_program_data *data, const void *bytes, size_t size)
{
	(void)data;
	(void)bytes;
	(void)size;
	archive_set_error(filter->archive, ARCHIVE_ERRNO_MISC, "cannot run a program");
	return ARCHIVE_FATAL;
}

int __archive_write_program_close(
	struct archive_write_filter *filter, struct archive_write_program_data *data)
{
	(void)filter;
	(void)data;
	return ARCHIVE_OK;
}
