/*
 * error_texts.c -- names and texts of error codes, and the versions of the library. The file is in
 * the lowest layer, because all layers report errors. The list of codes is libsched/errors.def.
 */
#include <libsched/libsched.h>

#include <string.h>

#define STRING2(x) #x
#define STRING(x)  STRING2(x)

LSCHED_API const char *lsched_version(void) {
    return STRING(LSCHED_VERSION_MAJOR) "." STRING(LSCHED_VERSION_MINOR) "." STRING(
        LSCHED_VERSION_PATCH);
}

LSCHED_API uint32_t lsched_semantics(void) {
    return LSCHED_SEMANTICS;
}

LSCHED_API const char *lsched_error_name(int32_t code) {
    switch (code) {
#define X(name, value, text) \
    case value:              \
        return #name;
#include <libsched/errors.def>
#undef X
    default: return code > 0 ? "OK" : "E_UNKNOWN";
    }
}

LSCHED_API const char *lsched_error_text(int32_t code) {
    switch (code) {
#define X(name, value, text) \
    case value:              \
        return text;
#include <libsched/errors.def>
#undef X
    default: return code > 0 ? "success" : "an error code that this version does not know";
    }
}
