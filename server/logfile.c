#include "server/logfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 3072 };

void logfile_init(struct logfile *f)
{
    *f = (struct logfile){.fd = STDOUT_FILENO, .path = "", .role = 'C'};
}

static int open_path(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

bool logfile_open(struct logfile *f, const struct config *cfg)
{
    f->json = cfg->log_format == LOG_FORMAT_JSON;
    f->path = cfg->logfile;
    if (f->path[0] == '\0')
        return true;
    f->fd = open_path(f->path);
    return f->fd >= 0;
}

bool logfile_reopen(struct logfile *f)
{
    if (f->path[0] == '\0')
        return true;
    int fd = open_path(f->path);
    if (fd < 0)
        return false;
    dup3(fd, f->fd, O_CLOEXEC); /* the number stays, so that nobody has to be told */
    close(fd);
    return true;
}

/* Escapes what JSON cannot hold as it is; bytes above ASCII are passed on. */
static size_t put_json(char *out, size_t room, const char *text)
{
    size_t n = 0;
    for (; *text && n + 8 < room; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            n += (size_t)snprintf(out + n, room - n, "\\%c", c);
        else if (c < 0x20)
            n += (size_t)snprintf(out + n, room - n, "\\u%04x", c);
        else
            out[n++] = (char)c;
    }
    return n;
}

static size_t format_json(char out[LINE_MAX_BYTES], enum log_level level, const struct timeval *at,
                          const char *line)
{
    static const char *const names[] = {"debug", "verbose", "notice", "warning"};
    struct tm tm;
    char when[32];
    gmtime_r(&at->tv_sec, &tm);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &tm);
    size_t n = (size_t)snprintf(out, LINE_MAX_BYTES,
                                "{\"time\":\"%s.%03dZ\",\"level\":\"%s\",\"pid\":%d,\"message\":\"",
                                when, (int)(at->tv_usec / 1000), names[level], (int)getpid());
    n += put_json(out + n, LINE_MAX_BYTES - n - 4, line);
    memcpy(out + n, "\"}\n", 3);
    return n + 3;
}

static size_t format_text(char out[LINE_MAX_BYTES], char role, enum log_level level,
                          const struct timeval *at, const char *line)
{
    struct tm tm;
    char when[32];
    localtime_r(&at->tv_sec, &tm);
    strftime(when, sizeof when, "%d %b %Y %H:%M:%S", &tm);
    int n = snprintf(out, LINE_MAX_BYTES, "%d:%c %s.%03d %c %.*s\n", (int)getpid(), role, when,
                     (int)(at->tv_usec / 1000), ".-*#"[level], LINE_MAX_BYTES - 128, line);
    return (size_t)n;
}

void logfile_write(void *ctx, enum log_level level, const char *line)
{
    struct logfile *f = ctx;
    char text[LINE_MAX_BYTES];
    struct timeval at;
    gettimeofday(&at, NULL);
    size_t n = f->json ? format_json(text, level, &at, line)
                       : format_text(text, f->role, level, &at, line);
    /* A full disk costs lines, nothing else: there is nowhere to complain. */
    ssize_t written = write(f->fd, text, n);
    (void)written;
}

/* Called with whole lines, as far as `aside` has room for them. */
static ssize_t write_aside(void *ctx, const char *text, size_t n)
{
    char line[sizeof((struct logfile *)0)->aside + 1];
    size_t len = n < sizeof line ? n : sizeof line - 1;
    memcpy(line, text, len);
    line[len] = '\0';
    line[strcspn(line, "\n")] = '\0';
    logfile_write(ctx, LOG_WARNING, line);
    return (ssize_t)n;
}

/* Its buffer is there already, so that nothing is allocated when there is no memory to tell of. */
void logfile_take_stderr(struct logfile *f)
{
    FILE *lines = fopencookie(f, "w", (cookie_io_functions_t){.write = write_aside});
    if (lines == NULL)
        return;
    setvbuf(lines, f->aside, _IOLBF, sizeof f->aside);
    stderr = lines;
}
