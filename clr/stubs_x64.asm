; What a traced method calls when it begins and ends, for Visual C++. It is stubs_x64.S in the words of
; its assembler, and that file explains it: change both.
;
EXTERN um_profiler_enter:PROC
EXTERN um_profiler_leave:PROC
EXTERN um_profiler_cpu:PROC
EXTERN uimon_calls_1:BYTE
EXTERN um_stub_tls:DWORD

NODE_COUNT EQU 0
NODE_ENDED EQU 8
NODE_WALL EQU 16
NODE_SELF EQU 24
NODE_HOT EQU 40
NODE_METHOD EQU 60
FRAME_NODE EQU 0
FRAME_BEGIN EQU 8
FRAME_WITHIN EQU 16
FRAME_SP EQU 24
FRAME_BYTES EQU 32
THREAD_TOP EQU 0
THREAD_LAST EQU 8
THREAD_ROUND EQU 16
THREAD_CPU_DUE EQU 24
THREAD_COUNTS EQU 136
CALLS_ROUND EQU 16
CPU_LONG EQU 08000000h

.CODE

; Saves a register, so that the stack can still be unwound here.
save MACRO register
    push register
    .allocstack 8
    ENDM

; A function that calls another one with RCX and RDX as they are, and changes no register. The stack
; is aligned where it is called.
slow MACRO name, function
name PROC FRAME
    sub rsp, 176
    .allocstack 176
    .endprolog
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
    call function
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
name ENDP
    ENDM

    slow slow_enter, um_profiler_enter
    slow slow_leave, um_profiler_leave
    slow slow_cpu, um_profiler_cpu

um_stub_count PROC FRAME
    cmp QWORD PTR uimon_calls_1[CALLS_ROUND], 0
    je um_stub_count_1
    save r11
    save r10
    .endprolog
    mov r11d, um_stub_tls
    test r11d, r11d
    jz um_stub_count_2
    mov r11, QWORD PTR gs:[r11]
    test r11, r11
    jz um_stub_count_2
    inc QWORD PTR [r11 + THREAD_COUNTS + rcx * 8]
    pop r10
    pop r11
um_stub_count_1:
    ret
um_stub_count_2:
    call slow_enter
    pop r10
    pop r11
    ret
um_stub_count ENDP

um_stub_enter PROC FRAME
    cmp QWORD PTR uimon_calls_1[CALLS_ROUND], 0
    je um_stub_enter_1
    save r11
    save r10
    save rax
    save rdx
    .endprolog
    mov r11d, um_stub_tls
    test r11d, r11d
    jz um_stub_enter_2
    mov r11, QWORD PTR gs:[r11]
    test r11, r11
    jz um_stub_enter_2
    mov r10, [r11 + THREAD_ROUND]
    cmp r10, QWORD PTR uimon_calls_1[CALLS_ROUND]
    jne um_stub_enter_2
    mov r10, [r11 + THREAD_TOP]
    cmp [r10 + FRAME_SP], rdx
    jbe um_stub_enter_2
    cmp r10, [r11 + THREAD_LAST]
    jae um_stub_enter_2
    mov rax, [r10 + FRAME_NODE]
    mov rax, [rax + NODE_HOT]
    cmp [rax + NODE_METHOD], ecx
    jne um_stub_enter_2
    inc QWORD PTR [rax + NODE_COUNT]
    mov [r10 + FRAME_BYTES + FRAME_NODE], rax
    mov [r10 + FRAME_BYTES + FRAME_SP], rdx
    mov QWORD PTR [r10 + FRAME_BYTES + FRAME_WITHIN], 0
    add r10, FRAME_BYTES
    mov [r11 + THREAD_TOP], r10
    rdtsc
    shl rdx, 32
    or rax, rdx
    mov [r10 + FRAME_BEGIN], rax
    cmp QWORD PTR [r10 - FRAME_BYTES + FRAME_SP], -1
    je um_stub_enter_3
um_stub_enter_4:
    pop rdx
    pop rax
    pop r10
    pop r11
um_stub_enter_1:
    ret
um_stub_enter_3: ; an outermost call: is its CPU time to be read?
    cmp rax, [r11 + THREAD_CPU_DUE]
    jb um_stub_enter_4
    call slow_cpu
    jmp um_stub_enter_4
um_stub_enter_2:
    call slow_enter
    pop rdx
    pop rax
    pop r10
    pop r11
    ret
um_stub_enter ENDP

um_stub_leave PROC FRAME
    cmp QWORD PTR uimon_calls_1[CALLS_ROUND], 0
    je um_stub_leave_1
    save r11
    save r10
    save rax
    save rdx
    save rcx
    save r8
    .endprolog
    mov r10, rdx
    rdtsc
    shl rdx, 32
    or rax, rdx
    mov r11d, um_stub_tls
    test r11d, r11d
    jz um_stub_leave_2
    mov r11, QWORD PTR gs:[r11]
    test r11, r11
    jz um_stub_leave_2
    mov rdx, [r11 + THREAD_ROUND]
    cmp rdx, QWORD PTR uimon_calls_1[CALLS_ROUND]
    jne um_stub_leave_2
    mov rdx, [r11 + THREAD_TOP]
    cmp [rdx + FRAME_SP], r10
    jne um_stub_leave_2
    mov rcx, [rdx + FRAME_NODE]
    sub rax, [rdx + FRAME_BEGIN]
    js um_stub_leave_2
    cmp QWORD PTR [rdx - FRAME_BYTES + FRAME_SP], -1
    je um_stub_leave_3
um_stub_leave_4:
    add [rcx + NODE_WALL], rax
    add [rdx - FRAME_BYTES + FRAME_WITHIN], rax
    xor r8d, r8d
    sub rax, [rdx + FRAME_WITHIN]
    cmovb rax, r8
    add [rcx + NODE_SELF], rax
    inc QWORD PTR [rcx + NODE_ENDED]
    sub rdx, FRAME_BYTES
    mov [r11 + THREAD_TOP], rdx
    pop r8
    pop rcx
    pop rdx
    pop rax
    pop r10
    pop r11
um_stub_leave_1:
    ret
um_stub_leave_3: ; an outermost call: was it long enough to have a CPU time?
    cmp rax, CPU_LONG
    jbe um_stub_leave_4
um_stub_leave_2:
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
um_stub_leave ENDP

END
