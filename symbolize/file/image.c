#include "symbolize/file/image.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "base/integer.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/file/section_table.h"
#include "symbolize/file/zip.h"

bool sym_build_id_of_notes(const uint8_t *bytes, size_t size, bool swap, struct pd_build_id *ret)
{
	struct pd_cursor c = pd_cursor_init(bytes, size, swap);

	while (pd_cursor_left(&c) >= 12) {
		uint64_t name_size = pd_cursor_u32(&c);
		uint64_t desc_size = pd_cursor_u32(&c);
		uint32_t type = pd_cursor_u32(&c);
		const uint8_t *name = pd_cursor_bytes(&c, (name_size + 3) & ~(uint64_t)3);
		/* The padding is skipped separately, because the last note may lack it. */
		const uint8_t *desc = pd_cursor_bytes(&c, desc_size);

		if (!name || !desc)
			return false;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && memcmp(name, "GNU", 4) == 0) {
			/* The linker accepts ids of any length, but recordings hold 20 bytes. */
			ret->len = desc_size < PD_BUILD_ID_MAX ? desc_size : PD_BUILD_ID_MAX;
			memcpy(ret->bytes, desc, ret->len);
			return ret->len > 0;
		}
		pd_cursor_bytes(&c, -desc_size & 3);
	}
	return false;
}

static bool build_id_of_sections(struct sym_image *image)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	struct sym_section bytes;

	while ((scn = elf_nextscn(image->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE)
			continue;
		if (sym_image_bytes(image, scn, &bytes) &&
			sym_build_id_of_notes(
				bytes.data, bytes.size, image->swap, &image->build_id))
			return true;
	}
	return false;
}

static void build_id_of_segments(struct sym_image *image)
{
	size_t n = 0;
	GElf_Phdr phdr;

	if (elf_getphdrnum(image->elf, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &phdr) || phdr.p_type != PT_NOTE)
			continue;
		const uint8_t *notes = sym_image_at(image, phdr.p_offset, phdr.p_filesz);
		if (notes &&
			sym_build_id_of_notes(notes, phdr.p_filesz, image->swap, &image->build_id))
			return;
	}
}

static uint64_t first_load_vaddr(Elf *elf)
{
	size_t n = 0;
	GElf_Phdr phdr;

	if (elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_LOAD)
			return phdr.p_vaddr;
	}
	return 0;
}

/* Whether the file has sections of code, all of them without contents. */
static bool lacks_code(const struct sym_image *image)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	bool has_sections = false;

	while ((scn = elf_nextscn(image->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_EXECINSTR))
			continue;
		if (shdr.sh_type != SHT_NOBITS)
			return false;
		has_sections = true;
	}
	return has_sections;
}

bool sym_image_lacks_code(const struct sym_image *image)
{
	return image->lacks_code;
}

/*
 * Whether the section and program header tables lie within the file. If not, the file was cut
 * short.
 */
static bool has_whole_tables(const struct sym_image *image)
{
	const GElf_Ehdr *e = &image->ehdr;
	uint64_t size = image->size;
	uint64_t sections = (uint64_t)e->e_shnum * e->e_shentsize;
	uint64_t segments = (uint64_t)e->e_phnum * e->e_phentsize;

	return e->e_shoff <= size && sections <= size - e->e_shoff && e->e_phoff <= size &&
	       segments <= size - e->e_phoff;
}

static const char *examine(struct sym_image *image)
{
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF ||
		!gelf_getehdr(image->elf, &image->ehdr))
		return "is not an ELF file";
	if (image->ehdr.e_type != ET_EXEC && image->ehdr.e_type != ET_DYN &&
		image->ehdr.e_type != ET_REL)
		return "is not a program or library";
	if (!has_whole_tables(image))
		return "is a truncated ELF file";
	image->swap = image->ehdr.e_ident[EI_DATA] !=
		      (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	image->first_vaddr = first_load_vaddr(image->elf);
	image->lacks_code = lacks_code(image);
	/*
	 * Sections come first: in a separate debug file the offsets of segments are those of the
	 * binary.
	 */
	if (!build_id_of_sections(image))
		build_id_of_segments(image);
	return NULL;
}

static struct sym_image *image_create(void)
{
	struct sym_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->fd = -1;
	image->unpacked = calloc(1, sizeof(*image->unpacked));
	if (!image->unpacked) {
		free(image);
		return NULL;
	}
	elf_version(EV_CURRENT);
	/* Forget earlier failures. */
	elf_errno();
	return image;
}

