/*
 * How values of options are read and printed. A kind knows one shape of value and the C type that
 * holds it; the row of the table adds the bounds and names. Private to the configuration.
 */
#ifndef SERVER_ENGINE_OPTION_KIND_H
#define SERVER_ENGINE_OPTION_KIND_H

#include "server/engine/config.h"

struct option_kind {
    /* Reads the values into the member, or says why not and leaves the member alone. */
    bool (*parse)(const struct option *o, void *member, const struct bytes *v, size_t n,
                  char why[CONFIG_ERROR_MAX]);
    /* As CONFIG GET shows it. What it prints can be parsed again. */
    void (*print)(const struct option *o, const void *member, struct buf *out);
    /* As a line of a file has it; NULL: the same. */
    void (*write)(const struct option *o, const void *member, struct buf *out);
    void (*clear)(void *member); /* NULL: it owns nothing */
};

/* A member of any kind, for values that are only checked and printed. */
union option_value {
    bool yes;
    int word;
    int64_t number;
    unsigned notify;
    char *text;
    struct config_list list;
    struct output_limit limits[CLIENT_CLASSES];
};

extern const struct option_kind kind_bool;         /* bool */
extern const struct option_kind kind_word;         /* int: index into the row's words */
extern const struct option_kind kind_int;          /* int64_t */
extern const struct option_kind kind_port;         /* int64_t, or the word auto */
extern const struct option_kind kind_hz;           /* int64_t, silently kept within 1 and 500 */
extern const struct option_kind kind_octal;        /* int64_t */
extern const struct option_kind kind_memory;       /* int64_t bytes: 100mb */
extern const struct option_kind kind_share;        /* the same, or 5%, held as -5 */
extern const struct option_kind kind_text;         /* char * */
extern const struct option_kind kind_file_name;    /* char *, without a slash */
extern const struct option_kind kind_words;        /* char *: any number of words */
extern const struct option_kind kind_save;         /* char *: pairs of seconds and changes */
extern const struct option_kind kind_percentiles;  /* char *: numbers from 0 to 100 */
extern const struct option_kind kind_oom_scores;   /* char *: three integers */
extern const struct option_kind kind_replicaof;    /* char *: host and port, or no one */
extern const struct option_kind kind_list;         /* struct config_list */
extern const struct option_kind kind_holds;        /* struct config_list: pattern, ms, ... */
extern const struct option_kind kind_output_limit; /* struct output_limit, one per class */
extern const struct option_kind kind_notify;       /* unsigned, of NOTIFY_* */

void config_list_add(struct config_list *list, struct bytes item);
void config_list_clear(struct config_list *list);

#endif
