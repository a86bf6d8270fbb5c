#include "symbolize/foreign/asked.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/deleted.h"
#include "base/format.h"
#include "base/containers/intern.h"
#include "base/pool.h"
#include "base/prefetch.h"
#include "base/containers/sort.h"

/*
 * Upper limit for mappings, and so for binaries. A search tries a dozen paths, so that a profile of
 * nothing but mappings would take minutes.
 */
enum { MAX_MODULES = PD_LIMIT_FOREIGN_MODULES };

/*
 * Bytes of a path and of a build id that are compared, at most. No file has a longer path, and many
 * mappings may have the same long text.
 */
enum { MAX_TEXT = 4096 };

struct binary {
	/** Path, or the build id if the profile has no path. Borrowed from the set of names. */
	const char *path;
	struct pd_build_id id;
	/** The profile has a build id that is not a number of up to PD_BUILD_ID_MAX bytes. */
	bool has_bad_id;
	struct sym_binary *symbols;
	/** Numbers of its modules. */
	PD_VEC(uint32_t) modules;
	/** Names of the distinct addresses, and the index there of each address of the modules. */
	struct sym_names *names;
	uint32_t *order;
	struct base_arena arena;
	/** Names with the mark of another build. */
	struct base_intern marked;
	struct pd_error *err;
	uint64_t n_named;
	/** Addresses without a name because of the binary, not of their symbol. */
	uint64_t n_missing;
};

struct module {
	uint32_t binary;
	enum sym_address_kind kind;
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	/** Segment of the mapping; file_size 0: none was found. */
	struct sym_segment segment;
	PD_VEC(uint64_t) addresses;
	/** Index of the first of them in binary.order, and of the next one that is looked up. */
	size_t first;
	size_t next;
};

/** Stands for the names of an address that the binary does not have. */
#define NO_NAMES UINT32_MAX

struct sym_asked {
	const char *path;
	const struct sym_search *search;
	/** Search without the files at the paths of the profile. */
	struct sym_search elsewhere;
	const struct pd_name_opts *opts;
	/** Path and build id of each binary, by its number. */
	struct base_intern keys;
	PD_VEC(struct binary) binaries;
	/** Numbers and addresses that identify each module, by its number. */
	struct base_intern module_keys;
	PD_VEC(struct module) modules;
	struct sym_asked_counts counts;
};

const char *sym_unnamed_text(enum sym_unnamed reason)
{
	static const char *const texts[] = {
#define TEXT(name, text) text,
		SYM_UNNAMED(TEXT)
#undef TEXT
	};

	return texts[reason];
}

struct pd_error *sym_asked_create(
	const char *path, const struct sym_search *search, struct sym_asked **ret)
{
	struct sym_asked *asked = calloc(1, sizeof(*asked));

	if (!asked)
		return &pd_enomem;
	asked->path = path;
	asked->search = search;
	asked->elsewhere = *search;
	asked->elsewhere.no_own_paths = true;
	*ret = asked;
	return NULL;
}

