/* Fields of a sample, written like `perf script`, in the order of output/script_field_defs.h. */
#include "output/script/script_values.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include <pdconv/bitfield.h>
#include <pdconv/sample.h>

#include "analyze/keys/sample_text.h"
#include "base/array.h"
#include "output/script/script_frames.h"

static bool shows(const struct script_sample *at, uint32_t bits)
{
	return at->shown & bits;
}

/* perf does not pad the names of threads where a stack follows. */
static void write_name(
	const struct script *s, const struct prof_event *event, const char *comm, uint32_t shown)
{
	bool is_padded = !(shown & SCRIPT_BIT(IP) && script_shows_stacks(s, event));
	int pad = is_padded ? 16 - (int)strlen(comm) : 0;

	base_line_put_spaces(s->line, pad);
	base_line_put_text(s->line, comm);
	base_line_put_char(s->line, ' ');
}

/* Write a process or thread, which is negative if it is not known. */
static void write_id(const struct script *s, uint32_t id, int width)
{
	if ((int32_t)id < 0)
		base_line_printf(s->line, "%*" PRId32, width, (int32_t)id);
	else
		base_line_put_decimal(s->line, id, (size_t)width, ' ');
}

static int digits(uint32_t number)
{
	int n = 1;

	for (; number >= 10; number /= 10)
		n++;
	return n;
}

/* perf pads the numbers to the widest that Linux gives, up to 6.1 to those below 100,000. */
enum { ID_WIDTH = 7 };

static void write_thread(const struct script *s, uint32_t pid, uint32_t tid, uint32_t shown)
{
	bool has_pid = shown & SCRIPT_BIT(PID), has_tid = shown & SCRIPT_BIT(TID);

	if (!has_pid && !has_tid)
		return;
	write_id(s, has_pid ? pid : tid, ID_WIDTH);
	if (has_pid && has_tid) {
		base_line_put_char(s->line, '/');
		write_id(s, tid, 0);
		base_line_put_spaces(s->line,
			(int32_t)tid < 0 ? ID_WIDTH - 1 - digits(-tid) : ID_WIDTH - digits(tid));
	}
	base_line_put_char(s->line, ' ');
}

static void write_when(const struct script *s, uint64_t time)
{
	uint64_t seconds = time / 1000000000, ns = time % 1000000000;

	base_line_put_decimal(s->line, seconds, 5, ' ');
	base_line_put_char(s->line, '.');
	if (s->opts->ns)
		base_line_put_decimal(s->line, ns, 9, '0');
	else
		base_line_put_decimal(s->line, ns / 1000, 6, '0');
	base_line_put(s->line, ": ", 2);
}

void script_write_start(const struct script *s, const struct script_start *start, uint32_t shown)
{
	if (shown & SCRIPT_BIT(COMM))
		write_name(s, start->event, start->comm, shown);
	write_thread(s, start->pid, start->tid, shown);
	if (shown & SCRIPT_BIT(CPU))
		base_line_printf(s->line, "[%03" PRId32 "] ", (int32_t)start->cpu);
	if (shown & SCRIPT_BIT(TIME))
		write_when(s, start->time);
}

static void write_comm(struct script *s, const struct script_sample *at)
{
	write_name(s, at->event, prof_string(s->profile, at->thread->comm), at->shown);
}

static void write_ids(struct script *s, const struct script_sample *at)
{
	write_thread(s, at->thread->pid, at->thread->tid, at->shown);
}

static void write_tid(struct script *s, const struct script_sample *at)
{
	if (!shows(at, SCRIPT_BIT(PID)))
		write_ids(s, at);
}

static void write_cpu(struct script *s, const struct script_sample *at)
{
	if (at->row->cpu == PROF_NONE)
		return;
	base_line_put_char(s->line, '[');
	base_line_put_decimal(s->line, at->row->cpu, 3, '0');
	base_line_put(s->line, "] ", 2);
}

static void write_time(struct script *s, const struct script_sample *at)
{
	if (at->row->time != PD_NO_TIME)
		write_when(s, at->row->time);
}

