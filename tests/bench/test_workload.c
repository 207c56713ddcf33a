#include "bench/workload.h"
#include "tests/lib/test.h"

static const struct workload_scripts scripts = {.sha = {"5f", "6a"}};
static const struct places places = {.lane = 7, .listeners = 3, .scripts = &scripts};

static struct step made(const char *ask, const char *answer)
{
    struct step s;
    step_make(&s, &(struct line){ask, answer}, &places);
    return s;
}

static void says(const struct step *s, uint64_t key, const char *text)
{
    struct buf out = {0};
    step_put(s, key, &out);
    buf_putc(&out, '\0');
    assert_string_equal(out.p, text);
    buf_free(&out);
}

TEST(workload, puts_names_in_their_places)
{
    struct step s = made("A %h1 %l x%n", "+OK");
    says(&s, 0, "*4\r\n$1\r\nA\r\n$2\r\n6a\r\n$24\r\nbench:lane:0000000000007\r\n$2\r\nx3\r\n");
    step_free(&s);
}

TEST(workload, changes_every_key_of_a_request)
{
    struct step s = made("A %k b:%k", "+OK");
    says(&s, 41,
         "*3\r\n$1\r\nA\r\n$24\r\nbench:lock:0000000000041\r\n"
         "$26\r\nb:bench:lock:0000000000041\r\n");
    says(&s, 9,
         "*3\r\n$1\r\nA\r\n$24\r\nbench:lock:0000000000009\r\n"
         "$26\r\nb:bench:lock:0000000000009\r\n");
    step_free(&s);
}

TEST(workload, takes_the_answer_and_no_other)
{
    struct step s = made("A", "*2 :1 $36 %t");
    struct bytes right = buf_bytes(&s.answer);
    assert_int_equal(right.n, 4 + 4 + 5 + 38);
    assert_int_equal(step_check(&s, right), (long)right.n);
    for (size_t n = 0; n < right.n; n++) {
        assert_int_equal(step_check(&s, (struct bytes){right.p, n}), 0);
        s.answer.p[n] ^= 1;
        assert_true(step_check(&s, BYTES("*2\r\n:1\r\n$36\r\n"
                                         "7b0a9c1e-53d2-4f6b-8e00-000000000007\r\n")) < 0);
        s.answer.p[n] ^= 1;
    }
    step_free(&s);
}

TEST(workload, takes_integers_of_a_range_only)
{
    struct step s = made("A", ":1..500");
    assert_int_equal(step_check(&s, BYTES(":1\r\n")), 4);
    assert_int_equal(step_check(&s, BYTES(":500\r\n:9")), 6);
    assert_int_equal(step_check(&s, BYTES(":50")), 0);
    assert_true(step_check(&s, BYTES(":0\r\n")) < 0);
    assert_true(step_check(&s, BYTES(":501\r\n")) < 0);
    assert_true(step_check(&s, BYTES("$-1\r\n")) < 0);
    assert_true(step_check(&s, BYTES("+OK\r\n")) < 0);
    step_free(&s);
}

TEST(workload, every_script_is_there)
{
    for (const struct workload *w = workloads; w->name; w++) {
        struct workload_scripts s;
        assert_true(workload_read_scripts(w, "scripts/canonical", &s));
        for (int i = 0; i < WORKLOAD_SCRIPTS && w->scripts[i]; i++)
            assert_true(buf_len(&s.text[i]) > 50);
        workload_free_scripts(&s);
    }
}
