#include "capture/events/probe.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "capture/events/event_item.h"
#include "capture/events/tracepoints.h"
#include "capture/machine/machine.h"

/* Functions of ELF files. */

/* The function with the wanted name, as far as found. */
struct found {
	GElf_Addr addr;
	GElf_Xword size;
	bool is_global;
	bool is_ambiguous;
	bool is_any;
};

static bool is_function(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF;
}

/* Whether a symbol has the name, with or without a version (NAME@VERSION, NAME@@VERSION). */
static bool is_named(const char *symbol, const char *name)
{
	size_t n = strlen(name);

	return strncmp(symbol, name, n) == 0 && (!symbol[n] || symbol[n] == '@');
}

/* Note a function. A global one wins over local ones, of which there may be several. */
static void note(struct found *found, const GElf_Sym *sym)
{
	bool is_global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;

	if (found->is_any && (found->is_global || !is_global)) {
		found->is_ambiguous |=
			found->is_global == is_global && found->addr != sym->st_value;
		return;
	}
	*found = (struct found){
		.addr = sym->st_value,
		.size = sym->st_size,
		.is_global = is_global,
		.is_any = true,
	};
}

static void search_table(Elf *elf, Elf_Scn *section, const char *name, struct found *found)
{
	GElf_Shdr header;
	Elf_Data *data = elf_getdata(section, NULL);

	if (!data || !gelf_getshdr(section, &header) || !header.sh_entsize)
		return;
	size_t n = data->d_size / header.sh_entsize;
	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || !is_function(&sym))
			continue;
		const char *text = elf_strptr(elf, header.sh_link, sym.st_name);
		if (text && is_named(text, name))
			note(found, &sym);
	}
}

static bool is_table(Elf_Scn *section, GElf_Word type)
{
	GElf_Shdr header;

	return gelf_getshdr(section, &header) && header.sh_type == type;
}

/* Search the full symbol table, then, if that does not have the name, the dynamic one. */
static struct found search(Elf *elf, const char *name)
{
	static const GElf_Word types[] = { SHT_SYMTAB, SHT_DYNSYM };
	struct found found = { 0 };

	for (size_t i = 0; i < 2 && !found.is_any; i++) {
		Elf_Scn *section = NULL;

		while ((section = elf_nextscn(elf, section))) {
			if (is_table(section, types[i]))
				search_table(elf, section, name, &found);
		}
	}
	return found;
}

static bool file_offset(Elf *elf, GElf_Addr addr, uint64_t *ret)
{
	size_t n;
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &n) != 0)
		return false;
	/* The lowest bit of a symbol marks Thumb code and is not part of the address. */
	if (header.e_machine == EM_ARM)
		addr &= ~(GElf_Addr)1;
	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		if (addr >= segment.p_vaddr && addr - segment.p_vaddr < segment.p_filesz) {
			*ret = addr - segment.p_vaddr + segment.p_offset;
			return true;
		}
	}
	return false;
}

static struct pd_error *find_offset(
	Elf *elf, const char *path, const char *function, uint64_t offset, uint64_t *ret)
{
	struct found found = search(elf, function);

	if (!found.is_any)
		return pd_error_create(PD_ERROR_USAGE, path,
			"function '%s' not found in the symbol tables", function);
	if (found.is_ambiguous)
		return pd_error_create(PD_ERROR_USAGE, path,
			"several functions '%s': use 0xOFFSET to choose one", function);
	if (offset && offset >= found.size)
		return pd_error_create(PD_ERROR_USAGE, path, "function '%s' has only %llu bytes",
			function, (unsigned long long)found.size);
	if (!file_offset(elf, found.addr + offset, ret))
		return pd_error_create(PD_ERROR_FORMAT, path,
			"function '%s' is in no segment of the file", function);
	return NULL;
}

static void elf_cleanup(Elf **elf)
{
	elf_end(*elf);
}

struct pd_error *cap_function_offset(
	const char *path, const char *function, uint64_t offset, uint64_t *ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return pd_error_os(path, "cannot open");
	elf_version(EV_CURRENT);
	_cleanup_(elf_cleanup) Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return pd_error_create(PD_ERROR_USAGE, path, "not an ELF binary");
	return find_offset(elf, path, function, offset, ret);
}

/* Probes. */

/* Bytes of an event name with its NUL (MAX_EVENT_NAME_LEN). */
enum { NAME_BYTES = 64 };

enum kind { USER, KERNEL };

static const char *const control_files[] = { [USER] = "uprobe_events", [KERNEL] = "kprobe_events" };

/* A probe that is defined in the kernel. */
struct probe {
	enum kind kind;
	char name[NAME_BYTES];
};

struct cap_probes {
	const char *tracing_dir;
	char group[CAP_PROBE_GROUP_BYTES];
	PD_VEC(struct probe) list;
};

