#include <string.h>

#include <criterion/criterion.h>

#include "monitor/dotnet/eventpipe.h"

static uint8_t buf[UM_EVENTPIPE_START_BYTES];
static size_t len;

/* Written by hand from the description of the protocol. */
Test(eventpipe, question_is_the_one_written_by_hand)
{
    static const uint8_t wanted[] =
        "DOTNET_IPC_V1\0\x75\0\x02\x03\0\0"          /* 117 bytes, tracing, CollectTracing2 */
        "\x10\0\0\0\x01\0\0\0\0\x01\0\0\0"           /* 16 MB, nettrace, no rundown, 1 provider */
        "\x08\x07\x06\x05\x04\x03\x02\x01\x04\0\0\0" /* keywords, level */
        "\x04\0\0\0A\0.\0b\0\0\0"                    /* its name */
        "\x1c\0\0\0E\0v\0e\0n\0t\0C\0o\0u\0n\0t\0e\0r\0I\0n\0t\0e\0r\0v\0a\0l\0S\0e\0c\0=\0"
        "0\0.\0005\0\0";
    struct um_eventpipe_provider provider = {
        .name = "A.b", .keywords = 0x0102030405060708, .level = 4};
    cr_assert_eq(um_eventpipe_start(&provider, 1, 0.5, buf, sizeof buf, &len), UM_OK);
    cr_assert_eq(len, sizeof wanted, "%zu of %zu", len, sizeof wanted);
    cr_expect_arr_eq(buf, wanted, sizeof wanted);
}

Test(eventpipe, question_that_cannot_be_asked_is_refused)
{
    struct um_eventpipe_provider named[] = {{.name = ""}, {.name = "a b"}, {.name = "\xc3\xbc"}};
    struct um_eventpipe_provider good = {.name = "A"};
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(um_eventpipe_start(&named[i], 1, 1, buf, sizeof buf, &len), UM_ERR_ARG);
    cr_expect_eq(um_eventpipe_start(&good, 0, 1, buf, sizeof buf, &len), UM_ERR_ARG);
    cr_assert_eq(um_eventpipe_start(&good, 1, 1, buf, sizeof buf, &len), UM_OK);
    size_t again;
    cr_expect(um_eventpipe_start(&good, 1, 1, buf, len, &again) == UM_OK && again == len);
    cr_expect_eq(um_eventpipe_start(&good, 1, 1, buf, len - 1, &again), UM_ERR_TOO_LARGE);
}

Test(eventpipe, a_provider_may_have_arguments_of_its_own)
{
    static const char wanted[] = "A\0=\0b\0\0";
    const struct um_eventpipe_provider provider = {.name = "A", .arguments = "A=b"};
    cr_assert_eq(um_eventpipe_start(&provider, 1, 0.5, buf, sizeof buf, &len), UM_OK);
    cr_expect_arr_eq(buf + len - sizeof wanted, wanted, sizeof wanted);
}

/* Written by hand from the description of the protocol. */
Test(eventpipe, what_a_runtime_says_of_itself_has_its_process)
{
    uint8_t said[UM_EVENTPIPE_ADVERTISED_BYTES + 1] = "ADVR_V1\0"
                                                      "cookiecookiecook"
                                                      "\x08\x07\x06\x05\x04\x03\x02\x01\0";
    uint64_t pid = 7;
    for (size_t have = 0; have < UM_EVENTPIPE_ADVERTISED_BYTES; have++)
        cr_expect_eq(um_eventpipe_advertised(said, have, &pid), UM_ERR_PARTIAL);
    cr_assert_eq(um_eventpipe_advertised(said, UM_EVENTPIPE_ADVERTISED_BYTES, &pid), UM_OK);
    cr_expect_eq(pid, 0x0102030405060708);
    for (size_t at = 0; at < 8; at++) {
        said[at] ^= 1;
        cr_expect_eq(um_eventpipe_advertised(said, at + 1, &pid), UM_ERR_FORMAT, "%zu", at);
        said[at] ^= 1;
    }
}

Test(eventpipe, answer_has_the_session)
{
    uint8_t answer[UM_EVENTPIPE_ANSWER_BYTES] =
        "DOTNET_IPC_V1\0\x1c\0\xff\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01";
    uint64_t session = 0;
    for (size_t have = 0; have < sizeof answer; have++)
        cr_expect_eq(um_eventpipe_answer(answer, have, &session), UM_ERR_PARTIAL);
    cr_assert_eq(um_eventpipe_answer(answer, sizeof answer, &session), UM_OK);
    cr_expect_eq(session, 0x0102030405060708);
}

Test(eventpipe, other_answers_are_refused)
{
    static const uint8_t no[] = "DOTNET_IPC_V1\0\x18\0\xff\xff\0\0\x84\x13\x13\x80";
    static const uint8_t other[] = "DOTNET_IPC_V2\0\x1c\0\xff\0\0\0\1\0\0\0\0\0\0\0";
    static const uint8_t shorter[] = "DOTNET_IPC_V1\0\x18\0\xff\0\0\0\1\0\0\0\0\0\0\0";
    uint64_t session = 0;
    cr_expect_eq(um_eventpipe_answer(no, 24, &session), UM_ERR_DENIED);
    cr_expect_eq(um_eventpipe_answer(other, 28, &session), UM_ERR_FORMAT);
    cr_expect_eq(um_eventpipe_answer(shorter, 28, &session), UM_ERR_FORMAT);
}

Test(eventpipe, request_to_stop_has_the_session)
{
    static const uint8_t wanted[] =
        "DOTNET_IPC_V1\0\x1c\0\x02\x01\0\0\x08\x07\x06\x05\x04\x03\x02\x01";
    um_eventpipe_stop(0x0102030405060708, buf);
    cr_expect_arr_eq(buf, wanted, UM_EVENTPIPE_STOP_BYTES);
}
