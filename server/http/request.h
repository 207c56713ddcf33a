/*
 * What a GET asks for, and nothing else of HTTP: there are no bodies, no ranges, no connections
 * that are kept. Like the parser of the protocol it owns nothing and answers nothing.
 */
#ifndef SERVER_HTTP_REQUEST_H
#define SERVER_HTTP_REQUEST_H

#include "base/bytes.h"

enum { HTTP_REQUEST_MAX = 8192 }; /* bytes, all headers included */

enum http_parsed {
    HTTP_REQUEST, /* path and accept are slices of the input */
    HTTP_MORE,    /* unfinished; show it again with more behind it */
    HTTP_REFUSED, /* `status` says why */
};

struct http_request {
    struct bytes path;   /* "/metrics", without what follows a question mark */
    struct bytes accept; /* the value of that header; empty when there is none */
    int status;          /* 400, 405, 431 or 505 */
};

enum http_parsed http_parse(struct bytes in, struct http_request *out);

#endif
