/**
 * @file The command line: one table for parsing, help and the manual pages.
 */
#ifndef PD_CMD_OPTIONS_H
#define PD_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "output/formats.h"

/** The commands, a bit each. */
enum cmd_command {
	CMD_CONVERT = 1,
	CMD_DUMP = 2,
	CMD_INFO = 4,
	CMD_DIFF = 8,
	CMD_PERF_TO_PROFILE = 16,
	CMD_RECORD = 32,
	CMD_REPORT = 64,
};

struct cmd_help_topic;

/** The arguments of an option that may be given again, in their order. */
struct cmd_list {
	PD_VEC(const char *) items;
};

/** What is to be recorded, and how. */
struct cmd_record_options {
	struct cmd_list pids;
	struct cmd_list tids;
	const char *cpus;
	bool all_cpus;
	const char *freq;
	uint64_t count;
	bool has_stacks;
	const char *call_graph;
	const char *ring;
	const char *user;
	struct cmd_list cgroups;
	const char *user_regs;
	const char *level;
	/** Seconds; 0: no limit, no delay. */
	double duration;
	double delay;
	const char *clock;
	bool with_switches;
	bool offcpu;
	bool with_cgroups;
	bool with_namespaces;
	bool no_inherit;
	bool no_build_ids;
	bool verbose;
	/** Of tracepoints; and of each, how many times -e was given before it. */
	struct cmd_list filters;
	PD_VEC(size_t) filter_places;
	/** Ends with a NULL; empty: no program is started. */
	char *const *command;
};

/** What the user asked for. Texts are borrowed from argv; NULL and 0: the default. */
struct cmd_options {
	/** The command line as it was; ends with a NULL. */
	char *const *argv;
	enum cmd_command command;
	/** Of the command record. */
	struct cmd_record_options record;
	/** What was recorded just now; 0: the inputs are recordings. */
	int recorded_fd;
	/** The first of inputs. */
	const char *input;
	struct cmd_list inputs;
	/** NULL: none was given. */
	const struct out_format *format;
	const char *output;
	struct cmd_list events;
	struct cmd_list cpus;
	struct cmd_list pids;
	struct cmd_list tids;
	struct cmd_list comms;
	struct cmd_list dsos;
	struct cmd_list symbols;
	struct cmd_list times;
	struct cmd_list tags;
	const char *labels;
	const char *weight;
	struct cmd_list skip_after;
	/** Of formats, what flags say; see cmd/writing.h for the rest. */
	struct out_folded_opts folded;
	struct out_script_opts script;
	struct out_perfdata_opts perfdata;
	bool mark_all;
	const char *symfs;
	struct cmd_list debug_dirs;
	struct cmd_list path_maps;
	const char *buildid_dir;
	const char *perf_map_dir;
	const char *vmlinux;
	const char *kallsyms;
	const char *modules;
	const char *unwind;
	const char *demangle;
	size_t max_stack;
	size_t jobs;
	const char *types;
	uint64_t offset;
	uint64_t limit;
	bool json;
	bool by_field;
	bool hex;
	/** 0 to 100. */
	double fail_under_rooted;
	bool ignore_vmlinux;
	bool stitch;
	bool no_truncated;
	bool no_kernel;
	bool no_user;
	bool no_inline;
	bool no_lines;
	bool no_demangle;
	bool no_cache;
	/** Of the format script. */
	struct cmd_list script_fields;
	/** "": the environment says which. */
	const char *debuginfod;
	size_t debuginfod_timeout;
	bool offline;
	bool no_progress;
	bool force_mismatch;
	/** "": the usual level. */
	const char *compress;
	bool binaries;
	bool strict;
	bool stats;
	bool quiet;
	bool normalize;
	bool force;
	bool unaligned_jit;
	/** No option: the output is open elsewhere, and must not be replaced. */
	bool in_place;
	/** The topic of the help text; NULL: the command. */
	const struct cmd_help_topic *topic;
	/** The format that the help text is about; NULL: the command. */
	const struct out_format *help_format;
};

/** What to do once the command line is parsed. */
enum cmd_action { CMD_RUN, CMD_HELP, CMD_MAN, CMD_VERSION };

/** Parse the command line into @p ret. Errors: USAGE, NOMEM. */
struct pd_error *cmd_options_parse(
	int argc, char **argv, struct cmd_options *ret, enum cmd_action *action_ret) pd_must_check;
void cmd_options_deinit(struct cmd_options *options);

#endif
