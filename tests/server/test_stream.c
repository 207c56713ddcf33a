/* Bytes in, bytes out: however they are cut, however many there are. */
#include "tests/lib/talk.h"

#include "base/mem.h"

#include <sys/socket.h>
#include <unistd.h>

TEST(stream, answers_a_pipeline_of_a_hundred_thousand_commands_in_order)
{
    enum { N = 100000 };
    struct launched l = start(NULL);
    struct client c = dial(&l);
    struct buf out = {0}, expected = {0}, got = {0};
    for (int i = 0; i < N; i++) {
        buf_printf(&out, "*2\r\n$4\r\nECHO\r\n$6\r\n%06d\r\n", i);
        buf_printf(&expected, "$6\r\n%06d\r\n", i);
    }
    assert_true(client_send(&c, buf_bytes(&out)));
    for (int i = 0; i < N; i++)
        assert_int_equal(client_read(&c, TALK_MS, &got), CLIENT_REPLY);
    assert_true(bytes_eq(buf_bytes(&got), buf_bytes(&expected)));
    buf_free(&out);
    buf_free(&expected);
    buf_free(&got);
    client_close(&c);
    stop(&l);
}

TEST(stream, reads_a_command_that_comes_byte_by_byte)
{
    struct launched l = start(NULL);
    struct client c = dial(&l);
    static const char text[] =
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nhello\r\nGET k\r\n*1\r\n$4\r\nPING\r\n";
    for (size_t i = 0; i < sizeof text - 1; i++)
        assert_true(client_send(&c, (struct bytes){text + i, 1}));
    hears(&c, "+OK\r\n");
    hears(&c, "$5\r\nhello\r\n");
    hears(&c, "+PONG\r\n");
    client_close(&c);
    stop(&l);
}

TEST(stream, a_command_cut_anywhere_is_the_same_command)
{
    struct launched l = start(NULL);
    struct client c = dial(&l);
    static const char text[] = "*2\r\n$4\r\nECHO\r\n$3\r\nabc\r\n*1\r\n$4\r\nPING\r\n";
    for (size_t cut = 1; cut < sizeof text - 1; cut++) {
        assert_true(client_send(&c, (struct bytes){text, cut}));
        assert_true(client_send(&c, (struct bytes){text + cut, sizeof text - 1 - cut}));
        hears(&c, "$3\r\nabc\r\n");
        hears(&c, "+PONG\r\n");
    }
    client_close(&c);
    stop(&l);
}

static void store_and_fetch(struct client *c, size_t size)
{
    char *value = mem_alloc(size);
    for (size_t i = 0; i < size; i += 4096)
        value[i] = (char)('a' + i / 4096 % 26);
    struct bytes set[] = {BYTES("SET"), BYTES("big"), {value, size}};
    assert_true(client_command(c, set, 3));
    hears(c, "+OK\r\n");
    struct buf got = {0}, header = {0};
    assert_true(client_say(c, "GET big"));
    assert_int_equal(client_read(c, TALK_MS, &got), CLIENT_REPLY);
    buf_printf(&header, "$%zu\r\n", size);
    size_t head = buf_len(&header);
    assert_int_equal(buf_len(&got), head + size + 2);
    assert_memory_equal(got.p + head, value, size);
    buf_free(&got);
    buf_free(&header);
    mem_free(value);
}

TEST(stream, carries_values_of_any_size)
{
    struct launched l = start(NULL);
    struct client c = dial(&l);
    store_and_fetch(&c, 100);
    store_and_fetch(&c, 65535);
    store_and_fetch(&c, 65536);
    store_and_fetch(&c, 1 << 20);
    store_and_fetch(&c, 100 << 20);
    ask(&c, "PING", "+PONG\r\n");
    client_close(&c);
    stop(&l);
}

TEST(stream, a_protocol_error_is_told_after_the_answers_before_it)
{
    struct launched l = start(NULL);
    struct client c = dial(&l);
    struct buf out = {0};
    buf_put(&out, BYTES("PING\r\n*1\r\n:4\r\n"));
    for (int i = 0; i < 100000; i++)
        buf_put(&out, BYTES("never read by anybody "));
    /* The server may stop listening at any time; what it said must still arrive. */
    client_send(&c, buf_bytes(&out));
    hears(&c, "+PONG\r\n");
    hears(&c, "-ERR Protocol error: expected '$', got ':'\r\n");
    assert_true(client_closed(&c, TALK_MS));
    buf_free(&out);
    client_close(&c);
    stop(&l);
}

TEST(stream, a_client_that_stops_sending_still_gets_every_reply)
{
    enum { N = 5000 };
    struct launched l = start(NULL);
    struct client c = dial(&l);
    struct buf value = {0}, got = {0};
    for (int i = 0; i < 2000; i++)
        buf_putc(&value, 'v');
    struct bytes set[] = {BYTES("SET"), BYTES("k"), buf_bytes(&value)};
    assert_true(client_command(&c, set, 3));
    hears(&c, "+OK\r\n");
    for (int i = 0; i < N; i++)
        says(&c, "GET k\r\n");
    client_half_close(&c);
    for (int i = 0; i < N; i++)
        assert_int_equal(client_read(&c, TALK_MS, &got), CLIENT_REPLY);
    assert_true(client_closed(&c, TALK_MS));
    buf_free(&value);
    buf_free(&got);
    client_close(&c);
    stop(&l);
}

TEST(stream, quit_answers_what_came_before_it_and_nothing_after)
{
    struct launched l = start(NULL);
    struct client c = dial(&l);
    says(&c, "PING\r\nQUIT\r\nPING\r\n");
    hears(&c, "+PONG\r\n");
    hears(&c, "+OK\r\n");
    assert_true(client_closed(&c, TALK_MS));
    client_close(&c);
    stop(&l);
}

/* Closing with a zero linger time sends a reset. */
static void reset(struct client *c)
{
    struct linger now = {.l_onoff = 1};
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    client_close(c);
}

TEST(stream, survives_clients_that_leave_in_the_middle_of_anything)
{
    static const char *const phases[] = {
        "",         "*",      "*2\r\n$4\r\nEC", "PING\r\n", "*2\r\n$3\r\nGET\r\n$90000\r\nabc",
        "QUIT\r\n", "*1\r\n:"};
    struct launched l = start(NULL);
    struct client other = dial(&l);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        struct client c = dial(&l), d = dial(&l);
        says(&c, phases[i]);
        says(&d, phases[i]);
        client_close(&c);
        reset(&d);
        ask(&other, "PING", "+PONG\r\n");
    }
    client_close(&other);
    stop(&l);
}