/* The parts of a definition. */
struct definition {
	const char *text;
	/** Name of the probe; empty if the user gave none. */
	struct cap_word name;
	/** Path of the binary; empty for the kernel. */
	struct cap_word path;
	struct cap_word function;
	/** Offset in the function, or, if @a function is empty, an address. */
	uint64_t offset;
	bool is_return;
	/** Fetch arguments, up to the end of the text. */
	const char *args;
};

/*
 * Write a command to a control file; 0 or an errno. Without O_APPEND or with O_TRUNC the kernel
 * would remove all probes, even those of others.
 */
static int write_command(const struct cap_probes *probes, enum kind kind, const char *command)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", probes->tracing_dir, control_files[kind]);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return errno;
	size_t n = strlen(command);
	ssize_t written = write(fd, command, n);
	if (written < 0)
		return errno;
	return (size_t)written == n ? 0 : EIO;
}

static bool is_gone(int pid)
{
	return pid > 0 && kill(pid, 0) < 0 && errno == ESRCH;
}

/* Remove the probes of recorders that were killed. One that cannot be removed is in use. */
static void remove_left_over(const struct cap_probes *probes, enum kind kind)
{
	struct cap_machine machine = cap_machine_init(NULL);
	_cleanup_free_ char *text =
		cap_machine_read(&machine, NULL, "%s/%s", probes->tracing_dir, control_files[kind]);
	char *rest = text;
	char *line;

	while (rest && (line = strsep(&rest, "\n"))) {
		char name[NAME_BYTES];
		char command[128];
		int pid;

		if (sscanf(line, "%*[^:]:" CAP_PROBE_GROUP "%d/%63[^ ]", &pid, name) != 2 ||
			!is_gone(pid))
			continue;
		snprintf(command, sizeof(command), "-:" CAP_PROBE_GROUP "%d/%s\n", pid, name);
		(void)write_command(probes, kind, command);
	}
}

struct pd_error *cap_probes_create(const char *tracing_dir, struct cap_probes **ret)
{
	const struct cap_events anywhere = { 0 };
	const char *dir = tracing_dir ? tracing_dir : cap_tracing_dir(&anywhere);

	if (!dir)
		return cap_tracing_error(NULL, 0);
	struct cap_probes *probes = calloc(1, sizeof(*probes));
	if (!probes)
		return &pd_enomem;
	probes->tracing_dir = dir;
	cap_probe_group(probes->group);
	remove_left_over(probes, USER);
	remove_left_over(probes, KERNEL);
	*ret = probes;
	return NULL;
}

void cap_probes_destroy(struct cap_probes *probes)
{
	if (!probes)
		return;
	pd_error_destroy(cap_probes_remove(probes));
	pd_vec_deinit(&probes->list);
	free(probes);
}

struct pd_error *cap_probes_remove(struct cap_probes *probes)
{
	struct pd_error *err = NULL;
	size_t n_left = 0;

	for (size_t i = 0; i < probes->list.n; i++) {
		struct probe probe = probes->list.data[i];
		char command[128];

		snprintf(command, sizeof(command), "-:%s/%s\n", probes->group, probe.name);
		int errnum = write_command(probes, probe.kind, command);
		/*
		 * ENOENT: the probe is already gone. Other probes stay in the list, so that a later
		 * call tries again.
		 */
		if (!errnum || errnum == ENOENT)
			continue;
		probes->list.data[n_left++] = probe;
		if (err)
			continue;
		errno = errnum;
		err = pd_error_os(probes->tracing_dir, "cannot remove probe %s:%s", probes->group,
			probe.name);
	}
	probes->list.n = n_left;
	return err;
}

static struct pd_error *invalid(const struct definition *def, const char *why)
{
	return pd_error_create(PD_ERROR_USAGE, NULL, "probe '%s': %s", def->text, why);
}

static bool is_identifier(struct cap_word word)
{
	for (size_t i = 0; i < word.n; i++) {
		char c = word.at[i];

		if (c != '_' && !isalpha((unsigned char)c) && !(i && isdigit((unsigned char)c)))
			return false;
	}
	return word.n > 0;
}

/*
 * Split @p word at the last @p c: keep the part before it, and return the part after it, empty
 * without a @p c.
 */
static struct cap_word split_last(struct cap_word *word, char c)
{
	const char *at = memrchr(word->at, c, word->n);

	if (!at)
		return (struct cap_word){ word->at + word->n, 0 };
	struct cap_word suffix = { at + 1, (size_t)(word->at + word->n - at - 1) };
	word->n = (size_t)(at - word->at);
	return suffix;
}

