#include "server/net/openssl.h"

#ifdef OPENSSL_LINKED

const char *openssl_load(struct openssl *lib)
{
#define OPENSSL_ASSIGN(name) lib->name = name;
    OPENSSL_FUNCTIONS(OPENSSL_ASSIGN)
#undef OPENSSL_ASSIGN
    return NULL;
}

#else

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define OPENSSL_ROW(name) {#name, offsetof(struct openssl, name)},
    OPENSSL_FUNCTIONS(OPENSSL_ROW)
#undef OPENSSL_ROW
};

/* libssl brings libcrypto with it, and a symbol is looked for in both. They stay for good: they
 * have handlers at the end of the process. */
const char *openssl_load(struct openssl *lib)
{
    void *ssl = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (ssl == NULL)
        return dlerror();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(ssl, functions[i].name);
        if (found == NULL)
            return dlerror();
        memcpy((char *)lib + functions[i].offset, &found, sizeof found);
    }
    return NULL;
}

#endif
