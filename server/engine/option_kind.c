/*
 * The texts that refuse a value are Redis's, since people search for them. Where two kinds differ
 * only in how they check, they share how they print.
 */
#include "server/engine/option_kind.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/quote.h"
#include "store/event.h"

#include <inttypes.h>
#include <stdio.h>

static bool refuse(char why[CONFIG_ERROR_MAX], const char *reason)
{
    snprintf(why, CONFIG_ERROR_MAX, "%s", reason);
    return false;
}

static void print_text(const struct option *o, const void *member, struct buf *out)
{
    (void)o;
    buf_put(out, bytes_of(*(char *const *)member));
}

static void write_quoted(const struct option *o, const void *member, struct buf *out)
{
    (void)o;
    quote_put(out, bytes_of(*(char *const *)member));
}

static void clear_text(void *member)
{
    char **text = member;
    mem_free(*text);
    *text = NULL;
}

/* Replaces an owned text; a NUL byte ends it, as everywhere in configuration. */
static void set_text(char **text, struct bytes value)
{
    char *copy = mem_alloc(value.n + 1);
    if (value.n)
        memcpy(copy, value.p, value.n);
    mem_free(*text);
    *text = copy;
}

static void set_joined(char **text, const struct bytes *v, size_t n)
{
    struct buf joined = {0};
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_putc(&joined, ' ');
        buf_put(&joined, v[i]);
    }
    set_text(text, buf_bytes(&joined));
    buf_free(&joined);
}

/* A single empty value stands for no value at all: `save ""`. */
static bool is_nothing(const struct bytes *v, size_t n)
{
    return n == 1 && v[0].n == 0;
}

/* bool */

static bool parse_bool(const struct option *o, void *member, const struct bytes *v, size_t n,
                       char why[CONFIG_ERROR_MAX])
{
    (void)o, (void)n;
    bool yes = bytes_is(v[0], "yes");
    if (!yes && !bytes_is(v[0], "no"))
        return refuse(why, "argument must be 'yes' or 'no'");
    *(bool *)member = yes;
    return true;
}

static void print_bool(const struct option *o, const void *member, struct buf *out)
{
    (void)o;
    buf_put(out, *(const bool *)member ? BYTES("yes") : BYTES("no"));
}

const struct option_kind kind_bool = {.parse = parse_bool, .print = print_bool};

/* word */

static bool parse_word(const struct option *o, void *member, const struct bytes *v, size_t n,
                       char why[CONFIG_ERROR_MAX])
{
    (void)n;
    for (int i = 0; o->words[i]; i++)
        if (bytes_ieq(v[0], bytes_of(o->words[i]))) {
            *(int *)member = i;
            return true;
        }
    size_t at =
        (size_t)snprintf(why, CONFIG_ERROR_MAX, "argument(s) must be one of the following: ");
    for (int i = 0; o->words[i]; i++)
        at += (size_t)snprintf(why + at, CONFIG_ERROR_MAX - at, "%s%s", i ? ", " : "", o->words[i]);
    return false;
}

static void print_word(const struct option *o, const void *member, struct buf *out)
{
    buf_put(out, bytes_of(o->words[*(const int *)member]));
}

const struct option_kind kind_word = {.parse = parse_word, .print = print_word};

/* numbers */

static bool within(const struct option *o, int64_t value, char why[CONFIG_ERROR_MAX])
{
    if (value >= o->min && value <= o->max)
        return true;
    const char *fmt = o->kind == &kind_octal
                          ? "argument must be between %" PRIo64 " and %" PRIo64 " inclusive"
                          : "argument must be between %" PRId64 " and %" PRId64 " inclusive";
    snprintf(why, CONFIG_ERROR_MAX, fmt, o->min, o->max);
    return false;
}

static bool parse_int(const struct option *o, void *member, const struct bytes *v, size_t n,
                      char why[CONFIG_ERROR_MAX])
{
    (void)n;
    int64_t value;
    if (!num_parse_i64(v[0], &value))
        return refuse(why, "argument couldn't be parsed into an integer");
    if (!within(o, value, why))
        return false;
    *(int64_t *)member = value;
    return true;
}

static void print_int(const struct option *o, const void *member, struct buf *out)
{
    (void)o;
    buf_put_i64(out, *(const int64_t *)member);
}

const struct option_kind kind_int = {.parse = parse_int, .print = print_int};

