/*
 * Fields of the headers at the start of a recording, in the notation of pdconv/record_defs.h.
 * Source: struct perf_file_header and perf_pipe_file_header in tools/perf/util/header.h of Linux.
 */
/* clang-format off */
#define PD_FILE_HEADER_FIELDS(F, T)                                                                \
	F(T, chars(8), magic, STR, "PERFILE2 or byteswapped 2ELIFREP; version 1: PERFFILE")        \
	F(T, u64, size, DEC, "of this header, bytes: 104, at first 72")                            \
	F(T, u64, attr_size, DEC, "of an entry of the attr table, bytes")                          \
	F(T, u64, attrs_offset, HEX, "attr table")                                                 \
	F(T, u64, attrs_size, DEC, "bytes")                                                        \
	F(T, u64, data_offset, HEX, "records")                                                     \
	F(T, u64, data_size, DEC, "bytes; 0: the recorder never ended")                            \
	F(T, u64, event_types_offset, HEX, "names of old recordings")                              \
	F(T, u64, event_types_size, DEC, "bytes")                                                  \
	F(T, all_u64s, adds_features, HEX, "a bit for each feature, in longs of the writer")

#define PD_PIPE_HEADER_FIELDS(F, T)                                                                \
	F(T, chars(8), magic, STR, "as in a file")                                                 \
	F(T, u64, size, DEC, "of this header, bytes: 16")

#define PD_HEADER_STRUCTS(S)                                                                       \
	S(file_header, PD_FILE_HEADER_FIELDS)                                                      \
	S(pipe_header, PD_PIPE_HEADER_FIELDS)
/* clang-format on */
