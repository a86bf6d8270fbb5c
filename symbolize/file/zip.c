#include "symbolize/file/zip.h"

#include <string.h>
#include <sys/stat.h>

#include <pdconv/cursor.h>

#include "base/system/file_map.h"

enum {
	/* Records of the format, their sizes without names, and the longest comment at the end. */
	END = 0x06054b50,
	END_BYTES = 22,
	MAX_COMMENT = 65535,
	ENTRY = 0x02014b50,
	LOCAL = 0x04034b50,
	LOCAL_BYTES = 30,
	STORED = 0,
};

/* Zip archives are little-endian on all machines. */
static const bool SWAP = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static uint16_t load_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

struct zip {
	const uint8_t *bytes;
	size_t size;
};

/* Entry of the central directory. */
struct entry {
	uint16_t method;
	uint64_t size;
	/** Offset of the local header, which is before the bytes. */
	uint64_t local;
	const char *name;
	uint16_t name_size;
};

/* Find the central directory through the record at the end, which a comment may follow. */
static bool open_directory(const struct zip *zip, struct pd_cursor *ret)
{
	size_t lowest =
		zip->size > END_BYTES + MAX_COMMENT ? zip->size - END_BYTES - MAX_COMMENT : 0;

	for (size_t at = zip->size; at >= lowest + END_BYTES; at--) {
		const uint8_t *record = zip->bytes + at - END_BYTES;

		if (pd_load_u32(record, SWAP) != END)
			continue;
		uint64_t size = pd_load_u32(record + 12, SWAP);
		uint64_t offset = pd_load_u32(record + 16, SWAP);
		if (offset > zip->size || size > zip->size - offset)
			return false;
		*ret = pd_cursor_init(zip->bytes + offset, size, SWAP);
		return true;
	}
	return false;
}

/* Read the next entry. Returns false after the last one. */
static bool next_entry(struct pd_cursor *c, struct entry *ret)
{
	if (pd_cursor_u32(c) != ENTRY)
		return false;
	pd_cursor_bytes(c, 6);
	ret->method = pd_cursor_u16(c);
	pd_cursor_bytes(c, 8);
	uint64_t packed = pd_cursor_u32(c);
	ret->size = pd_cursor_u32(c);
	ret->name_size = pd_cursor_u16(c);
	uint16_t extra = pd_cursor_u16(c), comment = pd_cursor_u16(c);
	pd_cursor_bytes(c, 8);
	ret->local = pd_cursor_u32(c);
	ret->name = (const char *)pd_cursor_bytes(c, ret->name_size);
	pd_cursor_bytes(c, (size_t)extra + comment);
	if (packed != ret->size)
		ret->method = UINT16_MAX;
	return !c->overrun;
}

/* Find the bytes of an entry. Returns false if they are not stored, or not in the archive. */
static bool find_bytes(const struct zip *zip, const struct entry *entry, uint64_t *offset_ret)
{
	if (entry->method != STORED || entry->local > zip->size ||
		zip->size - entry->local < LOCAL_BYTES)
		return false;
	const uint8_t *header = zip->bytes + entry->local;
	if (pd_load_u32(header, SWAP) != LOCAL)
		return false;
	uint64_t name = load_u16(header + 26), extra = load_u16(header + 28);
	*offset_ret = entry->local + LOCAL_BYTES + name + extra;
	return *offset_ret <= zip->size && entry->size <= zip->size - *offset_ret;
}

static bool find(const struct zip *zip, const char *name, uint64_t at, struct sym_zip_member *ret)
{
	struct pd_cursor c;
	struct entry entry;

	if (!open_directory(zip, &c))
		return false;
	while (next_entry(&c, &entry)) {
		bool is_named = name && strlen(name) == entry.name_size &&
				memcmp(name, entry.name, entry.name_size) == 0;

		if ((name && !is_named) || !find_bytes(zip, &entry, &ret->offset) ||
			(!name && at - ret->offset >= entry.size))
			continue;
		ret->size = entry.size;
		sym_path_format(&ret->name, "%.*s", (int)entry.name_size, entry.name);
		return true;
	}
	return false;
}

static bool find_in(int fd, const char *name, uint64_t at, struct sym_zip_member *ret)
{
	struct base_file_map map;
	struct stat st;

	if (fstat(fd, &st) || st.st_size < END_BYTES ||
		!base_file_map_open(fd, 0, (uint64_t)st.st_size, PD_MAP_READ_ONLY, &map))
		return false;
	const struct zip zip = { map.bytes, map.size };
	bool is_found = find(&zip, name, at, ret) && !base_file_map_has_shrunk(&map);
	base_file_map_close(&map);
	return is_found;
}

bool sym_zip_find_at(int fd, uint64_t at, struct sym_zip_member *ret)
{
	return find_in(fd, NULL, at, ret);
}

bool sym_zip_find_name(int fd, const char *name, struct sym_zip_member *ret)
{
	return find_in(fd, name, 0, ret);
}

bool sym_zip_is_package(const char *path)
{
	static const char suffix[] = ".apk";
	size_t len = strlen(path), n = strlen(suffix);

	return len > n && strcmp(path + len - n, suffix) == 0;
}
