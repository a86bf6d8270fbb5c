#include "tests/unwind/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <pdconv/pdconv.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "tests/unwind/die.h"
#include "tests/unwind/image.h"

enum { EVENT_ID = 1, FIRST_TIME = 1000000000, TIME_STEP = 1000, PERIOD = 250000 };

/* A file that goes into the feature BUILD_ID. */
struct known_file {
	char path[256];
	struct pd_build_id id;
	pid_t pid;
};

struct recording {
	const struct arch *arch;
	const char *path;
	bool swap;
	FILE *out;
	FILE *truth;
	struct pd_writer *writer;
	struct pd_plan plan;
	size_t slice;
	uint64_t time;
	/** Mappings that MMAP2 records describe. */
	struct mappings recorded;
	PD_VEC(struct known_file) files;
	struct pd_bytes record;
	uint8_t *padded;
};

static void check(struct pd_error *err)
{
	if (!err)
		return;
	_cleanup_free_ char *text = pd_error_string(err);
	die("%s", text ? text : "no memory");
}

/* The attr of perf record -e cpu-clock:u --call-graph dwarf,SLICE. */
static struct pd_attr attr_of(const struct recording *recording)
{
	enum { SW_CPU_CLOCK = 0, KERNEL_6_1_BYTES = 128, HZ = 4000 };
	static const enum pd_attr_flag flags[] = { PD_ATTR_disabled, PD_ATTR_inherit,
		PD_ATTR_exclude_kernel, PD_ATTR_exclude_hv, PD_ATTR_mmap, PD_ATTR_comm,
		PD_ATTR_freq, PD_ATTR_enable_on_exec, PD_ATTR_task, PD_ATTR_mmap_data,
		PD_ATTR_sample_id_all, PD_ATTR_exclude_guest, PD_ATTR_exclude_callchain_user,
		PD_ATTR_mmap2, PD_ATTR_comm_exec, PD_ATTR_ksymbol, PD_ATTR_bpf_event };
	struct pd_attr attr = {
		.type = PD_TYPE_SOFTWARE,
		.size = KERNEL_6_1_BYTES,
		.config = SW_CPU_CLOCK,
		.sample_period = HZ,
		.sample_type = 1 << PD_SAMPLE_IP | 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME |
			       1 << PD_SAMPLE_ADDR | 1 << PD_SAMPLE_CALLCHAIN |
			       1 << PD_SAMPLE_PERIOD | 1 << PD_SAMPLE_REGS_USER |
			       1 << PD_SAMPLE_STACK_USER | 1 << PD_SAMPLE_DATA_SRC,
		.read_format = PD_READ_ID | PD_READ_LOST,
		.sample_regs_user = recording->arch->mask,
		.sample_stack_user = (uint32_t)recording->slice,
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(flags); i++)
		attr.flags |= (uint64_t)1 << flags[i];
	return attr;
}

static void add_text(struct recording *recording, enum pd_feature_bit bit, const char *text)
{
	struct pd_string body = { .value = { .s = text, .len = strlen(text) } };
	struct pd_bytes out = { .swap = recording->swap };

	pd_layout_encode(&pd_layout_string, &body, NULL, &out);
	check(pd_writer_add_feature(recording->writer, bit, out.buf.data, out.buf.n));
	pd_bytes_deinit(&out);
}

struct recording *recording_create(
	const struct arch *arch, const char *path, const char *truth, size_t slice)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	uint64_t id = EVENT_ID;

	if (!recording || !(recording->padded = calloc(1, slice)))
		die("no memory");
	recording->arch = arch;
	recording->path = path;
	recording->slice = slice;
	recording->time = FIRST_TIME;
	recording->swap = arch->is_big_endian != pd_is_big_endian(false);
	recording->record.swap = recording->swap;
	recording->out = fopen(path, "w+be");
	recording->truth = fopen(truth, "we");
	if (!recording->out || !recording->truth)
		die("cannot write '%s' and '%s'", path, truth);
	struct pd_writer_opts opts = { .swap = recording->swap };
	check(pd_writer_create(recording->out, path, &opts, &recording->writer));
	struct pd_attr attr = attr_of(recording);
	pd_plan_compile(&attr, &recording->plan);
	check(pd_writer_add_event(recording->writer, &attr, &id, 1));
	add_text(recording, PD_FEATURE_HOSTNAME, "corpus");
	add_text(recording, PD_FEATURE_OSRELEASE, "6.1.0");
	add_text(recording, PD_FEATURE_ARCH, arch->uname);
	return recording;
}

