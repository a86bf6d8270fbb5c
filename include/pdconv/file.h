/**
 * @file An open recording: header, events, features, and the location of its records.
 *
 * A recording is a file (file mode), a stream (pipe mode, in which records take the place of
 * sections), or a directory with a file and a data file for each recording thread. Everything that
 * functions return lives until pd_file_close().
 * Format: tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */
#ifndef PDCONV_FILE_H
#define PDCONV_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/budget.h>
#include <pdconv/build_id.h>
#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/events.h>
#include <pdconv/feature.h>
#include <pdconv/header.h>
#include <pdconv/layout.h>
#include <pdconv/tracing_data.h>
#include <pdconv/vec.h>

PD_DECLS_BEGIN

/** Range of the file, in bytes. */
struct pd_section {
	uint64_t offset;
	uint64_t size;
};

/** A feature of the header. Its body lives as long as the file is open. */
struct pd_feature {
	bool is_present;
	/** Offset of the body within the file, in bytes. */
	uint64_t offset;
	const uint8_t *bytes;
	/** Size of the body, in bytes; may be 0. */
	uint64_t size;
};

/** An entry of HEADER_BUILD_ID. */
struct pd_build_id_entry {
	struct pd_build_id id;
	/** Address space of the binary: PD_MISC_KERNEL, PD_MISC_USER and so on. */
	uint16_t cpumode;
	/** Process id of the guest; -1: the host. */
	int32_t pid;
	/** Path of the binary, or "[kernel.kallsyms]" and the like. */
	const char *name;
};

/** Damaged bytes among the records that readers passed over so far. */
struct pd_gaps {
	/** Number of places. */
	uint64_t n;
	uint64_t bytes;
};

/** An open recording. Use it from one thread at a time. */
struct pd_file;

/**
 * Open the recording @p path; "-" is standard input. If a recording in file mode is read from a
 * pipe or compressed, it is copied to a temporary file. A stream is read up to its first sample.
 * Damage that can be skipped is noted in @p diag, which is borrowed until pd_file_close(); NULL:
 * the recording creates its own. Errors: OS, FORMAT, UNSUPPORTED, NOMEM.
 */
struct pd_error *pd_file_open(
	const char *path, struct pd_diag *diag, struct pd_file **ret) pd_must_check;
/**
 * Like pd_file_open(), but read from @p fd, which the caller keeps. @p name is used in messages.
 */
struct pd_error *pd_file_open_fd(
	int fd, const char *name, struct pd_diag *diag, struct pd_file **ret) pd_must_check;
/**
 * Like pd_file_open(), but read from @p bytes, which are borrowed until pd_file_close(). @p path is
 * used in messages.
 */
struct pd_error *pd_file_open_memory(const char *path, const void *bytes, size_t size,
	struct pd_diag *diag, struct pd_file **ret) pd_must_check;
/**
 * Limit the memory of readers of @p file that are created from now on. @p budget is borrowed until
 * pd_file_close(); NULL: no limit.
 */
void pd_file_set_budget(struct pd_file *file, struct pd_budget *budget);
/** Close @p file, which may be NULL, and free everything that was borrowed from it. */
void pd_file_close(struct pd_file *file);

/** Path of the recording, for messages. */
const char *pd_file_path(const struct pd_file *file);
/**
 * The header. In a stream, only magic and size are set. pd_file_version() is the version of the
 * format, from the magic: 1 or 2.
 */
const struct pd_file_header *pd_file_header(const struct pd_file *file);
int pd_file_version(const struct pd_file *file);
/** Whether the recording is in the opposite of the host byte order. */
bool pd_file_is_swapped(const struct pd_file *file);
/** Whether the recording is a stream: reading records may add events and features. */
bool pd_file_is_pipe(const struct pd_file *file);
/** Whether the recorder was interrupted before it wrote the size of the data section. */
bool pd_file_is_unfinished(const struct pd_file *file);
/** Whether Android's simpleperf wrote the recording. */
bool pd_file_is_simpleperf(const struct pd_file *file);

/** The events. Reading records of a stream may add some. */
const struct pd_events *pd_file_events(const struct pd_file *file);
/** Environment for decoding features and iterating over their lists: see pdconv/layout.h. */
const struct pd_layout_env *pd_file_env(const struct pd_file *file);
/** HEADER_TRACING_DATA; NULL if absent or invalid. */
const struct pd_tracing *pd_file_tracing(const struct pd_file *file);
/**
 * Damage so far that was skipped or that ended reading: the diag given when the recording was
 * opened, or its own.
 */
struct pd_diag *pd_file_diag(const struct pd_file *file);
/**
 * Damaged bytes that readers passed over so far. Each place counts once, however often it is read.
 */
struct pd_gaps pd_file_gaps(const struct pd_file *file);

/**
 * Number of sources of records: 1, or for a directory its main file and the data files of the
 * recording threads.
 */
size_t pd_file_n_parts(const struct pd_file *file);
/**
 * Path of source @p part, for messages about its records; that of the recording if there is none.
 */
const char *pd_file_part_path(const struct pd_file *file, uint32_t part);

/** Feature @p bit. Its body is empty if the feature is absent. */
struct pd_feature pd_file_feature_section(const struct pd_file *file, unsigned bit);
/** Body of feature @p bit, not decoded, as bytes; empty if the feature is absent. */
struct pd_view pd_file_feature_bytes(const struct pd_file *file, unsigned bit);
/** Value of feature @p bit, if it is one string, such as HOSTNAME; NULL: absent, or no string. */
const char *pd_file_text(const struct pd_file *file, unsigned bit);
/** Arguments of the recorder, from HEADER_CMDLINE. *@p n_ret is 0 if they are not known. */
const char *const *pd_file_cmdline(const struct pd_file *file, size_t *n_ret);
/** Entries of HEADER_BUILD_ID. Reading records of a stream may add some. */
const struct pd_build_id_entry *pd_file_build_ids(const struct pd_file *file, size_t *n_ret);
/** First and last time of samples in ns, from HEADER_SAMPLE_TIME. False if it is absent. */
bool pd_file_sample_times(
	const struct pd_file *file, uint64_t *first_ret, uint64_t *last_ret) pd_must_check;

/**
 * Decode feature @p bit to @p ret, the struct of its layout (see pd_feature_layout()), which
 * borrows from @p file:
 *
 *	struct pd_nrcpus cpus;
 *
 *	if (pd_file_feature(file, PD_FEATURE_NRCPUS, &cpus))
 *		printf("%u\n", cpus.nr_cpus_online);
 *
 * False if the feature is absent, unknown or damaged. For a damaged one @p ret holds the fields
 * before the damage and zeros.
 */
bool pd_file_feature(const struct pd_file *file, unsigned bit, void *ret) pd_must_check;

/** Build id of @p name with @p cpumode from HEADER_BUILD_ID; NULL if there is none. */
const struct pd_build_id *pd_file_build_id(
	const struct pd_file *file, const char *name, uint16_t cpumode);

PD_DECLS_END

#endif
