#include "capture/priority.h"

#include <sys/resource.h>
#include <unistd.h>

enum { RAISED = -15 };

int cap_priority_raise(void)
{
	id_t tid = (id_t)gettid();
	int nice = getpriority(PRIO_PROCESS, tid);

	setpriority(PRIO_PROCESS, tid, RAISED);
	return nice;
}

void cap_priority_restore(int nice)
{
	setpriority(PRIO_PROCESS, (id_t)gettid(), nice);
}
