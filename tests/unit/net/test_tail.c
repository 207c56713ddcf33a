/* Output that waits, and what becomes of the memory. */
#include "server/net/tail.h"
#include "tests/lib/test.h"

static struct bytes text(char *room, size_t n, char c)
{
    memset(room, c, n);
    return (struct bytes){room, n};
}

/* Reads all of it, in steps. */
static void expect(struct tail *t, const struct buf *all)
{
    enum { STEP = 1000 };
    struct buf *b;
    size_t at = 0;
    while ((b = tail_next(t))) {
        size_t n = buf_len(b) < STEP ? buf_len(b) : STEP;
        assert_in_range(at + n, 1, buf_len(all));
        assert_memory_equal(b->p + b->from, all->p + at, n);
        buf_consume(b, n);
        at += n;
    }
    assert_int_equal(at, buf_len(all));
}

TEST(tail, gives_what_it_was_given_in_that_order)
{
    static char room[TAIL_LARGE];
    static const size_t sizes[] = {1, 1000, TAIL_PIECE, 7, TAIL_LARGE, 3 * TAIL_PIECE + 5, 1};
    struct scrap scrap;
    struct buf all = {0}, b = {0};
    scrap_init(&scrap);
    struct tail *t = tail_new(&scrap);
    assert_null(tail_next(t));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct bytes part = text(room, sizes[i], (char)('a' + i));
        buf_put(&all, part);
        if (i % 2) {
            assert_true(tail_append(t, part));
        } else {
            buf_put(&b, part);
            assert_true(tail_put(t, &b));
            assert_int_equal(buf_len(&b), 0);
        }
    }
    assert_in_range(t->size, buf_len(&all), buf_len(&all) + 3 * TAIL_PIECE);
    expect(t, &all);
    tail_free(t);
    assert_false(scrap_free_some(&scrap, SIZE_MAX));
    buf_free(&all);
    buf_free(&b);
}

TEST(tail, what_one_leaves_behind_serves_the_next)
{
    static char room[TAIL_PIECE];
    struct scrap scrap;
    scrap_init(&scrap);
    struct tail *t = tail_new(&scrap);
    assert_true(tail_append(t, text(room, 10, 'a')));
    const struct buf *b = tail_next(t);
    const char *pages = b->p;
    tail_free(t);
    t = tail_new(&scrap);
    assert_true(tail_append(t, text(room, 10, 'b')));
    b = tail_next(t);
    assert_ptr_equal(b->p, pages);
    assert_int_equal(buf_len(b), 10);
    assert_true(list_empty(&scrap.pieces));
    tail_free(t);
    assert_false(scrap_free_some(&scrap, SIZE_MAX));
}

TEST(tail, scrap_is_given_back_a_little_at_a_time)
{
    static char room[TAIL_PIECE];
    enum { PIECES = 100, STEP = 10 };
    struct scrap scrap;
    scrap_init(&scrap);
    struct tail *t = tail_new(&scrap);
    size_t before = t->size;
    while (t->size < before + (size_t)PIECES * TAIL_PIECE)
        assert_true(tail_append(t, text(room, TAIL_PIECE, 'x')));
    tail_free(t);
    int steps = 1;
    while (scrap_free_some(&scrap, (size_t)STEP * TAIL_PIECE))
        steps++;
    assert_in_range(steps, PIECES / STEP, PIECES / STEP + 1);
}
