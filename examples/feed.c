/* Reads the feed of a running uimon: feed PIPE, as its file calls it (docs/feed.md). In one file, so
 * that it can be copied: cc feed.c */
#include <inttypes.h>
#include <stdio.h>

#ifdef _WIN32
static FILE *open_feed(const char *pipe)
{
    char path[256];
    snprintf(path, sizeof path, "\\\\.\\pipe\\%s", pipe);
    return fopen(path, "rb");
}
#else
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

static FILE *open_feed(const char *pipe)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int at = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/uimon/%s", getenv("XDG_RUNTIME_DIR"),
             pipe);
    return connect(at, (struct sockaddr *)&address, sizeof address) == 0 ? fdopen(at, "rb") : NULL;
}
#endif

static uint64_t get(const uint8_t *at, int bytes) /* little-endian */
{
    uint64_t number = 0;
    while (bytes-- > 0)
        number = number << 8 | at[bytes];
    return number;
}

int main(int argc, char **argv)
{
    uint8_t head[8], got[1024];
    uint64_t beats = 0, worst_ns = 0;
    FILE *feed = argc == 2 ? open_feed(argv[1]) : NULL;
    if (!feed || fread(head, 8, 1, feed) != 1 || get(head, 4) != 0x4e4d4955 || head[4] != 1)
        return fputs("feed: there is no such feed, or it is of a later version\n", stderr), 1;
    while (fread(head, 4, 1, feed) == 1 && get(head, 2) <= sizeof got) {
        size_t len = (size_t)get(head, 2);
        if (len && fread(got, len, 1, feed) != 1)
            break;
        if (head[2] == 32 && len >= 50 && len >= 50 + get(got + 48, 2)) /* SESSION */
            printf("watching %.*s\n", (int)get(got + 48, 2), (char *)got + 50);
        if (head[2] == 33 && len >= 20 && ++beats && get(got + 8, 8) > worst_ns) /* BEAT */
            worst_ns = get(got + 8, 8);
        if (head[2] == 35 && len >= 57 && (head[3] & 18) == 2 && (got[56] == 3 || got[56] == 4))
            printf("freeze of %.1f ms\n", /* EPISODE: end - start - slept */
                   (double)(get(got + 8, 8) - get(got, 8) - get(got + 32, 8)) / 1e6);
        if (head[2] == 37) /* END */
            printf("%" PRIu64 " beats, the longest %.1f ms\n", beats, (double)worst_ns / 1e6);
        fflush(stdout);
    }
    return 0;
}
