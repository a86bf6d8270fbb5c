#include "symbolize/kernel/module.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/analyzer.h"
#include "base/cleanup.h"
#include "base/io/temporary.h"
#include "base/format.h"
#include "symbolize/binary_files.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/file/trouble.h"
#include "symbolize/kernel/code_names.h"
#include "symbolize/kernel/candidates.h"
#include "symbolize/kernel/packed.h"
#include "symbolize/file/path.h"
#include "symbolize/file/text_file.h"
#include "symbolize/kernel/relocate.h"

/* The kernel replaces '-' in the name of a module's file with '_'. */
static char folded(char c)
{
	return c == '-' ? '_' : c;
}

/*
 * Whether the base name of @p path is "NAME.ko", possibly compressed, for the @p len bytes @p name.
 */
static bool is_path_of(const char *path, const char *name, size_t len)
{
	const char *base = sym_path_base(path);

	for (size_t i = 0; i < len; i++) {
		if (folded(base[i]) != folded(name[i]))
			return false;
	}
	return strncmp(base + len, ".ko", 3) == 0;
}

/*
 * Find the line of the module in modules.dep: "PATH: PATHS OF DEPENDENCIES", relative to its
 * directory.
 */
static bool find_dependency_line(char *text, const char *name, size_t len, const char **path_ret)
{
	char *line;

	while ((line = sym_text_line(&text))) {
		line[strcspn(line, ":")] = '\0';
		if (!is_path_of(line, name, len))
			continue;
		*path_ret = line;
		return true;
	}
	return false;
}

static struct pd_error *look_up_in_root(const char *root, struct sym_access access,
	const char *release, const char *name, size_t len, struct sym_path *ret)
{
	_cleanup_free_ char *text = NULL;
	struct sym_failure failure;
	struct sym_path file;
	const char *path;
	size_t size;
	struct pd_error *err = sym_text_file_read(
		sym_path_format(&file, "%s/lib/modules/%s/modules.dep", root, release), access,
		&text, &size, &failure);

	if (err || !text || !find_dependency_line(text, name, len, &path))
		return err;
	if (path[0] == '/')
		sym_path_format(ret, "%s", path);
	else
		sym_path_format(ret, "/lib/modules/%s/%s", release, path);
	return NULL;
}

/* Search in all directories that stand for the root of the recording machine. */
static struct pd_error *look_up_in_roots(const struct sym_search *search, const char *release,
	const char *name, size_t len, struct sym_path *ret)
{
	struct sym_access access = sym_search_access(search);
	const char *root = search->symfs ? search->symfs : search->no_own_paths ? NULL : "";
	struct pd_error *err = root ? look_up_in_root(root, access, release, name, len, ret) : NULL;
	struct sym_path dir;
	size_t pos = 0;

	if (err)
		return err;
	while (!*ret->text && sym_path_next(search->debug_dirs, &pos, &dir)) {
		err = look_up_in_root(dir.text, access, release, name, len, ret);
		if (err)
			return err;
	}
	return NULL;
}

/*
 * Find the path of the module with the recorded @p name, which is a path, or "[NAME]". The path of
 * the latter is in modules.dep of @p release, or else "/NAME.ko". *ret is "" if @p name is not that
 * of a module.
 */
static struct pd_error *find_recorded_path(const struct sym_search *search, const char *name,
	const char *release, struct sym_path *ret)
{
	size_t len = strlen(name);

	ret->text[0] = '\0';
	if (name[0] != '[') {
		if (strstr(sym_path_base(name), ".ko"))
			sym_path_format(ret, "%s", name);
		return NULL;
	}
	/*
	 * perf records "[NAME]" if it did not know the path. The name and the release become
	 * components of a path, which a '/' would extend to other directories.
	 */
	if (len < 3 || name[len - 1] != ']' || strchr(name, '/'))
		return NULL;
	if (release && *release && !strchr(release, '/')) {
		struct pd_error *err = look_up_in_roots(search, release, name + 1, len - 2, ret);
		if (err)
			return err;
	}
	if (!*ret->text)
		sym_path_format(ret, "/%.*s.ko", (int)len - 2, name + 1);
	return NULL;
}

struct sym_module {
	const struct sym_search *search;
	/** Binary of the relocated file, or NULL. */
	struct sym_binary *binary;
	/** Status of the most important failure. */
	enum sym_status status;
	char *why;
	struct sym_attempts attempts;
	/** Reason why the last file was refused, or NULL. */
	char *last;
	enum sym_status last_status;
	/** There was no memory for a reason. */
	bool has_failed;
};

/* State of the search for a module's file. */
struct finder {
	struct sym_module *module;
	const struct sym_module_identity *identity;
	struct pd_error *err;
};

