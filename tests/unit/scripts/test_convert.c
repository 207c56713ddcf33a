/* Values across the border, as RESP2 and as RESP3 clients see them. */
#include "tests/lib/test.h"
#include "tests/unit/scripts/rig.h"

#include <stdio.h>

struct example {
    const char *script, *resp2, *resp3; /* resp3 NULL: the same */
};

static void check(const struct example *examples, size_t n)
{
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < n; i++) {
        const struct example *e = &examples[i];
        r.wire.version = 2;
        assert_string_equal(eval(&r, e->script), e->resp2);
        r.wire.version = 3;
        assert_string_equal(eval(&r, e->script), e->resp3 ? e->resp3 : e->resp2);
    }
    rig_free(&r);
}

#define CHECK(examples) check(examples, sizeof(examples) / sizeof *(examples))

TEST(convert, results_of_scripts)
{
    static const struct example examples[] = {
        {"return 1", ":1\r\n", NULL},
        {"return 3.99", ":3\r\n", NULL},
        {"return -3.99", ":-3\r\n", NULL},
        {"return 1e300", ":-9223372036854775808\r\n", NULL},
        {"return 0/0", ":-9223372036854775808\r\n", NULL},
        {"return 'a\\0b' == 'a\\0b' and 'same'", "$4\r\nsame\r\n", NULL},
        {"return ''", "$0\r\n\r\n", NULL},
        {"return true", ":1\r\n", NULL},
        {"return false", "$-1\r\n", "_\r\n"},
        {"return nil", "$-1\r\n", "_\r\n"},
        {"return", "$-1\r\n", "_\r\n"},
        {"return tostring", "$-1\r\n", "_\r\n"},
        {"return {}", "*0\r\n", NULL},
        {"return {1,2,nil,4}", "*2\r\n:1\r\n:2\r\n", NULL},
        {"return {1,false,3}", "*3\r\n:1\r\n$-1\r\n:3\r\n", "*3\r\n:1\r\n_\r\n:3\r\n"},
        {"return {{'a',{}}}", "*1\r\n*2\r\n$1\r\na\r\n*0\r\n", NULL},
        {"return {ok='fine'}", "+fine\r\n", NULL},
        {"return {ok='a\\r\\nb'}", "+a  b\r\n", NULL},
        {"return {ok=1}", "*0\r\n", NULL},
        {"return {err='CODE text'}", "-CODE text\r\n", NULL},
        {"return {err='a\\nb\\r\\n'}", "-a b\r\n", NULL},
        {"return {err=1,ok='y'}", "+y\r\n", NULL},
        {"return {double=3.5}", "$3\r\n3.5\r\n", ",3.5\r\n"},
        {"return {double='3.5'}", "*0\r\n", NULL},
        {"return {big_number='12\\r\\n3'}", "$5\r\n12  3\r\n", "(12  3\r\n"},
        {"return {verbatim_string={format='txt',string='hi'}}", "$2\r\nhi\r\n", "=6\r\ntxt:hi\r\n"},
        {"return {verbatim_string={format='t',string='hi'}}", "$2\r\nhi\r\n", "=6\r\nt  :hi\r\n"},
        {"return {verbatim_string={string='hi'}}", "*0\r\n", NULL},
        {"return {map={a=1}}", "*2\r\n$1\r\na\r\n:1\r\n", "%1\r\n$1\r\na\r\n:1\r\n"},
        {"return {set={x=true}}", "*1\r\n$1\r\nx\r\n", "~1\r\n$1\r\nx\r\n"},
        {"redis.setresp(3) return {true,false,nil}", "*2\r\n:1\r\n:0\r\n", "*2\r\n#t\r\n#f\r\n"},
        {"redis.setresp(3) redis.setresp(2) return false", "$-1\r\n", "_\r\n"},
        {"return setmetatable({}, {__index={err='x'}})", "*0\r\n", NULL},
    };
    CHECK(examples);
}

