#include "symbolize/find/debuginfod.h"

#include <stddef.h>

struct pd_error *sym_debuginfod_create(
	const struct sym_debuginfod_opts *opts, struct sym_debuginfod **ret)
{
	(void)opts;
	*ret = NULL;
	return NULL;
}

void sym_debuginfod_destroy(struct sym_debuginfod *debuginfod)
{
	(void)debuginfod;
}

static char *none(const char **why_ret)
{
	*why_ret = "servers cannot be asked here";
	return NULL;
}

char *sym_debuginfod_fetch(struct sym_debuginfod *debuginfod, const struct pd_build_id *id,
	enum sym_debuginfod_kind kind, const char *name, const char **why_ret)
{
	(void)debuginfod;
	(void)id;
	(void)kind;
	(void)name;
	return none(why_ret);
}

char *sym_debuginfod_fetch_source(struct sym_debuginfod *debuginfod, const struct pd_build_id *id,
	const char *file, const char **why_ret)
{
	(void)debuginfod;
	(void)id;
	(void)file;
	return none(why_ret);
}

const char *sym_debuginfod_failure(struct sym_debuginfod *debuginfod)
{
	(void)debuginfod;
	return NULL;
}