/* Keep the most important reason: the first file of another build, or else the first failure. */
static void note_why(struct sym_module *module, enum sym_status status, const char *text)
{
	if (module->why && (status != SYM_WRONG_BUILD_ID || module->status == status))
		return;
	char *why = strdup(text);

	PD_IS_OWNED(why, "sym_module_destroy() frees it");
	free(module->why);
	module->why = why;
	module->has_failed |= !why;
	module->status = status;
}

static void pd_printf(3, 4)
	refuse(struct sym_module *module, enum sym_status status, const char *fmt, ...)
{
	va_list ap;

	free(module->last);
	va_start(ap, fmt);
	module->last = base_vformat(fmt, ap);
	va_end(ap);
	module->last_status = status;
	module->has_failed |= !module->last;
	if (module->last)
		note_why(module, status, module->last);
}

/*
 * Find the release in "vermagic=RELEASE SMP ...", which the kernel compares when it loads a module.
 */
static const char *find_vermagic(const struct sym_image *image, size_t *len_ret)
{
	static const char key[] = "vermagic=";
	struct sym_section info;

	if (!sym_image_section(image, ".modinfo", &info))
		return NULL;
	const char *end = (const char *)info.data + info.size;
	const char *value = memmem(info.data, info.size, key, strlen(key));
	if (!value)
		return NULL;
	value += strlen(key);
	const char *space = memchr(value, ' ', (size_t)(end - value));
	*len_ret = space ? (size_t)(space - value) : 0;
	return space ? value : NULL;
}

static bool has_release(
	const struct finder *finder, const struct sym_image *image, const char *path)
{
	const char *release = finder->identity->release ? finder->identity->release : "";
	size_t len = 0;
	const char *magic = find_vermagic(image, &len);

	if (*release && magic && strlen(release) == len && memcmp(magic, release, len) == 0)
		return true;
	refuse(finder->module, SYM_WRONG_BUILD_ID, "%s is for Linux %.*s, recorded was %s", path,
		len < 64 ? (int)len : 64, magic ? magic : "", *release ? release : "no release");
	return false;
}

static bool is_wanted(const struct finder *finder, const struct sym_image *image, const char *path)
{
	const struct pd_build_id *recorded = &finder->identity->build_id;
	char have[PD_BUILD_ID_HEX_MAX], want[PD_BUILD_ID_HEX_MAX];

	if (image->ehdr.e_type != ET_REL) {
		refuse(finder->module, SYM_NOT_ELF, "%s is not a kernel module", path);
		return false;
	}
	if (!recorded->len)
		return has_release(finder, image, path);
	if (image->build_id.len && pd_build_id_equal(recorded, &image->build_id))
		return true;
	refuse(finder->module, SYM_WRONG_BUILD_ID, "%s has %s%s, recorded was %s", path,
		image->build_id.len ? "build id " : "no build id",
		pd_build_id_hex(&image->build_id, have), pd_build_id_hex(recorded, want));
	return false;
}

/*
 * Write the bytes to a file without a name. Files are opened a second time to read debug
 * information, which bytes in memory would have to be copied for.
 */
static int write_memory_file(const uint8_t *bytes, size_t size)
{
	int fd = base_open_in_memory();

	if (fd < 0)
		fd = base_temporary_open();
	if (fd < 0 || base_write_all(fd, bytes, size))
		return fd;
	close(fd);
	return -1;
}

static struct pd_error *adopt(
	struct finder *finder, const struct sym_image *image, const char *path)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct sym_image *relocated;
	struct sym_failure failure;
	size_t size;
	struct pd_error *err = sym_relocate(image, &bytes, &size);

	if (err)
		return err;
	if (!bytes) {
		refuse(finder->module, SYM_NOT_ELF, "%s cannot be relocated", path);
		return NULL;
	}
	/*
	 * From here on the module is a binary like any other: its code has addresses, and its debug
	 * information refers to them.
	 */
	int fd = write_memory_file(bytes, size);
	if (fd < 0)
		return &pd_enomem;
	err = sym_image_open_fd(fd, path, &relocated, &failure);
	if (err || !relocated)
		return err;
	return sym_binary_adopt(finder->module->search, path, relocated, &finder->module->binary);
}

/* Use the module in @p bytes, which are freed. NULL bytes were refused because of @p failure. */
static struct pd_error *try_bytes(struct finder *finder, uint8_t *bytes, size_t size,
	const char *path, struct sym_failure *failure)
{
	struct sym_image *image = NULL;
	struct pd_error *err = NULL;

	if (bytes)
		err = sym_image_open_memory(bytes, size, &image, failure);
	if (err)
		return err;
	if (!image) {
		if (failure->status != SYM_NO_FILE)
			refuse(finder->module, failure->status, "%s: %s", path, failure->text);
		return NULL;
	}
	if (is_wanted(finder, image, path))
		err = adopt(finder, image, path);
	sym_image_destroy(image);
	return err;
}

static struct pd_error *try_file(struct finder *finder, const char *path)
{
	uint8_t *bytes;
	size_t size;
	struct sym_failure failure = { 0 };
	struct pd_error *err = sym_packed_read(
		path, sym_search_access(finder->module->search), &bytes, &size, &failure);

