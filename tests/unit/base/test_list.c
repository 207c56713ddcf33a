#include "base/list.h"

#include "tests/lib/test.h"

struct item {
    int v;
    struct list link;
};

static int sum_digits(struct list *head)
{
    int sum = 0;
    list_each (pos, head)
        sum = 10 * sum + container_of(pos, struct item, link)->v;
    return sum;
}

TEST(list, keeps_order_and_unlinks_anywhere)
{
    struct list head;
    struct item items[4];
    list_init(&head);
    assert_true(list_empty(&head));
    for (int i = 0; i < 4; i++) {
        items[i].v = i + 1;
        list_append(&head, &items[i].link);
    }
    assert_int_equal(sum_digits(&head), 1234);
    list_unlink(&items[1].link);
    list_unlink(&items[1].link); /* twice is harmless */
    assert_int_equal(sum_digits(&head), 134);
    list_each_safe (pos, &head)
        list_unlink(pos);
    assert_true(list_empty(&head));
}
