/* policy_store.c -- see policy_store.h. */
#include "api/forms/policy_store.h"

#include "lua/host/lua_policy.h"
#include "lua/plain/plain_policy.h"
#include <stdio.h>

#include "api/door/args.h"
#include "engine/policy_hooks/algorithm_names.h"
#include "policy/action_params.h"

#define PARAMS_MAX 256u

void policy_drop(struct lsched_cluster *c) {
    struct policy_slot *s = &c->policy;
    algorithms_reset(c);
    search_drop_all(&c->search, &c->k);
    if (s->policy.ops) s->policy.ops->destroy(s->policy.self);
    alloc_free(&c->alloc, s->text, s->text_len + 1);
    alloc_free(&c->alloc, s->params, s->params_bytes);
    memset(s, 0, sizeof *s);
}

/* Copies the parameters into one block of memory: the array, then the texts to which the array
 * points. */
static int32_t params_copy(struct alloc *a, const lsched_policy_opts *o, lsched_param **out,
                           size_t *out_bytes) {
    size_t bytes = o->n_params * sizeof(lsched_param);
    *out = NULL;
    *out_bytes = 0;
    if (o->n_params == 0) return LSCHED_OK;
    for (uint32_t i = 0; i < o->n_params; i++)
        bytes += (size_t)arg_text(o->params[i].key).len + 1 +
                 (o->params[i].text.ptr ? (size_t)arg_text(o->params[i].text).len + 1 : 0);
    lsched_param *p = alloc_zero(a, bytes);
    if (!p) return LSCHED_E_NOMEM;
    char *at = (char *)(p + o->n_params);
    for (uint32_t i = 0; i < o->n_params; i++) {
        lsched_text from[2] = {arg_text(o->params[i].key), arg_text(o->params[i].text)};
        p[i].number = o->params[i].number;
        for (int t = 0; t < 2; t++) {
            if (t == 1 && !o->params[i].text.ptr) continue;
            memcpy(at, from[t].ptr, (size_t)from[t].len);
            lsched_text to = {at, from[t].len};
            if (t == 0)
                p[i].key = to;
            else
                p[i].text = to;
            at += from[t].len + 1;
        }
    }
    *out = p;
    *out_bytes = bytes;
    return LSCHED_OK;
}

static int32_t check_opts(const lsched_policy_opts *o, lsched_error *err) {
    if (o->n_params > PARAMS_MAX)
        return fail(err, LSCHED_E_LIMIT, "more than %u parameters", PARAMS_MAX);
    if (o->n_params && !o->params) return fail(err, LSCHED_E_NULL, "params is NULL");
    if (o->memory_limit_bytes > ((uint64_t)64 << 20))
        return fail(err, LSCHED_E_RANGE, "a policy may have at most 64 MiB");
    return LSCHED_OK;
}

static int32_t unknown_name(const struct lsched_cluster *c, const struct policy_slot *p,
                            uint32_t role, const char *key, const char *word, lsched_error *err) {
    lsched_error mine = LSCHED_ERROR_INIT;
    int32_t rc =
        fail(err, algorithm_name_unknown(c, p, role, key, word, &mine), "%s", mine.message);
    if (err && err->size >= offsetof(lsched_error, index)) {
        err->line = mine.line;
        err->column = mine.column;
    }
    return rc;
}

/* Checks the names of algorithms that the policy's functions returned in the trial runs. A name
 * that occurs in the policy's text must exist, because the author wrote it. A name that does not
 * occur in the text is not checked, because the function can have built it from the invented
 * queue names of the trial run. */
static int32_t check_tried(struct lsched_cluster *c, const struct policy_slot *p,
                           lsched_error *err) {
    const struct policy_desc *d = &p->policy.desc;
    for (uint32_t i = 0; i < d->n_tried; i++) {
        const char *word = d->tried[i].word.word;
        int places = d->tried[i].hook == POLICY_HOOK_PLACEMENT;
        uint32_t role = places ? LSCHED_ROLE_PLACE : LSCHED_ROLE_ACT;
        if (algorithm_find(c, role, word) ||
            (!places && algorithm_find(c, LSCHED_ROLE_ADVISE, word)) ||
            !algorithm_name_is_written(p, word))
            continue;
        return unknown_name(c, p, role, places ? "placement" : "pipeline", word, err);
    }
    return LSCHED_OK;
}

/* Checks that the algorithms that a policy names exist. Therefore a misspelt name is an error
 * when the policy is loaded, and not in every cycle. */
