// cpp_check.h -- CHECK for the tests of the C++ headers, which end with the first condition that does not hold.
#ifndef LSCHED_CPP_CHECK_H
#define LSCHED_CPP_CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (0)

#endif
