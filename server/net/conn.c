/*
 * Reading, executing, writing, closing.
 *
 * Sockets are watched by a poller and read and written here, rather than through libuv's streams.
 * A stream takes 248 bytes more per connection and its own allocation per queued write; it cannot
 * be read or written while a script keeps the loop waiting; and a client that is not read from
 * (because it is blocked in BLPOP) could vanish unseen, where epoll still reports the disconnect.
 *
 * Most of the time there are two kinds of clients: those that have been here for a while, which
 * hold and wait for locks, and newcomers. Each kind has a poller, so that a crowd of the one does
 * not keep the other waiting. A client is a newcomer until it has logged in and stayed for a
 * second.
 *
 * Input normally goes into the loop's one buffer and commands are executed from there in place.
 * What is left over (half a command, or commands that must wait) moves into a `struct input`; from
 * then on the client's bytes are read straight behind it, so a large argument is never copied
 * twice, and when all is used up the struct goes away.
 *
 * Output collects in session->out and is written once, at the end of the turn. What the socket does
 * not take moves, without copying, into a `struct tail`; session->out then starts afresh behind it.
 */
#include "server/net/conn.h"

#include "base/mem.h"
#include "server/net/address.h"
#include "server/net/busy.h"
#include "server/net/listener.h"
#include "server/net/tail.h"
#include "server/net/tls.h"

#include <assert.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* A client that sends, or is to be sent, more than this in one go lets others pass before the rest
 * is looked at. When the turn has taken its time already, each has the smaller share. */
enum {
    COMMANDS_PER_TURN = 1000,
    REPLIES_PER_TURN = 256 << 10,
    COMMANDS_LATE = 4,
    READ_LATE = 64 << 10,
};

enum {
    READ_LEAST = 16 << 10, /* room behind unfinished input */
    READ_MOST = 1 << 20,
    ARGS_MOST = 1 << 20,
    LINE_MOST = 64 << 10,
    SPARE_MOST = 16 << 10,
};

enum { LINGER_MS = 2000, AUTH_MS = 60000, ENDING_MS = 60000, HANDSHAKE_MS = 10000 };

enum { NEWCOMER_MS = 1000 };

struct input {
    struct parser parser;
    struct buf buf;
};

static struct poller *poller_of(const struct conn *c)
{
    return c->flags & CONN_NEW ? &c->net->newcomers : &c->net->regulars;
}

void conn_rest(struct conn *c)
{
    poller_watch(poller_of(c), c, 0);
}

static void drop_input(struct conn *c)
{
    if (c->input == NULL)
        return;
    parser_free(&c->input->parser);
    buf_free(&c->input->buf);
    mem_free(c->input);
    c->input = NULL;
    c->flags &= ~CONN_MORE;
}

static struct tail *tail_of(struct conn *c)
{
    if (c->tail == NULL)
        c->tail = tail_new(&c->net->scrap);
    return c->tail;
}

static void drop_tail(struct conn *c)
{
    tail_free(c->tail);
    c->tail = NULL;
    if (c->session)
        c->session->unsent = 0;
}

static void drop_tls(struct conn *c)
{
    if (c->tls)
        tls_close(c->tls);
    c->tls = NULL;
}

/* Bytes of the connection, its session's not. */
static size_t memory(const struct conn *c)
{
    size_t n = sizeof *c;
    if (c->input)
        n += sizeof *c->input + c->input->buf.cap + parser_memory(&c->input->parser);
    if (c->tail)
        n += c->tail->size;
    if (c->tls)
        n += tls_memory(c->tls);
    return n;
}

/* One that only waits to be closed counts no more. */
static bool goes(const struct conn *c)
{
    return c->session == NULL || c->session->flags & SESSION_KILLED;
}

void conn_account(struct conn *c)
{
    size_t size = goes(c) ? 0 : memory(c) + session_memory(c->session);
    c->net->memory += size - c->counted;
    c->counted = size;
}

void conn_close(struct conn *c)
{
    struct net *n = c->net;
    if (c->session)
        session_free(c->session);
    c->session = NULL;
    drop_input(c);
    drop_tail(c);
    drop_tls(c);
    conn_account(c);
    n->nconns--;
    n->nlingering -= (c->flags & CONN_LINGERS) != 0;
    poller_forget(poller_of(c), c);
    close(c->fd);
    list_unlink(&c->link);
    list_append(&n->gone, &c->link);
    listener_resume(n);
}

void conn_wake(struct conn *c)
{
    if (!(c->flags & CONN_LINGERS) && list_empty(&c->link))
        list_append(&c->net->dirty, &c->link);
}

