/* api_calls.c -- bytes become a sequence of legal and illegal calls on one cluster: nodes come and go, jobs are submitted,
 * decisions settled one way or the other, allocations fail, the cluster is cloned, saved and loaded on the way.
 *
 * What must hold is checked after every call by support/api_driver.c: a refused call changes nothing, every plan passes
 * the verifier, copies have the hash of the original, nothing leaks. */
#include <stddef.h>
#include <stdint.h>

#include "support/api_driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct api_driver driver;
    api_driver_begin(&driver, data, size);
    while (api_driver_step(&driver)) {}
    api_driver_end(&driver);
    return 0;
}
