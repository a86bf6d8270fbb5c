#include "base/tar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include <pdconv/bytes.h>

#include "base/cleanup.h"
#include "base/format.h"

enum {
	BLOCK = 512,
	/* Binaries become a fifth smaller than at the default level 3, in four times the time. */
	LEVEL = 9,
};

/* Largest size that eleven octal digits can hold. */
static const uint64_t MAX_OCTAL = (uint64_t)1 << 33;

/* POSIX ustar header. All numbers are octal text. */
struct header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char target[100];
	char magic[6];
	char version[2];
	char user[32];
	char group[32];
	char device_major[8];
	char device_minor[8];
	char prefix[155];
	char padding[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "the header is one block");

struct pd_tar {
	FILE *out;
	char *name;
	ZSTD_CCtx *zstd;
	/** Bytes that the current member lacks. */
	uint64_t n_left;
	/** Zeros after it, which fill its last block. */
	size_t n_padding;
	uint8_t packed[1 << 16];
};

struct pd_error *pd_tar_create(FILE *out, const char *name, struct pd_tar **ret)
{
	struct pd_tar *tar = calloc(1, sizeof(*tar));

	if (!tar)
		return &pd_enomem;
	tar->out = out;
	tar->name = strdup(name);
	tar->zstd = ZSTD_createCCtx();
	if (!tar->name || !tar->zstd ||
		ZSTD_isError(ZSTD_CCtx_setParameter(tar->zstd, ZSTD_c_compressionLevel, LEVEL))) {
		pd_tar_destroy(tar);
		return &pd_enomem;
	}
	*ret = tar;
	return NULL;
}

void pd_tar_destroy(struct pd_tar *tar)
{
	if (!tar)
		return;
	ZSTD_freeCCtx(tar->zstd);
	free(tar->name);
	free(tar);
}

static struct pd_error *compress(
	struct pd_tar *tar, const void *bytes, size_t size, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { .src = bytes, .size = size };
	size_t left;

	do {
		ZSTD_outBuffer out = { .dst = tar->packed, .size = sizeof(tar->packed) };

		left = ZSTD_compressStream2(tar->zstd, &out, &in, how);
		if (ZSTD_isError(left))
			return pd_error_create(PD_ERROR_NOMEM, tar->name, "cannot compress: %s",
				ZSTD_getErrorName(left));
		if (fwrite(tar->packed, 1, out.pos, tar->out) != out.pos)
			return pd_error_os(tar->name, "cannot write");
	} while (in.pos < in.size || (how == ZSTD_e_end && left));
	return NULL;
}

static struct pd_error *put_zeros(struct pd_tar *tar, uint64_t n)
{
	static const uint8_t zeros[BLOCK];

	while (n) {
		size_t now = n < BLOCK ? (size_t)n : BLOCK;
		struct pd_error *err = compress(tar, zeros, now, ZSTD_e_continue);

		if (err)
			return err;
		n -= now;
	}
	return NULL;
}

/* The sum of all bytes, where those of the sum itself count as spaces. */
static void set_checksum(struct header *header)
{
	const uint8_t *bytes = (const uint8_t *)header;
	unsigned sum = 0;

	memset(header->checksum, ' ', sizeof(header->checksum));
	for (size_t i = 0; i < sizeof(*header); i++)
		sum += bytes[i];
	snprintf(header->checksum, sizeof(header->checksum), "%06o", sum);
}

static void copy_name(char *to, size_t room, const char *from)
{
	memcpy(to, from, strnlen(from, room));
}

static struct pd_error *put_header(
	struct pd_tar *tar, const struct pd_tar_member *member, char type)
{
	struct header header = { .type = type, .magic = "ustar", .version = { '0', '0' } };
	uint64_t size = member->size < MAX_OCTAL ? member->size : 0;
	uint64_t mtime = member->mtime > 0 && (uint64_t)member->mtime < MAX_OCTAL
				 ? (uint64_t)member->mtime
				 : 0;

	copy_name(header.name, sizeof(header.name), member->path);
	if (member->target)
		copy_name(header.target, sizeof(header.target), member->target);
	snprintf(header.mode, sizeof(header.mode), "%07o", type == '2' ? 0777u : 0644u);
	snprintf(header.uid, sizeof(header.uid), "%07o", 0u);
	snprintf(header.gid, sizeof(header.gid), "%07o", 0u);
	snprintf(header.size, sizeof(header.size), "%011" PRIo64, size);
	snprintf(header.mtime, sizeof(header.mtime), "%011" PRIo64, mtime);
	set_checksum(&header);
	return compress(tar, &header, sizeof(header), ZSTD_e_continue);
}

/* Append "LENGTH KEY=VALUE\n", where the length includes its own digits. */
static void put_pax(struct pd_bytes *out, const char *key, const char *value)
{
	size_t rest = strlen(key) + strlen(value) + strlen(" =\n");
	size_t length = rest + 1;
	char text[24];

	while (rest + (size_t)snprintf(text, sizeof(text), "%zu", length) != length)
		length++;
	pd_bytes_put(out, text, strlen(text));
	pd_bytes_put(out, " ", 1);
	pd_bytes_put(out, key, strlen(key));
	pd_bytes_put(out, "=", 1);
	pd_bytes_put(out, value, strlen(value));
	pd_bytes_put(out, "\n", 1);
}

/* Write the pax header of what does not fit the other one. */
static struct pd_error *put_extended(struct pd_tar *tar, const struct pd_tar_member *member)
{
	_cleanup_(pd_bytes_deinit) struct pd_bytes body = { 0 };
	char size[24];

	if (strlen(member->path) > sizeof(((struct header *)0)->name))
		put_pax(&body, "path", member->path);
	if (member->target && strlen(member->target) > sizeof(((struct header *)0)->target))
		put_pax(&body, "linkpath", member->target);
	if (member->size >= MAX_OCTAL) {
		snprintf(size, sizeof(size), "%" PRIu64, member->size);
		put_pax(&body, "size", size);
	}
	if (!body.buf.n && !body.failed)
		return NULL;
	if (body.failed)
		return &pd_enomem;
	const struct pd_tar_member extended = {
		.path = "pax", .mtime = member->mtime, .size = body.buf.n
	};
	struct pd_error *err = put_header(tar, &extended, 'x');
	if (!err)
		err = compress(tar, body.buf.data, body.buf.n, ZSTD_e_continue);
	return err ? err : put_zeros(tar, -body.buf.n % BLOCK);
}

struct pd_error *pd_tar_begin(struct pd_tar *tar, const struct pd_tar_member *member)
{
	struct pd_error *err = put_extended(tar, member);

	if (err)
		return err;
	tar->n_left = member->target ? 0 : member->size;
	tar->n_padding = (size_t)(-tar->n_left % BLOCK);
	return put_header(tar, member, member->target ? '2' : '0');
}

struct pd_error *pd_tar_put(struct pd_tar *tar, const void *bytes, size_t size)
{
	tar->n_left -= size;
	return compress(tar, bytes, size, ZSTD_e_continue);
}

struct pd_error *pd_tar_end(struct pd_tar *tar)
{
	struct pd_error *err = put_zeros(tar, tar->n_left + tar->n_padding);

	tar->n_left = 0;
	tar->n_padding = 0;
	return err;
}

struct pd_error *pd_tar_finish(struct pd_tar *tar)
{
	struct pd_error *err = put_zeros(tar, (uint64_t)2 * BLOCK);

	return err ? err : compress(tar, NULL, 0, ZSTD_e_end);
}
