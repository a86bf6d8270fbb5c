#include "analyze/keys/key_text.h"

#include <inttypes.h>
#include <string.h>

#include <pdconv/bitfield.h>
#include <pdconv/record.h>

#include "analyze/keys/sample_text.h"
#include "base/array.h"

static const char unknown[] = "[unknown]";

enum { CACHE_LINE = 64 };

typedef const char *text_fn(const struct ana_at *at, char *buf);

static const char *format_number(uint64_t number, char *buf)
{
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%" PRIu64, number);
	return buf;
}

static const char *format_address(uint64_t addr, char *buf)
{
	snprintf(buf, ANA_KEY_TEXT_SIZE, "0x%" PRIx64, addr);
	return buf;
}

/* "4K", as perf prints sizes of pages. */
static const char *format_page_size(uint64_t size, char *buf)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;

	for (; size && size % 1024 == 0; size /= 1024)
		unit++;
	if (!size)
		return "N/A";
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%" PRIu64 "%c", size, units[unit]);
	return buf;
}

static const char *text_of_comm(const struct ana_at *at, char *buf)
{
	(void)buf;
	return prof_string(at->profile, prof_thread(at->profile, at->sample->thread)->comm);
}

/* The process is named after its main thread, whatever its other threads are called. */
static const char *text_of_pid(const struct ana_at *at, char *buf)
{
	uint32_t pid = prof_thread(at->profile, at->sample->thread)->pid;
	struct prof_string_id name;

	if (!prof_find_process(at->profile, pid, &name))
		name = prof_thread(at->profile, at->sample->thread)->comm;
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%" PRIu32 ":%s", pid, prof_string(at->profile, name));
	return buf;
}

static const char *text_of_tid(const struct ana_at *at, char *buf)
{
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%" PRIu32 ":%s",
		prof_thread(at->profile, at->sample->thread)->tid, text_of_comm(at, NULL));
	return buf;
}

static uint32_t cpu_of(const struct ana_at *at)
{
	const struct prof_tags *tags = prof_tags(at->profile, at->sample->tags);

	return tags ? tags->cpu : PROF_NONE;
}

static const char *text_of_cpu(const struct ana_at *at, char *buf)
{
	uint32_t cpu = cpu_of(at);

	if (cpu == PROF_NONE)
		return unknown;
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%03" PRIu32, cpu);
	return buf;
}

static const char *text_of_socket(const struct ana_at *at, char *buf)
{
	uint32_t cpu = cpu_of(at);

	if (cpu >= at->profile->sockets.n || at->profile->sockets.data[cpu] == PROF_NONE)
		return unknown;
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%03" PRIu32, at->profile->sockets.data[cpu]);
	return buf;
}

static const char *text_of_parallelism(const struct ana_at *at, char *buf)
{
	const struct prof_tags *tags = prof_tags(at->profile, at->sample->tags);

	if (!tags || !tags->parallelism)
		return unknown;
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%" PRIu32, tags->parallelism);
	return buf;
}

/* Names such as kworker/3:1 and kworker/0:2 are one. */
static const char *text_of_comm_nodigit(const struct ana_at *at, char *buf)
{
	static const char digits[] = "0123456789", number[] = "<N>";
	const char *from = text_of_comm(at, NULL);
	size_t n = 0;

	while (*from && n + sizeof(number) < ANA_KEY_TEXT_SIZE) {
		size_t len = strspn(from, digits);

		if (len)
			n += (size_t)snprintf(&buf[n], sizeof(number), "%s", number);
		else
			buf[n++] = *from;
		from += len ? len : 1;
	}
	buf[n] = '\0';
	return buf;
}

static const char *text_of_cgroup(const struct ana_at *at, char *buf)
{
	const struct prof_tags *tags = prof_tags(at->profile, at->sample->tags);

	(void)buf;
	return tags ? prof_string(at->profile, tags->cgroup) : "";
}

