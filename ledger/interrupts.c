#include "ledger/interrupts.h"

#include <string.h>

#include "base/array.h"
#include "base/line.h"
#include "ledger/interrupt_defs.h"
#include "parse/open_file.h"
#include "parse/trace/trace_fields.h"
#include "parse/trace/trace_print.h"

/* Flags of a tracepoint's sample (enum trace_flag_type of Linux). */
enum { FLAG_HARDIRQ = 8, FLAG_SOFTIRQ = 16, FLAGS = FLAG_HARDIRQ | FLAG_SOFTIRQ };

enum { NO_ROW = UINT32_MAX, TEXT_SIZE = 128 };

enum called {
	LED_CALLED_FIELD,
	LED_CALLED_FUNCTION,
	LED_CALLED_EVENT,
};

static const struct {
	const char *system, *event, *prefix, *field;
	enum called called;
} rows[] = {
#define ROW(system, event, prefix, field, what) { system, event, prefix, field, LED_CALLED_##what },
	LED_INTERRUPT_EVENTS(ROW)
#undef ROW
};

static const struct {
	struct led_interrupt_reason reason;
	const char *functions;
} reasons[] = {
#define REASON(name, has_function, functions) { { name, has_function }, functions },
	LED_INTERRUPT_FUNCTIONS(REASON)
#undef REASON
};

/* A sample that is being taken. */
struct taking {
	struct led_interrupts *in;
	const struct led_interrupt_event *event;
	const struct pd_sample *sample;
	uint16_t cpumode;
	uint32_t flags;
};

void led_interrupts_init(struct led_interrupts *in, struct led_sched_events *sched)
{
	*in = (struct led_interrupts){
		.sched = sched,
		.list.width = sizeof(struct led_interrupt),
		.present = LED_NO_INTERRUPT,
	};
}

void led_interrupts_deinit(struct led_interrupts *in)
{
	pd_vec_deinit(&in->events);
	pd_vec_deinit(&in->cpus);
	base_map_deinit(&in->by_cpu);
	base_intern_deinit(&in->list);
	base_intern_deinit(&in->texts);
	base_intern_deinit(&in->chains);
}

const char *led_interrupt_kind_name(enum led_interrupt_kind kind)
{
	static const char *const names[LED_N_INTERRUPT_KINDS] = {
		[LED_INTERRUPT_HARD] = "[hard interrupt]",
		[LED_INTERRUPT_SOFT] = "[softirq]",
		[LED_INTERRUPT_OTHER] = "[interrupt]",
	};

	return names[kind];
}

/* Whether @p name is in a list of patterns that are separated by '|'. */
static bool matches(const char *list, const char *name)
{
	for (const char *at = list; *at;) {
		size_t len = strcspn(at, "|");
		bool is_prefix = at[len - 1] == '*';

		if (strncmp(at, name, len - is_prefix) == 0 && (is_prefix || !name[len]))
			return true;
		at += len + (at[len] == '|');
	}
	return false;
}

bool led_interrupt_reason(const char *function, struct led_interrupt_reason *ret)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(reasons); i++) {
		if (!matches(reasons[i].functions, function))
			continue;
		*ret = reasons[i].reason;
		return true;
	}
	return false;
}

/* Length of the name of a tracepoint without @p suffix; 0: it does not end so. */
static size_t length_before(const char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	return len > n && strcmp(name + len - n, suffix) == 0 ? len - n : 0;
}

/* Row of the events that are called like the first @p len characters of @p name. */
static uint32_t find_row(const char *system, const char *name, size_t len)
{
	for (uint32_t i = 0; i < PD_ARRAY_LEN(rows); i++) {
		const char *event = rows[i].event;
		bool is_any = strcmp(event, "*") == 0;

		if (strcmp(system, rows[i].system) == 0 &&
			(is_any || (strlen(event) == len && strncmp(event, name, len) == 0)))
			return i;
	}
	return NO_ROW;
}

static const struct pd_trace_field *find_field(
	const struct pd_tracepoint *tracepoint, const char *name)
{
	for (size_t i = 0; name && i < tracepoint->format.fields.n; i++) {
		if (strcmp(tracepoint->format.fields.data[i].name, name) == 0)
			return &tracepoint->format.fields.data[i];
	}
	return NULL;
}

static bool is_wakeup(const struct led_event *event)
{
	return event->kind == LED_TRACEPOINT_WAKING || event->kind == LED_TRACEPOINT_WAKEUP ||
	       event->kind == LED_TRACEPOINT_WAKEUP_NEW;
}

