#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/plain/text.h"
#include "ipc/frame_reader.h"
#include "ipc/names.h"
#include "monitor/feed/hub.h"
#include "tests/conformance/transport_memory.h"
#include "tests/unit/wait_until.h"

#define WAIT_MS 60000

struct listener {
    const struct um_transport *transport;
    struct um_conn *conn;
    struct um_frame_reader reader;
    uint8_t bytes[8192];
};

static void join_by(const struct um_transport *transport, struct listener *listener,
                    const char *name)
{
    listener->transport = transport;
    um_frame_reader_init(&listener->reader, listener->bytes, sizeof listener->bytes);
    cr_assert_eq(listener->transport->connect(name, WAIT_MS, &listener->conn), UM_OK);
}

static void join(struct listener *listener, const char *name)
{
    join_by(um_transport_memory(), listener, name);
}

static void leave(struct listener *listener)
{
    if (listener->conn)
        listener->transport->close(listener->conn);
    listener->conn = NULL;
}

/* Whoever still listens at a test's end leaves then. */
static struct listener guest, late, slow, stalled, reader;

/* The next frame; its type is 0 when the hub has closed the connection. */
static struct um_wire_frame next(struct listener *listener)
{
    struct um_wire_frame frame = {0};
    enum um_status status;
    while ((status = um_frame_reader_next(&listener->reader, &frame)) == UM_ERR_PARTIAL) {
        size_t room, got;
        uint8_t *to = um_frame_reader_room(&listener->reader, &room);
        status = listener->transport->read(listener->conn, to, room, WAIT_MS, &got);
        if (status == UM_ERR_CLOSED)
            return frame;
        cr_assert_eq(status, UM_OK, "%s", um_status_text(status));
        um_frame_reader_add(&listener->reader, got);
    }
    cr_assert_eq(status, UM_OK, "%s", um_status_text(status));
    return frame;
}

static struct um_wire_frame beat(uint32_t seq)
{
    struct um_wire_frame frame = {.type = UM_WIRE_BEAT};
    frame.as.beat.seq = seq;
    return frame;
}

/* What beats wait for. */
static struct um_wire_frame status(void)
{
    return (struct um_wire_frame){.type = UM_WIRE_STATUS, .as.status.state = UM_STATE_RESPONSIVE};
}

static struct um_wire_frame session(uint32_t pid)
{
    struct um_wire_frame frame = {.type = UM_WIRE_SESSION};
    frame.as.session.pid = pid;
    return frame;
}

static struct um_wire_frame episode(uint32_t id, uint8_t flags)
{
    struct um_wire_frame frame = {.type = UM_WIRE_EPISODE, .flags = flags};
    frame.as.episode.id = id;
    frame.as.episode.state = UM_STATE_FROZEN;
    return frame;
}

static struct um_hub *hub;
static char name[UM_TRANSPORT_NAME_BYTES];

static void close_hub(void)
{
    um_hub_close(hub);
    hub = NULL;
}

/* In place of the one before. */
static void open_hub_on(const struct um_transport *transport)
{
    close_hub();
    cr_assert_eq(um_hub_open(transport, &hub, name), UM_OK);
}

static void open_hub(void)
{
    open_hub_on(um_transport_memory());
}

static void teardown(void)
{
    close_hub();
    leave(&guest);
    leave(&late);
    leave(&slow);
    leave(&stalled);
    leave(&reader);
}

TestSuite(hub, .init = open_hub, .fini = teardown, .threads = true);

static void publish(struct um_wire_frame frame)
{
    struct um_feed_output output = um_hub_output(hub);
    um_feed_publish(&output, 1, &frame);
}

/* From here on the hub knows the listener. */
static void join_session(struct listener *listener)
{
    publish(session(7));
    join(listener, name);
    cr_assert_eq(next(listener).as.session.pid, 7);
}

static enum um_status strange_peer(struct um_conn *conn, uint32_t *pid)
{
    (void)conn;
    *pid = um_transport_own_pid() + 1;
    return UM_OK;
}

static void wait_listeners(bool wanted)
{
    /* By a frame the hub finds that a consumer has left. */
    WAIT_UNTIL(um_hub_has_listeners(hub) == wanted || (publish(status()), false), "listeners: %d",
               !wanted);
}