static const char *text_of_time(const struct ana_at *at, char *buf)
{
	uint64_t time = prof_sample_time(at->profile, at->sample_id);

	if (time == PD_NO_TIME)
		return unknown;
	time -= at->time_quantum ? time % at->time_quantum : 0;
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%" PRIu64 ".%06" PRIu64, time / 1000000000,
		time / 1000 % 1000000);
	return buf;
}

/* The waker of the wait of a sample; *text_ret is the text if that is not a thread. */
static const struct ana_sample_waker *find_waker(const struct ana_at *at, const char **text_ret)
{
	static const char *const others[] = {
		[ANA_NO_WAIT] = "N/A",
		[ANA_WAIT_END_UNKNOWN] = "[not recorded]",
		[ANA_WAIT_END_BY_INTERRUPT] = "[interrupt]",
		[ANA_WAIT_END_BY_THREAD] = unknown,
	};
	const struct ana_sample_waker *waker = &at->wakers->list[at->sample_id.i];

	*text_ret = waker->interrupt.i ? prof_string(at->profile, waker->interrupt)
				       : others[waker->end];
	return waker->end == ANA_WAIT_END_BY_THREAD ? waker : NULL;
}

static const char *text_of_waker_comm(const struct ana_at *at, char *buf)
{
	const char *text;
	const struct ana_sample_waker *waker = find_waker(at, &text);

	(void)buf;
	return waker ? prof_string(at->profile, prof_thread(at->profile, waker->thread)->comm)
		     : text;
}

static const char *text_of_waker(const struct ana_at *at, char *buf)
{
	const char *text;
	const struct ana_sample_waker *waker = find_waker(at, &text);

	if (!waker)
		return text;
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%" PRIu32 ":%s",
		prof_thread(at->profile, waker->thread)->tid, text_of_waker_comm(at, NULL));
	return buf;
}

static const char *text_of_waker_sym(const struct ana_at *at, char *buf)
{
	const char *text;
	const struct ana_sample_waker *waker = find_waker(at, &text);

	(void)buf;
	return waker && waker->symbol != PROF_NONE
		       ? ana_symbol_name(&at->wakers->symbols, waker->symbol)
		       : text;
}

static const char *text_of_event(const struct ana_at *at, char *buf)
{
	(void)buf;
	return prof_string(at->profile, prof_event(at->profile, at->sample->event)->name);
}

static const char *line_name(const struct profile *profile, const struct prof_line *line)
{
	return prof_function_name(profile, line->function);
}

/* The parent in a frame, or NULL. Its outermost function is the last of its lines. */
static const char *find_parent(const struct ana_at *at, struct prof_frame_id frame)
{
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(at->profile, frame, &n);

	while (n--) {
		const char *name = line_name(at->profile, &lines[n]);

		if (base_pattern_matches(at->parent, name))
			return name;
	}
	return NULL;
}

static const char *text_of_parent(const struct ana_at *at, char *buf)
{
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(at->profile, at->sample->stack, &n);

	(void)buf;
	while (n--) {
		const char *name = find_parent(at, frames[n]);

		if (name)
			return name;
	}
	return "[other]";
}

static const char *text_of_dso(const struct ana_at *at, char *buf)
{
	(void)buf;
	if (!at->frame || prof_is_none(at->frame->binary))
		return unknown;
	return prof_binary_base(at->profile, at->frame->binary);
}

static const char *text_of_sym(const struct ana_at *at, char *buf)
{
	if (at->line)
		return line_name(at->profile, at->line);
	if (!at->frame)
		return unknown;
	return prof_unnamed(at->profile, at->frame, buf, ANA_KEY_TEXT_SIZE);
}

static const char *source_file(const struct ana_at *at)
{
	if (!at->line)
		return "";
	return prof_string(at->profile, prof_function(at->profile, at->line->function)->file);
}

static const char *text_of_srcfile(const struct ana_at *at, char *buf)
{
	const char *file = source_file(at);

	(void)buf;
	return *file ? file : unknown;
}

static const char *text_of_srcline(const struct ana_at *at, char *buf)
{
	const char *file = source_file(at);

	if (!*file || !at->line->line)
		return text_of_srcfile(at, buf);
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%s:%" PRIu32, file, at->line->line);
	return buf;
}

