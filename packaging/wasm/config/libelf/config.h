/* Configuration of libelf, of elfutils, for wasm32-wasi. */
#define _GNU_SOURCE 1
#define PACKAGE_NAME "elfutils"
#define HAVE_VISIBILITY 1
#define HAVE_FALLTHROUGH 1
#define HAVE_DECL_MEMRCHR 1
#define HAVE_DECL_RAWMEMCHR 0
#define HAVE_DECL_MEMPCPY 1
#define HAVE_DECL_POWEROF2 0
#define HAVE_DECL_REALLOCARRAY 1
#define HAVE_ERR_H 1
#define assert_perror(error) ((void)(error))
#include <eu-config.h>
