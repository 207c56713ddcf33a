/* A command with so many arguments that there is no memory for them. */
#include "resp/parser.h"
#include "tests/faults/failing.h"
#include "tests/lib/test.h"

enum { ARGS = 5000 };

static const struct parser_limits limits = {.args = 1 << 20, .bulk = 1 << 20, .line = 65536};

/* The room for an unusual command is given back with the next one, if that can be done. */
TEST(parser, the_next_command_needs_no_memory)
{
    struct parser p;
    struct buf in = {0};
    size_t used = 0;
    parser_init(&p);
    for (int i = 0; i < ARGS; i++)
        buf_printf(&in, "x ");
    buf_printf(&in, "\n");
    assert_int_equal(parser_next(&p, &limits, buf_bytes(&in), &used), PARSE_OK);
    assert_int_equal(p.argc, ARGS);
    for (int at = 0; at < 2; at++) {
        failing_arm(at);
        assert_int_equal(parser_next(&p, &limits, BYTES("*1\r\n$4\r\nPING\r\n"), &used), PARSE_OK);
        failing_disarm();
        assert_true(bytes_eq(p.argv[0], BYTES("PING")));
    }
    parser_free(&p);
    buf_free(&in);
}

TEST(parser, arguments_without_memory_are_a_protocol_error)
{
    struct buf in = {0};
    buf_printf(&in, "*%d\r\n", ARGS);
    for (int i = 0; i < ARGS; i++)
        buf_printf(&in, "$1\r\nx\r\n");
    bool failed = true;
    for (int at = 0; failed; at++) {
        struct parser p;
        size_t used = 0;
        parser_init(&p);
        failing_arm(at);
        enum parse_result r = parser_next(&p, &limits, buf_bytes(&in), &used);
        failed = failing_disarm();
        assert_int_equal(r, failed ? PARSE_BAD : PARSE_OK);
        assert_int_equal(p.argc, failed ? 0 : ARGS);
        if (failed)
            assert_string_equal(p.error, "Protocol error: out of memory for the arguments");
        assert_true(at > 0 || failed);
        parser_free(&p);
    }
    buf_free(&in);
}