Test(hub, another_process_listens_until_it_leaves)
{
    static struct um_transport strange;
    strange = *um_transport_memory();
    strange.peer_pid = strange_peer;
    open_hub_on(&strange);
    cr_expect(!um_hub_has_listeners(hub));
    join(&guest, name);
    wait_listeners(true);
    leave(&guest);
    wait_listeners(false);
}

/* The overlay's connection is made by this process. */
Test(hub, a_connection_of_its_own_process_is_no_listener)
{
    publish(session(7));
    join(&guest, name);
    cr_assert_eq(next(&guest).as.session.pid, 7); /* the hub knows it from here on */
    cr_expect(!um_hub_has_listeners(hub));
}

Test(hub, frames_reach_every_consumer_in_order)
{
    publish(session(7));
    join(&guest, name);
    join(&late, name);
    cr_assert_eq(next(&guest).as.session.pid, 7); /* both are known to the hub from here on */
    cr_assert_eq(next(&late).as.session.pid, 7);
    for (uint32_t i = 0; i < 100; i++)
        publish(beat(i));
    publish(status());
    for (uint32_t i = 0; i < 100; i++) {
        cr_assert_eq(next(&guest).as.beat.seq, i);
        cr_assert_eq(next(&late).as.beat.seq, i);
    }
    cr_expect_eq(next(&guest).type, UM_WIRE_STATUS);
    cr_expect_eq(next(&late).type, UM_WIRE_STATUS);
    close_hub();
    cr_expect_eq(next(&guest).type, 0, "the connection ends with the hub");
}

Test(hub, late_consumer_is_told_what_holds)
{
    publish(session(7));
    publish(beat(1));
    publish(episode(1, UM_WIRE_EPISODE_BEGIN));
    publish(episode(1, UM_WIRE_EPISODE_END));
    publish(episode(2, UM_WIRE_EPISODE_BEGIN));
    publish(session(8));
    join(&late, name);
    cr_expect_eq(next(&late).as.session.pid, 8);
    struct um_wire_frame open = next(&late);
    cr_expect(open.type == UM_WIRE_EPISODE && open.as.episode.id == 2);
    close_hub();
    cr_expect_eq(next(&late).type, 0);
}

static struct um_wire_frame counter(uint32_t number, const char *text)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER, .as.counter.number = number};
    um_text_set(frame.as.counter.name, sizeof frame.as.counter.name, text);
    return frame;
}

static struct um_wire_frame counter_value(uint32_t number)
{
    return (struct um_wire_frame){.type = UM_WIRE_COUNTER_VALUE, .as.counter_value.number = number};
}

/* All that there can be, which is many times what goes out at once, and before any value. */
Test(hub, late_consumer_is_told_of_each_counter)
{
    char text[UM_WIRE_COUNTER_TEXT_BYTES];
    publish(session(7));
    for (uint32_t i = 0; i < UM_WIRE_COUNTERS; i++) {
        memset(text, 'n', sizeof text);
        snprintf(text + sizeof text - 8, 8, "%u", (unsigned)i);
        struct um_wire_frame frame = counter(i, text);
        memcpy(frame.as.counter.provider, text, sizeof text);
        memcpy(frame.as.counter.display, text, sizeof text);
        memcpy(frame.as.counter.unit, text, sizeof text);
        publish(frame);
    }
    publish(counter(3, "told anew"));
    publish(counter_value(9));
    join(&late, name);
    cr_expect_eq(next(&late).as.session.pid, 7);
    for (uint32_t i = 0; i < UM_WIRE_COUNTERS; i++) {
        struct um_wire_frame told = next(&late);
        cr_assert(told.type == UM_WIRE_COUNTER && told.as.counter.number == i, "%u", (unsigned)i);
        cr_expect(i != 3 || strcmp(told.as.counter.name, "told anew") == 0);
        if (i == 100) /* what comes meanwhile waits for its turn */
            publish(counter_value(255));
    }
    publish(status());
    struct um_wire_frame value = next(&late);
    cr_expect(value.type == UM_WIRE_COUNTER_VALUE && value.as.counter_value.number == 255);
}

