/**
 * @file Build ids in ELF files and in notes. Nothing in a file is believed: what does not fit in it, or
 * goes on for too long, has no build id.
 */
#ifndef PD_CAPTURE_ELF_NOTES_H
#define PD_CAPTURE_ELF_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/build_id.h>

/** The build id of the ELF file @p fd, of either class and byte order; false if it has none. */
bool cap_elf_build_id(int fd, struct pd_build_id *ret);

/** The same of a file that holds notes of this machine only, as /sys/kernel/notes. */
bool cap_notes_build_id(int fd, struct pd_build_id *ret);

#endif
