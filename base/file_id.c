#include "base/file_id.h"

#include <time.h>

static int64_t in_ns(struct timespec time)
{
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

struct pd_file_id pd_file_identify(const struct stat *st)
{
	return (struct pd_file_id){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = (uint64_t)st->st_size,
		.mtime_ns = in_ns(st->st_mtim),
		.ctime_ns = in_ns(st->st_ctim),
		.mode = st->st_mode,
	};
}

/*
 * The kernel takes the time of a change from a clock that advances with the timer interrupt, up to
 * 10 ms apart. Some file systems store times in units of up to two seconds: their times have no
 * fraction.
 */
bool pd_file_is_fresh(const struct stat *st)
{
	static const int64_t TICK_NS = 50000000, COARSE_NS = 2500000000;
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now))
		return true;
	int64_t age = in_ns(now) - in_ns(st->st_ctim);
	return age < (st->st_ctim.tv_nsec ? TICK_NS : COARSE_NS);
}
