#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void log_line(const struct log *l, enum log_level level, const char *fmt, ...)
{
    if (l == NULL || l->write == NULL || level < l->min)
        return;
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    l->write(l->ctx, level, line);
}
