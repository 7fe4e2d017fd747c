#include <stdatomic.h>
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

static void join(struct listener *listener, const char *name)
{
    listener->transport = um_transport_memory();
    um_frame_reader_init(&listener->reader, listener->bytes, sizeof listener->bytes);
    cr_assert(listener->transport->connect(name, WAIT_MS, &listener->conn) == UM_OK);
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

static uint64_t count_lost(void)
{
    struct um_feed_output output = um_hub_output(hub);
    return output.lost(output.context);
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

Test(hub, slow_consumer_loses_the_oldest_and_the_loss_is_counted, .init = open_hub)
{
    const uint32_t published = 100000;
    struct listener slow;
    uint32_t received = 0;
    uint32_t last = 0;

    publish(session(7));
    join(&slow, name);
    cr_assert(next(&slow).type == UM_WIRE_SESSION);
    for (uint32_t i = 1; i <= published; i++)
        publish(beat(i)); /* 2.4 MB: more than queue and pipe hold together */
    publish(session(7));  /* with which the last of them are sent */
    uint64_t lost = count_lost();
    cr_assert(lost > 0 && lost < published);
    while (last != published) {
        struct um_wire_frame frame = next(&slow);
        cr_assert(frame.type == UM_WIRE_BEAT && frame.as.beat.seq > last);
        last = frame.as.beat.seq;
        received++;
    }
    cr_expect(received + count_lost() == published, "%u came, %lu were lost", received,
              (unsigned long)count_lost());
    um_hub_close(hub);
    leave(&slow);
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
    struct listener listener;
    publish(session(7));
    join(&listener, name);
    cr_assert(next(&listener).type == UM_WIRE_SESSION);
    int before = atomic_load(&writes);
    for (uint32_t i = 0; i < 10; i++) {
        publish(beat(i));
        publish(gap);
    }
    publish(status());
    for (uint32_t i = 0; i < 10; i++) {
        cr_expect(next(&listener).as.beat.seq == i);
        cr_expect(next(&listener).type == UM_WIRE_GAP);
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
