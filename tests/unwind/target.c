#include "tests/unwind/target.h"

#include <sys/uio.h>

#include "tests/unwind/image.h"

size_t target_read(struct target *target, uint64_t addr, void *buf, size_t size)
{
	struct iovec to = { buf, size };
	struct iovec from = { (void *)(target->base + addr), size };
	ssize_t n = process_vm_readv(target->pid, &to, 1, &from, 1, 0);

	return n < 0 ? 0 : (size_t)n;
}

uint64_t target_word(struct target *target, uint64_t addr)
{
	size_t word = target->arch->word;
	uint8_t buf[8];

	return target_read(target, addr, buf, word) == word ? arch_load(target->arch, buf, word)
							    : 0;
}

bool target_symbol(struct target *target, const char *name, uint64_t *ret)
{
	if (!image_symbol(target->program, name, ret))
		return false;
	*ret += target->bias;
	return true;
}

uint64_t target_auxv(const struct target *target, const uint8_t *bytes, size_t size, uint64_t type)
{
	size_t word = target->arch->word;

	for (size_t at = 0; at + 2 * word <= size; at += 2 * word) {
		if (arch_load(target->arch, bytes + at, word) == type)
			return arch_load(target->arch, bytes + at + word, word);
	}
	return 0;
}
