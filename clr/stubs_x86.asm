; What a traced method calls when it begins and ends, for Visual C++ on x86. It is stubs_x86.S in the
; words of its assembler, and that file explains it: change both.
;
    .686
    .XMM
    .MODEL FLAT

EXTERN _um_profiler_enter:PROC
EXTERN _um_profiler_leave:PROC
EXTERN _um_profiler_cpu:PROC
EXTERN _uimon_calls_1:BYTE
EXTERN _um_stub_tls:DWORD

NODE_COUNT EQU 0
NODE_ENDED EQU 8
NODE_WALL EQU 16
NODE_SELF EQU 24
NODE_HOT EQU 40
NODE_METHOD EQU 56
FRAME_NODE EQU 0
FRAME_BEGIN EQU 8
FRAME_WITHIN EQU 16
FRAME_SP EQU 24
FRAME_BYTES EQU 32
THREAD_TOP EQU 0
THREAD_LAST EQU 4
THREAD_ROUND EQU 8
THREAD_CPU_DUE EQU 16
THREAD_COUNTS EQU 120
CALLS_ROUND EQU 16
CPU_LONG EQU 08000000h

    .CODE
    ASSUME FS:NOTHING

; Sets both halves of a register to 1.
one MACRO register
    pcmpeqd register, register
    psrlq register, 63
    ENDM

; Calls a function of C with ECX and EDX, and changes no register but EAX, ECX and EDX.
slow MACRO name, function
name PROC
    push ebx
    mov ebx, esp
    sub esp, 528
    and esp, -16
    fxsave [esp + 16]
    mov [esp], ecx
    mov [esp + 4], edx
    cld
    call function
    fxrstor [esp + 16]
    mov esp, ebx
    pop ebx
    ret
name ENDP
    ENDM

    slow slow_enter, _um_profiler_enter
    slow slow_leave, _um_profiler_leave
    slow slow_cpu, _um_profiler_cpu

_um_stub_count PROC
    cmp dword ptr [_uimon_calls_1 + CALLS_ROUND], 0
    je count_1
    push ecx
    push edx
    push eax
    mov edx, [esp + 16]
    mov ecx, dword ptr [_um_stub_tls]
    test ecx, ecx
    jz count_2
    mov ecx, fs:[ecx]
    test ecx, ecx
    jz count_2
    sub esp, 32
    movdqu xmmword ptr [esp], xmm0
    movdqu xmmword ptr [esp + 16], xmm1
    one xmm0
    movq xmm1, qword ptr [ecx + edx * 8 + THREAD_COUNTS]
    paddq xmm1, xmm0
    movq qword ptr [ecx + edx * 8 + THREAD_COUNTS], xmm1
    movdqu xmm0, xmmword ptr [esp]
    movdqu xmm1, xmmword ptr [esp + 16]
    add esp, 32
count_3:
    pop eax
    pop edx
    pop ecx
count_1:
    ret 4
count_2:
    mov ecx, edx
    xor edx, edx
    call slow_enter
    jmp count_3
_um_stub_count ENDP