/* Parse FUNCTION[+OFFSET] or 0xADDRESS, either with %return. */
static struct pd_error *parse_location(struct cap_word location, struct definition *def)
{
	if (memchr(location.at, '%', location.n)) {
		if (!cap_word_is(split_last(&location, '%'), "return"))
			return invalid(def, "expected 'return' after '%'");
		def->is_return = true;
	}
	bool has_offset = memchr(location.at, '+', location.n) != NULL;
	struct cap_word offset = split_last(&location, '+');
	if (has_offset && !cap_word_number(offset, &def->offset))
		return invalid(def, "expected a number after '+'");
	if (!location.n)
		return invalid(def, "expected a function");
	if (has_offset || !cap_word_number(location, &def->offset))
		def->function = location;
	if (def->is_return && def->offset && def->function.n)
		return invalid(def, "a return probe has no offset");
	return NULL;
}

/* Take the name before a '=', unless the '=' is in a path. */
static void take_name(struct cap_word *word, struct definition *def)
{
	struct cap_word rest = *word;
	struct cap_word name = cap_word_split(&rest, '=');

	if (name.n == word->n || memchr(name.at, '/', name.n))
		return;
	def->name = name;
	*word = rest;
}

static struct pd_error *parse_definition(const char *text, struct definition *def)
{
	*def = (struct definition){ .text = text };
	/* The kernel reads one definition from each line, and '#' begins a comment. */
	if (text[strcspn(text, "\n\r#")])
		return invalid(def, "it contains a '#' or a line break");
	text += strspn(text, " \t");
	struct cap_word word = { text, strcspn(text, " \t") };
	def->args = word.at + word.n;
	take_name(&word, def);
	if (def->name.at && (!is_identifier(def->name) || def->name.n >= NAME_BYTES))
		return invalid(def, "invalid name: expected up to 63 letters, digits and '_'");
	struct cap_word location = word;
	if (memchr(word.at, '/', word.n)) {
		location = split_last(&word, ':');
		def->path = word;
		if (!location.n)
			return invalid(def, "expected PATH:FUNCTION");
	}
	return parse_location(location, def);
}

/* Whether another recording of this process has defined a probe of that name. */
static bool is_defined(const struct cap_probes *probes, const char *name)
{
	char path[PATH_MAX], probe[NAME_BYTES + sizeof(probes->group) + 4];
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	bool found = false;

	snprintf(probe, sizeof(probe), ":%s/%s ", probes->group, name);
	for (size_t i = 0; i < PD_ARRAY_LEN(control_files); i++) {
		snprintf(path, sizeof(path), "%s/%s", probes->tracing_dir, control_files[i]);
		_cleanup_fclose_ FILE *in = fopen(path, "re");

		while (in && !found && getline(&line, &cap, in) > 0)
			found = strstr(line, probe) != NULL;
	}
	return found;
}

static bool has_name(const struct cap_probes *probes, const char *name)
{
	for (size_t i = 0; i < probes->list.n; i++) {
		if (strcmp(probes->list.data[i].name, name) == 0)
			return true;
	}
	return is_defined(probes, name);
}

/* Derive a tracepoint name from the function. Characters that the kernel rejects become '_'. */
static void base_name(const struct definition *def, char ret[NAME_BYTES])
{
	/* Room for "__return" and a number. */
	const int longest = NAME_BYTES - 16;

	if (def->function.n)
		snprintf(ret, NAME_BYTES, "%.*s%s",
			def->function.n < (size_t)longest ? (int)def->function.n : longest,
			def->function.at, def->is_return ? "__return" : "");
	else
		snprintf(ret, NAME_BYTES, "abs_%" PRIx64 "%s", def->offset,
			def->is_return ? "__return" : "");
	for (char *c = ret; *c; c++) {
		if (*c != '_' && !isalnum((unsigned char)*c))
			*c = '_';
	}
	if (isdigit((unsigned char)ret[0]))
		ret[0] = '_';
}

static struct pd_error *choose_name(
	const struct cap_probes *probes, const struct definition *def, char ret[NAME_BYTES])
{
	char base[NAME_BYTES];

	if (def->name.at) {
		snprintf(ret, NAME_BYTES, "%.*s", (int)def->name.n, def->name.at);
		return has_name(probes, ret) ? invalid(def, "duplicate name") : NULL;
	}
	base_name(def, base);
	memcpy(ret, base, NAME_BYTES);
	for (unsigned i = 1; has_name(probes, ret); i++)
		snprintf(ret, NAME_BYTES, "%.52s_%u", base, i);
	return NULL;
}

/* Format PATH:0xOFFSET. The kernel needs an absolute path without spaces. */
static struct pd_error *user_location(const struct definition *def, char **ret)
{
	_cleanup_free_ char *path = strndup(def->path.at, def->path.n);
	_cleanup_free_ char *function =
		def->function.n ? strndup(def->function.at, def->function.n) : NULL;
	_cleanup_free_ char *full = path ? realpath(path, NULL) : NULL;
	uint64_t offset = def->offset;

