/* What a traced method calls when it begins and ends, on x86. The method's number is on the stack, and
 * these remove it. EBP is the method's frame pointer: two words above was the stack pointer that its
 * caller had at the call. That a traced method has a frame pointer is not documented, so
 * profiler_win32.c looks whether EBP can be one. The documentation wants every register back as it
 * was, those of floating point, too.
 *
 * The shortest way of um_calls_enter and um_calls_leave is here (clr/calls.h), for a call whose
 * method was also the last one that its caller called. Everything else is in profiler_win32.c. The
 * offsets are held against the structs in profiler_win32.c. Numbers that the reader reads are written
 * at once, eight bytes. Of rounds and stack pointers the lower half says everything.
 */
    .intel_syntax noprefix
    .text

    .set NODE_COUNT, 0
    .set NODE_ENDED, 8
    .set NODE_WALL, 16
    .set NODE_SELF, 24
    .set NODE_HOT, 40
    .set NODE_METHOD, 56
    .set FRAME_NODE, 0
    .set FRAME_BEGIN, 8
    .set FRAME_WITHIN, 16
    .set FRAME_SP, 24
    .set FRAME_BYTES, 32
    .set THREAD_TOP, 0
    .set THREAD_LAST, 4
    .set THREAD_ROUND, 8
    .set THREAD_CPU_DUE, 16
    .set THREAD_COUNTS, 120
    .set CALLS_ROUND, 16
    .set CPU_LONG, 0x8000000

/* Sets both halves of a register to 1. */
    .macro one register
    pcmpeqd \register, \register
    psrlq \register, 63
    .endm

/* Calls a function of C with ECX and EDX, and changes no register but EAX, ECX and EDX. */
    .macro slow name, function
\name:
    push ebx
    mov ebx, esp
    sub esp, 528
    and esp, -16
    fxsave [esp + 16]
    mov [esp], ecx
    mov [esp + 4], edx
    cld
    call \function
    fxrstor [esp + 16]
    mov esp, ebx
    pop ebx
    ret
    .endm

    slow slow_enter, _um_profiler_enter
    slow slow_leave, _um_profiler_leave
    slow slow_cpu, _um_profiler_cpu

    .globl _um_stub_count
_um_stub_count:
    cmp dword ptr [_uimon_calls_1 + CALLS_ROUND], 0
    je 1f
    push ecx
    push edx
    push eax
    mov edx, [esp + 16]
    mov ecx, [_um_stub_tls]
    test ecx, ecx
    jz 2f
    mov ecx, fs:[ecx]
    test ecx, ecx
    jz 2f
    sub esp, 32
    movdqu [esp], xmm0
    movdqu [esp + 16], xmm1
    one xmm0
    movq xmm1, qword ptr [ecx + edx * 8 + THREAD_COUNTS]
    paddq xmm1, xmm0
    movq qword ptr [ecx + edx * 8 + THREAD_COUNTS], xmm1
    movdqu xmm0, [esp]
    movdqu xmm1, [esp + 16]
    add esp, 32
3:
    pop eax
    pop edx
    pop ecx
1:
    ret 4
2:
    mov ecx, edx
    xor edx, edx
    call slow_enter
    jmp 3b

    .globl _um_stub_enter
_um_stub_enter:
    cmp dword ptr [_uimon_calls_1 + CALLS_ROUND], 0
    je 1f
    push ecx
    push edx
    push eax
    push ebx
    mov ecx, [_um_stub_tls]
    test ecx, ecx
    jz 2f
    mov ecx, fs:[ecx]
    test ecx, ecx
    jz 2f
    mov eax, [ecx + THREAD_ROUND]
    cmp eax, [_uimon_calls_1 + CALLS_ROUND]
    jne 2f
    mov edx, [ecx + THREAD_TOP]
    cmp edx, [ecx + THREAD_LAST]
    jae 2f
    lea ebx, [ebp + 8]
    cmp [edx + FRAME_SP], ebx
    jbe 2f
    mov [edx + FRAME_BYTES + FRAME_SP], ebx
    mov dword ptr [edx + FRAME_BYTES + FRAME_SP + 4], 0
    mov eax, [edx + FRAME_NODE]
    mov eax, [eax + NODE_HOT]
    mov ebx, [esp + 20]
    cmp [eax + NODE_METHOD], ebx
    jne 2f
    sub esp, 32
    movdqu [esp], xmm0
    movdqu [esp + 16], xmm1
    one xmm0
    movq xmm1, qword ptr [eax + NODE_COUNT]
    paddq xmm1, xmm0
    movq qword ptr [eax + NODE_COUNT], xmm1
    pxor xmm0, xmm0
    movq qword ptr [edx + FRAME_BYTES + FRAME_WITHIN], xmm0
    movdqu xmm0, [esp]
    movdqu xmm1, [esp + 16]
    add esp, 32
    mov [edx + FRAME_BYTES + FRAME_NODE], eax
    lea ebx, [edx + FRAME_BYTES]
    mov [ecx + THREAD_TOP], ebx
    rdtsc
    mov [ebx + FRAME_BEGIN], eax
    mov [ebx + FRAME_BEGIN + 4], edx
    cmp dword ptr [ebx - FRAME_BYTES + FRAME_SP], -1
    je 6f
