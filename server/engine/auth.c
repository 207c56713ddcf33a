#include "server/engine/auth.h"

#include "server/engine/engine.h"

/* Looks at every byte of what was sent, whatever the result of the earlier ones. An empty secret
 * equals only an empty guess. */
static bool equal_in_constant_time(struct bytes guess, struct bytes secret)
{
    unsigned char differ = guess.n != secret.n;
    for (size_t i = 0; i < guess.n; i++) {
        char expected = secret.n ? secret.p[i % secret.n] : '\0';
        differ = (unsigned char)(differ | (guess.p[i] ^ expected));
    }
    return differ == 0;
}

bool auth_needs_password(const struct engine *e)
{
    return e->config->requirepass[0] != '\0';
}

bool auth_login(struct session *s, struct bytes user, struct bytes password)
{
    const struct engine *e = s->engine;
    if (!bytes_eq(user, AUTH_DEFAULT_USER))
        return false;
    if (auth_needs_password(e) &&
        !equal_in_constant_time(password, bytes_of(e->config->requirepass)))
        return false;
    s->flags |= SESSION_AUTHENTICATED;
    return true;
}

bool auth_missing(const struct session *s)
{
    return !(s->flags & SESSION_AUTHENTICATED) && auth_needs_password(s->engine);
}

void auth_reset(struct session *s)
{
    if (auth_needs_password(s->engine))
        s->flags &= ~SESSION_AUTHENTICATED;
    else
        s->flags |= SESSION_AUTHENTICATED;
}

struct bytes auth_user(const struct session *s)
{
    (void)s;
    return AUTH_DEFAULT_USER;
}
