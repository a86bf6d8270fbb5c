/* Find addresses in a map of generated code. */
#include <fcntl.h>

#include "base/cleanup.h"
#include "symbolize/perf_map.h"
#include "tests/fuzz/fuzz.h"

void fuzz_target_perf_map(struct fuzz_input *in)
{
	const char *path = fuzz_write("perf-7.map", in->bytes, in->size);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct sym_perf_map_file file = { .path = (char *)path, .fd = fd };
	struct sym_perf_map_code code;
	struct sym_perf_map *map;
	struct pd_error *err = sym_perf_map_read(&file, (struct sym_access){ 0 }, &map);

	if (!err) {
		for (uint64_t addr = 0; addr < 256; addr++) {
			if (sym_perf_map_lookup(map, addr << 4, &code) &&
				(addr << 4 < code.start || (addr << 4) - code.start >= code.size))
				__builtin_trap();
		}
		sym_perf_map_destroy(map);
	}
	pd_error_destroy(err);
}
