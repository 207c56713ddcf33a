/* Memory: what the libraries do when there is none, at every place where they ask for some. */
#include "tests/unit/scripts/libs/lua_rig.h"

#include <string.h>

/* Every function that builds something, small and large. */
static const char *const workloads[] = {
    "local s = ('x'):rep(5000) return s:upper():lower():reverse():sub(2), s:format()",
    "return ('x%d'):rep(1000):gsub('%w', '%0%0'), ('%q'):format(('\\n'):rep(2000))",
    "return ('x'):rep(600):gsub('x', function(c) return c .. 'y' end)",
    "local n = 0 for a, b in ('a=b,'):rep(5):gmatch('(%w)=(%w)') do n = n + 1 end return n",
    "local t = {} for i = 1, 60 do table.insert(t, 1, i) end table.sort(t) "
    "return table.concat(t, ('-'):rep(20))",
    "return struct.unpack('i4c0s', struct.pack('i4c0s', 3000, ('x'):rep(3000), 'tail'))",
    "local t = {} for i = 1, 20 do t[i] = {id = i, name = 'name' .. i, tags = {1, {}}} end "
    "local u = cjson.decode(cjson.encode(t)) return #u, cjson.new().encode(u[7])",
    "return cjson.decode('\"' .. ('\\\\u20ac'):rep(2000) .. '\"')",
    "local t = {} for i = 1, 20 do t[i] = {id = i, name = 'name' .. i, tags = {1, {}}} end "
    "return #cmsgpack.unpack(cmsgpack.pack(t, ('x'):rep(5000)))",
    "return string.char(65, 66), bit.tohex(255)",
};

/* Lets the n-th request fail, for every n, and so long as the workload notices. */
static void fail_everywhere(const char *workload, bool ever_after)
{
    bool failed = true;
    for (long n = 1; failed; n++) {
        struct lua_rig *r = rig_open();
        r->allocations = 0;
        r->fail_ever_after = ever_after;
        r->fail_at = n;
        const char *answer = rig_run(r, workload);
        failed = r->failures > 0;
        if (strncmp(answer, "error: ", 7) == 0)
            assert_string_equal(answer, "error: not enough memory");
        else
            assert_true(!failed || !ever_after);
        rig_close(r);
    }
}

TEST(lib_out, one_failing_allocation_does_no_harm)
{
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        fail_everywhere(workloads[i], false);
}

TEST(lib_out, running_out_for_good_does_no_harm)
{
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        fail_everywhere(workloads[i], true);
}

/* Lua 5.1 fails at the cap however much of the heap is garbage; a growing buffer collects it first.
 */
TEST(lib_out, garbage_makes_way_for_a_buffer)
{
    struct lua_rig *r = rig_open();
    lua_gc(r->L, LUA_GCSTOP, 0);
    assert_string_equal(rig_run(r, "for i = 1, 6 do local s = ('x'):rep(2^20 + i) end"), "");
    r->cap = r->used + (1 << 20);
    assert_string_equal(rig_run(r, "return #('y'):rep(2^21)"), "2097152");
    rig_close(r);
}

TEST(lib_out, a_finished_buffer_is_not_garbage)
{
    struct lua_rig *r = rig_open();
    lua_gc(r->L, LUA_GCSTOP, 0);
    rig_run(r, "s = ''");
    size_t before = r->used;
    rig_run(r, "s = ('x'):rep(2^20)");
    assert_in_range(r->used - before, 1 << 20, (1 << 20) + 4096);
    rig_close(r);
}