static struct um_wire_frame layout_component(uint32_t id)
{
    struct um_wire_frame frame = {.type = UM_WIRE_LAYOUT_COMPONENT,
                                  .as.layout_component = {.id = id, .parent = id / 2}};
    um_text_set(frame.as.layout_component.window_class, UM_WIRE_LAYOUT_TEXT_BYTES, "Pane");
    memset(frame.as.layout_component.text, 't', UM_WIRE_LAYOUT_TEXT_BYTES - 1);
    return frame;
}

static struct um_wire_frame layout_place(uint32_t id, int32_t left)
{
    return (struct um_wire_frame){.type = UM_WIRE_LAYOUT_PLACE,
                                  .as.layout_place = {.id = id, .left = left, .width = 9}};
}

Test(hub, late_consumer_is_told_of_each_component_of_the_layout)
{
    publish(counter(0, "cpu-usage"));
    for (uint32_t id = 3; id < UM_WIRE_LAYOUT_COMPONENTS; id++)
        publish(layout_component(id));
    for (uint32_t id = 3; id < UM_WIRE_LAYOUT_COMPONENTS; id += 2)
        publish(layout_place(id, 5));
    publish(layout_place(7, -7));
    join_session(&late);
    cr_assert_eq(next(&late).type, UM_WIRE_COUNTER);
    for (uint32_t id = 3; id < UM_WIRE_LAYOUT_COMPONENTS; id++) {
        struct um_wire_frame told = next(&late);
        cr_assert(told.type == UM_WIRE_LAYOUT_COMPONENT && told.as.layout_component.id == id);
        cr_assert_eq(told.as.layout_component.parent, id / 2);
        if (id % 2 == 0)
            continue;
        told = next(&late);
        cr_assert(told.type == UM_WIRE_LAYOUT_PLACE && told.as.layout_place.id == id);
        cr_assert_eq(told.as.layout_place.left, id == 7 ? -7 : 5, "the last one");
    }
    publish(status());
    cr_expect_eq(next(&late).type, UM_WIRE_STATUS);
}

static struct um_wire_frame marker_kind(uint32_t number)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MARKER_KIND,
                                  .as.marker_kind = {.number = number, .count = 1}};
    memset(frame.as.marker_kind.list[0].name, 'f', UM_WIRE_MARKER_NAME_BYTES - 1);
    snprintf(frame.as.marker_kind.name, UM_WIRE_MARKER_NAME_BYTES, "kind %u", (unsigned)number);
    return frame;
}

Test(hub, late_consumer_is_told_of_each_kind_of_markers)
{
    struct um_wire_frame marker = {.type = UM_WIRE_MARKER, .as.marker.kind = 9};
    publish(counter(0, "cpu-usage"));
    publish(layout_component(3));
    for (uint32_t number = 5; number <= UM_WIRE_MARKER_KINDS; number++)
        publish(marker_kind(number));
    join_session(&late);
    cr_assert_eq(next(&late).type, UM_WIRE_COUNTER);
    cr_assert_eq(next(&late).type, UM_WIRE_LAYOUT_COMPONENT);
    for (uint32_t number = 5; number <= UM_WIRE_MARKER_KINDS; number++) {
        struct um_wire_frame told = next(&late), expected = marker_kind(number);
        cr_assert(told.type == UM_WIRE_MARKER_KIND && told.as.marker_kind.number == number);
        cr_assert_str_eq(told.as.marker_kind.name, expected.as.marker_kind.name);
        cr_assert_str_eq(told.as.marker_kind.list[0].name, expected.as.marker_kind.list[0].name);
        if (number == 100) /* what comes meanwhile waits for its turn, and for the STATUS */
            publish(marker);
    }
    publish(status());
    cr_expect_eq(next(&late).as.marker.kind, 9);
    cr_expect_eq(next(&late).type, UM_WIRE_STATUS);
}

static struct um_wire_frame module(uint32_t number)
{
    struct um_wire_frame frame = {.type = UM_WIRE_MODULE, .as.module.number = number};
    memset(frame.as.module.path, 'p', UM_WIRE_MODULE_PATH_BYTES - 1);
    return frame;
}

