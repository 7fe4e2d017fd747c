/* Finds the functions of generated code. A runtime that generates code registers function tables
 * with the system, which reads them only inside the runtime's own process.
 *
 * A look-up may call the runtime, which may wait for a lock that the frozen thread holds. If the
 * worker waited there, it would send no DRAINEDs, and the monitor would take the freeze for a
 * suspension. So a separate thread looks up, and no other thread waits for it. The first question
 * starts it, and the end of the attachment asks it to end. If it is held up in a look-up it ends
 * later, or never. Until then a later attachment starts no second one, and its questions wait, so
 * that such threads do not accumulate.
 *
 * The monitor asks only while no thread of the target is suspended. */
#include "hooks/hook_win32.h"

enum thread_state { THREAD_NONE, THREAD_WANTED, THREAD_ENDING };

/* Only one thread makes each transition: the worker FREE to ASKED and ANSWERED to FREE, the
 * look-up thread ASKED to ANSWERED. */
enum question_state { QUESTION_FREE, QUESTION_ASKED, QUESTION_ANSWERED };

static struct {
    _Atomic int thread;      /* enum thread_state */
    _Atomic int question;    /* enum question_state */
    uint8_t flags;           /* of the answer */
    struct um_wire_code has; /* the question's address, and the answer */
    _Atomic uint64_t cpu_ns; /* of all look-up threads so far */
    /* Used by the worker alone: */
    int waits;       /* the monitor waits for an answer */
    uint64_t wanted; /* the address that it has asked for */
    HANDLE asked;    /* wakes the look-up thread, which has its own handle; NULL: none */
} code;

#ifdef _WIN64

/* Fills in the answer; 0 if no function has the address. */
static int find(struct um_wire_code *has)
{
    RUNTIME_FUNCTION copy;
    DWORD64 base = 0;
    SIZE_T done = 0;
    PRUNTIME_FUNCTION entry = RtlLookupFunctionEntry(has->address, &base, NULL);
    /* The runtime may free the entry at any time, so it is read by a call that can fail. */
    if (!entry || !ReadProcessMemory(GetCurrentProcess(), entry, &copy, sizeof copy, &done) ||
        done != sizeof copy)
        return 0;
    has->base = base;
    has->begin = copy.BeginAddress;
    has->end = copy.EndAddress;
    has->unwind = copy.UnwindData;
    return 1;
}

#else

/* Programs of 32 bits have no such tables. */
static int find(struct um_wire_code *has)
{
    (void)has;
    return 0;
}

#endif

static DWORD WINAPI run(void *asked)
{
    uint64_t before_ns = atomic_load(&code.cpu_ns);
    int ending = THREAD_ENDING;

    while (!atomic_compare_exchange_strong(&code.thread, &ending, THREAD_NONE)) {
        ending = THREAD_ENDING;
        if (atomic_load(&code.question) == QUESTION_ASKED) {
            code.flags = find(&code.has) ? 0 : UM_WIRE_CODE_NONE;
            atomic_store(&code.cpu_ns, before_ns + um_hook_thread_cpu_ns(GetCurrentThread()));
            atomic_store(&code.question, QUESTION_ANSWERED);
        }
        WaitForSingleObject(asked, INFINITE);
    }
    CloseHandle(asked);
    return 0;
}

/* Starts the look-up thread; there must be none. If that fails, the next poll tries again. */
static void start(void)
{
    HANDLE self = GetCurrentProcess();
    HANDLE its = NULL;
    HANDLE thread = NULL;

    atomic_store(&code.question, QUESTION_FREE);
    code.asked = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (code.asked)
        DuplicateHandle(self, code.asked, self, &its, 0, FALSE, DUPLICATE_SAME_ACCESS);
    atomic_store(&code.thread, THREAD_WANTED);
    if (its)
        thread = CreateThread(NULL, 0, run, its, 0, NULL);
    if (thread) {
        SetThreadPriority(thread, THREAD_PRIORITY_HIGHEST); /* as the worker's */
        CloseHandle(thread);
        return;
    }
    atomic_store(&code.thread, THREAD_NONE);
    um_hook_close(&its);
    um_hook_close(&code.asked);
}

void um_code_ask(uint64_t address)
{
    code.wanted = address;
    code.waits = 1;
}

/* Passes the question to the look-up thread, unless that is busy. */
static void hand_on(void)
{
    if (atomic_load(&code.question) != QUESTION_FREE)
        return;
    code.has = (struct um_wire_code){.address = code.wanted};
    atomic_store(&code.question, QUESTION_ASKED);
    SetEvent(code.asked);
}

int um_code_next(struct um_wire_frame *frame)
{
    int answers = 0;

    if (!code.waits)
        return 0;
    if (atomic_load(&code.thread) == THREAD_NONE)
        start();
    if (atomic_load(&code.thread) != THREAD_WANTED)
        return 0;
    if (atomic_load(&code.question) == QUESTION_ANSWERED) {
        answers = code.has.address == code.wanted; /* else it answers an earlier question */
        frame->type = UM_WIRE_CODE;
        frame->flags = code.flags;
        frame->as.code = code.has;
        atomic_store(&code.question, QUESTION_FREE);
    }
    if (answers)
        code.waits = 0;
    else
        hand_on();
    return answers;
}

void um_code_stop(void)
{
    int wanted = THREAD_WANTED;
    code.waits = 0;
    if (!code.asked)
        return;
    atomic_compare_exchange_strong(&code.thread, &wanted, THREAD_ENDING);
    SetEvent(code.asked);
    um_hook_close(&code.asked);
}

uint64_t um_code_cpu_ns(void)
{
    return atomic_load(&code.cpu_ns);
}
