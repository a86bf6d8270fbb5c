/* Labels of functions that have the same name. */
#include "tests/unit/made_profile.h"
#include "tests/unit/test.h"

#include "resolve/naming/apart.h"

enum { MAX_FUNCTIONS = 4 };

struct case_function {
	const char *binary;
	const char *name;
	const char *linkage;
	/** Source file and line of the declaration. */
	const char *file;
	uint32_t line;
	/** The expected label. */
	const char *label;
};

struct apart_case {
	const char *what;
	struct case_function functions[MAX_FUNCTIONS];
};

static const struct apart_case cases[] = {
	{ "static functions", { { "/p", "f", "f", "/s/a.c", 1, "f (a.c)" },
				      { "/p", "f", "f", "/s/b.c", 1, "f (b.c)" },
				      { "/p", "f", "f", "", 0, "f" } } },
	{ "static functions of one file name",
		{ { "/p", "f", "f", "/s/x/a.c", 1, "f (x/a.c)" },
			{ "/p", "f", "f", "/s/y/a.c", 1, "f (y/a.c)" } } },
	{ "one path written in two ways",
		{ { "/p", "f", "f", "/s/x/../a.c", 1, "f" }, { "/p", "f", "f", "/s/./a.c", 1, "f" },
			{ "/p", "f", "f", "/s//a.c", 1, "f" } } },
	{ "static functions of C++", { { "/p", "f", "_ZL1fv", "a.cc", 1, "f (a.cc)" },
					     { "/p", "f", "_ZL1fv", "b.cc", 1, "f (b.cc)" } } },
	{ "one function, whose header has two paths",
		{ { "/p", "f", "_Z1fv", "../a.h", 1, "f" },
			{ "/p", "f", "_Z1fv", "a.h", 1, "f" } } },
	{ "overloads", { { "/p", "n::f", "_ZN1n1fEi", "a.cc", 1, "n::f(int)" },
			       { "/p", "n::f", "_ZN1n1fEd", "a.cc", 2, "n::f(double)" },
			       { "/p", "n::f", "_ZN1n1fEi", "", 0, "n::f(int)" } } },
	{ "overloads of a template",
		{ { "/p", "f<int>", "_Z1fIiEvT_", "a.cc", 1, "f<int>(int)" },
			{ "/p", "f<int>", "_Z1fIiEvT_S0_", "a.cc", 2, "f<int>(int, int)" } } },
	{ "instances whose arguments are not in the name",
		{ { "/p", "f", "_Z1fIiEvT_", "a.cc", 1, "f" },
			{ "/p", "f", "_Z1fIdEvT_", "a.cc", 1, "f" } } },
	{ "two symbols of one constructor",
		{ { "/p", "A::A", "_ZN1AC1Ev", "a.cc", 3, "A::A" },
			{ "/p", "A::A", "_ZN1AC2Ev", "a.cc", 3, "A::A" } } },
	{ "closures",
		{ { "/p", "operator()", "operator()", "a.cc", 6, "operator() (a.cc:6)" },
			{ "/p", "operator()", "operator()", "a.cc", 7, "operator() (a.cc:7)" },
			{ "/p", "operator()", "operator()", "b.cc", 6, "operator() (b.cc)" } } },
	{ "closures of an unknown file",
		{ { "/p", "operator()", "operator()", "", 6, "operator() (line 6)" },
			{ "/p", "operator()", "operator()", "", 7, "operator() (line 7)" } } },
	{ "closures of Rust",
		{ { "/p", "m::f::{{closure}}",
			  "_ZN1m1f28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "m.rs", 6,
			  "m::f::{{closure}} (m.rs:6)" },
			{ "/p", "m::f::{{closure}}",
				"_ZN1m1f28_$u7b$$u7b$closure$u7d$$u7d$17hfedcba9876543210E", "m.rs",
				9, "m::f::{{closure}} (m.rs:9)" } } },
	{ "instances of a function of Rust",
		{ { "/p", "m::f", "_ZN1m1f17h0123456789abcdefE", "m.rs", 6, "m::f" },
			{ "/p", "m::f", "_ZN1m1f17hfedcba9876543210E", "m.rs", 6, "m::f" } } },
	{ "builds of a program in two folders",
		{ { "/old/p", "f", "f", "/old/a.c", 1, "f" },
			{ "/new/p", "f", "f", "/new/a.c", 2, "f" } } },
	{ "builds of a program with two functions",
		{ { "/old/p", "f", "f", "/old/a.c", 1, "f (a.c)" },
			{ "/new/p", "f", "f", "/new/a.c", 2, "f (a.c)" },
			{ "/new/p", "f", "f", "/new/b.c", 2, "f (b.c)" } } },
	{ "other programs",
		{ { "/p", "f", "f", "a.c", 1, "f" }, { "/q", "f", "f", "b.c", 1, "f" } } },
};

static void check(const struct apart_case *c)
{
	struct prof_function_id ids[MAX_FUNCTIONS];
	struct profile *profile;
	size_t n = 0;

	assert_ok(prof_create(&profile));
	for (; n < MAX_FUNCTIONS && c->functions[n].name; n++) {
		const struct case_function *f = &c->functions[n];
		const struct prof_function function = {
			.name = prof_add_string(profile, f->name),
			.linkage = prof_add_string(profile, f->linkage),
			.decl_file = prof_add_string(profile, f->file),
			.start_line = f->line,
			.binary = made_binary(profile, f->binary),
		};

		ids[n] = prof_add_function(profile, &function);
	}
	/* A second time, as after functions were added. */
	for (int i = 0; i < 2; i++) {
		assert_ok(resolve_tell_apart(profile));
		for (size_t k = 0; k < n; k++) {
			const char *label = prof_function_name(profile, ids[k]);

			if (strcmp(label, c->functions[k].label))
				fail_msg("%s: '%s' instead of '%s'", c->what, label,
					c->functions[k].label);
		}
	}
	prof_destroy(profile);
}

static void test_labels(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
