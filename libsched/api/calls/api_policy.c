/* api_policy.c -- loads a policy, lists the ready-made policies, registers algorithms. */
#include <stdio.h>

#include "api/door/args.h"
#include "api/door/door.h"
#include "api/forms/policy_store.h"
#include "embedded_text.h"
#include "engine/explain/unused_kinds.h"
#include "base/suggest.h"
#include "policy/eviction.h"

LSCHED_API size_t lsched_ready_policies_size(void) {
    return embedded_policies_n;
}

LSCHED_API int32_t lsched_ready_policies_at(size_t i, lsched_ready_policy *out, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!out) return fail(err, LSCHED_E_NULL, "out is NULL");
    if (i >= embedded_policies_n)
        return fail(err, LSCHED_E_NOENT, "there are %zu ready-made policies", embedded_policies_n);
    const lsched_ready_policy found = {
        .size = sizeof found,
        .name = {embedded_policies[i].name, strlen(embedded_policies[i].name)},
        .text = {embedded_policies[i].text, embedded_policies[i].len}};
    rc = arg_out(out, &found, sizeof found);
    return rc == LSCHED_OK
               ? rc
               : fail(err, rc, "out: its size is not set; set it to sizeof of the struct");
}

/* Returns the ready-made policy with this name; NULL if there is none. */
static const struct embedded_text *find_ready_made(const char *name) {
    for (uint32_t i = 0; i < embedded_policies_n; i++)
        if (strcmp(embedded_policies[i].name, name) == 0) return &embedded_policies[i];
    return NULL;
}

static int32_t no_ready_made(const char *name, lsched_error *err) {
    struct suggest s;
    if (find_ready_made(name))
        return fail(err, LSCHED_E_NOLUA,
                    "%.60s: this ready-made policy has hooks, which need Lua, and this build of "
                    "libsched has none: expected a build with Lua, or a policy without hooks",
                    name);
    suggest_begin(&s, name, strlen(name));
    for (uint32_t i = 0; i < embedded_policies_n; i++)
        suggest_offer(&s, embedded_policies[i].name, strlen(embedded_policies[i].name));
    return fail(err, LSCHED_E_NOENT,
                "%.60s: no ready-made policy has this name, and no text is given%s%s%s", name,
                s.best ? "; did you mean '" : "", s.best ? s.best : "", s.best ? "'?" : "");
}

static const struct call_kind call_policy_load = {.op = CALL_POLICY_LOAD};

LSCHED_API int32_t lsched_policy_load(lsched_cluster *c, lsched_text name, lsched_text text,
                                      const lsched_policy_opts *opts, lsched_error *err) {
    char given[POLICY_NAME_BYTES] = "";
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    if (c->busy) return arg_busy(err);
    rc = arg_name(&name, "policy", err);
    if (rc == LSCHED_OK && !text.ptr && text.len && text.len != LSCHED_NUL_TERMINATED)
        return fail(err, LSCHED_E_NULL, "policy: its length is %llu, but its text is NULL",
                    (unsigned long long)text.len);
    if (rc != LSCHED_OK) return rc;
    if (name.len >= POLICY_NAME_BYTES)
        return fail(err, LSCHED_E_INVAL, "the name of a policy has at most %d bytes",
                    POLICY_NAME_BYTES - 1);
    lsched_policy_opts o = LSCHED_POLICY_OPTS_INIT;
    if (opts) rc = arg_struct(&o, sizeof o, opts, 0, "policy options", err);
    if (rc == LSCHED_OK) rc = arg_reserved(o.reserved_zero, "reserved_zero", "policy options", err);
    if (rc != LSCHED_OK) return rc;
    memcpy(given, name.ptr, (size_t)name.len);
    text = arg_text(text);
    const struct embedded_text *found = text.len == 0 ? find_ready_made(given) : NULL;
    if (found) text = (lsched_text){found->text, found->len};
    if (text.len == 0) return no_ready_made(given, err);
    c->busy = 1;
    rc = policy_set(c, given, text.ptr, (size_t)text.len, &o, err);
    c->busy = 0;
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    struct call call = {.kind = &call_policy_load,
                        .n = 1,
                        .elements = text.ptr,
                        .elem_size = (size_t)text.len,
                        .second = given,
                        .more = &o};
    if (c->watch) c->watch(c->watch_user, &call);
    return LSCHED_OK;
}

