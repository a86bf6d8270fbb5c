#include "symbolize/find/attempts.h"

#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"

void sym_attempts_deinit(struct sym_attempts *attempts)
{
	for (size_t i = 0; i < attempts->list.n; i++) {
		free(attempts->list.data[i].path);
		free(attempts->list.data[i].why);
	}
	pd_vec_deinit(&attempts->list);
}

bool sym_attempts_add(struct sym_attempts *attempts, enum sym_search_path search_path,
	enum sym_status status, const char *path, const char *why)
{
	struct sym_attempt attempt = {
		.search_path = search_path,
		.status = status,
		.path = strdup(path),
		.why = strdup(why),
	};

	if (!attempt.path || !attempt.why || !pd_vec_push(&attempts->list, attempt)) {
		free(attempt.path);
		free(attempt.why);
		return false;
	}
	PD_IS_OWNED(attempt.path, "sym_attempts_deinit() frees the list");
	PD_IS_OWNED(attempt.why, "sym_attempts_deinit() frees the list");
	return true;
}