static void write_period(struct script *s, const struct script_sample *at)
{
	base_line_put_decimal(s->line, at->row->period, 10, ' ');
	base_line_put_char(s->line, ' ');
}

static void write_event(struct script *s, const struct script_sample *at)
{
	const char *name = prof_string(s->profile, at->event->name);

	base_line_put_spaces(s->line, s->event_width - (int)strlen(name));
	base_line_put_text(s->line, name);
	base_line_put(s->line, ": ", 2);
}

/*
 * Only samples synthesized from hardware traces have flags. perf leaves the column blank for
 * others.
 */
static void write_flags(struct script *s, const struct script_sample *at)
{
	(void)at;
	base_line_put_spaces(s->line, 24);
}

static void write_trace(struct script *s, const struct script_sample *at)
{
	base_line_put_text(s->line, prof_trace_text(s->profile, at->row->trace));
}

static void write_addr(struct script *s, const struct script_sample *at)
{
	base_line_put_hex(s->line, at->detail->addr, 16);
	if (!at->event->is_page_fault)
		return;
	if (shows(at, SCRIPT_BIT(SYM))) {
		base_line_put_char(s->line, ' ');
		script_write_symbol(s, at->detail->addr_frame, shows(at, SCRIPT_BIT(SYMOFF)));
	}
	if (shows(at, SCRIPT_BIT(DSO))) {
		base_line_put_str(s->line, " (");
		script_write_binary(s, at->detail->addr_frame, at->thread->pid);
		base_line_put_str(s->line, ")");
	}
}

static void write_weight(struct script *s, const struct script_sample *at)
{
	uint64_t weight = at->detail->weight;

	/* WEIGHT_STRUCT packs three numbers; the first is the weight. */
	if (at->event->fields & PROF_FIELD_BIT(WEIGHT_STRUCT))
		weight = pd_bitfield_get(
			&pd_bitfields_weight_struct.fields[PD_WEIGHT_var1_dw], weight);
	base_line_put_decimal(s->line, weight, 16, ' ');
}

static void write_ins_lat(struct script *s, const struct script_sample *at)
{
	uint64_t latency = pd_bitfield_get(
		&pd_bitfields_weight_struct.fields[PD_WEIGHT_var2_w], at->detail->weight);

	base_line_put_decimal(s->line, latency, 16, ' ');
}

/* Write the sampled address on the same line, or the stack from the next line on. */
static void write_ip(struct script *s, const struct script_sample *at)
{
	if (script_shows_stacks(s, at->event)) {
		base_line_put_char(s->line, '\n');
		script_write_stack(s, at);
		return;
	}
	base_line_put_char(s->line, ' ');
	script_write_location(s, at);
}

/* perf prints x86 register names in upper case, and those of other architectures as they are. */
static void write_reg_name(const struct script *s, unsigned bit)
{
	const char *name = pd_arch_reg_name(s->profile->arch, bit);
	size_t len = name ? strlen(name) : 0;
	bool is_x86 = s->profile->arch == &base_arch_x86_64 || s->profile->arch == &base_arch_i386;

	if (!name) {
		base_line_put_decimal(s->line, bit, 5, ' ');
		return;
	}
	base_line_put_spaces(s->line, 5 - (int)len);
	for (size_t i = 0; i < len; i++)
		base_line_put_char(
			s->line, is_x86 ? (char)toupper((unsigned char)name[i]) : name[i]);
}

static void write_regs(const struct script *s, struct prof_bytes_id bytes)
{
	uint32_t size;
	const uint64_t *words = prof_bytes(s->profile, bytes, &size);
	size_t n = size / sizeof(*words), next = 2;

	/* ABI 0 means no registers: a kernel thread has no user-space registers. */
	if (n < 2 || !words[0])
		return;
	base_line_put_str(s->line, " ABI:");
	base_line_put_decimal(s->line, words[0], 0, ' ');
	base_line_put_char(s->line, ' ');
	for (unsigned bit = 0; bit < 64 && next < n; bit++) {
		if (!(words[1] >> bit & 1))
			continue;
		write_reg_name(s, bit);
		base_line_put_str(s->line, ":0x");
		base_line_put_hex(s->line, words[next++], 0);
		base_line_put_char(s->line, ' ');
	}
}