static int32_t check_names(struct lsched_cluster *c, const struct policy_slot *p,
                           lsched_error *err) {
    const struct policy_desc *d = &p->policy.desc;
    if (d->placement[0] && !algorithm_find(c, LSCHED_ROLE_PLACE, d->placement))
        return unknown_name(c, p, LSCHED_ROLE_PLACE, "placement", d->placement, err);
    if (d->order[0] && !algorithm_find(c, LSCHED_ROLE_ORDER, d->order))
        return unknown_name(c, p, LSCHED_ROLE_ORDER, "order", d->order, err);
    if (d->fair_share[0] && !algorithm_find(c, LSCHED_ROLE_SHARE, d->fair_share))
        return unknown_name(c, p, LSCHED_ROLE_SHARE, "fair_share", d->fair_share, err);
    for (uint32_t i = 0; i < d->n_pipeline; i++)
        if (!algorithm_find(c, LSCHED_ROLE_ACT, d->pipeline[i]) &&
            !algorithm_find(c, LSCHED_ROLE_ADVISE, d->pipeline[i]))
            return unknown_name(c, p, LSCHED_ROLE_ACT, "pipeline", d->pipeline[i], err);
    return check_tried(c, p, err);
}

static int has_action(const struct policy_desc *d, const char *action) {
    for (uint32_t i = 0; i < d->n_pipeline; i++)
        if (strcmp(d->pipeline[i], action) == 0) return 1;
    for (uint32_t i = 0; i < d->n_tried; i++)
        if (strcmp(d->tried[i].word.word, action) == 0) return 1;
    return 0;
}

/* Checks the values of the parameters that the policy's actions read themselves. */
static int32_t check_param_values(const struct policy_slot *p, lsched_error *err) {
    const struct policy *policy = &p->policy;
    const struct action_param *known;
    uint32_t n = 0;
    const lsched_param *given = policy->ops->params(policy->self, &n);
    for (uint32_t i = 0; (known = action_params_at(i)) != NULL; i++)
        for (uint32_t g = 0; g < n; g++) {
            const lsched_param *x = &given[g];
            if (x->key.len != strlen(known->param) ||
                memcmp(x->key.ptr, known->param, x->key.len) != 0 ||
                !has_action(&policy->desc, known->action) ||
                action_params_accept(known, x->number, x->text.ptr != NULL))
                continue;
            char value[64];
            if (x->text.ptr)
                snprintf(value, sizeof value, "'%.*s'", x->text.len < 40 ? (int)x->text.len : 40,
                         x->text.ptr);
            else
                snprintf(value, sizeof value, "%.15g", x->number);
            return fail(err, LSCHED_E_RANGE,
                        "%s: the parameter %s is %s; the action '%s' takes a whole number from "
                        "%.0f to %.0f",
                        p->given_name, known->param, value, known->action, known->least,
                        known->most);
        }
    return LSCHED_OK;
}

static int32_t policy_make(struct lsched_cluster *c, const char *name, const char *text, size_t len,
                           const lsched_policy_opts *opts, int check, lsched_error *err) {
    struct policy_slot fresh;
    memset(&fresh, 0, sizeof fresh);
    lsched_policy_opts o = LSCHED_POLICY_OPTS_INIT;
    if (opts) o = *opts;
    o.size = sizeof o;
    int32_t rc = check_opts(&o, err);
    if (rc == LSCHED_OK) rc = params_copy(&c->alloc, &o, &fresh.params, &fresh.params_bytes);
    if (rc != LSCHED_OK) return rc;
    size_t n = strlen(name);
    memcpy(fresh.given_name, name, n < sizeof fresh.given_name ? n : sizeof fresh.given_name - 1);
    fresh.opts = o;
    fresh.opts.params = fresh.params;
    fresh.text_len = len;
    fresh.text = alloc_zero(&c->alloc, len + 1);
    rc = fresh.text ? LSCHED_OK : LSCHED_E_NOMEM;
    if (rc == LSCHED_OK) {
        memcpy(fresh.text, text, len);
        rc = (c->luajit ? lua_policy_create : plain_policy_create)(&c->alloc, name, fresh.text, len,
                                                                   &fresh.opts, &fresh.policy, err);
        if (rc == LSCHED_OK) {
            rc = check ? check_names(c, &fresh, err) : LSCHED_OK;
            if (rc == LSCHED_OK && check) rc = check_param_values(&fresh, err);
            if (rc != LSCHED_OK) fresh.policy.ops->destroy(fresh.policy.self);
        }
    }
    if (rc != LSCHED_OK) {
        alloc_free(&c->alloc, fresh.text, len + 1);
        alloc_free(&c->alloc, fresh.params, fresh.params_bytes);
        return rc;
    }
    policy_drop(c);
    c->policy = fresh;
    return LSCHED_OK;
}

