/* A host on a machine without LuaJIT: its dlopen finds nothing. Policies in Lua are refused with
 * a message that says what is missing, the policy before stays, and everything else works.
 * Skipped (77) where LuaJIT is linked. */
#include <stdio.h>
#include <string.h>

#include <libsched/libsched.h>

#if !defined(LSCHED_LUAJIT_STATIC)

/* Found before that of the C library, because it stands in the program. */
void *dlopen(const char *file, int mode);
static int asked;
void *dlopen(const char *file, int mode) {
    (void)file, (void)mode;
    asked++;
    return NULL;
}

int main(void) {
    lsched_cluster *cluster = NULL;
    lsched_plan *plan = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = 1;
    int32_t created = lsched_cluster_create(NULL, &cluster, &err);
    int at_create = asked; /* then, and never again: what a policy finds is what the host had */
    int32_t loaded = lsched_policy_load(cluster, "p.lua", "return { api = 1 }", 18, NULL, &err);
    int says_so = strstr(err.message, "LuaJIT") && strstr(err.message, "libluajit-5.1");
    printf("%s\n", err.message);
    int32_t scheduled = lsched_schedule(cluster, &opts, &plan, &err);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(cluster);
    return !(at_create == 1 && asked == 1 && created == LSCHED_OK && loaded == LSCHED_E_NOLUA &&
             says_so && scheduled == LSCHED_OK);
}

#else

int main(void) {
    puts("skipped: LuaJIT is linked into this build");
    return 77;
}

#endif
