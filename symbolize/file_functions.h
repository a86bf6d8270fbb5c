/**
 * @file Functions of an ELF file that need not be in a recording.
 */
#ifndef PD_SYMBOLIZE_FILE_FUNCTIONS_H
#define PD_SYMBOLIZE_FILE_FUNCTIONS_H

#include <pdconv/build_id.h>
#include <pdconv/error.h>

#include "symbolize/symbols/symbol_visit.h"

/**
 * Call @p visit for each function with a size in .symtab of the file @p path, and store its build
 * id in @p id_ret. Errors: FORMAT, it is not a usable ELF file; NOMEM.
 */
struct pd_error *sym_file_functions(const char *path, struct pd_build_id *id_ret,
	sym_visit_function *visit, void *ctx) pd_must_check;

#endif
