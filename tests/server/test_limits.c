/* Limits as a client of the real program meets them: each is reached, the right words are said, and
 * somebody else does not notice. What needs much memory, a wait or a crowd is tried on time that is
 * a number, in tests/unit/net. */
#include "tests/lib/talk.h"

#include <stdio.h>

static const char *const FLAGS[] = {
    "--client-query-buffer-limit",
    "1mb",
    "--proto-max-bulk-len",
    "1mb",
    "--script-memory-limit",
    "2mb",
    "--script-size-limit",
    "100kb",
    "--script-time-limit",
    "700",
    "--busy-reply-threshold",
    "50",
    "--maxmemory",
    "8mb",
    "--maxclients",
    "20",
    NULL,
};

struct row {
    const char *what;
    const char *begin, *repeat; /* is sent once, and so often */
    int times;
    const char *end, *last; /* is sent then, and this begins the last reply */
    bool closes;
};

/* Sends it all, and reads to the end or for as long as replies come. The last one is in `last`. */
static void reach(struct client *c, const struct row *row, struct buf *last)
{
    struct buf text = {0}, reply = {0};
    buf_put(&text, bytes_of(row->begin));
    for (int i = 0; i < row->times; i++)
        buf_put(&text, bytes_of(row->repeat));
    buf_put(&text, bytes_of(row->end));
    client_send(c, buf_bytes(&text)); /* the server may have hung up by the end of it */
    while (!buf_len(last) || strncmp(last->p, row->last, strlen(row->last)) != 0) {
        assert_int_equal(client_read(c, TALK_MS, &reply), CLIENT_REPLY);
        buf_putc(&reply, '\0');
        buf_clear(last);
        buf_put(last, buf_bytes(&reply));
        buf_clear(&reply);
    }
    buf_free(&text);
    buf_free(&reply);
}

TEST(limits, are_reached_and_told_and_others_do_not_notice)
{
    static const struct row rows[] = {
        {"arguments", "*1048577\r\n", "", 0, "",
         "-ERR Protocol error: invalid multibulk length\r\n", true},
        {"an argument's size", "*1\r\n$1048577\r\n", "", 0, "",
         "-ERR Protocol error: invalid bulk length\r\n", true},
        {"a line's length", "", "xxxxxxxx", 9000, "",
         "-ERR Protocol error: too big inline request\r\n", true},
        {"queued commands", "MULTI\r\n", "SET k 0123456789012345678901234567890123456789\r\n",
         20000, "", "-OOM command not allowed when used memory > 'maxmemory'.\r\n", false},
        {"a script's memory", "EVAL \"local t = {} while true do t[#t+1] = {} end\" 0\r\n", "", 0,
         "", "-ERR Error running script ", false},
        {"a script's length", "*3\r\n$4\r\nEVAL\r\n$104000\r\n", "return 1", 104000 / 8,
         "\r\n$1\r\n0\r\n", "-ERR ", false},
        {"a script's time", "EVAL \"while true do end\" 0\r\n", "", 0, "",
         "-ERR Script ran longer than script-time-limit", false},
        {"a pattern's steps in a script",
         "EVAL \"return string.find(string.rep('a', 9999), string.rep('.-', 99)..'b')\" 0\r\n", "",
         0, "", "-ERR Script ran longer than script-time-limit", false},
        {"keys", "",
         "EVAL \"for i=1,100 do redis.call('set', 'key:'..redis.call('incr','n'), string.rep('x',"
         "1000)) end\" 0\r\n",
         100, "SET one more\r\n", "-OOM command not allowed when used memory > 'maxmemory'.\r\n",
         false},
    };
    struct launched l = start(FLAGS);
    struct client other = dial(&l);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct client c = dial(&l);
        struct buf last = {0};
        print_message("# %s\n", rows[i].what);
        reach(&c, &rows[i], &last);
        assert_int_equal(rows[i].closes, client_closed(&c, rows[i].closes ? TALK_MS : 0));
        ask(&other, "PING", "+PONG\r\n");
        buf_free(&last);
        client_close(&c);
    }
    client_close(&other);
    stop(&l);
}

TEST(limits, hostile_patterns_cost_little)
{
    struct launched l = start(FLAGS);
    struct client c = dial(&l);
    struct buf line = {0};
    buf_printf(&line, "SET %01000d v", 0);
    for (char *p = line.p + 4; *p == '0'; p++)
        *p = 'a';
    buf_putc(&line, '\0');
    ask(&c, line.p, "+OK\r\n");
    ask(&c, "KEYS a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", "*0\r\n");
    ask(&c, "SCAN 0 MATCH a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", "*2\r\n$1\r\n0\r\n*0\r\n");
    buf_free(&line);
    client_close(&c);
    stop(&l);
}
