/**
 * @file All of libpdconv: reads, writes and makes recordings of Linux perf (perf.data).
 *
 *	struct pd_file *file;
 *	struct pd_reader *reader;
 *	struct pd_record rec;
 *	struct pd_error *err = pd_file_open("perf.data", NULL, &file);
 *
 *	if (!err)
 *		err = pd_reader_create(file, PD_ORDER_TIME, &reader);
 *	while (!err) {
 *		err = pd_reader_next(reader, &rec);
 *		if (err || !rec.bytes)
 *			break;
 *		...
 *	}
 *
 * pdconv/file.h opens a recording and has its header, features and events. pdconv/reader.h iterates
 * over its records, pdconv/record.h and pdconv/sample.h decode them, and pdconv/visitor.h visits
 * their fields by name. pdconv/writer.h writes a recording, pdconv/copy.h copies one.
 * pdconv/capture.h records events in the calling program, and pdconv/profiler.h CPU profiles.
 * pdconv/convert.h converts a recording to pprof and other formats, and pdconv/profile.h shows what
 * is in it: stacks, frames and their names. pdconv/diff.h compares recordings, pdconv/annotate.h
 * shows the instructions and source lines of a function. pdconv/unwinder.h unwinds and names single
 * samples, of programs that run or of a recording. pdconv/arch.h knows registers, pdconv/names.h
 * numbers in attrs and records, and pdconv/event_parse.h the words of `perf record -e`.
 * pdconv/file_guard.h makes errors of files that shrink while they are read.
 *
 * Functions that can fail return an error that the caller owns, or NULL: see pdconv/error.h.
 * Undecoded integers carry their byte order (struct pd_record, pd_view, pd_list), and accessors
 * convert them. Use a recording, and what was made from it, from one thread at a time; different
 * recordings are independent.
 */
#ifndef PDCONV_PDCONV_H
#define PDCONV_PDCONV_H

#include <pdconv/annotate.h>
#include <pdconv/arch.h>
#include <pdconv/attr.h>
#include <pdconv/budget.h>
#include <pdconv/build_id.h>
#include <pdconv/bytes.h>
#include <pdconv/capture.h>
#include <pdconv/convert.h>
#include <pdconv/copy.h>
#include <pdconv/cursor.h>
#include <pdconv/diff.h>
#include <pdconv/error.h>
#include <pdconv/event_parse.h>
#include <pdconv/events.h>
#include <pdconv/feature.h>
#include <pdconv/file.h>
#include <pdconv/file_guard.h>
#include <pdconv/format_opts.h>
#include <pdconv/group_read.h>
#include <pdconv/header.h>
#include <pdconv/layout.h>
#include <pdconv/bitfield.h>
#include <pdconv/names.h>
#include <pdconv/profile.h>
#include <pdconv/profile_opts.h>
#include <pdconv/profiler.h>
#include <pdconv/reader.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/structs.h>
#include <pdconv/trace_format.h>
#include <pdconv/trace_value.h>
#include <pdconv/tracing_data.h>
#include <pdconv/unwind_end.h>
#include <pdconv/unwinder.h>
#include <pdconv/vec.h>
#include <pdconv/version.h>
#include <pdconv/visitor.h>
#include <pdconv/writer.h>

#endif