/* As many nodes as a frame can have. */
static struct um_wire_frame nodes(uint32_t tree, uint32_t first)
{
    struct um_wire_frame frame = {
        .type = UM_WIRE_NODES,
        .as.nodes = {.first = first, .count = UM_WIRE_NODES_MOST, .tree = tree}};
    for (uint32_t i = 0; i < UM_WIRE_NODES_MOST; i++)
        frame.as.nodes.list[i].key = first + i;
    return frame;
}

static struct um_wire_frame name_of(uint64_t key, const char *text)
{
    struct um_wire_frame frame = {.type = UM_WIRE_NAME,
                                  .as.name = {.key = key, .kind = UM_NAMES_DEBUG}};
    um_text_set(frame.as.name.name, sizeof frame.as.name.name, text);
    return frame;
}

static struct um_wire_frame sample(uint32_t tree, uint32_t node)
{
    return (struct um_wire_frame){.type = UM_WIRE_SAMPLE,
                                  .as.sample = {.time_ns = 9, .tree = tree, .node = node}};
}

/* A full tree, with two names, after one that nothing points to any more. */
Test(hub, late_consumer_is_told_what_samples_point_to)
{
    const uint32_t frames = 32768 / UM_WIRE_NODES_MOST;
    for (uint32_t i = 0; i < 100; i++)
        publish(module(i));
    publish(nodes(4, UM_WIRE_FIRST_NODE));
    publish(name_of(2, "of the tree before"));
    for (uint32_t i = 0; i < frames; i++)
        publish(nodes(5, UM_WIRE_FIRST_NODE + i * UM_WIRE_NODES_MOST));
    publish(name_of(2, "first"));
    publish(name_of(3, "second"));
    join_session(&late);
    publish(sample(5, 3));
    for (uint32_t i = 0; i < 100; i++)
        cr_assert_eq(next(&late).as.module.number, i);
    for (uint32_t i = 0; i < frames; i++) {
        struct um_wire_frame told = next(&late);
        cr_assert(told.type == UM_WIRE_NODES && told.as.nodes.tree == 5);
        cr_assert_eq(told.as.nodes.first, UM_WIRE_FIRST_NODE + i * UM_WIRE_NODES_MOST);
        cr_assert_eq(told.as.nodes.list[1].key, told.as.nodes.first + 1);
    }
    cr_expect_str_eq(next(&late).as.name.name, "first");
    cr_expect_str_eq(next(&late).as.name.name, "second");
    cr_expect_eq(next(&late).as.sample.node, 3);
    publish(nodes(5, UM_WIRE_FIRST_NODE + frames * UM_WIRE_NODES_MOST));
    struct um_wire_frame more = next(&late);
    cr_expect(more.type == UM_WIRE_NODES && more.as.nodes.first > frames, "once only");
}

Test(hub, late_consumer_is_told_of_counters_that_are_not_the_first)
{
    publish(session(7));
    publish(counter(200, "x"));
    join(&late, name);
    cr_expect_eq(next(&late).type, UM_WIRE_SESSION);
    cr_expect_eq(next(&late).as.counter.number, 200);
    publish(status());
    cr_expect_eq(next(&late).type, UM_WIRE_STATUS);
}

Test(hub, late_consumer_is_told_of_the_beats)
{
    struct um_wire_frame beat_kind = {.type = UM_WIRE_BEAT_KIND,
                                      .as.beat_kind.kind = UM_BEAT_KIND_PAIR};
    struct um_wire_frame anew = session(7);
    publish(session(7));
    publish(beat_kind);
    join(&late, name);
    cr_expect_eq(next(&late).type, UM_WIRE_SESSION);
    cr_expect_eq(next(&late).as.beat_kind.kind, UM_BEAT_KIND_PAIR);
    leave(&late);
    anew.flags = UM_WIRE_SESSION_ANEW;
    publish(anew);
    join(&late, name);
    cr_expect_eq(next(&late).type, UM_WIRE_SESSION);
    close_hub();
    cr_expect_eq(next(&late).type, 0);
}