int32_t policy_set(struct lsched_cluster *c, const char *name, const char *text, size_t len,
                   const lsched_policy_opts *opts, lsched_error *err) {
    return policy_make(c, name, text, len, opts, 1, err);
}

int32_t policy_copy(struct lsched_cluster *dst, const struct lsched_cluster *src,
                    lsched_error *err) {
    const struct policy_slot *s = &src->policy;
    if (!s->text || s->ejected || !s->policy.ops) {
        policy_drop(dst);
        dst->policy.ejected = s->ejected;
        dst->policy.failures = s->failures;
        memcpy(dst->policy.last_error, s->last_error, sizeof s->last_error);
        return LSCHED_OK;
    }
    int32_t rc = policy_set(dst, s->given_name, s->text, s->text_len, &s->opts, err);
    if (rc != LSCHED_OK) return rc;
    dst->policy.failures = s->failures;
    memcpy(dst->policy.last_error, s->last_error, sizeof s->last_error);
    return rc;
}

/* ---- bytes ---- */

void policy_encode(const struct lsched_cluster *c, struct bytes *b) {
    const struct policy_slot *s = &c->policy;
    if (!s->policy.ops) return;
    lsched_text name = {s->given_name, strlen(s->given_name)}, text = {s->text, s->text_len};
    bytes_text(b, name);
    bytes_text(b, text);
    bytes_i64(b, (int64_t)s->opts.instructions_per_call);
    bytes_i64(b, (int64_t)s->opts.instructions_per_cycle);
    bytes_i64(b, (int64_t)s->opts.memory_limit_bytes);
    bytes_u32(b, s->opts.failures_max);
    bytes_u32(b, s->failures);
    bytes_u32(b, s->opts.n_params);
    for (uint32_t i = 0; i < s->opts.n_params; i++) {
        int64_t number;
        memcpy(&number, &s->params[i].number, sizeof number);
        bytes_text(b, s->params[i].key);
        bytes_u32(b, s->params[i].text.ptr != NULL);
        bytes_text(b, s->params[i].text.ptr ? s->params[i].text : (lsched_text){"", 0});
        bytes_i64(b, number);
    }
}

int32_t policy_decode(struct lsched_cluster *c, const void *bytes, size_t n, lsched_error *err) {
    struct reader r = {bytes, (const uint8_t *)bytes + n, 0};
    if (n == 0) return LSCHED_OK;
    lsched_param params[PARAMS_MAX];
    char name_copy[POLICY_NAME_BYTES];
    lsched_text name = reader_text(&r), text = reader_text(&r);
    lsched_policy_opts o = LSCHED_POLICY_OPTS_INIT;
    o.instructions_per_call = (uint64_t)reader_i64(&r);
    o.instructions_per_cycle = (uint64_t)reader_i64(&r);
    o.memory_limit_bytes = (uint64_t)reader_i64(&r);
    o.failures_max = reader_u32(&r);
    uint32_t failures = reader_u32(&r);
    o.n_params = reader_u32(&r);
    o.params = params;
    if (r.bad || name.len >= sizeof name_copy || o.n_params > PARAMS_MAX)
        return fail(err, LSCHED_E_CORRUPT, "the saved policy cannot be decoded");
    for (uint32_t i = 0; i < o.n_params; i++) {
        params[i].key = reader_text(&r);
        uint32_t has_text = reader_u32(&r);
        params[i].text = reader_text(&r);
        if (!has_text) params[i].text = (lsched_text){NULL, 0};
        int64_t number = reader_i64(&r);
        memcpy(&params[i].number, &number, sizeof number);
        if (params[i].key.len == 0) r.bad = 1;
    }
    if (r.bad) return fail(err, LSCHED_E_CORRUPT, "the saved policy cannot be decoded");
    memcpy(name_copy, name.ptr, (size_t)name.len);
    name_copy[name.len] = 0;
    /* Names of algorithms are not checked here, because the orchestrator registers its own
     * algorithms only after the load. */
    int32_t rc = policy_make(c, name_copy, text.ptr, (size_t)text.len, &o, 0, err);
    if (rc == LSCHED_OK) c->policy.failures = failures;
    return rc;
}
