/* lua_same.c -- see lua_same.h. */
#include "lua/host/lua_same.h"

#include <string.h>

#include "base/hash.h"
#include "lua/lift/lua_lift.h"

/* True for a field that has a different value for nearly every element. */
static int tells_all_apart(uint32_t field) {
    const struct policy_field_info *info = &policy_field_infos[field];
    return (info->type == POLICY_TEXT && info->scope == POLICY_SCOPE_EACH) ||
           info->scope == POLICY_SCOPE_NOW || field == POLICY_F_JOB_SUBMITTED ||
           info->object == POLICY_CANDIDATE;
}

static int same_applies(const struct hook *hook) {
    uint32_t fields = 0, per_row = 0;
    for (uint32_t k = 0; k < hook->kind->n_objects; k++) {
        const struct hook_object *o = &hook->objects[k];
        if (!o->per_row) continue;
        if (o->labels || o->object == POLICY_CANDIDATE) return 0;
        per_row++;
        fields += o->n_fields;
        for (uint32_t i = 0; i < o->n_fields; i++) {
            if (tells_all_apart(o->fields[i])) return 0;
        }
    }
    return per_row > 0 && fields <= SAME_FIELDS_MAX;
}

int32_t same_ready(struct lua_host *host) {
    uint32_t any = 0;
    for (uint32_t i = 0; i < HOST_HOOKS; i++) {
        struct hook *hook = &host->hooks[i];
        /* gang_minimum is excluded, because each answer is checked against the number of the job's
         * tasks */
        hook->is_shared = hook->present && !host->lifted[i].is_lifted && same_applies(hook) &&
                          i != POLICY_HOOK_GANG_MINIMUM;
        any |= hook->is_shared;
    }
    if (!any) return LSCHED_OK;
    host->same = alloc_new(host->alloc, sizeof *host->same);
    return host->same ? LSCHED_OK : fault_set(&host->fault, LSCHED_E_NOMEM, "out of memory");
}

void same_close(struct lua_host *host) {
    if (host->same) alloc_free(host->alloc, host->same, sizeof *host->same);
    host->same = NULL;
}

/* Turns the value of a field into two words for comparison. A text becomes its address and length.
 * Names and models of the engine are stored once, so equal texts usually have equal addresses. If
 * two equal texts have different addresses, their elements count as different, which only costs one
 * more call of Lua. */
static void words_of(uint32_t field, const union policy_value *value, uint64_t out[2]) {
    out[1] = 0;
    switch (policy_field_infos[field].type) {
    case POLICY_NUMBER: memcpy(out, &value->number, sizeof value->number); return;
    case POLICY_BOOL: out[0] = value->boolean != 0; return;
    default: out[0] = (uint64_t)(uintptr_t)value->text.ptr; out[1] = (uint64_t)value->text.len;
    }
}

/* Stores the words of all fields that the hook reads in same->words, and their hash in same->hash,
 * for each element. Returns the number of words per element. */
static uint32_t lua_same_collect(struct lua_host *host, const struct hook *hook,
                                 const uint32_t *const rows[], size_t n, struct same *same) {
    const struct policy_view *view = host->view;
    uint32_t w = 0;
    memset(same->hash, 0, n * sizeof *same->hash);
    for (uint32_t k = 0; k < hook->kind->n_objects; k++) {
        const struct hook_object *o = &hook->objects[k];
        for (uint32_t i = 0; o->per_row && i < o->n_fields; i++, w += 2) {
            view->fill(view->engine, (enum policy_field)o->fields[i], rows[k], n, host->values);
            for (size_t e = 0; e < n; e++) {
                words_of(o->fields[i], &host->values[e], &same->words[e][w]);
                same->hash[e] = hash_mix(same->hash[e], same->words[e][w] + same->words[e][w + 1]);
            }
        }
    }
    return w;
}

void same_find(struct lua_host *host, const struct hook *hook, const uint32_t *const rows[],
               size_t n, struct same *same) {
    uint32_t w = lua_same_collect(host, hook, rows, n, same);
    memset(same->slots, 0, sizeof same->slots);
    same->n = 0;
    for (size_t e = 0; e < n; e++) {
        uint32_t slot = (uint32_t)(same->hash[e] >> 40) % SAME_SLOTS, kind;
        for (; (kind = same->slots[slot]) != 0; slot = (slot + 1) % SAME_SLOTS) {
            if (memcmp(same->words[e], same->words[same->first[kind - 1]], w * sizeof(uint64_t)) ==
                0)
                break;
        }
        if (kind == 0) {
            kind = ++same->n;
            same->slots[slot] = (uint16_t)kind;
            same->first[kind - 1] = (uint16_t)e;
            for (uint32_t k = 0; k < hook->kind->n_objects; k++) {
                if (hook->objects[k].per_row) same->rows[k][kind - 1] = rows[k][e];
            }
        }
        same->kind[e] = (uint16_t)(kind - 1);
    }
}
