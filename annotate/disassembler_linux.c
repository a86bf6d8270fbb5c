#include "annotate/disassembler.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <llvm-c/Disassembler.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/bytes.h>

#include "annotate/machine_defs.h"
#include "base/array.h"
#include "base/number.h"
#include "base/optional.h"

/** Address to which operands of branches are relative. */
enum origin { START, END, PIPELINE, ZERO, START_OR_ZERO };

struct machine {
	const struct pd_arch *arch;
	const char *target;
	const char *triple;
	const char *thumb;
	const char *cpu;
	const char *features;
	uint8_t step;
	enum origin origin;
};

#define MACHINE(arch_, target_, triple_, thumb_, cpu_, features_, step_, origin_) \
	{ &base_arch_##arch_, target_, triple_, thumb_, cpu_, features_, step_, origin_ },
static const struct machine machines[] = { ANN_MACHINES(MACHINE) };

#define BRANCH(arch_, pattern_, kind_) { &base_arch_##arch_, pattern_, ANN_BRANCH_##kind_ },
static const struct {
	const struct pd_arch *arch;
	const char *pattern;
	enum ann_branch kind;
} branches[] = { ANN_BRANCHES(BRANCH) };

#define FUNCTIONS(F) \
	F(LLVMCreateDisasmCPUFeatures) \
	F(LLVMDisasmDispose) \
	F(LLVMDisasmInstruction) \
	F(LLVMSetDisasmOptions)

/* Functions of LLVM that are used. */
static struct {
#define MEMBER(name) __typeof__(&name) name;
	FUNCTIONS(MEMBER)
#undef MEMBER
} lib;

/* The library that pdconv was built with comes first, then the names of other versions. */
static const char *const sonames[] = {
	PD_LLVM_SONAME,
	"libLLVM.so.21.1",
	"libLLVM.so.20.1",
	"libLLVM.so.19.1",
	"libLLVM.so.18.1",
	"libLLVM-18.so.1",
	"libLLVM-17.so.1",
	"libLLVM-16.so.1",
	"libLLVM-15.so.1",
	"libLLVM-14.so.1",
};

#ifdef PD_STATIC
#define NO_DISASSEMBLER "the disassembler " PD_NO_LIBRARY
#else
#define NO_DISASSEMBLER \
	"the disassembler is not installed: install LLVM 14 or later (" PD_LLVM_SONAME ")"
#endif

struct ann_disassembler {
	const struct machine *machine;
	/** Origin of operands: that of the machine, with START_OR_ZERO decided. */
	enum origin origin;
	LLVMDisasmContextRef context;
	/** For Thumb code; NULL on other machines. */
	LLVMDisasmContextRef thumb;
};

/* Returns the soname of the library; NULL if none is installed. */
static const char *load_library(void)
{
	static const char *const names[] = {
#define NAME(name) #name,
		FUNCTIONS(NAME)
#undef NAME
	};
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static const char *loaded;

	_Static_assert(sizeof(lib) == sizeof(names), "a pointer for each name");
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < PD_ARRAY_LEN(sonames) && !loaded; i++) {
		if (base_load_library(sonames[i], names, PD_ARRAY_LEN(names), (void **)&lib))
			loaded = sonames[i];
	}
	const char *ret = loaded;
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Run the initializers of LLVM for the target of @p machine. */
static bool initialize(const struct machine *machine, const char *soname)
{
	static const char *const parts[] = { "TargetInfo", "TargetMC", "Disassembler" };
	void (*function)(void);

	for (size_t i = 0; i < PD_ARRAY_LEN(parts); i++) {
		char name[64];
		const char *const names[] = { name };

		snprintf(name, sizeof(name), "LLVMInitialize%s%s", machine->target, parts[i]);
		if (!base_load_library(soname, names, 1, (void **)&function))
			return false;
		function();
	}
	return true;
}

static LLVMDisasmContextRef create_context(const struct machine *machine, const char *triple)
{
	LLVMDisasmContextRef context = lib.LLVMCreateDisasmCPUFeatures(
		triple, machine->cpu, machine->features, NULL, 0, NULL, NULL);

	if (context)
		lib.LLVMSetDisasmOptions(context, LLVMDisassembler_Option_PrintImmHex);
	return context;
}

static const struct machine *find_machine(const struct pd_arch *arch)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(machines); i++) {
		if (machines[i].arch == arch)
			return &machines[i];
	}
	return NULL;
}

