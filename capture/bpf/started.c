/* Programs that are about to be mapped: their tables are requested before the first sample. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/hash.h"
#include "capture/bpf/private.h"

/** Request the table of code that will be mapped. */
static struct pd_error *expect_code(void *ctx, const char *path, uint64_t offset, uint64_t size)
{
	struct cap_mapping mapping = {
		.end = size, .pgoff = offset, .prot = PROT_EXEC, .name = path
	};
	const struct cap_bpf_file *file;
	struct stat st;

	if (stat(path, &st) < 0)
		return NULL;
	mapping.maj = major(st.st_dev);
	mapping.min = minor(st.st_dev);
	mapping.ino = st.st_ino;
	return cap_bpf_get_file(ctx, (uint32_t)getpid(), &mapping, &file);
}

static struct pd_error *expect_program(struct cap_bpf *bpf, const char *program, bool is_command)
{
	const struct cap_table_source *source = &bpf->source;

	if (!source->list)
		return NULL;
	return source->list(source->ctx, program, is_command, expect_code, bpf);
}

struct pd_error *cap_bpf_expect_command(struct cap_bpf *bpf, const char *program)
{
	bpf->command = strdup(program);
	return bpf->command ? expect_program(bpf, program, true) : &pd_enomem;
}

/** Note that the recorded command has started the program @p path. */
static struct pd_error *note_started(struct cap_bpf *bpf, const char *path)
{
	char *copy = bpf->command && !bpf->is_system_wide ? strdup(path) : NULL;

	if (!copy || pd_vec_push(&bpf->started, copy))
		return NULL;
	free(copy);
	return &pd_enomem;
}

void cap_bpf_keep_started(struct cap_bpf *bpf)
{
	const struct cap_table_source *source = &bpf->source;

	if (source->keep && bpf->started.n)
		source->keep(source->ctx, bpf->command, (const char *const *)bpf->started.data,
			bpf->started.n);
	for (size_t i = 0; i < bpf->started.n; i++)
		free(bpf->started.data[i]);
	pd_vec_deinit(&bpf->started);
	free(bpf->command);
}

struct pd_error *cap_bpf_expect_libraries(struct cap_bpf *bpf, uint32_t pid)
{
	char link[64], path[PATH_MAX];
	struct stat st, there;
	bool is_new;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	if (n < 0 || stat(link, &st) < 0)
		return NULL;
	if (!pd_map_add(&bpf->programs_seen, pd_hash_pair(st.st_ino, st.st_dev), &is_new))
		return &pd_enomem;
	path[n] = '\0';
	/* A process with another root sees other files by these paths. */
	if (!is_new || stat(path, &there) < 0 || there.st_ino != st.st_ino ||
		there.st_dev != st.st_dev)
		return NULL;
	struct pd_error *err = note_started(bpf, path);
	return err ? err : expect_program(bpf, path, false);
}