/* Limits. */

/* Somebody who has not logged in is told little, and told no more when they do not listen
 * (CVE-2025-21605). */
static const struct output_limit for_strangers = {
    .hard = 64 << 10, .soft = 16 << 10, .seconds = 10};

static const struct output_limit *output_limit(const struct conn *c)
{
    if (acl_must_login(c->session))
        return &for_strangers;
    bool pubsub = c->session->flags & SESSION_PUBSUB;
    return &c->net->config->output_limit[pubsub ? CLIENT_CLASS_PUBSUB : CLIENT_CLASS_NORMAL];
}

static size_t unsent(const struct conn *c)
{
    return c->session->unsent + buf_len(&c->session->out) + (c->tls ? tls_unsent(c->tls) : 0);
}

static bool over(int64_t limit, size_t n)
{
    return limit > 0 && n > (size_t)limit;
}

static bool may_execute(const struct conn *c)
{
    const uint32_t no = SESSION_BLOCKED | SESSION_CLOSING | SESSION_KILLED;
    return !(c->session->flags & no) && !over(output_limit(c)->soft, unsent(c));
}

/* Only its last replies remain to be delivered. */
static bool ending(const struct conn *c)
{
    return c->flags & CONN_EOF || c->session->flags & SESSION_CLOSING;
}

static struct parser_limits parser_limits(const struct conn *c)
{
    return (struct parser_limits){
        .args = ARGS_MOST,
        .bulk = c->net->config->proto_max_bulk_len,
        .line = LINE_MOST,
        .unauthenticated = acl_must_login(c->session),
    };
}

/* Executing. */

static void refuse(struct conn *c, const char *why)
{
    struct session *s = c->session;
    log_verbose(c->net->log, "%s from client id=%llu", why, (unsigned long long)s->id);
    buf_printf(&s->out, "-ERR %s\r\n", why);
    s->flags |= SESSION_CLOSING;
    c->flags |= CONN_RUDE;
}

static void submit(struct conn *c, const struct bytes *argv, size_t argc)
{
    struct net *n = c->net;
    if (n->busy) {
        n->host->submit_busy(n->ctx, c->session, argv, argc);
        return;
    }
    n->now = n->host->submit(n->ctx, c->session, argv, argc);
    busy_end(n);
}

/* Executes commands from `in` until there is no whole one, the client must wait, or its turn is
 * over. Says how many bytes were used up. */
static size_t execute(struct conn *c, struct parser *p, struct bytes in)
{
    struct net *n = c->net;
    struct session *s = c->session;
    size_t done = 0;
    bool late = net_turn_is_late(n);
    int64_t start = n->now;
    s->last_used = start;
    if (s->out.cap == 0 && n->nspares)
        s->out = n->spares[--n->nspares];
    c->flags &= ~CONN_MORE;
    for (int left = late ? COMMANDS_LATE : COMMANDS_PER_TURN; done < in.n; left--) {
        bool enough = left == 0 || buf_len(&s->out) >= REPLIES_PER_TURN;
        if (enough || n->now - start >= NET_TURN_MS || !may_execute(c)) {
            c->flags |= CONN_MORE;
            break;
        }
        size_t used;
        struct parser_limits limits = parser_limits(c);
        enum parse_result r =
            parser_next(p, &limits, (struct bytes){in.p + done, in.n - done}, &used);
        if (r == PARSE_MORE)
            break;
        if (r == PARSE_BAD) {
            refuse(c, p->error);
            return in.n;
        }
        done += used;
        if (p->argc)
            submit(c, p->argv, p->argc);
    }
    return done;
}

/* Keeps `rest`, and the parser's place in it, for later. */
static void keep_input(struct conn *c, struct parser *p, struct bytes rest)
{
    struct input *in = mem_alloc(sizeof *in);
    in->parser = *p;
    parser_init(p);
    buf_put(&in->buf, rest);
    c->input = in;
}

static void execute_shared(struct conn *c, struct bytes in)
{
    struct parser *p = &c->net->reader->parser;
    size_t used = execute(c, p, in);
    if (used < in.n) {
        keep_input(c, p, (struct bytes){in.p + used, in.n - used});
    } else if (!parser_idle(p)) {
        parser_free(p);
        parser_init(p);
    }
}

