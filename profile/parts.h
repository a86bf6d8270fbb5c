/**
 * @file Parts of a profile: binaries, frames, functions, threads, samples and events.
 */
#ifndef PD_PROFILE_PARTS_H
#define PD_PROFILE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/unwind_end.h>

#include "profile/field_defs.h"
#include "profile/ids.h"
#include "profile/tag_defs.h"

/** Samples and the sum of their periods. */
struct prof_value {
	uint64_t samples;
	uint64_t period;
};

/**
 * Largest sum of the periods of all events of a profile, which includes filtered samples. No sum of
 * periods in it overflows, not even in formats with signed integers.
 */
#define PROF_MAX_PERIODS ((uint64_t)INT64_MAX)

struct prof_binary {
	/** Path or name as recorded. */
	struct prof_string_id name;
	struct pd_build_id build_id;
	/** The build id comes from the file that was found, because the recording has none. */
	bool is_id_found;
	bool is_kernel;
	/** Code that a program generated at run time. */
	bool is_generated;
	/** The name stands for a file, not for anonymous memory or the like. */
	bool has_image;
	/**
	 * The file was found, or for the kernel its symbols. Frames hold virtual addresses if it
	 * was, else file offsets.
	 */
	bool is_found;
	/** There is no such file, or none that can be read. */
	bool is_absent;
	/** Only its debug file was found, which has names, but no code. is_absent is set, too. */
	bool is_debug_only;
	/** The file was built without call frame information, which covers hardly any code. */
	bool lacks_cfi;
	/** No FDE of its .debug_frame covers its code, whose instructions are followed. */
	bool has_unusable_debug_frame;
	/** Compiled by Go, whose table of functions takes the place of call frame information. */
	bool is_go;
	/** Kernel only: source files and lines are available. */
	bool has_lines;
	/**
	 * Kernel image: its reference symbol, "_text" or "_stext", whose recorded address is
	 * load_addr. "" for everything else.
	 */
	struct prof_string_id ref_symbol;
	/**
	 * Kernel module: address at which its code was at the end of the recording. 0 if it is not
	 * known, and for what is neither the kernel nor a module.
	 */
	uint64_t load_addr;
	/** Kernel image: recorded addresses minus those of its vmlinux; 0 if none is in use. */
	uint64_t vmlinux_offset;
	/** Recorded path of the jitdump with the generated code; "" if there is none. */
	struct prof_string_id jitdump;
	/** Why the binary was not found; "" if it was found or was not looked for. */
	struct prof_string_id why;
	/**
	 * The file in use is from another build than the recorded one. Names of its functions are
	 * marked.
	 */
	bool is_mismatched;
	/** The recorded build id turned out to be of another file that had the same path. */
	bool is_id_refuted;
	/** The user gave a file for it, which was not used: see @a why. */
	bool is_given_refused;
	/** It has functions without symbols: see prof_function.made_size. */
	bool has_made_names;
	/**
	 * Executable segment: [start, limit) as virtual addresses if the file was found, else file
	 * offsets.
	 */
	uint64_t start;
	uint64_t limit;
	/** File offset of the executable segment, in bytes. */
	uint64_t offset;
	/** Unwinds that ended in this binary, by reason. Periods of all events are summed. */
	struct prof_value ends[PD_N_UNWIND_ENDS];
};

/** A file that was tried for a binary. Only listed if requested. */
struct prof_attempt {
	/** Refers to nothing if the binary has no frames. */
	struct prof_binary_id binary;
	/** The file was tried as the debug file, not as the binary itself. */
	bool is_debug;
	/** The file was used. */
	bool is_taken;
	/** Search path in which the file was looked for, such as "build-id cache". */
	struct prof_string_id search_path;
	struct prof_string_id path;
	/** Why the file was not used, or by what it was recognized. */
	struct prof_string_id why;
};

/** A binary that was mapped and has no frames. Only listed if requested. */
struct prof_unused {
	/** Path or name as recorded. */
	struct prof_string_id name;
	struct pd_build_id build_id;
};

/**
 * A file that names need in addition to binaries and their debug files: a map of generated code, or
 * a supplementary debug file (dwz). Only listed if requested.
 */
