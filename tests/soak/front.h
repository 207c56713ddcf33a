/*
 * Where an attack takes place: the server under attack, what the attacker is doing, and what it has
 * to tell. It lies in memory that the attacker's process and the one that watches share.
 */
#ifndef TESTS_SOAK_FRONT_H
#define TESTS_SOAK_FRONT_H

#include "tests/lib/client.h"

enum { FRONT_REPLY_MS = 120000, FRONT_FLOOD_MS = 3000, FRONT_CROWD = 200 };

enum phase { PHASE_PREPARING, PHASE_ATTACKING, PHASE_DONE };

struct front {
    volatile enum phase phase;
    size_t scale; /* how many fields and keys are many */
    char socket[64];
    char outcome[160]; /* what became of it, in words */
};

/* An attack on a fresh server. Both are run in a process of their own. */
struct attack {
    const char *name, *what; /* `what` may hold a %zu for the scale */
    bool waits;              /* others are known to wait meanwhile, here as in Redis */
    void (*prepare)(struct front *f);
    void (*run)(struct front *f);
};

/* Those on what the server keeps, on its connections, and on what it executes; each list ends with
 * an attack without a name. */
extern const struct attack attacks_on_data[], attacks_on_connections[], attacks_on_calls[];

double front_now_ms(void);
__attribute__((format(printf, 2, 3))) void front_tell(struct front *f, const char *fmt, ...);

struct client front_dial(const struct front *f);

/* Says it and reads the reply; tells how the server answers, in a few words. */
void front_ask(struct front *f, struct client *c, const char *line);

/* The same without telling; ends the attacker when there is no reply. */
void front_say(struct client *c, const char *line);

/* Reads `n` replies; false when the server has closed the connection. */
bool front_skip(struct client *c, size_t n);

/* Waits for the next byte; false when the server has closed. */
bool front_byte(struct client *c, char *byte);

/* Reads so many lines of replies without keeping them. */
bool front_drain(struct client *c, size_t lines);

/* `format` with each number below `n`, in batches; each is answered by one line. */
void front_fill(const struct front *f, size_t n, const char *format);

/* Sends it without reading, as far as the server takes it; false when it closed. */
bool front_stuff(struct client *c, struct bytes what);

bool front_closed(struct client *c);

#endif
