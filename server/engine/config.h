/*
 * The configuration: every option the server knows, its present value, and how it is read and
 * printed. An option has one name, used as command line flag (--port), file directive (port),
 * CONFIG parameter and environment variable (LATCHD_PORT). The table is in options.c.
 *
 * Options that mean something here are typed members of struct config; read them directly and
 * change them through config_set only. Options of Redis that mean nothing here (persistence,
 * replication, clustering) are checked, kept as text and given back.
 *
 * Nothing here does I/O. Whoever must act on a change registers a hook.
 */
#ifndef SERVER_ENGINE_CONFIG_H
#define SERVER_ENGINE_CONFIG_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/list.h"
#include "store/event.h"

#include <stdint.h>

#define CONFIG_ERROR_MAX 512  /* room that every error text fits in */
#define CONFIG_PORT_AUTO (-1) /* `port auto`: any free port */
#define CONFIG_DB_MAX    1024

/* Whom the output limits are for. Pub/sub starts with a client's first subscription. */
enum client_class {
    CLIENT_CLASS_NORMAL,
    CLIENT_CLASS_REPLICA,
    CLIENT_CLASS_PUBSUB,
    CLIENT_CLASSES
};

struct output_limit {
    int64_t hard, soft; /* bytes; 0 is unlimited */
    int64_t seconds;    /* how long the soft limit may be exceeded */
};

enum config_allow { ALLOW_NO, ALLOW_YES, ALLOW_LOCAL }; /* local: unix socket and loopback only */
enum config_log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };
enum config_supervised { SUPERVISED_UPSTART, SUPERVISED_SYSTEMD, SUPERVISED_AUTO, SUPERVISED_NO };
enum config_tls_clients { TLS_CLIENTS_NO, TLS_CLIENTS_YES, TLS_CLIENTS_OPTIONAL };
enum config_channels { CHANNELS_ALL, CHANNELS_NONE };

/* An owned list of texts: bind addresses, lines of a directive that may be repeated. */
struct config_list {
    char **item;
    size_t n;
};

/* Strings are owned and never NULL. Numbers that count bytes or milliseconds say so. */
struct config {
    /* where to listen */
    struct config_list bind; /* "-" in front: may be missing; "*" and "::*" are all addresses */
    int64_t port;            /* 0: no TCP; CONFIG_PORT_AUTO until the shell has picked one */
    char *port_file;
    char *unixsocket;
    int64_t unixsocketperm; /* 0: as the umask has it */
    int64_t tcp_backlog;
    int64_t tcp_keepalive; /* seconds */
    int64_t timeout;       /* seconds of idleness after which a client is closed; 0 never */
    int64_t maxclients;

    /* who may talk */
    char *requirepass;
    char *requirepass_file;
    char *aclfile;
    int64_t acllog_max_len;
    int acl_pubsub_default; /* enum config_channels: what new users may use */
    bool protected_mode;
    int enable_debug_command;     /* enum config_allow */
    int enable_protected_configs; /* enum config_allow */
    struct config_list users;     /* `user` lines, without the word */
    struct config_list renames;   /* `rename-command`: from, to, from, to; "" removes */

    /* TLS */
    int64_t tls_port; /* as port */
    char *tls_cert_file, *tls_key_file, *tls_key_file_pass;
    char *tls_ca_cert_file, *tls_ca_cert_dir;
    int tls_auth_clients; /* enum config_tls_clients */
    char *tls_protocols;  /* "TLSv1.2 TLSv1.3"; "": both */
    char *tls_ciphers, *tls_ciphersuites;
    bool tls_prefer_server_ciphers;
    bool tls_session_caching;
    int64_t tls_session_cache_size, tls_session_cache_timeout; /* sessions, seconds */

    /* limits */
    int64_t databases;
    int64_t maxmemory;         /* bytes; 0: config_memory_limit says what it stands for */
    int64_t maxmemory_clients; /* bytes; negative: percent of the memory limit; 0 none */
    struct output_limit output_limit[CLIENT_CLASSES];
    int64_t client_query_buffer_limit; /* bytes */
    int64_t proto_max_bulk_len;        /* bytes */
    int64_t tracking_table_max_keys;
    int64_t busy_reply_threshold; /* ms after which a running script makes others see BUSY */
    int64_t script_size_limit;    /* bytes of one script's text */
    int64_t script_memory_limit;  /* bytes of the interpreter's heap */
    int64_t script_time_limit;    /* ms after which a script is ended; 0 never */

    /* watching it */
    char *http;                      /* where metrics are served: host:port; "": nowhere */
    struct config_list hold_warn;    /* pattern, ms, pattern, ms */
    unsigned notify;                 /* of NOTIFY_* */
    int64_t slowlog_log_slower_than; /* microseconds; negative: off; 0: every command */
    int64_t slowlog_max_len;
    int64_t latency_monitor_threshold; /* ms; 0: off */
    bool latency_tracking;
    char *latency_percentiles; /* "50 99 99.9" */
    int loglevel;              /* enum log_level */
    int log_format;            /* enum config_log_format */
    char *logfile;             /* "": standard output */

