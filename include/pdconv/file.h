/**
 * @file A recording: its header, events, features and where its records are.
 *
 * It is a file (file mode), a stream (pipe mode: what a file has in sections comes as records), or
 * a directory with a file and a stream for each thread that recorded. Everything here is a view
 * into what is mapped, or a copy, and lives until pd_file_close. The format is described in
 * tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */
#ifndef PDCONV_FILE_H
#define PDCONV_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/events.h>
#include <pdconv/feature.h>
#include <pdconv/header.h>
#include <pdconv/tracing_data.h>
#include <pdconv/vec.h>

PD_DECLS_BEGIN

/** A part of the file. */
struct pd_section {
	uint64_t offset;
	uint64_t size;
};

/** A feature of the header. Its body lives as long as the file is open. */
struct pd_feature {
	bool is_present;
	/** Of the body in the file, bytes. */
	uint64_t offset;
	const uint8_t *bytes;
	/** May be 0. */
	uint64_t size;
};

/** An entry of HEADER_BUILD_ID. */
struct pd_build_id_entry {
	struct pd_build_id id;
	/** PD_MISC_KERNEL, PD_MISC_USER, ... */
	uint16_t cpumode;
	/** Of a guest's; -1: the host's. */
	int32_t pid;
	const char *name;
};

/** Where records are: the recording itself, or the stream of a thread that recorded. */
struct pd_part {
	const char *path;
	/** The records; without end if they come piece by piece. */
	struct pd_section data;
};

/** All members are for reading. */
struct pd_file {
	const char *path;
	/** All of it; NULL if it comes piece by piece. */
	const uint8_t *bytes;
	uint64_t size;
	/** The file is in the other byte order than this machine. */
	bool swap;
	/** The recorder was interrupted: the header does not say where the records end. */
	bool is_unfinished;
	/** Magic and size only, of a stream. adds_features is borrowed from the file. */
	struct pd_file_header header;
	/** Of the magic: 1 or 2. */
	int version;
	/** Pipe mode: events and features may be added while records are read. */
	bool is_pipe;
	/** By Android's simpleperf. */
	bool is_simpleperf;

	struct pd_events events;
	/** The recording itself, and then the streams of threads, if it is a directory. */
	PD_VEC(struct pd_part) parts;
	struct pd_feature feature[PD_N_FEATURE_BITS];

	/** Features of one string, by bit; NULL if absent. */
	const char *text[PD_N_FEATURE_BITS];
	/** For decoding features: see pdconv/layout.h. */
	struct pd_layout_env env;
	/** HEADER_CMDLINE: the recorder's arguments. */
	PD_VEC(const char *) cmdline;
	PD_VEC(struct pd_build_id_entry) build_ids;
	/** HEADER_SAMPLE_TIME, ns; 0 if unknown. */
	uint64_t first_sample_ns;
	uint64_t last_sample_ns;
	/** HEADER_TRACING_DATA; NULL if there is none, or nothing of it makes sense. */
	struct pd_tracing *tracing;

	/** Damage that was stepped over, or that ended reading, so far. */
	struct pd_diag *diag;
	/** The rest of it. Private. */
	struct pd_file_state *state;
};

/**
 * Open the recording @p path; "-" is standard input. One in file mode that comes through a pipe or
 * is compressed is copied to a temporary file. One in pipe mode is read up to its first sample.
 * Damage that can be stepped over goes to @p diag, which is borrowed until pd_file_close; NULL: the
 * file has one of its own.
 */
struct pd_error *pd_file_open(
	const char *path, struct pd_diag *diag, struct pd_file **ret) pd_must_check;
/** The same from descriptor @p fd, which stays the caller's; @p name is for messages. */
struct pd_error *pd_file_open_fd(
	int fd, const char *name, struct pd_diag *diag, struct pd_file **ret) pd_must_check;
/** The same from memory, which is borrowed; @p path is for messages. */
struct pd_error *pd_file_open_memory(const char *path, const void *bytes, size_t size,
	struct pd_diag *diag, struct pd_file **ret) pd_must_check;
/** NULL is fine. */
void pd_file_close(struct pd_file *file);

/** For messages about records of part @p part. */
const char *pd_file_part_path(const struct pd_file *file, uint32_t part);

/**
 * Decode feature @p bit into @p ret, the struct of its layout (see pd_feature_layout), which
 * borrows from the file:
 *
 * 	struct pd_nrcpus cpus;
 *
 * 	if (pd_file_feature(file, PD_FEATURE_NRCPUS, &cpus))
 * 		printf("%u\n", cpus.nr_cpus_online);
 *
 * False if it is absent, not known, or damaged; then @p ret holds what is before the damage, and
 * zeros.
 */
bool pd_file_feature(const struct pd_file *file, unsigned bit, void *ret) pd_must_check;

/**
 * Body of feature @p bit, not decoded, which lives as long as @p file; empty if the feature is
 * absent.
 */
static inline struct pd_view pd_file_feature_bytes(const struct pd_file *file, unsigned bit)
{
	struct pd_view view;

	view.data = file->feature[bit].bytes;
	view.elem_size = 1;
	view.swap = file->swap;
	view.n = file->feature[bit].size;
	return view;
}

/** The build id that the header gives for @p name in @p cpumode; NULL if none. */
const struct pd_build_id *pd_file_build_id(
	const struct pd_file *file, const char *name, uint16_t cpumode);

PD_DECLS_END

#endif
