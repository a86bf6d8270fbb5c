#include "capture/machine/build_ids.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <pdconv/bytes.h>
#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "base/io/temporary.h"

/*
 * ELF files and note sections are not trusted: offsets and sizes are checked, and tables that are
 * longer than those of real programs are not searched to the end.
 */

enum {
	/** Limit of the headers and notes that are read. Real programs have fewer. */
	MAX_HEADERS = 4096,
	MAX_NOTES = 1024,
	/** Bytes of a note before its name, and of the name "GNU". */
	NOTE_HEADER_BYTES = 12,
	GNU_NAME_BYTES = 4,
};

struct elf_file {
	int fd;
	bool is_64;
	bool swap;
};

/** A part of the file: a table of headers, or notes. */
struct extent {
	uint64_t offset;
	uint64_t size;
	/** Alignment of notes. */
	uint64_t align;
	/** Bytes of a table entry. */
	uint16_t entry_size;
	uint16_t n;
};

static bool read_at(const struct elf_file *file, void *to, size_t size, uint64_t offset)
{
	if (offset > (uint64_t)INT64_MAX - size)
		return false;
	return pread(file->fd, to, size, (off_t)offset) == (ssize_t)size;
}

static uint64_t take_word(const struct elf_file *file, struct pd_cursor *c)
{
	return file->is_64 ? pd_cursor_u64(c) : pd_cursor_u32(c);
}

/* Read the build id from the note at @p offset. False if it is another note. */
static bool read_build_id(const struct elf_file *file, uint64_t offset, uint32_t name_size,
	uint32_t desc_size, struct pd_build_id *ret)
{
	struct pd_build_id id = { .len = (uint8_t)desc_size };
	char name[GNU_NAME_BYTES];

	if (name_size != sizeof(name) || !desc_size || desc_size > sizeof(id.bytes))
		return false;
	if (!read_at(file, name, sizeof(name), offset + NOTE_HEADER_BYTES) ||
		memcmp(name, ELF_NOTE_GNU, sizeof(name)) != 0)
		return false;
	if (!read_at(file, id.bytes, desc_size, offset + NOTE_HEADER_BYTES + sizeof(name)))
		return false;
	*ret = id;
	return true;
}

static bool search_notes(
	const struct elf_file *file, const struct extent *notes, struct pd_build_id *ret)
{
	/*
	 * The gABI aligns 64-bit notes to 8 bytes, but all tools align them to 4 unless the segment
	 * says 8.
	 */
	uint64_t mask = notes->align == 8 ? 7 : 3;
	uint64_t at = 0;

	for (int i = 0; i < MAX_NOTES && at + NOTE_HEADER_BYTES <= notes->size; i++) {
		uint8_t header[NOTE_HEADER_BYTES];

		if (!read_at(file, header, sizeof(header), notes->offset + at))
			return false;
		struct pd_cursor c = pd_cursor_init(header, sizeof(header), file->swap);
		uint32_t name_size = pd_cursor_u32(&c);
		uint32_t desc_size = pd_cursor_u32(&c);
		if (pd_cursor_u32(&c) == NT_GNU_BUILD_ID &&
			read_build_id(file, notes->offset + at, name_size, desc_size, ret))
			return true;
		at = (at + NOTE_HEADER_BYTES + name_size + mask) & ~mask;
		at = (at + desc_size + mask) & ~mask;
	}
	return false;
}

/* Find the notes of a program header. False if it is not PT_NOTE. */
static bool segment_notes(const struct elf_file *file, struct pd_cursor *c, struct extent *ret)
{
	uint32_t type = pd_cursor_u32(c);

	if (file->is_64)
		pd_cursor_u32(c); /* flags */
	ret->offset = take_word(file, c);
	take_word(file, c); /* addresses */
	take_word(file, c);
	ret->size = take_word(file, c);
	take_word(file, c); /* size in memory */
	if (!file->is_64)
		pd_cursor_u32(c);
	ret->align = take_word(file, c);
	return !c->overrun && type == PT_NOTE;
}

static bool section_notes(const struct elf_file *file, struct pd_cursor *c, struct extent *ret)
{
	pd_cursor_u32(c); /* name */
	uint32_t type = pd_cursor_u32(c);
	take_word(file, c); /* flags, address */
	take_word(file, c);
	ret->offset = take_word(file, c);
	ret->size = take_word(file, c);
	pd_cursor_u32(c); /* link, info */
	pd_cursor_u32(c);
	ret->align = take_word(file, c);
	return !c->overrun && type == SHT_NOTE;
}