static bool parse_port(const struct option *o, void *member, const struct bytes *v, size_t n,
                       char why[CONFIG_ERROR_MAX])
{
    if (!bytes_is(v[0], "auto"))
        return parse_int(o, member, v, n, why);
    *(int64_t *)member = CONFIG_PORT_AUTO;
    return true;
}

static void print_port(const struct option *o, const void *member, struct buf *out)
{
    if (*(const int64_t *)member == CONFIG_PORT_AUTO)
        buf_put(out, BYTES("auto"));
    else
        print_int(o, member, out);
}

const struct option_kind kind_port = {.parse = parse_port, .print = print_port};

static bool parse_hz(const struct option *o, void *member, const struct bytes *v, size_t n,
                     char why[CONFIG_ERROR_MAX])
{
    int64_t *hz = member;
    if (!parse_int(o, member, v, n, why))
        return false;
    *hz = *hz < 1 ? 1 : *hz > 500 ? 500 : *hz;
    return true;
}

const struct option_kind kind_hz = {.parse = parse_hz, .print = print_int};

static bool parse_octal(const struct option *o, void *member, const struct bytes *v, size_t n,
                        char why[CONFIG_ERROR_MAX])
{
    (void)n;
    int64_t value = 0;
    bool good = v[0].n > 0 && v[0].n < 12;
    for (size_t i = 0; good && i < v[0].n; i++) {
        good = v[0].p[i] >= '0' && v[0].p[i] <= '7';
        value = value * 8 + (v[0].p[i] - '0');
    }
    if (!good)
        return refuse(why, "argument couldn't be parsed as an octal number");
    if (!within(o, value, why))
        return false;
    *(int64_t *)member = value;
    return true;
}

static void print_octal(const struct option *o, const void *member, struct buf *out)
{
    (void)o;
    buf_printf(out, "%" PRIo64, *(const int64_t *)member);
}

const struct option_kind kind_octal = {.parse = parse_octal, .print = print_octal};

/* memory: digits, then a unit. A number that is too large is told from the largest, which an option
 * may take instead: Redis does for maxmemory, which has no sign there. */

