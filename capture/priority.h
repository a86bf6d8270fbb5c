/**
 * @file Priority of threads of the recorder that samples wait for.
 *
 * Recordings are made of busy machines. While the thread that reads the rings waits for the
 * programs that it records, the rings fill up and stacks become shorter; while tables of BPF are
 * being made, stacks are incomplete. Both take little time in all.
 */
#ifndef PD_CAPTURE_PRIORITY_H
#define PD_CAPTURE_PRIORITY_H

/**
 * Let this thread go first. Returns its nice value until now, for cap_priority_restore(). Without
 * the right to do that nothing changes.
 */
int cap_priority_raise(void);
void cap_priority_restore(int nice);

#endif