void ann_disassembler_destroy(struct ann_disassembler *disassembler)
{
	if (!disassembler)
		return;
	if (disassembler->context)
		lib.LLVMDisasmDispose(disassembler->context);
	if (disassembler->thumb)
		lib.LLVMDisasmDispose(disassembler->thumb);
	free(disassembler);
}

/* Size of an instruction that LLVM does not know, by its first bits. */
static size_t unknown_size(
	const struct machine *machine, enum sym_code_kind kind, const uint8_t *bytes, size_t size)
{
	if (kind == SYM_CODE_THUMB)
		return size > 1 && bytes[1] >= 0xe8 ? 4 : 2;
	if (machine->arch == &base_arch_riscv64)
		return (bytes[0] & 3) == 3 ? 4 : 2;
	if (machine->arch == &base_arch_s390x)
		return bytes[0] < 0x40 ? 2 : bytes[0] < 0xc0 ? 4 : 6;
	return machine->step;
}

/* Size of the bytes at @p addr that are shown as one number. */
static size_t data_size(const struct machine *machine, enum sym_code_kind kind,
	const uint8_t *bytes, size_t size, uint64_t addr)
{
	size_t ret = kind == SYM_CODE_DATA ? 4 : unknown_size(machine, kind, bytes, size);

	/* Data in code are mostly words: addresses and constants. */
	while (ret > 1 && (ret > size || (kind == SYM_CODE_DATA && addr % ret)))
		ret /= 2;
	return ret;
}

static void write_data(const struct machine *machine, enum sym_code_kind kind, const uint8_t *bytes,
	size_t size, uint64_t addr, struct ann_insn *ret)
{
	size_t n = data_size(machine, kind, bytes, size, addr);
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | bytes[machine->arch->is_big_endian ? i : n - 1 - i];
	ret->size = n;
	if (n == 1)
		snprintf(ret->text, sizeof(ret->text), ".byte 0x%02" PRIx64, value);
	else
		snprintf(ret->text, sizeof(ret->text), ".%zubyte 0x%0*" PRIx64, n, (int)(2 * n),
			value);
}

/* Replace tabs by spaces, and remove those at both ends. */
static void tidy(char *text)
{
	char *to = text;

	for (const char *p = text + strspn(text, " \t"); *p; p++)
		*to++ = *p == '\t' || *p == '\n' ? ' ' : *p;
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

static enum ann_branch branch_kind(const struct pd_arch *arch, const char *mnemonic)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(branches); i++) {
		if (branches[i].arch == arch && fnmatch(branches[i].pattern, mnemonic, 0) == 0)
			return branches[i].kind;
	}
	return ANN_BRANCH_NONE;
}

/*
 * Parse the number in the last operand @p text: "0x10", "#-0x10", ".+16". Returns false if it is
 * something else.
 */
static bool parse_operand(const char *text, uint64_t *ret)
{
	char *end;

	text += strspn(text, "#$.");
	text += *text == '+';
	const char *digits = text + (*text == '-');
	if (*digits < '0' || *digits > '9')
		return false;
	uint64_t value = strtoull(digits, &end, 0);
	*ret = digits > text ? 0 - value : value;
	return !*end;
}

static uint64_t origin_address(
	enum origin origin, enum sym_code_kind kind, uint64_t addr, size_t size)
{
	switch (origin) {
	case START:
		return addr;
	case END:
		return addr + size;
	case PIPELINE:
		return addr + (kind == SYM_CODE_THUMB ? 4 : 8);
	case ZERO:
	case START_OR_ZERO:
		break;
	}
	return 0;
}

/* Find the target of a direct branch, and cut it off the text. */
static void find_target(const struct ann_disassembler *disassembler, enum sym_code_kind kind,
	uint64_t addr, struct ann_insn *insn)
{
	const struct machine *machine = disassembler->machine;
	char mnemonic[32];
	size_t len = strcspn(insn->text, " ");
	uint64_t operand;

	if (len >= sizeof(mnemonic) || !insn->text[len])
		return;
	memcpy(mnemonic, insn->text, len);
	mnemonic[len] = '\0';
	enum ann_branch branch = branch_kind(machine->arch, mnemonic);
	char *last = strrchr(insn->text, ' ');
	if (!branch || !parse_operand(last + 1, &operand))
		return;
	uint64_t origin = origin_address(disassembler->origin, kind, addr, insn->size);
	/* "blx" with a number goes from Thumb to Arm code, which is aligned to words. */
	if (kind == SYM_CODE_THUMB && strncmp(mnemonic, "blx", 3) == 0)
		origin &= ~UINT64_C(3);
	insn->branch = branch;
	insn->target = origin + operand;
	if (machine->arch->word == 4)
		insn->target &= UINT32_MAX;
	*last = '\0';
}

