#include "monitor/layout/layout_etw.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include <evntrace.h>
#include <evntcons.h>
#include <tdh.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "base/thread.h"
#include "base/wide_win32.h"
#include "base/wine_win32.h"
#include "monitor/layout/layout_event.h"
#include "monitor/layout/layout_schema.h"
#include "monitor/layout/layout_session.h"

#define SESSIONS 64     /* the system has no more at a time */
#define NAME_UNITS 1024 /* the longest name of a session, with its end */
#define BUFFER_KB 64
#define FEWEST_BUFFERS 16
#define MOST_BUFFERS 64
#define FLUSH_S 1    /* the shortest time */
#define SCHEMAS 1024 /* sorts of events of the provider that are remembered */
#define INFO_BYTES 16384
#define FIELD_BYTES 128 /* of a name */
#define EVENT_NAME_BYTES 256
#define CLOCK_QPC 1                   /* Wnode.ClientContext */
#define FILTER_PID 0x80000004u        /* EVENT_FILTER_TYPE_PID, which mingw-w64 lacks, as these: */
#define ONE_BUFFER_FOR_ALL 0x10000000 /* EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING */
#define IN_INT8 3                     /* enum _TDH_IN_TYPE, to its end */
#define IN_DOUBLE 12
#define IN_POINTER 16
#define IN_HEX32 20
#define IN_HEX64 21

static const GUID xaml = {
    0x531a35ab, 0x63ce, 0x4bcf, {0xaa, 0x98, 0xf8, 0x8c, 0x7a, 0x89, 0xe4, 0x55}};
/* The provider of events that say that others were lost.
 * Source: RT_LostEvent, Microsoft Learn. */
static const GUID lost_events = {
    0x6a399ae0, 0x4bc6, 0x4de9, {0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e}};

typedef ULONG(WINAPI *start_trace)(PTRACEHANDLE, LPCWSTR, PEVENT_TRACE_PROPERTIES);
typedef ULONG(WINAPI *control_trace)(TRACEHANDLE, LPCWSTR, PEVENT_TRACE_PROPERTIES, ULONG);
typedef ULONG(WINAPI *enable_trace)(TRACEHANDLE, LPCGUID, ULONG, UCHAR, ULONGLONG, ULONGLONG, ULONG,
                                    PENABLE_TRACE_PARAMETERS);
typedef TRACEHANDLE(WINAPI *open_trace)(PEVENT_TRACE_LOGFILEW);
typedef ULONG(WINAPI *process_trace)(PTRACEHANDLE, ULONG, LPFILETIME, LPFILETIME);
typedef ULONG(WINAPI *close_trace)(TRACEHANDLE);
typedef ULONG(WINAPI *query_all)(PEVENT_TRACE_PROPERTIES *, ULONG, PULONG);
typedef ULONG(WINAPI *event_information)(PEVENT_RECORD, ULONG, PTDH_CONTEXT, PTRACE_EVENT_INFO,
                                         ULONG *);
typedef ULONG(WINAPI *provider_fields)(LPGUID, EVENT_FIELD_TYPE, PPROVIDER_FIELD_INFOARRAY,
                                       ULONG *);

struct functions {
    HMODULE advapi, tdh;
    start_trace start;
    control_trace control;
    enable_trace enable;
    open_trace open;
    process_trace process;
    close_trace close;
    query_all query;
    event_information information;
    provider_fields fields;
};

/* What the system keeps of a session, with room for both names. */
struct properties {
    EVENT_TRACE_PROPERTIES about;
    wchar_t session[NAME_UNITS];
    wchar_t file[NAME_UNITS];
};

/* How one sort of events is decoded. */
struct known {
    bool taken;
    uint8_t bits; /* of the program's pointers */
    EVENT_DESCRIPTOR sort;
    struct um_layout_schema schema;
};

struct um_layout_etw {
    uint32_t pid, tid;
    struct um_ring *ring;
    struct functions functions;
    wchar_t name[UM_LAYOUT_SESSION_BYTES];
    TRACEHANDLE session; /* 0: there is none */
    TRACEHANDLE consumer;
    struct um_thread thread;
    uint64_t ticks_per_s;
    _Atomic bool has_ended;
    _Atomic bool has_unknown; /* `unknown` was written, once */
    char unknown[EVENT_NAME_BYTES];
    /* For the thread alone. */
    struct known known[SCHEMAS]; /* by number, and the next free place */
    _Alignas(16) uint8_t info[INFO_BYTES];
};

