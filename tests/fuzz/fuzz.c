#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

static const struct fuzz_target targets[] = {
#define FUZZ_ROW(name, corpus, max_len, what) { #name, #corpus, max_len, fuzz_target_##name },
	FUZZ_TARGETS(FUZZ_ROW)
#undef FUZZ_ROW
};

const struct sym_search fuzz_no_search = {
	.symfs = "/nonexistent",
	.buildid_dir = "/nonexistent",
	.perf_map_dir = "/nonexistent",
};

const struct fuzz_target *fuzz_targets(size_t *n_ret)
{
	*n_ret = PD_ARRAY_LEN(targets);
	return targets;
}

const struct fuzz_target *fuzz_target_find(const char *name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(targets); i++) {
		if (strcmp(targets[i].name, name) == 0)
			return &targets[i];
	}
	return NULL;
}

uint64_t fuzz_number(struct fuzz_input *in, size_t size)
{
	uint64_t value = 0;
	struct fuzz_input bytes = fuzz_take(in, size);

	for (size_t i = 0; i < bytes.size; i++)
		value |= (uint64_t)bytes.bytes[i] << (8 * i);
	return value;
}

struct fuzz_input fuzz_take(struct fuzz_input *in, size_t size)
{
	struct fuzz_input ret = { in->bytes, size < in->size ? size : in->size };

	in->bytes += ret.size;
	in->size -= ret.size;
	return ret;
}

struct fuzz_input fuzz_piece(struct fuzz_input *in)
{
	size_t size = fuzz_number(in, 2);

	return fuzz_take(in, size);
}

const struct pd_arch *fuzz_arch(struct fuzz_input *in)
{
	static const struct pd_arch *const all[] = { &base_arch_x86_64, &base_arch_i386,
		&base_arch_aarch64, &base_arch_arm, &base_arch_riscv64, &base_arch_s390x,
		&base_arch_ppc64, &base_arch_ppc64le };

	return all[fuzz_choice(in, PD_ARRAY_LEN(all))];
}

static void *allocate(size_t size)
{
	void *ret = malloc(size);

	if (!ret)
		abort();
	return ret;
}

uint8_t *fuzz_copy(const struct fuzz_input *in)
{
	uint8_t *ret = allocate(in->size ? in->size : 1);

	if (in->size)
		memcpy(ret, in->bytes, in->size);
	return ret;
}

char *fuzz_text(const struct fuzz_input *in)
{
	char *ret = allocate(in->size + 1);

	if (in->size)
		memcpy(ret, in->bytes, in->size);
	ret[in->size] = '\0';
	return ret;
}

static ssize_t discard(void *cookie, const char *bytes, size_t size)
{
	(void)cookie;
	(void)bytes;
	return (ssize_t)size;
}

FILE *fuzz_nowhere(void)
{
	static FILE *nowhere;

	if (!nowhere)
		nowhere = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = discard });
	if (!nowhere)
		abort();
	return nowhere;
}

static char dir[64];

static void remove_dir(void)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream)
		closedir(stream);
	rmdir(dir);
}

const char *fuzz_dir(void)
{
	if (*dir)
		return dir;
	snprintf(dir, sizeof(dir), "%s/pdconv-fuzz-XXXXXX",
		access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(dir))
		abort();
	atexit(remove_dir);
	return dir;
}

const char *fuzz_write(const char *name, const void *bytes, size_t size)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", fuzz_dir(), name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	close(fd);
	return path;
}