static struct led_interrupt_event describe(const struct led_event *from)
{
	struct led_interrupt_event event = { .row = NO_ROW, .tracepoint = from->tracepoint };

	if (!event.tracepoint)
		return event;
	const char *name = event.tracepoint->format.name;
	size_t entry = length_before(name, "_entry"), exit = length_before(name, "_exit");
	if (entry || exit)
		event.row = find_row(event.tracepoint->system, name, entry ? entry : exit);
	event.is_end = exit > 0;
	event.is_wakeup = is_wakeup(from);
	event.flags = find_field(event.tracepoint, "common_flags");
	if (event.row != NO_ROW)
		event.what = find_field(event.tracepoint, rows[event.row].field);
	return event;
}

/* A stream may have new events at any time. */
static struct pd_error *learn(struct led_interrupts *in)
{
	while (in->events.n < in->sched->list.n) {
		const struct led_interrupt_event event =
			describe(&in->sched->list.data[in->events.n]);

		if (!pd_vec_push(&in->events, event))
			return &pd_enomem;
	}
	return NULL;
}

static struct led_interrupt_cpu *get_cpu(struct led_interrupts *in, uint32_t number)
{
	static const struct led_interrupt_cpu fresh;
	bool is_new;
	uint64_t *at = base_map_add(&in->by_cpu, number, &is_new);

	if (!at)
		return NULL;
	if (is_new) {
		*at = in->cpus.n;
		if (!pd_vec_push(&in->cpus, fresh))
			return NULL;
	}
	/* It is missing if there was no memory for it before. */
	return *at < in->cpus.n ? &in->cpus.data[*at] : NULL;
}

static bool read_number(const struct taking *t, const struct pd_trace_field *field, uint64_t *ret)
{
	struct pd_trace_value value;

	if (!field)
		return false;
	parse_trace_value_of(&t->in->sched->present.values, field, &value);
	*ret = value.number.u;
	return value.kind == PD_TRACE_SIGNED || value.kind == PD_TRACE_UNSIGNED;
}

static enum led_interrupt_kind kind_of(uint32_t flags)
{
	if (!flags)
		return LED_INTERRUPT_OTHER;
	return flags & FLAG_HARDIRQ ? LED_INTERRUPT_HARD : LED_INTERRUPT_SOFT;
}

/* Write what an interrupt is called, without the name of a function. */
static void write_text(const struct taking *t, struct base_line *line)
{
	const struct led_interrupt_event *event = t->event;

	base_line_put_str(line, rows[event->row].prefix);
	switch (rows[event->row].called) {
	case LED_CALLED_FIELD:
		if (!event->what)
			return;
		base_line_put_str(line, " ");
		parse_trace_print_field(t->in->sched->file->tracing, &t->in->sched->present.values,
			event->what, line);
		return;
	case LED_CALLED_EVENT:
		base_line_printf(line, " %.*s",
			(int)length_before(event->tracepoint->format.name, "_entry"),
			event->tracepoint->format.name);
		return;
	case LED_CALLED_FUNCTION:
		return;
	}
}

/* Number of the interrupt that begins. PD_INTERN_NONE: no memory. */
static uint32_t name_beginning(const struct taking *t)
{
	struct led_interrupt interrupt = { .kind = kind_of(t->flags), .chain = PD_INTERN_NONE };
	char text[TEXT_SIZE];
	struct base_line line = { .bytes = text, .cap = sizeof(text) };

	write_text(t, &line);
	interrupt.text = base_intern_add(&t->in->texts, text, line.n);
	if (interrupt.text == PD_INTERN_NONE)
		return PD_INTERN_NONE;
	if (rows[t->event->row].called == LED_CALLED_FUNCTION)
		read_number(t, t->event->what, &interrupt.function);
	return base_intern_add(&t->in->list, &interrupt, sizeof(interrupt));
}

static struct pd_error *begin(const struct taking *t, struct led_interrupt_cpu *cpu)
{
	struct led_open_interrupt open = { t->event->row, t->flags, name_beginning(t) };

	if (open.number == PD_INTERN_NONE)
		return &pd_enomem;
	/* So many cannot be open: their ends are missing. */
	if (cpu->n == LED_OPEN_INTERRUPTS)
		cpu->n = 0;
	cpu->open[cpu->n++] = open;
	return NULL;
}

/* End the innermost interrupt of this row. If those in it have no end, records are missing. */
static void end(const struct taking *t, struct led_interrupt_cpu *cpu)
{
	for (uint32_t i = cpu->n; i-- > 0;) {
		if (cpu->open[i].row == t->event->row) {
			cpu->n = i;
			return;
		}
	}
}

