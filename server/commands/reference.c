#include "server/commands/reference.h"

#include "base/mem.h"

#include <stdlib.h>

static const struct {
    enum command_group group;
    const char *title;
} chapters[] = {
    {GROUP_STRING, "Strings"},
    {GROUP_GENERIC, "Keys"},
    {GROUP_HASH, "Hashes"},
    {GROUP_LIST, "Lists"},
    {GROUP_SET, "Sets"},
    {GROUP_ZSET, "Sorted sets"},
    {GROUP_SCRIPTING, "Scripts"},
    {GROUP_TRANSACTIONS, "Transactions"},
    {GROUP_PUBSUB, "Publish and subscribe"},
    {GROUP_CONNECTION, "Connections"},
    {GROUP_SERVER, "The server"},
    {GROUP_CLUSTER, "Clusters"},
    {GROUP_TESTING, "For test suites, under --test"},
};

static const char introduction[] =
    "# Commands\n"
    "\n"
    "Every command that the server knows. They take the arguments and give the answers of the "
    "Redis\n"
    "commands of the same name; where one does something else, its line says so. The column "
    "*since*\n"
    "is the version of Redis that a client may expect the command from.\n"
    "\n"
    "This page is printed by `latchd --commands` from the tables that the server itself runs by.\n";

static int by_name(const void *a, const void *b)
{
    const struct command *const *x = a, *const *y = b;
    return strcmp(command_full_name(*x), command_full_name(*y));
}

/* Bars would end the table's cell. */
static void put_cell(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            buf_putc(out, '\\');
        buf_putc(out, *text);
    }
}

static void put_row(struct buf *out, const struct command *cmd)
{
    buf_put(out, BYTES("| `"));
    for (const char *p = command_full_name(cmd); *p; p++)
        buf_putc(out, *p == '|' ? ' ' : (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p));
    if (cmd->syntax[0])
        buf_putc(out, ' ');
    put_cell(out, cmd->syntax);
    buf_put(out, BYTES("` | "));
    put_cell(out, cmd->summary);
    buf_printf(out, " | %s |\n", cmd->since);
}

/* A container that does nothing by itself has no row. */
static bool has_row(const struct command *cmd, enum command_group group)
{
    return cmd->group == group && cmd->run;
}

static void put_chapter(struct buf *out, const struct command **all, size_t n, size_t chapter)
{
    buf_printf(out, "\n## %s\n\n| command | what it does | since |\n| --- | --- | --- |\n",
               chapters[chapter].title);
    for (size_t i = 0; i < n; i++)
        if (has_row(all[i], chapters[chapter].group))
            put_row(out, all[i]);
}

void reference_print(const struct registry *r, struct buf *out)
{
    size_t n = registry_count(r);
    const struct command **all = mem_alloc(n * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = registry_at(r, i);
    qsort(all, n, sizeof *all, by_name);
    buf_put(out, BYTES(introduction));
    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++)
        put_chapter(out, all, n, i);
    mem_free(all);
}
