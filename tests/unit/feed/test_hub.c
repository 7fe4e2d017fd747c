#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "ipc/clock.h"
#include "ipc/frame_reader.h"
#include "monitor/feed/hub.h"

#define WAIT_MS 5000

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
    cr_assert(listener->transport->connect(name, WAIT_MS, &listener->conn) == UM_OK);
}

static void join(struct listener *listener, const char *name)
{
    join_by(um_transport_memory(), listener, name);
}

static void leave(struct listener *listener)
{
    listener->transport->close(listener->conn);
}

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
        cr_assert(status == UM_OK, "%s", um_status_text(status));
        um_frame_reader_add(&listener->reader, got);
    }
    cr_assert(status == UM_OK, "%s", um_status_text(status));
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

static void open_hub(void)
{
    cr_assert(um_hub_open(um_transport_memory(), &hub, name) == UM_OK);
}

static void publish(struct um_wire_frame frame)
{
    struct um_feed_output output = um_hub_output(hub);
    um_feed_publish(&output, 1, &frame);
}

static enum um_status strange_peer(struct um_conn *conn, uint32_t *pid)
{
    (void)conn;
    *pid = um_transport_own_pid() + 1;
    return UM_OK;
}

static void wait_listeners(bool wanted)
{
    uint64_t until_ns = um_clock_now_ns() + WAIT_MS * UM_CLOCK_NS_PER_MS;
    while (um_hub_has_listeners(hub) != wanted) {
        cr_assert(um_clock_now_ns() < until_ns, "listeners: %d", !wanted);
        publish(status()); /* by which the hub finds that a consumer has left */
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
    }
}

Test(hub, another_process_listens_until_it_leaves)
{
    struct um_transport strange = *um_transport_memory();
    struct listener listener;
    strange.peer_pid = strange_peer;
    cr_assert(um_hub_open(&strange, &hub, name) == UM_OK);
    cr_expect(!um_hub_has_listeners(hub));
    join(&listener, name);
    wait_listeners(true);
    leave(&listener);
    wait_listeners(false);
    um_hub_close(hub);
}

/* The overlay's connection is made by this process. */
Test(hub, a_connection_of_its_own_process_is_no_listener, .init = open_hub)
{
    struct listener listener;
    publish(session(7));
    join(&listener, name);
    cr_assert(next(&listener).as.session.pid == 7); /* the hub knows it from here on */
    cr_expect(!um_hub_has_listeners(hub));
    leave(&listener);
    um_hub_close(hub);
}

Test(hub, frames_reach_every_consumer_in_order, .init = open_hub)
{
    struct listener a;
    struct listener b;
    publish(session(7));
    join(&a, name);
    join(&b, name);
    cr_assert(next(&a).as.session.pid == 7); /* both are known to the hub from here on */
    cr_assert(next(&b).as.session.pid == 7);
    for (uint32_t i = 0; i < 100; i++)
        publish(beat(i));
    publish(status());
    for (uint32_t i = 0; i < 100; i++) {
        cr_assert(next(&a).as.beat.seq == i);
        cr_assert(next(&b).as.beat.seq == i);
    }
    cr_expect(next(&a).type == UM_WIRE_STATUS);
    cr_expect(next(&b).type == UM_WIRE_STATUS);
    um_hub_close(hub);
    cr_expect(next(&a).type == 0, "the connection ends with the hub");
    leave(&a);
    leave(&b);
}

Test(hub, late_consumer_is_told_what_holds, .init = open_hub)
{
    struct listener late;
    publish(session(7));
    publish(beat(1));
    publish(episode(1, UM_WIRE_EPISODE_BEGIN));
    publish(episode(1, UM_WIRE_EPISODE_END));
    publish(episode(2, UM_WIRE_EPISODE_BEGIN));
    publish(session(8));
    join(&late, name);
    cr_expect(next(&late).as.session.pid == 8);
    struct um_wire_frame open = next(&late);
    cr_expect(open.type == UM_WIRE_EPISODE && open.as.episode.id == 2);
    um_hub_close(hub);
    cr_expect(next(&late).type == 0);
    leave(&late);
}

