/**
 * @file All of libpdconv: the recordings of Linux perf (perf.data), read, written and made.
 *
 * 	struct pd_file *file;
 * 	struct pd_reader *reader;
 * 	struct pd_record rec;
 * 	struct pd_error *err = pd_file_open("perf.data", NULL, &file);
 *
 * 	if (!err)
 * 		err = pd_reader_create(file, PD_ORDER_TIME, &reader);
 * 	while (!err) {
 * 		err = pd_reader_next(reader, &rec);
 * 		if (err || !rec.bytes)
 * 			break;
 * 		...
 * 	}
 *
 * pdconv/file.h opens a recording and tells what it says of itself, pdconv/reader.h goes through
 * its records, pdconv/record.h and pdconv/sample.h decode them, pdconv/visitor.h goes through their
 * fields by name. pdconv/writer.h writes a recording, pdconv/copy.h one that was read.
 * pdconv/capture.h records: events as they happen, and CPU profiles. Functions that can fail return
 * an error that is the caller's, or NULL: pdconv/error.h. A file and what was made from it belong
 * to one thread at a time; different files are independent.
 */
#ifndef PDCONV_PDCONV_H
#define PDCONV_PDCONV_H

#include <pdconv/attr.h>
#include <pdconv/build_id.h>
#include <pdconv/bytes.h>
#include <pdconv/capture.h>
#include <pdconv/copy.h>
#include <pdconv/cursor.h>
#include <pdconv/error.h>
#include <pdconv/events.h>
#include <pdconv/feature.h>
#include <pdconv/file.h>
#include <pdconv/group_read.h>
#include <pdconv/header.h>
#include <pdconv/layout.h>
#include <pdconv/bitfield.h>
#include <pdconv/reader.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/trace_format.h>
#include <pdconv/trace_value.h>
#include <pdconv/tracing_data.h>
#include <pdconv/vec.h>
#include <pdconv/visitor.h>
#include <pdconv/writer.h>

#endif
