#include "server/http/http.h"

#include "base/mem.h"
#include "base/num.h"
#include "server/http/locks.h"
#include "server/http/metrics.h"
#include "server/http/request.h"

#include <netdb.h>
#include <stdio.h>

enum { CONNS_MAX = 32, BACKLOG = 32 };

/* /locks shows the oldest; `total` says how many there are. Keys are looked at in small shares. */
enum { LOCKS_MAX = 1000, KEYS_PER_TURN = 1000 };

/* One connection, one request. */
struct http_conn {
    struct http *http;
    struct list link;
    uv_tcp_t tcp;
    uv_timer_t patience;
    int handles; /* that are not closed yet */
    uv_write_t write;
    struct lock_search *search; /* for /locks, until it has seen all; else NULL */
    struct buf in, out;
    char head[256]; /* of the answer */
};

static void on_closed(uv_handle_t *handle)
{
    struct http_conn *c = handle->data;
    if (--c->handles)
        return;
    lock_search_free(c->search);
    buf_free(&c->in);
    buf_free(&c->out);
    mem_free(c);
}

static void close_conn(struct http_conn *c)
{
    if (uv_is_closing((uv_handle_t *)&c->tcp))
        return;
    list_unlink(&c->link);
    c->http->nconns--;
    uv_close((uv_handle_t *)&c->tcp, on_closed);
    uv_close((uv_handle_t *)&c->patience, on_closed);
}

/* Answers. */

static const char *reason(int status)
{
    switch (status) {
    case 200: return "OK";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 431: return "Request Header Fields Too Large";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Bad Request";
    }
}

static void on_written(uv_write_t *w, int status)
{
    (void)status;
    close_conn(w->data);
}

/* Sends what is in c->out. */
static void answer(struct http_conn *c, int status, const char *type)
{
    int n = snprintf(c->head, sizeof c->head,
                     "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                     "Cache-Control: no-store\r\n%sConnection: close\r\n\r\n",
                     status, reason(status), type, buf_len(&c->out),
                     status == 405 ? "Allow: GET\r\n" : "");
    uv_buf_t parts[] = {uv_buf_init(c->head, (unsigned)n),
                        uv_buf_init(c->out.p + c->out.from, (unsigned)buf_len(&c->out))};
    c->write.data = c;
    uv_read_stop((uv_stream_t *)&c->tcp);
    if (uv_write(&c->write, (uv_stream_t *)&c->tcp, parts, 2, on_written) != 0)
        close_conn(c);
}

static void answer_text(struct http_conn *c, int status, const char *text)
{
    buf_printf(&c->out, "%s\n", text);
    answer(c, status, "text/plain; charset=utf-8");
}

static bool mentions(struct bytes text, const char *word)
{
    return text.n && memmem(text.p, text.n, word, strlen(word));
}

/* OpenMetrics, unless only the older format is asked for. */
static void answer_metrics(struct http_conn *c, const struct http_request *r)
{
    const struct http *h = c->http;
    bool old = mentions(r->accept, "text/plain") && !mentions(r->accept, "openmetrics");
    metrics_print(
        &(struct metrics_options){.engine = h->o.engine, .lag = &h->lag, .old_format = old},
        &c->out);
    answer(c, 200,
           old ? "text/plain; version=0.0.4; charset=utf-8"
               : "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

static void answer_ready(struct http_conn *c)
{
    bool ready = c->http->o.ready(c->http->o.ctx);
    answer_text(c, ready ? 200 : 503, ready ? "ready" : "shutting down");
}

static void answer_locks(struct http_conn *c)
{
    http_locks_print(c->search, &c->out);
    lock_search_free(c->search);
    c->search = NULL;
    answer(c, 200, "application/json");
}

/* One of those who wait goes on; the others have their turn behind it. */
static void on_searching(uv_idle_t *idle)
{
    struct http *h = idle->data;
    list_each (pos, &h->conns) {
        struct http_conn *c = container_of(pos, struct http_conn, link);
        if (c->search == NULL)
            continue;
        list_unlink(&c->link);
        list_append(&h->conns, &c->link);
        if (!lock_search_step(c->search, KEYS_PER_TURN))
            answer_locks(c);
        return;
    }
    uv_idle_stop(idle);
}

static void search_locks(struct http_conn *c)
{
    uv_read_stop((uv_stream_t *)&c->tcp);
    c->search = lock_search_new(c->http->o.engine, NULL, BYTES("*"), LOCKS_MAX);
    uv_idle_start(&c->http->searching, on_searching);
}

static void serve(struct http_conn *c, const struct http_request *r)
{
    engine_advance(c->http->o.engine, c->http->o.now(c->http->o.ctx)); /* what is shown is now */
    if (bytes_eq(r->path, BYTES("/metrics")))
        answer_metrics(c, r);
    else if (bytes_eq(r->path, BYTES("/locks")))
        search_locks(c);
    else if (bytes_eq(r->path, BYTES("/healthz")))
        answer_text(c, 200, "ok");
    else if (bytes_eq(r->path, BYTES("/readyz")))
        answer_ready(c);
    else
        answer_text(c, 404, "There are /metrics, /healthz, /readyz and /locks.");
}

/* Requests. */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct http_conn *c = handle->data;
    (void)suggested;
    *out = uv_buf_init(buf_room(&c->in, 1024), 1024);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *unused)
{
    struct http_conn *c = stream->data;
    struct http_request r;
    (void)unused;
    if (n < 0) {
        close_conn(c);
        return;
    }
    buf_added(&c->in, (size_t)n);
    switch (http_parse(buf_bytes(&c->in), &r)) {
    case HTTP_REQUEST: serve(c, &r); break;
    case HTTP_REFUSED: answer_text(c, r.status, reason(r.status)); break;
    case HTTP_MORE: break;
    }
}

static void on_patience_end(uv_timer_t *t)
{
    close_conn(t->data);
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct http *h = listener->data;
    if (status < 0)
        return;
    struct http_conn *c = mem_alloc(sizeof *c);
    c->http = h;
    c->handles = 2;
    uv_tcp_init(h->o.loop, &c->tcp);
    uv_timer_init(h->o.loop, &c->patience);
    c->tcp.data = c->patience.data = c;
    list_append(&h->conns, &c->link);
    h->nconns++;
    if (uv_accept(listener, (uv_stream_t *)&c->tcp) != 0 || h->nconns > CONNS_MAX ||
        uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) != 0)
        close_conn(c);
    else
        uv_timer_start(&c->patience, on_patience_end, h->o.patience, 0);
}

