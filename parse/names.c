#include <pdconv/names.h>

#include "base/array.h"
#include "parse/names_private.h"

#define NAME(number, name) [number] = (name),
#define EVENT_NAME(id, name, other) [id] = (name),
#define CACHE_NAME(id, ops, name, ...) [id] = (name),
#define OP_NAME(id, one, many) [id] = (one),

/* Define an array of names, and the function that looks them up. */
#define DEFINE_NAMES(what, LIST, ROW) \
	static const char *const what##_names[] = { LIST(ROW) }; \
	const char *pd_##what##_name(uint64_t number) \
	{ \
		return number < PD_ARRAY_LEN(what##_names) ? what##_names[number] : NULL; \
	}

DEFINE_NAMES(cpu_mode, PD_CPU_MODES, NAME)
DEFINE_NAMES(attr_type, PD_ATTR_TYPES, NAME)
DEFINE_NAMES(breakpoint_kind, PD_BREAKPOINT_KINDS, NAME)
DEFINE_NAMES(precision, PD_PRECISIONS, NAME)
DEFINE_NAMES(regs_abi, PD_REGS_ABIS, NAME)
DEFINE_NAMES(aux_flag, PD_AUX_FLAGS, NAME)
DEFINE_NAMES(aux_format, PD_AUX_FORMATS, NAME)
DEFINE_NAMES(ksym_type, PD_KSYM_TYPES, NAME)
DEFINE_NAMES(bpf_event, PD_BPF_EVENTS, NAME)
DEFINE_NAMES(hardware_event, PD_HARDWARE_EVENTS, EVENT_NAME)
DEFINE_NAMES(software_event, PD_SOFTWARE_EVENTS, EVENT_NAME)
DEFINE_NAMES(cache, PD_CACHES, CACHE_NAME)
DEFINE_NAMES(cache_op, PD_CACHE_OPS, OP_NAME)
DEFINE_NAMES(cache_result, PD_CACHE_RESULTS, NAME)

#define FORMAT(format, value_type, what) \
	[PD_FMT_##format] = { PD_VALUE_##value_type, what##_names, PD_ARRAY_LEN(what##_names) },

/* Formats whose numbers have names. The others are zero. */
static const struct {
	enum pd_value_type type;
	const char *const *names;
	size_t n_names;
} formats[] = { FORMAT(ATTR_TYPE, ENUM, attr_type) FORMAT(BREAKPOINT, MASK, breakpoint_kind)
		FORMAT(PRECISION, ENUM, precision) FORMAT(REGS_ABI, ENUM, regs_abi)
			FORMAT(AUX_FLAGS, MASK, aux_flag) FORMAT(KSYM_TYPE, ENUM, ksym_type)
				FORMAT(BPF_EVENT, ENUM, bpf_event) };

void pd_value_set_names(struct pd_value *value)
{
	if (value->type != PD_VALUE_UINT || value->format >= PD_ARRAY_LEN(formats) ||
		!formats[value->format].names)
		return;
	value->type = formats[value->format].type;
	value->names = formats[value->format].names;
	value->n_names = formats[value->format].n_names;
}