/* Events --------------------------------------------------------------------------------------- */

/* The text at an offset; "" if there is none. Names of the system may end in a space. */
static void name_at(const TRACE_EVENT_INFO *info, ULONG offset, char *name, size_t cap_bytes)
{
    name[0] = '\0';
    if (offset != 0)
        um_wide_to_utf8((const wchar_t *)((const uint8_t *)info + offset), name, cap_bytes);
    size_t len = strlen(name);
    while (len > 0 && name[len - 1] == ' ')
        name[--len] = '\0';
}

/* "MeasureElement/Start", of the names of task and opcode. The opcodes 1 and 2 of a task may have
 * no name of their own, or one that begins with win: */
static void name_event(const TRACE_EVENT_INFO *info, UCHAR opcode, char name[EVENT_NAME_BYTES])
{
    char word[FIELD_BYTES];
    name_at(info, info->TaskNameOffset, name, EVENT_NAME_BYTES / 2);
    name_at(info, info->OpcodeNameOffset, word, sizeof word);
    if (opcode == EVENT_TRACE_TYPE_START)
        um_text_set(word, sizeof word, "Start");
    if (opcode == EVENT_TRACE_TYPE_END)
        um_text_set(word, sizeof word, "Stop");
    const char *own = strncmp(word, "win:", 4) == 0 ? word + 4 : word;
    size_t len = strlen(name);
    name[len] = '/';
    memcpy(name + len + 1, own, strlen(own) + 1);
}

/* The length of a field; 0: it is not the same in all events. */
static uint32_t field_bytes(const EVENT_PROPERTY_INFO *field, UCHAR bits)
{
    static const uint8_t lengths[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 4}; /* IN_INT8 to boolean */
    USHORT type = field->nonStructType.InType;
    bool is_plain =
        (field->Flags & (PropertyStruct | PropertyParamLength | PropertyParamCount)) == 0;
    if (!is_plain || field->count > 1)
        return 0;
    if (type >= IN_INT8 && type < IN_INT8 + sizeof lengths)
        return lengths[type - IN_INT8];
    if (type == IN_POINTER)
        return bits / 8;
    return type == IN_HEX32 ? 4 : type == IN_HEX64 ? 8 : 0;
}

static void note_unknown(struct um_layout_etw *etw, const char *name)
{
    if (atomic_load(&etw->has_unknown))
        return;
    um_text_set(etw->unknown, sizeof etw->unknown, name);
    atomic_store(&etw->has_unknown, true);
}

static void learn(struct um_layout_etw *etw, EVENT_RECORD *record, struct known *known)
{
    TRACE_EVENT_INFO *info = (TRACE_EVENT_INFO *)etw->info;
    ULONG len = INFO_BYTES;
    char name[EVENT_NAME_BYTES] = "";
    if (etw->functions.information(record, 0, NULL, info, &len) != ERROR_SUCCESS) {
        um_layout_schema_init(&known->schema, "");
        return;
    }
    name_event(info, record->EventHeader.EventDescriptor.Opcode, name);
    um_layout_schema_init(&known->schema, name);
    if (known->schema.kind == UM_LAYOUT_EVENT_OTHER)
        note_unknown(etw, name);
    for (ULONG i = 0; i < info->TopLevelPropertyCount; i++) {
        const EVENT_PROPERTY_INFO *field = &info->EventPropertyInfoArray[i];
        USHORT type = field->nonStructType.InType;
        name_at(info, field->NameOffset, name, FIELD_BYTES);
        um_layout_schema_add(&known->schema, name, field_bytes(field, known->bits),
                             type == IN_DOUBLE || type == IN_DOUBLE - 1);
    }
}

static bool is_same_sort(const EVENT_DESCRIPTOR *a, const EVENT_DESCRIPTOR *b)
{
    return a->Id == b->Id && a->Version == b->Version && a->Task == b->Task &&
           a->Opcode == b->Opcode;
}

