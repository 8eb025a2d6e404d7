/* lua_locale.c -- see lua_locale.h. */
#define _POSIX_C_SOURCE 200809L /* needed for uselocale */
#include "lua/state/lua_locale.h"

#if defined(LSCHED_LUA_PUC)

#include <locale.h>

int lua_locale_open(void **out) {
    *out = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return *out != (void *)0;
}

void lua_locale_close(void **locale) {
    if (*locale) freelocale(*locale);
    *locale = (void *)0;
}

void *lua_locale_enter(void *locale) {
    return uselocale(locale);
}

void lua_locale_leave(void *before) {
    uselocale(before);
}

#else

int lua_locale_open(void **out) {
    *out = (void *)0;
    return 1;
}

void lua_locale_close(void **locale) {
    *locale = (void *)0;
}

void *lua_locale_enter(void *locale) {
    return locale;
}

void lua_locale_leave(void *before) {
    (void)before;
}

#endif
