#include "symbolize/code.h"

#include "symbolize/binary_private.h"
#include "symbolize/fill.h"
#include "symbolize/file/image_code.h"

struct pd_error *sym_binary_code_extent(
	struct sym_binary *binary, uint64_t vaddr, struct sym_code_extent *ret)
{
	struct sym_symbol symbol = { 0 };
	struct pd_error *err = binary->main ? sym_find_symbol(binary, vaddr, &symbol) : NULL;

	*ret = (struct sym_code_extent){ symbol.start, symbol.end };
	return err;
}

const uint8_t *sym_binary_code(
	struct sym_binary *binary, uint64_t vaddr, size_t size, size_t *n_ret)
{
	*n_ret = 0;
	return binary->main ? sym_image_code(binary->main, vaddr, size, n_ret) : NULL;
}

void sym_binary_visit_marks(const struct sym_binary *binary, sym_visit_mark *visit, void *ctx)
{
	if (binary->main)
		sym_visit_marks(binary->main, binary->separate, visit, ctx);
}
