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

#define TOO_LONG(sha)                                                                              \
    "-ERR Script ran longer than script-time-limit script: " sha ", on @user_script:1.\r\n"
#define HOSTILE "a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b"

struct row {
    const char *what;
    const char *begin, *repeat; /* is sent once, and so often */
    int times;
    const char *end, *last; /* is sent then, and this is the last reply */
    bool closes;
};

/* Sends it all, and reads until the last reply has come. */
static void reach(struct client *c, const struct row *row)
{
    struct buf text = {0}, reply = {0};
    buf_put(&text, bytes_of(row->begin));
    for (int i = 0; i < row->times; i++)
        buf_put(&text, bytes_of(row->repeat));
    buf_put(&text, bytes_of(row->end));
    client_send(c, buf_bytes(&text)); /* the server may have hung up by the end of it */
    do {
        buf_clear(&reply);
        assert_int_equal(client_read(c, TALK_MS, &reply), CLIENT_REPLY);
    } while (!bytes_eq(buf_bytes(&reply), bytes_of(row->last)));
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
        {"the line of a count", "*", "11111111", 9000, "",
         "-ERR Protocol error: too big mbulk count string\r\n", true},
        {"the line of a length", "*1\r\n$", "11111111", 9000, "",
         "-ERR Protocol error: too big bulk count string\r\n", true},
        {"a client's name", "CLIENT SETNAME ", "x", 1025, "\r\n",
         "-ERR Client names cannot be longer than 1024 bytes.\r\n", false},
        {"a pattern's steps", "SET ", "a", 1000, " v\r\nKEYS " HOSTILE "\r\n", "*0\r\n", false},
        {"a pattern's steps in SCAN", "SET ", "a", 1000, " v\r\nSCAN 0 MATCH " HOSTILE "\r\n",
         "*2\r\n$1\r\n0\r\n*0\r\n", false},
        {"queued commands", "MULTI\r\n", "SET k 0123456789012345678901234567890123456789\r\n",
         20000, "", "-OOM command not allowed when used memory > 'maxmemory'.\r\n", false},
        {"a script's memory", "EVAL \"local t = {} while true do t[#t+1] = {} end\" 0\r\n", "", 0,
         "",
         "-ERR Error running script 9ecb588e21b1b9444b94e69b9469456971177bc8, not enough "
         "memory\r\n",
         false},
        {"a script's length", "*3\r\n$4\r\nEVAL\r\n$104000\r\n", "return 1", 104000 / 8,
         "\r\n$1\r\n0\r\n",
         "-ERR Error compiling script (new function): longer than 102400 bytes\r\n", false},
        {"a script's time", "EVAL \"while true do end\" 0\r\n", "", 0, "",
         TOO_LONG("694a5fe1ddb97a4c6a1bf299d9537c7d3d0f84e7"), false},
        {"a pattern's steps in a script",
         "EVAL \"return string.find(string.rep('a', 9999), string.rep('.-', 99)..'b')\" 0\r\n", "",
         0, "", TOO_LONG("500b1c638c18b94ba9fbf3b0e91e800ae988e347"), false},
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
        print_message("# %s\n", rows[i].what);
        reach(&c, &rows[i]);
        assert_int_equal(rows[i].closes, client_closed(&c, rows[i].closes ? TALK_MS : 0));
        ask(&other, "PING", "+PONG\r\n");
        client_close(&c);
    }
    client_close(&other);
    stop(&l);
}
