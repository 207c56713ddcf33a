#include "server/net/net.h"

#include "base/mem.h"
#include "server/net/busy.h"
#include "server/net/conn.h"
#include "server/net/listener.h"
#include "server/net/tls.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

enum {
    SWEEP_MS = 1000, /* at most once in so long */
    DRAIN_MS = 1000,
    HANDSHAKES_PER_TURN = 4, /* each about a millisecond of arithmetic */
    SCRAP_PER_TURN = 1 << 20,
};

void reader_init(struct reader *r)
{
    parser_init(&r->parser);
    r->bytes = mem_grow(NULL, NET_READ_SIZE);
}

void reader_free(struct reader *r)
{
    parser_free(&r->parser);
    mem_free(r->bytes);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The timers only end the wait; what is due is done at the end of the turn. */
static void on_timer(uv_timer_t *t)
{
    (void)t;
}

/* So does this one, by being active. */
static void on_unrest(uv_idle_t *i)
{
    (void)i;
}

/* Sets a timer to a point on the engine's line; `set` remembers where it stands. One that stands
 * earlier is left to ring and set anew then: deadlines come and go much more often than they pass.
 */
static void set_timer(struct net *n, uv_timer_t *t, int64_t *set, int64_t at)
{
    if (at >= *set && at != WHEEL_NEVER && uv_is_active((uv_handle_t *)t))
        return;
    *set = at;
    int64_t wait = at == WHEEL_NEVER ? -1 : n->host->until(n->ctx, at);
    if (wait < 0) {
        uv_timer_stop(t);
        return;
    }
    uv_update_time(n->loop);
    uv_timer_start(t, on_timer, (uint64_t)wait, 0);
}

void net_expect(struct net *n, int64_t at)
{
    if (at < n->sweep_at)
        set_timer(n, &n->sweep, &n->sweep_at, later(at, n->swept + SWEEP_MS));
}

/* The other timer is set at the end of the turn. */
void net_clock_changed(struct net *n)
{
    uv_timer_stop(&n->alarm);
    uv_timer_stop(&n->sweep);
    if (n->sweep_at != WHEEL_NEVER)
        set_timer(n, &n->sweep, &n->sweep_at, n->sweep_at);
}

static void sweep_lingering(struct net *n, int64_t now)
{
    while (!list_empty(&n->lingering)) {
        struct conn *c = container_of(n->lingering.next, struct conn, link);
        if (conn_deadline(c) > now) {
            net_expect(n, conn_deadline(c));
            return;
        }
        conn_close(c);
    }
}

static void sweep(struct net *n, int64_t now)
{
    n->swept = now;
    n->sweep_at = WHEEL_NEVER;
    uv_timer_stop(&n->sweep);
    list_each_safe (pos, &n->engine->sessions) {
        struct session *s = container_of(pos, struct session, link);
        if (s->owner == NULL)
            continue;
        int64_t at = conn_deadline(s->owner);
        if (at <= now)
            conn_give_up(s->owner);
        else
            net_expect(n, at);
    }
    sweep_lingering(n, now);
}

/* Moves all nodes of `from` to the end of `to`. */
static void move_all(struct list *from, struct list *to)
{
    while (!list_empty(from)) {
        struct list *node = from->next;
        list_unlink(node);
        list_append(to, node);
    }
}

/* It is slow work, with large buffers above all. */
static void close_some(struct net *n)
{
    for (int i = 0; i < NET_CLOSES && !list_empty(&n->leaving); i++) {
        if (i >= NET_CLOSES_LATE && net_turn_is_late(n))
            return;
        conn_finish(container_of(n->leaving.next, struct conn, link));
    }
}

static void free_gone(struct net *n)
{
    while (!list_empty(&n->gone)) {
        struct conn *c = container_of(n->gone.next, struct conn, link);
        list_unlink(&c->link);
        mem_free(c);
    }
}

/* Those that ask again meanwhile have their turn next time. Settling may execute a script, and in
 * the midst of it this runs again: the rest of the outer list is then settled by the inner. */
void net_settle(struct net *n, const struct conn *but)
{
    struct list *outer = n->settling, now;
    if (outer)
        move_all(outer, &n->dirty);
    list_init(&now);
    move_all(&n->dirty, &now);
    n->settling = &now;
    n->handshakes = HANDSHAKES_PER_TURN;
    while (!list_empty(&now)) {
        struct conn *c = container_of(now.next, struct conn, link);
        list_unlink(&c->link);
        if (c == but)
            conn_wake(c);
        else
            conn_settle(c);
    }
    n->settling = outer;
    close_some(n);
}

/* Memory of all clients together. */

static bool evictable(const struct session *s)
{
    const struct conn *c = s->owner;
    return c && c->counted && !(s->flags & (SESSION_NO_EVICT | SESSION_RUNNING));
}

/* Bytes of the largest client that may be evicted; 0 when there is none. */
static size_t largest(const struct net *n)
{
    size_t most = 0;
    list_each (pos, &n->engine->sessions) {
        const struct session *s = container_of(pos, struct session, link);
        const struct conn *c = s->owner;
        if (evictable(s) && c->counted > most)
            most = c->counted;
    }
    return most;
}

static void evict_one(struct net *n, struct conn *c)
{
    log_notice(n->log, "Evicting client: id=%llu, %zu bytes", (unsigned long long)c->session->id,
               c->counted);
    n->engine->stats.evicted_clients++;
    conn_evict(c);
}

/* A limit of its own for each client does not bound many. Those within a factor of two of the
 * largest go, as in Redis, one after the other until the rest fits; so that a thousand who have to
 * go do not cost a thousand searches. */
void net_evict(struct net *n)
{
    size_t limit = (size_t)config_client_memory_limit(n->config);
    for (size_t most; n->memory > limit && (most = largest(n)) > 0;) {
        list_each (pos, &n->engine->sessions) {
            struct session *s = container_of(pos, struct session, link);
            struct conn *c = s->owner;
            if (n->memory > limit && evictable(s) && c->counted > most / 2)
                evict_one(n, c);
        }
    }
}

void net_crowded(struct net *n)
{
    list_each (pos, &n->engine->sessions) {
        struct session *s = container_of(pos, struct session, link);
        if (s->owner)
            conn_account(s->owner);
    }
    net_evict(n);
}

/* Stopping. */

static void close_handles(struct net *n)
{
    n->state = NET_CLOSED;
    poller_close(&n->regulars);
    poller_close(&n->newcomers);
    uv_close((uv_handle_t *)&n->turn, NULL);
    uv_close((uv_handle_t *)&n->unrest, NULL);
    uv_close((uv_handle_t *)&n->alarm, NULL);
    uv_close((uv_handle_t *)&n->sweep, NULL);
    uv_close((uv_handle_t *)&n->retry, NULL);
    for (size_t i = 0; i < NET_HOOKS; i++)
        list_unlink(&n->hooks[i].node);
}

static void close_sessions(struct net *n, bool at_once)
{
    list_each_safe (pos, &n->engine->sessions) {
        struct session *s = container_of(pos, struct session, link);
        if (s->owner == NULL)
            continue;
        if (at_once)
            conn_close(s->owner);
        else
            session_close(s, false);
    }
}

/* Draining is over after two turns in a row in which no connection had anything to settle: whatever
 * had been received was there to be read in the wait between them. Clients that never stop asking
 * are not waited for. */
static void end_of_draining(struct net *n, bool quiet)
{
    n->quiet = quiet ? n->quiet + 1 : 0;
    if (n->quiet < 2 && net_now(n) < n->drain_until)
        return;
    n->state = NET_CLOSING;
    close_sessions(n, false);
}

static void end_of_closing(struct net *n)
{
    if (n->nconns > n->nlingering && net_now(n) < n->give_up)
        return;
    close_sessions(n, true);
    while (!list_empty(&n->lingering))
        conn_close(container_of(n->lingering.next, struct conn, link));
    close_handles(n);
}

void net_stop(struct net *n, bool at_once)
{
    if (n->state == NET_CLOSED)
        return;
    listener_close_all(n);
    if (n->state == NET_RUNNING) {
        n->state = NET_DRAINING;
        n->quiet = 0;
        n->drain_until = net_now(n) + DRAIN_MS;
        n->give_up = n->drain_until + n->config->shutdown_timeout * 1000;
        net_expect(n, n->give_up);
    }
    if (at_once) {
        n->state = NET_CLOSING;
        n->give_up = net_now(n);
    }
    uv_idle_start(&n->unrest, on_unrest);
}

/* The end of a turn. */
static void on_turn(uv_prepare_t *p)
{
    struct net *n = p->data;
    int64_t now = net_now(n);
    if (n->backlog || engine_deadline(n->engine) <= now)
        n->backlog = engine_advance(n->engine, now);
    busy_end(n); /* what had waited may have been a script */
    if (now >= n->sweep_at)
        sweep(n, now);
    bool quiet = list_empty(&n->dirty) && list_empty(&n->leaving);
    net_settle(n, NULL);
    net_evict(n);
    if (n->state == NET_DRAINING)
        end_of_draining(n, quiet);
    else if (n->state == NET_CLOSING)
        end_of_closing(n);
    free_gone(n);
    n->began = WHEEL_NEVER;
    if (n->state == NET_CLOSED)
        return;
    bool scrap = scrap_free_some(&n->scrap, SCRAP_PER_TURN);
    bool restless = n->backlog || scrap || !list_empty(&n->dirty) || !list_empty(&n->leaving) ||
                    n->state == NET_DRAINING;
    if (restless)
        uv_idle_start(&n->unrest, on_unrest);
    else
        uv_idle_stop(&n->unrest);
    set_timer(n, &n->alarm, &n->alarm_at, engine_deadline(n->engine));
}

/* Where the configuration says. */

static bool listen_tcp(struct net *n, const char *address, int *port, bool tls)
{
    bool optional = address[0] == '-';
    int r = listener_tcp(n, address + optional, port, tls);
    if (r == 0)
        return true;
    log_warning(n->log, "Warning: Could not create server TCP listening socket %s:%d: bind: %s",
                address + optional, *port, strerror(-r));
    return (r == -EADDRNOTAVAIL && optional) || r == -EAFNOSUPPORT || r == -EPROTONOSUPPORT;
}

static bool listen_all_tcp(struct net *n, bool tls)
{
    int64_t *option = tls ? &n->config->tls_port : &n->config->port;
    int port = *option == CONFIG_PORT_AUTO ? 0 : (int)*option;
    for (size_t i = 0; i < n->config->bind.n; i++)
        if (!listen_tcp(n, n->config->bind.item[i], &port, tls))
            return false;
    if ((tls ? net_tls_port(n) : net_port(n)) == 0)
        return false;
    *option = port;
    return true;
}

static bool listen_tls(struct net *n)
{
    if (!tls_configure(&n->tls, n->config, n->log)) {
        log_warning(n->log, "Failed to configure TLS. Check logs for more info.");
        return false;
    }
    if (listen_all_tcp(n, true))
        return true;
    log_warning(n->log, "Failed listening on port %d (tls), aborting.", (int)n->config->tls_port);
    return false;
}

static bool listen_unix(struct net *n)
{
    const char *path = n->config->unixsocket;
    int r = listener_unix(n, path, (mode_t)n->config->unixsocketperm);
    if (r != 0)
        log_warning(n->log, "Failed opening Unix socket: bind: %s", strerror(-r));
    return r == 0;
}

bool net_listen(struct net *n)
{
    if (n->config->port != 0 && !listen_all_tcp(n, false)) {
        log_warning(n->log, "Failed listening on port %d (tcp), aborting.", (int)n->config->port);
        return false;
    }
    if (n->config->tls_port != 0 && !listen_tls(n))
        return false;
    if (n->config->unixsocket[0] && !listen_unix(n))
        return false;
    if (list_empty(&n->listeners)) {
        log_warning(n->log, "Configured to not listen anywhere, exiting.");
        return false;
    }
    return true;
}

bool net_adopt(struct net *n, int fd)
{
    return listener_adopt(n, fd) == 0;
}

/* Settings that change while it runs. */

/* What is expected of connections that are already there. */
static bool apply_patience(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    struct net *n = ctx;
    (void)cfg;
    (void)why;
    net_expect(n, net_now(n));
    return true;
}

/* Where it listens. When it cannot, the old value comes back and this is run again. */
static bool listen_anew(struct net *n, bool tls)
{
    listener_close_tcp(n, tls);
    if ((tls ? n->config->tls_port : n->config->port) == 0 || listen_all_tcp(n, tls))
        return true;
    listener_close_tcp(n, tls);
    return false;
}

static bool apply_port(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    (void)cfg;
    if (listen_anew(ctx, false))
        return true;
    snprintf(why, CONFIG_ERROR_MAX, "Unable to listen on this port. Check server logs.");
    return false;
}

static bool apply_tls(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    struct net *n = ctx;
    if (cfg->tls_port == 0 || tls_configure(&n->tls, cfg, n->log))
        return true;
    snprintf(why, CONFIG_ERROR_MAX, "Unable to update TLS configuration. Check server logs.");
    return false;
}

static bool apply_tls_port(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    if (!apply_tls(ctx, cfg, why))
        return false;
    if (listen_anew(ctx, true))
        return true;
    snprintf(why, CONFIG_ERROR_MAX, "Unable to listen on this port. Check server logs.");
    return false;
}

static bool apply_bind(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    (void)cfg;
    if (listen_anew(ctx, false) && listen_anew(ctx, true))
        return true;
    snprintf(why, CONFIG_ERROR_MAX, "Failed to bind to specified addresses.");
    return false;
}

void net_reload(struct net *n)
{
    if (n->tls == NULL || n->config->tls_port == 0)
        return;
    if (tls_configure(&n->tls, n->config, n->log))
        log_notice(n->log, "TLS certificates reloaded.");
    else
        log_warning(n->log, "TLS certificates not reloaded: the old ones stay in use.");
}

static void watch_settings(struct net *n)
{
    static const struct config_hook hooks[] = {
        {.name = "timeout", .apply = apply_patience},
        {.name = "client-output-buffer-limit", .apply = apply_patience},
        {.name = "port", .apply = apply_port},
        {.name = "bind", .apply = apply_bind},
        {.name = "tls-port", .apply = apply_tls_port},
        {.name = "tls-cert-file", .apply = apply_tls},
        {.name = "tls-key-file", .apply = apply_tls},
        {.name = "tls-key-file-pass", .apply = apply_tls},
        {.name = "tls-ca-cert-file", .apply = apply_tls},
        {.name = "tls-ca-cert-dir", .apply = apply_tls},
        {.name = "tls-auth-clients", .apply = apply_tls},
        {.name = "tls-protocols", .apply = apply_tls},
        {.name = "tls-ciphers", .apply = apply_tls},
        {.name = "tls-ciphersuites", .apply = apply_tls},
        {.name = "tls-prefer-server-ciphers", .apply = apply_tls},
        {.name = "tls-session-caching", .apply = apply_tls},
        {.name = "tls-session-cache-size", .apply = apply_tls},
        {.name = "tls-session-cache-timeout", .apply = apply_tls},
    };
    static_assert(sizeof hooks == sizeof n->hooks, "a place for each");
    for (size_t i = 0; i < NET_HOOKS; i++) {
        n->hooks[i] = hooks[i];
        n->hooks[i].ctx = n;
        config_watch(n->config, &n->hooks[i]);
    }
}

bool net_init(struct net *n, const struct net_options *o)
{
    *n = (struct net){.loop = o->loop,
                      .engine = o->engine,
                      .config = o->config,
                      .log = o->log,
                      .host = o->host,
                      .ctx = o->ctx,
                      .alarm_at = WHEEL_NEVER,
                      .sweep_at = WHEEL_NEVER};
    list_init(&n->listeners);
    list_init(&n->dirty);
    list_init(&n->leaving);
    list_init(&n->lingering);
    list_init(&n->gone);
    scrap_init(&n->scrap);
    reader_init(&n->own_reader);
    n->reader = &n->own_reader;
    n->began = WHEEL_NEVER;
    n->swept = net_now(n) - SWEEP_MS;
    uv_prepare_init(n->loop, &n->turn);
    uv_idle_init(n->loop, &n->unrest);
    uv_timer_init(n->loop, &n->alarm);
    uv_timer_init(n->loop, &n->sweep);
    uv_timer_init(n->loop, &n->retry);
    n->turn.data = n->retry.data = n;
    uv_prepare_start(&n->turn, on_turn);
    watch_settings(n);
    n->regulars.set = n->newcomers.set = -1;
    if (poller_open(&n->regulars, n->loop, NET_REGULARS) &&
        poller_open(&n->newcomers, n->loop, NET_NEWCOMERS))
        return true;
    close_handles(n);
    return false;
}

void net_free(struct net *n)
{
    assert(n->state == NET_CLOSED);
    while (n->nspares)
        buf_free(&n->spares[--n->nspares]);
    scrap_free_some(&n->scrap, SIZE_MAX);
    tls_free(n->tls);
    reader_free(&n->own_reader);
}
