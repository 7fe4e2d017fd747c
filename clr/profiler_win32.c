#include "clr/profiler_win32.h"

#include <intrin.h>
#include <stddef.h>

#include "base/module_list.h"
#include "base/plain/filetime_win32.h"
#include "clr/environment.h"
#include "clr/metadata_win32.h"

#define EXPORTED __declspec(dllexport)
#define CANCEL_ACTIVATION ((HRESULT)0x80131375) /* CORPROF_E_PROFILER_CANCEL_ACTIVATION */
#define WIDE_OF(text) L##text
#define WIDE(text) WIDE_OF(text)

/* Numbers of functions. Source: corprof.idl of the .NET runtime. */
#define QUERY_INTERFACE 0
#define RELEASE 2
#define INFO_SET_EVENT_MASK 16
#define INFO_GET_CLAUSE 56
#define INFO_SET_MAPPER 59
#define INFO_SET_HOOKS 61
#define CALLBACK_INITIALIZE 3
#define CALLBACK_JIT_INLINING 28
#define CALLBACK_FINALLY_ENTER 64
#define CALLBACK_CATCHER_ENTER 66

#define MONITOR_JIT 0x20u
#define MONITOR_EXCEPTIONS 0x40u
#define MONITOR_ENTER_LEAVE 0x1000u

#ifdef _WIN64
#define BY_BITS(on_x64, on_x86) on_x64
#else
#define BY_BITS(on_x64, on_x86) on_x86
#endif
/* Of the first 64 slots of a thread, from GS or FS; not documented: see find_tls. */
#define TLS_SLOTS BY_BITS(0x1480, 0xe10)

_Static_assert(offsetof(struct um_calls_node, count) == 0 &&
                   offsetof(struct um_calls_node, ended) == 8 &&
                   offsetof(struct um_calls_node, wall) == 16 &&
                   offsetof(struct um_calls_node, self) == 24 &&
                   offsetof(struct um_calls_node, hot) == 40 &&
                   offsetof(struct um_calls_node, method) == BY_BITS(60, 56),
               "as in the stubs");
_Static_assert(offsetof(struct um_calls_frame, node) == 0 &&
                   offsetof(struct um_calls_frame, begin) == 8 &&
                   offsetof(struct um_calls_frame, within) == 16 &&
                   offsetof(struct um_calls_frame, sp) == 24 && sizeof(struct um_calls_frame) == 32,
               "as in the stubs");
_Static_assert(offsetof(struct um_calls_thread, top) == 0 &&
                   offsetof(struct um_calls_thread, last) == BY_BITS(8, 4) &&
                   offsetof(struct um_calls_thread, round) == BY_BITS(16, 8) &&
                   offsetof(struct um_calls_thread, cpu_due) == BY_BITS(24, 16) &&
                   offsetof(struct um_calls_thread, counts) == BY_BITS(136, 120),
               "as in the stubs");
_Static_assert(offsetof(struct um_calls, round) == 16 && UM_CALLS_CPU_LONG == 0x8000000,
               "as in the stubs");
_Static_assert(sizeof(struct um_calls) <= 16 << 20, "16 MiB at most");

EXPORTED struct um_calls uimon_calls_1;
uint32_t um_stub_tls;

static DWORD tls = TLS_OUT_OF_INDEXES;      /* a thread's record */
static DWORD tls_over = TLS_OUT_OF_INDEXES; /* not NULL: the thread ends, and has none any more */
static struct um_clr_object *info;          /* ICorProfilerInfo3 */
static char only[UM_CLR_ONLY_BYTES];        /* which methods are traced; empty: all */

/* The target's threads ------------------------------------------------------------------------- */

static uint64_t read_cpu(void)
{
    FILETIME created, ended, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user))
        return 0;
    return um_filetime_cpu_ns(kernel, user);
}

/* The record of this thread; NULL: it has none, or with `make` there is no room for one. */
static struct um_calls_thread *this_thread(int make)
{
    DWORD error = GetLastError(); /* TlsGetValue changes it, and the target may want it */
    struct um_calls_thread *thread = TlsGetValue(tls);
    if (!thread && make && !TlsGetValue(tls_over)) {
        thread = um_calls_begin_thread(&uimon_calls_1, GetCurrentThreadId());
        if (thread)
            TlsSetValue(tls, thread);
    }
    SetLastError(error);
    return thread;
}

