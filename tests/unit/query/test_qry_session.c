/* Sessions: what is kept, what is read again, and answers that fit. */
#include "tests/unit/made_profile.h"

#include <unistd.h>

#include "query/call.h"

/* Functions of the made recording: more than fit an answer. */
enum { N_FUNCTIONS = 500 };

/* A loader that counts how often it reads. */
struct counter {
	struct qry_loader loader;
	size_t n;
	/* The next reads fail for want of memory. */
	size_t n_failures;
};

static struct pd_error *load(
	void *ctx, const struct qry_load *load, struct pd_diag *diag, struct pd_profile **ret)
{
	struct counter *counter = ctx;

	(void)diag;
	const struct api_origin origin = { load->paths[0], load->paths[0] };
	const struct pd_profile_opts opts = { .filter = load->filter };

	counter->n++;
	if (counter->n_failures) {
		counter->n_failures--;
		return &pd_enomem;
	}
	struct pd_error *err =
		api_profile_plan(&opts, load->format, PD_PARTS_OF_FORMAT, &origin, ret);
	if (err)
		return err;
	struct profile *profile;
	assert_ok(prof_create(&profile));
	struct prof_event_id event = made_event(profile, "cycles", "count");
	const struct prof_thread thread = made_thread(profile, 1, 2, "worker");
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "/binary-%zu", i);
		made_sample(profile, event, &thread, name, i + 1);
	}
	(*ret)->profile = profile;
	return NULL;
}

static void begin(struct counter *counter, struct qry_session *session)
{
	*counter = (struct counter){ .loader = { .ctx = counter, .load = load } };
	qry_session_init(session, &counter->loader);
}

/* Ask a tool with up to one argument. */
static char *ask(struct qry_session *session, const char *tool, const char *word)
{
	const struct qry_tool_row *row;
	struct qry_args args = { 0 };
	char *text = NULL;

	assert_ok(qry_tool_find(tool, &row));
	args.values[QRY_PARAM_RECORDING] = "/proc/self/exe";
	if (word)
		assert_ok(qry_args_take_word(&args, row, word));
	assert_ok(qry_answer(session, row, &args, PD_STYLE_TEXT, &text));
	return text;
}

/* However small the bound is, answers keep it, and say that they were cut. */
static void answers_fit(void **state)
{
	struct qry_session session;
	struct counter counter;
	size_t before = 0;

	(void)state;
	needs_linux();
	begin(&counter, &session);
	for (size_t tokens = 1; tokens < 20000; tokens = tokens * 2 + 1) {
		char word[64];

		snprintf(word, sizeof(word), "max_tokens=%zu", tokens);
		char *text = ask(&session, "functions", word);
		size_t len = strlen(text);

		assert_true(len <= 3 * (tokens < 200 ? 200 : tokens));
		assert_true(len >= before);
		assert_non_null(strstr(text, "cut: "));
		assert_non_null(strstr(text, "f-1 "));
		before = len;
		free(text);
	}
	char *all = ask(&session, "functions", "limit=1000");
	assert_true(strlen(all) <= 6000);
	free(all);
	/* All of it was read once. */
	assert_int_equal(counter.n, 1);
	qry_session_deinit(&session);
}

/* Each selection is read once, as long as it is kept. */
static void views_are_kept(void **state)
{
	static const char *const words[] = { "time=1s-2s", "time=1s-3s", "cpu=1", "cpu=1-2",
		"focus=a", "focus=b", "cpu=3", "thread=worker", "thread=2", "process=1" };
	struct qry_session session;
	struct counter counter;

	(void)state;
	needs_linux();
	begin(&counter, &session);
	free(ask(&session, "functions", NULL));
	free(ask(&session, "threads", NULL));
	free(ask(&session, "quality", NULL));
	assert_int_equal(counter.n, 1);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = counter.n;

		free(ask(&session, "functions", words[i]));
		assert_true(counter.n > n);
		n = counter.n;
		free(ask(&session, "functions", words[i]));
		assert_int_equal(counter.n, n);
	}
	qry_session_deinit(&session);
}

/* If memory runs out, profiles that were kept make room. */
static void memory_is_made(void **state)
{
	struct qry_session session;
	struct counter counter;

	(void)state;
	needs_linux();
	begin(&counter, &session);
	free(ask(&session, "functions", NULL));
	counter.n_failures = 1;
	free(ask(&session, "functions", "cpu=1"));
	assert_int_equal(counter.n, 3);
	for (size_t i = 0, n_views = 0; i < QRY_MAX_VIEWS; i++) {
		n_views += session.views[i].key != NULL;
		assert_true(n_views <= 1);
	}
	qry_session_deinit(&session);
}

static void directories(void **state)
{
	struct qry_session session;
	struct counter counter;
	size_t index;

	(void)state;
	needs_linux();
	begin(&counter, &session);
	assert_true(qry_session_allows(&session, "/anything"));
	assert_ok(qry_session_allow(&session, "/usr"));
	assert_true(qry_session_allows(&session, "/usr"));
	assert_true(qry_session_allows(&session, "/usr/bin/x"));
	assert_false(qry_session_allows(&session, "/usrx"));
	assert_false(qry_session_allows(&session, "/us"));
	assert_false(qry_session_allows(&session, "/"));
	assert_error(qry_session_find(&session, "/etc/passwd", &index), PD_ERROR_USAGE);
	assert_error(qry_session_find(&session, "../etc/passwd", &index), PD_ERROR_USAGE);
	assert_error(qry_session_find(&session, "nosuch", &index), PD_ERROR_OS);
	assert_error(qry_session_find(&session, "r-1", &index), PD_ERROR_USAGE);
	assert_error(qry_session_find(&session, NULL, &index), PD_ERROR_USAGE);
	assert_error(qry_session_allow(&session, "/nosuch"), PD_ERROR_OS);
	assert_ok(qry_session_allow(&session, "/"));
	assert_true(qry_session_allows(&session, "/etc/passwd"));
	qry_session_deinit(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_fit),
		cmocka_unit_test(views_are_kept),
		cmocka_unit_test(memory_is_made),
		cmocka_unit_test(directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
