/* uimon-names: turns addresses into the names of functions. uimon.exe starts it and passes the
 * handle of a pipe with --pipe; without that it uses its standard input and output. ipc/names.h
 * describes the protocol. Symbols, which can be large, and the libraries that read them, so stay
 * out of the monitor. Nothing is lost when it is killed.
 *
 * With UM_NAMES_DUMP it writes a minidump of a program instead (minidump_win32.h).
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <shellapi.h>

#include "ipc/transport.h"
#include "names/minidump_win32.h"
#include "names/serve.h"
#include "names/symbols_win32.h"

#define EXIT_USAGE 2

static enum um_status read_pipe(void *context, uint8_t *bytes, size_t cap_bytes, size_t *len_bytes)
{
    return um_transport_system()->read(context, bytes, cap_bytes, UM_TRANSPORT_FOREVER, len_bytes);
}

static enum um_status write_pipe(void *context, const uint8_t *bytes, size_t len_bytes)
{
    return um_transport_system()->write(context, bytes, len_bytes, UM_TRANSPORT_FOREVER);
}

static enum um_status read_standard(void *context, uint8_t *bytes, size_t cap_bytes,
                                    size_t *len_bytes)
{
    DWORD len = 0;
    (void)context;
    if (!ReadFile(GetStdHandle(STD_INPUT_HANDLE), bytes, (DWORD)cap_bytes, &len, NULL))
        return GetLastError() == ERROR_BROKEN_PIPE ? UM_ERR_CLOSED : UM_ERR_IO;
    *len_bytes = len;
    return len > 0 ? UM_OK : UM_ERR_CLOSED;
}

static enum um_status write_standard(void *context, const uint8_t *bytes, size_t len_bytes)
{
    (void)context;
    while (len_bytes > 0) {
        DWORD len = 0;
        if (!WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), bytes, (DWORD)len_bytes, &len, NULL))
            return UM_ERR_IO;
        bytes += len;
        len_bytes -= len;
    }
    return UM_OK;
}

/* Chooses where to read and write, by the arguments. False: they are wrong. */
static bool choose_io(int argc, char **argv, struct um_serve_io *io)
{
    char *end;
    struct um_conn *conn;

    if (argc == 1 && GetFileType(GetStdHandle(STD_INPUT_HANDLE)) != FILE_TYPE_CHAR) {
        *io = (struct um_serve_io){NULL, read_standard, write_standard};
        return true;
    }
    if (argc != 3 || strcmp(argv[1], "--pipe") != 0)
        return false;
    long long handle = strtoll(argv[2], &end, 10);
    if (*end != '\0' || handle <= 0 || handle == LLONG_MAX ||
        um_transport_system()->adopt((intptr_t)handle, &conn) != UM_OK)
        return false;
    *io = (struct um_serve_io){conn, read_pipe, write_pipe};
    return true;
}

/* Writes a minidump if the arguments are UM_NAMES_DUMP or UM_NAMES_DUMP_STOPPED, PID and FILE.
 * Returns an exit code, or -1 for other arguments. */
static int dump(int argc, char **argv)
{
    int count = 0;
    char *end;

    bool stops = argc == 4 && strcmp(argv[1], UM_NAMES_DUMP_STOPPED) == 0;
    if (!stops && (argc != 4 || strcmp(argv[1], UM_NAMES_DUMP) != 0))
        return -1;
    unsigned long pid = strtoul(argv[2], &end, 10);
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    if (*end != '\0' || pid == 0 || !wide || count != argc)
        return EXIT_USAGE;
    enum um_status status = um_minidump_write((uint32_t)pid, wide[3], stops);
    bool no_snapshot = !stops && status == UM_ERR_UNSUPPORTED;
    if (status != UM_OK && !no_snapshot)
        fprintf(stderr, "uimon-names: no minidump of process %lu: %s\n", pid,
                um_status_text(status));
    LocalFree(wide);
    if (no_snapshot)
        return UM_NAMES_NO_SNAPSHOT;
    return status == UM_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct um_serve_io io;
    struct um_serve_symbols symbols;

    /* If the symbols of a file make it crash, no error box appears. */
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    int code = dump(argc, argv);
    if (code >= 0)
        return code;
    /* Reading symbols takes much CPU time, and the watched program has to get the processor
     * first. */
    SetPriorityClass(GetCurrentProcess(), BELOW_NORMAL_PRIORITY_CLASS);
    if (!choose_io(argc, argv, &io)) {
        fprintf(stderr, "uimon-names: uimon starts this to find the names of functions\n");
        return EXIT_USAGE;
    }
    enum um_status status = um_symbols_open(&symbols);
    if (status != UM_OK) {
        fprintf(stderr, "uimon-names: dbghelp.dll of the system cannot be used: %s\n",
                um_status_text(status));
        return EXIT_FAILURE;
    }
    status = um_serve(&io, &symbols);
    if (status == UM_OK)
        return EXIT_SUCCESS;
    fprintf(stderr, "uimon-names: the input ended: %s; uimon starts another one if need be\n",
            um_status_text(status));
    return EXIT_FAILURE;
}