bool sym_elf_is_out_of_memory(void)
{
	int failure = elf_errno();

	/* The header of libelf does not give the codes names. */
	return failure && strcmp(elf_errmsg(failure), "out of memory") == 0;
}

/* Take ownership of @p image. *ret is NULL if it is not a usable ELF file. */
static struct pd_error *examined(
	struct sym_image *image, struct sym_image **ret, struct sym_failure *failure_ret)
{
	const char *wrong = examine(image);
	bool is_out_of_memory = sym_elf_is_out_of_memory() || image->unpacked->is_out_of_memory;

	*ret = NULL;
	if (!wrong && !is_out_of_memory) {
		*ret = image;
		return NULL;
	}
	sym_image_destroy(image);
	if (is_out_of_memory)
		return &pd_enomem;
	*failure_ret = (struct sym_failure){ SYM_NOT_ELF, wrong };
	return NULL;
}

void sym_image_drop(const struct sym_image *image)
{
	/* The names of a small file take less than the calls. */
	const size_t least = 1 << 20;

	if (image && image->map.size >= least)
		base_file_map_drop(&image->map, 0, image->map.size);
}

struct pd_error *sym_image_check(const struct sym_image *image)
{
	if (sym_elf_is_out_of_memory())
		return &pd_enomem;
	if (!image)
		return NULL;
	return image->unpacked->is_out_of_memory ? &pd_enomem
						 : base_file_map_check(&image->map, image->path);
}

/*
 * Replace the mapping of the @p size bytes at @p offset of @p fd by one with section headers. If it
 * cannot be made, the file has no sections.
 */
static void make_sections(struct sym_image *image, int fd, uint64_t offset, size_t size)
{
	struct sym_section_table table;
	struct base_file_map map;
	size_t extra;

	if (!sym_lacks_sections(image->elf))
		return;
	bool ok = sym_section_table_find(image->elf, &table);
	image->unpacked->is_out_of_memory |= !ok;
	if (ok && base_file_map_open_extended(
			  fd, offset, size, sym_section_table_size(&table), &map, &extra)) {
		sym_section_table_write(&table, image->elf, map.bytes, extra);
		elf_end(image->elf);
		base_file_map_close(&image->map);
		image->map = map;
		image->size = extra + sym_section_table_size(&table);
		image->elf = elf_memory(map.bytes, extra + sym_section_table_size(&table));
	}
	sym_section_table_deinit(&table);
}

/*
 * Let libelf read each section when it is asked for. Files without section headers have to be
 * mapped, to get some.
 */
static bool open_by_section(struct sym_image *image)
{
	image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
	if (!image->elf || !sym_lacks_sections(image->elf))
		return true;
	elf_end(take_ptr(image->elf));
	return false;
}

static void open_whole(struct sym_image *image)
{
	struct stat st;

	if (!fstat(image->fd, &st) && st.st_size > 0)
		image->size = (uint64_t)st.st_size;
	if (!base_file_map_is_cheap(image->size) && open_by_section(image))
		return;
	/* An empty file, and one that cannot be mapped. */
	if (!image->size ||
		!base_file_map_open(image->fd, 0, image->size, PD_MAP_READ_ONLY, &image->map)) {
		image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
		return;
	}
	image->elf = elf_memory(image->map.bytes, image->map.size);
	make_sections(image, image->fd, 0, image->map.size);
}

struct pd_error *sym_image_open_fd(
	int fd, const char *path, struct sym_image **ret, struct sym_failure *failure_ret)
{
	_cleanup_free_ char *copy = strdup(path);
	struct sym_image *image = image_create();

	*ret = NULL;
	if (!copy || !image) {
		sym_image_destroy(image);
		base_close(&fd);
		return &pd_enomem;
	}
	image->path = take_ptr(copy);
	image->fd = fd;
	open_whole(image);
	return examined(image, ret, failure_ret);
}

/* Open the member of the zip archive @p archive that @p path names. */
static struct pd_error *open_member(const char *path, const char *archive, const char *member,
	struct sym_access access, struct sym_image **ret, struct sym_failure *failure_ret)
{
	_cleanup_close_ int fd = sym_open_regular(archive, access, failure_ret);
	struct sym_zip_member found;

	if (fd < 0)
		return NULL;
	*failure_ret = (struct sym_failure){ SYM_NO_FILE, "has no such member" };
	if (!sym_zip_find_name(fd, member, &found))
		return NULL;
	*failure_ret = (struct sym_failure){ SYM_NOT_ELF, "does not begin at a page" };
	if (found.offset % base_file_map_unit() || !found.size)
		return NULL;
	return sym_image_open_range(fd, found.offset, found.size, path, ret, failure_ret);
}

