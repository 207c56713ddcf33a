#include "tests/lib/oracle.h"

#include <stdlib.h>
#include <unistd.h>

const char *oracle_path(void)
{
    static const char *const places[] = {"/usr/bin/redis-server", "/usr/local/bin/redis-server",
                                         "/usr/bin/redis-check-rdb"};
    const char *path = getenv("ORACLE");
    for (size_t i = 0; path == NULL && i < sizeof places / sizeof *places; i++)
        if (access(places[i], X_OK) == 0)
            path = places[i];
    return path;
}

bool oracle_launch(struct launched *l, const char *path)
{
    const char *const extra[] = {"--enable-debug-command", "yes", NULL};
    return launch(l, path, "redis-server", extra);
}