	if (!path || (def->function.n && !function))
		return &pd_enomem;
	if (!full)
		return pd_error_os(path, "cannot resolve the path");
	/*
	 * The kernel splits commands at blanks, takes '#' for the start of a comment
	 * (trace_parse_run_command()), and has no escapes.
	 */
	if (full[strcspn(full, " \t\n#")])
		return invalid(def, "the kernel rejects paths with spaces or '#'");
	if (function) {
		struct pd_error *err = cap_function_offset(full, function, def->offset, &offset);

		if (err)
			return err;
	}
	*ret = base_format("%s:0x%" PRIx64, full, offset);
	return *ret ? NULL : &pd_enomem;
}

static struct pd_error *kernel_location(const struct definition *def, char **ret)
{
	*ret = def->function.n ? base_format("%.*s+%" PRIu64, (int)def->function.n,
					 def->function.at, def->offset)
			       : base_format("0x%" PRIx64, def->offset);
	return *ret ? NULL : &pd_enomem;
}

/* Find the last error about @p command in the error log of tracefs, to be freed; or NULL. */
static char *kernel_reason(const struct cap_probes *probes, const char *command)
{
	_cleanup_free_ char *line = NULL;
	_cleanup_free_ char *last = NULL;
	char *ret = NULL;
	size_t cap = 0;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/error_log", probes->tracing_dir);
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	/*
	 * The log holds the last errors of all writers, oldest first. An entry has a line "error:
	 * REASON", then a line "Command: COMMAND". Use the last entry of this command.
	 */
	while (file && getline(&line, &cap, file) > 0) {
		const char *error = strstr(line, "error: ");
		const char *logged = strstr(line, "Command: ");

		line[strcspn(line, "\n")] = 0;
		if (error) {
			free(last);
			last = strdup(error + strlen("error: "));
		} else if (logged && last &&
			   strncmp(logged + strlen("Command: "), command, strcspn(command, "\n")) ==
				   0) {
			free(ret);
			ret = take_ptr(last);
		}
	}
	return ret;
}

static struct pd_error *definition_error(const struct cap_probes *probes,
	const struct definition *def, enum kind kind, const char *command, int errnum)
{
	_cleanup_free_ char *reason = kernel_reason(probes, command);

	if (errnum == EACCES || errnum == EPERM)
		return pd_error_explained(errnum, NULL,
			"probe '%s': cannot write %s/%s: probes are for root", def->text,
			probes->tracing_dir, control_files[kind]);
	if (errnum == ENOENT && kind == KERNEL && !reason)
		return invalid(def, "the kernel has no such function, or no kprobes");
	errno = errnum;
	return pd_error_create(errnum == EINVAL || errnum == ENOENT ? PD_ERROR_USAGE : PD_ERROR_OS,
		NULL, "probe '%s': the kernel rejected it: %s", def->text,
		reason ? reason : strerror(errnum));
}

static struct pd_error *define(struct cap_probes *probes, const struct definition *def,
	const char *location, enum kind kind, const char *name)
{
	_cleanup_free_ char *command = base_format("%c:%s/%s %s%s\n", def->is_return ? 'r' : 'p',
		probes->group, name, location, def->args);
	struct probe probe = { .kind = kind };

	memcpy(probe.name, name, NAME_BYTES);
	/* Reserve first: a defined probe that is not in the list would never be removed. */
	if (!command || !pd_vec_reserve(&probes->list, probes->list.n + 1))
		return &pd_enomem;
	int errnum = write_command(probes, kind, command);
	if (errnum)
		return definition_error(probes, def, kind, command, errnum);
	probes->list.data[probes->list.n++] = probe;
	return NULL;
}

struct pd_error *cap_probe_add(
	struct cap_probes *probes, const char *text, struct cap_events *events)
{
	_cleanup_free_ char *location = NULL;
	char name[NAME_BYTES];
	char words[NAME_BYTES + sizeof(probes->group) + 1];
	struct definition def;
	struct pd_error *err = parse_definition(text, &def);

	if (err)
		return err;
	err = choose_name(probes, &def, name);
	if (err)
		return err;
	enum kind kind = def.path.n ? USER : KERNEL;
	err = kind == USER ? user_location(&def, &location) : kernel_location(&def, &location);
	if (err)
		return err;
	err = define(probes, &def, location, kind, name);
	if (err)
		return err;
	/*
	 * The kernel has created a tracepoint for the probe, so record it like any other
	 * tracepoint.
	 */
	snprintf(words, sizeof(words), "%s:%s", probes->group, name);
	return cap_events_parse(events, words);
}