/* Whether `sp` can be what the stubs take it for. */
static int is_on_stack(uintptr_t sp)
{
    const NT_TIB *tib = (const NT_TIB *)NtCurrentTeb();
    return sp > (uintptr_t)&sp && sp <= (uintptr_t)tib->StackBase && sp % sizeof(void *) == 0;
}

/* Whether anybody traces the program at all. */
static void look_for_reader(uint64_t cycles)
{
    LARGE_INTEGER now;
    if (atomic_load_explicit(&uimon_calls_1.has_reader, memory_order_relaxed) ||
        cycles - uimon_calls_1.begin_cycles <= UM_CALLS_ALONE)
        return;
    QueryPerformanceCounter(&now);
    um_calls_look_for_reader(&uimon_calls_1, (uint64_t)now.QuadPart, cycles);
}

void um_profiler_enter(uintptr_t method, uintptr_t sp)
{
    uint64_t cycles = __rdtsc();
    struct um_calls_thread *thread = this_thread(1);
    int times = uimon_calls_1.head.depth == UM_METHODS_DEPTH_TIMES;
    look_for_reader(cycles);
    if (!thread || (times && !is_on_stack(sp)))
        atomic_fetch_add_explicit(&uimon_calls_1.rest, 1, memory_order_relaxed);
    else
        um_calls_enter(&uimon_calls_1, thread, (uint32_t)method, sp, cycles, read_cpu);
}

void um_profiler_leave(uintptr_t method, uintptr_t sp)
{
    uint64_t cycles = __rdtsc();
    struct um_calls_thread *thread = this_thread(0);
    int times = uimon_calls_1.head.depth == UM_METHODS_DEPTH_TIMES;
    (void)method;
    if (thread && (!times || is_on_stack(sp)))
        um_calls_leave(&uimon_calls_1, thread, sp, cycles, read_cpu);
}

void um_profiler_cpu(void)
{
    struct um_calls_thread *thread = this_thread(0);
    if (!thread)
        return;
    thread->cpu_ns = read_cpu();
    thread->cpu_due = __rdtsc() + UM_CALLS_CPU_FRESH;
    look_for_reader(__rdtsc());
}

/* Looks whether the slot lies where it does in every Windows that is known. If not, the stubs take
 * the longer way, by TlsGetValue. */
static void find_tls(void)
{
    void *before = TlsGetValue(tls);
    if (tls >= 64)
        return;
    uint32_t at = TLS_SLOTS + tls * (uint32_t)sizeof(void *);
    void *volatile *slot = (void *volatile *)((char *)NtCurrentTeb() + at);
    TlsSetValue(tls, &tls);
    int found = *slot == &tls;
    TlsSetValue(tls, NULL);
    found = found && !*slot;
    TlsSetValue(tls, before);
    if (found)
        um_stub_tls = at;
}

#define CALL(object, type, slot) ((type *)(object)->functions[slot])

/* The runtime's questions ---------------------------------------------------------------------- */

static int is_wanted(const struct um_clr_method_names *names)
{
    return only[0] == '\0' || um_module_list_has_method(only, names->path, names->name);
}

/* Whether a method that was not found so far was looked for in a type. */
static int is_looked_for_in(const char *type)
{
    uint32_t unseen = atomic_load_explicit(&uimon_calls_1.unseen, memory_order_relaxed);
    for (unsigned i = 0; i < UM_WIRE_METHOD_ENTRIES; i++)
        if (unseen >> i & 1 &&
            um_module_list_has_name(type, uimon_calls_1.text + uimon_calls_1.entries[i]))
            return 1;
    return 0;
}

/* Notes what else there is, as long as a name of the list may be mistyped: modules and types, and
 * the methods of a type in which one was looked for. */
static void note_other(struct um_clr_method_names *names)
{
    if (atomic_load_explicit(&uimon_calls_1.unseen, memory_order_relaxed) == 0)
        return;
    char end = names->name[names->type_bytes];
    names->name[names->type_bytes] = '\0';
    um_calls_add_other(&uimon_calls_1, names->module);
    um_calls_add_other(&uimon_calls_1, names->name);
    int is_looked_for = is_looked_for_in(names->name);
    names->name[names->type_bytes] = end;
    if (is_looked_for)
        um_calls_add_other(&uimon_calls_1, names->name);
}

