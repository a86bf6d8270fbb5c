"""Print the records of a recording in order of time, as examples/records.c does, from Python: samples.py PERF.DATA."""
import ctypes as c
import sys

# Of pdconv/record.h, reader.h, record_defs.h and sample.h.
NO_TIME = 2**64 - 1
ORDER_TIME = 1
SAMPLE = 9
SHORT = 2


class Record(c.Structure):
    _fields_ = [("type", c.c_uint32), ("size", c.c_uint32), ("misc", c.c_uint16), ("is_unpacked", c.c_bool),
                ("swap", c.c_bool), ("part", c.c_uint32), ("ordinal", c.c_uint32), ("bytes", c.c_void_p),
                ("outside_size", c.c_uint64), ("offset", c.c_uint64), ("time", c.c_uint64), ("chunk", c.c_void_p)]


# The first fields. The library writes the others, too.
class Sample(c.Structure):
    _fields_ = [("id", c.c_uint64), ("ip", c.c_uint64), ("pid", c.c_uint32), ("tid", c.c_uint32), ("time", c.c_uint64),
                ("others", c.c_char * 1024)]


lib = c.CDLL("libpdconv.so.1")
for name in ("pd_file_open", "pd_reader_create", "pd_reader_next", "pd_file_events", "pd_events_find", "pd_events_plan"):
    getattr(lib, name).restype = c.c_void_p
for name in ("pd_record_name", "pd_event_name", "pd_error_string"):
    getattr(lib, name).restype = c.c_char_p


def check(error):
    if error:
        sys.exit(lib.pd_error_string(c.c_void_p(error)).decode())


file, reader, record, sample, field = c.c_void_p(), c.c_void_p(), Record(), Sample(), c.c_char_p()
check(lib.pd_file_open(sys.argv[1].encode(), None, c.byref(file)))
check(lib.pd_reader_create(file, ORDER_TIME, c.byref(reader)))
while check(lib.pd_reader_next(reader, c.byref(record))) or record.bytes:
    line = (lib.pd_record_name(record.type) or b"unknown").decode()
    line += f" {record.time}" if record.time != NO_TIME else ""
    events = c.c_void_p(lib.pd_file_events(file))
    event = lib.pd_events_find(events, c.byref(record)) if record.type == SAMPLE else None
    if event and lib.pd_sample_decode(c.c_void_p(lib.pd_events_plan(events, c.byref(record))), c.byref(record),
                                      c.byref(sample), c.byref(field)) != SHORT:
        line += f" {lib.pd_event_name(c.c_void_p(event)).decode()} {sample.pid}/{sample.tid} {sample.ip:#x}"
    print(line)
lib.pd_reader_destroy(reader)
lib.pd_file_close(file)