static struct um_wire_frame counter(uint32_t number, const char *text)
{
    struct um_wire_frame frame = {.type = UM_WIRE_COUNTER, .as.counter.number = number};
    um_wire_set_text(frame.as.counter.name, sizeof frame.as.counter.name, text);
    return frame;
}

static struct um_wire_frame counter_value(uint32_t number)
{
    return (struct um_wire_frame){.type = UM_WIRE_COUNTER_VALUE, .as.counter_value.number = number};
}

/* All that there can be, which is many times what goes out at once, and before any value. */
Test(hub, late_consumer_is_told_of_each_counter, .init = open_hub)
{
    struct listener late;
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
    cr_expect(next(&late).as.session.pid == 7);
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
    um_hub_close(hub);
    leave(&late);
}

Test(hub, late_consumer_is_told_of_counters_that_are_not_the_first, .init = open_hub)
{
    struct listener late;
    publish(session(7));
    publish(counter(200, "x"));
    join(&late, name);
    cr_expect(next(&late).type == UM_WIRE_SESSION);
    cr_expect(next(&late).as.counter.number == 200);
    publish(status());
    cr_expect(next(&late).type == UM_WIRE_STATUS);
    um_hub_close(hub);
    leave(&late);
}

Test(hub, episode_that_is_over_is_not_told, .init = open_hub)
{
    struct listener late;
    publish(session(7));
    publish(episode(1, UM_WIRE_EPISODE_BEGIN));
    publish(episode(1, UM_WIRE_EPISODE_END));
    join(&late, name);
    cr_expect(next(&late).type == UM_WIRE_SESSION);
    um_hub_close(hub);
    cr_expect(next(&late).type == 0);
    leave(&late);
}

Test(hub, late_consumer_is_told_of_the_beats, .init = open_hub)
{
    struct um_wire_frame rung = {.type = UM_WIRE_RUNG, .as.rung.rung = UM_RUNG_PAIR};
    struct um_wire_frame anew = session(7);
    struct listener late;
    publish(session(7));
    publish(rung);
    join(&late, name);
    cr_expect(next(&late).type == UM_WIRE_SESSION);
    cr_expect(next(&late).as.rung.rung == UM_RUNG_PAIR);
    leave(&late);
    anew.flags = UM_WIRE_SESSION_ANEW;
    publish(anew);
    join(&late, name);
    cr_expect(next(&late).type == UM_WIRE_SESSION);
    um_hub_close(hub);
    cr_expect(next(&late).type == 0);
    leave(&late);
}

Test(hub, late_consumer_is_told_that_keys_are_delayed, .init = open_hub)
{
    struct um_wire_frame proving = {.type = UM_WIRE_PROVING, .as.proving.key_delay_us = 312};
    struct um_wire_frame anew = session(7);
    struct listener late;
    publish(session(7));
    publish(proving);
    join(&late, name);
    cr_expect(next(&late).type == UM_WIRE_SESSION);
    cr_expect(next(&late).as.proving.key_delay_us == 312);
    leave(&late);
    anew.flags = UM_WIRE_SESSION_ANEW;
    publish(anew);
    join(&late, name);
    cr_expect(next(&late).type == UM_WIRE_SESSION);
    um_hub_close(hub);
    cr_expect(next(&late).type == 0);
    leave(&late);
}

/* An overlay that is started again stays hidden, also after a replay has jumped. */
Test(hub, late_consumer_is_told_that_the_overlay_is_hidden, .init = open_hub)
{
    struct um_wire_frame view = {.type = UM_WIRE_VIEW, .as.view.hidden = 1};
    struct um_wire_frame anew = session(7);
    struct listener late;
    anew.flags = UM_WIRE_SESSION_ANEW;
    publish(session(7));
    publish(view);
    publish(anew);
    join(&late, name);
    cr_expect(next(&late).type == UM_WIRE_SESSION);
    struct um_wire_frame told = next(&late);
    cr_expect(told.type == UM_WIRE_VIEW && told.as.view.hidden == 1);
    leave(&late);
    um_hub_close(hub);
}