TEST(convert, replies_keep_resp2_shapes_unless_asked)
{
    static const struct example examples[] = {
        {"return redis.call('say','int') + 1", ":8\r\n", NULL},
        {"return redis.call('say','real')", "$3\r\n2.5\r\n", NULL},
        {"return redis.call('say','bool')", ":1\r\n", NULL},
        {"return type(redis.call('say','null'))", "$7\r\nboolean\r\n", NULL},
        {"return type(redis.call('say','null_array'))", "$7\r\nboolean\r\n", NULL},
        {"return redis.call('say','bignum')", "$20\r\n12345678901234567890\r\n", NULL},
        {"return redis.call('say','verbatim')", "$5\r\nwords\r\n", NULL},
        {"return redis.call('say','map')[1]", "$5\r\nfield\r\n", NULL},
        {"return #redis.call('say','map')", ":2\r\n", NULL},
        {"return redis.call('say','set')[1]", "$6\r\nmember\r\n", NULL},
        {"return redis.call('say','array')[3][1]", "$5\r\ninner\r\n", NULL},
        {"return redis.call('say','array')", "*3\r\n:1\r\n$-1\r\n*1\r\n$5\r\ninner\r\n",
         "*3\r\n:1\r\n_\r\n*1\r\n$5\r\ninner\r\n"},
        {"return redis.call('ping').ok", "$4\r\nPONG\r\n", NULL},
        {"return redis.call('ping')", "+PONG\r\n", NULL},
    };
    CHECK(examples);
}

TEST(convert, setresp_3_gives_tables_for_types_that_lua_lacks)
{
    static const struct example examples[] = {
        {"redis.setresp(3) return redis.call('say','real').double * 2", ":5\r\n", NULL},
        {"redis.setresp(3) return redis.call('say','real')", "$3\r\n2.5\r\n", ",2.5\r\n"},
        {"redis.setresp(3) return redis.call('say','bool') == true", ":1\r\n", "#t\r\n"},
        {"redis.setresp(3) return type(redis.call('say','null'))", "$3\r\nnil\r\n", NULL},
        {"redis.setresp(3) return type(redis.call('say','null_array'))", "$3\r\nnil\r\n", NULL},
        {"redis.setresp(3) return redis.call('say','bignum').big_number",
         "$20\r\n12345678901234567890\r\n", NULL},
        {"redis.setresp(3) local v = redis.call('say','verbatim').verbatim_string "
         "return v.format .. ':' .. v.string",
         "$9\r\ntxt:words\r\n", NULL},
        {"redis.setresp(3) return redis.call('say','map').map.field", ":1\r\n", NULL},
        {"redis.setresp(3) return redis.call('say','map')", "*2\r\n$5\r\nfield\r\n:1\r\n",
         "%1\r\n$5\r\nfield\r\n:1\r\n"},
        {"redis.setresp(3) return redis.call('say','set').set.member", ":1\r\n", "#t\r\n"},
        {"redis.setresp(3) return #redis.call('say','array')", ":3\r\n", NULL},
    };
    CHECK(examples);
}

TEST(convert, numbers_as_arguments)
{
    static const struct example examples[] = {
        {"return redis.call('echo', 1)", "$1\r\n1\r\n", NULL},
        {"return redis.call('echo', -5)", "$2\r\n-5\r\n", NULL},
        {"return redis.call('echo', 1e12)", "$13\r\n1000000000000\r\n", NULL},
        {"return redis.call('echo', 2^53)", "$16\r\n9007199254740992\r\n", NULL},
        {"return redis.call('echo', 0.1)", "$3\r\n0.1\r\n", NULL},
        {"return redis.call('echo', -0.0)", "$1\r\n0\r\n", NULL},
        {"return redis.call('echo', 1/0)", "$3\r\ninf\r\n", NULL},
        {"return redis.call('echo', '007')", "$3\r\n007\r\n", NULL},
    };
    CHECK(examples);
}

TEST(convert, many_arguments)
{
    struct rig r;
    rig_init(&r);
    assert_string_equal(eval(&r, "local t = {} for i = 1, 5000 do t[i] = i end "
                                 "return redis.pcall('echo', unpack(t)).err"),
                        "$58\r\nERR Wrong number of args calling Redis command from script\r\n");
    rig_free(&r);
}

