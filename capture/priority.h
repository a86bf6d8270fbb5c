/**
 * @file Priority of threads of the recorder that samples wait for.
 *
 * Recordings are made of busy machines. Where a thread has to wait for the programs that it
 * records, stacks are incomplete meanwhile. What it does takes tenths of a second in all.
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