static bool unit_size(struct bytes unit, int64_t *size)
{
    static const struct {
        const char *name;
        int64_t size;
    } units[] = {{"", 1},        {"b", 1},        {"k", 1000},       {"kb", 1 << 10},
                 {"m", 1000000}, {"mb", 1 << 20}, {"g", 1000000000}, {"gb", 1 << 30}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (bytes_ieq(unit, bytes_of(units[i].name))) {
            *size = units[i].size;
            return true;
        }
    return false;
}

static bool parse_size(struct bytes s, int64_t *out, bool *too_large)
{
    int64_t value = 0, unit;
    size_t i = 0;
    *too_large = false;
    for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
        *too_large |= __builtin_mul_overflow(value, 10, &value) ||
                      __builtin_add_overflow(value, s.p[i] - '0', &value);
    if (!unit_size((struct bytes){s.p + i, s.n - i}, &unit))
        return false;
    *too_large |= __builtin_mul_overflow(value, unit, &value);
    *out = *too_large ? INT64_MAX : value;
    return true;
}

static bool parse_memory(const struct option *o, void *member, const struct bytes *v, size_t n,
                         char why[CONFIG_ERROR_MAX])
{
    (void)n;
    int64_t value;
    bool too_large;
    if (!parse_size(v[0], &value, &too_large))
        return refuse(why, "argument must be a memory value");
    if (!within(o, too_large && strcmp(o->name, "maxmemory") != 0 ? -1 : value, why))
        return false;
    *(int64_t *)member = value;
    return true;
}

static void put_size(struct buf *out, int64_t value)
{
    static const struct {
        int shift;
        const char *name;
    } units[] = {{30, "gb"}, {20, "mb"}, {10, "kb"}};
    for (size_t i = 0; value && i < sizeof units / sizeof *units; i++)
        if (value % (1 << units[i].shift) == 0) {
            buf_printf(out, "%" PRId64 "%s", value >> units[i].shift, units[i].name);
            return;
        }
    buf_put_i64(out, value);
}

static void write_memory(const struct option *o, const void *member, struct buf *out)
{
    (void)o;
    put_size(out, *(const int64_t *)member);
}

const struct option_kind kind_memory = {parse_memory, print_int, write_memory, NULL};

static bool parse_share(const struct option *o, void *member, const struct bytes *v, size_t n,
                        char why[CONFIG_ERROR_MAX])
{
    (void)n;
    int64_t value;
    bool percent = v[0].n > 1 && v[0].p[v[0].n - 1] == '%', too_large;
    struct bytes digits = {v[0].p, v[0].n - percent};
    if (percent ? !num_parse_i64(digits, &value) || value < 0
                : !parse_size(digits, &value, &too_large))
        return refuse(why, "argument must be a memory or percent value");
    if (percent && value > -o->min) {
        snprintf(why, CONFIG_ERROR_MAX, "percentage argument must be less or equal to %" PRId64,
                 -o->min);
        return false;
    }
    *(int64_t *)member = percent ? -value : value;
    return true;
}

static void print_share(const struct option *o, const void *member, struct buf *out)
{
    int64_t value = *(const int64_t *)member;
    if (value < 0)
        buf_printf(out, "%" PRId64 "%%", -value);
    else
        print_int(o, member, out);
}

static void write_share(const struct option *o, const void *member, struct buf *out)
{
    if (*(const int64_t *)member < 0)
        print_share(o, member, out);
    else
        write_memory(o, member, out);
}

const struct option_kind kind_share = {parse_share, print_share, write_share, NULL};

/* texts; a row's max, if it has one, limits their length */

static bool parse_text(const struct option *o, void *member, const struct bytes *v, size_t n,
                       char why[CONFIG_ERROR_MAX])
{
    (void)n;
    if (o->max && v[0].n > (size_t)o->max)
        return refuse(why, "Password is longer than CONFIG_AUTHPASS_MAX_LEN");
    set_text(member, v[0]);
    return true;
}

const struct option_kind kind_text = {parse_text, print_text, write_quoted, clear_text};

static bool parse_file_name(const struct option *o, void *member, const struct bytes *v, size_t n,
                            char why[CONFIG_ERROR_MAX])
{
    if (v[0].n && memchr(v[0].p, '/', v[0].n)) {
        snprintf(why, CONFIG_ERROR_MAX, "%s can't be a path, just a filename", o->name);
        return false;
    }
    return parse_text(o, member, v, n, why);
}

const struct option_kind kind_file_name = {parse_file_name, print_text, write_quoted, clear_text};

static bool parse_words(const struct option *o, void *member, const struct bytes *v, size_t n,
                        char why[CONFIG_ERROR_MAX])
{
    (void)o, (void)why;
    set_joined(member, v, n);
    return true;
}

const struct option_kind kind_words = {parse_words, print_text, NULL, clear_text};

static bool parse_save(const struct option *o, void *member, const struct bytes *v, size_t n,
                       char why[CONFIG_ERROR_MAX])
{
    if (is_nothing(v, n))
        n = 0;
    if (n & 1)
        return refuse(why, "Invalid save parameters");
    for (size_t i = 0; i < n; i++) {
        int64_t value;
        if (!num_parse_i64(v[i], &value) || value < (i % 2 ? 0 : 1))
            return refuse(why, "Invalid save parameters");
    }
    return parse_words(o, member, v, n, why);
}

/* No pair at all must be written as `save ""`: a missing line would mean the default. */
static void write_or_nothing(const struct option *o, const void *member, struct buf *out)
{
    if (**(char *const *)member)
        print_text(o, member, out);
    else
        buf_put(out, BYTES("\"\""));
}

const struct option_kind kind_save = {parse_save, print_text, write_or_nothing, clear_text};

static void put_real(struct buf *out, bool blank, double value)
{
    char text[NUM_F64_MAX];
    if (blank)
        buf_putc(out, ' ');
    buf_put(out, (struct bytes){text, num_format_f64(text, value)});
}

static bool parse_percentiles(const struct option *o, void *member, const struct bytes *v, size_t n,
                              char why[CONFIG_ERROR_MAX])
{
    if (is_nothing(v, n))
        n = 0;
    struct buf text = {0};
    bool good = true;
    for (size_t i = 0; good && i < n; i++) {
        double value;
        good = num_parse_f64(v[i], &value);
        if (!good)
            snprintf(why, CONFIG_ERROR_MAX, "Invalid %s parameters", o->name);
        else if (!(good = value >= 0 && value <= 100))
            snprintf(why, CONFIG_ERROR_MAX, "%s parameters should sit between [0.0,100.0]",
                     o->name);
        else
            put_real(&text, i > 0, value);
    }
    if (good)
        set_text(member, buf_bytes(&text));
    buf_free(&text);
    return good;
}

const struct option_kind kind_percentiles = {parse_percentiles, print_text, write_or_nothing,
                                             clear_text};

static bool parse_oom_scores(const struct option *o, void *member, const struct bytes *v, size_t n,
                             char why[CONFIG_ERROR_MAX])
{
    if (n != 3)
        return refuse(why, "wrong number of arguments");
    for (size_t i = 0; i < n; i++) {
        int64_t score;
        if (!num_parse_i64(v[i], &score) || score < -2000 || score > 2000)
            return refuse(why, "Invalid oom-score-adj-values, elements must be between -2000 and "
                               "2000.");
    }
    return parse_words(o, member, v, n, why);
}

const struct option_kind kind_oom_scores = {parse_oom_scores, print_text, NULL, clear_text};

static bool parse_replicaof(const struct option *o, void *member, const struct bytes *v, size_t n,
                            char why[CONFIG_ERROR_MAX])
{
    int64_t port;
    if (n != 2)
        return refuse(why, "wrong number of arguments");
    if (bytes_is(v[0], "no") && bytes_is(v[1], "one"))
        n = 0;
    else if (!num_parse_i64(v[1], &port) || port < 0 || port > 65535)
        return refuse(why, "Invalid master port");
    return parse_words(o, member, v, n, why);
}

const struct option_kind kind_replicaof = {parse_replicaof, print_text, NULL, clear_text};

/* list */

void config_list_add(struct config_list *list, struct bytes item)
{
    list->item = mem_grow(list->item, (list->n + 1) * sizeof *list->item);
    list->item[list->n] = NULL;
    set_text(&list->item[list->n++], item);
}

void config_list_clear(struct config_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        mem_free(list->item[i]);
    mem_free(list->item);
    *list = (struct config_list){0};
}

static bool parse_list(const struct option *o, void *member, const struct bytes *v, size_t n,
                       char why[CONFIG_ERROR_MAX])
{
    if (is_nothing(v, n))
        n = 0;
    if (o->max && n > (size_t)o->max)
        return refuse(why, "Too many bind addresses specified.");
    struct config_list fresh = {0};
    for (size_t i = 0; i < n; i++)
        if (strnlen(v[i].p, v[i].n)) /* nothing is no address; a text ends at its first NUL */
            config_list_add(&fresh, v[i]);
    config_list_clear(member);
    *(struct config_list *)member = fresh;
    return true;
}

static void print_list(const struct option *o, const void *member, struct buf *out)
{
    (void)o;
    const struct config_list *list = member;
    for (size_t i = 0; i < list->n; i++)
        buf_printf(out, "%s%s", i ? " " : "", list->item[i]);
}

static void write_list(const struct option *o, const void *member, struct buf *out)
{
    if (((const struct config_list *)member)->n)
        print_list(o, member, out);
    else
        buf_put(out, BYTES("\"\""));
}

static void clear_list(void *member)
{
    config_list_clear(member);
}

const struct option_kind kind_list = {parse_list, print_list, write_list, clear_list};

/* hold-warn: a pattern and milliseconds, several times */

static bool parse_holds(const struct option *o, void *member, const struct bytes *v, size_t n,
                        char why[CONFIG_ERROR_MAX])
{
    int64_t ms;
    if (is_nothing(v, n))
        n = 0;
    if (n % 2)
        return refuse(why, "Every pattern needs its milliseconds.");
    for (size_t i = 1; i < n; i += 2)
        if (!num_parse_i64(v[i], &ms) || ms < 1 || ms > INT32_MAX)
            return refuse(why, "Milliseconds must be an integer from 1 to 2147483647.");
    return parse_list(o, member, v, n, why);
}

const struct option_kind kind_holds = {parse_holds, print_list, write_list, clear_list};

/* output limits: `class hard soft seconds`, several times; classes not named stay as they are */

static const char *const class_names[CLIENT_CLASSES] = {"normal", "slave", "pubsub"};

static bool parse_class(struct bytes name, enum client_class *out)
{
    for (int i = 0; i < CLIENT_CLASSES; i++)
        if (bytes_ieq(name, bytes_of(class_names[i]))) {
            *out = (enum client_class)i;
            return true;
        }
    *out = CLIENT_CLASS_REPLICA;
    return bytes_is(name, "replica");
}

static bool parse_output_limit(const struct option *o, void *member, const struct bytes *v,
                               size_t n, char why[CONFIG_ERROR_MAX])
{
    (void)o;
    struct output_limit fresh[CLIENT_CLASSES];
    memcpy(fresh, member, sizeof fresh);
    if (n % 4)
        return refuse(why, "Wrong number of arguments in buffer limit configuration.");
    for (size_t i = 0; i < n; i += 4) {
        enum client_class class;
        struct output_limit limit;
        bool too_large;
        if (!parse_class(v[i], &class))
            return refuse(why, "Invalid client class specified in buffer limit configuration.");
        if (!parse_size(v[i + 1], &limit.hard, &too_large) ||
            !parse_size(v[i + 2], &limit.soft, &too_large) ||
            !num_parse_i64(v[i + 3], &limit.seconds) || limit.seconds < 0)
            return refuse(why, "Error in hard, soft or soft_seconds setting in buffer limit "
                               "configuration.");
        fresh[class] = limit;
    }
    memcpy(member, fresh, sizeof fresh);
    return true;
}

static void print_output_limit(const struct option *o, const void *member, struct buf *out)
{
    (void)o;
    const struct output_limit *limits = member;
    for (int i = 0; i < CLIENT_CLASSES; i++)
        buf_printf(out, "%s%s %" PRId64 " %" PRId64 " %" PRId64, i ? " " : "", class_names[i],
                   limits[i].hard, limits[i].soft, limits[i].seconds);
}

static void write_output_limit(const struct option *o, const void *member, struct buf *out)
{
    (void)o;
    const struct output_limit *limits = member;
    for (int i = 0; i < CLIENT_CLASSES; i++) {
        buf_printf(out, "%s%s ", i ? " " : "", class_names[i]);
        put_size(out, limits[i].hard);
        buf_putc(out, ' ');
        put_size(out, limits[i].soft);
        buf_printf(out, " %" PRId64, limits[i].seconds);
    }
}

const struct option_kind kind_output_limit = {parse_output_limit, print_output_limit,
                                              write_output_limit, NULL};

/* notify-keyspace-events, printed in the order that Redis prints the letters in */

static const struct {
    char letter;
    unsigned bit;
} notify_letters[] = {
    {'g', NOTIFY_GENERIC},  {'$', NOTIFY_STRING},  {'l', NOTIFY_LIST},    {'s', NOTIFY_SET},
    {'h', NOTIFY_HASH},     {'z', NOTIFY_ZSET},    {'x', NOTIFY_EXPIRED}, {'e', NOTIFY_EVICTED},
    {'t', NOTIFY_STREAM},   {'d', NOTIFY_MODULE},  {'n', NOTIFY_NEW},     {'K', NOTIFY_KEYSPACE},
    {'E', NOTIFY_KEYEVENT}, {'m', NOTIFY_KEYMISS},
};

static unsigned notify_bit(char letter)
{
    for (size_t i = 0; i < sizeof notify_letters / sizeof *notify_letters; i++)
        if (notify_letters[i].letter == letter)
            return notify_letters[i].bit;
    return letter == 'A' ? NOTIFY_ALL : 0;
}

static bool parse_notify(const struct option *o, void *member, const struct bytes *v, size_t n,
                         char why[CONFIG_ERROR_MAX])
{
    (void)o, (void)n;
    unsigned bits = 0;
    for (size_t i = 0; i < v[0].n; i++) {
        unsigned bit = notify_bit(v[0].p[i]);
        if (bit == 0)
            return refuse(why, "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
        bits |= bit;
    }
    *(unsigned *)member = bits;
    return true;
}

static void print_notify(const struct option *o, const void *member, struct buf *out)
{
    (void)o;
    unsigned bits = *(const unsigned *)member;
    bool all = (bits & NOTIFY_ALL) == NOTIFY_ALL;
    if (all)
        buf_putc(out, 'A');
    for (size_t i = 0; i < sizeof notify_letters / sizeof *notify_letters; i++) {
        unsigned bit = notify_letters[i].bit;
        if ((bits & bit) && !(all && (bit & NOTIFY_ALL)))
            buf_putc(out, notify_letters[i].letter);
    }
}

static void write_notify(const struct option *o, const void *member, struct buf *out)
{
    buf_putc(out, '"');
    print_notify(o, member, out);
    buf_putc(out, '"');
}

const struct option_kind kind_notify = {parse_notify, print_notify, write_notify, NULL};
