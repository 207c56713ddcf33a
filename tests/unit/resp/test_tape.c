#include "resp/tape.h"

#include "resp/wire.h"
#include "tests/lib/random.h"
#include "tests/lib/test.h"

TEST(tape, records_typed_values_in_order)
{
    struct tape t;
    tape_init(&t);
    reply_array(&t.reply, 4);
    reply_int(&t.reply, -7);
    reply_bulk(&t.reply, BYTES("a\0b"));
    reply_real(&t.reply, 0.5);
    reply_bool(&t.reply, true);
    assert_int_equal(t.n, 5);
    assert_int_equal(t.nodes[0].kind, TAPE_ARRAY);
    assert_int_equal(t.nodes[0].len, 4);
    assert_int_equal(t.nodes[1].kind, TAPE_INT);
    assert_int_equal(t.nodes[1].i, -7);
    assert_int_equal(t.nodes[2].kind, TAPE_BULK);
    assert_true(bytes_eq(tape_text(&t, &t.nodes[2]), BYTES("a\0b")));
    assert_int_equal(t.nodes[3].kind, TAPE_REAL);
    assert_true(t.nodes[3].f == 0.5);
    assert_int_equal(t.nodes[4].kind, TAPE_BOOL);
    assert_true(t.nodes[4].b);
    tape_free(&t);
}

TEST(tape, keeps_the_format_of_verbatim_text_beside_it)
{
    struct tape t;
    tape_init(&t);
    reply_verbatim(&t.reply, "mkd", BYTES("# hi"));
    assert_int_equal(t.nodes[0].kind, TAPE_VERBATIM);
    assert_true(bytes_eq(tape_text(&t, &t.nodes[0]), BYTES("# hi")));
    assert_memory_equal(tape_format(&t, &t.nodes[0]), "mkd", 3);
    tape_free(&t);
}

TEST(tape, keeps_errors_on_one_line)
{
    struct tape t;
    tape_init(&t);
    reply_error(&t.reply, BYTES("ERR a\nb"));
    assert_int_equal(t.nodes[0].kind, TAPE_ERROR);
    assert_true(bytes_eq(tape_text(&t, &t.nodes[0]), BYTES("ERR a b")));
    tape_free(&t);
}

TEST(tape, is_empty_after_a_reset_and_keeps_little)
{
    struct tape t;
    tape_init(&t);
    for (int i = 0; i < 10000; i++)
        reply_bulk(&t.reply, BYTES("0123456789"));
    tape_reset(&t);
    assert_int_equal(t.n, 0);
    assert_true(t.cap <= 1024 && t.text.cap <= 65536);
    reply_bulk(&t.reply, BYTES("x"));
    assert_true(bytes_eq(tape_text(&t, &t.nodes[0]), BYTES("x")));
    struct tape_node *nodes = t.nodes;
    tape_reset(&t);
    assert_ptr_equal(t.nodes, nodes);
    tape_free(&t);
}

TEST(tape, loses_what_is_more_than_the_most)
{
    struct tape t;
    tape_init(&t);
    t.most = 1000;
    for (int i = 0; i < 20; i++)
        reply_bulk(&t.reply, BYTES("0123456789"));
    assert_false(t.reply.lost);
    char text[1000] = "";
    reply_bulk(&t.reply, (struct bytes){text, sizeof text});
    assert_true(t.reply.lost);
    tape_reset(&t);
    assert_false(t.reply.lost);
    for (int i = 0; i < 1000; i++)
        reply_int(&t.reply, i);
    assert_true(t.reply.lost);
    assert_true(t.cap * sizeof *t.nodes <= 1000);
    tape_free(&t);
}

/* Says one random value, with its elements. */
static void say(struct reply *r, uint64_t *seed, int depth)
{
    char text[64];
    size_t n = random_below(seed, sizeof text + 1);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)random_u64(seed);
    struct bytes s = {text, n};
    uint64_t elements = random_below(seed, 4);
    switch (random_below(seed, depth > 0 ? 14 : 10)) {
    case 0: reply_status(r, s); return;
    case 1: reply_error(r, s); return;
    case 2: reply_int(r, (int64_t)random_u64(seed)); return;
    case 3: reply_real(r, (double)random_u64(seed) / 3); return;
    case 4: reply_bool(r, elements & 1); return;
    case 5: reply_bulk(r, s); return;
    case 6: reply_verbatim(r, "txt", s); return;
    case 7: reply_bignum(r, BYTES("12345678901234567890")); return;
    case 8: reply_null(r); return;
    case 9: reply_null_array(r); return;
    case 10: reply_array(r, elements); break;
    case 11: reply_set(r, elements); break;
    case 12: reply_push(r, elements); break;
    case 13:
        reply_map(r, elements);
        elements *= 2;
        break;
    }
    for (uint64_t i = 0; i < elements; i++)
        say(r, seed, depth - 1);
}

TEST(tape, plays_what_was_said)
{
    for (uint64_t round = 1; round <= 2000; round++) {
        struct buf direct = {0}, played = {0};
        struct wire a, b;
        struct tape t;
        int version = round % 2 ? 2 : 3;
        wire_init(&a, &direct, version);
        wire_init(&b, &played, version);
        tape_init(&t);
        uint64_t seed = round, same = round;
        say(&a.reply, &seed, 4);
        say(&t.reply, &same, 4);
        tape_play(&t, &b.reply);
        assert_true(bytes_eq(buf_bytes(&direct), buf_bytes(&played)));
        assert_true(buf_len(&direct) > 0);
        tape_free(&t);
        buf_free(&direct);
        buf_free(&played);
    }
}

TEST(tape, plays_onto_another_tape)
{
    struct tape from, to;
    tape_init(&from);
    tape_init(&to);
    reply_map(&from.reply, 1);
    reply_str(&from.reply, "k");
    reply_verbatim(&from.reply, "txt", BYTES("v"));
    tape_play(&from, &to.reply);
    assert_int_equal(to.n, 3);
    assert_int_equal(to.nodes[0].kind, TAPE_MAP);
    assert_int_equal(to.nodes[2].kind, TAPE_VERBATIM);
    assert_memory_equal(tape_format(&to, &to.nodes[2]), "txt", 3);
    tape_free(&from);
    tape_free(&to);
}