static void execute_kept(struct conn *c)
{
    struct input *in = c->input;
    buf_consume(&in->buf, execute(c, &in->parser, buf_bytes(&in->buf)));
    size_t rest = buf_len(&in->buf);
    if (rest == 0) {
        drop_input(c);
    } else if (in->buf.cap > READ_MOST && rest < READ_LEAST) {
        /* The large argument has been dealt with; do not sit on its memory. */
        struct buf small = {0};
        buf_put(&small, buf_bytes(&in->buf));
        buf_free(&in->buf);
        in->buf = small;
    }
}

/* Reading. */

/* Room for the client's next bytes: NULL when memory is out. */
static char *input_room(struct conn *c, size_t *room)
{
    if (c->input == NULL) {
        *room = net_was_late(c->net) ? READ_LEAST : NET_READ_SIZE;
        return c->net->reader->bytes;
    }
    struct buf *b = &c->input->buf;
    size_t want = c->input->parser.want;
    want = want < READ_LEAST ? READ_LEAST : want > READ_MOST ? READ_MOST : want;
    if (!buf_try_room(b, want))
        return NULL;
    size_t most = net_was_late(c->net) ? READ_LATE : READ_MOST;
    *room = b->cap - b->to < most ? b->cap - b->to : most;
    return b->p + b->to;
}

static void received(struct conn *c, char *p, size_t len)
{
    if (c->input == NULL) {
        execute_shared(c, (struct bytes){p, len});
        return;
    }
    buf_added(&c->input->buf, len);
    execute_kept(c);
    int64_t limit = c->net->config->client_query_buffer_limit;
    if (c->input && !(c->flags & CONN_MORE) && over(limit, buf_len(&c->input->buf))) {
        log_warning(c->net->log, "Closing client that reached max query buffer length: id=%llu",
                    (unsigned long long)c->session->id);
        c->net->engine->stats.query_limit_closed++;
        session_close(c->session, true);
    }
}

static bool is_up(const struct conn *c)
{
    return c->tls == NULL || tls_is_up(c->tls);
}

static ssize_t read_tls(struct conn *c, char *p, size_t room)
{
    bool was_up = is_up(c);
    ssize_t len = tls_read(c->tls, p, room);
    if (len < 0 && errno != EAGAIN && !was_up)
        log_verbose(c->net->log, "Error accepting a client connection: %s", tls_error(c->tls));
    return len;
}

