#include "capture/machine/build_ids.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/temporary.h"

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
	pd_intern_deinit(&cache->files);
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

	if (fd >= 0 && !cap_elf_build_id(fd, ret))
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
		pd_intern_add(&cache->files, key, sizeof(*key)) == PD_INTERN_NONE)
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
	uint32_t known = pd_intern_find(&cache->files, &key, sizeof(key));
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
	return fd >= 0 && cap_notes_build_id(fd, ret);
}

bool cap_build_id_module(
	const struct cap_machine *machine, const char *name, struct pd_build_id *ret)
{
	char path[PATH_MAX];

	if (!cap_machine_path(machine, path, "/sys/module/%s/notes/.note.gnu.build-id", name))
		return false;
	_cleanup_close_ int fd = open_regular(path, 0, 0);
	return fd >= 0 && cap_notes_build_id(fd, ret);
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
	       pd_write_all(copy, image, size) && cap_elf_build_id(copy, ret);
}
