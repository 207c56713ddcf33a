#include "tests/lib/secure.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static bool shell(const char *fmt, const char *dir, const char *a, const char *b)
{
    char command[1024];
    snprintf(command, sizeof command, fmt, dir, a, b);
    return system(command) == 0; /* NOLINT: fixed words */
}

#define QUIETLY " >/dev/null 2>&1"
#define EC      "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "

bool papers_renew(const struct papers *p, const char *name, const char *common_name)
{
    return shell("cd %s && openssl req " EC "-subj /CN=%3$s -keyout %2$s.new -out %2$s.csr" QUIETLY
                 " && openssl x509 -req -in %2$s.csr -CA ca.crt -CAkey ca.key -days 2 -set_serial "
                 "$(date +%%s%%N) -out %2$s.crt" QUIETLY " && mv %2$s.new %2$s.key",
                 p->dir, name, common_name);
}

bool papers_make(struct papers *p)
{
    *p = (struct papers){.dir = "/tmp/latch-papers-XXXXXX"};
    return mkdtemp(p->dir) &&
           shell("cd %s && openssl req -x509 " EC "-days 2 -subj /CN=ca -keyout ca.key -out "
                 "ca.crt" QUIETLY "%s%s",
                 p->dir, "", "") &&
           shell("cd %s && openssl req -x509 " EC "-days 2 -subj /CN=stranger -keyout "
                 "stranger.key -out stranger.crt" QUIETLY "%s%s",
                 p->dir, "", "") &&
           papers_renew(p, "server", "first") && papers_renew(p, "client", "client");
}

void papers_remove(struct papers *p)
{
    shell("rm -r %s%s%s", p->dir, "", "");
}

const char *papers_path(const struct papers *p, const char *file, char out[128])
{
    snprintf(out, 128, "%s/%s", p->dir, file);
    return out;
}

static int dial(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct timeval patience = {.tv_sec = SECURE_SECONDS};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
        return fd;
    close(fd);
    return -1;
}

static void show_papers(SSL_CTX *ctx, const struct papers *p, const char *name)
{
    char file[64], path[128];
    snprintf(file, sizeof file, "%s.crt", name);
    SSL_CTX_use_certificate_file(ctx, papers_path(p, file, path), SSL_FILETYPE_PEM);
    snprintf(file, sizeof file, "%s.key", name);
    SSL_CTX_use_PrivateKey_file(ctx, papers_path(p, file, path), SSL_FILETYPE_PEM);
}

bool secure_connect(struct secure *s, const struct papers *p, int port, struct secure_how how)
{
    char path[128];
    *s = (struct secure){.fd = dial(port), .ctx = SSL_CTX_new(TLS_client_method())};
    SSL_CTX_load_verify_locations(s->ctx, papers_path(p, "ca.crt", path), NULL);
    SSL_CTX_set_verify(s->ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_security_level(s->ctx, 0); /* so that old versions are at least asked for */
    if (how.version) {
        SSL_CTX_set_min_proto_version(s->ctx, how.version);
        SSL_CTX_set_max_proto_version(s->ctx, how.version);
    }
    if (how.name)
        show_papers(s->ctx, p, how.name);
    s->ssl = SSL_new(s->ctx);
    SSL_set_fd(s->ssl, s->fd);
    return s->fd >= 0 && SSL_connect(s->ssl) == 1;
}

void secure_close(struct secure *s)
{
    SSL_free(s->ssl);
    SSL_CTX_free(s->ctx);
    if (s->fd >= 0)
        close(s->fd);
}

bool secure_send(struct secure *s, struct bytes raw)
{
    return SSL_write(s->ssl, raw.p, (int)raw.n) == (int)raw.n;
}

bool secure_read(struct secure *s, char *out, size_t n)
{
    for (size_t done = 0; done < n;) {
        int got = SSL_read(s->ssl, out + done, (int)(n - done));
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

bool secure_ask(struct secure *s, const char *line, const char *reply)
{
    struct buf text = {0};
    size_t n = strlen(reply);
    char *got = mem_alloc(n + 1);
    buf_printf(&text, "%s\r\n", line);
    bool good = secure_send(s, buf_bytes(&text)) && secure_read(s, got, n);
    if (good && strcmp(got, reply) != 0) {
        fprintf(stderr, "# asked %s, got %s\n", line, got);
        good = false;
    }
    mem_free(got);
    buf_free(&text);
    return good;
}

void secure_peer(const struct secure *s, char out[64])
{
    X509 *cert = SSL_get1_peer_certificate(s->ssl);
    X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, out, 64);
    X509_free(cert);
}
