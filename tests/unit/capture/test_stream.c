/* Records of several rings as one stream: order, losses, records that are not wanted, damage. */
#include "tests/unit/test.h"

#include <linux/perf_event.h>
#include <string.h>

#include "capture/stream.h"
#include "parse/event_index.h"

enum { N_RINGS = 2, RING_BYTES = 256, N_LOST = 5 };

/* A session with rings in the memory of this process. */
struct ctx {
	struct perf_event_mmap_page pages[N_RINGS];
	uint8_t data[N_RINGS][RING_BYTES];
	struct cap_session session;
	struct pd_events events;
	struct cap_stream stream;
	size_t n_invalid;
	char text[200];
};

static struct ctx *create(uint64_t flags)
{
	const struct pd_attr attr = { .sample_type = 1 << PD_SAMPLE_TIME, .flags = flags };
	struct ctx *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	assert_ok(parse_events_add(&c->events, &attr));
	assert_ok(parse_events_finish(&c->events, 0));
	for (size_t i = 0; i < N_RINGS; i++) {
		const struct cap_cpu_ring ring = {
			.cpu = (int)i,
			.ring = { .map = &c->pages[i], .data = c->data[i], .size = RING_BYTES },
		};

		assert_true(pd_vec_push(&c->session.rings, ring));
	}
	cap_stream_init(&c->stream, &c->session, &c->events);
	return c;
}

static void destroy(struct ctx *c)
{
	cap_stream_deinit(&c->stream);
	pd_vec_deinit(&c->session.rings);
	parse_events_deinit(&c->events);
	free(c);
}

/* Write a record of @p n words after its header to ring @p i, as the kernel does. */
static void put(struct ctx *c, size_t i, uint32_t type, const uint64_t *words, size_t n)
{
	const struct perf_event_header header = { .type = type, .size = (uint16_t)(8 + 8 * n) };
	uint8_t *at = c->data[i] + c->pages[i].data_head;

	assert_true(c->pages[i].data_head + header.size <= RING_BYTES);
	memcpy(at, &header, sizeof(header));
	memcpy(at + sizeof(header), words, 8 * n);
	c->pages[i].data_head += header.size;
}

static void put_sample(struct ctx *c, size_t i, uint64_t time)
{
	put(c, i, PD_RECORD_SAMPLE, &time, 1);
}

/* Write a LOST record: an id, the number, and the time if records other than samples have one. */
static void put_lost(struct ctx *c, size_t i, uint64_t time)
{
	const uint64_t words[] = { 0, N_LOST, time };

	put(c, i, PD_RECORD_LOST, words, time ? 3 : 2);
}

/* Note the ring, the type and the time of a record. */
static struct pd_error *note(void *ctx, const struct pd_record *rec)
{
	struct ctx *c = ctx;
	size_t n = strlen(c->text);

	snprintf(c->text + n, sizeof(c->text) - n, "%u:%s:%u ", rec->part,
		pd_record_name(rec->type), (unsigned)rec->time);
	return NULL;
}

static void expect(struct ctx *c, bool is_end, const char *expected)
{
	c->text[0] = '\0';
	assert_ok(cap_stream_drain(&c->stream));
	assert_ok(cap_stream_round(&c->stream, is_end, note, c));
	assert_string_equal(c->text, expected);
}

static const uint64_t all_have_ids = (uint64_t)1 << PD_ATTR_sample_id_all;

static void orders_records_of_all_rings(void **state)
{
	struct ctx *c = create(all_have_ids);

	(void)state;
	put_sample(c, 0, 10);
	put_sample(c, 0, 30);
	put_sample(c, 1, 20);
	/* Older records may still be in a ring that was read before they were written. */
	expect(c, false, "");
	put_sample(c, 0, 40);
	put_sample(c, 1, 25);
	expect(c, false, "0:SAMPLE:10 1:SAMPLE:20 1:SAMPLE:25 0:SAMPLE:30 ");
	expect(c, true, "0:SAMPLE:40 ");
	destroy(c);
}

static void counts_losses_by_ring(void **state)
{
	struct ctx *c = create(all_have_ids);

	(void)state;
	put_lost(c, 1, 10);
	put_lost(c, 1, 20);
	put_sample(c, 0, 15);
	expect(c, true, "1:LOST:10 0:SAMPLE:15 1:LOST:20 ");
	assert_int_equal(c->session.rings.data[0].n_reported_lost, 0);
	assert_int_equal(c->session.rings.data[1].n_reported_lost, 2 * N_LOST);
	destroy(c);
}

static void drops_what_is_not_wanted(void **state)
{
	struct ctx *c = create(all_have_ids);

	(void)state;
	c->stream.types = 1 << PD_RECORD_SAMPLE;
	put_lost(c, 0, 10);
	put_sample(c, 0, 15);
	expect(c, true, "0:SAMPLE:15 ");
	assert_int_equal(c->session.rings.data[0].n_reported_lost, N_LOST);
	destroy(c);
}

static void keeps_records_without_time_in_place(void **state)
{
	struct ctx *c = create(0);

	(void)state;
	put_sample(c, 0, 10);
	put_lost(c, 0, 0);
	put_sample(c, 0, 30);
	expect(c, true, "0:SAMPLE:10 0:LOST:10 0:SAMPLE:30 ");
	c->stream.types = 1 << PD_RECORD_LOST;
	put_lost(c, 0, 0);
	expect(c, true, "");
	destroy(c);
}

static struct pd_error *ignore(void *ctx, struct pd_error *err)
{
	struct ctx *c = ctx;

	pd_error_destroy(err);
	c->n_invalid++;
	return NULL;
}

static void reports_what_is_not_a_record(void **state)
{
	struct ctx *c = create(all_have_ids);

	(void)state;
	/* A header of zeros. */
	c->pages[0].data_head = 8;
	assert_error(cap_stream_drain(&c->stream), PD_ERROR_FORMAT);
	c->stream.on_invalid = ignore;
	c->stream.ctx = c;
	memset(c->data[0] + 8, 0, 8);
	c->pages[0].data_head += 8;
	put_sample(c, 1, 20);
	expect(c, true, "1:SAMPLE:20 ");
	assert_int_equal(c->n_invalid, 1);
	destroy(c);
}

static void takes_records_from_elsewhere(void **state)
{
	const uint64_t words[] = { (uint64_t)16 << 48 | PD_RECORD_SAMPLE, 20,
		(uint64_t)16 << 48 | PD_RECORD_SAMPLE, 10 };
	struct ctx *c = create(all_have_ids);

	(void)state;
	assert_ok(cap_stream_add(&c->stream, words, sizeof(words)));
	assert_error(cap_stream_add(&c->stream, words, 12), PD_ERROR_FORMAT);
	expect(c, true, "0:SAMPLE:10 0:SAMPLE:20 ");
	destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_records_of_all_rings),
		cmocka_unit_test(counts_losses_by_ring),
		cmocka_unit_test(drops_what_is_not_wanted),
		cmocka_unit_test(keeps_records_without_time_in_place),
		cmocka_unit_test(reports_what_is_not_a_record),
		cmocka_unit_test(takes_records_from_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
