/* CLIENT TRACKING and what belongs to it. */
#include "server/commands/tracking.h"

#include "server/engine/call.h"
#include "server/engine/roster.h"
#include "server/engine/tracking.h"

struct request {
    unsigned options;
    struct session *redirect;
    struct bytes prefixes[TRACKING_PREFIXES];
    size_t n;
};

static bool refuse(struct call *c, const char *error)
{
    reply_error(c->reply, bytes_of(error));
    return false;
}

static bool read_redirect(struct call *c, size_t i, struct request *q)
{
    int64_t id;
    if (q->redirect)
        return refuse(c, "ERR A client can only redirect to a single other client");
    if (!call_int(c, i, &id))
        return false;
    q->redirect = id > 0 ? roster_find(c->engine, (uint64_t)id) : NULL;
    if (q->redirect == NULL)
        return refuse(c, "ERR The client ID you want redirect to does not exist");
    return true;
}

static bool read_prefix(struct call *c, size_t i, struct request *q)
{
    if (c->argv[i].n > TRACKING_PREFIX_MAX)
        return refuse(c, "ERR Prefix is too long");
    if (q->n == TRACKING_PREFIXES)
        return refuse(c, "ERR Too many prefixes");
    q->prefixes[q->n++] = c->argv[i];
    return true;
}

static bool read_flag(struct bytes word, struct request *q)
{
    static const struct {
        struct bytes word;
        unsigned option;
    } flags[] = {
        {BYTES("BCAST"), TRACKING_BCAST},
        {BYTES("OPTIN"), TRACKING_OPTIN},
        {BYTES("OPTOUT"), TRACKING_OPTOUT},
        {BYTES("NOLOOP"), TRACKING_NOLOOP},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (bytes_ieq(word, flags[i].word)) {
            q->options |= flags[i].option;
            return true;
        }
    }
    return false;
}

static bool read_request(struct call *c, struct request *q)
{
    for (size_t i = 3; i < c->argc; i++) {
        bool more = i + 1 < c->argc;
        if (bytes_is(c->argv[i], "REDIRECT") && more) {
            if (!read_redirect(c, ++i, q))
                return false;
        } else if (bytes_is(c->argv[i], "PREFIX") && more) {
            if (!read_prefix(c, ++i, q))
                return false;
        } else if (!read_flag(c->argv[i], q)) {
            call_syntax_error(c);
            return false;
        }
    }
    return true;
}

/* Do the options go together, and with what the client has already? */
static bool options_agree(struct call *c, const struct request *q)
{
    unsigned old = tracker_of(c->session)->options, new = q->options;
    if (q->n && !(new &TRACKING_BCAST))
        return refuse(c, "ERR PREFIX option requires BCAST mode to be enabled");
    if (c->session->flags & SESSION_TRACKING && (old ^ new) & TRACKING_BCAST)
        return refuse(c,
                      "ERR You can't switch BCAST mode on/off before disabling tracking for this "
                      "client, and then re-enabling it with a different mode.");
    if (new &TRACKING_BCAST &&new &(TRACKING_OPTIN | TRACKING_OPTOUT))
        return refuse(c, "ERR OPTIN and OPTOUT are not compatible with BCAST");
    if (new &TRACKING_OPTIN &&new &TRACKING_OPTOUT)
        return refuse(c, "ERR You can't specify both OPTIN mode and OPTOUT mode");
    if ((new &TRACKING_OPTIN &&old &TRACKING_OPTOUT) ||
        (new &TRACKING_OPTOUT &&old &TRACKING_OPTIN))
        return refuse(c,
                      "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this "
                      "client, and then re-enabling it with a different mode.");
    return true;
}

/* Is there room for them? */
static bool prefixes_fit(struct call *c, const struct request *q)
{
    size_t own = q->n, all = q->n + c->engine->tracking.nprefixes;
    list_each (l, &tracker_of(c->session)->prefixes)
        own++;
    if (q->n == 0 || (own <= TRACKING_PREFIXES && all <= TRACKING_PREFIXES_ALL))
        return true;
    return refuse(c, "ERR Too many prefixes");
}

static bool overlap(struct bytes a, struct bytes b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    return bytes_eq((struct bytes){a.p, n}, (struct bytes){b.p, n});
}

