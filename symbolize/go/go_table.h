/**
 * @file Go's table of functions in an ELF file. Private to symbolize/.
 *
 * The table (base/pclntab.h) is in the section .gopclntab, or somewhere in .data.rel.ro if a linker
 * for C has made the program. Two addresses that it lacks are in Go's runtime.moduledata:
 * the one that functions are relative to, and that of the data about functions (go:func.*), among
 * which are the trees of inlined calls.
 *
 * In position-independent files, addresses are only in the relocations. They are applied to a copy.
 */
#ifndef PD_SYMBOLIZE_GO_GO_TABLE_H
#define PD_SYMBOLIZE_GO_GO_TABLE_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/pclntab.h"
#include "symbolize/file/image.h"
#include "symbolize/file/image_sections.h"

/** How the inlined calls of a function are stored. */
struct sym_go_tree_format {
	enum base_go_layout layout;
	/** Number of the table (PCDATA) that has the innermost inlined call at an address. */
	uint8_t table;
	/** Number of the datum (FUNCDATA) that is the tree. */
	uint8_t funcdata;
	/** Size of an inlined call in bytes. */
	uint8_t size;
};

/** Zero-initialized it is the table of a file that has none. */
struct sym_go_table {
	/** The table; n_funcs is 0 if the file has none. */
	struct base_pclntab functions;
	uint64_t vaddr;
	/** Bytes of the table with relocations applied, owned; NULL if there are none. */
	uint8_t *relocated;
	/** Format of trees of inlined calls; NULL if they cannot be read. */
	const struct sym_go_tree_format *tree_format;
	/** Address that data about functions are relative to; 0 before Go 1.18. */
	uint64_t funcdata_base;
	/** Sections that may contain these data. */
	PD_VEC(struct sym_section) data;
	/** Size of the file in bytes. The code of all functions is a part of it. */
	uint64_t file_size;
	bool swap;
};

/**
 * Find the table in @p image, which must outlive it. A file without a usable table is not an error.
 * Errors: NOMEM.
 */
struct pd_error *sym_go_table_open(
	const struct sym_image *image, struct sym_go_table *ret) pd_must_check;
void sym_go_table_deinit(struct sym_go_table *table);

#endif
