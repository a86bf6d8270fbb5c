/**
 * @file Images: the binaries of a profile as optimizers know them, by file name and build id, with
 * the addresses that their files have. Private to pgo/.
 */
#ifndef PD_PGO_IMAGE_H
#define PD_PGO_IMAGE_H

#include <stdint.h>

#include <pdconv/error.h>

#include "base/containers/intern.h"
#include "profile/profile.h"

/**
 * Find or add the name of the image of binary @p id among @p names. *@p ret is its index, or
 * PROF_NONE if it has no image. Errors: NOMEM.
 */
struct pd_error *pgo_image_find(const struct profile *profile, struct prof_binary_id id,
	struct base_intern *names, uint32_t *ret) pd_must_check;

/**
 * Return the address of a frame of @p binary in its file: a virtual address, in a kernel module the
 * distance from the start of its code.
 */
uint64_t pgo_image_addr(const struct prof_binary *binary, uint64_t addr);

#endif
