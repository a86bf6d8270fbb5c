#include "symbolize/adopt.h"

#include <stdlib.h>
#include <string.h>

#include "symbolize/binary_private.h"

struct pd_error *sym_binary_adopt(const struct sym_search *search, const char *path,
	struct sym_image *image, struct sym_binary **ret)
{
	static const struct sym_search nowhere;
	struct sym_binary *binary = calloc(1, sizeof(*binary));
	char *name = strdup(path);

	if (!binary || !name) {
		free(binary);
		free(name);
		sym_image_destroy(image);
		return &pd_enomem;
	}
	/* Reading DWARF may search for further files, and relies on binary->search. */
	binary->search = search ? search : &nowhere;
	binary->name = name;
	binary->status = SYM_FOUND;
	binary->main = image;
	binary->dwarf = sym_image_has_dwarf(image) ? image : NULL;
	*ret = binary;
	return NULL;
}
