/**
 * @file A binary made from an image that was not found by its recorded name. Private to
 * symbolize/.
 */
#ifndef PD_SYMBOLIZE_ADOPT_H
#define PD_SYMBOLIZE_ADOPT_H

#include "symbolize/binary.h"
#include "symbolize/file/image.h"

/**
 * Make a binary of @p image, of which it takes ownership, also on failure. @p path is used in
 * messages. Errors: no memory.
 */
struct pd_error *sym_binary_adopt(const struct sym_search *search, const char *path,
	struct sym_image *image, struct sym_binary **ret) pd_must_check;

#endif