static void write_iregs(struct script *s, const struct script_sample *at)
{
	write_regs(s, at->detail->regs_intr);
}

static void write_uregs(struct script *s, const struct script_sample *at)
{
	write_regs(s, at->detail->regs_user);
}

static uint64_t branch_part(const struct prof_branch *branch, enum pd_branch_bitfield part)
{
	return pd_bitfield_get(&pd_bitfields_branch_flags.fields[part], branch->flags);
}

/* Return the name of the branch type, or "" if it is unknown. */
static const char *branch_type(const struct prof_branch *branch)
{
	uint64_t type = branch_part(branch, PD_BRANCH_type);
	const struct pd_bitfield *part = &pd_bitfields_branch_flags.fields[PD_BRANCH_type];

	return type && type < part->n_names ? part->names[type] : "";
}

static void write_branch_flags(const struct script *s, const struct prof_branch *branch)
{
	/* A branch with neither bit set was recorded without prediction: perf prints '-'. */
	bool predicted = branch_part(branch, PD_BRANCH_predicted);
	bool mispredicted = branch_part(branch, PD_BRANCH_mispred);

	base_line_printf(s->line, "/%c/%c/%c/%" PRIu64 "/%s ",
		predicted      ? 'P'
		: mispredicted ? 'M'
			       : '-',
		branch_part(branch, PD_BRANCH_in_tx) ? 'X' : '-',
		branch_part(branch, PD_BRANCH_abort) ? 'A' : '-',
		branch_part(branch, PD_BRANCH_cycles), branch_type(branch));
}

static const struct prof_branch *branches_of(
	const struct script *s, const struct script_sample *at, size_t *n_ret)
{
	uint32_t size;
	const struct prof_branch *branches = prof_bytes(s->profile, at->detail->branches, &size);

	*n_ret = size / sizeof(*branches);
	return branches;
}

static void write_branch_binary(
	const struct script *s, const struct script_sample *at, struct prof_frame_id frame)
{
	if (!shows(at, SCRIPT_BIT(DSO)))
		return;
	base_line_put_char(s->line, '(');
	script_write_binary(s, frame, at->thread->pid);
	base_line_put_char(s->line, ')');
}

static void write_brstack(struct script *s, const struct script_sample *at)
{
	size_t n;
	const struct prof_branch *branches = branches_of(s, at, &n);

	for (size_t i = 0; i < n; i++) {
		base_line_put_str(s->line, " 0x");
		base_line_put_hex(s->line, branches[i].from, 0);
		write_branch_binary(s, at, branches[i].from_frame);
		base_line_put_str(s->line, "/0x");
		base_line_put_hex(s->line, branches[i].to, 0);
		write_branch_binary(s, at, branches[i].to_frame);
		write_branch_flags(s, &branches[i]);
	}
}

static void write_brstacksym(struct script *s, const struct script_sample *at)
{
	size_t n;
	const struct prof_branch *branches = branches_of(s, at, &n);

	for (size_t i = 0; i < n; i++) {
		script_write_symbol(s, branches[i].from_frame, true);
		write_branch_binary(s, at, branches[i].from_frame);
		base_line_put_char(s->line, '/');
		script_write_symbol(s, branches[i].to_frame, true);
		write_branch_binary(s, at, branches[i].to_frame);
		write_branch_flags(s, &branches[i]);
	}
}

/*
 * Whether the bytes are printable text followed by nothing but NULs: perf prints these as a string
 * too.
 */
static bool is_bpf_text(const uint8_t *bytes, size_t n)
{
	size_t len = strnlen((const char *)bytes, n);

	if (len == n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i < len ? !isprint(bytes[i]) : bytes[i])
			return false;
	}
	return true;
}