void sym_asked_destroy(struct sym_asked *asked)
{
	if (!asked)
		return;
	for (size_t i = 0; i < asked->binaries.n; i++) {
		struct binary *binary = &asked->binaries.data[i];

		pd_vec_deinit(&binary->modules);
		free(binary->names);
		free(binary->order);
		base_arena_deinit(&binary->arena);
		base_intern_deinit(&binary->marked);
		sym_binary_destroy(binary->symbols);
		pd_error_destroy(binary->err);
	}
	for (size_t i = 0; i < asked->modules.n; i++)
		pd_vec_deinit(&asked->modules.data[i].addresses);
	pd_vec_deinit(&asked->binaries);
	pd_vec_deinit(&asked->modules);
	base_intern_deinit(&asked->keys);
	base_intern_deinit(&asked->module_keys);
	free(asked);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parse a build id. Returns false if it is not one of ELF files, like that of the go command. */
static bool parse_id(const char *text, size_t len, struct pd_build_id *ret)
{
	*ret = (struct pd_build_id){ .len = (uint8_t)(len / 2) };
	if (len % 2 || len / 2 > PD_BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		int value = digit(text[i]);

		if (value < 0)
			return false;
		ret->bytes[i / 2] = (uint8_t)(ret->bytes[i / 2] << 4 | value);
	}
	return true;
}

/* Add the binary number @p n, whose @p key is its path and, after a NUL, its build id. */
static bool add_binary(struct sym_asked *asked, const char *key, const struct sym_asked_module *m)
{
	struct binary binary = { .path = *key ? key : key + 1 };

	if (m->is_other_id || !parse_id(m->id, m->id_len, &binary.id)) {
		binary.has_bad_id = true;
		binary.id.len = 0;
	}
	return pd_vec_push(&asked->binaries, binary);
}

static bool is_full(const struct sym_asked *asked)
{
	return asked->modules.n >= MAX_MODULES;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Find or add a binary. *ret is PD_INTERN_NONE if it is unknown, and no more are added. */
static struct pd_error *find_binary(
	struct sym_asked *asked, const struct sym_asked_module *m, uint32_t *ret)
{
	/* A path ends at a NUL, which is not part of any file's name. */
	size_t n_path = m->path_len ? strnlen(m->path, least(m->path_len, MAX_TEXT)) : 0;
	size_t n_id = least(m->id_len, MAX_TEXT);
	size_t len = n_path + 1 + n_id;
	_cleanup_free_ char *key = malloc(len);

	if (!key)
		return &pd_enomem;
	if (n_path)
		memcpy(key, m->path, n_path);
	key[n_path] = '\0';
	if (n_id)
		memcpy(key + n_path + 1, m->id, n_id);
	*ret = base_intern_find(&asked->keys, key, len);
	if (*ret != PD_INTERN_NONE || is_full(asked))
		return NULL;
	*ret = base_intern_add(&asked->keys, key, len);
	if (*ret == PD_INTERN_NONE)
		return &pd_enomem;
	return add_binary(asked, base_intern_bytes(&asked->keys, *ret), m) ? NULL : &pd_enomem;
}

static struct pd_error *add_module(struct sym_asked *asked, const struct module *module)
{
	uint32_t number = (uint32_t)asked->modules.n;

	return pd_vec_push(&asked->modules, *module) &&
			       pd_vec_push(&asked->binaries.data[module->binary].modules, number)
		       ? NULL
		       : &pd_enomem;
}

struct pd_error *sym_asked_add_module(
	struct sym_asked *asked, const struct sym_asked_module *m, uint32_t *ret)
{
	struct module module = {
		.kind = m->kind,
		.start = m->start,
		.limit = m->limit,
		.offset = m->offset,
	};
	struct pd_error *err = find_binary(asked, m, &module.binary);

	if (err)
		return err;
	const uint64_t key[] = { module.binary, m->kind, m->start, m->limit, m->offset };
	*ret = base_intern_find(&asked->module_keys, key, sizeof(key));
	if (*ret != PD_INTERN_NONE)
		return NULL;
	*ret = SYM_NO_MODULE;
	if (is_full(asked)) {
		sym_trouble_add_limit(
			asked->search->trouble, asked->path, PD_LIMIT_ID_FOREIGN_MODULES);
		return NULL;
	}
	*ret = base_intern_add(&asked->module_keys, key, sizeof(key));
	return *ret == PD_INTERN_NONE ? &pd_enomem : add_module(asked, &module);
}

/* Whether an address is in the mapping of its module. One without an end has any. */
static bool is_within(const struct module *module, uint64_t address)
{
	if (module->kind != SYM_ADDRESS_PROCESS)
		return true;
	return address >= module->start &&
	       (module->limit <= module->start || address < module->limit);
}

struct pd_error *sym_asked_add(struct sym_asked *asked, uint32_t number, uint64_t address)
{
	if (number == SYM_NO_MODULE || !is_within(&asked->modules.data[number], address))
		return NULL;
	return pd_vec_push(&asked->modules.data[number].addresses, address) ? NULL : &pd_enomem;
}

/* Naming. */

static bool has_byte(const struct sym_segment *segment, uint64_t offset)
{
	return offset >= segment->offset && offset - segment->offset < segment->file_size;
}

static bool find_vaddr(
	const struct binary *binary, const struct module *module, uint64_t address, uint64_t *ret)
{
	struct sym_segment segment = module->segment;
	uint64_t offset = address;

	*ret = address;
	if (module->kind == SYM_ADDRESS_VADDR)
		return true;
	if (module->kind == SYM_ADDRESS_PROCESS)
		offset = address - module->start + module->offset;
	/* Mappings next to each other may be written as one, with several segments. */
	if (!has_byte(&segment, offset) &&
		!sym_binary_segment(binary->symbols, offset, 1, &segment))
		return false;
	*ret = offset - segment.offset + segment.vaddr;
	return true;
}

static void find_segment(const struct binary *binary, struct module *module)
{
	uint64_t size = module->limit - module->start;

	if (module->kind == SYM_ADDRESS_PROCESS && module->limit > module->start)
		sym_binary_segment(binary->symbols, module->offset, size, &module->segment);
}

/** Addresses of a binary, each with its place in the order of the modules. */
struct wanted {
	PD_VEC(struct base_keyed) list;
	/** Number of addresses of all modules, some of which the binary does not have. */
	size_t n_all;
};

static struct pd_error *list_wanted(
	struct sym_asked *asked, const struct binary *binary, struct wanted *ret)
{
	for (size_t k = 0; k < binary->modules.n; k++) {
		struct module *module = &asked->modules.data[binary->modules.data[k]];

		find_segment(binary, module);
		module->first = ret->n_all;
		for (size_t i = 0; i < module->addresses.n; i++) {
			struct base_keyed entry = { .index = (uint32_t)ret->n_all++ };

			if (find_vaddr(binary, module, module->addresses.data[i], &entry.key) &&
				!pd_vec_push(&ret->list, entry))
				return &pd_enomem;
		}
	}
	return base_sort_keyed(ret->list.data, ret->list.n) ? NULL : &pd_enomem;
}

/* Set binary->order, and the distinct addresses, ascending, to which it refers. */
static void set_order(
	struct binary *binary, const struct wanted *wanted, uint64_t *vaddrs, size_t *n_ret)
{
	size_t n = 0;

	memset(binary->order, 0xff, wanted->n_all * sizeof(*binary->order));
	for (size_t i = 0; i < wanted->list.n; i++) {
		const struct base_keyed *entry = &wanted->list.data[i];

		if (!n || vaddrs[n - 1] != entry->key)
			vaddrs[n++] = entry->key;
		binary->order[entry->index] = (uint32_t)n - 1;
	}
	*n_ret = n;
}

static struct pd_error *mark(struct binary *binary, struct sym_name *name)
{
	_cleanup_free_ char *text = base_format("%s [mismatch]", name->function);
	uint32_t id = text ? base_intern_str(&binary->marked, text) : PD_INTERN_NONE;

	if (id == PD_INTERN_NONE)
		return &pd_enomem;
	name->function = base_intern_bytes(&binary->marked, id);
	return NULL;
}

/* Drop names without a function, since a frame without lines has no name, and mark the others. */
static struct pd_error *tidy(struct binary *binary, struct sym_names *names)
{
	bool is_other = sym_binary_is_mismatched(binary->symbols);
	struct pd_error *err = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < names->n && !err; i++) {
		if (!names->names[i].function || !names->names[i].function[0])
			continue;
		names->names[n] = names->names[i];
		if (is_other)
			err = mark(binary, &names->names[n]);
		n++;
	}
	names->n = n;
	return err;
}

/* Name the addresses of a binary that was found. */
static struct pd_error *name_wanted(
	struct sym_asked *asked, struct binary *binary, const struct wanted *wanted)
{
	_cleanup_free_ uint64_t *vaddrs = base_calloc_n(wanted->list.n, sizeof(*vaddrs));
	size_t n;

	binary->order = base_calloc_n(wanted->n_all, sizeof(*binary->order));
	if (!vaddrs || !binary->order)
		return &pd_enomem;
	set_order(binary, wanted, vaddrs, &n);
	binary->names = base_calloc_n(n, sizeof(*binary->names));
	if (!binary->names)
		return &pd_enomem;
	struct pd_error *err = sym_binary_names(
		binary->symbols, asked->opts, vaddrs, n, &binary->arena, binary->names);
	for (size_t i = 0; i < n && !err; i++) {
		if (i && binary->names[i].names == binary->names[i - 1].names)
			binary->names[i] = binary->names[i - 1];
		else
			err = tidy(binary, &binary->names[i]);
	}
	return err ? err : sym_binary_check(binary->symbols);
}

static struct pd_error *name(struct sym_asked *asked, struct binary *binary)
{
	const struct sym_recorded recorded = { .name = binary->path, .id = binary->id };
	/* Another file may be at the path of a deleted one now. A build id would show that. */
	bool is_gone = !binary->id.len && binary->path[base_undeleted_len(binary->path)];
	struct wanted wanted = { 0 };
	struct pd_error *err = sym_binary_open(
		is_gone ? &asked->elsewhere : asked->search, &recorded, &binary->symbols);

	if (err || sym_binary_status(binary->symbols) != SYM_FOUND)
		return err;
	err = sym_binary_fetch_debug(binary->symbols);
	if (!err)
		err = list_wanted(asked, binary, &wanted);
	if (!err)
		err = name_wanted(asked, binary, &wanted);
	pd_vec_deinit(&wanted.list);
	return err;
}

static bool has_addresses(const struct sym_asked *asked, const struct binary *binary)
{
	for (size_t i = 0; i < binary->modules.n; i++) {
		if (asked->modules.data[binary->modules.data[i]].addresses.n)
			return true;
	}
	return false;
}

static void name_one(void *ctx, size_t worker, size_t item)
{
	struct sym_asked *asked = ctx;
	struct binary *binary = &asked->binaries.data[item];

	(void)worker;
	if (!binary->has_bad_id && has_addresses(asked, binary))
		binary->err = name(asked, binary);
}

struct pd_error *sym_asked_name(
	struct sym_asked *asked, const struct pd_name_opts *opts, size_t jobs)
{
	struct base_pool *pool;
	struct pd_error *err = base_pool_create(jobs, &pool);

	if (err)
		return err;
	asked->opts = opts;
	base_pool_run(pool, asked->binaries.n, name_one, asked);
	base_pool_destroy(pool);
	for (size_t i = 0; i < asked->binaries.n && !err; i++)
		err = take_ptr(asked->binaries.data[i].err);
	return err;
}

/* Looking up. */

static enum sym_unnamed find_reason(const struct binary *binary)
{
	if (binary->has_bad_id)
		return SYM_UNNAMED_BAD_ID;
	switch (sym_binary_status(binary->symbols)) {
	case SYM_FOUND:
		return SYM_UNNAMED_NO_SYMBOL;
	case SYM_NO_IMAGE:
		return SYM_UNNAMED_NO_IMAGE;
	case SYM_WRONG_BUILD_ID:
		return SYM_UNNAMED_OTHER_BUILD;
	case SYM_NO_FILE:
	case SYM_UNREADABLE:
	case SYM_NOT_ELF:
		break;
	}
	return SYM_UNNAMED_NO_FILE;
}

/* Load what the next calls use. The names of addresses are anywhere, unlike their order. */
static void prefetch_names(const struct binary *binary, const struct module *module)
{
	enum { AHEAD = 8, NAMES_AHEAD = 4 };
	const uint32_t *order = binary->order + module->first + module->next;

	if (module->next + AHEAD >= module->addresses.n)
		return;
	if (order[AHEAD] != NO_NAMES)
		base_prefetch(&binary->names[order[AHEAD]]);
	if (order[NAMES_AHEAD] != NO_NAMES)
		base_prefetch(binary->names[order[NAMES_AHEAD]].names);
}

/* Addresses are looked up in the order in which they were added. */
static const struct sym_names *look_up(const struct binary *binary, struct module *module)
{
	size_t i = module->first + module->next++;

	if (!binary->order || binary->order[i] == NO_NAMES)
		return NULL;
	prefetch_names(binary, module);
	const struct sym_names *names = &binary->names[binary->order[i]];
	return names->n ? names : NULL;
}

/* Find the names of an address; if there are none, *@p reason_ret is why. */
static const struct sym_names *find(
	struct sym_asked *asked, uint32_t number, uint64_t address, enum sym_unnamed *reason_ret)
{
	*reason_ret = SYM_UNNAMED_NO_MODULE;
	if (number == SYM_NO_MODULE)
		return NULL;
	struct module *module = &asked->modules.data[number];
	*reason_ret = SYM_UNNAMED_OUTSIDE;
	if (!is_within(module, address))
		return NULL;
	struct binary *binary = &asked->binaries.data[module->binary];
	*reason_ret = find_reason(binary);
	const struct sym_names *names = look_up(binary, module);
	if (names) {
		asked->counts.named++;
		binary->n_named++;
	}
	return names;
}

const struct sym_names *sym_asked_find(struct sym_asked *asked, uint32_t number, uint64_t address)
{
	enum sym_unnamed reason;
	const struct sym_names *names = find(asked, number, address, &reason);

	if (names)
		return names;
	asked->counts.unnamed[reason]++;
	if (reason > SYM_UNNAMED_OUTSIDE && reason < SYM_UNNAMED_NO_SYMBOL)
		asked->binaries.data[asked->modules.data[number].binary].n_missing++;
	return NULL;
}

const struct sym_names *sym_asked_find_better(
	struct sym_asked *asked, uint32_t number, uint64_t address)
{
	enum sym_unnamed reason;

	return find(asked, number, address, &reason);
}

struct sym_asked_counts sym_asked_count(const struct sym_asked *asked)
{
	struct sym_asked_counts ret = asked->counts;

	for (size_t i = 0; i < asked->binaries.n; i++) {
		const struct binary *binary = &asked->binaries.data[i];

		ret.n_found += binary->n_named > 0;
		ret.n_by_path += binary->n_named && !binary->id.len;
	}
	return ret;
}

/* Whether @p a has more addresses than @p b, or as many and comes first. NULL is after all. */
static bool is_before(const struct binary *a, const struct binary *b)
{
	if (!b || a->n_missing != b->n_missing)
		return !b || a->n_missing > b->n_missing;
	return a < b;
}

/* Find the binary with unnamed addresses after @p last; NULL: the first one. */
static const struct binary *next_missing(const struct sym_asked *asked, const struct binary *last)
{
	const struct binary *best = NULL;

	for (size_t i = 0; i < asked->binaries.n; i++) {
		const struct binary *binary = &asked->binaries.data[i];

		if (binary->n_missing && (!last || is_before(last, binary)) &&
			is_before(binary, best))
			best = binary;
	}
	return best;
}

bool sym_asked_missing(const struct sym_asked *asked, size_t i, struct sym_asked_missing *ret)
{
	const struct binary *binary = next_missing(asked, NULL);

	/* A list would be larger than what is asked for. */
	for (; binary && i; i--)
		binary = next_missing(asked, binary);
	if (!binary)
		return false;
	*ret = (struct sym_asked_missing){
		.path = binary->path,
		.why = binary->has_bad_id ? sym_unnamed_text(SYM_UNNAMED_BAD_ID)
					  : sym_binary_why(binary->symbols),
		.n = binary->n_missing,
	};
	return true;
}
