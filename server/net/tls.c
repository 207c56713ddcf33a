/*
 * OpenSSL reads the socket itself, but writes into memory, from where it is sent here: its own way
 * of writing raises SIGPIPE, which a library in somebody's process must not. It also means that
 * reading never has to wait for writing.
 *
 * What nobody needs is off for everybody: versions before TLS 1.2, compression, and renegotiation,
 * by which a client could have the server sign without end.
 */
#include "server/net/tls.h"

#include "base/mem.h"
#include "server/net/openssl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum {
    ENCRYPT_MOST = 64 << 10,  /* in one go, before it is sent */
    KEEP_MOST = 4 << 10,      /* of memory for output, between two writes */
    HELD = 16 << 10,          /* by OpenSSL for a client that is idle, as measured */
    HELD_AT_FIRST = 48 << 10, /* and during the handshake */
};

struct tls {
    struct openssl lib;
    SSL_CTX *context;
};

struct tls_stream {
    const struct openssl *lib;
    SSL *ssl;
    BIO *out; /* encrypted; `sent` bytes of it are gone already */
    size_t sent;
    int fd;
    bool has_more;
    unsigned long error; /* OpenSSL's, or 0 */
};

/* The context: certificates and rules. */

static bool fail(const struct openssl *lib, const struct log *log, const char *what,
                 const char *name)
{
    char text[256] = "";
    unsigned long error = lib->ERR_get_error();
    if (error)
        lib->ERR_error_string_n(error, text, sizeof text);
    log_warning(log, "Failed to %s%s%s: %s", what, name[0] ? " " : "", name, text);
    return false;
}

/* "TLSv1.2 TLSv1.3", in any order. */
static bool set_protocols(const struct openssl *lib, SSL_CTX *ctx, const char *names,
                          const struct log *log)
{
    bool v12 = strcasestr(names, "TLSv1.2") != NULL, v13 = strcasestr(names, "TLSv1.3") != NULL;
    size_t expected = (v12 ? 7 : 0) + (v13 ? 7 : 0), letters = 0;
    for (const char *p = names; *p; p++)
        letters += *p != ' ';
    if (letters != expected) {
        log_warning(log, "Invalid tls-protocols specified. Use a combination of 'TLSv1.2' and "
                         "'TLSv1.3'.");
        return false;
    }
    bool any = letters == 0;
    lib->SSL_CTX_ctrl(ctx, SSL_CTRL_SET_MIN_PROTO_VERSION,
                      any || v12 ? TLS1_2_VERSION : TLS1_3_VERSION, NULL);
    lib->SSL_CTX_ctrl(ctx, SSL_CTRL_SET_MAX_PROTO_VERSION,
                      any || v13 ? TLS1_3_VERSION : TLS1_2_VERSION, NULL);
    return true;
}

static bool set_ciphers(const struct openssl *lib, SSL_CTX *ctx, const struct config *cfg,
                        const struct log *log)
{
    if (cfg->tls_ciphers[0] && lib->SSL_CTX_set_cipher_list(ctx, cfg->tls_ciphers) != 1)
        return fail(lib, log, "configure ciphers", cfg->tls_ciphers);
    if (cfg->tls_ciphersuites[0] && lib->SSL_CTX_set_ciphersuites(ctx, cfg->tls_ciphersuites) != 1)
        return fail(lib, log, "configure ciphersuites", cfg->tls_ciphersuites);
    return true;
}

static int give_password(char *out, int room, int writing, void *password)
{
    (void)writing;
    int n = snprintf(out, (size_t)room, "%s", (const char *)password);
    return n < room ? n : -1;
}

static bool set_certificate(const struct openssl *lib, SSL_CTX *ctx, const struct config *cfg,
                            const struct log *log)
{
    const char *cert = cfg->tls_cert_file;
    const char *key = cfg->tls_key_file;
    if (cert[0] == '\0' || key[0] == '\0') {
        log_warning(log, "No %s configured!", cert[0] ? "tls-key-file" : "tls-cert-file");
        return false;
    }
    lib->SSL_CTX_set_default_passwd_cb(ctx, give_password);
    lib->SSL_CTX_set_default_passwd_cb_userdata(ctx, cfg->tls_key_file_pass);
    if (lib->SSL_CTX_use_certificate_chain_file(ctx, cert) != 1)
        return fail(lib, log, "load certificate:", cert);
    if (lib->SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) != 1)
        return fail(lib, log, "load private key:", key);
    lib->SSL_CTX_set_default_passwd_cb_userdata(ctx, NULL);
    return lib->SSL_CTX_check_private_key(ctx) == 1 || fail(lib, log, "match certificate and", key);
}

