#include "symbolize/kernel/candidates.h"

#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "symbolize/find/debug_paths.h"
#include "symbolize/file/path.h"

/* Root directories of candidates. */
enum {
	CACHE = 1, /* perf's build-id cache */
	SYMFS = 2,
	DIRS = 4,  /* search->debug_dirs */
	HERE = 8,  /* this machine */
	KEPT = 16, /* search->kernel_dir, which the recorder copied */
	ROOTS = SYMFS | DIRS | HERE,
};

struct template
{
	uint8_t file;
	uint8_t roots;
	/**
	 * Path below the root. %r: release; %i: build id as xx/yyyy; %x: build id; %p: path of the
	 * module, %u: the same without the suffix of a compressor; %f: base name of the module, %b:
	 * the same without that suffix.
	 */
	const char *path;
};

/*
 * Sources: tools/perf/util/symbol.c (vmlinux_path) and build-id.c of Linux, and the packages of
 * distributions.
 */
static const struct template templates[] = {
	{ SYM_KERNEL_VMLINUX, CACHE | DIRS, ".build-id/%i/vmlinux" },
	{ SYM_KERNEL_VMLINUX, CACHE | DIRS, ".build-id/%i/elf" },
	{ SYM_KERNEL_VMLINUX, CACHE, ".build-id/%i/debug" },
	{ SYM_KERNEL_VMLINUX, CACHE | DIRS, "[kernel.kallsyms]/%x/vmlinux" },
	{ SYM_KERNEL_VMLINUX, DIRS, ".build-id/%i.debug" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "usr/lib/debug/.build-id/%i.debug" },
	{ SYM_KERNEL_VMLINUX, DIRS, "vmlinux-%r" },
	{ SYM_KERNEL_VMLINUX, DIRS, "vmlinux" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "usr/lib/debug/boot/vmlinux-%r" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "usr/lib/debug/lib/modules/%r/vmlinux" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "usr/lib/debug/boot/vmlinux-%r.debug" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "usr/lib/debug/lib/modules/%r/vmlinux.debug" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "usr/lib/debug/usr/lib/modules/%r/vmlinux.debug" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "lib/modules/%r/build/vmlinux" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "usr/lib/modules/%r/build/vmlinux" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "usr/lib/modules/%r/vmlinux" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "lib/modules/%r/vmlinux" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "boot/vmlinux-%r" },
	{ SYM_KERNEL_VMLINUX, ROOTS, "boot/vmlinux" },
	{ SYM_KERNEL_KALLSYMS, KEPT, "kallsyms" },
	{ SYM_KERNEL_KALLSYMS, CACHE | DIRS, ".build-id/%i/kallsyms" },
	{ SYM_KERNEL_KALLSYMS, CACHE | DIRS, "[kernel.kallsyms]/%x/kallsyms" },
	{ SYM_KERNEL_KALLSYMS, CACHE, ".build-id/%i" },
	{ SYM_KERNEL_KALLSYMS, SYMFS, "proc/kallsyms" },
	{ SYM_KERNEL_KALLSYMS, DIRS, "kallsyms" },
	{ SYM_KERNEL_MODULE, DIRS, ".build-id/%i.debug" },
	{ SYM_KERNEL_MODULE, ROOTS, "usr/lib/debug/.build-id/%i.debug" },
	{ SYM_KERNEL_MODULE, CACHE, ".build-id/%i/debug" },
	{ SYM_KERNEL_MODULE, ROOTS, "usr/lib/debug%u" },
	{ SYM_KERNEL_MODULE, ROOTS, "usr/lib/debug%u.debug" },
	{ SYM_KERNEL_MODULE, ROOTS, "usr/lib/debug/usr%u" },
	{ SYM_KERNEL_MODULE, ROOTS, "usr/lib/debug/usr%u.debug" },
	{ SYM_KERNEL_MODULE, DIRS, "%b.debug" },
	{ SYM_KERNEL_MODULE, DIRS, "%b" },
	{ SYM_KERNEL_MODULE, DIRS, "%f" },
	{ SYM_KERNEL_MODULE, CACHE | DIRS, ".build-id/%i/elf" },
	{ SYM_KERNEL_MODULE, CACHE, ".build-id/%i" },
	{ SYM_KERNEL_MODULE, ROOTS, "%p" },
};

struct visitor {
	const struct sym_search *search;
	const struct sym_kernel_facts *facts;
	sym_kernel_candidate_fn *fn;
	void *ctx;
	const struct template *template;
};

size_t sym_module_path_len(const char *path)
{
	static const char *const suffixes[] = { ".gz", ".xz", ".zst" };
	size_t len = strlen(path);

	for (size_t i = 0; i < PD_ARRAY_LEN(suffixes); i++) {
		size_t suffix = strlen(suffixes[i]);

		if (len > suffix && strcmp(path + len - suffix, suffixes[i]) == 0)
			return len - suffix;
	}
	return len;
}

