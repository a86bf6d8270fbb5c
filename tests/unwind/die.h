/**
 * @file Fatal errors of the recorder: print a line and exit with status 1.
 */
#ifndef PD_TESTS_UNWIND_DIE_H
#define PD_TESTS_UNWIND_DIE_H

#include <stdio.h>
#include <stdlib.h>

#define die(...) (fprintf(stderr, "stepper: " __VA_ARGS__), fputc('\n', stderr), exit(1))

#endif