/* The system is asked once about each sort. NULL: there is no room for another. */
static const struct um_layout_schema *schema_of(struct um_layout_etw *etw, EVENT_RECORD *record)
{
    const EVENT_DESCRIPTOR *sort = &record->EventHeader.EventDescriptor;
    uint8_t bits = record->EventHeader.Flags & EVENT_HEADER_FLAG_32_BIT_HEADER ? 32 : 64;
    for (size_t i = 0; i < SCHEMAS; i++) {
        struct known *known = &etw->known[(sort->Id + i) % SCHEMAS];
        if (known->taken && (known->bits != bits || !is_same_sort(&known->sort, sort)))
            continue;
        if (!known->taken) {
            *known = (struct known){.taken = true, .bits = bits, .sort = *sort};
            learn(etw, record, known);
        }
        return &known->schema;
    }
    return NULL;
}

/* Called on the session's thread. */
static VOID WINAPI take_record(PEVENT_RECORD record)
{
    struct um_layout_etw *etw = record->UserContext;
    const EVENT_HEADER *header = &record->EventHeader;
    struct um_layout_event event;
    um_layout_event_init(
        &event, um_clock_ticks_to_ns((uint64_t)header->TimeStamp.QuadPart, etw->ticks_per_s),
        header->ThreadId);
    if (IsEqualGUID(&header->ProviderId, &lost_events))
        event.kind = UM_LAYOUT_EVENT_LOST;
    else if (header->ProcessId == etw->pid && header->ThreadId == etw->tid &&
             IsEqualGUID(&header->ProviderId, &xaml)) {
        const struct um_layout_schema *schema = schema_of(etw, record);
        if (schema)
            um_layout_schema_read(schema, record->UserData, record->UserDataLength, &event);
    }
    um_layout_event_push(etw->ring, etw->tid, &event);
}

static void run(void *context)
{
    struct um_layout_etw *etw = context;
    etw->functions.process(&etw->consumer, 1, NULL, NULL);
    atomic_store(&etw->has_ended, true);
}

/* Sessions ------------------------------------------------------------------------------------- */

static void begin_properties(struct properties *properties)
{
    memset(properties, 0, sizeof *properties);
    properties->about.Wnode.BufferSize = sizeof *properties;
    properties->about.LoggerNameOffset = offsetof(struct properties, session);
    properties->about.LogFileNameOffset = offsetof(struct properties, file);
}

/* Names of our sessions are ASCII. */
static void widen_name(const char *name, wchar_t wide[UM_LAYOUT_SESSION_BYTES])
{
    size_t len = 0;
    for (; name[len] && len < UM_LAYOUT_SESSION_BYTES - 1; len++)
        wide[len] = (unsigned char)name[len];
    wide[len] = L'\0';
}

static void stop_session(const struct functions *functions, const wchar_t *name)
{
    struct properties *properties = malloc(sizeof *properties);
    if (!properties)
        return;
    begin_properties(properties);
    functions->control(0, name, &properties->about, EVENT_TRACE_CONTROL_STOP);
    free(properties);
}

static enum um_layout_session_process process_of(void *context, uint32_t pid)
{
    HANDLE process = OpenProcess(SYNCHRONIZE, FALSE, pid);
    (void)context;
    if (!process)
        return GetLastError() == ERROR_INVALID_PARAMETER ? UM_LAYOUT_SESSION_DEAD
                                                         : UM_LAYOUT_SESSION_UNKNOWN;
    bool dead = WaitForSingleObject(process, 0) == WAIT_OBJECT_0;
    CloseHandle(process);
    return dead ? UM_LAYOUT_SESSION_DEAD : UM_LAYOUT_SESSION_LIVES;
}

static void end_session(void *context, const char *name)
{
    wchar_t wide[UM_LAYOUT_SESSION_BYTES];
    widen_name(name, wide);
    stop_session(context, wide);
}

