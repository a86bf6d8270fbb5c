/**
 * @file An open recording: header, events, features, and the location of its records.
 *
 * A recording is a file (file mode), a stream (pipe mode, in which records take the place of
 * sections), or a directory with a file and a data file for each recording thread. All data is
 * borrowed from the mapped input or owned by the recording, and lives until pd_file_close().
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

/**
 * Source of records: the recording itself, or the data file of a recording thread in a directory.
 */
struct pd_part {
	const char *path;
	/** Location of the records. The size is UINT64_MAX if the input is a pipe or compressed. */
	struct pd_section data;
};

/** Damaged bytes among the records that readers passed over so far. */
struct pd_gaps {
	/** Number of places. */
	uint64_t n;
	uint64_t bytes;
};

/** An open recording. Members are read-only for callers. Use from one thread at a time. */
struct pd_file {
	const char *path;
	/** The whole input; NULL if it is read in pieces, i.e. a pipe or compressed. */
	const uint8_t *bytes;
	uint64_t size;
	/** The recording is in the opposite of the host byte order. */
	bool swap;
	/** The recorder was interrupted before it wrote the size of the data section. */
	bool is_unfinished;
	/** The header; of a stream only magic and size are set. */
	struct pd_file_header header;
	/** Version of the format, from the magic: 1 or 2. */
	int version;
	/** The recording is a stream: reading records may add events and features. */
	bool is_pipe;
	/** The recording was written by Android's simpleperf. */
	bool is_simpleperf;

	struct pd_events events;
	/**
	 * The recording itself; for a directory, its main file and then the data files of the
	 * threads.
	 */
	PD_VEC(struct pd_part) parts;
	struct pd_feature feature[PD_N_FEATURE_BITS];

	/** Values of features that are one string, indexed by bit; NULL if absent. */
	const char *text[PD_N_FEATURE_BITS];
	/** Environment for decoding features: see pdconv/layout.h. */
	struct pd_layout_env env;
	/** HEADER_CMDLINE: arguments of the recorder. */
	PD_VEC(const char *) cmdline;
	PD_VEC(struct pd_build_id_entry) build_ids;
	/** HEADER_SAMPLE_TIME, ns; 0 if unknown. */
	uint64_t first_sample_ns;
	uint64_t last_sample_ns;
	/** HEADER_TRACING_DATA; NULL if absent or invalid. */
	struct pd_tracing *tracing;

	/** Damage so far that was skipped or that ended reading. Never NULL. */
	struct pd_diag *diag;
	/** Private. */
	struct pd_file_state *state;
	/** Each place is counted once, however often it is read. */
	struct pd_gaps gaps;
};

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

/** Return &file->events, for programs that do not know the struct. */
const struct pd_events *pd_file_events(const struct pd_file *file);

/** Path for messages about records of file->parts[@p part]. Lives as long as the file is open. */
const char *pd_file_part_path(const struct pd_file *file, uint32_t part);

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

/**
 * Body of feature @p bit, not decoded, which lives as long as @p file; empty if the feature is
 * absent.
 */
PD_INLINE struct pd_view pd_file_feature_bytes(const struct pd_file *file, unsigned bit)
{
	struct pd_view view;

	view.data = file->feature[bit].bytes;
	view.elem_size = 1;
	view.swap = file->swap;
	view.n = file->feature[bit].size;
	return view;
}

/** Build id of @p name with @p cpumode from HEADER_BUILD_ID; NULL if there is none. */
const struct pd_build_id *pd_file_build_id(
	const struct pd_file *file, const char *name, uint16_t cpumode);

PD_DECLS_END

#endif
