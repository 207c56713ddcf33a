/* Attacks on what the server keeps: much of it at once. */
#include "tests/soak/front.h"

#include <stdio.h>

#define HOSTILE   "*a*a*a*a*a*a*a*a*a*b"
#define LONG_NAME "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void make_hash(struct front *f)
{
    front_fill(f, f->scale, "HSET big field:%zu value\r\n");
}

static void make_keys(struct front *f)
{
    front_fill(f, f->scale, "SET key:%zu value\r\n");
}

static void make_long_names(struct front *f)
{
    front_fill(f, f->scale / 20, "SET " LONG_NAME "%zu v\r\n");
}

static void ask_once(struct front *f, const char *line)
{
    struct client c = front_dial(f);
    front_ask(f, &c, line);
    client_close(&c);
}

static void del_hash(struct front *f)
{
    ask_once(f, "DEL big");
}

static void flush_all(struct front *f)
{
    ask_once(f, "FLUSHALL");
}

static void flush_async(struct front *f)
{
    ask_once(f, "FLUSHALL ASYNC");
}

/* A reply of so many lines; ours may be cut off by the output limit. */
static void read_long(struct front *f, const char *line, size_t lines)
{
    struct client c = front_dial(f);
    double from = front_now_ms();
    client_say(&c, line);
    bool all = front_drain(&c, lines);
    front_tell(f, all ? "all of it after %.0f ms" : "closed after %.0f ms", front_now_ms() - from);
    client_close(&c);
}

static void keys_all(struct front *f)
{
    read_long(f, "KEYS *", 1 + 2 * f->scale);
}

static void hash_all(struct front *f)
{
    read_long(f, "HGETALL big", 1 + 4 * f->scale);
}

static void keys_hostile(struct front *f)
{
    ask_once(f, "KEYS " HOSTILE);
}

/* Reads the cursor, and then the names without keeping them. */
static bool read_scan(struct client *c, unsigned long long *cursor)
{
    char head[128] = "";
    size_t names, n = 0;
    int lines = 0;
    while (lines < 4 && n < sizeof head - 1 && front_byte(c, &head[n]))
        lines += head[n++] == '\n';
    if (sscanf(head, "*2 $%*d %llu *%zu", cursor, &names) != 2)
        return false;
    return front_drain(c, 2 * names);
}

/* As often as the cursor asks for it. */
static void scan_with(struct front *f, const char *options)
{
    struct client c = front_dial(f);
    char line[256];
    unsigned long long cursor = 0;
    size_t calls = 0;
    do {
        snprintf(line, sizeof line, "SCAN %llu COUNT 100000000 %s\r\n", cursor, options);
        if (!front_stuff(&c, bytes_of(line)) || !read_scan(&c, &cursor))
            break;
        calls++;
    } while (cursor);
    front_tell(f, "%zu calls%s", calls, cursor ? ", then closed" : "");
    client_close(&c);
}

static void scan_hostile(struct front *f)
{
    scan_with(f, "MATCH " HOSTILE);
}

static void scan_greedy(struct front *f)
{
    scan_with(f, "");
}

const struct attack attacks_on_data[] = {
    {"del", "DEL of a hash with %zu fields", false, make_hash, del_hash},
    {"hgetall", "HGETALL of a hash with %zu fields", true, make_hash, hash_all},
    {"flush", "FLUSHALL of %zu keys", false, make_keys, flush_all},
    {"flush-async", "FLUSHALL ASYNC of %zu keys", false, make_keys, flush_async},
    {"keys", "KEYS * over %zu keys", true, make_keys, keys_all},
    {"keys-hostile", "KEYS with a pattern that backtracks", true, make_long_names, keys_hostile},
    {"scan", "SCAN with COUNT 100000000 over %zu keys", false, make_keys, scan_greedy},
    {"scan-hostile", "SCAN with a pattern that backtracks", false, make_long_names, scan_hostile},
    {0},
};