static bool set_client_rules(const struct openssl *lib, SSL_CTX *ctx, const struct config *cfg,
                             const struct log *log)
{
    static const int modes[] = {
        [TLS_CLIENTS_NO] = SSL_VERIFY_NONE,
        [TLS_CLIENTS_YES] = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
        [TLS_CLIENTS_OPTIONAL] = SSL_VERIFY_PEER,
    };
    const char *file = cfg->tls_ca_cert_file[0] ? cfg->tls_ca_cert_file : NULL;
    const char *dir = cfg->tls_ca_cert_dir[0] ? cfg->tls_ca_cert_dir : NULL;
    lib->SSL_CTX_set_verify(ctx, modes[cfg->tls_auth_clients], NULL);
    if (file || dir)
        return lib->SSL_CTX_load_verify_locations(ctx, file, dir) == 1 ||
               fail(lib, log, "configure CA certificate(s) file/directory", "");
    if (cfg->tls_auth_clients == TLS_CLIENTS_NO)
        return true;
    log_warning(log, "Either tls-ca-cert-file or tls-ca-cert-dir must be specified when "
                     "tls-auth-clients is enabled!");
    return false;
}

static void set_sessions(const struct openssl *lib, SSL_CTX *ctx, const struct config *cfg)
{
    long mode = cfg->tls_session_caching ? SSL_SESS_CACHE_SERVER : SSL_SESS_CACHE_OFF;
    lib->SSL_CTX_ctrl(ctx, SSL_CTRL_SET_SESS_CACHE_MODE, mode, NULL);
    lib->SSL_CTX_ctrl(ctx, SSL_CTRL_SET_SESS_CACHE_SIZE, cfg->tls_session_cache_size, NULL);
    lib->SSL_CTX_set_timeout(ctx, cfg->tls_session_cache_timeout);
    lib->SSL_CTX_set_session_id_context(ctx, (const unsigned char *)"latchd", 6);
}

static void set_options(const struct openssl *lib, SSL_CTX *ctx, const struct config *cfg)
{
    uint64_t wanted =
        SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF;
    if (cfg->tls_prefer_server_ciphers)
        wanted |= SSL_OP_CIPHER_SERVER_PREFERENCE;
    lib->SSL_CTX_set_options(ctx, wanted);
    lib->SSL_CTX_ctrl(ctx, SSL_CTRL_MODE, SSL_MODE_RELEASE_BUFFERS, NULL);
    lib->SSL_CTX_ctrl(ctx, SSL_CTRL_SET_READ_AHEAD, 1, NULL);
    lib->SSL_CTX_ctrl(ctx, SSL_CTRL_SET_DH_AUTO, 1, NULL);
}

static SSL_CTX *new_context(const struct openssl *lib, const struct config *cfg,
                            const struct log *log)
{
    lib->ERR_clear_error();
    SSL_CTX *ctx = lib->SSL_CTX_new(lib->TLS_server_method());
    if (ctx == NULL) {
        fail(lib, log, "make a TLS context", "");
        return NULL;
    }
    set_options(lib, ctx, cfg);
    set_sessions(lib, ctx, cfg);
    if (set_protocols(lib, ctx, cfg->tls_protocols, log) && set_ciphers(lib, ctx, cfg, log) &&
        set_certificate(lib, ctx, cfg, log) && set_client_rules(lib, ctx, cfg, log))
        return ctx;
    lib->SSL_CTX_free(ctx);
    return NULL;
}

static struct tls *load(const struct log *log)
{
    struct tls *t = mem_alloc(sizeof *t);
    const char *why = openssl_load(&t->lib);
    if (why == NULL)
        return t;
    log_warning(log, "TLS cannot be had, OpenSSL is missing: %s", why);
    mem_free(t);
    return NULL;
}

bool tls_configure(struct tls **t, const struct config *cfg, const struct log *log)
{
    struct tls *loaded = *t ? *t : load(log);
    SSL_CTX *ctx = loaded ? new_context(&loaded->lib, cfg, log) : NULL;
    if (ctx == NULL) {
        if (loaded != *t)
            mem_free(loaded);
        return false;
    }
    if (loaded->context)
        loaded->lib.SSL_CTX_free(loaded->context);
    loaded->context = ctx;
    *t = loaded;
    return true;
}

void tls_free(struct tls *t)
{
    if (t)
        t->lib.SSL_CTX_free(t->context);
    mem_free(t);
}

/* Streams. */