typedef bool find_notes(const struct elf_file *file, struct pd_cursor *c, struct extent *ret);

static bool search_table(const struct elf_file *file, const struct extent *table, find_notes *find,
	struct pd_build_id *ret)
{
	for (uint16_t i = 0; i < table->n && i < MAX_HEADERS; i++) {
		uint8_t entry[sizeof(Elf64_Shdr)] = { 0 };
		size_t size = table->entry_size < sizeof(entry) ? table->entry_size : sizeof(entry);
		struct extent notes;

		if (!read_at(file, entry, size, table->offset + (uint64_t)i * table->entry_size))
			return false;
		struct pd_cursor c = pd_cursor_init(entry, size, file->swap);
		if (find(file, &c, &notes) && search_notes(file, &notes, ret))
			return true;
	}
	return false;
}

/* Find the tables of program headers and of sections. */
static bool read_header(struct elf_file *file, struct extent *segments, struct extent *sections)
{
	uint8_t header[sizeof(Elf64_Ehdr)] = { 0 };

	if (!read_at(file, header, sizeof(Elf32_Ehdr), 0) || memcmp(header, ELFMAG, SELFMAG) != 0 ||
		header[EI_CLASS] < ELFCLASS32 || header[EI_CLASS] > ELFCLASS64)
		return false;
	file->is_64 = header[EI_CLASS] == ELFCLASS64;
	file->swap = (header[EI_DATA] == ELFDATA2MSB) != pd_is_big_endian(false);
	if (file->is_64 && !read_at(file, header, sizeof(header), 0))
		return false;
	struct pd_cursor c = pd_cursor_init(header, sizeof(header), file->swap);
	/* Type, machine, version, entry. */
	pd_cursor_bytes(&c, EI_NIDENT + 8);
	take_word(file, &c);
	segments->offset = take_word(file, &c);
	sections->offset = take_word(file, &c);
	pd_cursor_u32(&c); /* flags, size of the header */
	pd_cursor_u16(&c);
	segments->entry_size = pd_cursor_u16(&c);
	segments->n = pd_cursor_u16(&c);
	sections->entry_size = pd_cursor_u16(&c);
	sections->n = pd_cursor_u16(&c);
	return true;
}

/*
 * Read the build id of an ELF file of either class and byte order. Relocatable files, such as
 * kernel modules, have sections only.
 */
static bool read_elf(int fd, struct pd_build_id *ret)
{
	struct elf_file file = { .fd = fd };
	struct extent segments;
	struct extent sections;

	return read_header(&file, &segments, &sections) &&
	       (search_table(&file, &segments, segment_notes, ret) ||
		       search_table(&file, &sections, section_notes, ret));
}

/* Read the build id in a file that holds only notes in this machine's byte order. */
static bool read_notes(int fd, struct pd_build_id *ret)
{
	const struct elf_file file = { .fd = fd };
	const struct extent notes = { .size = UINT64_MAX / 2, .align = 4 };

	return search_notes(&file, &notes, ret);
}

/* The cache. */

enum {
	/** Files in the cache, which is emptied when it is full. */
	MAX_FILES = 1 << 16,
	MAX_VDSO_BYTES = 1 << 16,
};

/** Key of a file. It has no padding, because its bytes are compared. */
struct file_key {
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
};

void cap_build_ids_deinit(struct cap_build_ids *cache)
{
	base_intern_deinit(&cache->files);
	pd_vec_deinit(&cache->ids);
	*cache = (struct cap_build_ids){ 0 };
}

/*
 * Open @p path if it is a regular file, and, unless @p ino is 0, has that inode; else return -1.
 * O_PATH comes first because opening a device or a pipe may have side effects.
 */