/* Call chain of the kernel. *ret is PD_INTERN_NONE if there is none. */
static struct pd_error *keep_chain(const struct taking *t, uint32_t *ret)
{
	const struct pd_view *chain = &t->sample->callchain;
	bool is_kernel = t->cpumode == PD_MISC_KERNEL, is_return = false;
	uint64_t addrs[LED_INTERRUPT_FRAMES];
	size_t n = 0;

	for (size_t i = 0; i < chain->n && n < LED_INTERRUPT_FRAMES; i++) {
		uint64_t entry = pd_view_u64(chain, i);

		if (entry >= PD_CONTEXT_MIN) {
			is_kernel = entry == PD_CONTEXT_KERNEL;
			is_return = false;
		} else if (is_kernel) {
			addrs[n++] = entry - is_return;
			is_return = true;
		}
	}
	*ret = PD_INTERN_NONE;
	if (!n)
		return NULL;
	*ret = base_intern_add(&t->in->chains, addrs, n * sizeof(*addrs));
	return *ret == PD_INTERN_NONE ? &pd_enomem : NULL;
}

/* Find the interrupt in which the sample was taken. */
static struct pd_error *find_present(const struct taking *t, const struct led_interrupt_cpu *cpu)
{
	struct led_interrupt interrupt = { .kind = kind_of(t->flags), .text = PD_INTERN_NONE };
	const struct led_open_interrupt *open = cpu && cpu->n ? &cpu->open[cpu->n - 1] : NULL;

	/* The idle task has the number 0. */
	if (!t->flags && t->sample->tid)
		return NULL;
	/* With other flags, it is in one that is not recorded. */
	if (open && t->flags && open->flags == t->flags) {
		t->in->present = open->number;
		return NULL;
	}
	struct pd_error *err = keep_chain(t, &interrupt.chain);
	if (err)
		return err;
	t->in->present = base_intern_add(&t->in->list, &interrupt, sizeof(interrupt));
	return t->in->present == PD_INTERN_NONE ? &pd_enomem : NULL;
}

/* Close what cannot be open any more according to the flags: its end is missing. */
static void close_lost(struct led_interrupt_cpu *cpu, uint32_t flags)
{
	while (cpu->n && cpu->open[cpu->n - 1].flags & ~flags)
		cpu->n--;
}

static struct pd_error *play(struct taking *t, bool has_cpu)
{
	struct led_interrupt_cpu *cpu = has_cpu ? get_cpu(t->in, t->sample->cpu) : NULL;
	uint64_t flags = 0;

	if (has_cpu && !cpu)
		return &pd_enomem;
	if (read_number(t, t->event->flags, &flags))
		t->flags = flags & FLAGS;
	if (cpu)
		close_lost(cpu, t->flags);
	if (t->event->is_wakeup)
		return find_present(t, cpu);
	if (!cpu)
		return NULL;
	if (!t->event->is_end)
		return begin(t, cpu);
	end(t, cpu);
	return NULL;
}

static struct pd_error *take_sample(struct led_interrupts *in)
{
	const struct led_present *present = &in->sched->present;

	if (!present->known)
		return NULL;
	struct taking t = {
		.in = in,
		.event = &in->events.data[present->event->index],
		.cpumode = present->rec->misc & PD_MISC_CPUMODE_MASK,
	};
	if (t.event->row == NO_ROW && !t.event->is_wakeup)
		return NULL;
	t.sample = led_present_sample(in->sched);
	return t.sample ? play(&t, present->known->has_cpu) : NULL;
}

/* Records were lost, of some CPU: ends may be among them. */
static void forget_open(struct led_interrupts *in)
{
	for (size_t i = 0; i < in->cpus.n; i++)
		in->cpus.data[i].n = 0;
}

struct pd_error *led_interrupts_take(struct led_interrupts *in)
{
	uint32_t type = in->sched->present.rec->type;
	struct pd_error *err = learn(in);

	in->present = LED_NO_INTERRUPT;
	if (err)
		return err;
	if (type == PD_RECORD_LOST || type == PD_RECORD_LOST_SAMPLES)
		forget_open(in);
	return take_sample(in);
}

bool led_is_in_interrupt(const struct led_interrupts *in)
{
	return in->present != LED_NO_INTERRUPT &&
	       led_interrupt(in, in->present)->kind != LED_INTERRUPT_OTHER;
}
