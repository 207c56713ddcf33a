#include "server/http/request.h"

#include "tests/lib/test.h"

static void refused(const char *text, int status)
{
    struct http_request r;
    assert_int_equal(http_parse(bytes_of(text), &r), HTTP_REFUSED);
    assert_int_equal(r.status, status);
}

TEST(request, has_a_path)
{
    struct http_request r;
    assert_int_equal(http_parse(BYTES("GET /metrics HTTP/1.1\r\n\r\n"), &r), HTTP_REQUEST);
    assert_true(bytes_eq(r.path, BYTES("/metrics")));
    assert_int_equal(r.accept.n, 0);
}

TEST(request, has_a_path_without_its_query)
{
    struct http_request r;
    assert_int_equal(http_parse(BYTES("GET /locks?a=b HTTP/1.0\r\n\r\n"), &r), HTTP_REQUEST);
    assert_true(bytes_eq(r.path, BYTES("/locks")));
}

TEST(request, says_what_it_accepts)
{
    struct http_request r;
    static const char text[] = "GET / HTTP/1.1\r\nHost: x\r\naCCEPT: text/plain\r\nA: b\r\n\r\n";
    assert_int_equal(http_parse(BYTES(text), &r), HTTP_REQUEST);
    assert_true(bytes_eq(r.accept, BYTES(" text/plain")));
}

TEST(request, is_unfinished_until_the_empty_line)
{
    static const char text[] = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
    struct http_request r;
    for (size_t n = 0; n < sizeof text - 1; n++)
        assert_int_equal(http_parse((struct bytes){text, n}, &r), HTTP_MORE);
    assert_int_equal(http_parse(BYTES(text), &r), HTTP_REQUEST);
}

TEST(request, of_another_kind_is_refused)
{
    refused("POST /metrics HTTP/1.1\r\n\r\n", 405);
    refused("get /metrics HTTP/1.1\r\n\r\n", 405);
    refused("GET /metrics HTTP/2.0\r\n\r\n", 505);
    refused("GET metrics HTTP/1.1\r\n\r\n", 400);
    refused("GET /met\trics HTTP/1.1\r\n\r\n", 400);
    refused("GET /metrics\r\n\r\n", 400);
    refused("GET  HTTP/1.1\r\n\r\n", 400);
    refused("\r\n\r\n", 400);
    refused("*1\r\n$4\r\nPING\r\n", 400);
    refused("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400);
    refused("GET / HTTP/1.1\r\n: nameless\r\n\r\n", 400);
    refused("GET / HTTP/1.1\r\nbad name: x\r\n\r\n", 400);
}

TEST(request, that_never_ends_is_refused)
{
    static char text[HTTP_REQUEST_MAX];
    struct http_request r;
    memset(text, 'a', sizeof text);
    assert_int_equal(http_parse((struct bytes){text, sizeof text - 1}, &r), HTTP_MORE);
    assert_int_equal(http_parse((struct bytes){text, sizeof text}, &r), HTTP_REFUSED);
    assert_int_equal(r.status, 431);
    memcpy(text, "GET / HTTP/1.1\r\nA: ", 19);
    assert_int_equal(http_parse((struct bytes){text, sizeof text - 1}, &r), HTTP_MORE);
    assert_int_equal(http_parse((struct bytes){text, sizeof text}, &r), HTTP_REFUSED);
    assert_int_equal(r.status, 431);
}
