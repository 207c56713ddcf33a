/*
 * Who a client is. There is one user, `default`, whose password is `requirepass`; without a
 * password every client is that user from the start.
 */
#ifndef SERVER_ENGINE_AUTH_H
#define SERVER_ENGINE_AUTH_H

#include "base/bytes.h"

struct engine;
struct session;

#define AUTH_DEFAULT_USER BYTES("default")

/* Does the default user have a password? */
bool auth_needs_password(const struct engine *e);

/* Makes the session that user's, if the password is right. How long the comparison takes does not
 * tell how much of it is. */
bool auth_login(struct session *s, struct bytes user, struct bytes password);

/* Must it log in before it may do anything else? */
bool auth_missing(const struct session *s);

/* As a new connection: the default user if it needs no password, else nobody. */
void auth_reset(struct session *s);

/* The name of the session's user, for CLIENT LIST. */
struct bytes auth_user(const struct session *s);

#endif