static void end_left(struct functions *functions)
{
    const struct um_layout_session_host host = {functions, process_of, end_session};
    struct properties *all = calloc(SESSIONS, sizeof *all);
    EVENT_TRACE_PROPERTIES *list[SESSIONS];
    char texts[SESSIONS][UM_LAYOUT_SESSION_BYTES + 1];
    const char *names[SESSIONS];
    ULONG count = 0;
    if (!all)
        return;
    for (size_t i = 0; i < SESSIONS; i++) {
        begin_properties(&all[i]);
        list[i] = &all[i].about;
    }
    ULONG result = functions->query(list, SESSIONS, &count);
    if (result != ERROR_SUCCESS && result != ERROR_MORE_DATA)
        count = 0;
    if (count > SESSIONS)
        count = SESSIONS;
    for (size_t i = 0; i < count; i++) {
        um_wide_to_utf8(all[i].session, texts[i], sizeof texts[i]);
        names[i] = texts[i];
    }
    um_layout_session_end_left(&host, GetCurrentProcessId(), names, count);
    free(all);
}

static enum um_status translate(ULONG error)
{
    switch (error) {
    case ERROR_SUCCESS:
        return UM_OK;
    case ERROR_ACCESS_DENIED:
    case ERROR_PRIVILEGE_NOT_HELD:
        return UM_ERR_DENIED;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
        return UM_ERR_MEMORY;
    case ERROR_CALL_NOT_IMPLEMENTED:
    case ERROR_NOT_SUPPORTED:
        return UM_ERR_UNSUPPORTED;
    default:
        return UM_ERR_IO;
    }
}

/* A session that has our name already is one of a dead monitor that had our pid. */
static ULONG start_session(struct um_layout_etw *etw, struct properties *properties)
{
    ULONG result = ERROR_ALREADY_EXISTS;
    for (int attempt = 0; attempt < 2 && result == ERROR_ALREADY_EXISTS; attempt++) {
        if (attempt > 0)
            stop_session(&etw->functions, etw->name);
        begin_properties(properties);
        properties->about.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
        properties->about.Wnode.ClientContext = CLOCK_QPC;
        properties->about.LogFileMode = EVENT_TRACE_REAL_TIME_MODE | ONE_BUFFER_FOR_ALL;
        properties->about.LogFileNameOffset = 0;
        properties->about.BufferSize = BUFFER_KB;
        properties->about.MinimumBuffers = FEWEST_BUFFERS;
        properties->about.MaximumBuffers = MOST_BUFFERS;
        properties->about.FlushTimer = FLUSH_S;
        result = etw->functions.start(&etw->session, etw->name, &properties->about);
    }
    if (result != ERROR_SUCCESS)
        etw->session = 0;
    return result;
}

/* The bit of the provider's keyword Detailed; all of them if the system does not know it. */
static ULONGLONG detailed(struct um_layout_etw *etw)
{
    PROVIDER_FIELD_INFOARRAY *list = (PROVIDER_FIELD_INFOARRAY *)etw->info;
    ULONG len = INFO_BYTES;
    GUID provider = xaml;
    char name[FIELD_BYTES];
    if (etw->functions.fields(&provider, EventKeywordInformation, list, &len) != ERROR_SUCCESS)
        return ~0ull;
    for (ULONG i = 0; i < list->NumberOfElements; i++) {
        const PROVIDER_FIELD_INFO *field = &list->FieldInfoArray[i];
        um_wide_to_utf8((const wchar_t *)(etw->info + field->NameOffset), name, sizeof name);
        if (strcmp(name, "Detailed") == 0)
            return field->Value;
    }
    return ~0ull;
}

/* Does not wait for the program, which may be frozen. */
static ULONG enable_provider(struct um_layout_etw *etw)
{
    EVENT_FILTER_DESCRIPTOR filter = {
        .Ptr = (ULONGLONG)(uintptr_t)&etw->pid, .Size = sizeof etw->pid, .Type = FILTER_PID};
    ENABLE_TRACE_PARAMETERS parameters = {.Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
                                          .EnableFilterDesc = &filter,
                                          .FilterDescCount = 1};
    return etw->functions.enable(etw->session, &xaml, EVENT_CONTROL_CODE_ENABLE_PROVIDER,
                                 TRACE_LEVEL_VERBOSE, detailed(etw), 0, 0, &parameters);
}

/* Wine 8's StartTrace says that there is a session; its OpenTrace says ERROR_ACCESS_DENIED, but
 * means that there is no ETW. */