struct tls_stream *tls_accept(struct tls *t, int fd)
{
    const struct openssl *lib = &t->lib;
    SSL *ssl = lib->SSL_new(t->context);
    BIO *in = lib->BIO_new_socket(fd, BIO_NOCLOSE), *out = lib->BIO_new(lib->BIO_s_mem());
    struct tls_stream *s = mem_alloc(sizeof *s);
    *s = (struct tls_stream){.lib = lib, .ssl = ssl, .out = out, .fd = fd};
    if (ssl && in && out) {
        lib->SSL_set_bio(ssl, in, out);
        lib->SSL_set_accept_state(ssl);
        return s;
    }
    lib->BIO_free(in);
    lib->BIO_free(out);
    lib->SSL_free(ssl);
    mem_free(s);
    return NULL;
}

void tls_close(struct tls_stream *s)
{
    if (tls_is_up(s) && s->error == 0) {
        s->lib->ERR_clear_error();
        s->lib->SSL_shutdown(s->ssl);
        tls_flush(s);
    }
    s->lib->SSL_free(s->ssl);
    mem_free(s);
}

/* What waits to be sent, from its first byte on, and its length. */
static size_t encrypted(const struct tls_stream *s, char **p)
{
    long n = s->lib->BIO_ctrl(s->out, BIO_CTRL_INFO, 0, p);
    return n > 0 ? (size_t)n : 0;
}

size_t tls_unsent(const struct tls_stream *s)
{
    char *p;
    return encrypted(s, &p) - s->sent;
}

size_t tls_memory(const struct tls_stream *s)
{
    char *p;
    return sizeof *s + (tls_is_up(s) ? HELD : HELD_AT_FIRST) + encrypted(s, &p);
}

/* All is sent. Much memory is given back rather than kept for the next time. */
static void empty(struct tls_stream *s, size_t n)
{
    BIO *fresh = n > KEEP_MOST ? s->lib->BIO_new(s->lib->BIO_s_mem()) : NULL;
    s->sent = 0;
    if (fresh) {
        s->lib->SSL_set0_wbio(s->ssl, fresh);
        s->out = fresh;
    } else {
        s->lib->BIO_ctrl(s->out, BIO_CTRL_RESET, 0, NULL);
    }
}

bool tls_flush(struct tls_stream *s)
{
    char *p;
    size_t n = encrypted(s, &p);
    while (s->sent < n) {
        ssize_t len = send(s->fd, p + s->sent, n - s->sent, MSG_NOSIGNAL);
        if (len < 0)
            return errno == EAGAIN || errno == EINTR;
        s->sent += (size_t)len;
    }
    if (n)
        empty(s, n);
    return true;
}

/* After a call that gave no bytes: 0 at the end, else -1 with errno. */
static ssize_t explain(struct tls_stream *s, int result)
{
    int why = s->lib->SSL_get_error(s->ssl, result);
    errno = ECONNRESET;
    if (why == SSL_ERROR_ZERO_RETURN)
        return 0;
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
        errno = EAGAIN;
        return -1;
    }
    s->error = s->lib->ERR_get_error();
    return -1;
}

/* Whatever is answered on the way (the handshake, an alert) goes out at once if it can. A record
 * that ends the stream is met again by the next call. */
ssize_t tls_read(struct tls_stream *s, char *p, size_t room)
{
    size_t n = 0;
    int got = 1;
    s->lib->ERR_clear_error();
    while (n < room && got > 0) {
        got = s->lib->SSL_read(s->ssl, p + n, (int)(room - n));
        n += got > 0 ? (size_t)got : 0;
    }
    ssize_t end = got > 0 ? 1 : explain(s, got);
    bool waits = end < 0 && errno == EAGAIN;
    s->has_more = n && !waits;
    if (!tls_flush(s))
        return -1;
    if (n)
        return (ssize_t)n;
    if (waits)
        errno = EAGAIN;
    return end;
}

bool tls_has_more(const struct tls_stream *s)
{
    return s->has_more;
}

ssize_t tls_write(struct tls_stream *s, const char *p, size_t n)
{
    size_t done = 0;
    if (!tls_flush(s))
        return -1;
    s->lib->ERR_clear_error();
    while (done < n && tls_unsent(s) == 0) {
        size_t part = n - done < ENCRYPT_MOST ? n - done : ENCRYPT_MOST;
        int put = s->lib->SSL_write(s->ssl, p + done, (int)part);
        if (put <= 0) {
            explain(s, put);
            return done ? (ssize_t)done : -1;
        }
        done += (size_t)put;
        if (!tls_flush(s))
            return -1;
    }
    if (done == 0)
        errno = EAGAIN;
    return done ? (ssize_t)done : -1;
}

bool tls_is_up(const struct tls_stream *s)
{
    return s->lib->SSL_is_init_finished(s->ssl);
}

const char *tls_error(const struct tls_stream *s)
{
    const char *text = s->error ? s->lib->ERR_reason_error_string(s->error) : NULL;
    return text ? text : strerror(errno);
}
