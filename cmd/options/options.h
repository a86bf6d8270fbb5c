/**
 * @file The command line: one table for parsing, help and the manual pages.
 */
#ifndef PD_CMD_OPTIONS_H
#define PD_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/annotate.h>
#include <pdconv/error.h>
#include <pdconv/left_out_defs.h>
#include <pdconv/profile_opts.h>
#include <pdconv/vec.h>

#include "capture/run/recording.h"
#include "inspect/recording_dump.h"
#include "output/formats.h"
#include "symbolize/foreign/text_names.h"

/** The commands, a bit each. */
enum cmd_command {
	CMD_CONVERT = 1,
	CMD_DUMP = 2,
	CMD_INFO = 4,
	CMD_DIFF = 8,
	CMD_PERF_TO_PROFILE = 16,
	CMD_RECORD = 32,
	CMD_REPORT = 64,
	CMD_ANNOTATE = 128,
	CMD_VIEW = 256,
	CMD_ARCHIVE = 512,
	CMD_LIST = 1024,
	CMD_SQL = 2048,
	CMD_QUERY = 4096,
	CMD_MCP = 8192,
	CMD_BATCH = 16384,
	CMD_SYMBOLIZE = 32768,
};

/** Next step once the command line is parsed. */
enum cmd_action { CMD_RUN, CMD_HELP, CMD_MAN, CMD_VERSION, CMD_COMPLETE };

/** When to do what suits a terminal. */
enum cmd_when { CMD_WHEN_AUTO, CMD_WHEN_ALWAYS, CMD_WHEN_NEVER };

struct cmd_help_topic;

/** Arguments in the order in which they were given. */
struct cmd_list {
	PD_VEC(const char *) items;
};

/** Ranges of numbers in the order in which they were given. */
struct cmd_ranges {
	PD_VEC(struct pd_number_range) items;
};

/* Types of the lists of a filter. */
#define CMD_TYPE_OF_ranges struct cmd_ranges
#define CMD_TYPE_OF_times struct cmd_list
#define CMD_TYPE_OF_names struct cmd_list
#define CMD_TYPE_OF_patterns struct cmd_list

/** The lists of struct pd_filter_opts. */
struct cmd_filter {
#define CMD_FILTER_LIST(name, text, type, list, ...) CMD_TYPE_OF_##type list;
	PD_FILTERS(CMD_FILTER_LIST) PD_FRAME_FILTERS(CMD_FILTER_LIST)
#undef CMD_FILTER_LIST
};

/** KEY=VALUE: as text, and split. The keys are owned. */
struct cmd_labels {
	PD_VEC(const char *) texts;
	PD_VEC(struct pd_tag) items;
};

/** FROM=TO. The strings FROM are owned. */
struct cmd_path_maps {
	PD_VEC(struct pd_path_map) items;
};

/** A filter of the tracepoints of one --event. */
struct cmd_event_filter {
	const char *text;
	/** How often --event was given before it. */
	size_t n_events;
};

struct cmd_event_filters {
	PD_VEC(struct cmd_event_filter) items;
};

/** Where files are looked for, as far as struct pd_search_opts cannot hold it. */
struct cmd_search_options {
	/** "DIR:DIR" each; a DIR may also be a tarball. */
	struct cmd_list dirs;
	struct cmd_path_maps path_maps;
	bool offline;
	bool no_progress;
	bool no_cache;
};

/** The options of `pdconv record`. */
struct cmd_record_options {
	struct cmd_list events;
	struct cmd_event_filters filters;
	struct cmd_list pids;
	struct cmd_list tids;
	struct cmd_list cgroups;
	/** Name or number of a user. */
	const char *user;
	const char *cpus;
	bool all_cpus;
	bool offcpu;
	/** Do not keep the switches of @ref offcpu. */
	bool drops_switches;
	bool wakers;
	/** Write call chains instead of stacks. */
	bool live;
	bool verbose;
	bool no_buildid_cache;
	bool with_archive;
	struct cap_sampling sampling;
	/** The user has not chosen the stacks, and hears about them only on request. */
	bool has_default_stacks;
	struct cap_recording_opts opts;
	/** Ends with a NULL; empty: no program is started. */
	char *const *command;
};

