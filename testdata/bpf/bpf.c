/* Load the programs of bpf.o, call what they are attached to for a while, and unload them. */
#include <bpf/libbpf.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
	struct bpf_object *object = bpf_object__open_file("bpf.o", NULL);
	struct bpf_program *program;

	if (!object || bpf_object__load(object))
		return 1;
	bpf_object__for_each_program(program, object) {
		if (!bpf_program__attach(program))
			return 1;
	}
	for (double end = now() + 0.25; now() < end;)
		syscall(SYS_getpid);
	return 0;
}