/* A key below two prefixes of one client would be told of twice. */
static bool prefixes_agree(struct call *c, const struct request *q)
{
    for (size_t i = 0; i < q->n; i++) {
        struct bytes prefix = q->prefixes[i];
        list_each (l, &tracker_of(c->session)->prefixes) {
            const struct prefix *p = container_of(l, struct prefix_use, in_tracker)->prefix;
            if (overlap(prefix, (struct bytes){p->text, p->n})) {
                reply_errorf(c->reply,
                             "ERR Prefix '%.*s' overlaps with an existing prefix '%.*s'. Prefixes "
                             "for a single client must not overlap.",
                             BYTES_FMT(prefix), (int)p->n, p->text);
                return false;
            }
        }
        for (size_t j = i + 1; j < q->n; j++) {
            if (overlap(prefix, q->prefixes[j])) {
                reply_errorf(c->reply,
                             "ERR Prefix '%.*s' overlaps with another provided prefix '%.*s'. "
                             "Prefixes for a single client must not overlap.",
                             BYTES_FMT(prefix), BYTES_FMT(q->prefixes[j]));
                return false;
            }
        }
    }
    return true;
}

static void apply(struct call *c, const struct request *q)
{
    if (call_arg_is(c, 2, BYTES("ON"))) {
        if (!options_agree(c, q) || !prefixes_fit(c, q) || !prefixes_agree(c, q))
            return;
        tracking_enable(c->session, q->options, q->redirect, q->prefixes, q->n);
    } else if (call_arg_is(c, 2, BYTES("OFF"))) {
        tracking_disable(c->session);
    } else {
        call_syntax_error(c);
        return;
    }
    reply_ok(c->reply);
}

void cmd_client_tracking(struct call *c)
{
    struct request q = {0};
    if (read_request(c, &q))
        apply(c, &q);
}

void cmd_client_caching(struct call *c)
{
    unsigned how = tracker_of(c->session)->options;
    if (!(c->session->flags & SESSION_TRACKING)) {
        refuse(c, "ERR CLIENT CACHING can be called only when the client is in tracking mode with "
                  "OPTIN or OPTOUT mode enabled");
        return;
    }
    bool yes = call_arg_is(c, 2, BYTES("YES"));
    if (!yes && !call_arg_is(c, 2, BYTES("NO"))) {
        call_syntax_error(c);
    } else if (yes && !(how & TRACKING_OPTIN)) {
        refuse(c, "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.");
    } else if (!yes && !(how & TRACKING_OPTOUT)) {
        refuse(c, "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.");
    } else {
        c->session->more->tracker->options |= TRACKING_CACHING;
        reply_ok(c->reply);
    }
}

void cmd_client_getredir(struct call *c)
{
    reply_int(c->reply, tracking_redirect_id(c->session));
}

static void reply_flags(struct call *c)
{
    unsigned o = tracker_of(c->session)->options;
    const struct {
        bool set;
        const char *name;
    } flags[] = {
        {true, c->session->flags & SESSION_TRACKING ? "on" : "off"},
        {o & TRACKING_BCAST, "bcast"},
        {o & TRACKING_OPTIN, "optin"},
        {o & TRACKING_OPTIN && o & TRACKING_CACHING, "caching-yes"},
        {o & TRACKING_OPTOUT, "optout"},
        {o & TRACKING_OPTOUT && o & TRACKING_CACHING, "caching-no"},
        {o & TRACKING_NOLOOP, "noloop"},
        {o & TRACKING_BROKEN, "broken_redirect"},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        n += flags[i].set;
    reply_set(c->reply, n);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].set)
            reply_str(c->reply, flags[i].name);
}

void cmd_client_trackinginfo(struct call *c)
{
    const struct list *prefixes = &tracker_of(c->session)->prefixes;
    size_t n = 0;
    reply_map(c->reply, 3);
    reply_str(c->reply, "flags");
    reply_flags(c);
    reply_str(c->reply, "redirect");
    reply_int(c->reply, tracking_redirect_id(c->session));
    reply_str(c->reply, "prefixes");
    list_each (l, prefixes)
        n++;
    reply_array(c->reply, n);
    list_each (l, prefixes) {
        const struct prefix *p = container_of(l, struct prefix_use, in_tracker)->prefix;
        reply_bulk(c->reply, (struct bytes){p->text, p->n});
    }
}