	return err ? err : try_bytes(finder, bytes, size, path, &failure);
}

static struct pd_error *try_member(
	struct finder *finder, const struct sym_archive *archive, const struct sym_member *member)
{
	uint8_t *bytes;
	size_t size;
	struct sym_failure failure = { 0 };
	struct pd_error *err = sym_packed_read_member(archive, member, &bytes, &size, &failure);

	return err ? err : try_bytes(finder, bytes, size, member->path, &failure);
}

/* Record the attempt at @p path, which ended with @p err. */
static struct pd_error *conclude(struct finder *finder, const char *path,
	enum sym_search_path search_path, struct pd_error *err)
{
	struct sym_module *module = finder->module;
	enum sym_status status = module->binary ? SYM_FOUND
				 : module->last ? module->last_status
						: SYM_NO_FILE;
	const char *why = module->binary ? (finder->identity->build_id.len ? "taken by build id"
									   : "taken by release")
			  : module->last ? sym_kernel_without_path(module->last, path)
					 : "No such file or directory";

	bool ok = err || sym_attempts_add(&module->attempts, search_path, status, path, why);

	free(module->last);
	module->last = NULL;
	return ok ? err : &pd_enomem;
}

static struct pd_error *try_archives(struct finder *finder)
{
	const struct sym_search *search = finder->module->search;
	const struct pd_build_id *id = &finder->identity->build_id;

	for (size_t i = 0; i < search->n_archives && !finder->module->binary; i++) {
		struct sym_archive *archive = search->archives[i];
		const struct sym_member *member =
			id->len ? sym_archive_find(archive, id, "elf", 0) : NULL;

		if (!member)
			continue;
		struct pd_error *err = conclude(finder, member->path, SYM_SEARCH_ARCHIVE,
			try_member(finder, archive, member));
		if (err)
			return err;
	}
	return NULL;
}

static bool try_candidate(void *ctx, const struct sym_kernel_candidate *candidate)
{
	struct finder *finder = ctx;

	finder->err = conclude(
		finder, candidate->path, candidate->search_path, try_file(finder, candidate->path));
	return finder->err || finder->module->binary;
}

static struct pd_error *find(struct finder *finder)
{
	struct sym_path path;
	struct sym_kernel_facts facts = {
		.release = finder->identity->release,
		.build_id = finder->identity->build_id,
	};
	struct pd_error *err = find_recorded_path(
		finder->module->search, finder->identity->name, finder->identity->release, &path);

	if (err)
		return err;
	facts.path = path.text;
	sym_kernel_each_candidate(
		finder->module->search, SYM_KERNEL_MODULE, &facts, try_candidate, finder);
	if (finder->err || finder->module->binary)
		return finder->err;
	err = try_archives(finder);
	if (err || finder->module->binary)
		return err;
	/* note_why() prefers the reason of a candidate that was refused, if there was any. */
	refuse(finder->module, SYM_NO_FILE, "%s: no such file found", finder->identity->name);
	return NULL;
}

struct pd_error *sym_module_open(const struct sym_search *search,
	const struct sym_module_identity *identity, struct sym_module **ret)
{
	struct sym_module *module = calloc(1, sizeof(*module));
	struct finder finder = { .module = module, .identity = identity };

	if (!module)
		return &pd_enomem;
	module->search = search;
	PD_LIMIT_SCOPE();
	struct pd_error *err = find(&finder);
	sym_trouble_note_limits(search->trouble, identity->name);
	if (err || module->has_failed) {
		sym_module_destroy(module);
		return err ? err : &pd_enomem;
	}
	*ret = module;
	return NULL;
}

void sym_module_destroy(struct sym_module *module)
{
	if (!module)
		return;
	sym_binary_destroy(module->binary);
	sym_attempts_deinit(&module->attempts);
	free(module->last);
	free(module->why);
	free(module);
}

const char *sym_module_path(const struct sym_module *module)
{
	return module->binary ? sym_binary_path(module->binary) : NULL;
}

struct sym_binary *sym_module_binary(const struct sym_module *module, uint64_t *start_ret)
{
	*start_ret = SYM_RELOCATED_BASE;
	return module->binary;
}

const struct sym_attempt *sym_module_attempts(const struct sym_module *module, size_t *n_ret)
{
	*n_ret = module->attempts.list.n;
	return module->attempts.list.data;
}

const char *sym_module_why(const struct sym_module *module)
{
	return module->why;
}

struct pd_error *sym_module_names(struct sym_module *module, const struct pd_name_opts *opts,
	const uint64_t *offsets, size_t n, struct base_arena *arena, struct sym_names *ret)
{
	return sym_code_names(
		module->binary, UINT64_C(0) - SYM_RELOCATED_BASE, opts, offsets, n, arena, ret);
}
