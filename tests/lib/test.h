/*
 * What every test includes: cmocka, and a macro that writes a test and registers it in one place.
 *
 *     TEST(wheel, pops_in_deadline_order)
 *     {
 *         assert_int_equal(...);
 *     }
 */
#ifndef TESTS_LIB_TEST_H
#define TESTS_LIB_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void test_register(const char *name, void (*fn)(void **state));

#define TEST(group, name)                                                                          \
    static void group##_##name(void **state);                                                      \
    __attribute__((constructor)) static void register_##group##_##name(void)                       \
    {                                                                                              \
        test_register(#group "." #name, group##_##name);                                           \
    }                                                                                              \
    static void group##_##name(void **state __attribute__((unused)))

#endif