Test(hub, late_consumer_is_told_of_each_episode_that_lasts, .init = open_hub)
{
    struct um_wire_frame sleep = episode(2, UM_WIRE_EPISODE_BEGIN);
    struct um_wire_frame turned = episode(3, UM_WIRE_EPISODE_BEGIN);
    struct listener late;
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
    cr_expect(next(&late).type == UM_WIRE_SESSION);
    for (int i = 0; i < 2; i++) {
        struct um_wire_frame frame = next(&late);
        cr_assert(frame.type == UM_WIRE_EPISODE && frame.as.episode.id < 4);
        told[frame.as.episode.id] = true;
    }
    cr_expect(told[1] && told[2]);
    um_hub_close(hub);
    cr_expect(next(&late).type == 0);
    leave(&late);
}

Test(hub, what_a_jump_makes_void_is_not_told, .init = open_hub)
{
    struct um_wire_frame anew = session(8);
    struct listener late;

    anew.flags = UM_WIRE_SESSION_ANEW;
    publish(session(7));
    publish(episode(1, UM_WIRE_EPISODE_BEGIN));
    publish(anew);
    join(&late, name);
    cr_expect(next(&late).as.session.pid == 8);
    um_hub_close(hub);
    cr_expect(next(&late).type == 0);
    leave(&late);
}

/* Publishes beats, which are more than queue and pipe hold together (2.4 MB for 100,000). */
static void publish_beats(uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++)
        publish(beat(i));
}

Test(hub, slow_consumer_is_kept_loses_the_oldest_and_is_told_how_many, .init = open_hub)
{
    const uint32_t published = 100000;
    struct listener slow;
    struct um_wire_frame frame;
    uint32_t received = 0, last = 0, told = 0;
    uint64_t lost = 0;

    publish(session(7));
    join(&slow, name);
    cr_assert(next(&slow).type == UM_WIRE_SESSION);
    publish_beats(1, published);
    publish(status()); /* with which the last of them are sent */
    while ((frame = next(&slow)).type != UM_WIRE_STATUS) {
        if (frame.type == UM_WIRE_LOST) {
            told++;
            lost += frame.as.lost.frames;
            cr_assert(next(&slow).type == UM_WIRE_SESSION, "what holds follows");
            continue;
        }
        cr_assert(frame.type == UM_WIRE_BEAT && frame.as.beat.seq > last);
        cr_assert(frame.as.beat.seq == received + lost + 1, "what is missing was told");
        last = frame.as.beat.seq;
        received++;
    }
    cr_expect(last == published);
    cr_expect(told > 0 && lost > 0 && received + lost == published, "%u came, %lu were lost",
              received, (unsigned long)lost);
    um_hub_close(hub);
    cr_expect(next(&slow).type == 0);
    leave(&slow);
}

Test(hub, others_notice_nothing_of_one_that_reads_nothing, .init = open_hub)
{
    struct listener stalled, reader;
    struct um_wire_frame frame;

    publish(session(7));
    join(&stalled, name);
    join(&reader, name);
    cr_assert(next(&stalled).type == UM_WIRE_SESSION);
    cr_assert(next(&reader).type == UM_WIRE_SESSION);
    for (uint32_t seq = 1; seq <= 50000; seq += 100) {
        publish_beats(seq, seq + 99);
        publish(status());
        for (uint32_t i = seq; i < seq + 100; i++)
            cr_assert(next(&reader).as.beat.seq == i);
        cr_assert(next(&reader).type == UM_WIRE_STATUS);
    }
    um_hub_close(hub);
    cr_expect(next(&reader).type == 0);
    do
        frame = next(&stalled); /* what lay in its pipe when the hub gave it up */
    while (frame.type);
    leave(&stalled);
    leave(&reader);
}

static _Atomic int gate_closed, at_gate;

/* A write that does not return while the gate is closed, as to a consumer that reads nothing. */
static enum um_status write_through_gate(struct um_conn *conn, const void *buf, size_t len_bytes,
                                         uint32_t timeout_ms)
{
    while (atomic_load(&gate_closed)) {
        atomic_store(&at_gate, 1);
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
    }
    return um_transport_memory()->write(conn, buf, len_bytes, timeout_ms);
}

