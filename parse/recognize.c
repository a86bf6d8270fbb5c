#include "parse/recognize.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io/inflate.h"

enum parse_likeness parse_likeness_of(int fd)
{
	static const char *const starts[] = { "PERFILE2", "2ELIFREP", "PERFFILE" };
	char start[8] = "";
	ssize_t len = pread(fd, start, sizeof(start), lseek(fd, 0, SEEK_CUR));

	if (len <= 0)
		return PARSE_LIKE_NOTHING;
	for (size_t i = 0; i < PD_ARRAY_LEN(starts); i++) {
		if (strncmp(start, starts[i], strlen(starts[i])) == 0)
			return PARSE_LIKE_RECORDING;
	}
	/* bzip2, which only archives are compressed by. */
	if (strncmp(start, "BZh", 3) == 0)
		return PARSE_LIKE_COMPRESSED;
	return base_codec_detect((const uint8_t *)start, (size_t)len) == PD_CODEC_NONE
		       ? PARSE_LIKE_NOTHING
		       : PARSE_LIKE_COMPRESSED;
}

bool parse_is_recorded_folder(int fd)
{
	return faccessat(fd, "data", F_OK, 0) == 0 || faccessat(fd, "data.0", F_OK, 0) == 0;
}
