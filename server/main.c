/* The program: command line, signals, and one server. */
#include "server/server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

static void print_line(void *ctx, enum log_level level, const char *line)
{
    (void)level;
    fprintf(ctx, "%s\n", line);
    fflush(ctx);
}

/* `--name value ...`, several values per name. */
static bool read_arguments(struct config *cfg, int argc, char **argv)
{
    char why[CONFIG_ERROR_MAX];
    for (int i = 1; i < argc;) {
        struct bytes values[16];
        size_t n = 0;
        const char *name = argv[i++] + 2;
        for (; i < argc && strncmp(argv[i], "--", 2) != 0 && n < 16; i++)
            values[n++] = bytes_of(argv[i]);
        if (!config_load(cfg, bytes_of(name), values, n, why)) {
            fprintf(stderr, "%s: %s\n", name, why);
            return false;
        }
    }
    return true;
}

struct signals {
    struct server *server;
    uv_signal_t term, interrupt;
    int n;
};

/* The second one does not wait for anybody. */
static void on_signal(uv_signal_t *h, int signum)
{
    struct signals *s = h->data;
    (void)signum;
    server_stop(s->server, s->n++ > 0);
}

static void signals_init(struct signals *s, struct server *server)
{
    *s = (struct signals){.server = server};
    s->term.data = s->interrupt.data = s;
    uv_signal_init(server_loop(server), &s->term);
    uv_signal_init(server_loop(server), &s->interrupt);
    uv_signal_start(&s->term, on_signal, SIGTERM);
    uv_signal_start(&s->interrupt, on_signal, SIGINT);
}

static void signals_free(struct signals *s)
{
    uv_close((uv_handle_t *)&s->term, NULL);
    uv_close((uv_handle_t *)&s->interrupt, NULL);
}

int main(int argc, char **argv)
{
    struct config config;
    struct log log = {.write = print_line, .ctx = stdout, .min = LOG_NOTICE};
    config_init(&config);
    if (!read_arguments(&config, argc, argv))
        return 1;
    struct server *s = server_new(&(struct server_options){.config = &config, .log = &log});
    if (s == NULL)
        return 1;
    struct signals signals;
    signals_init(&signals, s);
    log_notice(&log, "Ready to accept connections");
    server_run(s);
    signals_free(&signals);
    server_free(s);
    config_free(&config);
    return 0;
}