static const char *text_of_trace(const struct ana_at *at, char *buf)
{
	(void)buf;
	return prof_trace_text(at->profile, at->row->trace);
}

/* "N/A" in perf, too, for samples of events without the field. */
static const char *text_of_field(const struct ana_at *at, char *buf)
{
	const struct prof_event *event = prof_event(at->profile, at->sample->event);
	struct ana_trace_field field;

	if (!ana_field_is_of(at->field, prof_string(at->profile, event->name)) ||
		!ana_trace_find(prof_trace_text(at->profile, at->row->trace), at->field->name,
			at->field->name_len, &field))
		return "N/A";
	snprintf(buf, ANA_KEY_TEXT_SIZE, "%.*s",
		field.value_len < ANA_KEY_TEXT_SIZE ? (int)field.value_len : ANA_KEY_TEXT_SIZE - 1,
		field.value);
	return buf;
}

static const char *text_of_addr(const struct ana_at *at, char *buf)
{
	return format_address(at->detail->addr, buf);
}

static uint64_t weight_part(const struct ana_at *at, enum pd_weight_bitfield part)
{
	return pd_bitfield_get(&pd_bitfields_weight_struct.fields[part], at->detail->weight);
}

uint64_t ana_weight(const struct ana_at *at)
{
	const struct prof_event *event = prof_event(at->profile, at->sample->event);

	/* WEIGHT_STRUCT packs three numbers, the first of which is the weight. */
	return event->fields & PROF_FIELD_BIT(WEIGHT_STRUCT) ? weight_part(at, PD_WEIGHT_var1_dw)
							     : at->detail->weight;
}

static const char *text_of_weight(const struct ana_at *at, char *buf)
{
	return format_number(ana_weight(at), buf);
}

static const char *text_of_ins_lat(const struct ana_at *at, char *buf)
{
	return format_number(weight_part(at, PD_WEIGHT_var2_w), buf);
}

static const char *text_of_p_stage_cyc(const struct ana_at *at, char *buf)
{
	return format_number(weight_part(at, PD_WEIGHT_var3_w), buf);
}

/* Words of the bits of PERF_TXN_*, from bit 0 on. */
static const char *text_of_transaction(const struct ana_at *at, char *buf)
{
	static const char *const words[] = { "EL ", "TX ", "SYNC ", "ASYNC ", "RETRY ", "CON ",
		"CAP-WRITE ", "CAP-READ " };
	enum { SYNC = 4, ASYNC = 8 };
	uint64_t flags = at->detail->transaction;
	uint32_t code = (uint32_t)(flags >> 32);
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < PD_ARRAY_LEN(words); i++) {
		if (flags >> i & 1)
			len += (size_t)snprintf(buf + len, ANA_KEY_TEXT_SIZE - len, "%s", words[i]);
	}
	if (flags && !(flags & (SYNC | ASYNC)))
		len += (size_t)snprintf(buf + len, ANA_KEY_TEXT_SIZE - len, "NEITHER ");
	if (code)
		snprintf(buf + len, ANA_KEY_TEXT_SIZE - len, ":%" PRIx32, code);
	return buf;
}

static const char *text_of_code_page_size(const struct ana_at *at, char *buf)
{
	return format_page_size(at->detail->code_page_size, buf);
}

void ana_at_frame(struct ana_at *at, struct prof_frame_id id)
{
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(at->profile, id, &n);

	at->frame = prof_is_none(id) ? NULL : prof_frame(at->profile, id);
	/* The function itself, not those that are inlined into it. */
	at->line = n ? &lines[n - 1] : NULL;
}

/* Text of a property of frames at an end of the branch. */
static const char *text_at(
	const struct ana_at *at, struct prof_frame_id frame, text_fn *text, char *buf)
{
	struct ana_at end = *at;

	ana_at_frame(&end, frame);
	return text(&end, buf);
}

