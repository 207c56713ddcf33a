#include "bench/workload.h"

#include "base/num.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

const struct workload workloads[] = {
    {
        .name = "ping",
        .summary = "PING",
        .operations = 1,
        .cycle = {{"PING", "+PONG"}},
    },
    {
        .name = "set-get",
        .summary = "SET with PX, then GET; per command",
        .operations = 2,
        .cycle = {{"SET %k %t PX 30000", "+OK"}, {"GET %k", "$36 %t"}},
    },
    {
        .name = "contended",
        .summary = "SET NX PX on a lock that somebody else holds",
        .operations = 1,
        .before = {"SET bench:lock:everybody %u1 PX 3600000", "+OK"},
        .cycle = {{"SET bench:lock:everybody %t NX PX 30000", "$-1"}},
    },
    {
        .name = "set-del",
        .summary = "SET NX PX, then DEL",
        .operations = 1,
        .cycle = {{"SET %k %t NX PX 30000", "+OK"}, {"DEL %k", ":1"}},
    },
    {
        .name = "compare-del",
        .summary = "SET NX PX, then compare-and-delete by EVALSHA",
        .operations = 1,
        .scripts = {"release.lua"},
        .cycle = {{"SET %k %t NX PX 30000", "+OK"}, {"EVALSHA %h0 1 %k %t", ":1"}},
    },
    {
        .name = "reentrant",
        .summary = "reentrant lock and unlock by EVALSHA",
        .operations = 1,
        .scripts = {"reentrant_acquire.lua", "reentrant_release.lua"},
        .cycle = {{"EVALSHA %h0 1 %k %t:1 30000", ":0"}, {"EVALSHA %h1 2 %k %c %t:1", ":0"}},
    },
    {
        .name = "reentrant-eval",
        .summary = "the same by EVAL with the text",
        .operations = 1,
        .scripts = {"reentrant_acquire.lua", "reentrant_release.lua"},
        .cycle = {{"EVAL %b0 1 %k %t:1 30000", ":0"}, {"EVAL %b1 2 %k %c %t:1", ":0"}},
    },
    {
        .name = "renewal",
        .summary = "a held reentrant lock is prolonged",
        .operations = 1,
        .scripts = {"reentrant_acquire.lua", "reentrant_renew.lua"},
        .before = {"EVALSHA %h0 1 %l %t:1 3600000", ":0"},
        .cycle = {{"EVALSHA %h1 1 %l %t:1 3600000", "*1 :1"}},
    },
    {
        .name = "fair",
        .summary = "a fair lock goes from one to the next of three, who ask in turn",
        .operations = 3,
        .scripts = {"fair_acquire.lua", "fair_release.lua"},
        .cycle =
            {
                {"EVALSHA %h0 3 %l %l:queue %l:patience %u1 30000 5000", ":0"},
                {"EVALSHA %h0 3 %l %l:queue %l:patience %u2 30000 5000", ":1..30000"},
                {"EVALSHA %h0 3 %l %l:queue %l:patience %u3 30000 5000", ":1..30000"},
                {"EVALSHA %h1 2 %l %l:queue %u1 %c:", ":1"},
                {"EVALSHA %h0 3 %l %l:queue %l:patience %u2 30000 5000", ":0"},
                {"EVALSHA %h1 2 %l %l:queue %u2 %c:", ":1"},
                {"EVALSHA %h0 3 %l %l:queue %l:patience %u3 30000 5000", ":0"},
                {"EVALSHA %h1 2 %l %l:queue %u3 %c:", ":1"},
            },
    },
    {
        .name = "handoff-publish",
        .summary = "lock and unlock, and a waiter hears of it on a channel",
        .operations = 1,
        .scripts = {"acquire.lua", "release.lua"},
        .cycle = {{"SET %l %t NX PX 30000", "+OK"}, {"EVALSHA %h1 2 %l %c %t", ":1"}},
        .listeners = 1,
        .joining = {"SUBSCRIBE %c", "*3 $9 subscribe $24 %c :1"},
        .hearing = {NULL, "*3 $7 message $24 %c $36 %t"},
    },
    {
        .name = "handoff-blpop",
        .summary = "a token goes from LPUSH to one who waits in BLPOP",
        .operations = 1,
        .cycle = {{"LPUSH %l %t", ":1..1000"}},
        .listeners = 1,
        .hearing = {"BLPOP %l 0", "*2 $24 %l $36 %t"},
    },
    {
        .name = "fanout",
        .summary = "PUBLISH to many subscribers; per delivery",
        .operations = 1,
        .cycle = {{"PUBLISH %c %t", ":%n"}},
        .listeners = -1,
        .joining = {"SUBSCRIBE %c", "*3 $9 subscribe $24 %c :1"},
        .hearing = {NULL, "*3 $7 message $24 %c $36 %t"},
    },
    {0},
};

const struct workload *workload_find(const char *name)
{
    for (const struct workload *w = workloads; w->name; w++)
        if (strcmp(w->name, name) == 0)
            return w;
    return NULL;
}

/* A client sends the program and not its documentation. */
static bool read_script(const char *dir, const char *name, struct buf *out)
{
    char path[4096], line[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        perror(path);
        return false;
    }
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "--", 2) != 0 && line[0] != '\n')
            buf_put(out, bytes_of(line));
    fclose(f);
    return true;
}

