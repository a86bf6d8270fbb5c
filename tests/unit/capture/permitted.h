/**
 * @file Tests that run only where the kernel lets this user open their event.
 */
#ifndef PD_TESTS_UNIT_CAPTURE_PERMITTED_H
#define PD_TESTS_UNIT_CAPTURE_PERMITTED_H

#include "tests/unit/test.h"

#include <sys/types.h>

#include <pdconv/capture.h>

/** Whether @p event of thread @p tid can be opened on CPU @p cpu. If not, prints why. */
static inline bool is_permitted(const char *event, pid_t tid, int cpu)
{
	const struct pd_capture_opts opts = { .event = event };
	struct pd_perf_reader *reader;
	struct pd_error *err = pd_perf_reader_open(&opts, tid, cpu, &reader);

	if (err) {
		print_message("not here: %s\n", err->message);
		pd_error_destroy(err);
		return false;
	}
	pd_perf_reader_close(reader);
	return true;
}

/** Define the test @p test_here, which runs @p test if @p condition is true when it is called. */
#define RUN_IF(condition, test) \
	static void test##_here(void **state) \
	{ \
		if (condition) \
			test(state); \
		else \
			skip(); \
	}

#endif