/* An overlay that is started again stays hidden, also after a replay has jumped. */
Test(hub, late_consumer_is_told_that_the_overlay_is_hidden)
{
    struct um_wire_frame view = {.type = UM_WIRE_VIEW, .as.view.hidden = 1};
    struct um_wire_frame anew = session(7);
    anew.flags = UM_WIRE_SESSION_ANEW;
    publish(session(7));
    publish(view);
    publish(anew);
    join(&late, name);
    cr_expect_eq(next(&late).type, UM_WIRE_SESSION);
    struct um_wire_frame told = next(&late);
    cr_expect(told.type == UM_WIRE_VIEW && told.as.view.hidden == 1);
}

Test(hub, late_consumer_is_told_of_each_episode_that_lasts)
{
    struct um_wire_frame sleep = episode(2, UM_WIRE_EPISODE_BEGIN);
    struct um_wire_frame turned = episode(3, UM_WIRE_EPISODE_BEGIN);
    bool told[4] = {false};

    sleep.as.episode.state = UM_STATE_SUSPENDED;
    publish(session(7));
    publish(episode(1, UM_WIRE_EPISODE_BEGIN));
    publish(sleep);
    turned.as.episode.state = UM_STATE_STARVED;
    publish(turned);
    turned.as.episode.state = UM_STATE_BLIND;
    turned.flags = UM_WIRE_EPISODE_END;
    publish(turned);
    join(&late, name);
    cr_expect_eq(next(&late).type, UM_WIRE_SESSION);
    for (int i = 0; i < 2; i++) {
        struct um_wire_frame frame = next(&late);
        cr_assert(frame.type == UM_WIRE_EPISODE && frame.as.episode.id < 4);
        told[frame.as.episode.id] = true;
    }
    cr_expect(told[1] && told[2]);
    close_hub();
    cr_expect_eq(next(&late).type, 0);
}

Test(hub, what_a_jump_makes_void_is_not_told)
{
    struct um_wire_frame anew = session(8);

    anew.flags = UM_WIRE_SESSION_ANEW;
    publish(session(7));
    publish(episode(1, UM_WIRE_EPISODE_BEGIN));
    publish(anew);
    join(&late, name);
    cr_expect_eq(next(&late).as.session.pid, 8);
    close_hub();
    cr_expect_eq(next(&late).type, 0);
}

/* Publishes beats, which are more than queue and pipe hold together (2.4 MB for 100,000). */
static void publish_beats(uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++)
        publish(beat(i));
}

Test(hub, slow_consumer_is_kept_loses_the_oldest_and_is_told_how_many)
{
    const uint32_t published = 100000;
    struct um_wire_frame frame;
    uint32_t received = 0, last = 0, told = 0;
    uint64_t lost = 0;

    join_session(&slow);
    publish_beats(1, published);
    publish(status()); /* with which the last of them are sent */
    while ((frame = next(&slow)).type != UM_WIRE_STATUS) {
        if (frame.type == UM_WIRE_LOST) {
            told++;
            lost += frame.as.lost.frames;
            cr_assert_eq(next(&slow).type, UM_WIRE_SESSION, "what holds follows");
            continue;
        }
        cr_assert(frame.type == UM_WIRE_BEAT && frame.as.beat.seq > last);
        cr_assert_eq(frame.as.beat.seq, received + lost + 1, "what is missing was told");
        last = frame.as.beat.seq;
        received++;
    }
    cr_expect_eq(last, published);
    cr_expect(told > 0 && lost > 0 && received + lost == published, "%u came, %lu were lost",
              received, (unsigned long)lost);
    close_hub();
    cr_expect_eq(next(&slow).type, 0);
}

Test(hub, others_notice_nothing_of_one_that_reads_nothing)
{
    struct um_wire_frame frame;

    publish(session(7));
    join(&stalled, name);
    join(&reader, name);
    cr_assert_eq(next(&stalled).type, UM_WIRE_SESSION);
    cr_assert_eq(next(&reader).type, UM_WIRE_SESSION);
    for (uint32_t seq = 1; seq <= 50000; seq += 100) {
        publish_beats(seq, seq + 99);
        publish(status());
        for (uint32_t i = seq; i < seq + 100; i++)
            cr_assert_eq(next(&reader).as.beat.seq, i);
        cr_assert_eq(next(&reader).type, UM_WIRE_STATUS);
    }
    close_hub();
    cr_expect_eq(next(&reader).type, 0);
    do
        frame = next(&stalled); /* what lay in its pipe when the hub gave it up */
    while (frame.type);
}

