/*
 * lua_locale.h -- the locale of the thread while Lua runs.
 *
 * PUC Lua compares strings, and reads and writes numbers, by the rules of the locale, and an
 * orchestrator can have any locale. Therefore the thread has the locale "C" while PUC Lua runs.
 * LuaJIT reads no locale, so the functions do nothing in builds with LuaJIT.
 */
#ifndef LSCHED_LUA_LOCALE_H
#define LSCHED_LUA_LOCALE_H

/* Makes the locale; *out is NULL with LuaJIT. Returns 0 if there is no memory. */
int lua_locale_open(void **out);
void lua_locale_close(void **locale);
/* Gives the thread the locale. Returns the locale that the thread had, for lua_locale_leave. */
void *lua_locale_enter(void *locale);
void lua_locale_leave(void *before);

#endif
