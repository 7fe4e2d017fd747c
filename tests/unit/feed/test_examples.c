/* The examples of docs/feed.md, as they are, against a hub on a Unix socket. `uimon` itself and the
 * Windows half are in tests/e2e/test_examples.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "ipc/transport.h"
#include "monitor/feed/hub.h"
#include "monitor/feed/registry.h"

#define MS UINT64_C(1000000)

static char root[] = "/tmp/uimon-XXXXXX"; /* short: the path of a socket has 108 bytes */
static struct um_hub *hub;
static struct um_registry *registry;
static char pipe_name[UM_TRANSPORT_NAME_BYTES];

static void publish(struct um_wire_frame frame)
{
    struct um_feed_output output = um_hub_output(hub);
    um_feed_publish(&output, 1, &frame);
}

static void setup(void)
{
    char folder[512];
    struct um_wire_frame session = {.type = UM_WIRE_SESSION};
    cr_assert(mkdtemp(root) != NULL);
    setenv("XDG_RUNTIME_DIR", root, 1);
    strcpy(session.as.session.name, "\xc3\xbc"
                                    "bung.exe");
    strcpy(session.as.session.title, "a title");
    cr_assert_eq(um_hub_open(um_transport_system(), &hub, pipe_name), UM_OK);
    cr_assert_eq(um_registry_folder(folder, sizeof folder), UM_OK);
    cr_assert_eq(um_registry_publish(folder, 4711, session.as.session.name, pipe_name, &registry),
                 UM_OK);
    publish(session);
}

static void teardown(void)
{
    char command[128];
    um_registry_withdraw(registry);
    snprintf(command, sizeof command, "rm -r %s", root);
    cr_expect_eq(system(command), 0);
}

TestSuite(examples, .init = setup, .fini = teardown, .timeout = 60, .threads = true);

static void send_beat(uint64_t latency_ns)
{
    publish((struct um_wire_frame){.type = UM_WIRE_BEAT,
                                   .as.beat = {.sent_ns = 5, .latency_ns = latency_ns}});
}

static void send_episode(uint8_t flags, uint8_t state, uint64_t length_ns)
{
    publish((struct um_wire_frame){.type = UM_WIRE_EPISODE,
                                   .flags = flags,
                                   .as.episode = {.start_ns = 1000 * MS,
                                                  .end_ns = 1000 * MS + length_ns + 40 * MS,
                                                  .slept_ns = 40 * MS,
                                                  .id = 1,
                                                  .state = state,
                                                  .window_class = "Button"}});
}

/* Starts an example, and tells the rest of a session once it has answered to the begin. */
static void check_example(const char *command)
{
    char line[128];
    FILE *example = popen(command, "r");
    cr_assert(example && fgets(line, sizeof line, example), "%s", command);
    cr_expect_str_eq(line, "watching \xc3\xbc"
                           "bung.exe\n");
    send_beat(300000);
    send_beat(250 * MS);
    send_beat(7 * MS);
    publish((struct um_wire_frame){.type = UM_WIRE_PACE, .as.pace.rest_us = 1000});
    send_episode(UM_WIRE_EPISODE_BEGIN, UM_STATE_FROZEN, 100 * MS);
    send_episode(UM_WIRE_EPISODE_END, UM_STATE_FROZEN, 250123456);
    send_episode(UM_WIRE_EPISODE_END | UM_WIRE_EPISODE_VOID, UM_STATE_FROZEN, 111 * MS);
    send_episode(UM_WIRE_EPISODE_END, UM_STATE_BLIND, 112 * MS);
    send_episode(UM_WIRE_EPISODE_END, UM_STATE_STARVED, 1500 * MS);
    publish((struct um_wire_frame){.type = UM_WIRE_END});
    um_hub_close(hub);
    cr_assert(fgets(line, sizeof line, example) != NULL);
    cr_expect_str_eq(line, "freeze of 250.1 ms\n");
    cr_assert(fgets(line, sizeof line, example) != NULL);
    cr_expect_str_eq(line, "freeze of 1500.0 ms\n");
    cr_assert(fgets(line, sizeof line, example) != NULL);
    cr_expect_str_eq(line, "3 beats, the longest 250.0 ms\n");
    cr_expect(!fgets(line, sizeof line, example), "%s", line);
    cr_expect_eq(pclose(example), 0);
}

Test(examples, c_reads_a_feed_by_its_pipe)
{
    char command[512];
    snprintf(command, sizeof command, UM_EXAMPLES "/example_feed %s", pipe_name);
    check_example(command);
}

Test(examples, python_finds_a_feed_by_its_target_and_reads_it)
{
    check_example("python3 " UM_SOURCE_DIR "/examples/feed.py 4711");
}

Test(examples, python_finds_a_feed_by_a_name_without_its_end)
{
    check_example("python3 " UM_SOURCE_DIR "/examples/feed.py \xc3\x9c"
                  "bung");
}

Test(examples, examples_refuse_what_is_no_feed)
{
    um_hub_close(hub);
    cr_expect_neq(system(UM_EXAMPLES "/example_feed nosuch 2>/dev/null"), 0);
    cr_expect_neq(system("python3 " UM_SOURCE_DIR "/examples/feed.py nosuch 2>/dev/null"), 0);
}
