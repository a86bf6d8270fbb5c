#include "cmd/searching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pd_error *join_dirs(struct cmd_search *search, const struct cmd_list *list)
{
	size_t len;

	if (!list->items.n)
		return NULL;
	FILE *out = open_memstream(&search->debug_dirs, &len);
	if (!out)
		return &pd_enomem;
	for (size_t i = 0; i < list->items.n; i++)
		fprintf(out, "%s:", list->items.data[i]);
	return fclose(out) ? &pd_enomem : NULL;
}

static struct pd_error *add_path_map(struct cmd_search *search, const char *text)
{
	const char *equals = strchr(text, '=');
	struct sym_path_map map;

	if (!equals || equals == text)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--path-map: \"%s\" is not of the form FROM=TO", text);
	map.from = strndup(text, (size_t)(equals - text));
	map.to = equals + 1;
	if (map.from && pd_vec_push(&search->path_maps, map))
		return NULL;
	free((char *)map.from);
	return &pd_enomem;
}

static struct pd_error *fill(struct cmd_search *search, const struct cmd_options *options)
{
	struct pd_error *err = join_dirs(search, &options->debug_dirs);

	for (size_t i = 0; i < options->path_maps.items.n && !err; i++)
		err = add_path_map(search, options->path_maps.items.data[i]);
	search->search = (struct sym_search){
		.symfs = options->symfs,
		.debug_dirs = search->debug_dirs,
		.buildid_dir = options->buildid_dir,
		.path_maps = search->path_maps.data,
		.n_path_maps = search->path_maps.n,
		.force_mismatch = options->force_mismatch,
	};
	return err;
}

struct pd_error *cmd_search_init(struct cmd_search *search, const struct cmd_options *options)
{
	*search = (struct cmd_search){ 0 };
	struct pd_error *err = fill(search, options);

	if (err)
		cmd_search_deinit(search);
	return err;
}

void cmd_search_deinit(struct cmd_search *search)
{
	for (size_t i = 0; i < search->path_maps.n; i++)
		free((char *)search->path_maps.data[i].from);
	pd_vec_deinit(&search->path_maps);
	free(search->debug_dirs);
	*search = (struct cmd_search){ 0 };
}