static void copy_word(char *out, size_t cap, const char *word) {
    size_t n = strlen(word);
    memcpy(out, word, n < cap ? n : cap - 1);
}

static void describe_pipeline(const struct policy_desc *d, lsched_policy_info *info) {
    size_t n = 0;
    for (uint32_t i = 0; i < d->n_pipeline; i++) {
        if (i) info->pipeline[n++] = ' ';
        copy_word(info->pipeline + n, sizeof info->pipeline - n, d->pipeline[i]);
        n += strlen(d->pipeline[i]);
    }
}

static void describe_settings(const struct policy_desc *d, lsched_policy_info *info) {
    static const char *const protections[] = {"path", "divergence"};
    static const char *const victims[] = {"cheapest", "newest", "fewest"};
    const struct policy_eviction *e = &d->eviction;
    copy_word(info->protection, sizeof info->protection, protections[e->protection]);
    copy_word(info->victims, sizeof info->victims, victims[e->victims]);
    info->release_us = e->release_us;
    info->grace_us = e->grace_us;
    info->preemption_delay_us = e->preemption_delay_us;
    info->stale_grace_us = e->stale_grace_us;
    info->evictions_per_hour = e->per_hour;
    info->moves_max = e->moves_max;
    info->saturation_milli = (uint32_t)e->saturation_milli;
    info->usage_half_life_us = d->usage_half_life_us;
    info->usage_window_us = d->usage_window_us;
    info->usage_weight_milli = d->usage_weight_milli;
}

LSCHED_API int32_t lsched_policy_get(const lsched_cluster *c, lsched_policy_info *out,
                                     lsched_error *err) {
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    if (c->busy) return arg_busy(err);
    const struct policy_slot *s = &c->policy;
    struct policy_desc d = {.name = "built-in"};
    policy_desc_default(&d);
    if (s->policy.ops) d = s->policy.desc;
    if (!d.n_pipeline) memcpy(d.pipeline[d.n_pipeline++], "allocate", sizeof "allocate");
    lsched_policy_info info = {.size = sizeof info,
                               .hooks = d.hooks,
                               .hash = d.hash,
                               .failures = s->failures,
                               .ejected = s->ejected,
                               .instructions_spent = s->instructions};
    copy_word(info.name, sizeof info.name, d.name);
    copy_word(info.placement, sizeof info.placement, d.placement[0] ? d.placement : "binpack");
    copy_word(info.fair_share, sizeof info.fair_share, d.fair_share[0] ? d.fair_share : "drf");
    copy_word(info.order, sizeof info.order, d.order[0] ? d.order : "priority");
    memcpy(info.last_error, s->last_error, sizeof info.last_error);
    describe_pipeline(&d, &info);
    describe_settings(&d, &info);
    rc = arg_out(out, &info, (uint32_t)sizeof info);
    return rc == LSCHED_OK
               ? rc
               : fail(err, rc, "out: its size is not set; set it to sizeof of the struct");
}

LSCHED_API const char *lsched_policy_warnings_at(const lsched_cluster *c, size_t i) {
    const struct policy *p = c && !c->busy ? &c->policy.policy : NULL;
    return p && p->ops && i < UINT32_MAX ? p->ops->warning(p->self, (uint32_t)i) : NULL;
}

LSCHED_API size_t lsched_policy_warnings_size(const lsched_cluster *c) {
    size_t n = 0;
    while (lsched_policy_warnings_at(c, n)) n++;
    return n;
}

