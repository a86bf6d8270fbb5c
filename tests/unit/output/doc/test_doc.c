/* Documents: the same parts as text, Markdown and JSON. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "output/doc/doc.h"

static const struct out_column columns[] = {
	{ .key = "percent", .title = "share", .kind = OUT_CELL_SHARE },
	{ .key = "time", .kind = OUT_CELL_AMOUNT, .unit = "nanoseconds" },
	{ .key = "function", .title = "", .kind = OUT_CELL_FUNCTION },
};

static char *write_with(const struct out_doc *doc, const struct pd_text_opts *opts)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_null(out_doc_write(doc, opts, out));
	fclose(out);
	return text;
}

static char *write_doc(const struct out_doc *doc, enum pd_style style)
{
	return write_with(doc, &(struct pd_text_opts){ .style = style });
}

static void expect(const struct out_doc *doc, enum pd_style style, const char *expected)
{
	char *text = write_doc(doc, style);

	assert_string_equal(text, expected);
	free(text);
}

static void add_row(struct out_table *table, unsigned depth, uint64_t ns, const char *name)
{
	const struct out_row_place place = { .depth = depth };

	out_table_row(table, &place);
	out_table_share(table, ns, 4000000);
	out_table_count(table, ns);
	out_table_function(table, name, "app", false);
}

/* A document with every kind of part. */
static struct out_doc *make(void)
{
	struct out_doc *doc = out_doc_create("test");

	assert_non_null(doc);
	out_doc_lines(doc, NULL, "one|two\n\nthree\033[m");
	out_doc_fact(doc, "host", "host", "box");
	out_doc_fact(doc, "empty", "empty", "");
	out_doc_number(doc, "samples", 18446744073709551615u);
	out_doc_real(doc, "seconds", 0.1);
	out_doc_bool(doc, "is_wide", true);
	for (int i = 0; i < 2; i++) {
		out_doc_begin_item(doc, "events", i ? "Event second" : NULL);
		/* This part separates the items only in text. */
		out_doc_fact(doc, "name", NULL, i ? "second" : "first");
		out_doc_end(doc);
		out_doc_lines(doc, NULL, "between");
	}
	struct out_table *table =
		out_doc_table(doc, "tree", "Call tree", columns, PD_ARRAY_LEN(columns));
	add_row(table, 1, 4000000, "main");
	add_row(table, 2, 1000000, "f<a>");
	add_row(table, 1, 10, "other");
	out_table_set_noun(table, "function");
	out_table_set_left_out(table, 1);
	out_doc_lines(doc, "hints", "a\nb");
	return doc;
}

static void text_is_aligned(void **state)
{
	struct out_doc *doc = make();

	(void)state;
	expect(doc, PD_STYLE_TEXT,
		"one|two\n"
		"\n"
		"three\\x1b[m\n"
		"  host     box\n"
		"between\n"
		"\n"
		"Event second\n"
		"between\n"
		"\n"
		"   share  Call tree\n"
		"100.00 %    main  (app)\n"
		" 25.00 %    f<a>  (app)\n"
		"            other  (app)\n"
		"  ... and 1 more function\n"
		"a\n"
		"b\n");
	out_doc_destroy(doc);
}

static void text_is_fitted_and_coloured(void **state)
{
	const struct pd_text_opts narrow = { .width = 48 };
	const struct pd_text_opts coloured = { .has_color = true };
	struct out_doc *doc = out_doc_create("test");

	(void)state;
	assert_non_null(doc);
	struct out_table *table =
		out_doc_table(doc, "list", "List", columns, PD_ARRAY_LEN(columns));
	add_row(table, 0, 3999000, "ns::apply<ns::Copy<ns::First>, ns::Item>::run");
	add_row(table, 0, 1000, "ns::apply<ns::Copy<ns::Other>, ns::Item>::run");
	/* Both would be "ns::apply<...>::run". */
	char *text = write_with(doc, &narrow);
	assert_string_equal(text, "\n   share  List\n"
				  " 99.97 %  ns::apply<...First...>::run  (app)\n"
				  "  0.03 %  ns::apply<...Other...>::run  (app)\n");
	free(text);
	/* A title that does not fit the line of the headings has its own. */
	text = write_with(doc, &(struct pd_text_opts){ .width = 13 });
	assert_true(strncmp(text, "\nList\n   share\n", strlen("\nList\n   share\n")) == 0);
	free(text);
	text = write_with(doc, &coloured);
	assert_string_equal(text, "\n   share  \033[1mList\033[m\n"
				  "\033[31m 99.97 %\033[m  ns::apply<ns::Copy<ns::First>, "
				  "ns::Item>::run\033[2m  (app)\033[m\n"
				  "  0.03 %  ns::apply<ns::Copy<ns::Other>, "
				  "ns::Item>::run\033[2m  (app)\033[m\n");
	free(text);
	out_doc_destroy(doc);
}