/* Whether calls of a function are counted, and by which number. FunctionIDMapper2. */
static UINT_PTR STDMETHODCALLTYPE map_function(UINT_PTR function, void *unused, BOOL *hooked)
{
    struct um_clr_method_names names;
    (void)unused;
    um_metadata_method(info, function, &names);
    *hooked = is_wanted(&names);
    if (!*hooked) {
        note_other(&names);
        return function;
    }
    if (only[0])
        um_calls_found(&uimon_calls_1, um_module_list_which(only, names.path, names.name));
    look_for_reader(__rdtsc());
    return um_calls_add(&uimon_calls_1, function, names.module, names.name);
}

static HRESULT STDMETHODCALLTYPE jit_inlining(void *self, UINT_PTR caller, UINT_PTR callee,
                                              BOOL *inlined)
{
    struct um_clr_method_names names;
    (void)self;
    (void)caller;
    if (only[0])
        um_metadata_method(info, callee, &names);
    *inlined = only[0] && !is_wanted(&names);
    return S_OK;
}

/* COR_PRF_EX_CLAUSE_INFO */
struct clause {
    int type;
    UINT_PTR program_counter, frame, shadow;
};

typedef HRESULT STDMETHODCALLTYPE get_clause(struct um_clr_object *, struct clause *);

/* A method handles an exception, by `catch` or `finally`. */
static void end_thrown(void)
{
    struct um_calls_thread *thread = this_thread(0);
    struct clause clause = {0};
    if (thread && SUCCEEDED(CALL(info, get_clause, INFO_GET_CLAUSE)(info, &clause)) &&
        is_on_stack(clause.frame))
        um_calls_catch(thread, clause.frame, __rdtsc());
}

static HRESULT STDMETHODCALLTYPE finally_enter(void *self, UINT_PTR function)
{
    (void)self;
    (void)function;
    end_thrown();
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE catcher_enter(void *self, UINT_PTR function, UINT_PTR object)
{
    (void)object;
    return finally_enter(self, function);
}

static void yield(void)
{
    (void)SwitchToThread();
}

/* Its start ------------------------------------------------------------------------------------ */

typedef HRESULT STDMETHODCALLTYPE query_interface(void *, const IID *, void **);
typedef HRESULT STDMETHODCALLTYPE set_event_mask(struct um_clr_object *, DWORD);
typedef UINT_PTR STDMETHODCALLTYPE mapper(UINT_PTR, void *, BOOL *);
typedef HRESULT STDMETHODCALLTYPE set_mapper(struct um_clr_object *, mapper *, void *);
typedef void hook(uintptr_t method);
typedef HRESULT STDMETHODCALLTYPE set_hooks(struct um_clr_object *, hook *, hook *, hook *);

/* Whether the environment was made for this program. */
static int is_for_this_program(void)
{
    static WCHAR meant[32768], here[32768];
    DWORD len = GetEnvironmentVariableW(WIDE(UM_CLR_PROGRAM), meant, 32768);
    DWORD have = GetModuleFileNameW(NULL, here, 32768);
    return len > 0 && len < 32768 && have > 0 && have < 32768 &&
           CompareStringOrdinal(meant, (int)len, here, (int)have, TRUE) == CSTR_EQUAL;
}

static enum um_methods_depth read_depth(void)
{
    WCHAR depth[8];
    DWORD len = GetEnvironmentVariableW(WIDE(UM_CLR_DEPTH), depth, 8);
    return len < 8 && CompareStringOrdinal(depth, (int)len, WIDE(UM_CLR_COUNTS), -1, FALSE) ==
                          CSTR_EQUAL
               ? UM_METHODS_DEPTH_COUNTS
               : UM_METHODS_DEPTH_TIMES;
}

/* Reads the list; 0 if it is too long: then nothing is traced rather than too much. */
static int read_only(void)
{
    static WCHAR wide[UM_CLR_ONLY_BYTES];
    DWORD len = GetEnvironmentVariableW(WIDE(UM_CLR_ONLY), wide, UM_CLR_ONLY_BYTES);
    if (len == 0)
        return 1;
    return len < UM_CLR_ONLY_BYTES &&
           WideCharToMultiByte(CP_UTF8, 0, wide, -1, only, sizeof only, NULL, NULL) > 0;
}

static void add_entries(void)
{
    const char *entry, *list = only;
    size_t len;
    while ((list = um_module_list_next(list, &entry, &len)))
        um_calls_add_entry(&uimon_calls_1, entry, len);
}

static HRESULT STDMETHODCALLTYPE initialize(void *self, struct um_clr_object *given)
{
    static const IID info3 = {
        0xb555ed4f, 0x452a, 0x4e54, {0x8b, 0x39, 0xb5, 0x36, 0x0b, 0xad, 0x32, 0xa0}};
    LARGE_INTEGER now;
    HMODULE self_module;
    (void)self;
    if (uimon_calls_1.head.magic || !is_for_this_program() || !read_only() ||
        FAILED(CALL(given, query_interface, QUERY_INTERFACE)(given, &info3, (void **)&info)))
        return CANCEL_ACTIVATION;
    tls = TlsAlloc();
    tls_over = TlsAlloc();
    if (tls == TLS_OUT_OF_INDEXES || tls_over == TLS_OUT_OF_INDEXES ||
        !GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                            (const wchar_t *)(uintptr_t)&uimon_calls_1, &self_module))
        return CANCEL_ACTIVATION;
    find_tls();
    enum um_methods_depth depth = read_depth();
    int times = depth == UM_METHODS_DEPTH_TIMES;
    hook *leave = times ? um_stub_leave : NULL;
    if (FAILED(CALL(info, set_event_mask, INFO_SET_EVENT_MASK)(
            info, MONITOR_JIT | MONITOR_ENTER_LEAVE | (times ? MONITOR_EXCEPTIONS : 0))) ||
        FAILED(CALL(info, set_mapper, INFO_SET_MAPPER)(info, map_function, NULL)) ||
        FAILED(CALL(info, set_hooks, INFO_SET_HOOKS)(info, times ? um_stub_enter : um_stub_count,
                                                     leave, leave)))
        return CANCEL_ACTIVATION;
    QueryPerformanceCounter(&now);
    um_calls_init(&uimon_calls_1, depth, (uint64_t)now.QuadPart, __rdtsc(), yield);
    add_entries();
    return S_OK;
}