struct pd_error *sym_image_open(const char *path, struct sym_access access, struct sym_image **ret,
	struct sym_failure *failure_ret)
{
	const char *member = strstr(path, SYM_ZIP_SEPARATOR);
	struct sym_path archive;

	*ret = NULL;
	if (member)
		sym_path_format(&archive, "%.*s", (int)(member - path), path);
	if (member && sym_zip_is_package(archive.text))
		return open_member(path, archive.text, member + strlen(SYM_ZIP_SEPARATOR), access,
			ret, failure_ret);
	int fd = sym_open_regular(path, access, failure_ret);

	*ret = NULL;
	return fd < 0 ? NULL : sym_image_open_fd(fd, path, ret, failure_ret);
}

struct pd_error *sym_image_open_memory(
	void *memory, size_t size, struct sym_image **ret, struct sym_failure *failure_ret)
{
	struct sym_image *image = image_create();

	if (!image) {
		free(memory);
		return &pd_enomem;
	}
	image->memory = memory;
	image->size = size;
	image->elf = elf_memory(memory, size);
	return examined(image, ret, failure_ret);
}

struct pd_error *sym_image_open_range(int fd, uint64_t offset, uint64_t part_size, const char *name,
	struct sym_image **ret, struct sym_failure *failure_ret)
{
	size_t size;

	*ret = NULL;
	*failure_ret = (struct sym_failure){ SYM_UNREADABLE, "is larger than memory can be" };
	if (!base_size_in_memory(part_size, &size))
		return NULL;
	struct sym_image *image = image_create();
	if (!image)
		return &pd_enomem;
	image->path = strdup(name);
	image->fd = base_fd_share(fd);
	/*
	 * The mapping is private and writable: relocating an image writes into it, and must not
	 * change other images of the same archive.
	 */
	if (!image->path || image->fd < 0 ||
		!base_file_map_open(fd, offset, size, PD_MAP_PRIVATE, &image->map)) {
		sym_image_destroy(image);
		return &pd_enomem;
	}
	image->is_range = true;
	image->range_offset = offset;
	image->range_size = size;
	image->size = size;
	image->elf = elf_memory(image->map.bytes, size);
	make_sections(image, fd, offset, size);
	return examined(image, ret, failure_ret);
}

static struct pd_error *reopen_memory(const struct sym_image *image, struct sym_image **ret)
{
	struct sym_failure failure;
	size_t size;
	const char *bytes = elf_rawfile(image->elf, &size);
	void *copy = bytes ? malloc(size) : NULL;

	if (!copy)
		return &pd_enomem;
	memcpy(copy, bytes, size);
	return sym_image_open_memory(copy, size, ret, &failure);
}

struct pd_error *sym_image_reopen(const struct sym_image *image, struct sym_image **ret)
{
	struct sym_failure failure;

	*ret = NULL;
	if (image->is_range)
		return sym_image_open_range(image->fd, image->range_offset, image->range_size,
			image->path, ret, &failure);
	if (image->memory)
		return reopen_memory(image, ret);
	int fd = base_fd_share(image->fd);
	if (fd < 0)
		return pd_error_os(image->path, "cannot open again");
	return sym_image_open_fd(fd, image->path, ret, &failure);
}

const uint8_t *sym_image_at(const struct sym_image *image, uint64_t offset, uint64_t size)
{
	if (offset > image->size || size > image->size - offset || size > SIZE_MAX)
		return NULL;
	const Elf_Data *data =
		elf_getdata_rawchunk(image->elf, (int64_t)offset, (size_t)size, ELF_T_BYTE);
	return data ? data->d_buf : NULL;
}

void sym_image_destroy(struct sym_image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	for (size_t i = 0; i < image->unpacked->list.n; i++)
		free(image->unpacked->list.data[i].bytes);
	pd_vec_deinit(&image->unpacked->list);
	free(image->unpacked);
	base_close(&image->fd);
	base_file_map_close(&image->map);
	free(image->memory);
	free(image->path);
	free(image);
}

bool sym_image_stamp(const struct sym_image *image, uint64_t *size_ret, int64_t *mtime_ns_ret)
{
	struct stat st;

	if (image->is_range) {
		*size_ret = image->range_size;
		*mtime_ns_ret = 0;
		return true;
	}
	if (image->fd < 0 || fstat(image->fd, &st))
		return false;
	*size_ret = (uint64_t)st.st_size;
	*mtime_ns_ret = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	return true;
}