struct prof_companion {
	/** Path at which the file was found. */
	struct prof_string_id path;
	/** Path on the recording machine. */
	struct prof_string_id name;
	/** Build id of a debug file; len 0: it is not one. */
	struct pd_build_id build_id;
	/** A separate debug file refers to it, which has to be there as well. */
	bool is_of_debug;
	/** Device and inode of the file that was used; 0: not known. */
	uint64_t dev;
	uint64_t ino;
};

/** Flags of a frame. */
enum {
	/**
	 * The frame was found through the frame pointer, because no call frame information covers
	 * its code.
	 */
	PROF_FRAME_BY_FP = 1,
	/**
	 * The frame was taken from the recorded call chain, because the unwind ended before the
	 * root.
	 */
	PROF_FRAME_JOINED = 2,
	/**
	 * A mark at the root that stands for missing frames: the stack was larger than its captured
	 * bytes.
	 */
	PROF_FRAME_TRUNCATED = 4,
	/**
	 * A mark instead of a frame: the frames after it come from the stack of a neighbouring
	 * sample.
	 */
	PROF_FRAME_STITCHED = 8,
	/**
	 * The functions into which those at this frame were inlined are left out: a filter has made
	 * the outermost of these the root.
	 */
	PROF_FRAME_ROOT = 16,
	/**
	 * A location of data instead of code: prof_detail.addr_frame. Stacks have no such frames.
	 * The address is 0 in memory without a file.
	 */
	PROF_FRAME_DATA = 32,
};

/** A location in a binary. Frames with equal bytes are the same frame. */
struct prof_frame {
	/**
	 * Address inside the instruction: virtual address, file offset, kernel or process address.
	 * 0 for addresses in recorded call chains that are not mapped.
	 */
	uint64_t addr;
	/** Refers to nothing if the address is not mapped. */
	struct prof_binary_id binary;
	uint32_t flags;
};

/** Offsets of a frame's address, in bytes; only if requested. */
struct prof_frame_offset {
	/** From the start of its file. */
	uint64_t in_file;
	/** From the start of the symbol that covers it. */
	uint64_t in_symbol;
	bool has_file;
	bool has_symbol;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint8_t reserved[6];
};

/** A runtime that a process with samples had mapped at the end of the recording. */
struct prof_runtime_use {
	uint32_t pid;
	/** enum prof_runtime */
	uint32_t runtime;
	/** Version: 100 * major + minor; 0 if not known. */
	uint32_t version;
};

/** A function. Functions with equal bytes are the same function. */
struct prof_function {
	/** Demangled name. */
	struct prof_string_id name;
	/** Linkage name, as in the symbol table. */
	struct prof_string_id linkage;
	/** Source file of its lines; "" if not known. */
	struct prof_string_id file;
	/** Source file of the declaration; "" if not known. */
	struct prof_string_id decl_file;
	/** Line of the declaration; 0 if not known. */
	uint32_t start_line;
	/** Refers to nothing for the names of marks. */
	struct prof_binary_id binary;
	/**
	 * Size in bytes of a function without a symbol. Both names are made of the binary's name
	 * and the address of its first byte: "prog+0x1139". They mean the same function only in one
	 * build. 0: it has a symbol.
	 */
	uint32_t made_size;
};

/** A function at a frame, and the line of source in it. */
struct prof_line {
	struct prof_function_id function;
	/** Line number; 0 if not known. */
	uint32_t line;
	/** Distinguishes blocks of code on that line; 0: the first one, or not known. */
	uint32_t discriminator;
};

/**
 * The functions at a frame, as a range of profile.lines, innermost first. Empty if the frame has no
 * name.
 */
struct prof_lines {
	uint32_t first;
	uint32_t n;
};

/** Code with one location in the source, or with none, in a function that a frame is in. */
struct prof_code {
	/** Addresses like those of frames. */
	uint64_t start;
	uint64_t end;
	struct prof_binary_id binary;
	/** Zero, in place of padding. */
	uint32_t reserved;
};

/** A thread under one name. Threads with equal bytes are the same thread. */
struct prof_thread {
	uint32_t pid;
	uint32_t tid;
	struct prof_string_id comm;
};

/** A process with samples. */
struct prof_process {
	uint32_t pid;
	/** Name of its main thread when a thread of it was first sampled under its name. */
	struct prof_string_id name;
};

enum prof_tag {
#define PROF_TAG_ENUM(name, ...) PROF_TAG_##name,
	PROF_TAGS(PROF_TAG_ENUM)
#undef PROF_TAG_ENUM
		PROF_N_TAGS,
};

