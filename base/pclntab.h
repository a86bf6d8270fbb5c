/**
 * @file Go's table of functions: names, files, lines, inlined calls and the size of frames.
 *
 * The Go linker writes it into every program for tracebacks, and stripping does not remove it. It
 * has had four layouts, each with its own magic number: those of Go 1.2, 1.16, 1.18 and 1.20.
 * Sources: Go's src/debug/gosym/pclntab.go, src/runtime/symtab.go, src/runtime/symtabinl.go,
 * src/internal/abi/symtab.go and src/cmd/link/internal/ld/pcln.go, each in the versions above.
 *
 * The table is untrusted. Whatever is read from it is checked against its size, and a damaged part
 * is like a missing one. Nothing is allocated: all data is borrowed from the bytes of the table.
 *
 * Addresses are virtual addresses of the ELF file.
 */
#ifndef PD_BASE_PCLNTAB_H
#define PD_BASE_PCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/cursor.h>

/** First version of Go that wrote the layout. */
enum base_go_layout {
	PD_GO_1_2,
	PD_GO_1_16,
	PD_GO_1_18,
	PD_GO_1_20,
};

struct base_pclntab {
	const uint8_t *data;
	size_t size;
	enum base_go_layout layout;
	/** The table is in the opposite of the host byte order. */
	bool swap;
	/** Size of an address in bytes. */
	uint8_t word;
	/** Smallest size of an instruction in bytes, the unit of distances between addresses. */
	uint8_t quantum;
	/**
	 * Address that the entries of functions are relative to; 0 before Go 1.18. The header of a
	 * position-independent program, and each header since Go 1.26, has 0 here. Then it has to
	 * be set after base_pclntab_init().
	 */
	uint64_t text;
	uint64_t n_funcs;
	/** Offsets of the parts in data, in bytes. */
	uint64_t names;
	uint64_t unit_files;
	uint64_t files;
	uint64_t values;
	uint64_t funcs;
};

/** Size of the header in bytes, at most. */
enum { PD_PCLNTAB_HEADER_MAX = 8 + 8 * 8 };

/**
 * Read the header at @p data, whose @p size bytes may reach past the end of the table. The bytes
 * must outlive @p ret. Returns false if it is not a table.
 */
bool base_pclntab_init(const uint8_t *data, size_t size, bool swap, struct base_pclntab *ret);

/** Properties of a function: those of Go's abi.FuncFlag that are used. Known since Go 1.17. */
enum base_go_func_flags {
	PD_GO_TOP_FRAME = 1, /**< The function is at the base of a stack and has no caller. */
};

/** Function of the table. The members that say "table" are for base_go_values_init(). */
struct base_go_func {
	uint64_t start;
	/** Start of the next function. Padding may precede it. */
	uint64_t end;
	/** Name with the path of its package, such as "net/http.(*conn).serve". Borrowed. */
	const char *name;
	/** Line of the declaration; 0 if it is not known, as before Go 1.20. */
	uint32_t line;
	/** enum base_go_func_flags. */
	uint8_t flags;
	/** Table of frame sizes in bytes, of file numbers, and of lines. */
	uint32_t frame_table;
	uint32_t file_table;
	uint32_t line_table;
	/** Number of further tables (PCDATA), and offset of the list of them in data. */
	uint32_t n_tables;
	uint64_t tables;
	/** Number of data about the function (FUNCDATA), and offset of the list of them in data. */
	uint32_t n_funcdata;
	uint64_t funcdata;
	/** Index of the files of its compilation unit. */
	uint32_t unit;
};

/**
 * Find the function that contains @p addr. Returns false if none does. In both cases ret->start and
 * ret->end are the range around @p addr in which the result is the same.
 */
bool base_pclntab_find(const struct base_pclntab *tab, uint64_t addr, struct base_go_func *ret);

/**
 * Read function @p i, which is less than n_funcs. Returns false if it is damaged, or stands for a
 * gap between functions.
 */
bool base_pclntab_func(const struct base_pclntab *tab, uint64_t i, struct base_go_func *ret);

/**
 * Path of file number @p number in the tables of @p func, or NULL if there is none. Borrowed.
 */
const char *base_go_file(
	const struct base_pclntab *tab, const struct base_go_func *func, int32_t number);

/**
 * Name at offset @p offset of the names, or NULL if no name starts there. Borrowed.
 */
const char *base_go_name(const struct base_pclntab *tab, uint32_t offset);

/** Further table number @p i of @p func; 0, which stands for an empty table, if there is none. */
uint32_t base_go_table(const struct base_pclntab *tab, const struct base_go_func *func, uint32_t i);

/**
 * Data number @p i about @p func: an address before Go 1.18, then an offset from the symbol
 * go:func.*. Returns false if there is none.
 */
bool base_go_funcdata(
	const struct base_pclntab *tab, const struct base_go_func *func, uint32_t i, uint64_t *ret);

/** Values of a table, each for a range of addresses. The ranges follow each other. */
struct base_go_values {
	struct pd_cursor c;
	uint8_t quantum;
	uint64_t func_end;
	bool is_started;
	/** Current range, [start, end), and the value in it. */
	uint64_t start;
	uint64_t end;
	int32_t value;
};

/** Begin to read table @p table of @p func. The first step makes the first range current. */
struct base_go_values base_go_values_init(
	const struct base_pclntab *tab, const struct base_go_func *func, uint32_t table);

/**
 * Go to the next range. Returns false at the end of the table, or where it is damaged. Each range
 * is at least one byte long and within the function, so the number of steps is bounded by its size.
 */
bool base_go_values_next(struct base_go_values *values);

/** Go to the range that contains @p addr, which is not before the current one. */
bool base_go_values_seek(struct base_go_values *values, uint64_t addr);

#endif
