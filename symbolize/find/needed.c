#include "symbolize/find/needed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "symbolize/file/image.h"

/* Bounds on files that were made to be large. */
enum { MOST_FILES = 512, MOST_CACHE_BYTES = 64 << 20, MOST_SCRIPTS = 4 };

struct search {
	struct sym_needed *needed;
	/** Machine and class of the program; libraries of others are passed over. */
	uint16_t machine;
	uint8_t elf_class;
	/** Contents of /etc/ld.so.cache; NULL: it does not exist. */
	char *cache;
	size_t cache_bytes;
};

/* The program. */

/** Find @p program on the PATH. Allocated; NULL: no such program, or out of memory. */
static char *find_program(const char *program)
{
	const char *path = getenv("PATH");

	if (strchr(program, '/'))
		return strdup(program);
	while (path && *path) {
		size_t len = strcspn(path, ":");
		_cleanup_free_ char *file = base_format("%.*s/%s", (int)len, path, program);

		if (file && access(file, X_OK) == 0)
			return take_ptr(file);
		path += len + (path[len] == ':');
	}
	return NULL;
}

/**
 * Replace *@p program by the interpreter of the script that it is. Returns false if it is none. For
 * env(1) that is the program which it looks for.
 */
static bool follow_script(char **program)
{
	_cleanup_close_ int fd = open(*program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char line[256], *rest = NULL;
	ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	char *interpreter = strtok_r(line + 2, " \t", &rest);
	char *argument = interpreter ? strtok_r(NULL, " \t", &rest) : NULL;
	if (!interpreter)
		return false;
	const char *slash = strrchr(interpreter, '/');
	bool is_env = argument && slash && strcmp(slash, "/env") == 0;
	char *found = find_program(is_env ? argument : interpreter);
	if (!found)
		return false;
	free(*program);
	*program = found;
	return true;
}

/* Files. */

static bool is_listed(const struct sym_needed *needed, const char *path)
{
	for (size_t i = 0; i < needed->paths.n; i++) {
		if (strcmp(needed->paths.data[i], path) == 0)
			return true;
	}
	return false;
}

/** Whether a library @p name was found before. Then glibc does not look for it again. */
static bool is_found(const struct sym_needed *needed, const char *name)
{
	for (size_t i = 0; i < needed->paths.n; i++) {
		const char *slash = strrchr(needed->paths.data[i], '/');

		if (slash && strcmp(slash + 1, name) == 0)
			return true;
	}
	return false;
}

/** Append @p path, which is taken over. */
static struct pd_error *list_path(struct sym_needed *needed, char *path)
{
	if (is_listed(needed, path) || needed->paths.n == MOST_FILES) {
		free(path);
		return NULL;
	}
	if (pd_vec_push(&needed->paths, path))
		return NULL;
	free(path);
	return &pd_enomem;
}

/** Open the ELF file @p path. *@p ret is NULL if it is none, or is of another machine. */
static struct pd_error *open_image(const struct search *s, const char *path, struct sym_image **ret)
{
	struct sym_failure failure;
	struct pd_error *err = sym_image_open(path, (struct sym_access){ 0 }, ret, &failure);

	if (err || !*ret || !s->machine)
		return err;
	const GElf_Ehdr *header = &(*ret)->ehdr;
	if (header->e_machine == s->machine && header->e_ident[EI_CLASS] == s->elf_class)
		return NULL;
	sym_image_destroy(take_ptr(*ret));
	return NULL;
}

static bool next_segment(const struct sym_image *image, size_t *at, GElf_Phdr *ret)
{
	size_t n = 0;

	if (elf_getphdrnum(image->elf, &n))
		n = 0;
	while (*at < n) {
		if (gelf_getphdr(image->elf, (int)(*at)++, ret))
			return true;
	}
	return false;
}

static bool find_segment(const struct sym_image *image, uint32_t type, GElf_Phdr *ret)
{
	for (size_t at = 0; next_segment(image, &at, ret);) {
		if (ret->p_type == type)
			return true;
	}
	return false;
}

static struct pd_error *list_code(
	struct sym_needed *needed, const struct sym_image *image, const char *path)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	GElf_Phdr segment;

	for (size_t at = 0; next_segment(image, &at, &segment);) {
		const struct sym_needed_code code = {
			.path = path,
			.offset = segment.p_offset & ~(page - 1),
			.size = segment.p_filesz,
		};

		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X &&
			!pd_vec_push(&needed->list, code))
			return &pd_enomem;
	}
	return NULL;
}

/* Strings in a file. */

