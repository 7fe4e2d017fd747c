#include "monitor/flows/file_kind.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define UTF16 "is a text in UTF-16; save it as UTF-8"
#define SIZED(text) text, sizeof text - 1

/* A file that begins so. */
static const struct {
    const char *begin;
    size_t len_bytes;
    const char *kind;
} begins[] = {
    {SIZED("\xdc\xdfJSLB"), "is a packed profile of the Firefox Profiler (JSLB); save it as JSON"},
    {SIZED("PK\3\4"), "is a zip archive; unpack it"},
    {SIZED("\x28\xb5\x2f\xfd"), "is packed with zstd; unpack it"},
    {SIZED("BZh"), "is packed with bzip2; unpack it"},
    {SIZED("\xfd"
           "7zXZ"),
     "is packed with xz; unpack it"},
    {SIZED("\xff\xfe"), UTF16},
    {SIZED("\xfe\xff"), UTF16},
    {SIZED("Nettrace"), "is a trace of .NET's EventPipe (nettrace)"},
    {SIZED("PERFILE2"), "is a recording of Linux's perf"},
    {SIZED("MDMP"), "is a minidump"},
    {SIZED("MZ"), "is a program of Windows"},
    {SIZED("\x7f"
           "ELF"),
     "is a program of Linux"},
    {SIZED("SQLite format 3"), "is a database of SQLite"},
};

/* JSON that has both of these in it. */
static const struct {
    const char *one, *other;
    const char *kind;
} members[] = {
    {"\"https://www.speedscope.app/file-format-schema.json\"", "", "is a profile of speedscope"},
    {"\"nodes\"", "\"callFrame\"",
     "is a .cpuprofile of V8; open it in the Firefox Profiler and "
     "save it"},
    {"\"snapshot\"", "\"node_fields\"", "is a heap snapshot of V8"},
    {"\"log\"", "\"creator\"", "is an archive of requests (HAR)"},
    {"\"resourceSpans\"", "", "is a trace of OpenTelemetry"},
    {"{\"uimon\":", "\"schema\":", "is JSON of uimon itself, which has no markers in it"},
};

/* ETW's log begins with the header of a buffer, and then with the first event, whose marker says
 * which header it has. Source: the structures of evntrace.h. */
static bool is_etl(const unsigned char *head, size_t len)
{
    return len > 0x4c && head[0x4b] == 0xc0 && (head[0x4a] == 1 || head[0x4a] == 2) &&
           head[0] == 0 && head[3] == 0;
}

/* A trace of Perfetto is packets, each with tag 1 and its length before it. */
static bool is_perfetto(const unsigned char *head, size_t len)
{
    uint64_t packet = 0;
    size_t at = 1;
    if (len < 4 || head[0] != 0x0a)
        return false;
    for (unsigned shift = 0; at < len && at < 6; shift += 7) {
        packet |= (uint64_t)(head[at] & 0x7f) << shift;
        if ((head[at++] & 0x80) == 0)
            break;
    }
    return packet > 1 && packet < len - at && head[at + packet] == 0x0a;
}

/* JSON in UTF-16 without its mark: every other byte of its first characters is zero. */
static bool is_utf16(const unsigned char *head, size_t len)
{
    static const char firsts[] = "{[ \t\r\n";
    if (len < 4)
        return false;
    return head[0] == 0 ? head[1] != 0 && head[2] == 0 && strchr(firsts, head[1])
                        : head[1] == 0 && head[3] == 0 && strchr(firsts, head[0]);
}

/* Whether a text is in the bytes. */
static bool has(const char *head, size_t len, const char *text)
{
    size_t text_len = strlen(text);
    for (size_t i = 0; i + text_len <= len; i++)
        if (memcmp(head + i, text, text_len) == 0)
            return true;
    return false;
}

const char *um_file_kind_find(const char *head, size_t len_bytes)
{
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (len_bytes >= begins[i].len_bytes &&
            memcmp(head, begins[i].begin, begins[i].len_bytes) == 0)
            return begins[i].kind;
    if (is_utf16((const unsigned char *)head, len_bytes))
        return UTF16;
    if (is_etl((const unsigned char *)head, len_bytes))
        return "is a trace of ETW (.etl)";
    if (is_perfetto((const unsigned char *)head, len_bytes))
        return "is a trace of Perfetto; its traceconv makes JSON of it";
    for (size_t i = 0; i < sizeof members / sizeof members[0] && len_bytes > 0; i++)
        if (head[0] == '{' && has(head, len_bytes, members[i].one) &&
            has(head, len_bytes, members[i].other))
            return members[i].kind;
    return NULL;
}