static int open_regular(const char *path, int flags, uint64_t ino)
{
	_cleanup_close_ int path_fd = open(path, O_PATH | O_CLOEXEC | flags);
	char self[sizeof("/proc/self/fd/") + 10];
	struct stat st;

	if (path_fd < 0 || fstat(path_fd, &st) != 0 || !S_ISREG(st.st_mode) ||
		(ino && st.st_ino != ino))
		return -1;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
	return open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/* Read the build id of a file, of length 0 if it has none. False if the file cannot be opened. */
static bool read_file(const char *path, int flags, uint64_t ino, struct pd_build_id *ret)
{
	_cleanup_close_ int fd = open_regular(path, flags, ino);

	if (fd >= 0 && !read_elf(fd, ret))
		ret->len = 0;
	return fd >= 0;
}

bool cap_build_id_file(const char *path, struct pd_build_id *ret)
{
	struct pd_build_id id;

	if (!read_file(path, 0, 0, &id) || !id.len)
		return false;
	*ret = id;
	return true;
}

/*
 * Whether @p path is on the device that the mapping shows. On file systems like btrfs and overlayfs
 * it never is, because stat(2) reports another device.
 */
static bool is_on_device(const char *path, const struct cap_mapping *mapping)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_dev == makedev(mapping->maj, mapping->min);
}

static bool read_mapped(const struct cap_machine *machine, uint32_t pid,
	const struct cap_mapping *mapping, struct pd_build_id *ret)
{
	char path[PATH_MAX];

	if (cap_machine_path(machine, path, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid,
		    mapping->start, mapping->end) &&
		access(path, R_OK) == 0)
		return read_file(path, 0, 0, ret);
	if (mapping->name[0] != '/')
		return false;
	/*
	 * In a container, the name is relative to the root of the process. Outside, the same path
	 * may be another file.
	 */
	return (cap_machine_path(machine, path, "/proc/%u/root%s", pid, mapping->name) &&
		       read_file(path, O_NOFOLLOW, mapping->ino, ret)) ||
	       (cap_machine_path(machine, path, "%s", mapping->name) &&
		       is_on_device(path, mapping) &&
		       read_file(path, O_NOFOLLOW, mapping->ino, ret));
}

static struct pd_error *remember(
	struct cap_build_ids *cache, const struct file_key *key, const struct pd_build_id *id)
{
	if (cache->ids.n >= MAX_FILES)
		cap_build_ids_deinit(cache);
	if (!pd_vec_push(&cache->ids, *id) ||
		base_intern_add(&cache->files, key, sizeof(*key)) == PD_INTERN_NONE)
		return &pd_enomem;
	return NULL;
}

struct pd_error *cap_build_ids_find(struct cap_build_ids *cache, const struct cap_machine *machine,
	uint32_t pid, const struct cap_mapping *mapping, struct pd_build_id *ret)
{
	const struct file_key key = { mapping->maj, mapping->min, mapping->ino };
	struct pd_build_id id = { 0 };

	*ret = id;
	if (!mapping->ino)
		return NULL;
	uint32_t known = base_intern_find(&cache->files, &key, sizeof(key));
	if (known != PD_INTERN_NONE) {
		*ret = cache->ids.data[known];
		return NULL;
	}
	/*
	 * A file that cannot be opened is not cached: it may be accessible through another process.
	 */
	if (!read_mapped(machine, pid, mapping, &id))
		return NULL;
	*ret = id;
	return remember(cache, &key, &id);
}

bool cap_build_id_kernel(const struct cap_machine *machine, struct pd_build_id *ret)
{
	char path[PATH_MAX];

	if (!cap_machine_path(machine, path, "/sys/kernel/notes"))
		return false;
	_cleanup_close_ int fd = open_regular(path, 0, 0);
	return fd >= 0 && read_notes(fd, ret);
}

bool cap_build_id_module(
	const struct cap_machine *machine, const char *name, struct pd_build_id *ret)
{
	char path[PATH_MAX];

	if (!cap_machine_path(machine, path, "/sys/module/%s/notes/.note.gnu.build-id", name))
		return false;
	_cleanup_close_ int fd = open_regular(path, 0, 0);
	return fd >= 0 && read_notes(fd, ret);
}

/* The vdso exists in memory only, so copy it to a file for the ELF reader. */
bool cap_build_id_vdso(const struct cap_machine *machine, uint32_t pid,
	const struct cap_mapping *mapping, struct pd_build_id *ret)
{
	uint64_t size = mapping->end - mapping->start;
	char path[PATH_MAX];

	if (size > MAX_VDSO_BYTES || !cap_machine_path(machine, path, "/proc/%u/mem", pid))
		return false;
	_cleanup_free_ void *image = malloc(size);
	_cleanup_close_ int mem = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int copy = memfd_create("vdso", MFD_CLOEXEC);
	return image && mem >= 0 && copy >= 0 &&
	       pread(mem, image, size, (off_t)mapping->start) == (ssize_t)size &&
	       base_write_all(copy, image, size) && read_elf(copy, ret);
}
