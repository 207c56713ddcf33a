#include "server/commands/names.h"

#include "base/mem.h"

static bool make_room(struct names *names)
{
    if (names->n < names->cap)
        return true;
    struct bytes *all = mem_try_double(names->all, &names->cap, 16, sizeof *all);
    if (all)
        names->all = all;
    return all != NULL;
}

void names_add(struct names *names, struct bytes name)
{
    if (make_room(names))
        names->all[names->n++] = name;
    else
        names->failed = true;
}

void names_reply(struct call *c, struct names *names, names_header_fn *header)
{
    if (names->failed) {
        call_out_of_memory(c);
    } else {
        header(c->reply, names->n);
        for (size_t i = 0; i < names->n; i++)
            reply_bulk(c->reply, names->all[i]);
    }
    mem_free(names->all);
    *names = (struct names){0};
}
