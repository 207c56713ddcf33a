/*
 * Every option there is. First those that mean something here, grouped as in struct config; then
 * those of Redis that do not (there is no disk, no replica, no cluster, nothing is evicted), with
 * the defaults of Redis 7.4, so that files and tools written for Redis work unchanged.
 *
 * Where a default differs from Redis's, the row says why.
 */
#include "server/engine/option_kind.h"

#include <limits.h>

#define MB(n) ((int64_t)(n) << 20)

/* Rows with a member in struct config. */
#define OPTION(n, m, k, d, f, lo, hi, h)                                                           \
    {                                                                                              \
        .name = n, .kind = &kind_##k, .init = d, .flags = f, .min = lo, .max = hi,                 \
        .offset = offsetof(struct config, m), .help = h                                            \
    }
#define BOOL(n, m, d, f, h)           OPTION(n, m, bool, d, f, 0, 0, h)
#define INT(n, m, d, f, lo, hi, h)    OPTION(n, m, int, d, f, lo, hi, h)
#define MEMORY(n, m, d, f, lo, hi, h) OPTION(n, m, memory, d, f, lo, hi, h)
#define TEXT(n, m, d, f, h)           OPTION(n, m, text, d, f, 0, 0, h)
#define WORD(n, m, d, f, list, h)                                                                  \
    {                                                                                              \
        .name = n, .kind = &kind_word, .init = d, .flags = f, .words = list,                       \
        .offset = offsetof(struct config, m), .help = h                                            \
    }
#define INT_ALIAS(n, a, m, d, hi, h)                                                               \
    {                                                                                              \
        .name = n, .alias = a, .kind = &kind_int, .init = d, .max = hi,                            \
        .offset = offsetof(struct config, m), .help = h                                            \
    }

/* Rows of Redis's options that only keep their value. */
#define KEEP(n, a, k, d, f, lo, hi)                                                                \
    {                                                                                              \
        .name = n, .alias = a, .kind = &kind_##k, .init = d, .flags = (f) | OPTION_ACCEPTED,       \
        .min = lo, .max = hi                                                                       \
    }
#define KEEP_BOOL(n, a, d, f)        KEEP(n, a, bool, d, f, 0, 0)
#define KEEP_INT(n, a, d, f, lo, hi) KEEP(n, a, int, d, f, lo, hi)
#define KEEP_MEM(n, d, lo, hi)       KEEP(n, NULL, memory, d, 0, lo, hi)
#define KEEP_TEXT(n, a, d, f)        KEEP(n, a, text, d, f, 0, 0)
#define KEEP_WORD(n, d, f, list)                                                                   \
    {                                                                                              \
        .name = n, .kind = &kind_word, .init = d, .flags = (f) | OPTION_ACCEPTED, .words = list    \
    }

#define FIXED  OPTION_IMMUTABLE
#define MULTI  OPTION_MULTI
#define SECRET OPTION_SENSITIVE
#define OURS   OPTION_OURS
#define HIDDEN OPTION_HIDDEN

/* In the order in which Redis names them when none of them was given. */
static const char *const log_levels[] = {"debug", "verbose", "notice", "warning", "nothing", NULL};
static const char *const log_formats[] = {"text", "json", NULL};
static const char *const supervisors[] = {"upstart", "systemd", "auto", "no", NULL};
static const char *const allowances[] = {"no", "yes", "local", NULL};
static const char *const channels[] = {"allchannels", "resetchannels", NULL};
static const char *const policies[] = {"volatile-lru",   "volatile-lfu", "volatile-random",
                                       "volatile-ttl",   "allkeys-lru",  "allkeys-lfu",
                                       "allkeys-random", "noeviction",   NULL};
static const char *const fsyncs[] = {"everysec", "always", "no", NULL};
static const char *const diskless_loads[] = {"disabled", "on-empty-db", "swapdb", NULL};
static const char *const tls_clients[] = {"no", "yes", "optional", NULL};
static const char *const oom_adjusts[] = {"no", "yes", "relative", "absolute", NULL};
static const char *const sanitizes[] = {"no", "yes", "clients", NULL};
static const char *const endpoints[] = {"ip", "hostname", "unknown-endpoint", NULL};
static const char *const propagations[] = {"ignore", "panic", "panic-on-replicas", NULL};
static const char *const facilities[] = {"user",   "local0", "local1", "local2", "local3",
                                         "local4", "local5", "local6", "local7", NULL};

