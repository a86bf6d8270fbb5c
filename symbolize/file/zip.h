/**
 * @file Members of zip archives that are stored as they are. Private to symbolize/.
 *
 * Android maps libraries out of the package of an application (base.apk), in which they are not
 * compressed and begin at a page. Such a library is called "base.apk!/lib/arm64-v8a/libapp.so".
 */
#ifndef PD_SYMBOLIZE_FILE_ZIP_H
#define PD_SYMBOLIZE_FILE_ZIP_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/file/path.h"

/** Separates the path of an archive and the name of a member. */
#define SYM_ZIP_SEPARATOR "!/"

/** Stored member: where its bytes are in the archive. */
struct sym_zip_member {
	struct sym_path name;
	uint64_t offset;
	uint64_t size;
};

/** Find the stored member that contains offset @p at of the archive @p fd. */
bool sym_zip_find_at(int fd, uint64_t at, struct sym_zip_member *ret);

/** Find the stored member @p name of the archive @p fd. */
bool sym_zip_find_name(int fd, const char *name, struct sym_zip_member *ret);

/** Whether @p path may be that of an archive from which libraries are mapped, by its suffix. */
bool sym_zip_is_package(const char *path);

#endif
