/* A target with a runtime of .NET that only pretends: it makes the diagnostics pipe of its process
 * and answers with a stream that was captured from a real one. Writes the demo's log.
 *
 * target_dotnet_win32 [options of the demo] STREAM MANNER
 *
 * MANNER: `answers`; `breaks` ends the session after half of the stream; `silent` reads and never
 * answers; `connects` has no pipe of its own, and connects to the one that DOTNET_DiagnosticPorts
 * names, as .NET 5 and later do, and ends with the session. It starts itself once more as `heir`,
 * which does the same and says whether anybody asks it for something. Prints what it was asked:
 * "session PROVIDER KEYWORDS LEVEL FILTER" for each provider, "sent" after the last piece but for
 * the last byte, "stop SESSION", and "over" when the client has closed the session's pipe. With
 * UM_TEST_GO in the environment it sends nothing before there is such a file. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/plain/bytes.h"
#include "tests/target/target.h"

#define HEADER_BYTES 20
#define ANSWER_BYTES 28
#define SESSION UINT64_C(0x1122334455667788)
#define PIECE_BYTES 900
#define PIECE_MS 60
#define STREAM_BYTES 65536
#define ASKED_MS 20000 /* the longest wait for a request before the window is shown */
#define HEIR_MS 8000

static uint8_t stream[STREAM_BYTES];
static DWORD stream_bytes;
static const char *manner;
static HANDLE stopped, asked;
static HWND opened;

/* A program that uimon starts has no output of its own: UM_TEST_SAID names a file for it. One
 * thread at a time, as what is appended goes to where the end was before. */
static void say(const char *line)
{
    static SRWLOCK lock = SRWLOCK_INIT;
    const char *path = getenv("UM_TEST_SAID");
    AcquireSRWLockExclusive(&lock);
    FILE *file = path ? fopen(path, "a") : stdout;
    if (file)
        fprintf(file, "%s\n", line);
    if (file && path)
        fclose(file);
    else if (file)
        fflush(file);
    ReleaseSRWLockExclusive(&lock);
}

static bool read_all(HANDLE pipe, uint8_t *buf, DWORD len)
{
    DWORD got;
    for (; len > 0; buf += got, len -= got)
        if (!ReadFile(pipe, buf, len, &got, NULL) || got == 0)
            return false;
    return true;
}

static bool write_all(HANDLE pipe, const uint8_t *buf, DWORD len)
{
    DWORD put;
    return WriteFile(pipe, buf, len, &put, NULL) && put == len;
}

static void answer(HANDLE pipe)
{
    uint8_t bytes[ANSWER_BYTES] = "DOTNET_IPC_V1";
    um_bytes_put16(bytes + 14, ANSWER_BYTES);
    bytes[16] = 0xff;
    um_bytes_put64(bytes + HEADER_BYTES, SESSION);
    write_all(pipe, bytes, sizeof bytes);
}

/* Reads a text of UTF-16, and returns what comes after it. */
static const uint8_t *get_text(const uint8_t *at, char *text, size_t cap)
{
    uint32_t units = um_bytes_get32(at);
    for (uint32_t i = 0; i < units && i < cap; i++)
        text[i] = (char)at[4 + 2 * i];
    text[cap - 1] = '\0';
    return at + 4 + 2 * (size_t)units;
}

static void say_providers(const uint8_t *payload)
{
    char name[256], filter[256], line[768];
    uint32_t count = um_bytes_get32(payload + 9);
    const uint8_t *at = payload + 13;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t keywords = um_bytes_get64(at);
        uint32_t level = um_bytes_get32(at + 8);
        at = get_text(at + 12, name, sizeof name);
        at = get_text(at, filter, sizeof filter);
        snprintf(line, sizeof line, "session %s %llx %lu %s", name, (unsigned long long)keywords,
                 (unsigned long)level, filter);
        say(line);
    }
}

/* Until whoever started this is ready. */
static void wait_go(void)
{
    const char *path = getenv("UM_TEST_GO");
    while (path && GetFileAttributesA(path) == INVALID_FILE_ATTRIBUTES)
        Sleep(PIECE_MS);
}

/* The session's pipe: the stream in pieces, its last byte only when somebody has asked to stop. */
static DWORD WINAPI serve_session(void *context)
{
    HANDLE pipe = context;
    bool breaks = strcmp(manner, "breaks") == 0, open = true;
    DWORD end = breaks ? stream_bytes / 2 : stream_bytes - 1;
    answer(pipe);
    wait_go();
    for (DWORD at = 0; at < end && open; at += PIECE_BYTES) {
        open = write_all(pipe, stream + at, end - at < PIECE_BYTES ? end - at : PIECE_BYTES);
        Sleep(PIECE_MS);
    }
    say("sent");
    while (!breaks && open && WaitForSingleObject(stopped, PIECE_MS) == WAIT_TIMEOUT)
        open = PeekNamedPipe(pipe, NULL, 0, NULL, NULL, NULL);
    if (!breaks && open)
        write_all(pipe, stream + end, 1);
    FlushFileBuffers(pipe);
    CloseHandle(pipe);
    say("over");
    if (strcmp(manner, "connects") == 0)
        PostMessageW(opened, WM_CLOSE, 0, 0);
    return 0;
}

