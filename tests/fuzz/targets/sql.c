/*
 * Profiles of any shape, asked by SQL: what an index finds is what reading all rows finds. Input:
 * choices, and the calls that build the profile.
 */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/memstream.h"
#include "sql/sql_session.h"
#include "tests/fuzz/built_profile.h"

/* Write the answer to @p query, which is freed, to text that the caller frees. */
static char *answer(
	struct sql_session *session, struct tab_source *source, char *query, enum sql_style style)
{
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!query || !out)
		abort();
	pd_error_destroy(sql_session_answer(session, source, query, style, out));
	if (!base_memstream_close(out, &text))
		abort();
	free(query);
	return text;
}

/* Look for the value that one row has in one column. "+" keeps SQLite from using an index. */
static void check_index(struct fuzz_input *in, struct sql_session *session,
	struct tab_source *source, const struct tab_table *table)
{
	const struct tab_column *column = &table->columns[fuzz_choice(in, table->n_columns)];
	size_t row = fuzz_byte(in);
	char *found[2];

	for (int i = 0; i < 2; i++)
		found[i] = answer(session, source,
			base_format("SELECT * FROM %s WHERE %s%s = "
				    "(SELECT %s FROM %s LIMIT 1 OFFSET %zu) ORDER BY rowid",
				table->name, i ? "+" : "", column->name, column->name, table->name,
				row),
			SQL_CSV);
	if (strcmp(found[0], found[1]) != 0)
		__builtin_trap();
	free(found[0]);
	free(found[1]);
}

void fuzz_target_sql(struct fuzz_input *in)
{
	struct fuzz_input choices = fuzz_take(in, 64);
	enum sql_style style = (enum sql_style)fuzz_choice(&choices, SQL_JSON + 1);
	struct sql_session *session;
	struct tab_source *source;
	size_t n;
	const struct tab_table *const *tables = tab_tables(&n);

	if (sql_session_create(&session))
		abort();
	struct profile *profile = fuzz_build_profile(in);
	if (tab_source_create(profile, tab_all_needs(), &source))
		abort();
	for (size_t i = 0; i < n; i++) {
		free(answer(
			session, source, base_format("SELECT * FROM %s", tables[i]->name), style));
		check_index(&choices, session, source, tables[i]);
	}
	tab_source_destroy(source);
	sql_session_destroy(session);
	prof_destroy(profile);
}