static enum um_status open_consumer(struct um_layout_etw *etw)
{
    EVENT_TRACE_LOGFILEW trace = {
        .LoggerName = etw->name,
        .ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD |
                            PROCESS_TRACE_MODE_RAW_TIMESTAMP,
        .EventRecordCallback = take_record,
        .Context = etw,
    };
    etw->consumer = etw->functions.open(&trace);
    if (etw->consumer != INVALID_PROCESSTRACE_HANDLE)
        return UM_OK;
    return um_wine_version() ? UM_ERR_UNSUPPORTED : translate(GetLastError());
}

static enum um_status begin(struct um_layout_etw *etw)
{
    struct properties *properties = malloc(sizeof *properties);
    if (!properties)
        return UM_ERR_MEMORY;
    end_left(&etw->functions);
    enum um_status status = translate(start_session(etw, properties));
    free(properties);
    if (status == UM_OK)
        status = open_consumer(etw);
    if (status == UM_OK)
        status = um_thread_start(run, etw, &etw->thread);
    if (status == UM_OK)
        status = translate(enable_provider(etw));
    return status;
}

static bool load(struct functions *functions)
{
    functions->advapi = LoadLibraryExW(L"advapi32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    functions->tdh = LoadLibraryExW(L"tdh.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    HMODULE advapi = functions->advapi, tdh = functions->tdh;
    if (!advapi || !tdh)
        return false;
    functions->start = (start_trace)GetProcAddress(advapi, "StartTraceW");
    functions->control = (control_trace)GetProcAddress(advapi, "ControlTraceW");
    functions->enable = (enable_trace)GetProcAddress(advapi, "EnableTraceEx2");
    functions->open = (open_trace)GetProcAddress(advapi, "OpenTraceW");
    functions->process = (process_trace)GetProcAddress(advapi, "ProcessTrace");
    functions->close = (close_trace)GetProcAddress(advapi, "CloseTrace");
    functions->query = (query_all)GetProcAddress(advapi, "QueryAllTracesW");
    functions->information = (event_information)GetProcAddress(tdh, "TdhGetEventInformation");
    functions->fields =
        (provider_fields)GetProcAddress(tdh, "TdhEnumerateProviderFieldInformation");
    return functions->start && functions->control && functions->enable && functions->open &&
           functions->process && functions->close && functions->query && functions->information &&
           functions->fields;
}

static bool has_ended(const struct um_layout_etw *etw)
{
    return atomic_load(&etw->has_ended);
}

static const char *unknown(const struct um_layout_etw *etw)
{
    return atomic_load(&etw->has_unknown) ? etw->unknown : NULL;
}

/* Ending the session ends ProcessTrace, once it has handed out what there is. Closing the trace
 * ends it even if the session cannot be ended. */
static void close_session(struct um_layout_etw *etw)
{
    if (!etw)
        return;
    if (etw->session)
        stop_session(&etw->functions, etw->name);
    if (etw->consumer != INVALID_PROCESSTRACE_HANDLE)
        etw->functions.close(etw->consumer);
    um_thread_join(&etw->thread);
    if (etw->functions.tdh)
        FreeLibrary(etw->functions.tdh);
    if (etw->functions.advapi)
        FreeLibrary(etw->functions.advapi);
    free(etw);
}

static enum um_status open_session(uint32_t pid, uint32_t tid, struct um_ring *ring,
                                   struct um_layout_etw **out)
{
    struct um_layout_etw *etw = calloc(1, sizeof *etw);
    char name[UM_LAYOUT_SESSION_BYTES];
    LARGE_INTEGER frequency;
    if (!etw)
        return UM_ERR_MEMORY;
    QueryPerformanceFrequency(&frequency);
    etw->ticks_per_s = (uint64_t)frequency.QuadPart;
    etw->pid = pid;
    etw->tid = tid;
    etw->ring = ring;
    etw->consumer = INVALID_PROCESSTRACE_HANDLE;
    um_layout_session_name(GetCurrentProcessId(), name);
    widen_name(name, etw->name);
    enum um_status status = load(&etw->functions) ? begin(etw) : UM_ERR_UNSUPPORTED;
    if (status != UM_OK) {
        close_session(etw);
        return status;
    }
    *out = etw;
    return UM_OK;
}

static const struct um_layout_etw_backend win32 = {
    .open = open_session, .has_ended = has_ended, .unknown = unknown, .close = close_session};

const struct um_layout_etw_backend *um_layout_etw = &win32;