/** String at the file offset @p offset. NULL if it does not end in the file. */
static const char *string_at(const struct sym_image *image, uint64_t offset)
{
	enum { FIRST = 256, STEP = 16 };
	uint64_t left = offset < image->size ? image->size - offset : 0;

	for (uint64_t n = left < FIRST ? left : FIRST; n; n = left / STEP < n ? left : n * STEP) {
		const uint8_t *bytes = sym_image_at(image, offset, n);

		if (!bytes || memchr(bytes, '\0', n))
			return (const char *)bytes;
		if (n == left)
			break;
	}
	return NULL;
}

/** File offset of the vaddr @p vaddr; UINT64_MAX if no segment has it. */
static uint64_t offset_of(const struct sym_image *image, uint64_t vaddr)
{
	GElf_Phdr segment;

	for (size_t at = 0; next_segment(image, &at, &segment);) {
		if (segment.p_type == PT_LOAD && vaddr - segment.p_vaddr < segment.p_filesz)
			return vaddr - segment.p_vaddr + segment.p_offset;
	}
	return UINT64_MAX;
}

/** Dynamic section of a file, and the file offset of its strings. */
struct dynamic {
	const struct sym_image *image;
	Elf_Data *data;
	uint64_t strings;
};

static bool next_entry(const struct dynamic *dynamic, size_t *at, GElf_Dyn *ret)
{
	return gelf_getdyn(dynamic->data, (int)(*at)++, ret) && ret->d_tag != DT_NULL;
}

static bool open_dynamic(const struct sym_image *image, struct dynamic *ret)
{
	GElf_Phdr segment;
	GElf_Dyn entry;

	*ret = (struct dynamic){ .image = image, .strings = UINT64_MAX };
	if (!find_segment(image, PT_DYNAMIC, &segment))
		return false;
	ret->data = elf_getdata_rawchunk(
		image->elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_DYN);
	for (size_t at = 0; ret->data && next_entry(ret, &at, &entry);) {
		if (entry.d_tag == DT_STRTAB)
			ret->strings = offset_of(image, entry.d_un.d_ptr);
	}
	return ret->strings != UINT64_MAX;
}

static const char *string_of(const struct dynamic *dynamic, const GElf_Dyn *entry)
{
	uint64_t offset = dynamic->strings + entry->d_un.d_val;

	return offset < dynamic->strings ? NULL : string_at(dynamic->image, offset);
}

/** The last entry with @p tag as a string; NULL: there is none. */
static const char *find_string(const struct dynamic *dynamic, int64_t tag)
{
	const char *ret = NULL;
	GElf_Dyn entry;

	for (size_t at = 0; next_entry(dynamic, &at, &entry);) {
		if (entry.d_tag == tag)
			ret = string_of(dynamic, &entry);
	}
	return ret;
}

/* Libraries. */

static bool is_usable(const struct search *s, const char *path)
{
	struct sym_image *image = NULL;
	struct pd_error *err = access(path, R_OK) == 0 ? open_image(s, path, &image) : NULL;
	bool ret = image;

	pd_error_destroy(err);
	sym_image_destroy(image);
	return ret;
}

/** Path of @p name in the directory @p dir, in which $ORIGIN is that of @p user. */
static char *path_in(const char *dir, size_t len, const char *name, const char *user)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(user, '/');
	int n_origin = slash ? (int)(slash - user) : 0;

	for (size_t i = 0; i < PD_ARRAY_LEN(origins); i++) {
		size_t n = strlen(origins[i]);

		if (len >= n && strncmp(dir, origins[i], n) == 0)
			return base_format(
				"%.*s%.*s/%s", n_origin, user, (int)(len - n), dir + n, name);
	}
	return base_format("%.*s/%s", (int)len, dir, name);
}

/** Look for @p name in the directories @p dirs, which are separated by colons. Allocated. */
static char *find_in(const struct search *s, const char *dirs, const char *name, const char *user)
{
	while (dirs && *dirs) {
		size_t len = strcspn(dirs, ":;");
		_cleanup_free_ char *path = path_in(dirs, len, name, user);

		if (path && is_usable(s, path))
			return take_ptr(path);
		dirs += len + (dirs[len] != '\0');
	}
	return NULL;
}

/* /etc/ld.so.cache, as glibc writes it since 2.32: sysdeps/generic/dl-cache.h. */

static const char cache_magic[] = "glibc-ld.so.cache1.1";

struct cache_header {
	char magic[20];
	uint32_t n;
	uint32_t unused[6];
};

struct cache_entry {
	int32_t flags;
	uint32_t key;
	uint32_t value;
	uint32_t os_version;
	uint64_t hwcap;
};