static void add_record(struct recording *recording)
{
	struct pd_bytes *record = &recording->record;

	if (record->failed)
		die("no memory");
	check(pd_writer_add_records(recording->writer, record->buf.data, record->buf.n));
	record->buf.n = 0;
}

static void encode(struct recording *recording, const struct pd_layout *layout, uint16_t misc,
	const union pd_body *body, pid_t pid, pid_t tid)
{
	struct pd_sid sid = { .pid = (uint32_t)pid, .tid = (uint32_t)tid, .time = recording->time };
	struct pd_bytes trailer = { .swap = recording->swap };

	pd_sid_encode(&recording->plan, &sid, &trailer);
	if (!pd_record_encode(
		    layout, misc, body, trailer.buf.data, trailer.buf.n, &recording->record))
		die("a record is too large");
	pd_bytes_deinit(&trailer);
	add_record(recording);
}

static struct pd_str str(const char *s)
{
	return (struct pd_str){ .s = s, .len = strlen(s) };
}

void recording_comm(struct recording *recording, pid_t pid, const char *name)
{
	union pd_body body = { .comm = { (uint32_t)pid, (uint32_t)pid, str(name) } };

	encode(recording, &pd_layout_comm, PD_MISC_COMM_EXEC, &body, pid, pid);
}

void recording_fork(struct recording *recording, pid_t pid, pid_t tid)
{
	union pd_body body = { .fork = { (uint32_t)pid, (uint32_t)pid, (uint32_t)tid, (uint32_t)pid,
				       recording->time } };

	encode(recording, &pd_layout_fork, 0, &body, pid, tid);
}

static bool is_recorded(const struct recording *recording, const struct mapping *mapping)
{
	const struct mapping *known = mappings_find(&recording->recorded, mapping->start);

	return known && known->start == mapping->start && known->end == mapping->end &&
	       known->offset == mapping->offset && known->inode == mapping->inode &&
	       known->prot == mapping->prot && strcmp(known->path, mapping->path) == 0;
}

/* Forget the mappings that a new one replaces, and remember it. */
static void remember(struct recording *recording, const struct mapping *mapping)
{
	size_t n = 0;

	for (size_t i = 0; i < recording->recorded.list.n; i++) {
		const struct mapping *other = &recording->recorded.list.data[i];

		if (other->end <= mapping->start || mapping->end <= other->start)
			recording->recorded.list.data[n++] = *other;
	}
	recording->recorded.list.n = n;
	if (!pd_vec_push(&recording->recorded.list, *mapping))
		die("no memory");
}

static void remember_file(struct recording *recording, pid_t pid, const char *path)
{
	struct known_file file = { .pid = pid };
	struct image image;

	for (size_t i = 0; i < recording->files.n; i++) {
		if (strcmp(recording->files.data[i].path, path) == 0)
			return;
	}
	bool is_read = strcmp(path, "[vdso]") == 0 ? image_read_vdso(&image)
		       : path[0] == '/'		   ? image_read(path, &image)
						   : false;
	if (!is_read || image.e_machine != recording->arch->e_machine || !image.build_id.len)
		return;
	file.id = image.build_id;
	snprintf(file.path, sizeof(file.path), "%s", path);
	if (!pd_vec_push(&recording->files, file))
		die("no memory");
}

static void add_mapping(struct recording *recording, pid_t pid, const struct mapping *mapping)
{
	const char *path = mapping->path[0] ? mapping->path : "//anon";
	union pd_body body = { .mmap2 = {
				       .pid = (uint32_t)pid,
				       .tid = (uint32_t)pid,
				       .addr = mapping->start,
				       .len = mapping->end - mapping->start,
				       .pgoff = mapping->offset,
				       .maj = mapping->major,
				       .min = mapping->minor,
				       .ino = mapping->inode,
				       .prot = (uint32_t)mapping->prot,
				       .flags = MAP_PRIVATE,
				       .filename = str(path),
			       } };

	remember(recording, mapping);
	remember_file(recording, pid, path);
	fprintf(recording->truth, "M %d %" PRIx64 " %" PRIx64 " %" PRIx64 " %s\n", pid,
		mapping->start, mapping->end, mapping->offset, path);
	encode(recording, &pd_layout_mmap2,
		PD_MISC_USER | (mapping->prot & PROT_EXEC ? 0 : PD_MISC_MMAP_DATA), &body, pid,
		pid);
}