/* What the runtime tells of everything else. On x86 a function removes its arguments, so there is
 * one for each number of them. */
static HRESULT STDMETHODCALLTYPE ignore_0(void *self)
{
    (void)self;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE ignore_1(void *self, UINT_PTR a)
{
    (void)a;
    return ignore_0(self);
}

static HRESULT STDMETHODCALLTYPE ignore_2(void *self, UINT_PTR a, UINT_PTR b)
{
    (void)b;
    return ignore_1(self, a);
}

static HRESULT STDMETHODCALLTYPE ignore_3(void *self, UINT_PTR a, UINT_PTR b, UINT_PTR c)
{
    (void)c;
    return ignore_2(self, a, b);
}

static HRESULT STDMETHODCALLTYPE ignore_4(void *self, UINT_PTR a, UINT_PTR b, UINT_PTR c,
                                          UINT_PTR d)
{
    (void)d;
    return ignore_3(self, a, b, c);
}

static HRESULT STDMETHODCALLTYPE ignore_5(void *self, UINT_PTR a, UINT_PTR b, UINT_PTR c,
                                          UINT_PTR d, UINT_PTR e)
{
    (void)e;
    return ignore_4(self, a, b, c, d);
}

static ULONG STDMETHODCALLTYPE count_reference(void *self)
{
    (void)self;
    return 1; /* the object is static */
}

static HRESULT STDMETHODCALLTYPE get_callback(void *self, const IID *iid, void **object);

/* How many arguments the functions of ICorProfilerCallback to ICorProfilerCallback3 have. Source:
 * corprof.idl of the .NET runtime. */
static const char arguments[] = "200"            /* IUnknown */
                                "10"             /* Initialize, Shutdown */
                                "121212121212"   /* AppDomain..., Assembly..., Module... */
                                "212121"         /* ModuleAttached... to FunctionUnload... */
                                "232213"         /* JIT... */
                                "112"            /* Thread... */
                                "02202002"       /* Remoting... */
                                "22"             /* ...Transition */
                                "1000011"        /* Runtime... */
                                "42342"          /* MovedReferences to RootReferences */
                                "11010111101020" /* Exception... */
                                "43"             /* COMClassicVTable... */
                                "00"             /* ExceptionCLRCatcher... */
                                "33302521"       /* ICorProfilerCallback2 */
                                "300";           /* ICorProfilerCallback3 */
static um_clr_function *const ignore[] = {(um_clr_function *)ignore_0, (um_clr_function *)ignore_1,
                                          (um_clr_function *)ignore_2, (um_clr_function *)ignore_3,
                                          (um_clr_function *)ignore_4, (um_clr_function *)ignore_5};
static um_clr_function *callbacks[sizeof arguments - 1];
_Static_assert(sizeof arguments - 1 == 83, "the functions of these interfaces");
static struct um_clr_object callback = {callbacks};

static int is_iid(const IID *iid, DWORD first, WORD second)
{
    return iid->Data1 == first && iid->Data2 == second;
}

/* ICorProfilerCallback to ICorProfilerCallback3, which .NET 4.0 has brought. A later runtime is
 * content with these. */
static HRESULT STDMETHODCALLTYPE get_callback(void *self, const IID *iid, void **object)
{
    int known = is_iid(iid, 0, 0) || is_iid(iid, 0x176fbed1, 0xa55c) ||
                is_iid(iid, 0x8a8cc829, 0xccf2) || is_iid(iid, 0x4fd2ed52, 0x7731);
    *object = known ? self : NULL;
    return known ? S_OK : E_NOINTERFACE;
}

/* The class factory ---------------------------------------------------------------------------- */

static HRESULT STDMETHODCALLTYPE get_factory(void *self, const IID *iid, void **object)
{
    int known = is_iid(iid, 0, 0) || is_iid(iid, 1, 0); /* IUnknown, IClassFactory */
    *object = known ? self : NULL;
    return known ? S_OK : E_NOINTERFACE;
}

static HRESULT STDMETHODCALLTYPE create_instance(void *self, void *outer, const IID *iid,
                                                 void **object)
{
    (void)self;
    *object = NULL;
    if (outer)
        return CLASS_E_NOAGGREGATION;
    if (callbacks[0]) /* a second runtime in the process, which gets no profiler */
        return get_callback(&callback, iid, object);
    for (size_t i = 0; i < sizeof arguments - 1; i++)
        callbacks[i] = ignore[arguments[i] - '0'];
    callbacks[0] = (um_clr_function *)get_callback;
    callbacks[1] = callbacks[2] = (um_clr_function *)count_reference;
    callbacks[CALLBACK_INITIALIZE] = (um_clr_function *)initialize;
    callbacks[CALLBACK_JIT_INLINING] = (um_clr_function *)jit_inlining;
    callbacks[CALLBACK_FINALLY_ENTER] = (um_clr_function *)finally_enter;
    callbacks[CALLBACK_CATCHER_ENTER] = (um_clr_function *)catcher_enter;
    return get_callback(&callback, iid, object);
}

EXPORTED HRESULT STDMETHODCALLTYPE DllGetClassObject(const CLSID *class_id, const IID *iid,
                                                     void **object);
EXPORTED HRESULT STDMETHODCALLTYPE DllCanUnloadNow(void);
BOOL WINAPI DllMainCRTStartup(HINSTANCE module, DWORD reason, void *reserved);

HRESULT STDMETHODCALLTYPE DllGetClassObject(const CLSID *class_id, const IID *iid, void **object)
{
    static um_clr_function *const functions[] = {
        (um_clr_function *)get_factory, (um_clr_function *)count_reference,
        (um_clr_function *)count_reference, (um_clr_function *)create_instance,
        (um_clr_function *)ignore_1};
    static struct um_clr_object factory = {functions};
    (void)class_id; /* there is one class */
    return get_factory(&factory, iid, object);
}

HRESULT STDMETHODCALLTYPE DllCanUnloadNow(void)
{
    return S_FALSE;
}

BOOL WINAPI DllMainCRTStartup(HINSTANCE module, DWORD reason, void *reserved)
{
    (void)module;
    (void)reserved;
    if (reason == DLL_THREAD_DETACH && tls != TLS_OUT_OF_INDEXES) {
        struct um_calls_thread *thread = TlsGetValue(tls);
        TlsSetValue(tls, NULL);
        TlsSetValue(tls_over, &tls_over);
        if (thread)
            um_calls_end_thread(&uimon_calls_1, thread);
    }
    return TRUE;
}