static void read_cache(struct search *s)
{
	struct sym_failure failure;
	_cleanup_close_ int fd =
		sym_open_regular("/etc/ld.so.cache", (struct sym_access){ 0 }, &failure);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size > MOST_CACHE_BYTES)
		return;
	s->cache = malloc((size_t)st.st_size + 1);
	ssize_t n = s->cache ? read(fd, s->cache, (size_t)st.st_size) : -1;
	s->cache_bytes = n < 0 ? 0 : (size_t)n;
	/* Every string in it ends. */
	if (s->cache)
		s->cache[s->cache_bytes] = '\0';
}

static char *find_in_cache(const struct search *s, const char *name)
{
	struct cache_header header;
	struct cache_entry entry;

	if (s->cache_bytes < sizeof(header) || memcmp(s->cache, cache_magic, sizeof(header.magic)))
		return NULL;
	memcpy(&header, s->cache, sizeof(header));
	for (size_t i = 0; i < header.n; i++) {
		size_t at = sizeof(header) + i * sizeof(entry);

		if (at + sizeof(entry) > s->cache_bytes)
			return NULL;
		memcpy(&entry, s->cache + at, sizeof(entry));
		if (entry.hwcap || entry.key >= s->cache_bytes || entry.value >= s->cache_bytes ||
			strcmp(s->cache + entry.key, name) != 0)
			continue;
		if (is_usable(s, s->cache + entry.value))
			return strdup(s->cache + entry.value);
	}
	return NULL;
}

/** Find the library @p name, which @p user needs. Allocated; NULL: it is not found. */
static char *find_library(
	const struct search *s, const struct dynamic *dynamic, const char *name, const char *user)
{
	static const char defaults[] = "/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib";
	const char *runpath = find_string(dynamic, DT_RUNPATH);
	const char *rpath = runpath ? NULL : find_string(dynamic, DT_RPATH);

	if (strchr(name, '/'))
		return is_usable(s, name) ? strdup(name) : NULL;
	char *ret = find_in(s, rpath, name, user);
	if (!ret)
		ret = find_in(s, getenv("LD_LIBRARY_PATH"), name, user);
	if (!ret)
		ret = find_in(s, runpath, name, user);
	if (!ret)
		ret = find_in_cache(s, name);
	return ret ? ret : find_in(s, defaults, name, user);
}

/** List the files that @p image needs: the dynamic linker, and libraries. */
static struct pd_error *list_needed(
	struct search *s, const struct sym_image *image, const char *path)
{
	struct dynamic dynamic;
	struct pd_error *err = NULL;
	GElf_Phdr interp;
	GElf_Dyn entry;

	if (find_segment(image, PT_INTERP, &interp)) {
		const char *linker = string_at(image, interp.p_offset);
		char *copy = linker ? strdup(linker) : NULL;

		err = copy ? list_path(s->needed, copy) : NULL;
	}
	if (err || !open_dynamic(image, &dynamic))
		return err;
	for (size_t at = 0; !err && next_entry(&dynamic, &at, &entry);) {
		const char *name = entry.d_tag == DT_NEEDED ? string_of(&dynamic, &entry) : NULL;
		bool is_new = name && !is_found(s->needed, name);
		char *file = is_new ? find_library(s, &dynamic, name, path) : NULL;

		err = file ? list_path(s->needed, file) : NULL;
	}
	return err;
}

static struct pd_error *add_file(struct search *s, const char *path)
{
	struct sym_image *image = NULL;
	struct pd_error *err = open_image(s, path, &image);

	if (err || !image)
		return err;
	s->machine = image->ehdr.e_machine;
	s->elf_class = image->ehdr.e_ident[EI_CLASS];
	err = list_code(s->needed, image, path);
	if (!err)
		err = list_needed(s, image, path);
	sym_image_destroy(image);
	return err;
}

struct pd_error *sym_needed_find(const char *program, struct sym_needed *ret)
{
	struct search search = { .needed = ret };
	char *path = find_program(program);
	size_t at = ret->paths.n, n_scripts = 0;

	if (!path)
		return NULL;
	while (n_scripts < MOST_SCRIPTS && follow_script(&path))
		n_scripts++;
	read_cache(&search);
	struct pd_error *err = list_path(ret, path);
	/* Each file may append others. */
	for (; !err && at < ret->paths.n; at++)
		err = add_file(&search, ret->paths.data[at]);
	free(search.cache);
	return err;
}

void sym_needed_deinit(struct sym_needed *needed)
{
	for (size_t i = 0; i < needed->paths.n; i++)
		free(needed->paths.data[i]);
	pd_vec_deinit(&needed->paths);
	pd_vec_deinit(&needed->list);
}
