/* Functions of runtimes that only pass control on. */
#include "tests/unit/test.h"

#include "base/array.h"
#include "profile/scaffolding.h"

/* Names as compilers and tools write them. */
static void scaffolding_is_recognized(void **state)
{
	static const char *const names[] = {
		"_start",
		"__libc_start_main_impl",
		"clone3",
		"std::__invoke_impl<double, main()::<lambda()> >",
		"std::function<void (int)>::operator()",
		/* Without template arguments. */
		"std::function::operator()",
		"std::invoke",
		"std::thread::_Invoker::_M_invoke",
		"std::thread::_State_impl::_M_run",
		"std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke",
		"std::__future_base::_State_baseV2::_M_do_set",
		"core::ops::function::FnOnce::call_once{{vtable.shim}}",
		/* Parentheses show that this is one name. */
		("<alloc::boxed::Box<dyn core::ops::function::FnOnce<()>> as "
		 "core::ops::function::FnOnce<()>>::call_once"),
		"std::thread::lifecycle::spawn_unchecked::{{closure}}::{{closure}}",
		"<std::sys::thread::unix::Thread>::new::thread_start",
		"std::rt::lang_start::{{closure}}",
		"runtime.goexit.abi0",
		"entry_SYSCALL_64_after_hwframe",
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		if (!prof_is_scaffolding(names[i]))
			fail_msg("%s", names[i]);
	}
}

static void work_is_not_scaffolding(void **state)
{
	static const char *const names[] = {
		"",
		"main",
		"main.main",
		"_PyEval_EvalFrameDefault",
		"std::sort<int*>",
		"std::sort",
		"std::function::swap",
		"std::apply_all",
		"std::vector<int>::push_back",
		"std::_Rb_tree<int>::_M_insert_unique",
		"my::std::__invoke",
		"start_thread_pool",
		"<tower::Limit as tower::Service>::call",
		"runtime.mallocgc",
		"runtime.mainloop",
		"Interpreter",
		"do_syscall_64_fast",
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		if (prof_is_scaffolding(names[i]))
			fail_msg("%s", names[i]);
	}
}

/* Each row has a reason and a language, and no pattern is listed twice. */
static void no_pattern_hides_another(void **state)
{
	size_t n;
	const struct prof_scaffolding *rows = prof_scaffolding_table(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_true(*rows[i].reason && *rows[i].language);
		assert_true(prof_is_scaffolding(rows[i].pattern));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(rows[i].pattern, rows[k].pattern);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scaffolding_is_recognized),
		cmocka_unit_test(work_is_not_scaffolding),
		cmocka_unit_test(no_pattern_hides_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
