/*
 * Whole files: reading one, and replacing one so that a reader sees the old or the new and never
 * half of it.
 */
#ifndef SERVER_FILES_H
#define SERVER_FILES_H

#include "base/buf.h"

/* Appends the contents to `out`. False, with errno set, when that is not possible. */
bool files_read(const char *path, struct buf *out);
bool files_read_fd(int fd, struct buf *out);

/* Gives the file new contents by way of a neighbour that is renamed over it. What is no plain file,
 * and one in a directory that we may not write to, is written in place. */
bool files_replace(const char *path, struct bytes contents);

/* Removes it, if it is a plain file. */
void files_remove(const char *path);

/* The path from the root on; freed with mem_free. */
char *files_absolute(const char *path);

#endif
