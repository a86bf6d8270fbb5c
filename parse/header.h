/**
 * @file What a recording begins with: the header of a file, or of a stream.
 */
#ifndef PD_PARSE_HEADER_H
#define PD_PARSE_HEADER_H

#include "parse/header_defs.h"
#include "parse/record.h"

enum {
	PD_MAGIC_BYTES = 8,
	PD_PIPE_HEADER_BYTES = 16,
	PD_HEADER_BYTES_WITHOUT_FEATURES = 72,
	PD_HEADER_BYTES = 104,
};

PD_HEADER_STRUCTS(PD_DECLARE_STRUCT)

#endif