static void write_bpf_line(const struct script *s, const uint8_t *bytes, size_t at, size_t n)
{
	enum { WIDTH = 8 };

	base_line_printf(s->line, "%17s %04zx:", at ? "" : "BPF output:", at);
	for (size_t i = 0; i < WIDTH; i++) {
		if (at + i < n)
			base_line_printf(s->line, " %02x", bytes[at + i]);
		else
			base_line_put_str(s->line, "   ");
	}
	base_line_put_str(s->line, "  ");
	for (size_t i = 0; i < WIDTH; i++)
		base_line_put_char(s->line, at + i >= n		     ? ' '
					    : isprint(bytes[at + i]) ? (char)bytes[at + i]
								     : '.');
	base_line_put_char(s->line, '\n');
}

static void write_bpf_output(struct script *s, const struct script_sample *at)
{
	uint32_t n;
	const uint8_t *bytes = prof_bytes(s->profile, at->detail->raw, &n);

	/* Tracepoints have raw data too, which the field trace prints. */
	if (!at->event->is_bpf_output)
		return;
	base_line_put_char(s->line, '\n');
	for (size_t i = 0; i < n; i += 8)
		write_bpf_line(s, bytes, i, n);
	if (is_bpf_text(bytes, n))
		base_line_printf(s->line, "%17s \"%s\"\n", "BPF string:", (const char *)bytes);
}

static void write_phys_addr(struct script *s, const struct script_sample *at)
{
	base_line_put_hex(s->line, at->detail->phys_addr, 16);
}

static void write_page_size(const struct script *s, uint64_t size)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;

	/* Page sizes are powers of two; 0 means that the kernel did not know it. */
	for (; size && size % 1024 == 0; size /= 1024)
		unit++;
	if (size)
		base_line_printf(s->line, " %" PRIu64 "%c", size, units[unit]);
	else
		base_line_put_str(s->line, " N/A");
}

static void write_data_page_size(struct script *s, const struct script_sample *at)
{
	write_page_size(s, at->detail->data_page_size);
}

static void write_code_page_size(struct script *s, const struct script_sample *at)
{
	write_page_size(s, at->detail->code_page_size);
}

int script_data_src(uint64_t data_src, char *buf, size_t size)
{
	static const struct {
		enum ana_data_src_part part;
		const char *mark;
	} parts[] = {
		{ ANA_DATA_SRC_OP, "|OP " },
		{ ANA_DATA_SRC_LEVEL, "|LVL " },
		{ ANA_DATA_SRC_SNOOP, "|SNP " },
		{ ANA_DATA_SRC_TLB, "|TLB " },
		{ ANA_DATA_SRC_LOCK, "|LCK " },
		{ ANA_DATA_SRC_BLOCK, "|BLK " },
	};
	size_t len = (size_t)snprintf(buf, size, "%16" PRIx64 " ", data_src);
	char text[256];

	for (size_t i = 0; i < PD_ARRAY_LEN(parts) && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s", parts[i].mark,
			ana_data_src_text(data_src, parts[i].part, text, sizeof(text)));
	return (int)(len < size ? len : size - 1);
}

static void write_data_src(struct script *s, const struct script_sample *at)
{
	char text[256];
	int len = script_data_src(at->detail->data_src, text, sizeof(text));

	/* perf pads to the longest value so far, so the column may widen within the output. */
	if (len > s->data_src_width)
		s->data_src_width = len;
	base_line_put_str(s->line, text);
	base_line_put_spaces(s->line, s->data_src_width - len);
}

typedef void write_field(struct script *s, const struct script_sample *at);

#define WRITER(name_, text_, needs_, defaults_, invalid_, write_, help_) write_,
static write_field *const writers[SCRIPT_N_FIELDS] = { SCRIPT_FIELDS(WRITER) };
#undef WRITER

void script_write_sample(struct script *s, const struct script_sample *at)
{
	/* Visit the set bits from low to high, which is the order of printing. */
	for (uint32_t left = at->shown; left; left &= left - 1) {
		write_field *write = writers[__builtin_ctz(left)];

		if (write)
			write(s, at);
	}
	base_line_put_char(s->line, '\n');
}
