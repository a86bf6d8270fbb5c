#include "symbolize/file_functions.h"

#include "symbolize/file/image.h"

struct pd_error *sym_file_functions(
	const char *path, struct pd_build_id *id_ret, sym_visit_function *visit, void *ctx)
{
	struct sym_image *image;
	struct sym_failure failure;
	struct pd_error *err = sym_image_open(path, (struct sym_access){ 0 }, &image, &failure);

	if (err)
		return err;
	if (!image)
		return pd_error_create(PD_ERROR_FORMAT, path, "%s", failure.text);
	*id_ret = image->build_id;
	sym_visit_functions(image, NULL, visit, ctx);
	sym_image_destroy(image);
	return NULL;
}
