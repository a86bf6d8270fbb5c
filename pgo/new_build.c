#include "pgo/new_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "base/text.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/symbols/symbol_visit.h"

/* A build whose functions are visited. */
struct reading {
	struct pgo_new_build *build;
	bool has_failed;
};

/* Return the name with the size after it, allocated; NULL: no memory. */
static char *make_key(const char *name, uint64_t size)
{
	return base_format("%s %" PRIu64, name, size);
}

/* Add a function by its name without a symbol version, as profiles have it. */
static void add_function(void *ctx, const char *versioned, uint64_t start, uint64_t end)
{
	struct reading *r = ctx;
	_cleanup_free_ char *name = strndup(versioned, sym_unversioned_length(versioned));
	_cleanup_free_ char *key = name ? make_key(name, end - start) : NULL;

	r->has_failed |= !key || base_intern_str(&r->build->names, name) == PD_INTERN_NONE ||
			 base_intern_str(&r->build->functions, key) == PD_INTERN_NONE;
}

struct pd_error *pgo_new_build_read(const char *path, struct pgo_new_build *ret)
{
	struct reading r = { .build = ret };

	*ret = (struct pgo_new_build){ .name = base_file_name(path) };
	struct pd_error *err = sym_visit_functions_of_file(path, &ret->id, add_function, &r);
	if (err)
		return err;
	if (r.has_failed)
		return &pd_enomem;
	if (!ret->names.n)
		return pd_error_create(PD_ERROR_FORMAT, path, "has no symbols of functions");
	return NULL;
}

void pgo_new_build_deinit(struct pgo_new_build *build)
{
	base_intern_deinit(&build->names);
	base_intern_deinit(&build->functions);
}

uint32_t pgo_new_build_find(const struct pgo_new_build *build, const struct pgo_flow *flow)
{
	for (uint32_t i = 0; i < flow->images.n; i++) {
		const struct pgo_image *image = &flow->images.data[i];

		if (strcmp(prof_binary_base(flow->profile, image->binary), build->name) == 0)
			return i;
	}
	return PROF_NONE;
}

/* Add the function to the sum that it belongs to. Returns false if memory ran out. */
static bool compare_function(const struct pgo_new_build *build, const struct profile *profile,
	const struct pgo_function *function, struct pgo_staleness *ret)
{
	const char *name = prof_string(profile, prof_function(profile, function->id)->linkage);
	_cleanup_free_ char *key = make_key(name, function->end - function->start);

	if (!key)
		return false;
	if (base_intern_find(&build->functions, key, strlen(key)) != PD_INTERN_NONE)
		ret->same += function->executed;
	else if (base_intern_find(&build->names, name, strlen(name)) != PD_INTERN_NONE)
		ret->changed += function->executed;
	else
		ret->gone += function->executed;
	return true;
}

struct pd_error *pgo_new_build_compare(const struct pgo_new_build *build,
	const struct pgo_flow *flow, const struct pgo_forecast *forecast, uint32_t i,
	struct pgo_staleness *ret)
{
	const struct prof_binary *binary = prof_binary(flow->profile, flow->images.data[i].binary);

	*ret = (struct pgo_staleness){
		.is_same_build = build->id.len && pd_build_id_equal(&build->id, &binary->build_id),
	};
	for (size_t k = 0; k < forecast->functions.n; k++) {
		const struct pgo_function *function = &forecast->functions.data[k];

		if (function->image == i && function->executed &&
			!compare_function(build, flow->profile, function, ret))
			return &pd_enomem;
	}
	return NULL;
}