static void conn_read(struct conn *c)
{
    size_t room;
    if (!is_up(c) && c->net->handshakes-- <= 0)
        return; /* the socket stays readable: the next turn comes back to it */
    char *p = input_room(c, &room);
    ssize_t len = p == NULL ? -1 : c->tls ? read_tls(c, p, room) : read(c->fd, p, room);
    if (p && len < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (len < 0) {
        c->session->flags |= SESSION_KILLED;
        return;
    }
    struct stats *stats = &c->net->engine->stats;
    stats->reads++;
    stats->in += (size_t)len;
    if (len == 0)
        c->flags |= CONN_EOF;
    else
        received(c, p, (size_t)len);
}

static void linger_on(struct conn *c)
{
    struct net *n = c->net;
    ssize_t len = read(c->fd, n->reader->bytes, NET_READ_SIZE);
    if (len == 0 || (len < 0 && errno != EAGAIN && errno != EINTR))
        conn_close(c);
}

/* What had arrived before the connection broke can still be read, and after it the error. */
void conn_ready(struct conn *c, uint32_t events)
{
    if (c->flags & CONN_LINGERS) {
        linger_on(c);
        return;
    }
    if (events & ~(uint32_t)EPOLLIN)
        c->flags &= (uint8_t)~CONN_FULL;
    if (events & (EPOLLIN | EPOLLERR))
        conn_read(c);
    else if (events & (EPOLLRDHUP | EPOLLHUP))
        c->flags |= CONN_EOF;
    conn_wake(c); /* behind those that its commands woke: who waited is told first */
    /* It may be some turns until it is closed; the poller would come back to it all the while. */
    if (c->flags & CONN_EOF || c->session->flags & SESSION_KILLED)
        conn_rest(c);
}

/* Writing. */

/* False when the connection is broken. */
static bool drain(struct conn *c, struct buf *b)
{
    if (buf_len(b) == 0)
        return true;
    ssize_t len = c->tls ? tls_write(c->tls, b->p + b->from, buf_len(b))
                         : send(c->fd, b->p + b->from, buf_len(b), MSG_NOSIGNAL);
    if (len < 0 && errno == EAGAIN && c->tls == NULL)
        c->flags |= CONN_FULL;
    if (len < 0)
        return errno == EAGAIN || errno == EINTR;
    c->session->last_used = c->net->now;
    c->net->engine->stats.writes++;
    c->net->engine->stats.out += (size_t)len;
    buf_consume(b, (size_t)len);
    return true;
}

/* An empty buffer that is not unusually large serves another client; an idle one has none. */
static void drop_output(struct conn *c)
{
    struct net *n = c->net;
    struct buf *out = &c->session->out;
    if (n->nspares < NET_SPARES && out->cap && out->cap <= SPARE_MOST) {
        n->spares[n->nspares++] = *out;
        *out = (struct buf){0};
    } else {
        buf_free(out);
    }
}

/* What the session has to say waits behind the rest. False when memory is out. */
static bool keep_output(struct conn *c)
{
    struct session *s = c->session;
    size_t n = buf_len(&s->out);
    if (n == 0)
        return true;
    if (!tail_put(tail_of(c), &s->out))
        return false;
    s->unsent += n;
    drop_output(c);
    return true;
}

bool conn_keep(struct conn *c, struct bytes message)
{
    if (!tail_append(c->tail, message))
        return false;
    c->session->unsent += message.n;
    return true;
}

static bool drain_tail(struct conn *c)
{
    struct buf *b;
    while (!(c->flags & CONN_FULL) && (b = tail_next(c->tail))) {
        size_t before = buf_len(b);
        bool ok = drain(c, b);
        c->session->unsent -= before - buf_len(b);
        if (!ok || buf_len(b))
            return ok;
    }
    return true;
}

/* Writes what there is; what is left afterwards is in the tail. False when the connection is broken
 * or memory is out. */
static bool flush(struct conn *c)
{
    struct session *s = c->session;
    if ((c->tls && !tls_flush(c->tls)) || (c->tail && !drain_tail(c)))
        return false;
    if (s->unsent == 0 && !drain(c, &s->out))
        return false;
    if (s->unsent || buf_len(&s->out))
        return keep_output(c);
    drop_output(c);
    drop_tail(c);
    return true;
}

/* Output limits; false when the client is to go. */
static bool within_limits(struct conn *c)
{
    const struct output_limit *limit = output_limit(c);
    size_t size = unsent(c);
    if (over(limit->hard, size)) {
        log_warning(c->net->log,
                    "Client id=%llu scheduled to be closed ASAP for overcoming of output buffer "
                    "limits.",
                    (unsigned long long)c->session->id);
        c->net->engine->stats.output_limit_closed++;
        return false;
    }
    if (c->tail == NULL)
        return true;
    if (!over(limit->soft, size)) {
        c->tail->slow_since = 0;
    } else if (c->tail->slow_since == 0) {
        c->tail->slow_since = net_now(c->net);
        net_expect(c->net, conn_deadline(c));
    }
    return true;
}

/* Closing. */

/* The client is told why before it finds the connection reset: closing with unread input would make
 * the kernel throw away what was written last. */
static void linger(struct conn *c)
{
    struct net *n = c->net;
    session_free(c->session);
    c->session = NULL;
    drop_input(c);
    drop_tail(c);
    drop_tls(c);
    shutdown(c->fd, SHUT_WR);
    tail_of(c)->slow_since = net_now(n);
    c->flags |= CONN_LINGERS;
    n->nlingering++;
    list_unlink(&c->link);
    list_append(&n->lingering, &c->link);
    net_expect(n, conn_deadline(c));
    conn_account(c);
    if (!poller_watch(poller_of(c), c, EPOLLIN))
        conn_close(c);
}

static bool finished(const struct conn *c)
{
    const struct session *s = c->session;
    if (s->flags & SESSION_KILLED)
        return true;
    if (c->flags & CONN_EOF && s->flags & SESSION_BLOCKED)
        return true;
    bool executed = c->flags & CONN_EOF && !(c->flags & CONN_MORE);
    return (s->flags & SESSION_CLOSING || executed) && unsent(c) == 0;
}

void conn_finish(struct conn *c)
{
    bool polite = !(c->session->flags & SESSION_KILLED) && !(c->flags & CONN_EOF);
    if (polite && (c->flags & CONN_RUDE || c->input))
        linger(c);
    else
        conn_close(c);
}

static void promote(struct conn *c)
{
    const struct session *s = c->session;
    if (acl_must_login(s) || !is_up(c) || c->net->now - s->created < NEWCOMER_MS)
        return;
    conn_rest(c);
    c->flags &= (uint8_t)~CONN_NEW;
}

/* What to wait for. A blocked client is not read from, but that it leaves must be seen: what it
 * waits for would be handed to nobody. */
static void watch(struct conn *c)
{
    bool waits = (c->tail && is_up(c)) || (c->tls && tls_unsent(c->tls));
    uint32_t events = waits ? EPOLLOUT : 0;
    if (c->session->flags & SESSION_BLOCKED)
        events |= EPOLLRDHUP;
    else if (may_execute(c) && !(c->flags & (CONN_MORE | CONN_EOF)))
        events |= EPOLLIN | EPOLLRDHUP;
    if (c->flags & CONN_NEW)
        promote(c);
    if (!poller_watch(poller_of(c), c, events)) {
        c->session->flags |= SESSION_KILLED;
        conn_wake(c);
    }
}

/* Are there bytes to be read that the socket will not tell of? */
static bool has_more(const struct conn *c)
{
    return c->tls && tls_has_more(c->tls) && may_execute(c) && !(c->flags & (CONN_MORE | CONN_EOF));
}

void conn_settle(struct conn *c)
{
    if (c->flags & CONN_MORE && may_execute(c))
        execute_kept(c);
    else if (has_more(c))
        conn_read(c);
    if (!(c->session->flags & SESSION_KILLED) && (!flush(c) || !within_limits(c)))
        c->session->flags |= SESSION_KILLED;
    if (finished(c)) {
        conn_rest(c);
        list_append(&c->net->leaving, &c->link);
        return;
    }
    if ((c->flags & CONN_MORE && may_execute(c)) || has_more(c))
        conn_wake(c);
    if (ending(c))
        net_expect(c->net, conn_deadline(c));
    size_t before = c->counted;
    conn_account(c);
    if (c->counted > before)
        net_evict(c->net);
    watch(c);
}

/* Its memory goes at once, the rest when it is settled. */
void conn_evict(struct conn *c)
{
    struct session *s = c->session;
    session_close(s, true);
    drop_input(c);
    drop_tail(c);
    buf_free(&s->out);
    if (s->more)
        buf_free(&s->more->held);
    conn_account(c);
    conn_rest(c);
}

/* Giving up. */

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t conn_deadline(const struct conn *c)
{
    const struct config *cfg = c->net->config;
    const struct session *s = c->session;
    if (s == NULL)
        return c->tail->slow_since + LINGER_MS;
    int64_t at = WHEEL_NEVER;
    if (cfg->timeout && !(s->flags & (SESSION_BLOCKED | SESSION_PUBSUB | SESSION_MONITOR)))
        at = s->last_used + cfg->timeout * 1000;
    if (acl_must_login(s))
        at = sooner(at, s->created + AUTH_MS);
    if (!is_up(c))
        at = sooner(at, s->created + HANDSHAKE_MS);
    if (c->tail && c->tail->slow_since)
        at = sooner(at, c->tail->slow_since + output_limit(c)->seconds * 1000);
    if (ending(c))
        at = sooner(at, s->last_used + ENDING_MS);
    return at;
}

void conn_give_up(struct conn *c)
{
    struct net *n = c->net;
    if (c->tail && c->session && c->tail->slow_since) {
        n->engine->stats.output_limit_closed++;
        log_warning(n->log, "Client id=%llu closed for overcoming of output buffer limits.",
                    (unsigned long long)c->session->id);
    } else if (c->session) {
        log_verbose(n->log, "Closing idle client");
    }
    conn_close(c);
}

/* Beginning. */

void conn_new(struct net *n, int fd, uint32_t session_flags, bool tls)
{
    struct tls_stream *stream = tls ? tls_accept(n->tls, fd) : NULL;
    if (tls && stream == NULL) {
        close(fd);
        return;
    }
    struct conn *c = mem_alloc(sizeof *c);
    c->net = n;
    c->fd = fd;
    c->tls = stream;
    c->flags = CONN_NEW;
    list_init(&c->link);
    c->session = session_new(n->engine, c, session_flags);
    n->nconns++;
    net_expect(n, conn_deadline(c));
    conn_account(c);
    watch(c);
}

void conn_describe(const struct conn *c, bool addresses, struct session_facts *out)
{
    const struct buf *in = c->input ? &c->input->buf : NULL;
    *out = (struct session_facts){.fd = c->fd};
    if (addresses) {
        address_of_peer(c->fd, out->peer, sizeof out->peer);
        address_of_self(c->fd, out->local, sizeof out->local);
        out->known = c->session->flags & SESSION_UNIX &&
                     address_credentials(c->fd, &out->uid, &out->gid, &out->pid);
    }
    out->query = in ? buf_len(in) : 0;
    out->query_free = in ? in->cap - in->to : 0;
    out->memory = memory(c);
    out->reading = c->events & EPOLLIN;
    out->writing = c->events & EPOLLOUT;
}