LSCHED_API int64_t lsched_policy_misfits(const lsched_cluster *c, char *buf, size_t cap,
                                         lsched_error *err) {
    struct text_out o;
    int32_t rc = arg_report(c, buf, cap, &o, err);
    if (rc != LSCHED_OK) return rc;
    unused_kinds_report(c, &o);
    return (int64_t)o.n;
}

static int ops_of_role(const lsched_algorithm *a) {
    const void *ops[] = {NULL, a->share, a->order, a->place, a->act, a->advise};
    return a->role >= LSCHED_ROLE_SHARE && a->role <= LSCHED_ROLE_ADVISE && ops[a->role] != NULL;
}

/* Checks that the reserved fields of an algorithm's struct and of its operations are zero, and that
 * a share algorithm that promises local keys can keep this promise. */
static int32_t algorithm_reserved(const lsched_algorithm *a, lsched_error *err) {
    const struct {
        uint32_t word;
        const char *of;
    } words[] = {{a->reserved_zero, "table"},
                 {a->place ? a->place->reserved_zero : 0, "place"},
                 {a->advise ? a->advise->reserved_zero : 0, "advise"}};
    char what[128];
    int32_t rc = LSCHED_OK;
    for (size_t i = 0; rc == LSCHED_OK && i < sizeof words / sizeof *words; i++) {
        snprintf(what, sizeof what, "algorithm '%.60s', %s", a->name, words[i].of);
        rc = arg_reserved(words[i].word, "reserved_zero", what, err);
    }
    const uint32_t reasons =
        1u << LSCHED_FOR_RECLAIM | 1u << LSCHED_FOR_PREEMPT | 1u << LSCHED_FOR_CONSOLIDATE;
    if (rc == LSCHED_OK && a->act && (a->act->evicts & ~reasons))
        return fail(err, LSCHED_E_RANGE,
                    "algorithm '%.60s', act: evicts is 0x%x: expected bits of RECLAIM, PREEMPT and "
                    "CONSOLIDATE, 0x%x",
                    a->name, (unsigned)a->act->evicts, (unsigned)reasons);
    const lsched_share_ops *s = a->share;
    if (rc == LSCHED_OK && s && s->local_keys && (s->local_keys > 1 || s->uses_want || s->amounts))
        return fail(err, LSCHED_E_RANGE,
                    "algorithm '%.60s', share: local_keys is %u: expected 0 or 1, and 0 with "
                    "uses_want or amounts",
                    a->name, (unsigned)s->local_keys);
    return rc;
}

LSCHED_API int32_t lsched_algorithm_register(lsched_cluster *c, const lsched_algorithm *a,
                                             lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !a || !a->name)
        return fail(err, LSCHED_E_NULL, "cluster, algorithm or its name is NULL");
    if (c->busy) return arg_busy(err);
    if (a->size != sizeof *a || a->api != LSCHED_ALGORITHM_API)
        return fail(err, LSCHED_E_VERSION,
                    "algorithm '%.60s': api %u, size %u; this version needs exactly %u and %zu",
                    a->name, a->api, a->size, LSCHED_ALGORITHM_API, sizeof *a);
    rc = algorithm_reserved(a, err);
    if (rc != LSCHED_OK) return rc;
    if (!ops_of_role(a))
        return fail(err, LSCHED_E_INVAL, "algorithm '%.60s': role %u has no operations", a->name,
                    a->role);
    if (algorithm_find(c, a->role, a->name))
        return fail(err, LSCHED_E_EXISTS, "the role has an algorithm '%.60s' already", a->name);
    if (c->n_algorithms == LIMIT_ALGORITHMS)
        return fail(err, LSCHED_E_LIMIT, "at most %u algorithms", LIMIT_ALGORITHMS);
    c->algorithms[c->n_algorithms++] = (struct algorithm_slot){.table = a, .of_host = 1};
    return LSCHED_OK;
}
