/* What a traced method calls when it begins and ends. RCX is the method's number, and RDX the stack
 * pointer that its caller had at the call: this is not documented, so profiler_win32.c looks whether
 * it can be. The documentation wants every register back as it was; these save all they use.
 *
 * The shortest way of um_calls_enter and um_calls_leave is here (clr/calls.h), for a call whose
 * method was also the last one that its caller called. Everything else is in profiler_win32.c. The
 * offsets are held against the structs in profiler_win32.c.
 */
    .intel_syntax noprefix
    .text

    .set NODE_COUNT, 0
    .set NODE_ENDED, 8
    .set NODE_WALL, 16
    .set NODE_SELF, 24
    .set NODE_HOT, 40
    .set NODE_METHOD, 60
    .set FRAME_NODE, 0
    .set FRAME_BEGIN, 8
    .set FRAME_WITHIN, 16
    .set FRAME_SP, 24
    .set FRAME_BYTES, 32
    .set THREAD_TOP, 0
    .set THREAD_LAST, 8
    .set THREAD_ROUND, 16
    .set THREAD_CPU_DUE, 24
    .set THREAD_COUNTS, 136
    .set CALLS_ROUND, 16
    .set CPU_LONG, 0x8000000

/* Saves a register, so that the stack can still be unwound here. */
    .macro save register
    push \register
    .seh_stackalloc 8
    .endm

/* A function that calls another one with RCX and RDX as they are, and changes no register. The stack
 * is aligned where it is called. */
    .macro slow name, function
    .seh_proc \name
\name:
    sub rsp, 176
    .seh_stackalloc 176
    .seh_endprologue
    mov [rsp + 128], rax
    mov [rsp + 136], rcx
    mov [rsp + 144], rdx
    mov [rsp + 152], r8
    mov [rsp + 160], r9
    movdqu [rsp + 32], xmm0
    movdqu [rsp + 48], xmm1
    movdqu [rsp + 64], xmm2
    movdqu [rsp + 80], xmm3
    movdqu [rsp + 96], xmm4
    movdqu [rsp + 112], xmm5
    call \function
    movdqu xmm0, [rsp + 32]
    movdqu xmm1, [rsp + 48]
    movdqu xmm2, [rsp + 64]
    movdqu xmm3, [rsp + 80]
    movdqu xmm4, [rsp + 96]
    movdqu xmm5, [rsp + 112]
    mov rax, [rsp + 128]
    mov rcx, [rsp + 136]
    mov rdx, [rsp + 144]
    mov r8, [rsp + 152]
    mov r9, [rsp + 160]
    add rsp, 176
    ret
    .seh_endproc
    .endm

    slow slow_enter, um_profiler_enter
    slow slow_leave, um_profiler_leave
    slow slow_cpu, um_profiler_cpu

    .globl um_stub_count
    .seh_proc um_stub_count
um_stub_count:
    cmp qword ptr [rip + uimon_calls_1 + CALLS_ROUND], 0
    je 1f
    save r11
    save r10
    .seh_endprologue
    mov r11d, [rip + um_stub_tls]
    test r11d, r11d
    jz 2f
    mov r11, gs:[r11]
    test r11, r11
    jz 2f
    inc qword ptr [r11 + THREAD_COUNTS + rcx * 8]
    pop r10
    pop r11
1:
    ret
2:
    call slow_enter
    pop r10
    pop r11
    ret
    .seh_endproc

    .globl um_stub_enter
    .seh_proc um_stub_enter
um_stub_enter:
    cmp qword ptr [rip + uimon_calls_1 + CALLS_ROUND], 0
    je 1f
    save r11
    save r10
    save rax
    save rdx
    .seh_endprologue
    mov r11d, [rip + um_stub_tls]
    test r11d, r11d
    jz 2f
    mov r11, gs:[r11]
    test r11, r11
    jz 2f
    mov r10, [r11 + THREAD_ROUND]
    cmp r10, [rip + uimon_calls_1 + CALLS_ROUND]
    jne 2f
    mov r10, [r11 + THREAD_TOP]
    cmp [r10 + FRAME_SP], rdx
    jbe 2f
    cmp r10, [r11 + THREAD_LAST]
    jae 2f
    mov rax, [r10 + FRAME_NODE]
    mov rax, [rax + NODE_HOT]
    cmp [rax + NODE_METHOD], ecx
    jne 2f
    inc qword ptr [rax + NODE_COUNT]
    mov [r10 + FRAME_BYTES + FRAME_NODE], rax
    mov [r10 + FRAME_BYTES + FRAME_SP], rdx
    mov qword ptr [r10 + FRAME_BYTES + FRAME_WITHIN], 0
    add r10, FRAME_BYTES
    mov [r11 + THREAD_TOP], r10
    rdtsc
    shl rdx, 32
    or rax, rdx
    mov [r10 + FRAME_BEGIN], rax
    cmp qword ptr [r10 - FRAME_BYTES + FRAME_SP], -1
    je 3f
4:
    pop rdx
    pop rax
    pop r10
    pop r11
1:
    ret
3: /* an outermost call: is its CPU time to be read? */
    cmp rax, [r11 + THREAD_CPU_DUE]
    jb 4b
    call slow_cpu
    jmp 4b
2:
    call slow_enter
    pop rdx
    pop rax
    pop r10
    pop r11
    ret
    .seh_endproc

    .globl um_stub_leave
    .seh_proc um_stub_leave
um_stub_leave:
    cmp qword ptr [rip + uimon_calls_1 + CALLS_ROUND], 0
    je 1f
    save r11
    save r10
    save rax
    save rdx
    save rcx
    save r8
    .seh_endprologue
    mov r10, rdx
    rdtsc
    shl rdx, 32
    or rax, rdx
    mov r11d, [rip + um_stub_tls]
    test r11d, r11d
    jz 2f
    mov r11, gs:[r11]
    test r11, r11
    jz 2f
    mov rdx, [r11 + THREAD_ROUND]
    cmp rdx, [rip + uimon_calls_1 + CALLS_ROUND]
    jne 2f
    mov rdx, [r11 + THREAD_TOP]
    cmp [rdx + FRAME_SP], r10
    jne 2f
    mov rcx, [rdx + FRAME_NODE]
    sub rax, [rdx + FRAME_BEGIN]
    js 2f
    cmp qword ptr [rdx - FRAME_BYTES + FRAME_SP], -1
    je 3f
4:
    add [rcx + NODE_WALL], rax
    add [rdx - FRAME_BYTES + FRAME_WITHIN], rax
    xor r8d, r8d
    sub rax, [rdx + FRAME_WITHIN]
    cmovb rax, r8
    add [rcx + NODE_SELF], rax
    inc qword ptr [rcx + NODE_ENDED]
    sub rdx, FRAME_BYTES
    mov [r11 + THREAD_TOP], rdx
    pop r8
    pop rcx
    pop rdx
    pop rax
    pop r10
    pop r11
1:
    ret
3: /* an outermost call: was it long enough to have a CPU time? */
    cmp rax, CPU_LONG
    jbe 4b
2:
    mov rcx, [rsp + 8]
    mov rdx, [rsp + 16]
    call slow_leave
    pop r8
    pop rcx
    pop rdx
    pop rax
    pop r10
    pop r11
    ret
    .seh_endproc