    /* the process */
    bool daemonize;
    int supervised; /* enum config_supervised */
    char *pidfile;
    char *dir;
    int64_t hz;               /* INFO shows it; the loop sleeps until something is due */
    int64_t shutdown_timeout; /* seconds */
    bool die_with_parent;
    bool test;           /* TEST.*, for test suites: moving time, faults */
    char *redis_version; /* the version that clients are told */

    /* sizes at which OBJECT ENCODING changes its answer */
    int64_t hash_max_listpack_entries, hash_max_listpack_value;
    int64_t set_max_intset_entries, set_max_listpack_entries, set_max_listpack_value;
    int64_t zset_max_listpack_entries, zset_max_listpack_value;
    int64_t list_max_listpack_size, list_compress_depth;

    /* not options: what the shell adds */
    char *file;                /* the configuration file's absolute path; NULL: none */
    int64_t default_maxmemory; /* bytes that maxmemory 0 stands for; 0: no limit */

    /* CONFIG REWRITE: gives the file new contents; on failure says why. NULL: cannot be done. */
    bool (*save)(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX]);
    void *save_ctx;

    char **kept;       /* text of options without a member, one slot per row of the table */
    struct list hooks; /* of struct config_hook */
};

void config_init(struct config *cfg);
void config_free(struct config *cfg);

/* The limit that memory is held to, in bytes; INT64_MAX when there is none. */
int64_t config_memory_limit(const struct config *cfg);

/* The limit on all clients' buffers together, in bytes; INT64_MAX when there is none. */
int64_t config_client_memory_limit(const struct config *cfg);

/* Did a command take long enough for SLOWLOG, for the latency monitor, for either? */
static inline bool config_slowlog_wants(const struct config *cfg, int64_t us)
{
    return cfg->slowlog_log_slower_than >= 0 && us >= cfg->slowlog_log_slower_than;
}

static inline bool config_latency_wants(const struct config *cfg, int64_t us)
{
    return cfg->latency_monitor_threshold > 0 && us / 1000 >= cfg->latency_monitor_threshold;
}

static inline bool config_is_slow(const struct config *cfg, int64_t us)
{
    return config_slowlog_wants(cfg, us) || config_latency_wants(cfg, us);
}

/*
 * Hooks. `apply` runs after CONFIG SET has changed the option called `name`, and may refuse: it
 * writes the reason to `why` and returns false. Then every option of that CONFIG SET gets its old
 * value back and the hooks that had run are run again.
 */
struct config_hook {
    struct list node;
    const char *name;
    bool (*apply)(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX]);
    void *ctx;
};

/* The hook stays the caller's and outlives the configuration or is unlinked before. */
void config_watch(struct config *cfg, struct config_hook *hook);

/*
 * One directive of a file or the command line: a name and its values. Immutable options may be
 * set, hooks do not run. On failure `why` holds the reason as Redis words it in its file errors.
 */
bool config_load(struct config *cfg, struct bytes name, const struct bytes *values, size_t n,
                 char why[CONFIG_ERROR_MAX]);

/*
 * CONFIG SET: `pairs` holds name, value, name, value; all are set or none. `local` says that the
 * client came over a unix socket or loopback, which decides on protected options. On failure
 * `why` holds the whole error text, from "ERR" on.
 */
bool config_set(struct config *cfg, const struct bytes *pairs, size_t npairs, bool local,
                char why[CONFIG_ERROR_MAX]);

/* The text of a new configuration file: `old` with the values that changed since, its comments and
 * order kept, and what is neither in it nor at its default appended. */
void config_rewrite(const struct config *cfg, struct bytes old, struct buf *out);

/*
 * The table, for those who list options: CONFIG GET with a pattern, --help, the environment.
 */
enum option_flag {
    OPTION_IMMUTABLE = 1 << 0, /* only from file, flag or environment */
    OPTION_MULTI = 1 << 1,     /* takes several values */
    OPTION_ACCEPTED = 1 << 2,  /* Redis has it; here it only keeps its value */
    OPTION_HIDDEN = 1 << 3,    /* not listed by patterns */
    OPTION_SENSITIVE = 1 << 4, /* its value is not to be logged */
    OPTION_PROTECTED = 1 << 5, /* CONFIG SET only as enable-protected-configs allows */
    OPTION_OURS = 1 << 6,      /* Redis does not have it */
};

struct option {
    const char *name;
    const char *alias; /* an older name, or NULL */
    const char *help;  /* one line; NULL for accepted options */
    const char *init;  /* the default, as text */
    unsigned flags;
    const struct option_kind *kind;
    size_t offset;            /* of the member in struct config */
    int64_t min, max;         /* bounds of numbers */
    const char *const *words; /* the names of an enumeration, NULL at the end */
};

extern const struct option options[];
extern const size_t noptions;

/* By name or alias, in any case; NULL when there is none. */
const struct option *option_find(struct bytes name);

/* The option's value, as CONFIG GET prints it. */
void option_print(const struct option *o, const struct config *cfg, struct buf *out);

#endif
