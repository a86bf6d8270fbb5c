/*
 * bpf_load OBJECT: let the verifier of the running kernel check the program for tracepoints in
 * OBJECT, which may have been compiled for another machine: it reads no registers of this one.
 */
#include <stdio.h>

#if __has_include(<bpf/libbpf.h>)
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77 };

int main(int argc, char **argv)
{
	struct bpf_program *program;

	if (argc != 2)
		return 2;
	if (geteuid() != 0) {
		puts("only root may load BPF programs");
		return SKIPPED;
	}
	struct bpf_object *object = bpf_object__open_file(argv[1], NULL);
	if (!object) {
		printf("cannot open %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	bpf_object__for_each_program(program, object) bpf_program__set_autoload(
		program, bpf_program__type(program) == BPF_PROG_TYPE_TRACEPOINT);
	int result = bpf_object__load(object);
	bpf_object__close(object);
	if (result == -EPERM) {
		puts("loading BPF programs is not permitted");
		return SKIPPED;
	}
	return result < 0;
}
#else
int main(void)
{
	puts("libbpf is not installed");
	return 77;
}
#endif