TEST(convert, errors_in_every_form)
{
    static const struct example examples[] = {
        {"error('x')", "-ERR user_script:1: x script: SHA, on @user_script:1.\r\n", NULL},
        {"error('x', 0)", "-ERR x script: SHA, on @user_script:1.\r\n", NULL},
        {"error()", "-ERR nil script: SHA, on @user_script:1.\r\n", NULL},
        {"error(true)", "-ERR true script: SHA, on @user_script:1.\r\n", NULL},
        {"error({})", "-ERR unknown error script: SHA, on @user_script:1.\r\n", NULL},
        {"error({err='CODE x'})", "-CODE x script: SHA, on @user_script:1.\r\n", NULL},
        {"error({err=5})", "-5 script: SHA, on @user_script:1.\r\n", NULL},
        {"\n\nlocal t; t.x = 1",
         "-ERR user_script:3: attempt to index local 't' (a nil value) script: SHA, on "
         "@user_script:3.\r\n",
         NULL},
        {"loadstring('error(\"in\")', '@name')()", "-ERR name:1: in script: SHA, on @name:1.\r\n",
         NULL},
        {"return redis.error_reply('X')", "-ERR X\r\n", NULL},
        {"return redis.error_reply('-X y')", "-X y\r\n", NULL},
        {"return redis.error_reply('')", "-ERR \r\n", NULL},
        {"return redis.error_reply(1)", "-ERR wrong number or type of arguments\r\n", NULL},
        {"return redis.status_reply()", "-ERR wrong number or type of arguments\r\n", NULL},
        {"redis.call('fail', 'WRONGTYPE bad')",
         "-WRONGTYPE bad script: SHA, on @user_script:1.\r\n", NULL},
        {"return redis.pcall('fail', 'WRONGTYPE bad')", "-WRONGTYPE bad\r\n", NULL},
        {"return redis.pcall('fail', 'ALONE').err", "$9\r\nERR ALONE\r\n", NULL},
        {"return redis.pcall('fail', '').err", "$4\r\nERR \r\n", NULL},
        {"return {pcall(redis.call, 'fail', 'E x')}", "*2\r\n$-1\r\n$3\r\nE x\r\n",
         "*2\r\n_\r\n$3\r\nE x\r\n"},
        {"return select('#', pcall(error, {}))", ":3\r\n", NULL},
        {"redis.call()",
         "-ERR Please specify at least one argument for this redis lib call script: SHA, on "
         "@user_script:1.\r\n",
         NULL},
        {"redis.call('echo', {})",
         "-ERR Lua redis lib command arguments must be strings or integers script: SHA, on "
         "@user_script:1.\r\n",
         NULL},
        {"redis.call('nope')",
         "-ERR Unknown Redis command called from script script: SHA, on @user_script:1.\r\n", NULL},
    };
    CHECK(examples);
}

TEST(convert, an_error_is_counted_once)
{
    struct rig r;
    rig_init(&r);
    eval(&r, "error('x')");
    assert_true(r.uncounted);
    eval(&r, "return {err='x'}");
    assert_true(r.uncounted);
    eval(&r, "redis.call('fail', 'E x')");
    assert_false(r.uncounted);
    eval(&r, "return redis.pcall('fail', 'E x')");
    assert_false(r.uncounted);
    eval(&r, "return {{err='inside'}}");
    assert_false(r.uncounted);
    rig_free(&r);
}

TEST(convert, a_result_without_end_is_one_error)
{
    struct rig r;
    rig_init(&r);
    rig_limit(&r, 4 << 20, 64 << 10, 500);
    assert_string_equal(eval(&r, "local t = {} t[1] = t return t"),
                        "-ERR reached lua stack limit\r\n");
    assert_string_equal(eval(&r, "local t = {} t.map = {a = t} return {1, t}"),
                        "-ERR reached lua stack limit\r\n");
    assert_string_equal(eval(&r, "local t = {} for i = 1, 60 do t = {t, t} end return t"),
                        "-ERR script reply is too large\r\n");
    assert_string_equal(eval(&r, "local s, t = string.rep('x', 1e6), {} for i = 1, 100 do t[i] = s "
                                 "end return t"),
                        "-ERR script reply is too large\r\n");
    assert_string_equal(eval(&r, "local t = {} for i = 1, 500 do t = {t} end return #t"), ":1\r\n");
    rig_free(&r);
}
