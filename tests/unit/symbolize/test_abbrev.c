/* Attribute forms: sizes, skipping, unknown forms. */
#include "tests/unit/test.h"

#include <dwarf.h>

#include "symbolize/dwarf/abbrev.h"

static const struct sym_encoding dwarf_5 = { .version = 5, .addr_size = 8, .offset_size = 4 };

static void known_forms_have_sizes(void **state)
{
	struct sym_encoding e = dwarf_5;

	(void)state;
	assert_int_equal(sym_form_size(DW_FORM_data1, &e), 1);
	assert_int_equal(sym_form_size(DW_FORM_strx3, &e), 3);
	assert_int_equal(sym_form_size(DW_FORM_data16, &e), 16);
	assert_int_equal(sym_form_size(DW_FORM_addr, &e), 8);
	assert_int_equal(sym_form_size(DW_FORM_strp, &e), 4);
	assert_int_equal(sym_form_size(DW_FORM_GNU_strp_alt, &e), 4);
	assert_int_equal(sym_form_size(DW_FORM_ref_addr, &e), 4);
	assert_int_equal(sym_form_size(DW_FORM_flag_present, &e), 0);
	assert_int_equal(sym_form_size(DW_FORM_implicit_const, &e), 0);
	assert_int_equal(sym_form_size(DW_FORM_udata, &e), -1);
	assert_int_equal(sym_form_size(DW_FORM_exprloc, &e), -1);
	e.version = 2;
	assert_int_equal(sym_form_size(DW_FORM_ref_addr, &e), 8);
	e.offset_size = 8;
	assert_int_equal(sym_form_size(DW_FORM_sec_offset, &e), 8);
}

/* Every form a damaged abbreviation may have has a valid size, or one that varies. */
static void any_form_is_safe(void **state)
{
	const uint8_t bytes[64] = { 1, 2, 3 };

	(void)state;
	for (uint64_t form = 0; form <= UINT16_MAX + 10; form++) {
		int size = sym_form_size(form, &dwarf_5);

		assert_true(size >= -1 && size <= 16);
		for (size_t n = 0; n < sizeof(bytes); n += 7) {
			struct pd_cursor c = pd_cursor_init(bytes, n, false);

			sym_skip_form(&c, form, &dwarf_5);
			assert_true(c.pos <= c.end);
			assert_true(size < 0 || c.overrun == ((size_t)size > n));
		}
	}
	assert_int_equal(sym_form_size(UINT64_MAX, &dwarf_5), -1);
	/* After the last form of DWARF 5, but still within the table of sizes. */
	assert_int_equal(sym_form_size(DW_FORM_addrx4 + 1, &dwarf_5), -1);
	assert_int_equal(sym_form_size(2 * DW_FORM_addrx4, &dwarf_5), -1);
}

/* Regression test for a damaged file that fuzzing found. */
static void there_may_be_no_attributes(void **state)
{
	const uint8_t bytes[] = { 1, DW_TAG_compile_unit, DW_CHILDREN_no, 0, 0, 0 };
	const struct sym_section section = { bytes, sizeof(bytes), 0 };
	const struct sym_unit_header unit = { .encoding = dwarf_5 };
	struct sym_abbrevs abbrevs = sym_abbrevs_init(&section, &unit);
	uint64_t left = 100;

	(void)state;
	assert_true(sym_abbrevs_read(&abbrevs, 0, &left));
	const struct sym_abbrev *abbrev = sym_abbrevs_find(&abbrevs, 1);
	assert_non_null(abbrev);
	assert_int_equal(abbrev->n_specs, 0);
	assert_non_null(abbrevs.specs.data);
	sym_abbrevs_deinit(&abbrevs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_forms_have_sizes),
		cmocka_unit_test(any_form_is_safe),
		cmocka_unit_test(there_may_be_no_attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
