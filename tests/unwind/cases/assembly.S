/*
 * Hand-written functions that call the function in their argument. KIND 1: with call frame
 * information, 2: with a frame pointer and without information, 3: without both,
 * 4: like 3, in a section of their own.
 */
#if KIND == 4
	.section .fast, "ax", @progbits
#else
	.text
#endif

#if KIND == 1
/* The frame is found through rbx. */
	.globl	by_register
	.type	by_register, @function
by_register:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	and	$-64, %rsp
	sub	$128, %rsp
	call	*%rdi
	mov	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	pop	%rbx
	.cfi_def_cfa_offset 8
	.cfi_restore %rbx
	ret
	.cfi_endproc
	.size	by_register, . - by_register

/* The caller's stack pointer is in memory: CFA = *(rsp + 16) + 8. */
	.globl	by_memory
	.type	by_memory, @function
by_memory:
	.cfi_startproc
	mov	%rsp, %rax
	.cfi_def_cfa_register %rax
	sub	$64, %rsp
	and	$-64, %rsp
	mov	%rax, 16(%rsp)
	.cfi_escape 0x0f, 0x06, 0x77, 0x10, 0x06, 0x23, 0x08, 0x96
	call	*%rdi
	mov	16(%rsp), %rsi
	.cfi_def_cfa %rsi, 8
	mov	%rsi, %rsp
	.cfi_def_cfa_register %rsp
	ret
	.cfi_endproc
	.size	by_memory, . - by_memory

/* The return address is moved to a register and back; rows are remembered and restored. */
	.globl	by_moves
	.type	by_moves, @function
by_moves:
	.cfi_startproc
	pop	%r11
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %r11
	mov	%r11, %rax
	push	%rax
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	test	%rdi, %rdi
	jz	1f
	push	%r12
	.cfi_remember_state
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	mov	%rdi, %r12
	call	*%r12
	pop	%r12
	.cfi_restore_state
	ret
1:	xor	%eax, %eax
	ret
	.cfi_endproc
	.size	by_moves, . - by_moves
#endif

#if KIND == 2
	.globl	by_register, by_memory, by_moves
by_register:
by_memory:
by_moves:
	push	%rbp
	mov	%rsp, %rbp
	sub	$48, %rsp
	call	*%rdi
	add	$48, %rsp
	pop	%rbp
	ret
#endif

#if KIND >= 3
	.globl	by_register, by_memory, by_moves
by_register:
by_memory:
by_moves:
	sub	$40, %rsp
	call	*%rdi
	add	$40, %rsp
	ret
#endif

	.section .note.GNU-stack, "", @progbits