/* One connection. Returns whether its pipe is another thread's now. */
static bool serve(HANDLE pipe)
{
    static uint8_t question[UINT16_MAX];
    char line[64];
    if (!read_all(pipe, question, HEADER_BYTES) ||
        !read_all(pipe, question + HEADER_BYTES, um_bytes_get16(question + 14) - HEADER_BYTES))
        return false;
    SetEvent(asked);
    if (strcmp(manner, "heir") == 0)
        say("heir was asked");
    if (question[17] == 3) {
        say_providers(question + HEADER_BYTES);
        if (strcmp(manner, "silent") == 0)
            return true;
        CloseHandle(CreateThread(NULL, 0, serve_session, pipe, 0, NULL));
        return true;
    }
    snprintf(line, sizeof line, "stop %llx",
             (unsigned long long)um_bytes_get64(question + HEADER_BYTES));
    say(line);
    SetEvent(stopped);
    answer(pipe);
    FlushFileBuffers(pipe);
    return false;
}

static DWORD WINAPI serve_all(void *context)
{
    wchar_t path[64];
    (void)context;
    swprintf(path, ARRAYSIZE(path), L"\\\\.\\pipe\\dotnet-diagnostic-%lu", GetCurrentProcessId());
    for (;;) {
        HANDLE pipe = CreateNamedPipeW(path, PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE | PIPE_WAIT,
                                       PIPE_UNLIMITED_INSTANCES, 16384, 16384, 0, NULL);
        if (pipe == INVALID_HANDLE_VALUE)
            return 1;
        bool connected = ConnectNamedPipe(pipe, NULL) || GetLastError() == ERROR_PIPE_CONNECTED;
        if (!connected || !serve(pipe))
            CloseHandle(pipe);
    }
}

/* Where the variable says that somebody listens, last of all. False: it does not, or the runtime
 * would wait for ever. */
static bool find_port(wchar_t *path, size_t cap)
{
    wchar_t ports[1024] = L"";
    GetEnvironmentVariableW(L"DOTNET_DiagnosticPorts", ports, ARRAYSIZE(ports));
    wchar_t *port = wcsrchr(ports, L';') ? wcsrchr(ports, L';') + 1 : ports;
    wchar_t *comma = wcschr(port, L',');
    if (!comma || wcscmp(comma, L",nosuspend") != 0)
        return false;
    *comma = L'\0';
    swprintf(path, cap, L"\\\\.\\pipe\\%ls", port);
    return true;
}

static bool advertise(HANDLE pipe)
{
    uint8_t bytes[34] = "ADVR_V1";
    um_bytes_put64(bytes + 24, GetCurrentProcessId());
    return write_all(pipe, bytes, sizeof bytes);
}

/* Connects once for each request, and anew if a connection ends. */
static DWORD WINAPI connect_all(void *context)
{
    wchar_t path[1100];
    (void)context;
    if (!find_port(path, ARRAYSIZE(path))) {
        say("no port");
        return 1;
    }
    for (;;) {
        HANDLE pipe =
            CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
        if (pipe == INVALID_HANDLE_VALUE)
            Sleep(PIECE_MS);
        else if (!advertise(pipe) || !serve(pipe))
            CloseHandle(pipe);
    }
}

static void start_heir(const char *path)
{
    char program[MAX_PATH], line[2 * MAX_PATH];
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION info;
    GetModuleFileNameA(NULL, program, sizeof program);
    snprintf(line, sizeof line, "heir \"%s\" heir", path);
    if (!CreateProcessA(program, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &info))
        exit(EXIT_FAILURE);
    CloseHandle(info.hThread);
    CloseHandle(info.hProcess);
}

static bool read_stream(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    stream_bytes = (DWORD)fread(stream, 1, sizeof stream, file);
    fclose(file);
    return stream_bytes > 1;
}

int main(int argc, char **argv)
{
    static const struct target_window window = {L"UimonDotnet", L"dotnet", 640, 400, target_proc};

    if (argc < 3 || !read_stream(argv[argc - 2])) {
        fputs("usage: target_dotnet_win32 [options of the demo] STREAM MANNER\n", stderr);
        return 2;
    }
    manner = argv[argc - 1];
    stopped = CreateEventW(NULL, TRUE, FALSE, NULL);
    asked = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (strcmp(manner, "heir") == 0) {
        CloseHandle(CreateThread(NULL, 0, connect_all, NULL, 0, NULL));
        Sleep(HEIR_MS);
        return 0;
    }
    bool connects = strcmp(manner, "connects") == 0;
    if (connects)
        start_heir(argv[argc - 2]);
    CloseHandle(CreateThread(NULL, 0, connects ? connect_all : serve_all, NULL, 0, NULL));
    if (connects && WaitForSingleObject(asked, ASKED_MS) == WAIT_OBJECT_0)
        say("asked before the window");
    opened = target_open(argc - 2, argv, &window);
    return target_run();
}
