#include "symbolize/kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"
#include "symbolize/image.h"
#include "symbolize/symtab.h"

/* A kallsyms file of today has about 10 MiB; /proc says 0, so it is read until it ends. */
enum { MAX_FILE_SIZE = 256 * 1024 * 1024, READ_SIZE = 1024 * 1024 };

struct kernel_symbol {
	uint64_t start;
	/** In the text. */
	const char *name;
	const char *module;
	/** STB_*, as far as the letter tells. */
	uint8_t binding;
};

struct sym_kernel {
	enum sym_kernel_status status;
	char *why;
	/** The file, whose fields are cut out in place with NULs. */
	char *text;
	PD_VEC(struct kernel_symbol) symbols;
};

/* Names that mark places and are no functions. */
static const char *const IGNORED[] = { ".L", "L0", "$", ".klp.sym." };

static void pd_printf(3, 4)
	refuse(struct sym_kernel *kernel, enum sym_kernel_status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&kernel->why, fmt, ap) < 0)
		kernel->why = NULL;
	va_end(ap);
	kernel->status = status;
}

/* The bytes of a file and a NUL; NULL, and *trouble_ret says why, if it cannot be read. */
static struct pd_error *read_file(
	const char *path, char **ret, size_t *len_ret, struct sym_trouble *trouble_ret)
{
	_cleanup_close_ int fd = sym_open_regular(path, trouble_ret);
	PD_VEC(char) text = { 0 };
	ssize_t got = 1;

	*ret = NULL;
	*len_ret = 0;
	if (fd < 0)
		return NULL;
	while (got > 0 && text.n < MAX_FILE_SIZE) {
		if (!pd_vec_reserve(&text, text.n + READ_SIZE + 1)) {
			pd_vec_deinit(&text);
			return &pd_enomem;
		}
		got = read(fd, text.data + text.n, READ_SIZE);
		if (got > 0)
			text.n += (size_t)got;
	}
	text.data[text.n] = '\0';
	*ret = text.data;
	*len_ret = text.n;
	return NULL;
}

static char *parse_hex(char *p, uint64_t *ret)
{
	uint64_t value = 0;

	for (;; p++) {
		unsigned digit = (unsigned char)*p - '0';

		if (digit > 9)
			digit = ((unsigned char)*p | 0x20) - 'a' <= 5
					? ((unsigned char)*p | 0x20) - 'a' + 10
					: 16;
		if (digit > 15)
			break;
		value = value << 4 | digit;
	}
	*ret = value;
	return p;
}

static bool is_ignored(const char *name)
{
	for (size_t i = 0; i < sizeof(IGNORED) / sizeof(IGNORED[0]); i++) {
		if (strncmp(name, IGNORED[i], strlen(IGNORED[i])) == 0)
			return true;
	}
	return false;
}

/* "ADDR T NAME[\t[MODULE]]". False if @p line is not like that, or not of code. */
static bool parse_line(char *line, struct kernel_symbol *ret)
{
	char *p = parse_hex(line, &ret->start);

	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return false;
	if (!strchr("tTwW", p[1]))
		return false;
	ret->binding = p[1] == 't' ? STB_LOCAL : p[1] == 'T' ? STB_GLOBAL : STB_WEAK;
	ret->name = p + 3;
	ret->module = NULL;
	p += 3 + strcspn(p + 3, "\t ");
	if (!*p)
		return !is_ignored(ret->name);
	*p++ = '\0';
	p += strspn(p, "\t [");
	ret->module = p;
	p[strcspn(p, "]")] = '\0';
	return !is_ignored(ret->name);
}