4:
    pop ebx
    pop eax
    pop edx
    pop ecx
1:
    ret 4
6: /* an outermost call: is its CPU time to be read? */
    cmp edx, [ecx + THREAD_CPU_DUE + 4]
    jb 4b
    ja 7f
    cmp eax, [ecx + THREAD_CPU_DUE]
    jb 4b
7:
    call slow_cpu
    jmp 4b
2:
    mov ecx, [esp + 20]
    lea edx, [ebp + 8]
    call slow_enter
    jmp 4b

    .globl _um_stub_leave
_um_stub_leave:
    cmp dword ptr [_uimon_calls_1 + CALLS_ROUND], 0
    je 1f
    push ecx
    push edx
    push eax
    push ebx
    push esi
    mov ecx, [_um_stub_tls]
    test ecx, ecx
    jz 2f
    mov ecx, fs:[ecx]
    test ecx, ecx
    jz 2f
    mov eax, [ecx + THREAD_ROUND]
    cmp eax, [_uimon_calls_1 + CALLS_ROUND]
    jne 2f
    mov ebx, [ecx + THREAD_TOP]
    lea edx, [ebp + 8]
    cmp [ebx + FRAME_SP], edx
    jne 2f
    rdtsc
    sub eax, [ebx + FRAME_BEGIN]
    sbb edx, [ebx + FRAME_BEGIN + 4]
    js 2f
    mov esi, [ebx + FRAME_NODE]
    cmp dword ptr [ebx - FRAME_BYTES + FRAME_SP], -1
    je 6f
4:
    sub esp, 32
    movdqu [esp], xmm0
    movdqu [esp + 16], xmm1
    movd xmm0, eax
    movd xmm1, edx
    punpckldq xmm0, xmm1
    movq xmm1, qword ptr [esi + NODE_WALL]
    paddq xmm1, xmm0
    movq qword ptr [esi + NODE_WALL], xmm1
    movq xmm1, qword ptr [ebx - FRAME_BYTES + FRAME_WITHIN]
    paddq xmm1, xmm0
    movq qword ptr [ebx - FRAME_BYTES + FRAME_WITHIN], xmm1
    sub eax, [ebx + FRAME_WITHIN]
    sbb edx, [ebx + FRAME_WITHIN + 4]
    jb 5f
    movd xmm0, eax
    movd xmm1, edx
    punpckldq xmm0, xmm1
    movq xmm1, qword ptr [esi + NODE_SELF]
    paddq xmm1, xmm0
    movq qword ptr [esi + NODE_SELF], xmm1
5:
    one xmm0
    movq xmm1, qword ptr [esi + NODE_ENDED]
    paddq xmm1, xmm0
    movq qword ptr [esi + NODE_ENDED], xmm1
    movdqu xmm0, [esp]
    movdqu xmm1, [esp + 16]
    add esp, 32
    sub ebx, FRAME_BYTES
    mov [ecx + THREAD_TOP], ebx
3:
    pop esi
    pop ebx
    pop eax
    pop edx
    pop ecx
1:
    ret 4
6: /* an outermost call: was it long enough to have a CPU time? */
    test edx, edx
    jnz 2f
    cmp eax, CPU_LONG
    jbe 4b
2:
    mov ecx, [esp + 24]
    lea edx, [ebp + 8]
    call slow_leave
    jmp 3b
