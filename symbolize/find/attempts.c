#include "symbolize/find/attempts.h"

#include <stdlib.h>
#include <string.h>

void sym_trail_deinit(struct sym_trail *trail)
{
	for (size_t i = 0; i < trail->list.n; i++) {
		free(trail->list.data[i].path);
		free(trail->list.data[i].why);
	}
	pd_vec_deinit(&trail->list);
}

bool sym_trail_add(struct sym_trail *trail, enum sym_place place, enum sym_status status,
	const char *path, const char *why)
{
	struct sym_attempt attempt = {
		.place = place,
		.status = status,
		.path = strdup(path),
		.why = strdup(why),
	};

	if (attempt.path && attempt.why && pd_vec_push(&trail->list, attempt))
		return true;
	free(attempt.path);
	free(attempt.why);
	return false;
}