#define OPEN INT_MAX

static _Atomic int passes = OPEN; /* so many writes may pass the gate */
static _Atomic int at_gate;

/* A write that does not return while the gate is closed, as to a consumer that reads nothing. */
static enum um_status write_through_gate(struct um_conn *conn, const void *buf, size_t len_bytes,
                                         uint32_t timeout_ms)
{
    while (atomic_load(&passes) == 0) {
        atomic_store(&at_gate, 1);
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
    }
    if (atomic_load(&passes) != OPEN)
        atomic_fetch_sub(&passes, 1);
    return um_transport_memory()->write(conn, buf, len_bytes, timeout_ms);
}

static void open_gated_hub(void)
{
    static struct um_transport gated;
    gated = *um_transport_memory();
    gated.write = write_through_gate;
    open_hub_on(&gated);
}

/* From its return on what is published stays in the queue, behind a STATUS. */
static void close_gate(void)
{
    atomic_store(&at_gate, 0);
    atomic_store(&passes, 0);
    publish(status());
    WAIT_UNTIL(atomic_load(&at_gate), "nobody is at the gate");
}

static void open_gate(void)
{
    atomic_store(&passes, OPEN);
}

/* Lets so many of the writes pass that are to come, and closes the gate behind them. */
static void let_pass(int writes)
{
    atomic_store(&at_gate, 0);
    atomic_store(&passes, writes);
    WAIT_UNTIL(atomic_load(&passes) == 0 && atomic_load(&at_gate), "nobody is at the gate");
}

/* Of an episode whose end was lost it is told that it lasts no longer, by leaving it out. */
Test(hub, what_holds_after_a_loss_is_told_anew, .init = open_gated_hub)
{
    struct um_wire_frame frame, sleep = episode(3, UM_WIRE_EPISODE_BEGIN);
    struct um_wire_frame first = status(), second = status();

    first.as.status.time_ns = 1;
    second.as.status.time_ns = 2;
    sleep.as.episode.state = UM_STATE_SUSPENDED;
    publish(session(7));
    publish(episode(1, UM_WIRE_EPISODE_BEGIN));
    join(&slow, name);
    cr_assert_eq(next(&slow).type, UM_WIRE_SESSION);
    cr_assert_eq(next(&slow).as.episode.id, 1);
    close_gate();
    publish(episode(1, UM_WIRE_EPISODE_END));
    publish(session(8));
    publish(sleep);
    publish(counter(0, "cpu-usage"));
    publish(layout_component(3));
    publish(marker_kind(2));
    publish(first);
    publish_beats(1, 6000); /* they push out the others */
    sleep.flags = UM_WIRE_EPISODE_END;
    publish(sleep);
    publish(second);
    open_gate();
    cr_expect_eq(next(&slow).type, UM_WIRE_STATUS);
    cr_assert_eq(next(&slow).type, UM_WIRE_LOST);
    cr_expect_eq(next(&slow).as.session.pid, 8);
    frame = next(&slow);
    cr_expect(frame.type == UM_WIRE_EPISODE && frame.as.episode.id == 3);
    cr_expect_eq(frame.flags, UM_WIRE_EPISODE_BEGIN);
    frame = next(&slow);
    cr_expect(frame.type == UM_WIRE_STATUS && frame.as.status.time_ns == 1);
    cr_expect_eq(next(&slow).type, UM_WIRE_COUNTER);
    cr_expect_eq(next(&slow).type, UM_WIRE_LAYOUT_COMPONENT);
    cr_expect_eq(next(&slow).as.marker_kind.number, 2);
    do
        frame = next(&slow);
    while (frame.type == UM_WIRE_BEAT);
    cr_expect(frame.type == UM_WIRE_EPISODE && frame.flags == UM_WIRE_EPISODE_END);
    cr_expect_eq(next(&slow).as.status.time_ns, 2);
}

#define MANY_KINDS 2000 /* more than the queue holds */

