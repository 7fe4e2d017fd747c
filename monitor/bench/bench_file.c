#include "monitor/bench/bench_file.h"

#include <stdio.h>

#include "base/file.h"
#include "base/output.h"
#include "base/utf8.h"

#define PARTIAL_SUFFIX ".partial"

static void say(const char *path, const char *what)
{
    char line[UM_PLATFORM_PATH_BYTES + 160];

    snprintf(line, sizeof line, "%s%s", um_utf8_show_path(path).text, what);
    um_output_note(line);
}

static bool can_have_partial(struct um_bench_file *file)
{
    char error[UM_PLATFORM_PATH_BYTES + 256];
    int need = snprintf(file->partial, sizeof file->partial, "%s" PARTIAL_SUFFIX, file->path);

    return need > 0 && (size_t)need < sizeof file->partial &&
           um_file_can_be_replaced(file->partial) &&
           um_output_can_write(file->partial, "--json", error, sizeof error);
}

void um_bench_file_open(struct um_bench_file *file, const char *path, bool goes_on)
{
    *file = (struct um_bench_file){.path = path, .goes_on = goes_on};
    if (!path || um_output_is_stdout(path) ||
        !(um_file_can_be_replaced(path) || um_platform_is_regular(path)))
        return; /* a device or a pipe has nothing beside it */
    if (!can_have_partial(file)) {
        file->partial[0] = '\0';
        say(path, PARTIAL_SUFFIX " cannot be written: if the benchmark is killed, its runs are "
                                 "lost");
    } else if (!goes_on && um_output_has_content(file->partial)) {
        say(file->partial, " has runs of a benchmark that was broken off; --resume would go on "
                           "with them, and now the first run will replace them");
    }
}

static bool write_partial(const char *path, const char *text)
{
    struct um_file_draft draft;

    if (um_file_draft_open(path, false, &draft) != UM_OK)
        return false;
    if (um_output_json(draft.file, text))
        return um_file_draft_settle(&draft) == UM_OK;
    um_file_draft_drop(&draft);
    return false;
}

void um_bench_file_keep(struct um_bench_file *file, const char *text)
{
    file->has_run = true;
    if (!file->partial[0])
        return;
    if (text && write_partial(file->partial, text)) {
        file->in_partial = true;
        return;
    }
    if (!file->failed)
        say(file->partial, " cannot be written now; uimon tries again after each run");
    file->failed = true;
}

/* Whether writing FILE would only destroy what is there. */
static bool must_stay(const struct um_bench_file *file)
{
    return !file->has_run && !um_output_is_stdout(file->path) &&
           (file->goes_on || um_output_has_content(file->path));
}

bool um_bench_file_end(const struct um_bench_file *file, const char *text, bool done)
{
    if (!file->path)
        return true;
    if (!done && must_stay(file)) {
        say(file->path, " is as it was: no run was finished");
        return true;
    }
    if (um_output_write(file->path, "--json", text)) {
        if (file->partial[0] && (file->in_partial || (done && file->goes_on)))
            remove(file->partial);
        return true;
    }
    if (file->in_partial)
        say(file->partial, " has the runs");
    return false;
}