_um_stub_enter PROC
    cmp dword ptr [_uimon_calls_1 + CALLS_ROUND], 0
    je enter_1
    push ecx
    push edx
    push eax
    push ebx
    mov ecx, dword ptr [_um_stub_tls]
    test ecx, ecx
    jz enter_2
    mov ecx, fs:[ecx]
    test ecx, ecx
    jz enter_2
    mov eax, [ecx + THREAD_ROUND]
    cmp eax, dword ptr [_uimon_calls_1 + CALLS_ROUND]
    jne enter_2
    mov edx, [ecx + THREAD_TOP]
    cmp edx, [ecx + THREAD_LAST]
    jae enter_2
    lea ebx, [ebp + 8]
    cmp [edx + FRAME_SP], ebx
    jbe enter_2
    mov [edx + FRAME_BYTES + FRAME_SP], ebx
    mov dword ptr [edx + FRAME_BYTES + FRAME_SP + 4], 0
    mov eax, [edx + FRAME_NODE]
    mov eax, [eax + NODE_HOT]
    mov ebx, [esp + 20]
    cmp [eax + NODE_METHOD], ebx
    jne enter_2
    sub esp, 32
    movdqu xmmword ptr [esp], xmm0
    movdqu xmmword ptr [esp + 16], xmm1
    one xmm0
    movq xmm1, qword ptr [eax + NODE_COUNT]
    paddq xmm1, xmm0
    movq qword ptr [eax + NODE_COUNT], xmm1
    pxor xmm0, xmm0
    movq qword ptr [edx + FRAME_BYTES + FRAME_WITHIN], xmm0
    movdqu xmm0, xmmword ptr [esp]
    movdqu xmm1, xmmword ptr [esp + 16]
    add esp, 32
    mov [edx + FRAME_BYTES + FRAME_NODE], eax
    lea ebx, [edx + FRAME_BYTES]
    mov [ecx + THREAD_TOP], ebx
    rdtsc
    mov [ebx + FRAME_BEGIN], eax
    mov [ebx + FRAME_BEGIN + 4], edx
    cmp dword ptr [ebx - FRAME_BYTES + FRAME_SP], -1
    je enter_6
enter_4:
    pop ebx
    pop eax
    pop edx
    pop ecx
enter_1:
    ret 4
enter_6: ; an outermost call: is its CPU time to be read?
    cmp edx, [ecx + THREAD_CPU_DUE + 4]
    jb enter_4
    ja enter_7
    cmp eax, [ecx + THREAD_CPU_DUE]
    jb enter_4
enter_7:
    call slow_cpu
    jmp enter_4
enter_2:
    mov ecx, [esp + 20]
    lea edx, [ebp + 8]
    call slow_enter
    jmp enter_4
_um_stub_enter ENDP

_um_stub_leave PROC
    cmp dword ptr [_uimon_calls_1 + CALLS_ROUND], 0
    je leave_1
    push ecx
    push edx
    push eax
    push ebx
    push esi
    mov ecx, dword ptr [_um_stub_tls]
    test ecx, ecx
    jz leave_2
    mov ecx, fs:[ecx]
    test ecx, ecx
    jz leave_2
    mov eax, [ecx + THREAD_ROUND]
    cmp eax, dword ptr [_uimon_calls_1 + CALLS_ROUND]
    jne leave_2
    mov ebx, [ecx + THREAD_TOP]
    lea edx, [ebp + 8]
    cmp [ebx + FRAME_SP], edx
    jne leave_2
    rdtsc
    sub eax, [ebx + FRAME_BEGIN]
    sbb edx, [ebx + FRAME_BEGIN + 4]
    js leave_2
    mov esi, [ebx + FRAME_NODE]
    cmp dword ptr [ebx - FRAME_BYTES + FRAME_SP], -1
    je leave_6
leave_4:
    sub esp, 32
    movdqu xmmword ptr [esp], xmm0
    movdqu xmmword ptr [esp + 16], xmm1
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
    jb leave_5
    movd xmm0, eax
    movd xmm1, edx
    punpckldq xmm0, xmm1
    movq xmm1, qword ptr [esi + NODE_SELF]
    paddq xmm1, xmm0
    movq qword ptr [esi + NODE_SELF], xmm1
leave_5:
    one xmm0
    movq xmm1, qword ptr [esi + NODE_ENDED]
    paddq xmm1, xmm0
    movq qword ptr [esi + NODE_ENDED], xmm1
    movdqu xmm0, xmmword ptr [esp]
    movdqu xmm1, xmmword ptr [esp + 16]
    add esp, 32
    sub ebx, FRAME_BYTES
    mov [ecx + THREAD_TOP], ebx
leave_3:
    pop esi
    pop ebx
    pop eax
    pop edx
    pop ecx
leave_1:
    ret 4
leave_6: ; an outermost call: was it long enough to have a CPU time?
    test edx, edx
    jnz leave_2
    cmp eax, CPU_LONG
    jbe leave_4
leave_2:
    mov ecx, [esp + 24]
    lea edx, [ebp + 8]
    call slow_leave
    jmp leave_3
_um_stub_leave ENDP

END