static const char *text_of_dso_from(const struct ana_at *at, char *buf)
{
	return text_at(at, at->branch->from_frame, text_of_dso, buf);
}

static const char *text_of_dso_to(const struct ana_at *at, char *buf)
{
	return text_at(at, at->branch->to_frame, text_of_dso, buf);
}

static const char *text_of_sym_from(const struct ana_at *at, char *buf)
{
	return text_at(at, at->branch->from_frame, text_of_sym, buf);
}

static const char *text_of_sym_to(const struct ana_at *at, char *buf)
{
	return text_at(at, at->branch->to_frame, text_of_sym, buf);
}

static const char *text_of_srcline_from(const struct ana_at *at, char *buf)
{
	return text_at(at, at->branch->from_frame, text_of_srcline, buf);
}

static const char *text_of_srcline_to(const struct ana_at *at, char *buf)
{
	return text_at(at, at->branch->to_frame, text_of_srcline, buf);
}

static const char *text_of_addr_from(const struct ana_at *at, char *buf)
{
	return format_address(at->branch->from, buf);
}

static const char *text_of_addr_to(const struct ana_at *at, char *buf)
{
	return format_address(at->branch->to, buf);
}

static uint64_t branch_part(const struct ana_at *at, enum pd_branch_bitfield part)
{
	return pd_bitfield_get(&pd_bitfields_branch_flags.fields[part], at->branch->flags);
}

static const char *text_of_mispredict(const struct ana_at *at, char *buf)
{
	(void)buf;
	if (branch_part(at, PD_BRANCH_predicted))
		return "N";
	return branch_part(at, PD_BRANCH_mispred) ? "Y" : "N/A";
}

static const char *text_of_in_tx(const struct ana_at *at, char *buf)
{
	(void)buf;
	return branch_part(at, PD_BRANCH_in_tx) ? "T" : ".";
}

static const char *text_of_abort(const struct ana_at *at, char *buf)
{
	(void)buf;
	return branch_part(at, PD_BRANCH_abort) ? "A" : ".";
}

static const char *text_of_cycles(const struct ana_at *at, char *buf)
{
	uint64_t cycles = branch_part(at, PD_BRANCH_cycles);

	return cycles ? format_number(cycles, buf) : "-";
}

static const char *data_src_text(const struct ana_at *at, enum ana_data_src_part part, char *buf)
{
	const char *text = ana_data_src_text(at->detail->data_src, part, buf, ANA_KEY_TEXT_SIZE);

	return text + strspn(text, " ");
}

static const char *text_of_mem(const struct ana_at *at, char *buf)
{
	return data_src_text(at, ANA_DATA_SRC_LEVEL, buf);
}

static const char *text_of_tlb(const struct ana_at *at, char *buf)
{
	return data_src_text(at, ANA_DATA_SRC_TLB, buf);
}

static const char *text_of_snoop(const struct ana_at *at, char *buf)
{
	return data_src_text(at, ANA_DATA_SRC_SNOOP, buf);
}

static const char *text_of_locked(const struct ana_at *at, char *buf)
{
	return data_src_text(at, ANA_DATA_SRC_LOCK, buf);
}

static const char *text_of_blocked(const struct ana_at *at, char *buf)
{
	return data_src_text(at, ANA_DATA_SRC_BLOCK, buf);
}

static const char *text_of_sym_daddr(const struct ana_at *at, char *buf)
{
	struct ana_at data = *at;

	ana_at_frame(&data, at->detail->addr_frame);
	/* Memory that no mapping of the recording has is only known by its address. */
	if (!data.frame || prof_is_none(data.frame->binary))
		return format_address(at->detail->addr, buf);
	return text_of_sym(&data, buf);
}

static const char *text_of_dso_daddr(const struct ana_at *at, char *buf)
{
	return text_at(at, at->detail->addr_frame, text_of_dso, buf);
}

static const char *text_of_dcacheline(const struct ana_at *at, char *buf)
{
	return format_address(at->detail->addr & ~(uint64_t)(CACHE_LINE - 1), buf);
}

