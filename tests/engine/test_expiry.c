#include "tests/lib/rig.h"

#include <stdio.h>

/* A key is there at its deadline; but who names this very moment as the deadline wants it gone. */
TEST(expiry, a_deadline_that_is_now_ends_the_key_at_once)
{
    static const char *const commands[] = {"GETEX k PXAT %lld", "PEXPIREAT k %lld"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct rig *r = rig_new();
        char line[64];
        snprintf(line, sizeof line, commands[i], (long long)(r->now + r->wall));
        run(r, "SET k v");
        run(r, line);
        expect(r, "EXISTS k", ":0");
        rig_free(r);
    }
}