static void open_gated_hub(void)
{
    static struct um_transport gated;
    gated = *um_transport_memory();
    gated.write = write_through_gate;
    cr_assert(um_hub_open(&gated, &hub, name) == UM_OK);
}

/* From its return on what is published stays in the queue, behind a STATUS. */
static void close_gate(void)
{
    atomic_store(&gate_closed, 1);
    publish(status());
    while (!atomic_load(&at_gate))
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
}

/* Of an episode whose end was lost it is told that it lasts no longer, by leaving it out. */
Test(hub, what_holds_after_a_loss_is_told_anew, .init = open_gated_hub)
{
    struct listener slow;
    struct um_wire_frame frame, sleep = episode(3, UM_WIRE_EPISODE_BEGIN);
    struct um_wire_frame early = status(), late = status();

    early.as.status.time_ns = 1;
    late.as.status.time_ns = 2;
    sleep.as.episode.state = UM_STATE_SUSPENDED;
    publish(session(7));
    publish(episode(1, UM_WIRE_EPISODE_BEGIN));
    join(&slow, name);
    cr_assert(next(&slow).type == UM_WIRE_SESSION);
    cr_assert(next(&slow).as.episode.id == 1);
    close_gate();
    publish(episode(1, UM_WIRE_EPISODE_END));
    publish(session(8));
    publish(sleep);
    publish(counter(0, "cpu-usage"));
    publish(early);
    publish_beats(1, 6000); /* they push out the others */
    sleep.flags = UM_WIRE_EPISODE_END;
    publish(sleep);
    publish(late);
    atomic_store(&gate_closed, 0);
    cr_expect(next(&slow).type == UM_WIRE_STATUS);
    cr_assert(next(&slow).type == UM_WIRE_LOST);
    cr_expect(next(&slow).as.session.pid == 8);
    frame = next(&slow);
    cr_expect(frame.type == UM_WIRE_EPISODE && frame.as.episode.id == 3);
    cr_expect(frame.flags == UM_WIRE_EPISODE_BEGIN);
    frame = next(&slow);
    cr_expect(frame.type == UM_WIRE_STATUS && frame.as.status.time_ns == 1);
    cr_expect(next(&slow).type == UM_WIRE_COUNTER);
    do
        frame = next(&slow);
    while (frame.type == UM_WIRE_BEAT);
    cr_expect(frame.type == UM_WIRE_EPISODE && frame.flags == UM_WIRE_EPISODE_END);
    cr_expect(next(&slow).as.status.time_ns == 2);
    um_hub_close(hub);
    leave(&slow);
}

/* One that comes while another one is behind begins with the present. */
Test(hub, late_consumer_gets_nothing_of_what_another_has_not_read, .init = open_hub)
{
    struct listener stalled, late;
    publish(session(7));
    join(&stalled, name);
    cr_assert(next(&stalled).type == UM_WIRE_SESSION);
    publish_beats(1, 50000);
    publish(session(8));
    join(&late, name);
    cr_expect(next(&late).as.session.pid == 8);
    publish(beat(50001));
    publish(status());
    cr_expect(next(&late).as.beat.seq == 50001);
    leave(&late);
    leave(&stalled);
    um_hub_close(hub);
}

/* All get all of it; only one more is turned away. */
static void serve_many(const struct um_transport *transport)
{
    static struct listener crowd[UM_HUB_MAX_CONSUMERS];
    struct listener beyond;

    cr_assert(um_hub_open(transport, &hub, name) == UM_OK);
    publish(session(7));
    for (int i = 0; i < UM_HUB_MAX_CONSUMERS; i++) {
        join_by(transport, &crowd[i], name);
        cr_assert(next(&crowd[i]).type == UM_WIRE_SESSION, "consumer %d", i);
    }
    join_by(transport, &beyond, name);
    cr_expect(next(&beyond).type == 0, "there is no more place");
    leave(&beyond);
    for (uint32_t seq = 1; seq <= 10; seq++)
        publish(beat(seq));
    publish(status());
    for (int i = 0; i < UM_HUB_MAX_CONSUMERS; i++) {
        for (uint32_t seq = 1; seq <= 10; seq++)
            cr_assert(next(&crowd[i]).as.beat.seq == seq);
        cr_assert(next(&crowd[i]).type == UM_WIRE_STATUS);
    }
    um_hub_close(hub);
    for (int i = 0; i < UM_HUB_MAX_CONSUMERS; i++) {
        cr_assert(next(&crowd[i]).type == 0);
        leave(&crowd[i]);
    }
}

