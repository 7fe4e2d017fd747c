/* judge SUMMARY LOG [ACCURACY_MS]: exit code 0 if the summary agrees with the demo's log, 1 if not,
 * 2 if they cannot be compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/judge/judge.h"

#define MAX_BYTES (16u << 20)
#define ACCURACY_MS 2.0

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MAX_BYTES) : NULL;
    size_t len = text ? fread(text, 1, MAX_BYTES, file) : MAX_BYTES;

    if (file)
        fclose(file);
    if (len < MAX_BYTES) {
        text[len] = 0;
        return text;
    }
    fprintf(stderr, "judge: cannot read %s\n", path);
    free(text);
    return NULL;
}

int main(int argc, char **argv)
{
    struct judge_verdict verdict;

    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: judge SUMMARY LOG [ACCURACY_MS]\n");
        return 2;
    }
    char *summary = read_file(argv[1]);
    char *log = read_file(argv[2]);
    int result = -1;
    if (summary && log)
        result = judge(summary, log, argc > 3 ? atof(argv[3]) : ACCURACY_MS, stdout, &verdict);
    free(summary);
    free(log);
    if (result < 0)
        return 2;
    printf("%zu passed, %zu failed\n", verdict.compared - verdict.wrong, verdict.wrong);
    return verdict.wrong > 0;
}