static void publish_kinds(uint32_t first, uint32_t last)
{
    for (uint32_t number = first; number <= last; number++)
        publish(marker_kind(number));
}

/* Reads on to the STATUS of a time. Kinds of markers are told from `first` on, one after the other;
 * the number of the last of them is returned. */
static uint32_t read_kinds(uint32_t first, uint64_t time_ns, unsigned *losses)
{
    struct um_wire_frame frame;
    uint32_t last = first - 1;
    while ((frame = next(&slow)).type != UM_WIRE_STATUS || frame.as.status.time_ns != time_ns) {
        *losses += frame.type == UM_WIRE_LOST;
        if (frame.type != UM_WIRE_MARKER_KIND)
            continue;
        cr_assert_eq(frame.as.marker_kind.number, last + 1, "%u after %u",
                     (unsigned)frame.as.marker_kind.number, (unsigned)last);
        last++;
    }
    return last;
}

static void publish_status_at(uint64_t time_ns)
{
    struct um_wire_frame frame = status();
    frame.as.status.time_ns = time_ns;
    publish(frame);
}

/* Or else one that is slow would get nothing but these. */
Test(hub, kinds_of_markers_are_told_once_however_much_is_lost_meanwhile, .init = open_gated_hub)
{
    unsigned losses = 0;
    join_session(&slow);
    close_gate();
    publish_kinds(1, MANY_KINDS);
    publish_beats(1, 6000); /* they push out the kinds */
    let_pass(3);            /* the STATUS, and some of the kinds */
    cr_expect_eq(next(&slow).type, UM_WIRE_STATUS);
    cr_assert_eq(next(&slow).type, UM_WIRE_LOST);
    publish_beats(6001, 12000);
    publish_kinds(MANY_KINDS + 1, MANY_KINDS + 9);
    publish_beats(12001, 18000);
    publish_status_at(9);
    open_gate();
    cr_expect_eq(read_kinds(1, 9, &losses), MANY_KINDS + 9);
    cr_expect_gt(losses, 0);
}

Test(hub, kinds_that_are_told_anew_are_told_again_after_a_loss, .init = open_gated_hub)
{
    unsigned losses = 0;
    join_session(&slow);
    close_gate();
    publish_kinds(1, 20);
    publish_beats(1, 6000);
    publish_status_at(8);
    open_gate();
    cr_expect_eq(read_kinds(1, 8, &losses), 20);
    cr_expect_eq(losses, 1);
    close_gate();
    publish(marker_kind(18));
    publish_beats(6001, 12000);
    publish_status_at(9);
    open_gate();
    cr_expect_eq(read_kinds(18, 9, &losses), 20);
    cr_expect_eq(losses, 2);
}

/* One that comes while another one is behind begins with the present. */
Test(hub, late_consumer_gets_nothing_of_what_another_has_not_read)
{
    join_session(&stalled);
    publish_beats(1, 50000);
    publish(session(8));
    join(&late, name);
    cr_expect_eq(next(&late).as.session.pid, 8);
    publish(beat(50001));
    publish(status());
    cr_expect_eq(next(&late).as.beat.seq, 50001);
}

/* All get all of it; only one more is turned away. */
static void serve_many(const struct um_transport *transport)
{
    struct listener *crowd = calloc(UM_HUB_MAX_CONSUMERS, sizeof *crowd);
    struct listener beyond;

    cr_assert(crowd != NULL);
    open_hub_on(transport);
    publish(session(7));
    for (int i = 0; i < UM_HUB_MAX_CONSUMERS; i++) {
        join_by(transport, &crowd[i], name);
        cr_assert_eq(next(&crowd[i]).type, UM_WIRE_SESSION, "consumer %d", i);
    }
    join_by(transport, &beyond, name);
    cr_expect_eq(next(&beyond).type, 0, "there is no more place");
    leave(&beyond);
    for (uint32_t seq = 1; seq <= 10; seq++)
        publish(beat(seq));
    publish(status());
    for (int i = 0; i < UM_HUB_MAX_CONSUMERS; i++) {
        for (uint32_t seq = 1; seq <= 10; seq++)
            cr_assert_eq(next(&crowd[i]).as.beat.seq, seq);
        cr_assert_eq(next(&crowd[i]).type, UM_WIRE_STATUS);
    }
    close_hub();
    for (int i = 0; i < UM_HUB_MAX_CONSUMERS; i++) {
        cr_assert_eq(next(&crowd[i]).type, 0);
        leave(&crowd[i]);
    }
    free(crowd);
}

