#include "server/files.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 16384, FILE_MAX_BYTES = 64 << 20 };

bool files_read_fd(int fd, struct buf *out)
{
    for (;;) {
        ssize_t n = read(fd, buf_room(out, PIECE), PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        buf_added(out, (size_t)n);
        if (buf_len(out) > FILE_MAX_BYTES) {
            errno = EFBIG;
            return false;
        }
    }
}

bool files_read(const char *path, struct buf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = files_read_fd(fd, out);
    int why = errno;
    close(fd);
    errno = why;
    return good;
}

static bool write_all(int fd, struct bytes s)
{
    while (s.n) {
        ssize_t n = write(fd, s.p, s.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        s = (struct bytes){s.p + n, s.n - (size_t)n};
    }
    return true;
}

/* A new file gets what the umask leaves of 0644; an old one keeps its mode. */
static mode_t mode_for(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0)
        return st.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0644 & ~mask;
}

static bool is_plain(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool write_in_place(const char *path, struct bytes contents)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = write_all(fd, contents);
    int why = errno;
    good = close(fd) == 0 && good;
    errno = why;
    return good;
}

void files_remove(const char *path)
{
    if (is_plain(path))
        unlink(path);
}

bool files_replace(const char *path, struct bytes contents)
{
    char beside[PATH_MAX];
    if (access(path, F_OK) == 0 && !is_plain(path))
        return write_in_place(path, contents);
    if (snprintf(beside, sizeof beside, "%s.XXXXXX", path) >= (int)sizeof beside) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = mkostemp(beside, O_CLOEXEC);
    int refused = errno;
    if (fd < 0 && refused == EACCES && write_in_place(path, contents))
        return true;
    errno = refused;
    if (fd < 0)
        return false;
    bool good = write_all(fd, contents) && fchmod(fd, mode_for(path)) == 0 && fsync(fd) == 0;
    good = close(fd) == 0 && good && rename(beside, path) == 0;
    int why = errno;
    if (!good)
        unlink(beside);
    errno = why;
    return good;
}

char *files_absolute(const char *path)
{
    char here[PATH_MAX], whole[2 * PATH_MAX];
    if (path[0] == '/' || getcwd(here, sizeof here) == NULL)
        return mem_strdup(path);
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    while (strncmp(path, "../", 3) == 0 && strcmp(here, "/") != 0) {
        path += 3;
        *strrchr(here, '/') = '\0';
    }
    snprintf(whole, sizeof whole, "%s/%s", strcmp(here, "/") ? here : "", path);
    return mem_strdup(whole);
}
