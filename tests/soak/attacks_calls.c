/* Attacks by what the server executes: long transactions, scripts, argument lists and patterns. */
#include "tests/soak/front.h"

#include <poll.h>
#include <stdio.h>

enum { BATCH = 1000, ARGUMENTS = 1000000, PATTERNS = 1000 };

static void huge_multi(struct front *f)
{
    struct client c = front_dial(f);
    struct buf batch = {0};
    size_t queued = 0;
    front_say(&c, "MULTI");
    for (int i = 0; i < BATCH; i++)
        buf_printf(&batch, "SET key:%d %0500d\r\n", i, i);
    bool there = true;
    for (double end = front_now_ms() + FRONT_FLOOD_MS;
         there && front_now_ms() < end && queued < 4 * f->scale;) {
        there = client_send(&c, buf_bytes(&batch)) && front_skip(&c, BATCH);
        queued += BATCH;
    }
    double from = front_now_ms();
    char first = 0;
    if (!there || !front_stuff(&c, BYTES("EXEC\r\n")) || !front_byte(&c, &first))
        front_tell(f, "closed after %zu", queued);
    else if (first == '*')
        front_tell(f, "%zu queued, EXEC took %.0f ms", queued, front_now_ms() - from);
    else
        front_tell(f, "%zu sent, EXEC refused", queued);
    buf_free(&batch);
    client_close(&c);
}

static void endless_script(struct front *f)
{
    struct client c = front_dial(f), other = front_dial(f);
    front_say(&other, "CONFIG SET busy-reply-threshold 200");
    client_say(&c, "EVAL \"while true do end\" 0");
    poll(NULL, 0, FRONT_FLOOD_MS / 2);
    front_ask(f, &other, "SCRIPT KILL");
    front_skip(&c, 1);
    client_close(&c);
    client_close(&other);
}

static void many_arguments(struct front *f)
{
    struct client c = front_dial(f);
    struct buf words = {0};
    buf_printf(&words, "*%d\r\n$3\r\nDEL\r\n", ARGUMENTS + 1);
    for (int i = 0; i < ARGUMENTS; i++)
        buf_printf(&words, "$8\r\nk%07d\r\n", i);
    double from = front_now_ms();
    bool there = client_send(&c, buf_bytes(&words)) && front_skip(&c, 1);
    front_tell(f, there ? "answered after %.0f ms" : "closed after %.0f ms", front_now_ms() - from);
    buf_free(&words);
    client_close(&c);
}

/* A count of arguments that never come. */
static void promised_arguments(struct front *f)
{
    struct client crowd[FRONT_CROWD];
    int closed = 0;
    for (int i = 0; i < FRONT_CROWD; i++) {
        crowd[i] = front_dial(f);
        front_stuff(&crowd[i], BYTES("*1000000\r\n$3\r\nDEL\r\n"));
    }
    poll(NULL, 0, FRONT_FLOOD_MS / 3);
    for (int i = 0; i < FRONT_CROWD; i++) {
        closed += front_closed(&crowd[i]);
        client_close(&crowd[i]);
    }
    front_tell(f, "%d of %d closed", closed, FRONT_CROWD);
}

static void hostile_patterns(struct front *f)
{
    struct client c = front_dial(f), other = front_dial(f);
    char line[512];
    for (int i = 0; i < PATTERNS; i++) {
        snprintf(line, sizeof line, "PSUBSCRIBE *%0100db%d", 0, i);
        front_say(&c, line);
    }
    snprintf(line, sizeof line, "PUBLISH %0250d x", 0);
    for (int i = 0; i < 20; i++)
        front_ask(f, &other, line);
    client_close(&c);
    client_close(&other);
}

const struct attack attacks_on_calls[] = {
    {"multi", "a huge MULTI", true, NULL, huge_multi},
    {"script", "a script without end, killed", true, NULL, endless_script},
    {"arguments", "DEL with 1,000,000 arguments", true, NULL, many_arguments},
    {"promised", "200 clients promise 1,000,000 arguments", false, NULL, promised_arguments},
    {"psubscribe", "1,000 patterns that backtrack, and messages to them", false, NULL,
     hostile_patterns},
    {0},
};
