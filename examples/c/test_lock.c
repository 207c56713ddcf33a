/*
 * A lock as many programs have one, and its tests: a server in this process, a lease that ends
 * without waiting, and an answer that gets lost on the way.
 *
 *     cc test_lock.c $(pkg-config --cflags --libs latch hiredis) -o test_lock && ./test_lock
 */
#include <hiredis/hiredis.h>
#include <latch/latch.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is to be tested. */

enum taken { TAKEN, REFUSED, UNKNOWN };

static enum taken lock_take(redisContext *c, const char *name, const char *owner, int lease_ms)
{
    redisReply *r = redisCommand(c, "SET %s %s NX PX %d", name, owner, lease_ms);
    if (r == NULL)
        return UNKNOWN; /* it may be ours, or not: the answer did not come */
    enum taken taken = r->type == REDIS_REPLY_STATUS ? TAKEN : REFUSED;
    freeReplyObject(r);
    return taken;
}

/* After a lost answer: is it ours? */
static bool lock_is_mine(redisContext *c, const char *name, const char *owner)
{
    redisReply *r = redisCommand(c, "GET %s", name);
    bool mine = r && r->type == REDIS_REPLY_STRING && strcmp(r->str, owner) == 0;
    freeReplyObject(r);
    return mine;
}

/* The tests. */

static int cases;

static void check(bool ok, const char *what)
{
    printf("%sok %d - %s\n", ok ? "" : "not ", ++cases, what);
    if (!ok)
        exit(1);
}

static redisContext *dial(struct latch *server)
{
    struct timeval patience = {.tv_usec = 200000};
    redisContext *c = redisConnectWithTimeout("127.0.0.1", latch_port(server), patience);
    redisSetTimeout(c, patience);
    return c;
}

static void a_lease_ends(struct latch *server)
{
    redisContext *alice = dial(server), *bob = dial(server);
    check(lock_take(alice, "job", "alice", 30000) == TAKEN, "alice takes the lock");
    check(lock_take(bob, "job", "bob", 30000) == REFUSED, "bob does not");
    latch_advance(server, 30001);
    check(lock_take(bob, "job", "bob", 30000) == TAKEN, "thirty seconds later he does");
    redisFree(alice);
    redisFree(bob);
}

static void an_answer_is_lost(struct latch *server)
{
    redisContext *c = dial(server);
    latch_reply_free(
        latch_run(server, "TEST.FAULT", "ADD", "SET", "TIMES", "1", "DROP-REPLY", NULL));
    check(lock_take(c, "job", "carol", 30000) == UNKNOWN, "no answer comes");
    redisFree(c);
    c = dial(server);
    check(lock_take(c, "job", "carol", 30000) == REFUSED, "trying again is refused");
    check(lock_is_mine(c, "job", "carol"), "for the lock was taken the first time");
    redisFree(c);
}

int main(void)
{
    char why[256];
    struct latch *server = latch_start(NULL, why, sizeof why);
    if (server == NULL) {
        printf("Bail out! %s\n", why);
        return 1;
    }
    a_lease_ends(server);
    latch_reset(server);
    an_answer_is_lost(server);
    latch_stop(server);
    printf("1..%d\n", cases);
    return 0;
}
