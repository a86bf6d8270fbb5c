/*
 * Variables in the rules of labels: V(NAME, "name", is_recorded, "meaning"). is_recorded: the value
 * is known once the recording was read. {dirN} is a variable in addition (batch/labels.c).
 */
/* clang-format off */
#define BAT_VARIABLES(V) \
	V(HOST, "host", true, "name of the machine that was recorded") \
	V(KERNEL, "kernel", true, "release of its kernel") \
	V(ARCH, "arch", true, "its architecture, as uname -m prints it") \
	V(DATE, "date", true, "day of the first sample in UTC; if that was not recorded, of the last change of the file") \
	V(FILE, "file", false, "name of the file")
/* clang-format on */