static bool parse(struct sym_kernel *kernel, bool *any_addr_ret)
{
	struct kernel_symbol symbol;

	*any_addr_ret = false;
	for (char *line = kernel->text, *next; *line; line = next) {
		char *end = strchrnul(line, '\n');

		next = *end ? end + 1 : end;
		*end = '\0';
		if (!parse_line(line, &symbol))
			continue;
		if (!symbol.start)
			continue;
		*any_addr_ret = true;
		if (!pd_vec_push(&kernel->symbols, symbol))
			return false;
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	struct sym_symbol x_alias = { .name = x->name, .binding = x->binding };
	struct sym_symbol y_alias = { .name = y->name, .binding = y->binding };

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return sym_compare_aliases(&x_alias, &y_alias);
}

/* kallsyms is mostly sorted, and each part of it (the kernel, a module) nearly is. */
static void sort(struct sym_kernel *kernel)
{
	struct kernel_symbol *s = kernel->symbols.data;
	size_t n = 0;

	for (size_t i = 1; i < kernel->symbols.n; i++) {
		if (compare(&s[i - 1], &s[i]) > 0) {
			qsort(s, kernel->symbols.n, sizeof(*s), compare);
			break;
		}
	}
	for (size_t i = 0; i < kernel->symbols.n; i++) {
		if (!n || s[n - 1].start != s[i].start)
			s[n++] = s[i];
	}
	kernel->symbols.n = n;
}

/* Where x86-64 kernels have their _text and _stext unless the address is randomized. */
static const uint64_t UNRANDOMIZED_TEXT = 0xffffffff81000000;

/* Whether the kernel that runs here calls itself by the recorded release. */
static bool is_running_release(const char *release)
{
	struct utsname running;

	return release && uname(&running) == 0 && strcmp(running.release, release) == 0;
}

/* The build id in the running kernel's notes; len 0 if it cannot be read. */
static struct pd_error *running_build_id(struct pd_build_id *ret)
{
	_cleanup_free_ char *notes = NULL;
	struct sym_trouble trouble;
	size_t len;
	struct pd_error *err = read_file("/sys/kernel/notes", &notes, &len, &trouble);

	*ret = (struct pd_build_id){ 0 };
	if (!err && notes)
		sym_build_id_of_notes((const uint8_t *)notes, len, false, ret);
	return err;
}

static const struct kernel_symbol *by_name(const struct sym_kernel *kernel, const char *name)
{
	for (size_t i = 0; i < kernel->symbols.n; i++) {
		if (strcmp(kernel->symbols.data[i].name, name) == 0 &&
			!kernel->symbols.data[i].module)
			return &kernel->symbols.data[i];
	}
	return NULL;
}

static void check_reference(
	struct sym_kernel *kernel, const struct sym_kernel_identity *identity, const char *path)
{
	if (!identity->ref_symbol || !*identity->ref_symbol || !identity->ref_addr)
		return;
	const struct kernel_symbol *symbol = by_name(kernel, identity->ref_symbol);
	if (!symbol)
		refuse(kernel, SYM_KERNEL_OTHER, "%s has no symbol %s", path, identity->ref_symbol);
	else if (symbol->start != identity->ref_addr)
		refuse(kernel, SYM_KERNEL_OTHER, "%s has %s at %llx, recorded was %llx", path,
			identity->ref_symbol, (unsigned long long)symbol->start,
			(unsigned long long)identity->ref_addr);
}

static struct pd_error *check_running(
	struct sym_kernel *kernel, const struct sym_kernel_identity *identity)
{
	char have[PD_BUILD_ID_HEX_MAX], want[PD_BUILD_ID_HEX_MAX];
	struct pd_build_id running;

	struct pd_error *err = running_build_id(&running);
	if (err)
		return err;
	if (identity->build_id.len && !running.len)
		refuse(kernel, SYM_KERNEL_OTHER,
			"the running kernel's build id cannot be read, recorded was %s",
			pd_build_id_hex(&identity->build_id, want));
	else if (identity->build_id.len && !pd_build_id_equal(&identity->build_id, &running))
		refuse(kernel, SYM_KERNEL_OTHER,
			"the running kernel has build id %s, recorded was %s",
			pd_build_id_hex(&running, have),
			pd_build_id_hex(&identity->build_id, want));
	else if (!identity->build_id.len && !identity->ref_addr)
		refuse(kernel, SYM_KERNEL_OTHER,
			"the recording does not say which kernel it is of");
	else if (!identity->build_id.len && identity->ref_addr == UNRANDOMIZED_TEXT &&
		 !is_running_release(identity->release))
		refuse(kernel, SYM_KERNEL_OTHER,
			"the recording has no build id of its kernel, and the address that it has is "
			"that of many kernels; --kallsyms /proc/kallsyms if it is this one");
	return NULL;
}

static struct pd_error *load(
	struct sym_kernel *kernel, const struct sym_kernel_identity *identity, const char *path)
{
	bool any_addr;
	size_t len;
	struct sym_trouble trouble;
	struct pd_error *err = read_file(path, &kernel->text, &len, &trouble);

	if (err)
		return err;
	if (!kernel->text || !len) {
		refuse(kernel, SYM_KERNEL_NO_FILE, "%s: %s", path,
			kernel->text ? "is empty" : trouble.text);
		return NULL;
	}
	if (!parse(kernel, &any_addr))
		return &pd_enomem;
	if (!any_addr) {
		refuse(kernel, SYM_KERNEL_HIDDEN, "%s shows no addresses", path);
		return NULL;
	}
	/* The name is looked up before symbols that share its address are dropped. */
	check_reference(kernel, identity, path);
	sort(kernel);
	return NULL;
}

struct pd_error *sym_kernel_open(const struct sym_kernel_identity *identity,
	const char *kallsyms_path, struct sym_kernel **ret)
{
	struct sym_kernel *kernel = calloc(1, sizeof(*kernel));
	struct pd_error *err = NULL;

	if (!kernel)
		return &pd_enomem;
	kernel->status = SYM_KERNEL_FOUND;
	if (!kallsyms_path)
		err = check_running(kernel, identity);
	if (!err && kernel->status == SYM_KERNEL_FOUND)
		err = load(kernel, identity, kallsyms_path ? kallsyms_path : "/proc/kallsyms");
	if (!err && kernel->status != SYM_KERNEL_FOUND && !kernel->why)
		err = &pd_enomem;
	if (err) {
		sym_kernel_destroy(kernel);
		return err;
	}
	*ret = kernel;
	return NULL;
}

void sym_kernel_destroy(struct sym_kernel *kernel)
{
	if (!kernel)
		return;
	pd_vec_deinit(&kernel->symbols);
	free(kernel->text);
	free(kernel->why);
	free(kernel);
}

enum sym_kernel_status sym_kernel_status(const struct sym_kernel *kernel)
{
	return kernel->status;
}

const char *sym_kernel_why(const struct sym_kernel *kernel)
{
	return kernel->why;
}

bool sym_kernel_find(const struct sym_kernel *kernel, uint64_t addr, struct sym_kernel_symbol *ret)
{
	const struct kernel_symbol *s = kernel->symbols.data;
	size_t low = 0, high = kernel->symbols.n;

	if (kernel->status != SYM_KERNEL_FOUND)
		return false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	/* The last symbol ends nobody knows where: what is above it is not claimed. */
	if (!low || low == kernel->symbols.n)
		return false;
	s += low - 1;
	*ret = (struct sym_kernel_symbol){ s->name, s->module, s->start };
	return true;
}
