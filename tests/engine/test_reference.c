#include "server/commands/reference.h"

#include "tests/lib/test.h"

#include <stdio.h>

static void read_page(struct buf *out)
{
    FILE *f = fopen("docs/commands.md", "r");
    if (f == NULL)
        fail_msg("docs/commands.md is not there; this test runs in the root of the tree");
    for (size_t n = 1; n > 0;) {
        n = fread(buf_room(out, 4096), 1, 4096, f);
        buf_added(out, n);
    }
    fclose(f);
}

TEST(reference, page_is_what_the_tables_say)
{
    struct registry *r = registry_new(true);
    struct buf expected = {0}, page = {0};
    reference_print(r, &expected);
    read_page(&page);
    if (!bytes_eq(buf_bytes(&expected), buf_bytes(&page)))
        fail_msg("docs/commands.md is out of date: build/latchd --commands > docs/commands.md");
    buf_free(&expected);
    buf_free(&page);
    registry_free(r);
}
