/*
 * Generate two functions (x86-64), run them for a second, and write /tmp/perf-PID.map, whose path
 * is printed.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* push %rbp; mov %rsp,%rbp; mov $N,%eax; 1: dec %eax; jne 1b; pop %rbp; ret */
static const uint8_t loop[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, 0x00, 0x00, 0x10, 0x00, 0xff, 0xc8,
	0x75, 0xfc, 0x5d, 0xc3 };

enum { FIRST_AT = 0, SECOND_AT = 256, SIZE = 4096 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
	uint8_t *code = mmap(
		NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];

	if (code == MAP_FAILED)
		return 1;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(path, "w");
	if (!map)
		return 1;
	memcpy(code + FIRST_AT, loop, sizeof(loop));
	memcpy(code + SECOND_AT, loop, sizeof(loop));
	fprintf(map, "%lx %zx made: the first loop\n", (unsigned long)(uintptr_t)code,
		sizeof(loop));
	fprintf(map, "%lx %zx made::second<int, 2>\n", (unsigned long)(uintptr_t)(code + SECOND_AT),
		sizeof(loop));
	fclose(map);
	void (*first)(void) = (void (*)(void))(uintptr_t)code;
	void (*second)(void) = (void (*)(void))(uintptr_t)(code + SECOND_AT);
	for (double end = now() + 1; now() < end;) {
		first();
		second();
	}
	puts(path);
	return 0;
}
