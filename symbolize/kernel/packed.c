#include "symbolize/kernel/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"
#include "base/system/file_map.h"
#include "base/io/inflate.h"
#include "base/limit.h"

static const size_t MAX_SIZE = PD_LIMIT_PACKED_KERNEL_BYTES;

typedef PD_VEC(uint8_t) bytes_vec;

static bool add(bytes_vec *to, const uint8_t *bytes, size_t n)
{
	if (!n)
		return true;
	if (!pd_vec_reserve(to, to->n + n))
		return false;
	memcpy(to->data + to->n, bytes, n);
	to->n += n;
	return true;
}

static struct pd_error *unpack(struct base_inflate *inflate, bytes_vec *to, const char **wrong_ret)
{
	bool has_more = true;

	_Static_assert(PD_LIMIT_PACKED_KERNEL_BYTES == 512 << 20, "the message has the value");
	while (has_more && !*wrong_ret) {
		struct pd_error *err = base_inflate_fill(inflate, &has_more, wrong_ret);
		struct base_seen seen = base_inflate_peek(inflate);

		if (err)
			return err;
		if (seen.len > MAX_SIZE - to->n &&
			base_limit_reach(PD_LIMIT_ID_PACKED_KERNEL_BYTES))
			*wrong_ret = "has more than 512 MiB when decompressed";
		else if (!add(to, seen.bytes, seen.len))
			return &pd_enomem;
		base_inflate_take(inflate, seen.len);
	}
	if (!*wrong_ret && base_inflate_is_cut(inflate))
		*wrong_ret = "is compressed and truncated";
	return NULL;
}

static struct pd_error *read_mapped(
	const uint8_t *bytes, size_t size, bytes_vec *to, const char **wrong_ret)
{
	enum base_codec codec = base_codec_detect(bytes, size);
	struct base_inflate *inflate;

	if (codec == PD_CODEC_NONE && size > MAX_SIZE &&
		base_limit_reach(PD_LIMIT_ID_PACKED_KERNEL_BYTES))
		*wrong_ret = "is too large";
	if (codec == PD_CODEC_NONE)
		return *wrong_ret || add(to, bytes, size) ? NULL : &pd_enomem;
	struct pd_error *err = base_inflate_create(codec, &inflate);
	if (err)
		return err;
	base_inflate_feed(inflate, bytes, size);
	err = unpack(inflate, to, wrong_ret);
	base_inflate_destroy(inflate);
	return err;
}

/*
 * Read @p size bytes at @p offset of @p fd, which is a multiple of the page size, and decompress
 * them.
 */
static struct pd_error *read_part(int fd, uint64_t offset, uint64_t size, uint8_t **ret,
	size_t *size_ret, struct sym_failure *failure_ret)
{
	const char *wrong = NULL;
	bytes_vec to = { 0 };

	/* This also describes a compressed file without content, for which *ret is NULL. */
	*failure_ret = (struct sym_failure){ SYM_NOT_ELF, "is empty" };
	if (!size)
		return NULL;
	struct base_file_map map;
	if (!base_file_map_open(fd, offset, size, PD_MAP_READ_ONLY, &map)) {
		if (errno == ENOMEM)
			return &pd_enomem;
		*failure_ret = (struct sym_failure){ SYM_UNREADABLE, base_error_text(errno) };
		return NULL;
	}
	struct pd_error *err = read_mapped(map.bytes, size, &to, &wrong);
	if (base_file_map_has_shrunk(&map))
		wrong = "was truncated while it was read";
	base_file_map_close(&map);
	if (err || wrong) {
		pd_vec_deinit(&to);
		failure_ret->text = wrong;
		return err;
	}
	*ret = to.data;
	*size_ret = to.n;
	return NULL;
}

struct pd_error *sym_packed_read(const char *path, struct sym_access access, uint8_t **ret,
	size_t *size_ret, struct sym_failure *failure_ret)
{
	_cleanup_close_ int fd = sym_open_regular(path, access, failure_ret);
	struct stat st;

	*ret = NULL;
	*size_ret = 0;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || st.st_size < 0)
		st.st_size = 0;
	return read_part(fd, 0, (uint64_t)st.st_size, ret, size_ret, failure_ret);
}

struct pd_error *sym_packed_read_member(const struct sym_archive *archive,
	const struct sym_member *member, uint8_t **ret, size_t *size_ret,
	struct sym_failure *failure_ret)
{
	*ret = NULL;
	*size_ret = 0;
	return read_part(
		sym_archive_fd(archive), member->offset, member->size, ret, size_ret, failure_ret);
}
