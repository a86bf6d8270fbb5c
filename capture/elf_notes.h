/**
 * @file Build ids in ELF files and in note sections. Files are not trusted: offsets and sizes are
 * checked, and tables that are longer than those of real programs are not searched to the end.
 */
#ifndef PD_CAPTURE_ELF_NOTES_H
#define PD_CAPTURE_ELF_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/build_id.h>

/**
 * Read the build id of the ELF file @p fd, of either class and byte order. False if it has none.
 */
bool cap_elf_build_id(int fd, struct pd_build_id *ret);

/**
 * Read the build id in a file that holds only notes, in this machine's byte order, such as
 * /sys/kernel/notes.
 */
bool cap_notes_build_id(int fd, struct pd_build_id *ret);

#endif
