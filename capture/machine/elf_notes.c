#include "capture/machine/build_ids.h"

#include <elf.h>
#include <unistd.h>

#include <pdconv/bytes.h>
#include <pdconv/cursor.h>

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
	if (offset > INT64_MAX - size)
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

/* Relocatable files, such as kernel modules, have sections only. */
bool cap_elf_build_id(int fd, struct pd_build_id *ret)
{
	struct elf_file file = { .fd = fd };
	struct extent segments;
	struct extent sections;

	return read_header(&file, &segments, &sections) &&
	       (search_table(&file, &segments, segment_notes, ret) ||
		       search_table(&file, &sections, section_notes, ret));
}

bool cap_notes_build_id(int fd, struct pd_build_id *ret)
{
	const struct elf_file file = { .fd = fd };
	const struct extent notes = { .size = UINT64_MAX / 2, .align = 4 };

	return search_notes(&file, &notes, ret);
}