static void bars_follow_the_texts_if_there_is_room(void **state)
{
	static const struct out_column with_bar[] = {
		{ .key = "percent", .title = "share", .kind = OUT_CELL_SHARE, .has_bar = true },
		{ .key = "samples", .title = "samples", .kind = OUT_CELL_COUNT },
		{ .key = "command", .title = "", .kind = OUT_CELL_TEXT },
	};
	const struct pd_text_opts wide = { .width = 61 }, narrow = { .width = 60 };
	struct out_doc *doc = out_doc_create("test");
	struct out_table *table =
		out_doc_table(doc, "commands", "Commands", with_bar, PD_ARRAY_LEN(with_bar));

	(void)state;
	out_table_row(table, NULL);
	out_table_share(table, 3, 4);
	out_table_count(table, 3);
	out_table_text(table, "server");
	out_table_row(table, NULL);
	out_table_share(table, 1, 100);
	out_table_count(table, 1);
	out_table_text(table, "sh");
	out_table_set_note(table, "2 are asleep");
	char *text = write_with(doc, &wide);
	assert_string_equal(text, "\n   share  samples  Commands\n"
				  " 75.00 %        3  server                ###############\n"
				  "  1.00 %        1  sh\n"
				  "  2 are asleep\n");
	free(text);
	text = write_with(doc, &narrow);
	assert_string_equal(text, "\n   share  samples  Commands\n"
				  " 75.00 %        3  server\n"
				  "  1.00 %        1  sh\n"
				  "  2 are asleep\n");
	free(text);
	out_doc_destroy(doc);
}

static void facts_are_wrapped_cut_or_whole(void **state)
{
	static const char text[] = "a few words of text and one_word_that_is_too_long";
	const struct pd_text_opts narrow = { .width = 30 };
	struct out_doc *doc = out_doc_create("test");

	(void)state;
	out_doc_fact(doc, "a", "wrapped", text);
	out_doc_fact_cut(doc, "b", "cut", text);
	out_doc_fact_whole(doc, "c", "whole", text);
	char *written = write_with(doc, &narrow);
	assert_string_equal(written,
		"  wrapped  a few words of text\n"
		"           and\n"
		"           one_word_that_is_too_long\n"
		"  cut      a few wo...too_long\n"
		"  whole    a few words of text and one_word_that_is_too_long\n");
	free(written);
	out_doc_destroy(doc);
}

static void rows_can_follow_a_gap(void **state)
{
	const struct out_row_place place = { .depth = 1, .has_gap = true };
	const struct pd_text_opts narrow = { .width = 32 };
	struct out_doc *doc = out_doc_create("test");
	struct out_table *table =
		out_doc_table(doc, "paths", "Paths", columns, PD_ARRAY_LEN(columns));

	(void)state;
	out_table_row(table, &place);
	out_table_share(table, 1, 1);
	out_table_count(table, 1);
	out_table_function(table, "std::vector<int>::push_back", "app", true);
	char *text = write_with(doc, &narrow);
	assert_string_equal(text, "\n   share  Paths\n"
				  "100.00 %    ... ...::push_back  (app, inlined)\n");
	free(text);
	out_doc_destroy(doc);
}

static void markdown_is_escaped(void **state)
{
	struct out_doc *doc = make();

	(void)state;
	expect(doc, PD_STYLE_MARKDOWN,
		"- one\\|two\n"
		"\n"
		"- three\\\\x1b\\[m\n"
		"- host: box\n"
		"- between\n"
		"\n"
		"### Event second\n"
		"\n"
		"- between\n"
		"\n"
		"### Call tree\n"
		"\n"
		"| share |  |\n"
		"|-:|-|\n"
		"| 100.00 % | main (app) |\n"
		"| 25.00 % | &nbsp;f\\<a\\> (app) |\n"
		"|  | other (app) |\n"
		"\n"
		"... and 1 more function\n"
		"- a\n"
		"- b\n");
	out_doc_destroy(doc);
}

static void json_nests(void **state)
{
	struct out_doc *doc = make();
	char *json = write_doc(doc, PD_STYLE_JSON);
	const char *parts[] = {
		"\"kind\": \"test\"",
		"\"samples\": 18446744073709551615",
		"\"seconds\": 0.1,",
		"\"is_wide\": true",
		"\"name\": \"first\"\n    },\n    {\n      \"name\": \"second\"",
		"\"children\": [",
		"\"percent\": 0.0003",
		"\"left_out\": 1",
		"\"hints\": [\n    \"a\",\n    \"b\"\n  ]",
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(parts); i++) {
		if (!strstr(json, parts[i]))
			fail_msg("%s is missing in %s", parts[i], json);
	}
	assert_null(strstr(json, "between"));
	assert_null(strstr(json, "empty"));
	free(json);
	out_doc_destroy(doc);
}

static void a_text_that_cannot_be_formatted_fails_the_document(void **state)
{
	const struct pd_text_opts opts = { .style = PD_STYLE_TEXT };
	struct out_doc *doc = out_doc_create("test");
	struct pd_error *err;

	(void)state;
	assert_string_equal(out_doc_format(doc, "%d of %d", 1, 2), "1 of 2");
	assert_null(out_doc_write(doc, &opts, stderr));
	/* The locale of the tests cannot represent it, which fails like a lack of memory. */
	assert_string_equal(out_doc_format(doc, "%ls", L"\u20ac"), "");
	err = out_doc_write(doc, &opts, stderr);
	assert_ptr_equal(err, &pd_enomem);
	out_doc_destroy(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_aligned),
		cmocka_unit_test(text_is_fitted_and_coloured),
		cmocka_unit_test(bars_follow_the_texts_if_there_is_room),
		cmocka_unit_test(facts_are_wrapped_cut_or_whole),
		cmocka_unit_test(rows_can_follow_a_gap),
		cmocka_unit_test(markdown_is_escaped),
		cmocka_unit_test(json_nests),
		cmocka_unit_test(a_text_that_cannot_be_formatted_fails_the_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