static const char *text_of_phys_daddr(const struct ana_at *at, char *buf)
{
	return format_address(at->detail->phys_addr, buf);
}

static const char *text_of_data_page_size(const struct ana_at *at, char *buf)
{
	return format_page_size(at->detail->data_page_size, buf);
}

static text_fn *const texts[ANA_N_KEYS] = {
	[ANA_KEY_COMM] = text_of_comm,
	[ANA_KEY_COMM_NODIGIT] = text_of_comm_nodigit,
	[ANA_KEY_PARALLELISM] = text_of_parallelism,
	[ANA_KEY_PID] = text_of_pid,
	[ANA_KEY_TID] = text_of_tid,
	[ANA_KEY_CPU] = text_of_cpu,
	[ANA_KEY_SOCKET] = text_of_socket,
	[ANA_KEY_CGROUP] = text_of_cgroup,
	[ANA_KEY_TIME] = text_of_time,
	[ANA_KEY_WAKER] = text_of_waker,
	[ANA_KEY_WAKER_COMM] = text_of_waker_comm,
	[ANA_KEY_WAKER_SYM] = text_of_waker_sym,
	[ANA_KEY_EVENT] = text_of_event,
	[ANA_KEY_PARENT] = text_of_parent,
	[ANA_KEY_DSO] = text_of_dso,
	[ANA_KEY_SYM] = text_of_sym,
	[ANA_KEY_SRCFILE] = text_of_srcfile,
	[ANA_KEY_SRCLINE] = text_of_srcline,
	[ANA_KEY_TRACE] = text_of_trace,
	[ANA_KEY_FIELD] = text_of_field,
	[ANA_KEY_ADDR] = text_of_addr,
	[ANA_KEY_WEIGHT] = text_of_weight,
	[ANA_KEY_LOCAL_WEIGHT] = text_of_weight,
	[ANA_KEY_INS_LAT] = text_of_ins_lat,
	[ANA_KEY_LOCAL_INS_LAT] = text_of_ins_lat,
	[ANA_KEY_P_STAGE_CYC] = text_of_p_stage_cyc,
	[ANA_KEY_LOCAL_P_STAGE_CYC] = text_of_p_stage_cyc,
	[ANA_KEY_TRANSACTION] = text_of_transaction,
	[ANA_KEY_CODE_PAGE_SIZE] = text_of_code_page_size,
	[ANA_KEY_DSO_FROM] = text_of_dso_from,
	[ANA_KEY_DSO_TO] = text_of_dso_to,
	[ANA_KEY_SYM_FROM] = text_of_sym_from,
	[ANA_KEY_SYM_TO] = text_of_sym_to,
	[ANA_KEY_SRCLINE_FROM] = text_of_srcline_from,
	[ANA_KEY_SRCLINE_TO] = text_of_srcline_to,
	[ANA_KEY_ADDR_FROM] = text_of_addr_from,
	[ANA_KEY_ADDR_TO] = text_of_addr_to,
	[ANA_KEY_MISPREDICT] = text_of_mispredict,
	[ANA_KEY_IN_TX] = text_of_in_tx,
	[ANA_KEY_ABORT] = text_of_abort,
	[ANA_KEY_CYCLES] = text_of_cycles,
	[ANA_KEY_MEM] = text_of_mem,
	[ANA_KEY_TLB] = text_of_tlb,
	[ANA_KEY_SNOOP] = text_of_snoop,
	[ANA_KEY_LOCKED] = text_of_locked,
	[ANA_KEY_BLOCKED] = text_of_blocked,
	[ANA_KEY_SYM_DADDR] = text_of_sym_daddr,
	[ANA_KEY_DSO_DADDR] = text_of_dso_daddr,
	[ANA_KEY_DCACHELINE] = text_of_dcacheline,
	[ANA_KEY_PHYS_DADDR] = text_of_phys_daddr,
	[ANA_KEY_DATA_PAGE_SIZE] = text_of_data_page_size,
};

const char *ana_key_text(enum ana_key key, const struct ana_at *at, char *buf)
{
	return texts[key](at, buf);
}