bool workload_read_scripts(const struct workload *w, const char *dir, struct workload_scripts *out)
{
    *out = (struct workload_scripts){0};
    for (int i = 0; i < WORKLOAD_SCRIPTS && w->scripts[i]; i++) {
        memset(out->sha[i], '0', 40);
        if (!read_script(dir, w->scripts[i], &out->text[i]))
            return false;
    }
    return true;
}

void workload_free_scripts(struct workload_scripts *s)
{
    for (int i = 0; i < WORKLOAD_SCRIPTS; i++)
        buf_free(&s->text[i]);
}

/* Names of equal length: eleven letters and thirteen digits. */
static void put_name(struct buf *out, const char *what, uint64_t number)
{
    buf_printf(out, "bench:%-4.4s:%013llu", what, (unsigned long long)number);
}

static void put_token(struct buf *out, unsigned lane, unsigned who)
{
    buf_printf(out, "7b0a9c1e-53d2-4f6b-8e%02x-%012u", who, lane);
}

/* Appends the text that "%x" stands for, and says how many letters of the line that took. */
static size_t put_place(struct buf *out, const char *place, const struct places *p)
{
    unsigned digit = place[2] >= '0' && place[2] <= '9' ? (unsigned)(place[2] - '0') : 0;
    switch (place[1]) {
    case 'k': put_name(out, "lock", 0); return 2;
    case 'l': put_name(out, "lane", p->lane); return 2;
    case 'c': put_name(out, "chan", p->lane); return 2;
    case 't': put_token(out, p->lane, 0); return 2;
    case 'n': buf_printf(out, "%d", p->listeners); return 2;
    case 'u': put_token(out, p->lane, digit); return 3;
    case 'h': buf_put(out, bytes_of(p->scripts->sha[digit])); return 3;
    case 'b': buf_put(out, buf_bytes(&p->scripts->text[digit])); return 3;
    }
    assert(!"a place that is known");
    abort();
}

/* Appends a word; `key_at` is where in it %k stands, or stays as it is. */
static void put_word(struct buf *out, struct bytes word, const struct places *p, size_t *key_at)
{
    for (size_t i = 0; i < word.n;) {
        if (word.p[i] != '%') {
            buf_putc(out, word.p[i++]);
            continue;
        }
        if (word.p[i + 1] == 'k')
            *key_at = buf_len(out);
        i += put_place(out, word.p + i, p);
    }
}

/* The next word of a line, or an empty one at its end. */
static struct bytes next_word(const char **line)
{
    const char *start = *line + (**line == ' ');
    struct bytes word = {start, strcspn(start, " ")};
    *line = start + word.n;
    return word;
}

static void make_request(struct step *s, const char *ask, const struct places *places)
{
    struct buf words = {0};
    size_t n = 0;
    for (struct bytes w; (w = next_word(&ask)).n; n++) {
        struct buf word = {0};
        size_t key_at = SIZE_MAX;
        put_word(&word, w, places, &key_at);
        buf_printf(&words, "$%zu\r\n", buf_len(&word));
        if (key_at != SIZE_MAX)
            s->key_at[s->nkeys++] = buf_len(&words) + key_at;
        buf_put(&words, buf_bytes(&word));
        buf_put(&words, BYTES("\r\n"));
        buf_free(&word);
    }
    buf_printf(&s->request, "*%zu\r\n", n);
    for (size_t i = 0; i < s->nkeys; i++)
        s->key_at[i] += buf_len(&s->request);
    buf_put(&s->request, buf_bytes(&words));
    buf_free(&words);
}

static void make_answer(struct step *s, const char *answer, const struct places *places)
{
    const char *dots = answer[0] == ':' ? strstr(answer, "..") : NULL;
    if (dots) {
        s->least = strtoll(answer + 1, NULL, 10);
        s->most = strtoll(dots + 2, NULL, 10);
        return;
    }
    size_t none;
    for (struct bytes w; (w = next_word(&answer)).n;) {
        put_word(&s->answer, w, places, &none);
        buf_put(&s->answer, BYTES("\r\n"));
    }
}

void step_make(struct step *s, const struct line *line, const struct places *places)
{
    *s = (struct step){0};
    if (line->ask)
        make_request(s, line->ask, places);
    make_answer(s, line->answer, places);
}

void step_free(struct step *s)
{
    buf_free(&s->request);
    buf_free(&s->answer);
}

void step_put(const struct step *s, uint64_t key, struct buf *out)
{
    size_t n = buf_len(&s->request);
    if (n == 0)
        return;
    char *room = buf_room(out, n);
    memcpy(room, s->request.p, n);
    for (size_t i = 0; i < s->nkeys; i++) {
        uint64_t left = key;
        for (char *digit = room + s->key_at[i] + WORKLOAD_KEY - 1; left; left /= 10)
            *digit-- = (char)('0' + left % 10);
    }
    buf_added(out, n);
}

static long check_integer(const struct step *s, struct bytes in)
{
    const char *end = memchr(in.p, '\n', in.n);
    if (end == NULL)
        return in.n < 32 ? 0 : -1;
    long n = end + 1 - in.p;
    int64_t v;
    if (n < 4 || in.p[0] != ':' || !num_parse_i64((struct bytes){in.p + 1, (size_t)n - 3}, &v))
        return -1;
    return v >= s->least && v <= s->most ? n : -1;
}

long step_check(const struct step *s, struct bytes in)
{
    size_t n = buf_len(&s->answer);
    if (in.n == 0)
        return 0;
    if (n == 0)
        return check_integer(s, in);
    if (memcmp(in.p, s->answer.p, in.n < n ? in.n : n) != 0)
        return -1;
    return in.n < n ? 0 : (long)n;
}
