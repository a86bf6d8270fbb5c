/**
 * @file Headers at the start of a recording: struct pd_file_header, and struct pd_pipe_header of a
 * stream. The members are in pdconv/structs.h and in the manual page libpdconv-structs(3).
 */
#ifndef PDCONV_HEADER_H
#define PDCONV_HEADER_H

#include <pdconv/decls.h>
#include <pdconv/header_defs.h>
#include <pdconv/record.h>

PD_DECLS_BEGIN

enum {
	PD_MAGIC_BYTES = 8,
	PD_PIPE_HEADER_BYTES = 16,
	PD_HEADER_BYTES_WITHOUT_FEATURES = 72,
	PD_HEADER_BYTES = 104,
	/** Size of an entry of the event_types section, and of the body of an EVENT_TYPE record. */
	PD_EVENT_TYPE_BYTES = 72,
};

PD_DECLS_END

#endif