Test(hub, serves_as_many_as_there_are_places)
{
    cr_assert_gt(UM_HUB_MAX_CONSUMERS, 64);
    serve_many(um_transport_memory());
}

Test(hub, serves_as_many_over_the_systems_pipes)
{
    serve_many(um_transport_system());
}

Test(hub, consumer_that_leaves_is_forgotten)
{
    publish(session(7));
    for (int i = 0; i < 3 * UM_HUB_MAX_CONSUMERS; i++) {
        join(&guest, name);
        cr_assert_eq(next(&guest).type, UM_WIRE_SESSION);
        leave(&guest);
        publish(status());
    }
}

static _Atomic int writes;

static enum um_status count_write(struct um_conn *conn, const void *buf, size_t len_bytes,
                                  uint32_t timeout_ms)
{
    atomic_fetch_add(&writes, 1);
    return um_transport_memory()->write(conn, buf, len_bytes, timeout_ms);
}

static void open_counting_hub(void)
{
    static struct um_transport counting;
    counting = *um_transport_memory();
    counting.write = count_write;
    open_hub_on(&counting);
}

Test(hub, beats_and_gaps_wait_for_the_next_status, .init = open_counting_hub)
{
    struct um_wire_frame gap = {.type = UM_WIRE_GAP};
    struct um_wire_frame activity = {.type = UM_WIRE_ACTIVITY};
    join_session(&guest);
    int before = atomic_load(&writes);
    for (uint32_t i = 0; i < 10; i++) {
        publish(beat(i));
        publish(gap);
        publish(activity);
    }
    publish(status());
    for (uint32_t i = 0; i < 10; i++) {
        cr_expect_eq(next(&guest).as.beat.seq, i);
        cr_expect_eq(next(&guest).type, UM_WIRE_GAP);
        cr_expect_eq(next(&guest).type, UM_WIRE_ACTIVITY);
    }
    cr_expect_eq(next(&guest).type, UM_WIRE_STATUS);
    cr_expect_eq(atomic_load(&writes), before + 1, "%d writes", atomic_load(&writes) - before);
}

Test(hub, beats_are_sent_without_a_status_when_the_queue_is_half_full)
{
    join_session(&guest);
    for (uint32_t i = 0; i < 64 * 1024 / 24 + 1; i++)
        publish(beat(i));
    cr_expect_eq(next(&guest).as.beat.seq, 0);
}

Test(hub, beats_that_wait_are_sent_before_the_end)
{
    join_session(&guest);
    publish(beat(1));
    close_hub();
    cr_expect_eq(next(&guest).as.beat.seq, 1);
    cr_expect_eq(next(&guest).type, 0);
}

Test(hub, nothing_is_encoded_while_nobody_listens)
{
    struct um_wire_frame frame = session(7);
    struct um_feed_item item = {.frame = &frame};
    struct um_feed_output output = um_hub_output(hub);

    output.take(output.context, &item);
    cr_expect_eq(item.len_bytes, 0);
    join(&late, name);
    cr_expect_eq(next(&late).as.session.pid, 7, "what holds is known all the same");
    output.take(output.context, &item);
    cr_expect_gt(item.len_bytes, 0);
}

Test(hub, closing_without_consumers_ends)
{
    open_hub();
    close_hub();
    um_hub_close(NULL);
}

static int failures;

static enum um_status accept_later(struct um_listener *listener, uint32_t timeout_ms,
                                   struct um_conn **conn)
{
    if (failures > 0 && failures--)
        return UM_ERR_IO;
    return um_transport_memory()->accept(listener, timeout_ms, conn);
}

Test(hub, failed_accept_is_not_the_last)
{
    static struct um_transport failing;

    failing = *um_transport_memory();
    failing.accept = accept_later;
    failures = 2;
    open_hub_on(&failing);
    publish(session(7));
    join(&guest, name);
    cr_expect_eq(next(&guest).as.session.pid, 7);
}
