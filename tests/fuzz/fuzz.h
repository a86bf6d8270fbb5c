/**
 * @file Shared parts of the fuzz targets: taking inputs apart, and places to write to.
 *
 * A target is a function that gets an input and must not crash, hang, leak or use much memory. All
 * targets are in one program, whose name selects one of them (tests/fuzz/engine.c), and in another
 * that replays inputs without a fuzzer (tests/fuzz/replay.c). Everything here is for one thread.
 */
#ifndef PD_TESTS_FUZZ_FUZZ_H
#define PD_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arch.h"
#include "symbolize/find/file_search.h"
#include "tests/fuzz/target_defs.h"

/** Bytes of an input that were not taken yet. Borrowed. Past the end there are zeros. */
struct fuzz_input {
	const uint8_t *bytes;
	size_t size;
};

#define FUZZ_DECLARE(name, ...) void fuzz_target_##name(struct fuzz_input *in);
FUZZ_TARGETS(FUZZ_DECLARE)
#undef FUZZ_DECLARE

/** Target of the table. */
struct fuzz_target {
	const char *name;
	/** Folder of its inputs. */
	const char *corpus;
	size_t max_len;
	void (*run)(struct fuzz_input *in);
};

/** Return the targets, *@p n_ret of them, in the order of the table. Static storage. */
const struct fuzz_target *fuzz_targets(size_t *n_ret);
/** Return the target called @p name, or NULL. */
const struct fuzz_target *fuzz_target_find(const char *name);

/** Take a little-endian number of @p size bytes, at most 8. */
uint64_t fuzz_number(struct fuzz_input *in, size_t size);
/** Take a byte. */
static inline uint8_t fuzz_byte(struct fuzz_input *in)
{
	return (uint8_t)fuzz_number(in, 1);
}
/** Take a byte that stands for true or false. */
static inline bool fuzz_bool(struct fuzz_input *in)
{
	return fuzz_number(in, 1) & 1;
}
/** Take a number below @p n, which is not 0 and at most 65536. */
static inline size_t fuzz_choice(struct fuzz_input *in, size_t n)
{
	return fuzz_number(in, n > 256 ? 2 : 1) % n;
}
/**
 * Return a number below @p n that depends on the size of @p in: a choice for targets whose inputs
 * are files and have no room for one. To make every choice for each input would be slow.
 */
static inline size_t fuzz_pick(const struct fuzz_input *in, size_t n)
{
	return in->size % n;
}
/** Take at most @p size bytes. */
struct fuzz_input fuzz_take(struct fuzz_input *in, size_t size);
/** Take a piece: its size in two bytes, then its bytes. */
struct fuzz_input fuzz_piece(struct fuzz_input *in);
/** Take an architecture that can be unwound. */
const struct pd_arch *fuzz_arch(struct fuzz_input *in);

/** Copy @p in to memory of exactly its size (1 if it is empty), to be freed with free(). */
uint8_t *fuzz_copy(const struct fuzz_input *in);
/** Like fuzz_copy(), with a NUL after the bytes. */
char *fuzz_text(const struct fuzz_input *in);

/** Stream that accepts everything and keeps nothing. Static storage. */
FILE *fuzz_nowhere(void);
/**
 * Directory in memory for targets that read files, removed at exit with the files that
 * fuzz_write() made in it. Static storage.
 */
const char *fuzz_dir(void);
/**
 * Write the file @p name (without folders) of fuzz_dir(), replacing an older one. Returns its path,
 * which is valid until the next call.
 */
const char *fuzz_write(const char *name, const void *bytes, size_t size);

/** A search that finds no file of this machine. */
extern const struct sym_search fuzz_no_search;

#endif
