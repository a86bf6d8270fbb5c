/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Writes the user registers of a thread: an iterator over threads (BPF_TRACE_ITER), which the
 * recorder opens for a single one. A blocked thread has them at the top of its stack in the kernel.
 */
#include <linux/bpf.h>

#include <asm/ptrace.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

char licence[] SEC("license") = "GPL v2";

#ifdef __TARGET_ARCH_arm64
typedef struct user_pt_regs user_regs;
#else
typedef struct pt_regs user_regs;
#endif

struct seq_file;
struct task_struct;

struct bpf_iter_meta {
	struct seq_file *seq;
} __attribute__((preserve_access_index));

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} __attribute__((preserve_access_index));

SEC("iter/task")
int registers(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	user_regs regs;

	if (!task)
		return 0;
	const void *from = (const void *)bpf_task_pt_regs(task);
	if (bpf_probe_read_kernel(&regs, sizeof(regs), from) == 0)
		bpf_seq_write(ctx->meta->seq, &regs, sizeof(regs));
	return 0;
}
