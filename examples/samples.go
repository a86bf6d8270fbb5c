// Print the records of a recording in order of time, as examples/records.c does, from Go: samples PERF.DATA.
package main

// #cgo pkg-config: pdconv
// #include <stdlib.h>
// #include <pdconv/pdconv.h>
import "C"

import (
	"bufio"
	"fmt"
	"os"
	"unsafe"
)

func check(err *C.struct_pd_error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, C.GoString(C.pd_error_string(err)))
		os.Exit(1)
	}
}

func main() {
	path := C.CString(os.Args[1])
	defer C.free(unsafe.Pointer(path))
	var file *C.struct_pd_file
	check(C.pd_file_open(path, nil, &file))
	defer C.pd_file_close(file)
	var reader *C.struct_pd_reader
	check(C.pd_reader_create(file, C.PD_ORDER_TIME, &reader))
	defer C.pd_reader_destroy(reader)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var rec C.struct_pd_record
	for check(C.pd_reader_next(reader, &rec)); rec.bytes != nil; check(C.pd_reader_next(reader, &rec)) {
		name := "unknown"
		if known := C.pd_record_name(rec._type); known != nil {
			name = C.GoString(known)
		}
		fmt.Fprint(out, name)
		if uint64(rec.time) != ^uint64(0) {
			fmt.Fprint(out, " ", uint64(rec.time))
		}
		event := C.pd_events_find(C.pd_file_events(file), &rec)
		var sample C.struct_pd_sample
		var field *C.char
		if rec._type == C.PD_RECORD_SAMPLE && event != nil &&
			C.pd_sample_decode(&event.plan, &rec, &sample, &field) != C.PD_SAMPLE_SHORT {
			fmt.Fprintf(out, " %s %d/%d %#x", C.GoString(event.name), sample.pid, sample.tid, sample.ip)
		}
		fmt.Fprintln(out)
	}
}
