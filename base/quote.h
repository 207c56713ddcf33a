/*
 * Redis's rules for splitting a line into words: blanks separate, "double quotes" take backslash
 * escapes (\n \r \t \b \a \xHH), 'single quotes' take \' only. Inline commands, configuration lines
 * and test scripts are split with this. quote_put writes a word so that it would split back.
 */
#ifndef BASE_QUOTE_H
#define BASE_QUOTE_H

#include "base/buf.h"

#include <sys/types.h>

/* The number of words, or -1 when the quotes do not balance. The words' bytes go into `text`; their
 * end offsets in it into `ends` (size_t each, appended as raw bytes). */
ssize_t quote_split(struct bytes line, struct buf *text, struct buf *ends);

/* Appends `word` in double quotes, escaped as Redis prints it (used by MONITOR, SLOWLOG, logs). */
void quote_put(struct buf *out, struct bytes word);

/* How many bytes that takes. */
size_t quote_len(struct bytes word);

#endif
