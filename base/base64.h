/**
 * @file Writer of base64 (RFC 4648) as a stream, in memory of a fixed size.
 */
#ifndef PD_BASE_BASE64_H
#define PD_BASE_BASE64_H

#include <stdio.h>

/**
 * Open a stream that writes what it gets to @p out in base64, without line ends. Closing it writes
 * the last characters; @p out is borrowed and stays open. Errors of @p out are left for its owner
 * to check. Returns NULL if out of memory.
 */
FILE *base_base64_open(FILE *out);

#endif
