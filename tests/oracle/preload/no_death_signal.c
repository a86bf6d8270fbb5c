/*
 * Preloaded into pdconv record: no process asks for a signal when its parent dies. So it is as if
 * the signal came later than the end of the pipe, which happens when the kernel is busy.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int prctl(int option, ...)
{
	unsigned long values[4];
	va_list list;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		values[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_PDEATHSIG)
		return 0;
	return (int)syscall(SYS_prctl, option, values[0], values[1], values[2], values[3]);
}
