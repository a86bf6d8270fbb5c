/* Busy in the kernel: a program where system calls begin, another where they end. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

unsigned long long total;

static __attribute__((noinline)) int spin(int n)
{
	unsigned long long sum = 0;

	for (int i = 0; i < 4000; i++) {
		sum += (sum << 3) ^ i ^ n;
		sum ^= sum >> 5;
	}
	total += sum;
	return (int)sum;
}

SEC("raw_tp/sys_enter")
int count_calls(void *ctx)
{
	return spin(2);
}

SEC("raw_tp/sys_exit")
int count_returns(void *ctx)
{
	int sum = spin(3);

	return sum & 1;
}