void recording_mappings(struct recording *recording, pid_t pid, const struct mappings *mappings)
{
	for (size_t i = 0; i < mappings->list.n; i++) {
		const struct mapping *mapping = &mappings->list.data[i];

		/* perf's unwinder needs the start of each file, whether it is executable or not. */
		if ((mapping->prot & PROT_EXEC || mapping->path[0]) &&
			!is_recorded(recording, mapping))
			add_mapping(recording, pid, mapping);
	}
}

/* Registers in the order of perf's numbers. */
static size_t put_regs(
	const struct recording *recording, const struct cpu *cpu, struct pd_bytes *out)
{
	size_t n = 0;

	for (unsigned reg = 0; reg < MAX_REGS; reg++) {
		if (!(recording->arch->mask >> reg & 1))
			continue;
		pd_bytes_u64(out, cpu->reg[reg]);
		n++;
	}
	return n;
}

static void print_truth(struct recording *recording, const struct shadow_chain *truth)
{
	fprintf(recording->truth, "S %" PRIu64 "\n", recording->time);
	for (size_t i = 0; i < truth->frames.n; i++) {
		const struct shadow_frame *frame = &truth->frames.data[i];

		fprintf(recording->truth, "%" PRIx64 " ", frame->addr);
		if (frame->reach == UINT64_MAX)
			fputs("-\n", recording->truth);
		else
			fprintf(recording->truth, "%" PRIu64 "\n", frame->reach);
	}
}

void recording_sample(struct recording *recording, pid_t pid, pid_t tid, const struct cpu *cpu,
	const void *stack, size_t size, const struct shadow_chain *truth)
{
	struct pd_bytes regs = { 0 };
	struct pd_sample sample = {
		.ip = arch_pc(recording->arch, cpu),
		.pid = (uint32_t)pid,
		.tid = (uint32_t)tid,
		.time = recording->time += TIME_STEP,
		.period = PERIOD,
		.callchain = { .elem_size = 8 },
		.regs_user = { .abi = recording->arch->abi, .mask = recording->arch->mask },
		.stack_user = { .bytes = { .data = recording->padded, .elem_size = 1, .n = size },
			.reserved = recording->slice,
			.dyn_size = size },
	};

	memcpy(recording->padded, stack, size);
	memset(recording->padded + size, 0, recording->slice - size);
	size_t n = put_regs(recording, cpu, &regs);
	sample.regs_user.values = (struct pd_view){ .data = regs.buf.data, .elem_size = 8, .n = n };
	if (!pd_sample_encode(&recording->plan, PD_MISC_USER, &sample, &recording->record))
		die("a sample is too large");
	pd_bytes_deinit(&regs);
	add_record(recording);
	print_truth(recording, truth);
}

/* See perf's struct perf_record_header_build_id: the id, then its length where misc says so. */
static void add_build_ids(struct recording *recording)
{
	struct pd_bytes out = { .swap = recording->swap };

	for (size_t i = 0; i < recording->files.n; i++) {
		const struct known_file *file = &recording->files.data[i];
		uint8_t id[24] = { 0 };

		memcpy(id, file->id.bytes, file->id.len);
		id[PD_BUILD_ID_MAX] = file->id.len;
		size_t start = pd_record_begin(0, PD_MISC_USER | PD_MISC_BUILD_ID_SIZE, &out);
		pd_bytes_u32(&out, (uint32_t)file->pid);
		pd_bytes_put(&out, id, sizeof(id));
		pd_bytes_put(&out, file->path, strlen(file->path) + 1);
		if (!pd_record_end(start, &out))
			die("a path is too long");
	}
	if (out.buf.n)
		check(pd_writer_add_feature(
			recording->writer, PD_FEATURE_BUILD_ID, out.buf.data, out.buf.n));
	pd_bytes_deinit(&out);
}

void recording_finish(struct recording *recording)
{
	add_build_ids(recording);
	check(pd_writer_finish(recording->writer));
	pd_writer_destroy(recording->writer);
	if (fclose(recording->out) != 0 || fclose(recording->truth) != 0)
		die("cannot write '%s'", recording->path);
	mappings_deinit(&recording->recorded);
	pd_vec_deinit(&recording->files);
	pd_bytes_deinit(&recording->record);
	free(recording->padded);
	free(recording);
}