/**
 * Properties by which samples are kept apart if requested. Tags with equal bytes are the same tags.
 */
struct prof_tags {
	/** CPU number; PROF_NONE if not requested or not sampled. */
	uint32_t cpu;
	/** Path of the control group; "" if not requested or not sampled. */
	struct prof_string_id cgroup;
	/** Number of threads that were running; 0 if not requested or not known. */
	uint32_t parallelism;
	/** Label of the input that the sample comes from; "" if there is only one input. */
	struct prof_string_id input;
	/** Labels that the recording gives to every sample. Refers to nothing if it gives none. */
	struct prof_labels_id labels;
};

/** A kind of sample that occurred once or more. Samples with equal bytes are the same sample. */
struct prof_sample {
	struct prof_stack_id stack;
	struct prof_thread_id thread;
	struct prof_event_id event;
	/**
	 * enum pd_unwind_end of the user stack; PD_N_UNWIND_ENDS if the stack was not unwound by
	 * pdconv.
	 */
	uint32_t end;
	/** Refers to nothing if no tags were requested. */
	struct prof_tags_id tags;
};

enum prof_field {
#define PROF_FIELD_ENUM(name) PROF_FIELD_##name,
	PROF_FIELDS(PROF_FIELD_ENUM)
#undef PROF_FIELD_ENUM
		PROF_N_FIELDS,
};

/** The bit of a field in prof_event.fields and prof_request.details. */
#define PROF_FIELD_BIT(name) ((uint32_t)1 << PROF_FIELD_##name)

/** Kinds of events, named as in perf_event_open(2). */
enum prof_event_kind {
#define PROF_EVENT_KIND_ENUM(name) PROF_EVENT_##name,
	PROF_EVENT_KINDS(PROF_EVENT_KIND_ENUM)
#undef PROF_EVENT_KIND_ENUM
		PROF_N_EVENT_KINDS,
};

/** Name of a field: that of its bit in perf_event_attr.sample_type. Static storage. */
const char *prof_field_name(enum prof_field field);

/** Periods of an event that are likely to be wrong. */
struct prof_odd_periods {
	/** Samples whose periods are impossible and count as 0, and the first of these periods. */
	uint64_t n_invalid;
	uint64_t invalid;
	/** Samples whose periods are impossible or far above the others. They are counted. */
	struct prof_value huge;
	/** Largest period of these. */
	uint64_t largest;
};

struct prof_event {
	struct prof_string_id name;
	struct prof_string_id unit;
	enum prof_event_kind kind;
	/** Fields of its samples: a PROF_FIELD_BIT() each. */
	uint32_t fields;
	/** Page faults, whose data addresses may lie in named memory of the program. */
	bool is_page_fault;
	/** Raw data of the samples was written by a BPF program. */
	bool is_bpf_output;
	/** A dummy event, which counts nothing and is only opened for its side-band records. */
	bool is_dummy;
	/** Stacks were recorded, not only instruction pointers. */
	bool has_stacks;
	/** Maximum size of a captured stack in bytes; 0 if no stacks were captured. */
	uint32_t stack_bytes;
	/** User registers that were recorded: sample_regs_user of the attr. */
	uint64_t user_regs;
	/** The filter includes this event. */
	bool is_wanted;
	/**
	 * Samples do not contain their periods, which vary: each counts as 1, whatever the unit is.
	 */
	bool lacks_periods;
	/** `perf stat record` has counted the event. */
	bool is_counted;
	/** The event was counted on CPUs, whatever ran there. */
	bool is_of_cpus;
	/**
	 * The user part of call chains was not found by the kernel, but by a program that unwinds
	 * while it records.
	 */
	bool has_walked_chains;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint8_t reserved[3];
	/**
	 * Time between two samples of a task that runs, in ns; 0 if it was not requested, or if the
	 * event counts on a CPU instead of in a task and those that it creates.
	 */
	uint64_t period_ns;
	/** Requested sampling period in the unit of the event; 0 if it was not fixed. */
	uint64_t sample_period;
	/** Its count, and the unit of that, "" for none. */
	double counted;
	struct prof_string_id counted_unit;
	/**
	 * Index plus 1 of the event in whose samples the counter of this one was read, as the
	 * leader of a group reads those of its members; 0: the event takes samples itself.
	 */
	uint32_t leader;
	struct prof_odd_periods odd;
	struct prof_value total;
};

#endif
