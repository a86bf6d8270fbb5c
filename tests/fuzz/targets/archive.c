/* Read a tarball of binaries, which may be compressed, and open its members. */
#include <string.h>

#include "symbolize/file/image.h"
#include "symbolize/find/binary_archive.h"
#include "tests/fuzz/fuzz.h"

static void open_member(struct sym_archive *archive, const struct sym_member *member)
{
	struct sym_failure failure;
	struct sym_image *image = NULL;
	struct pd_error *err = sym_image_open_range(sym_archive_fd(archive), member->offset,
		member->size, member->path, &image, &failure);

	pd_error_destroy(err);
	sym_image_destroy(image);
}

void fuzz_target_archive(struct fuzz_input *in)
{
	/* The build id of the seeds. */
	struct pd_build_id id = { .len = 20 };
	const struct sym_member *member;
	struct sym_archive *archive;

	memset(id.bytes, 0xab, id.len);
	const char *path = fuzz_write("archive.tar", in->bytes, in->size);
	struct pd_error *err = sym_archive_create(path, NULL, &archive);
	if (!err) {
		for (size_t i = 0; i < 8; i++) {
			member = sym_archive_find(archive, &id, NULL, i);
			if (!member)
				break;
			open_member(archive, member);
		}
		sym_archive_failure(archive);
		sym_archive_destroy(archive);
	}
	pd_error_destroy(err);
}