/* Whether @p text is a prefix that LLVM takes for a whole instruction. */
static bool is_prefix(const struct machine *machine, const char *text)
{
	static const char *const prefixes[] = { "lock", "rep", "repne", "data16", "xacquire",
		"xrelease" };

	for (size_t i = 0; machine->step == 1 && i < PD_ARRAY_LEN(prefixes); i++) {
		if (strcmp(text, prefixes[i]) == 0)
			return true;
	}
	return false;
}

/*
 * Disassemble an instruction, and one that follows a prefix together with it. Returns its size, or
 * 0 if there is none.
 */
static size_t read_insn(const struct machine *machine, LLVMDisasmContextRef context,
	const uint8_t *bytes, size_t size, uint64_t addr, struct ann_insn *ret)
{
	size_t used = 0, len = 0, got;

	do {
		/* LLVM does not change the bytes, although its parameter is not const. */
		got = lib.LLVMDisasmInstruction(context, (uint8_t *)bytes + used, size - used,
			addr + used, ret->text + len, sizeof(ret->text) - len);
		if (!got || got > size - used)
			break;
		tidy(ret->text + len);
		used += got;
		if (!is_prefix(machine, ret->text + len))
			return used;
		len += strlen(ret->text + len);
		ret->text[len++] = ' ';
	} while (used < size && len < sizeof(ret->text) / 2);
	/* A prefix with nothing after it is an instruction by itself. */
	if (len)
		ret->text[len - 1] = '\0';
	return used;
}

/*
 * Find out to which address operands are relative. On s390x it depends on the version of LLVM: 14
 * prints addresses, 21 distances from the start of the instruction.
 */
static enum origin find_origin(const struct ann_disassembler *disassembler)
{
	static const uint8_t jump_by_4[] = { 0xa7, 0xf4, 0, 2 };
	enum { ADDR = 0x1000 };
	struct ann_insn insn = { 0 };
	uint64_t operand;

	if (disassembler->machine->origin != START_OR_ZERO)
		return disassembler->machine->origin;
	read_insn(disassembler->machine, disassembler->context, jump_by_4, sizeof(jump_by_4), ADDR,
		&insn);
	const char *last = strrchr(insn.text, ' ');
	return last && parse_operand(last + 1, &operand) && operand == 4 ? START : ZERO;
}

struct pd_error *ann_disassembler_create(
	const struct pd_arch *arch, struct ann_disassembler **ret, const char **why_ret)
{
	const struct machine *machine = find_machine(arch);
	const char *soname = machine ? load_library() : NULL;

	*ret = NULL;
	*why_ret = machine ? NO_DISASSEMBLER : "the architecture is not supported";
	if (!soname)
		return NULL;
	*why_ret = "the installed LLVM does not know the architecture";
	if (!initialize(machine, soname))
		return NULL;
	struct ann_disassembler *disassembler = calloc(1, sizeof(*disassembler));
	if (!disassembler)
		return &pd_enomem;
	disassembler->machine = machine;
	disassembler->context = create_context(machine, machine->triple);
	if (machine->thumb)
		disassembler->thumb = create_context(machine, machine->thumb);
	if (!disassembler->context || (machine->thumb && !disassembler->thumb)) {
		ann_disassembler_destroy(disassembler);
		return NULL;
	}
	disassembler->origin = find_origin(disassembler);
	*ret = disassembler;
	return NULL;
}

void ann_disassemble(struct ann_disassembler *disassembler, enum sym_code_kind kind,
	const uint8_t *bytes, size_t size, uint64_t addr, struct ann_insn *ret)
{
	const struct machine *machine = disassembler->machine;
	LLVMDisasmContextRef context = kind == SYM_CODE_THUMB && disassembler->thumb
					       ? disassembler->thumb
					       : disassembler->context;

	*ret = (struct ann_insn){ 0 };
	if (kind != SYM_CODE_DATA)
		ret->size = read_insn(machine, context, bytes, size, addr, ret);
	if (!ret->size) {
		write_data(machine, kind, bytes, size, addr, ret);
		return;
	}
	find_target(disassembler, kind, addr, ret);
}
