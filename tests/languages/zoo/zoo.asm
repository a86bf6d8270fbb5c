; Functions in assembly. NASM writes no call frame information, so they keep frame pointers.
global main
extern putchar
section .note.GNU-stack noalloc noexec nowrite progbits
section .text

zoo_inner:
        push rbp
        mov rbp, rsp
        mov ecx, 200
.again: imul rdi, rdi, 1103515245
        add rdi, rcx
        dec ecx
        jnz .again
        mov rax, rdi
        pop rbp
        ret

zoo_middle:
        push rbp
        mov rbp, rsp
        call zoo_inner
        inc rax
        pop rbp
        ret

zoo_outer:
        push rbp
        mov rbp, rsp
        call zoo_middle
        inc rax
        pop rbp
        ret

main:
        push rbp
        mov rbp, rsp
        push rbx
        push rbx
        mov ebx, 5000000
.again: mov edi, ebx
        call zoo_outer
        dec ebx
        jnz .again
        pop rbx
        pop rbx
        xor eax, eax
        pop rbp
        ret