const struct option options[] = {
    /* where to listen */
    OPTION("bind", bind, list, "127.0.0.1 -::1", MULTI, 0, 16,
           "addresses to listen on; a leading - allows one to be missing"),
    OPTION("port", port, port, "6379", 0, 0, 65535, "TCP port; 0 for none, auto for any free one"),
    TEXT("port-file", port_file, "", FIXED | OURS, "file that is given the port number"),
    TEXT("unixsocket", unixsocket, "", FIXED, "path of a unix socket to listen on"),
    OPTION("unixsocketperm", unixsocketperm, octal, "0", FIXED, 0, 0777,
           "its permissions, in octal; 0 leaves them to the umask"),
    INT("tcp-backlog", tcp_backlog, "511", FIXED, 0, INT_MAX, "connections waiting to be accepted"),
    /* Redis has 300. A holder that vanished should be noticed within two minutes. */
    INT("tcp-keepalive", tcp_keepalive, "60", 0, 0, INT_MAX,
        "seconds of silence before a peer is probed; 0 for never"),
    INT("timeout", timeout, "0", 0, 0, INT_MAX,
        "seconds of idleness before a client is closed; 0 for never"),
    INT("maxclients", maxclients, "10000", 0, 1, UINT_MAX, "connections at a time"),

    /* who may talk */
    OPTION("requirepass", requirepass, text, "", SECRET, 0, 512, "password of the default user"),
    TEXT("requirepass-file", requirepass_file, "", FIXED | OURS, "file that holds the password"),
    TEXT("aclfile", aclfile, "", FIXED, "file with users and what they may do"),
    INT("acllog-max-len", acllog_max_len, "128", 0, 0, LONG_MAX, "entries that ACL LOG keeps"),
    WORD("acl-pubsub-default", acl_pubsub_default, "resetchannels", 0, channels,
         "channels that new users may use"),
    BOOL("protected-mode", protected_mode, "yes", 0,
         "without a password, talk to this machine only"),
    WORD("enable-debug-command", enable_debug_command, "no", FIXED, allowances,
         "who may use DEBUG"),
    WORD("enable-protected-configs", enable_protected_configs, "no", FIXED, allowances,
         "who may set protected options such as dir"),

    /* TLS */
    OPTION("tls-port", tls_port, port, "0", 0, 0, 65535, "the same as port, but for TLS"),
    TEXT("tls-cert-file", tls_cert_file, "", 0, "the server's certificate and those above it, PEM"),
    TEXT("tls-key-file", tls_key_file, "", 0, "its private key, PEM"),
    TEXT("tls-key-file-pass", tls_key_file_pass, "", SECRET, "the key's password, if it has one"),
    TEXT("tls-ca-cert-file", tls_ca_cert_file, "", 0, "whom clients' certificates must come from"),
    TEXT("tls-ca-cert-dir", tls_ca_cert_dir, "", 0, "the same, as a directory"),
    WORD("tls-auth-clients", tls_auth_clients, "yes", 0, tls_clients,
         "whether clients must have a certificate"),
    /* Redis knows TLS 1.0 and 1.1, too. */
    TEXT("tls-protocols", tls_protocols, "", 0, "TLSv1.2, TLSv1.3; empty for both"),
    TEXT("tls-ciphers", tls_ciphers, "", 0, "ciphers for TLS 1.2, in OpenSSL's words"),
    TEXT("tls-ciphersuites", tls_ciphersuites, "", 0, "the same for TLS 1.3"),
    BOOL("tls-prefer-server-ciphers", tls_prefer_server_ciphers, "no", 0,
         "choose the cipher by the server's order"),
    BOOL("tls-session-caching", tls_session_caching, "yes", 0,
         "let clients that come back skip half the handshake"),
    INT("tls-session-cache-size", tls_session_cache_size, "20480", 0, 0, INT_MAX,
        "sessions that are remembered; 0 for no limit"),
    INT("tls-session-cache-timeout", tls_session_cache_timeout, "300", 0, 0, INT_MAX,
        "seconds that they are remembered"),

    /* limits */
    INT("databases", databases, "16", FIXED, 1, CONFIG_DB_MAX, "databases for SELECT"),
    MEMORY("maxmemory", maxmemory, "0", 0, 0, INT64_MAX,
           "memory for keys and subscriptions; 0 for three quarters of the machine's"),
    /* Redis has 0, no limit: a few clients that do not read could then take all memory. On a small
     * machine it is a quarter of the memory, see main.c. */
    OPTION("maxmemory-clients", maxmemory_clients, share, "256mb", 0, -100, INT64_MAX,
           "memory for all clients together, buffers, queues and subscriptions; 0 for no limit"),
    /* Redis has no limit for normal clients, for the same reason. */
    OPTION("client-output-buffer-limit", output_limit, output_limit,
           "normal 268435456 67108864 60 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
           MULTI, 0, 0, "unread output per client: class, hard limit, soft limit, seconds"),
    MEMORY("client-query-buffer-limit", client_query_buffer_limit, "1gb", 0, MB(1), LONG_MAX,
           "unfinished input per client"),
    MEMORY("proto-max-bulk-len", proto_max_bulk_len, "512mb", 0, MB(1), LONG_MAX,
           "largest single argument"),
    INT("tracking-table-max-keys", tracking_table_max_keys, "1000000", 0, 0, LONG_MAX,
        "keys that are remembered for client side caching"),
    INT_ALIAS("busy-reply-threshold", "lua-time-limit", busy_reply_threshold, "5000", LONG_MAX,
              "milliseconds after which a running script makes others see BUSY"),
    MEMORY("script-size-limit", script_size_limit, "1mb", OURS, 1024, MB(64),
           "longest script text"),
    MEMORY("script-memory-limit", script_memory_limit, "64mb", OURS, MB(1), LONG_MAX,
           "memory for the script interpreter, and again for all scripts' texts"),
    INT("script-time-limit", script_time_limit, "0", OURS, 0, LONG_MAX,
        "milliseconds after which a script is ended; 0 for never"),

    /* watching it */
    TEXT("http", http, "", FIXED | OURS,
         "address and port for /metrics, /healthz, /readyz and /locks, such as 127.0.0.1:9379"),
    OPTION("notify-keyspace-events", notify, notify, "", 0, 0, 0,
           "events that are published, in Redis's letters"),
    OPTION("hold-warn", hold_warn, holds, "", MULTI | OURS, 0, 0,
           "pattern and milliseconds, repeated: report locks that are held longer"),
    INT("slowlog-log-slower-than", slowlog_log_slower_than, "10000", 0, -1, LLONG_MAX,
        "microseconds from which SLOWLOG records a command; -1 for never"),
    INT("slowlog-max-len", slowlog_max_len, "128", 0, 0, LONG_MAX, "entries that SLOWLOG keeps"),
    INT("latency-monitor-threshold", latency_monitor_threshold, "0", 0, 0, LLONG_MAX,
        "milliseconds from which LATENCY records an event; 0 for never"),
    BOOL("latency-tracking", latency_tracking, "yes", 0, "measure every command for INFO"),
    OPTION("latency-tracking-info-percentiles", latency_percentiles, percentiles, "50 99 99.9",
           MULTI, 0, 0, "percentiles that INFO latencystats shows"),
    WORD("loglevel", loglevel, "notice", 0, log_levels, "least important lines to log"),
    WORD("log-format", log_format, "text", FIXED | OURS, log_formats, "form of log lines"),
    TEXT("logfile", logfile, "", FIXED, "file to log to instead of standard output"),

    /* the process */
    BOOL("daemonize", daemonize, "no", FIXED, "go to the background"),
    WORD("supervised", supervised, "no", FIXED, supervisors, "who is told when it is ready"),
    TEXT("pidfile", pidfile, "", FIXED, "file that is given the process id"),
    OPTION("dir", dir, text, "", OPTION_PROTECTED, 0, 0, "working directory"),
    OPTION("hz", hz, hz, "10", 0, 0, INT_MAX,
           "shown by INFO; the server wakes when something is due"),
    INT("shutdown-timeout", shutdown_timeout, "10", 0, 0, INT_MAX,
        "seconds to finish what was begun when stopping"),
    BOOL("die-with-parent", die_with_parent, "no", FIXED | OURS,
         "end when the process that started this one ends"),
    BOOL("test", test, "no", FIXED | OURS, "TEST.*, for test suites: moving time, faults"),
    TEXT("redis-version", redis_version, "7.4.2", FIXED | OURS,
         "version of Redis that clients are told"),

    /* encodings */
    INT_ALIAS("hash-max-listpack-entries", "hash-max-ziplist-entries", hash_max_listpack_entries,
              "512", LONG_MAX, "fields up to which OBJECT ENCODING calls a hash a listpack"),
    {.name = "hash-max-listpack-value",
     .alias = "hash-max-ziplist-value",
     .kind = &kind_memory,
     .init = "64",
     .max = LONG_MAX,
     .offset = offsetof(struct config, hash_max_listpack_value),
     .help = "bytes of a field or value, likewise"},
    INT("set-max-intset-entries", set_max_intset_entries, "512", 0, 0, LONG_MAX,
        "members up to which a set of integers is called an intset"),
    INT("set-max-listpack-entries", set_max_listpack_entries, "128", 0, 0, LONG_MAX,
        "members up to which a set is called a listpack"),
    MEMORY("set-max-listpack-value", set_max_listpack_value, "64", 0, 0, LONG_MAX,
           "bytes of a member, likewise"),
    INT_ALIAS("zset-max-listpack-entries", "zset-max-ziplist-entries", zset_max_listpack_entries,
              "128", LONG_MAX, "members up to which a sorted set is called a listpack"),
    {.name = "zset-max-listpack-value",
     .alias = "zset-max-ziplist-value",
     .kind = &kind_memory,
     .init = "64",
     .max = LONG_MAX,
     .offset = offsetof(struct config, zset_max_listpack_value),
     .help = "bytes of a member, likewise"},
    {.name = "list-max-listpack-size",
     .alias = "list-max-ziplist-size",
     .kind = &kind_int,
     .init = "-2",
     .min = INT_MIN,
     .max = INT_MAX,
     .offset = offsetof(struct config, list_max_listpack_size),
     .help = "elements, or -1 to -5 for 4kb to 64kb, up to which a list is called a listpack"},
    INT("list-compress-depth", list_compress_depth, "0", 0, 0, INT_MAX, "lists are not compressed"),

    /* accepted: memory and eviction */
    KEEP_WORD("maxmemory-policy", "noeviction", 0, policies),
    KEEP_INT("maxmemory-samples", NULL, "5", 0, 1, 64),
    KEEP_INT("maxmemory-eviction-tenacity", NULL, "10", 0, 0, 100),
    KEEP_INT("lfu-log-factor", NULL, "10", 0, 0, INT_MAX),
    KEEP_INT("lfu-decay-time", NULL, "1", 0, 0, INT_MAX),
    KEEP_INT("active-expire-effort", NULL, "1", 0, 1, 10),
    KEEP_BOOL("lazyfree-lazy-eviction", NULL, "no", 0),
    KEEP_BOOL("lazyfree-lazy-expire", NULL, "no", 0),
    KEEP_BOOL("lazyfree-lazy-server-del", NULL, "no", 0),
    KEEP_BOOL("lazyfree-lazy-user-del", NULL, "no", 0),
    KEEP_BOOL("lazyfree-lazy-user-flush", NULL, "no", 0),
    KEEP_BOOL("activerehashing", NULL, "yes", 0),
    KEEP_BOOL("activedefrag", NULL, "no", 0),
    KEEP_MEM("active-defrag-ignore-bytes", "100mb", 1, LLONG_MAX),
    KEEP_INT("active-defrag-threshold-lower", NULL, "10", 0, 0, 1000),
    KEEP_INT("active-defrag-threshold-upper", NULL, "100", 0, 0, 1000),
    KEEP_INT("active-defrag-cycle-min", NULL, "1", 0, 1, 99),
    KEEP_INT("active-defrag-cycle-max", NULL, "25", 0, 1, 99),
    KEEP_INT("active-defrag-max-scan-fields", NULL, "1000", 0, 1, LONG_MAX),
    KEEP_BOOL("jemalloc-bg-thread", NULL, "yes", 0),
    KEEP_MEM("hll-sparse-max-bytes", "3000", 0, LONG_MAX),
    KEEP_MEM("stream-node-max-bytes", "4096", 0, LONG_MAX),
    KEEP_INT("stream-node-max-entries", NULL, "100", 0, 0, LLONG_MAX),

    /* accepted: persistence */
    KEEP("save", NULL, save, "3600 1 300 100 60 10000", MULTI, 0, 0),
    KEEP_BOOL("stop-writes-on-bgsave-error", NULL, "yes", 0),
    KEEP_BOOL("rdbcompression", NULL, "yes", 0),
    KEEP_BOOL("rdbchecksum", NULL, "yes", FIXED),
    KEEP_BOOL("rdb-save-incremental-fsync", NULL, "yes", 0),
    KEEP_BOOL("rdb-del-sync-files", NULL, "no", 0),
    KEEP("dbfilename", NULL, file_name, "dump.rdb", OPTION_PROTECTED, 0, 0),
    KEEP_WORD("sanitize-dump-payload", "no", 0, sanitizes),
    KEEP_BOOL("appendonly", NULL, "no", 0),
    KEEP("appendfilename", NULL, file_name, "appendonly.aof", FIXED, 0, 0),
    KEEP("appenddirname", NULL, file_name, "appendonlydir", FIXED, 0, 0),
    KEEP_WORD("appendfsync", "everysec", 0, fsyncs),
    KEEP_BOOL("no-appendfsync-on-rewrite", NULL, "no", 0),
    KEEP_INT("auto-aof-rewrite-percentage", NULL, "100", 0, 0, INT_MAX),
    KEEP_MEM("auto-aof-rewrite-min-size", "64mb", 0, LLONG_MAX),
    KEEP_BOOL("aof-load-truncated", NULL, "yes", 0),
    KEEP_BOOL("aof-use-rdb-preamble", NULL, "yes", 0),
    KEEP_BOOL("aof-timestamp-enabled", NULL, "no", 0),
    KEEP_BOOL("aof-rewrite-incremental-fsync", NULL, "yes", 0),
    KEEP_BOOL("aof-disable-auto-gc", NULL, "no", HIDDEN),
    KEEP("shutdown-on-sigint", NULL, words, "default", MULTI, 0, 0),
    KEEP("shutdown-on-sigterm", NULL, words, "default", MULTI, 0, 0),

    /* accepted: replication */
    KEEP("replicaof", "slaveof", replicaof, "no one", FIXED | MULTI, 0, 0),
    KEEP_TEXT("masteruser", NULL, "", SECRET),
    KEEP_TEXT("masterauth", NULL, "", SECRET),
    KEEP_BOOL("replica-serve-stale-data", "slave-serve-stale-data", "yes", 0),
    KEEP_BOOL("replica-read-only", "slave-read-only", "yes", 0),
    KEEP_BOOL("replica-ignore-maxmemory", "slave-ignore-maxmemory", "yes", 0),
    KEEP_BOOL("replica-lazy-flush", "slave-lazy-flush", "no", 0),
    KEEP_BOOL("replica-announced", NULL, "yes", 0),
    KEEP_BOOL("replica-ignore-disk-write-errors", NULL, "no", 0),
    KEEP_INT("replica-priority", "slave-priority", "100", 0, 0, INT_MAX),
    KEEP_TEXT("replica-announce-ip", "slave-announce-ip", "", 0),
    KEEP_INT("replica-announce-port", "slave-announce-port", "0", 0, 0, 65535),
    KEEP_INT("min-replicas-to-write", "min-slaves-to-write", "0", 0, 0, INT_MAX),
    KEEP_INT("min-replicas-max-lag", "min-slaves-max-lag", "10", 0, 0, INT_MAX),
    KEEP_BOOL("repl-diskless-sync", NULL, "yes", 0),
    KEEP_INT("repl-diskless-sync-delay", NULL, "5", 0, 0, INT_MAX),
    KEEP_INT("repl-diskless-sync-max-replicas", NULL, "0", 0, 0, INT_MAX),
    KEEP_WORD("repl-diskless-load", "disabled", 0, diskless_loads),
    KEEP_INT("repl-ping-replica-period", "repl-ping-slave-period", "10", 0, 1, INT_MAX),
    KEEP_INT("repl-timeout", NULL, "60", 0, 1, INT_MAX),
    KEEP_BOOL("repl-disable-tcp-nodelay", NULL, "no", 0),
    KEEP_MEM("repl-backlog-size", "1mb", 1, LLONG_MAX),
    KEEP_INT("repl-backlog-ttl", NULL, "3600", 0, 0, LONG_MAX),
    KEEP_WORD("propagation-error-behavior", "ignore", 0, propagations),

    /* accepted: cluster */
    KEEP_BOOL("cluster-enabled", NULL, "no", FIXED),
    KEEP_TEXT("cluster-config-file", NULL, "nodes.conf", FIXED),
    KEEP_INT("cluster-port", NULL, "0", FIXED, 0, 65535),
    KEEP_INT("cluster-node-timeout", NULL, "15000", 0, 0, LLONG_MAX),
    KEEP_INT("cluster-migration-barrier", NULL, "1", 0, 0, INT_MAX),
    KEEP_INT("cluster-replica-validity-factor", "cluster-slave-validity-factor", "10", 0, 0,
             INT_MAX),
    KEEP_BOOL("cluster-replica-no-failover", "cluster-slave-no-failover", "no", 0),
    KEEP_BOOL("cluster-require-full-coverage", NULL, "yes", 0),
    KEEP_BOOL("cluster-allow-reads-when-down", NULL, "no", 0),
    KEEP_BOOL("cluster-allow-pubsubshard-when-down", NULL, "yes", 0),
    KEEP_BOOL("cluster-allow-replica-migration", NULL, "yes", 0),
    KEEP_MEM("cluster-link-sendbuf-limit", "0", 0, LLONG_MAX),
    KEEP_TEXT("cluster-announce-ip", NULL, "", 0),
    KEEP_TEXT("cluster-announce-hostname", NULL, "", 0),
    KEEP_TEXT("cluster-announce-human-nodename", NULL, "", 0),
    KEEP_INT("cluster-announce-port", NULL, "0", 0, 0, 65535),
    KEEP_INT("cluster-announce-bus-port", NULL, "0", 0, 0, 65535),
    KEEP_INT("cluster-announce-tls-port", NULL, "0", 0, 0, 65535),
    KEEP_WORD("cluster-preferred-endpoint-type", "ip", 0, endpoints),

    /* accepted: TLS */
    KEEP_TEXT("tls-client-cert-file", NULL, "", 0),
    KEEP_TEXT("tls-client-key-file", NULL, "", 0),
    KEEP_TEXT("tls-client-key-file-pass", NULL, "", SECRET),
    KEEP_TEXT("tls-dh-params-file", NULL, "", 0),
    KEEP_BOOL("tls-cluster", NULL, "no", 0),
    KEEP_BOOL("tls-replication", NULL, "no", 0),

    /* accepted: the process and the rest */
    KEEP_INT("io-threads", NULL, "1", FIXED, 1, 128),
    KEEP_BOOL("io-threads-do-reads", NULL, "no", FIXED),
    KEEP_INT("max-new-connections-per-cycle", NULL, "10", 0, 1, 1000),
    KEEP_INT("max-new-tls-connections-per-cycle", NULL, "1", 0, 1, 1000),
    KEEP_BOOL("dynamic-hz", NULL, "yes", 0),
    KEEP_BOOL("always-show-logo", NULL, "no", FIXED),
    KEEP_BOOL("set-proc-title", NULL, "yes", FIXED),
    KEEP_TEXT("proc-title-template", NULL, "{title} {listen-addr} {server-mode}", 0),
    KEEP_BOOL("syslog-enabled", NULL, "no", FIXED),
    KEEP_TEXT("syslog-ident", NULL, "redis", FIXED),
    KEEP_WORD("syslog-facility", "local0", FIXED, facilities),
    KEEP_BOOL("crash-log-enabled", NULL, "yes", 0),
    KEEP_BOOL("crash-memcheck-enabled", NULL, "yes", 0),
    KEEP_BOOL("hide-user-data-from-log", NULL, "no", 0),
    KEEP_BOOL("disable-thp", NULL, "yes", FIXED),
    KEEP_WORD("oom-score-adj", "no", 0, oom_adjusts),
    KEEP("oom-score-adj-values", NULL, oom_scores, "0 200 800", MULTI, 0, 0),
    KEEP_WORD("enable-module-command", "no", FIXED, allowances),
    KEEP_TEXT("server_cpulist", "server-cpulist", "", FIXED),
    KEEP_TEXT("bio_cpulist", "bio-cpulist", "", FIXED),
    KEEP_TEXT("aof_rewrite_cpulist", "aof-rewrite-cpulist", "", FIXED),
    KEEP_TEXT("bgsave_cpulist", "bgsave-cpulist", "", FIXED),
    KEEP_TEXT("ignore-warnings", NULL, "", 0),
    KEEP_TEXT("bind-source-addr", NULL, "", 0),
    KEEP_INT("socket-mark-id", NULL, "0", FIXED, 0, UINT_MAX),
    KEEP_TEXT("locale-collate", NULL, "", 0),
};

const size_t noptions = sizeof options / sizeof *options;
