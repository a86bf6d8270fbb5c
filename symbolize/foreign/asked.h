/**
 * @file Addresses that a profile of another program has, and their names.
 *
 * A reader adds the modules of the profile and the addresses in them, all addresses are named at
 * once, each binary by one thread, and a writer looks them up.
 */
#ifndef PD_SYMBOLIZE_FOREIGN_ASKED_H
#define PD_SYMBOLIZE_FOREIGN_ASKED_H

#include "symbolize/binary_names.h"
#include "symbolize/foreign/asked_defs.h"

enum sym_unnamed {
#define SYM_UNNAMED_ENUM(name, text) SYM_UNNAMED_##name,
	SYM_UNNAMED(SYM_UNNAMED_ENUM)
#undef SYM_UNNAMED_ENUM
		SYM_N_UNNAMED,
};

/** Meaning of the addresses of a module. */
enum sym_address_kind {
	/** Addresses as the ELF file has them. */
	SYM_ADDRESS_VADDR,
	/** Offsets in the file, in bytes. */
	SYM_ADDRESS_OFFSET,
	/** Addresses of a process that had the file mapped. */
	SYM_ADDRESS_PROCESS,
};

/** A binary of the profile, or a mapping of it. */
struct sym_asked_module {
	/** Path in the profile, not terminated; len 0: the profile has none. */
	const char *path;
	size_t path_len;
	/** Build id in hexadecimal, not terminated; len 0: the profile has none. */
	const char *id;
	size_t id_len;
	/** The id is not a build id of ELF files, and so cannot be compared. */
	bool is_other_id;
	enum sym_address_kind kind;
	/** SYM_ADDRESS_PROCESS: the mapping is [start, limit), from this offset of the file on. */
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
};

/** Stands for no module. */
#define SYM_NO_MODULE UINT32_MAX

struct sym_asked;

/** Create an empty set for the profile @p path. Both inputs are borrowed. Errors: NOMEM. */
struct pd_error *sym_asked_create(
	const char *path, const struct sym_search *search, struct sym_asked **ret) pd_must_check;
void sym_asked_destroy(struct sym_asked *asked);

/**
 * Find or add a module, and return its number. Texts are copied. Beyond PD_LIMIT_FOREIGN_MODULES,
 * which is reported, it is SYM_NO_MODULE. Errors: NOMEM.
 */
struct pd_error *sym_asked_add_module(struct sym_asked *asked,
	const struct sym_asked_module *module, uint32_t *ret) pd_must_check;

/** Add an address of a module, which may be SYM_NO_MODULE. Errors: NOMEM. */
struct pd_error *sym_asked_add(
	struct sym_asked *asked, uint32_t module, uint64_t address) pd_must_check;

/** Find the binaries, and name all addresses, on @p jobs threads; 0: one per processor. */
struct pd_error *sym_asked_name(
	struct sym_asked *asked, const struct pd_name_opts *opts, size_t jobs) pd_must_check;

/**
 * Find the names of an address, whose functions are not NULL nor empty, or NULL. The addresses of
 * each module are looked up once each, in the order in which they were added, by either function.
 * Counts it as named, or as unnamed with its reason. Names of a binary of another build end in
 * [mismatch]. Borrowed.
 */
const struct sym_names *sym_asked_find(struct sym_asked *asked, uint32_t module, uint64_t address);

/** Like sym_asked_find(), for an address that has a name in the profile: not counted as unnamed. */
const struct sym_names *sym_asked_find_better(
	struct sym_asked *asked, uint32_t module, uint64_t address);

/** Results of all calls of sym_asked_find() so far. */
struct sym_asked_counts {
	uint64_t named;
	uint64_t unnamed[SYM_N_UNNAMED];
	/** Binaries with named addresses, and those of them that were found by their path alone. */
	size_t n_found;
	size_t n_by_path;
};

struct sym_asked_counts sym_asked_count(const struct sym_asked *asked);

/** A binary with unnamed addresses, and why they have no names. Borrowed. */
struct sym_asked_missing {
	const char *path;
	const char *why;
	uint64_t n;
};

/** Get missing binary @p i, most addresses first. Returns false if there are fewer. */
bool sym_asked_missing(const struct sym_asked *asked, size_t i, struct sym_asked_missing *ret);

/** Text for people, in static storage. */
const char *sym_unnamed_text(enum sym_unnamed reason);

#endif
