#include "tests/compat/version.h"

#include <stdio.h>
#include <stdlib.h>

/* "7.2.5" is 702; 0 when it is no version. */
static int parse(struct bytes text)
{
    char copy[32], *end;
    snprintf(copy, sizeof copy, "%.*s", BYTES_FMT(text));
    long major = strtol(copy, &end, 10);
    long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    return (int)(major * 100 + minor);
}

bool version_since(struct version_range *r, struct bytes text)
{
    struct bytes prefix = BYTES("valkey ");
    bool valkey = text.n > prefix.n && memcmp(text.p, prefix.p, prefix.n) == 0;
    if (valkey)
        text = (struct bytes){text.p + prefix.n, text.n - prefix.n};
    int *since = valkey ? &r->since_valkey : &r->since_redis;
    *since = parse(text);
    return *since != 0;
}

bool version_until(struct version_range *r, struct bytes text)
{
    r->until_redis = parse(text);
    return r->until_redis != 0;
}

bool version_holds(const struct version_range *r, const struct version *v)
{
    bool begun = (r->since_redis == 0 && r->since_valkey == 0) ||
                 (r->since_redis && v->redis >= r->since_redis) ||
                 (r->since_valkey && v->valkey >= r->since_valkey);
    return begun && (r->until_redis == 0 || v->redis <= r->until_redis);
}

static int field(struct bytes info, struct bytes name)
{
    const char *at = memmem(info.p, info.n, name.p, name.n);
    if (at == NULL)
        return 0;
    at += name.n;
    return parse((struct bytes){at, (size_t)(info.p + info.n - at)});
}

struct version version_of_info(struct bytes info)
{
    return (struct version){
        .redis = field(info, BYTES("\nredis_version:")),
        .valkey = field(info, BYTES("\nvalkey_version:")),
    };
}