/* Replacement of %c; "" if it is not known. */
static const char *fact(const struct sym_kernel_facts *facts, char c, struct sym_path *buf)
{
	const char *path = facts->path ? facts->path : "";
	int len = (int)sym_module_path_len(path);
	const char *base = sym_path_base(path);

	switch (c) {
	case 'r':
		/* The release is one component of a path, and must not become several. */
		return facts->release && !strchr(facts->release, '/') ? facts->release : "";
	case 'i':
		return facts->build_id.len ? sym_path_of_id(&facts->build_id, buf->text) : "";
	case 'x':
		return pd_build_id_hex(&facts->build_id, buf->text);
	case 'p':
		return path;
	case 'f':
		return base;
	case 'u':
		return sym_path_format(buf, "%.*s", len, path);
	default:
		return sym_path_format(buf, "%.*s", (int)(path + len - base), base);
	}
}

/*
 * Expand the path of the current template below @p root. Returns "" if something that it needs is
 * not known.
 */
static const char *expand(const struct visitor *visitor, const char *root, struct sym_path *ret)
{
	struct sym_path path, before, buf;

	sym_path_format(&path, "/");
	for (const char *p = visitor->template->path; *p && *path.text; p++) {
		const char *text = *p == '%' ? fact(visitor->facts, *++p, &buf) : NULL;

		before = path;
		if (text && !*text)
			return "";
		if (text)
			sym_path_format(&path, "%s%s", before.text, text);
		else
			sym_path_format(&path, "%s%c", before.text, *p);
	}
	return *path.text ? sym_path_below(ret, root, path.text) : "";
}

const char *sym_kernel_without_path(const char *message, const char *path)
{
	size_t len = strlen(path);

	if (strncmp(message, path, len) != 0)
		return message;
	return message + len + strspn(message + len, ": ");
}

static bool visit(const struct visitor *visitor, const char *root, enum sym_search_path search_path)
{
	struct sym_path path;
	struct sym_kernel_candidate candidate = {
		.path = expand(visitor, root, &path),
		.search_path = search_path,
		.has_id = visitor->template->roots & KEPT ||
			  strstr(visitor->template->path, "%i") ||
			  strstr(visitor->template->path, "%x"),
	};

	return *candidate.path && visitor->fn(visitor->ctx, &candidate);
}

static bool visit_cache(const struct visitor *visitor)
{
	struct sym_path root;

	return *sym_cache_root(visitor->search, &root) &&
	       visit(visitor, root.text, SYM_SEARCH_BUILD_ID_CACHE);
}

static bool visit_roots(const struct visitor *visitor)
{
	const struct sym_search *search = visitor->search;
	uint8_t roots = visitor->template->roots;
	struct sym_path dir;
	size_t pos = 0;

	/* Files that came with the recording are certain to belong to it, so they come first. */
	if (roots & KEPT && search->kernel_dir &&
		visit(visitor, search->kernel_dir, SYM_SEARCH_GIVEN))
		return true;
	if (roots & CACHE && visit_cache(visitor))
		return true;
	if (roots & SYMFS && search->symfs && visit(visitor, search->symfs, SYM_SEARCH_SYMFS))
		return true;
	while (roots & DIRS && sym_path_next(search->debug_dirs, &pos, &dir)) {
		if (visit(visitor, dir.text, SYM_SEARCH_SYMBOL_DIR))
			return true;
	}
	bool is_by_id = strstr(visitor->template->path, "%i");
	bool is_here = sym_search_has_own_paths(search) || (is_by_id && !search->symfs);
	return roots & HERE && is_here && visit(visitor, "", SYM_SEARCH_KERNEL);
}

/* Visit the debuginfod cache, and the servers if the search has any. */
static void visit_debuginfod(const struct visitor *visitor)
{
	const struct pd_build_id *id = &visitor->facts->build_id;
	const char *name = visitor->facts->path ? visitor->facts->path : "vmlinux", *why;
	struct sym_path path;
	struct sym_kernel_candidate candidate = {
		.path = sym_debuginfod_cached(id, "debuginfo", &path),
		.search_path = SYM_SEARCH_DEBUGINFOD_CACHE,
		.has_id = true,
	};

	/* Files that were fetched earlier are used even if the search has no servers. */
	if (!id->len || (*candidate.path && visitor->fn(visitor->ctx, &candidate)) ||
		!visitor->search->debuginfod)
		return;
	_cleanup_free_ char *fetched = sym_debuginfod_fetch(
		visitor->search->debuginfod, id, SYM_DEBUGINFOD_DEBUGINFO, name, &why);
	candidate.path = fetched;
	candidate.search_path = SYM_SEARCH_DEBUGINFOD;
	if (fetched)
		visitor->fn(visitor->ctx, &candidate);
}

void sym_kernel_each_candidate(const struct sym_search *search, enum sym_kernel_file file,
	const struct sym_kernel_facts *facts, sym_kernel_candidate_fn *fn, void *ctx)
{
	struct visitor visitor = { search, facts, fn, ctx, NULL };

	for (size_t i = 0; i < PD_ARRAY_LEN(templates); i++) {
		visitor.template = &templates[i];
		if (templates[i].file == file && visit_roots(&visitor))
			return;
	}
	if (file != SYM_KERNEL_KALLSYMS)
		visit_debuginfod(&visitor);
}
