// Print the records of a recording in order of time, as examples/records.c does, from Rust: samples PERF.DATA.
use std::{env, ffi::*, process, ptr};

#[repr(C)]
struct Record { kind: u32, size: u32, misc: u16, is_unpacked: bool, swap: bool, part: u32, ordinal: u32, bytes: *const u8,
    outside_size: u64, offset: u64, time: u64, chunk: *mut c_void }

#[repr(C)]
struct Sample { id: u64, ip: u64, pid: u32, tid: u32, time: u64, others: [u8; 1024] }

#[link(name = "pdconv")]
extern "C" {
    fn pd_file_open(path: *const c_char, diag: *mut c_void, ret: *mut *mut c_void) -> *mut c_void;
    fn pd_file_close(file: *mut c_void);
    fn pd_file_events(file: *const c_void) -> *const c_void;
    fn pd_reader_create(file: *mut c_void, order: c_int, ret: *mut *mut c_void) -> *mut c_void;
    fn pd_reader_next(reader: *mut c_void, ret: *mut Record) -> *mut c_void;
    fn pd_reader_destroy(reader: *mut c_void);
    fn pd_record_name(kind: u32) -> *const c_char;
    fn pd_events_find(events: *const c_void, rec: *const Record) -> *const c_void;
    fn pd_events_plan(events: *const c_void, rec: *const Record) -> *const c_void;
    fn pd_event_name(event: *const c_void) -> *const c_char;
    fn pd_sample_decode(plan: *const c_void, rec: *const Record, ret: *mut Sample, field: *mut *const c_char) -> c_int;
    fn pd_error_string(err: *const c_void) -> *mut c_char;
}

const ORDER_TIME: c_int = 1; // pdconv/reader.h
const SAMPLE: u32 = 9; // pdconv/record_defs.h
const SHORT: c_int = 2; // pdconv/sample.h

unsafe fn text(chars: *const c_char) -> String {
    if chars.is_null() { "unknown".to_string() } else { CStr::from_ptr(chars).to_string_lossy().into_owned() }
}

unsafe fn check(err: *mut c_void) {
    if err.is_null() { return; }
    eprintln!("{}", text(pd_error_string(err)));
    process::exit(1);
}

fn main() { unsafe {
    let path = CString::new(env::args().nth(1).expect("usage: samples PERF.DATA")).unwrap();
    let (mut file, mut reader) = (ptr::null_mut(), ptr::null_mut());
    let (mut rec, mut sample): (Record, Sample) = std::mem::zeroed();
    check(pd_file_open(path.as_ptr(), ptr::null_mut(), &mut file));
    check(pd_reader_create(file, ORDER_TIME, &mut reader));
    while { check(pd_reader_next(reader, &mut rec)); !rec.bytes.is_null() } {
        print!("{}", text(pd_record_name(rec.kind)));
        if rec.time != u64::MAX { print!(" {}", rec.time); }
        let events = pd_file_events(file);
        let (event, mut field) = (pd_events_find(events, &rec), ptr::null());
        let plan = pd_events_plan(events, &rec);
        if rec.kind == SAMPLE && !event.is_null() && pd_sample_decode(plan, &rec, &mut sample, &mut field) != SHORT {
            print!(" {} {}/{} {:#x}", text(pd_event_name(event)), sample.pid, sample.tid, sample.ip);
        }
        println!();
    }
    pd_reader_destroy(reader);
    pd_file_close(file);
} }
