#include "server/manual.h"

#include "server/engine/config.h"

/* The table of options has no chapters, only an order; each begins with the option named here. */
static const struct {
    const char *first, *title;
} chapters[] = {
    {"bind", "Where to listen"},
    {"requirepass", "Who may talk"},
    {"tls-port", "TLS"},
    {"databases", "Limits"},
    {"http", "Watching it"},
    {"daemonize", "The process"},
    {"hash-max-listpack-entries", "What OBJECT ENCODING answers"},
};

static const char *chapter_at(const struct option *o)
{
    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++)
        if (strcmp(o->name, chapters[i].first) == 0)
            return chapters[i].title;
    return NULL;
}

static bool is_listed(const struct option *o)
{
    return !(o->flags & (OPTION_ACCEPTED | OPTION_HIDDEN));
}

/* The words of an enumeration: "text | json". */
static void put_words(const struct option *o, const char *between, struct buf *out)
{
    for (size_t i = 0; o->words && o->words[i]; i++)
        buf_printf(out, "%s%s", i ? between : "", o->words[i]);
}

/* The page of options. */

static void put_option_row(const struct option *o, struct buf *out)
{
    buf_printf(out, "| `%s` | %s", o->name, o->help);
    if (o->words) {
        buf_put(out, BYTES(": "));
        put_words(o, ", ", out);
    }
    if (o->alias)
        buf_printf(out, " (also called `%s`)", o->alias);
    if (o->init[0])
        buf_printf(out, " | `%s` | ", o->init);
    else
        buf_put(out, BYTES(" | | "));
    buf_printf(out, "%s |\n", o->flags & OPTION_IMMUTABLE ? "at start" : "any time");
}

/* The names of options that satisfy `wanted`, wrapped as running text. */
static void put_names(bool wanted(const struct option *), struct buf *out)
{
    size_t column = 0;
    for (size_t i = 0; i < noptions; i++) {
        if (!wanted(&options[i]))
            continue;
        size_t n = strlen(options[i].name) + 3;
        if (column && column + n > 100) {
            buf_putc(out, '\n');
            column = 0;
        }
        buf_printf(out, "%s`%s`", column ? " " : "", options[i].name);
        column += n;
    }
    buf_putc(out, '\n');
}

static bool is_ours(const struct option *o)
{
    return o->flags & OPTION_OURS;
}

static bool is_accepted(const struct option *o)
{
    return o->flags & OPTION_ACCEPTED;
}

void manual_options(struct buf *out)
{
    buf_put(
        out,
        BYTES("# Configuration\n"
              "\n"
              "An option has one name, and four places it can be given in. Each overrides the "
              "one before:\n"
              "\n"
              "1. a line of the file named first on the command line: `maxclients 500`. A "
              "`redis.conf` will do;\n"
              "2. the environment: `LATCHD_MAXCLIENTS=500`;\n"
              "3. a flag: `--maxclients 500`;\n"
              "4. while it runs, `CONFIG SET maxclients 500`, for those marked *any time*. "
              "`CONFIG REWRITE` keeps\n"
              "   what was changed.\n"
              "\n"
              "This page is printed by `latchd --options` from the table that the server "
              "itself runs by. Where a\n"
              "default differs from Redis's, [compatibility.md](compatibility.md) says why.\n"));
    for (size_t i = 0; i < noptions; i++) {
        if (!is_listed(&options[i]))
            continue;
        if (chapter_at(&options[i]))
            buf_printf(out,
                       "\n## %s\n\n| option | what it is | default | can be set |\n"
                       "| --- | --- | --- | --- |\n",
                       chapter_at(&options[i]));
        put_option_row(&options[i], out);
    }
    buf_put(out, BYTES("\n## Not in Redis\n\n"));
    put_names(is_ours, out);
    buf_put(out, BYTES("\n## Accepted\n\nOptions of Redis that mean nothing here. They are "
                       "checked, kept and given back, and do nothing:\n\n"));
    put_names(is_accepted, out);
}

/* Man pages. */

/* Text as roff takes it: hyphens that are typed, and no accidental requests. */
static void put_roff(const char *text, struct buf *out)
{
    for (; *text; text++) {
        if (*text == '-' || *text == '\\')
            buf_putc(out, '\\');
        buf_putc(out, *text);
    }
}

static void put_entry(const struct option *o, const char *prefix, struct buf *out)
{
    buf_put(out, BYTES(".TP\n.B "));
    put_roff(prefix, out);
    put_roff(o->name, out);
    buf_put(out, BYTES("\n"));
    put_roff(o->help, out);
    if (o->words) {
        buf_put(out, BYTES(": "));
        put_words(o, ", ", out);
    }
    buf_put(out, BYTES("."));
    if (o->init[0]) {
        buf_put(out, BYTES("\nThe default is\n.IR \""));
        put_roff(o->init, out);
        buf_put(out, BYTES("\" ."));
    }
    buf_putc(out, '\n');
}

