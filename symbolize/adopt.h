/**
 * @file A binary of an image that was found by other ways than its name. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_ADOPT_H
#define PD_SYMBOLIZE_ADOPT_H

#include "symbolize/binary.h"
#include "symbolize/file/image.h"

/**
 * A binary of @p image alone, which belongs to it from now on, and is destroyed where it fails. It is
 * shown as @p path. Errors: no memory.
 */
struct pd_error *sym_binary_adopt(const struct sym_search *search, const char *path,
	struct sym_image *image, struct sym_binary **ret) pd_must_check;

#endif