/* What a turn took is what lies between two of its ends, less what the loop waited in between. */
static void on_turn(uv_prepare_t *p)
{
    struct http *h = p->data;
    uint64_t now = uv_hrtime(), idle = uv_metrics_idle_time(h->o.loop);
    uint64_t spent = now - h->turned, waited = idle - h->idle;
    if (h->turned)
        histogram_add(&h->lag, spent > waited ? (spent - waited) / 1000 : 0);
    h->turned = now;
    h->idle = idle;
}

/* Where it listens. */

/* "host:port", and "[host]:port" where the host has colons of its own. */
static bool resolve(const char *address, struct addrinfo **found)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    char host[256];
    int64_t port;
    const char *colon = strrchr(address, ':');
    size_t n = colon ? (size_t)(colon - address) : 0;
    if (colon == NULL || n >= sizeof host || !num_parse_i64(bytes_of(colon + 1), &port) ||
        port < 0 || port > UINT16_MAX)
        return false;
    bool bracketed = n >= 2 && address[0] == '[' && address[n - 1] == ']';
    snprintf(host, sizeof host, "%.*s", (int)(bracketed ? n - 2 : n), address + bracketed);
    return getaddrinfo(host[0] && strcmp(host, "*") != 0 ? host : NULL, colon + 1, &hints, found) ==
           0;
}

static int listen_at(struct http *h, const struct sockaddr *to)
{
    uv_tcp_init(h->o.loop, &h->listener);
    h->listener.data = h;
    int r = uv_tcp_bind(&h->listener, to, 0);
    return r ? r : uv_listen((uv_stream_t *)&h->listener, BACKLOG, on_connection);
}

static void log_address(struct http *h)
{
    struct sockaddr_storage a = {0};
    int n = sizeof a;
    char host[128] = "", port[8] = "";
    uv_tcp_getsockname(&h->listener, (struct sockaddr *)&a, &n);
    getnameinfo((struct sockaddr *)&a, (socklen_t)n, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    log_notice(h->o.log, "Metrics and health on http://%s%s%s:%s/", strchr(host, ':') ? "[" : "",
               host, strchr(host, ':') ? "]" : "", port);
}

bool http_open(struct http *h, const struct http_options *o)
{
    struct addrinfo *found;
    h->o = *o;
    list_init(&h->conns);
    if (!resolve(o->address, &found)) {
        log_warning(o->log, "http: \"%s\" is no address and port.", o->address);
        return false;
    }
    h->open = true;
    int r = listen_at(h, found->ai_addr);
    freeaddrinfo(found);
    uv_loop_configure(o->loop, UV_METRICS_IDLE_TIME);
    uv_idle_init(o->loop, &h->searching);
    uv_prepare_init(o->loop, &h->turn);
    h->searching.data = h->turn.data = h;
    uv_prepare_start(&h->turn, on_turn);
    if (r == 0)
        log_address(h);
    else
        log_warning(o->log, "http: cannot listen on %s: %s", o->address, uv_strerror(r));
    return r == 0;
}

void http_close(struct http *h)
{
    if (!h->open)
        return;
    h->open = false;
    while (!list_empty(&h->conns))
        close_conn(container_of(h->conns.next, struct http_conn, link));
    uv_close((uv_handle_t *)&h->listener, NULL);
    uv_close((uv_handle_t *)&h->searching, NULL);
    uv_close((uv_handle_t *)&h->turn, NULL);
}
