/* Runs every registered test, or those whose name matches the pattern given as argument. */
#include "tests/lib/test.h"

#include <stdlib.h>
#include <string.h>

static struct CMUnitTest *tests;
static size_t ntests;

void test_register(const char *name, void (*fn)(void **state))
{
    tests = realloc(tests, (ntests + 1) * sizeof *tests);
    if (tests == NULL)
        abort();
    tests[ntests++] = (struct CMUnitTest){.name = name, .test_func = fn};
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const char *slash = strrchr(argv[0], '/');
    return _cmocka_run_group_tests(slash ? slash + 1 : argv[0], tests, ntests, NULL, NULL);
}
