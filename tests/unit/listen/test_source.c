#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "ipc/transport.h"
#include "monitor/feed/hub.h"
#include "monitor/listen/source.h"

static char root[64];
static char folder[256];
static struct um_registry *published[3];
static struct um_hub *hub;
static char pipe_name[UM_TRANSPORT_NAME_BYTES];

/* Two programs of one name, and one that has a feed. */
static void publish(void)
{
    snprintf(root, sizeof root, "/tmp/um_source_XXXXXX");
    cr_assert(mkdtemp(root) != NULL);
    setenv("XDG_RUNTIME_DIR", root, 1);
    cr_assert_eq(um_registry_folder(folder, sizeof folder), UM_OK);
    cr_assert_eq(um_hub_open(um_transport_system(), &hub, pipe_name), UM_OK);
    cr_assert_eq(um_registry_publish(folder, 11, "Two.exe", "uimon-feed-1", &published[0]), UM_OK);
    cr_assert_eq(um_registry_publish(folder, 12, "two.exe", "uimon-feed-2", &published[1]), UM_OK);
    cr_assert_eq(um_registry_publish(folder, 13, "One.exe", pipe_name, &published[2]), UM_OK);
}

static void withdraw(void)
{
    char command[128];
    for (size_t i = 0; i < 3; i++)
        um_registry_withdraw(published[i]);
    um_hub_close(hub);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    cr_expect_eq(system(command), 0);
}

TestSuite(source, .init = publish, .fini = withdraw, .threads = true);

static enum um_status find(const char *target, const char *but, struct um_registry_entry *entry,
                           char *error)
{
    return um_source_find(target, false, but, entry, error, 1024);
}

Test(source, is_found_by_name_without_exe_and_by_pid)
{
    struct um_registry_entry entry;
    char error[1024];
    static const char *const targets[] = {"one", "ONE", "one.exe", "13"};

    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(find(targets[i], NULL, &entry, error), UM_OK, "%s", targets[i]);
        cr_expect_eq(entry.target_pid, 13);
    }
    cr_assert_eq(find("12", NULL, &entry, error), UM_OK);
    cr_expect_str_eq(entry.pipe, "uimon-feed-2");
}

Test(source, that_is_not_there_says_what_to_do)
{
    struct um_registry_entry entry;
    char error[1024];

    cr_expect_eq(find("on", NULL, &entry, error), UM_ERR_NOT_FOUND);
    cr_expect_str_eq(error, "uimon: on: no uimon watches such a program; start one with 'uimon "
                            "--attach on'");
    cr_expect_eq(find("one", pipe_name, &entry, error), UM_ERR_NOT_FOUND);
    cr_expect_eq(find("two", NULL, &entry, error), UM_ERR_AMBIGUOUS);
    cr_expect_str_eq(error,
                     "uimon: two: several programs of that name are watched: 11 12; give one "
                     "of these process ids");
    cr_expect_eq(find("title:one", NULL, &entry, error), UM_ERR_ARG);
    cr_expect_eq(find("99999999999", NULL, &entry, error), UM_ERR_ARG);
}

/* As with --attach: the program 4711.exe is named with its .exe. */
Test(source, a_number_is_a_process_id)
{
    struct um_registry_entry entry;
    struct um_registry *numbered;
    char error[1024];

    cr_assert_eq(um_registry_publish(folder, 14, "4711.exe", "uimon-feed-4", &numbered), UM_OK);
    cr_expect_eq(find("4711", NULL, &entry, error), UM_ERR_NOT_FOUND);
    cr_assert_eq(find("4711.exe", NULL, &entry, error), UM_OK, "%s", error);
    cr_expect_eq(entry.target_pid, 14);
    um_registry_withdraw(numbered);
}

Test(source, reads_frames_until_the_monitor_closes_the_feed)
{
    struct um_registry_entry entry;
    struct um_source *source;
    struct um_wire_frame frame = {.type = UM_WIRE_STATUS,
                                  .as.status = {.time_ns = 5, .state = UM_STATE_RESPONSIVE}};
    struct um_feed_output output = um_hub_output(hub);
    char error[1024];
    enum um_status status;

    cr_assert_eq(find("one", NULL, &entry, error), UM_OK);
    cr_assert_eq(um_source_open(&entry, &source), UM_OK);
    um_feed_publish(&output, 1, &frame);
    memset(&frame, 0, sizeof frame);
    while ((status = um_source_next(source, 1000, &frame)) == UM_ERR_TIMEOUT)
        continue;
    cr_assert_eq(status, UM_OK, "%s", um_status_text(status));
    cr_expect_eq(frame.type, UM_WIRE_STATUS);
    cr_expect_eq(frame.as.status.time_ns, 5);
    um_hub_close(hub);
    hub = NULL;
    while ((status = um_source_next(source, 1000, &frame)) == UM_OK || status == UM_ERR_TIMEOUT)
        continue;
    cr_expect_eq(status, UM_ERR_CLOSED);
    um_source_close(source);
}

/* The file says that the pipe is another process's. */
Test(source, pipe_of_another_process_is_refused)
{
    struct um_registry_entry entry;
    struct um_source *source;
    char error[1024];

    cr_assert_eq(find("one", NULL, &entry, error), UM_OK);
    entry.pid++;
    cr_expect_eq(um_source_open(&entry, &source), UM_ERR_NOT_FOUND);
}
