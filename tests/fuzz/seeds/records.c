/* Every record type and every sample field, made by the tables, for the target `records`. */
#include <stdio.h>
#include <stdlib.h>

#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "tests/fuzz/seeds/seeds.h"
#include "tests/unit/made_layout.h"

enum { HEADER = PD_RECORD_HEADER_BYTES, REGS = 0x1ff };

/* Append an attr as the target takes it. */
static void put_attr(struct pd_bytes *out, uint32_t sample_type)
{
	struct pd_bytes host = { 0 };

	pd_bytes_u8(&host, PD_TYPE_HARDWARE);
	pd_bytes_u8(&host, 0);
	pd_bytes_u8(&host, 1);
	pd_bytes_u32(&host, sample_type);
	pd_bytes_u8(&host, 15);
	pd_bytes_u64(&host, (uint64_t)1 << PD_ATTR_sample_id_all);
	pd_bytes_u32(&host, 0);
	pd_bytes_u64(&host, REGS);
	pd_bytes_u16(&host, 64);
	pd_bytes_u16(&host, REGS);
	pd_bytes_put(out, host.buf.data, host.buf.n);
	pd_bytes_deinit(&host);
}

static void put_record(
	struct pd_bytes *out, uint32_t type, uint16_t misc, const void *body, size_t size)
{
	pd_bytes_u8(out, (uint8_t)type);
	pd_bytes_u8(out, (uint8_t)misc);
	pd_bytes_u8(out, (uint8_t)(misc >> 8));
	seeds_piece(out, body, size);
}

static void begin(struct pd_bytes *out, bool swap, uint32_t sample_type)
{
	pd_bytes_u8(out, swap);
	put_attr(out, sample_type);
	put_attr(out, sample_type);
}

/* A record of @p layout with its trailer. */
static void write_layout(const struct pd_layout *layout, bool swap)
{
	const uint32_t sample_type = 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME;
	struct maker made = { .out = { .swap = swap } };
	struct pd_bytes seed = { 0 };
	char name[64];

	begin(&seed, swap, sample_type);
	make(&made, layout);
	pd_bytes_zeros(&made.out, -made.out.buf.n % 8);
	for (uint64_t word = 1; word <= 2; word++)
		pd_bytes_u64(&made.out, word);
	put_record(&seed, layout->type, layout->misc, made.out.buf.data, made.out.buf.n);
	pd_bytes_deinit(&made.out);
	snprintf(name, sizeof(name), "%s-%d", layout->name, swap);
	seeds_put("records", name, &seed);
}

/* Fields of any value: a chain, registers, a stack, branches and raw data. */
static struct pd_sample make_sample(void)
{
	static const uint64_t words[] = { PD_CONTEXT_USER, 0x401000, 0x401100, 0x401200, 0x401300,
		0x401400, 0x401500, 0x401600, 0x401700, 0x401800, 0x401900, 0x401a00 };
	static const struct pd_view nine = {
		.data = (const uint8_t *)words, .elem_size = 8, .n = 9
	};
	static const struct pd_view bytes = {
		.data = (const uint8_t *)words, .elem_size = 1, .n = 64
	};
	static const struct pd_view branches = {
		.data = (const uint8_t *)words, .elem_size = 24, .n = 4
	};

	return (struct pd_sample){
		.id = 1,
		.ip = 0x401000,
		.pid = 7,
		.tid = 8,
		.time = 1000,
		.callchain = nine,
		.raw = { .data = bytes.data, .elem_size = 1, .n = 20 },
		.branch_stack = { .entries = branches, .lacks_hw_idx = true },
		.regs_user = { .abi = PD_REGS_ABI_64, .mask = REGS, .values = nine },
		.regs_intr = { .abi = PD_REGS_ABI_64, .mask = REGS, .values = nine },
		.stack_user = { .bytes = bytes, .reserved = 64, .dyn_size = 64 },
		.aux = bytes,
	};
}

/* A sample with field @p bit in addition to its thread and time. */
static void write_sample(uint8_t bit, bool swap)
{
	const struct pd_attr attr = {
		.size = PD_ATTR_KNOWN_BYTES,
		.sample_type = 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME | (uint64_t)1 << bit,
		.sample_regs_user = REGS,
		.sample_regs_intr = REGS,
		.sample_stack_user = 64,
	};
	const struct pd_sample sample = make_sample();
	struct pd_bytes out = { .swap = swap }, seed = { 0 };
	struct pd_plan plan;
	char name[64];

	begin(&seed, swap, (uint32_t)attr.sample_type);
	pd_plan_compile(&attr, &plan);
	if (!pd_sample_encode(&plan, PD_MISC_USER, &sample, &out))
		abort();
	put_record(
		&seed, PD_RECORD_SAMPLE, PD_MISC_USER, out.buf.data + HEADER, out.buf.n - HEADER);
	pd_bytes_deinit(&out);
	snprintf(name, sizeof(name), "sample-%u-%d", bit, swap);
	seeds_put("records", name, &seed);
}

void seeds_of_records(void)
{
	size_t n;
	const struct pd_layout *const *layouts = pd_layouts(&n);

	for (size_t i = 0; i < n; i++) {
		write_layout(layouts[i], false);
		write_layout(layouts[i], true);
	}
	/* READ, bit 4, is left out: its layout is in the attr, and its length in neither. */
	for (uint8_t bit = 0; bit <= 24; bit++) {
		if (bit != PD_SAMPLE_READ) {
			write_sample(bit, false);
			write_sample(bit, true);
		}
	}
}
