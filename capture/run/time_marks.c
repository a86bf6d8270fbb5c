#include "capture/run/time_marks.h"

#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "base/cleanup.h"
#include "capture/events/event_item.h"
#include "capture/open.h"

void cap_time_marks_init(struct cap_time_marks *marks, int clock)
{
	*marks = (struct cap_time_marks){ .clock = clock, .fd = -1 };
}

void cap_time_marks_deinit(struct cap_time_marks *marks)
{
	cap_ring_unmap(&marks->ring);
	base_close(&marks->fd);
}

/* The event has no samples: its records are those of the thread's name. */
static struct pd_attr name_attr(void)
{
	return (struct pd_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER5,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.flags = CAP_FLAG(comm) | CAP_FLAG(sample_id_all) | CAP_FLAG(exclude_kernel) |
			 CAP_FLAG(exclude_hv),
	};
}

static bool open_event(struct cap_time_marks *marks)
{
	struct cap_event event = { .attr = name_attr() };

	if (marks->fd >= 0)
		return true;
	if (cap_event_try(&event, 0, -1, -1, 0, &marks->fd)) {
		marks->fd = -1;
		return false;
	}
	struct pd_error *err = cap_ring_map(marks->fd, 1, &marks->ring);
	if (!err)
		return true;
	pd_error_destroy(err);
	base_close(&marks->fd);
	return false;
}

/* Find the time of the last record in the ring, and release all of them. */
static bool take_time(struct cap_ring *ring, uint64_t *ret)
{
	struct cap_joined joined = { 0 };
	struct cap_ring_bytes bytes = cap_ring_peek(ring);
	size_t n = bytes.n_first + bytes.n_second;
	const uint8_t *records = cap_ring_join(&bytes, n, &joined);
	const struct pd_attr attr = name_attr();
	struct pd_plan plan;
	struct pd_record rec;
	bool has_time = false;

	pd_plan_compile(&attr, &plan);
	for (size_t at = 0; records && at < n; at += rec.size) {
		if (!cap_record_read(records + at, n - at, &rec))
			break;
		if (rec.type != PD_RECORD_COMM)
			continue;
		*ret = pd_sid_decode(&plan, &rec).time;
		has_time = true;
	}
	cap_ring_release(ring, n);
	pd_vec_deinit(&joined.bytes);
	return has_time;
}

/*
 * No system call reads the default clock, but each record has a time of it. The kernel records that
 * a thread gets a name even if it already has this name.
 */
static bool read_default_clock(struct cap_time_marks *marks, uint64_t *ret)
{
	char name[16] = "";

	if (!open_event(marks) || prctl(PR_GET_NAME, name) < 0 || prctl(PR_SET_NAME, name) < 0)
		return false;
	return take_time(&marks->ring, ret);
}

bool cap_time_marks_now(struct cap_time_marks *marks, uint64_t *ret)
{
	struct timespec now;

	if (marks->clock < 0)
		return read_default_clock(marks, ret);
	if (clock_gettime((clockid_t)marks->clock, &now) < 0)
		return false;
	*ret = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	return true;
}

struct pd_error *cap_time_marks_encode(
	const struct pd_attr *attr, uint64_t time, struct pd_bytes *out)
{
	_cleanup_(pd_bytes_deinit) struct pd_bytes trailer = { 0 };
	/* The mark is of no thread and of no CPU. */
	const struct pd_sid sid = { .time = time, .cpu = UINT32_MAX };
	const union pd_body body = { .lost_samples = { .lost = 0 } };
	struct pd_plan plan;

	pd_plan_compile(attr, &plan);
	pd_sid_encode(&plan, &sid, &trailer);
	if (trailer.failed || !pd_record_encode(&pd_layout_lost_samples, 0, &body, trailer.buf.data,
				      trailer.buf.n, out))
		return &pd_enomem;
	return NULL;
}