static void put_entries(const char *prefix, struct buf *out)
{
    for (size_t i = 0; i < noptions; i++) {
        if (!is_listed(&options[i]))
            continue;
        if (chapter_at(&options[i]))
            buf_printf(out, ".SS %s\n", chapter_at(&options[i]));
        put_entry(&options[i], prefix, out);
    }
}

void manual_program(struct buf *out)
{
    buf_printf(out, ".TH LATCHD 1 \"\" \"latchd %s\" \"User Commands\"\n", LATCHD_VERSION);
    buf_put(
        out,
        BYTES(".SH NAME\nlatchd \\- a lock server that speaks the Redis protocol\n"
              ".SH SYNOPSIS\n.B latchd\n[\\fIfile\\fR] [\\fB\\-\\fR] [\\fB\\-\\-option\\fR "
              "\\fIvalue\\fR ...]\n.br\n.B latchd ping\n|\n.B health\n[\\fIfile\\fR] "
              "[\\fB\\-\\-option\\fR \\fIvalue\\fR ...]\n"
              ".SH DESCRIPTION\nlatchd keeps locks in memory and ends leases to the millisecond. "
              "The lock clients\nthat are written for Redis work against it unchanged.\n.PP\n"
              "Options are read from\n.I file\n(see\n.BR latchd.conf (5);\n.B \\-\nreads it "
              "from standard input), from the environment (\\fBLATCHD_PORT\\fR=7000),\nand from "
              "the command line. What comes later wins.\n"
              ".SH COMMANDS\n.TP\n.B ping\nAsks the server that the options describe. The exit "
              "status is 0 when it answers.\n.TP\n.B health\nThe same, and says where it is and "
              "how long it took.\n"
              ".SH PAGES\n.TP\n.BR \\-\\-version \", \" \\-\\-help\nSay what they say.\n.TP\n"
              ".BR \\-\\-commands \", \" \\-\\-options\nPrint the reference of commands and of "
              "options.\n.TP\n.BR \\-\\-man \", \" \\-\\-man\\-conf \", \" "
              "\\-\\-completion\nPrint this page, the page of the file, and the completion for "
              "bash.\n.SH OPTIONS\n"));
    put_entries("--", out);
    buf_put(out, BYTES(".SH SIGNALS\n.TP\n.BR SIGTERM \", \" SIGINT\nEnd: what was received is "
                       "answered first. A second one ends at once.\n.TP\n.B SIGHUP\nOpens the log "
                       "file anew, and reads the certificates again.\n"
                       ".SH EXIT STATUS\n0 after an orderly end, 1 when it could not start.\n"
                       ".SH SEE ALSO\n.BR latchd.conf (5),\n.BR redis-cli (1)\n"));
}

void manual_file(struct buf *out)
{
    buf_printf(out, ".TH LATCHD.CONF 5 \"\" \"latchd %s\" \"File Formats\"\n", LATCHD_VERSION);
    buf_put(out,
            BYTES(".SH NAME\nlatchd.conf \\- configuration of latchd\n"
                  ".SH DESCRIPTION\nOne option a line: its name, then its values. Words with "
                  "blanks stand in quotes. A line\nthat begins with # is a comment. A line\n"
                  ".B include\n.I path\nreads another file, and\n.B user\n.I name rule ...\nadds "
                  "a user. A redis.conf is such a file: options of Redis that\nmean nothing here "
                  "are accepted and do nothing.\n.SH OPTIONS\n"));
    put_entries("", out);
    buf_put(out, BYTES(".SH EXAMPLE\n.nf\nbind 127.0.0.1\nport 6379\nmaxmemory 256mb\n"
                       "requirepass-file /etc/latchd/password\nhold-warn lock:* 30000\n.fi\n"
                       ".SH SEE ALSO\n.BR latchd (1)\n"));
}

/* Completion. */

void manual_completion(struct buf *out)
{
    buf_put(out,
            BYTES("# Completion of latchd's options for bash.\n"
                  "_latchd() {\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                  "    local words='ping health --version --help --commands --options --man "
                  "--man-conf --completion"));
    for (size_t i = 0; i < noptions; i++)
        if (is_listed(&options[i]))
            buf_printf(out, "\n        --%s", options[i].name);
    buf_put(out, BYTES("'\n    case $before in\n"));
    for (size_t i = 0; i < noptions; i++) {
        if (!is_listed(&options[i]) || !options[i].words)
            continue;
        buf_printf(out, "    --%s) words='", options[i].name);
        put_words(&options[i], " ", out);
        buf_put(out, BYTES("' ;;\n"));
    }
    buf_put(out, BYTES("    --*-file | --unixsocket | --dir | --aclfile | --logfile | --pidfile) "
                       "words= ;;\n"
                       "    esac\n"
                       "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                       "}\n"
                       "complete -o default -F _latchd latchd\n"));
}