Test(hub, serves_as_many_as_there_are_places)
{
    cr_assert(UM_HUB_MAX_CONSUMERS > 64);
    serve_many(um_transport_memory());
}

Test(hub, serves_as_many_over_the_systems_pipes)
{
    serve_many(um_transport_system());
}

Test(hub, consumer_that_leaves_is_forgotten, .init = open_hub)
{
    publish(session(7));
    for (int i = 0; i < 3 * UM_HUB_MAX_CONSUMERS; i++) {
        struct listener guest;
        join(&guest, name);
        cr_assert(next(&guest).type == UM_WIRE_SESSION);
        leave(&guest);
        publish(status());
    }
    um_hub_close(hub);
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
    cr_assert(um_hub_open(&counting, &hub, name) == UM_OK);
}

Test(hub, beats_and_gaps_wait_for_the_next_status, .init = open_counting_hub)
{
    struct um_wire_frame gap = {.type = UM_WIRE_GAP};
    struct um_wire_frame activity = {.type = UM_WIRE_ACTIVITY};
    struct listener listener;
    publish(session(7));
    join(&listener, name);
    cr_assert(next(&listener).type == UM_WIRE_SESSION);
    int before = atomic_load(&writes);
    for (uint32_t i = 0; i < 10; i++) {
        publish(beat(i));
        publish(gap);
        publish(activity);
    }
    publish(status());
    for (uint32_t i = 0; i < 10; i++) {
        cr_expect(next(&listener).as.beat.seq == i);
        cr_expect(next(&listener).type == UM_WIRE_GAP);
        cr_expect(next(&listener).type == UM_WIRE_ACTIVITY);
    }
    cr_expect(next(&listener).type == UM_WIRE_STATUS);
    cr_expect(atomic_load(&writes) == before + 1, "%d writes", atomic_load(&writes) - before);
    um_hub_close(hub);
    leave(&listener);
}

Test(hub, beats_are_sent_without_a_status_when_the_queue_is_half_full, .init = open_hub)
{
    struct listener listener;
    publish(session(7));
    join(&listener, name);
    cr_assert(next(&listener).type == UM_WIRE_SESSION);
    for (uint32_t i = 0; i < 64 * 1024 / 24 + 1; i++)
        publish(beat(i));
    cr_expect(next(&listener).as.beat.seq == 0);
    um_hub_close(hub);
    leave(&listener);
}

Test(hub, beats_that_wait_are_sent_before_the_end, .init = open_hub)
{
    struct listener listener;
    publish(session(7));
    join(&listener, name);
    cr_assert(next(&listener).type == UM_WIRE_SESSION);
    publish(beat(1));
    um_hub_close(hub);
    cr_expect(next(&listener).as.beat.seq == 1);
    cr_expect(next(&listener).type == 0);
    leave(&listener);
}

Test(hub, nothing_is_encoded_while_nobody_listens, .init = open_hub)
{
    struct um_wire_frame frame = session(7);
    struct um_feed_item item = {.frame = &frame};
    struct um_feed_output output = um_hub_output(hub);
    struct listener late;

    output.take(output.context, &item);
    cr_expect(item.len_bytes == 0);
    join(&late, name);
    cr_expect(next(&late).as.session.pid == 7, "what holds is known all the same");
    output.take(output.context, &item);
    cr_expect(item.len_bytes > 0);
    um_hub_close(hub);
    leave(&late);
}

Test(hub, closing_without_consumers_ends)
{
    open_hub();
    um_hub_close(hub);
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
    struct um_transport failing = *um_transport_memory();
    struct listener guest;

    failing.accept = accept_later;
    failures = 2;
    cr_assert(um_hub_open(&failing, &hub, name) == UM_OK);
    publish(session(7));
    join(&guest, name);
    cr_expect(next(&guest).as.session.pid == 7);
    um_hub_close(hub);
    leave(&guest);
}