/** Where profiles are sent. */
struct cmd_send_options {
	/** NULL: nowhere. */
	const char *url;
	/** File with header lines. */
	const char *headers;
	/** Folder of profiles that wait, and the bytes that may wait; 0: the default. */
	const char *spool;
	uint64_t spool_bytes;
	/** record: seconds of each profile; 0: there is one. */
	double every;
	/** Most bytes of a request; 0: not known. A profile may become several. */
	uint64_t request_bytes;
};

/** The options of `pdconv batch`. */
struct cmd_batch_options {
	/** Rules of labels, "NAME=RULE". */
	struct cmd_list labels;
	/** Names of tables that are written in addition. */
	struct cmd_list tables;
	/** "INDEX/COUNT"; NULL: all recordings. */
	const char *shard;
};

/** The parsed command line. Strings are borrowed from argv. */
struct cmd_options {
	/** The command line as it was; ends with a NULL. */
	char *const *argv;
	enum cmd_command command;
	enum cmd_action action;
	/** CMD_COMPLETE: the words of the line, see cmd_complete(). Ends with a NULL. */
	char *const *complete;
	/** Subject of the help text; both NULL: the command. */
	const struct cmd_help_topic *topic;
	const struct out_format *help_format;

	/** The argument of --input, then the first of the inputs. */
	const char *input;
	/** The inputs are folded stacks. */
	bool from_folded;
	struct cmd_list inputs;
	/** diff: binaries that are compared although they have different names. */
	struct cmd_path_maps pairs;
	/** list: part of the names of events; NULL: all are shown. */
	const char *event_text;
	/** query: the tool and its arguments; mcp: directories of recordings. */
	struct cmd_list words;
	/** diff: number of inputs before the change; 0: it was not given. */
	size_t n_before;
	/** NULL: none was given. */
	const struct out_format *format;
	const char *output;

	/**
	 * How profiles are made and written. It borrows the lists below.
	 * cmd/process/search_options.h completes the search, and cmd/process/memory.h adds the
	 * budget.
	 */
	struct pd_profile_opts profile;
	struct cmd_search_options search;
	struct cmd_filter filter;
	/** diff: scale weights of folded stacks before the change. */
	bool normalizes;
	/** Names of struct pd_profile_opts.labels. */
	struct cmd_list labels;
	struct cmd_labels tags;
	struct cmd_list script_fields;
	struct cmd_list skip_after;
	struct cmd_list intervals;
	struct cmd_list sort;
	struct cmd_list group_by;
	bool mark_all;
	bool full_names;
	bool no_pager;
	enum cmd_when color;

	struct inspect_dump_opts dump;
	struct pd_annotate_opts annotate;
	/** annotate, view, html: directories of source files, "DIR:DIR" each. */
	struct cmd_list source_dirs;
	struct cmd_record_options record;
	struct cmd_batch_options batch;
	struct cmd_send_options send;
	/** batch: options on which outputs depend, each followed by its argument or "". */
	struct cmd_list settings;
	/** symbolize: what the numbers of addresses in text are. */
	enum sym_text_offsets offsets;
	/** sql: the query; NULL: it is read from standard input. */
	const char *query;
	bool csv;
	bool schema;
	/** Options of info, sql, diff and perf_to_profile. */
	bool json;
	bool binaries;
	/** info: elements of a list; SIZE_MAX: as many as the format has by default. */
	size_t limit;
	/** archive: add debug files. */
	bool with_debug;
	/** view: do not open the page. */
	bool no_open;
	/** diff: growth that is too much, in percent; INFINITY: none is. */
	double fail_over;
	bool force;
	bool unaligned_jit;

	/** In bytes; 0: the default. */
	uint64_t max_memory;
	/** 0 to 100. */
	double fail_under_rooted;
	bool strict;
	bool stats;
	bool quiet;
	/** Keep all rights while untrusted files are read. */
	bool no_sandbox;

	/** Storage of texts that are not arguments. */
	PD_VEC(char *) texts;
};

/** Parse the command line into @p ret. Call the deinit in any case. Errors: USAGE, NOMEM. */
struct pd_error *cmd_options_parse(int argc, char **argv, struct cmd_options *ret) pd_must_check;
void cmd_options_deinit(struct cmd_options *options);

/** Whether @p path, the argument of --output or NULL without it, stands for standard output. */
bool cmd_output_is_stdout(const char *path);

#endif
