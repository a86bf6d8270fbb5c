/*
 * Functions at the base of a stack, by name: R(name, switches). See struct unw_root for switches.
 *
 * The names are from Go's runtime/asm_*.s. Go 1.17 and later mark the base of a stack there as
 * TOPFRAME, and in the call frame information of the function. Functions that switch are called on
 * the stack of a goroutine and call others on the system stack of the thread, where the words above
 * their frame are left over from earlier calls. Tables for BPF go on by the frame pointer: see
 * paint_switch() in unwind/bpf_table.c. runtime.asmcgocall also calls without a switch, but
 * its call frame information is wrong there. runtime.systemstack_switch is not a root: below a
 * callback from C it stays on the stack of the goroutine, with a valid caller. Since Go 1.17, names
 * of functions in assembly may have the suffix ".abi0".
 */
#define RESOLVE_ROOTS(R) \
	R("runtime.goexit", false) \
	R("runtime.mstart", false) \
	R("runtime.rt0_go", false) \
	R("runtime.mcall", true) \
	R("runtime.gogo", true) \
	R("gogo", true) \
	R("runtime.systemstack", true) \
	R("runtime.morestack", true) \
	R("runtime.asmcgocall", true)
