/* refusal_form.c -- see refusal_form.h. */
#include "api/forms/refusal_form.h"

#include "api/forms/topology_names.h"
#include "model/shapes/domain.h"

/* Finds the level whose domain is avoided, and checks the number of its nodes. */
static int32_t read_domain(const struct columns *k, const lsched_refusal *r, uint32_t decision,
                           struct refusal_terms *terms, lsched_error *err) {
    lsched_text topology = arg_text(r->topology), level = arg_text(r->level);
    terms->tree = topology_find(k, topology);
    if (terms->tree == NO_ROW)
        return topology_names_no_tree(k, topology, LSCHED_E_NOENT, "refusal", err);
    terms->level = topology_level(k, terms->tree, level);
    if (terms->level == NO_ROW)
        return topology_names_no_level(k, terms->tree, level, 0, "refusal", err);
    uint32_t n = refusal_domain_nodes(k, decision, terms, LIMIT_REFUSAL_DOMAIN_NODES + 1);
    if (n == 0)
        return fail(err, LSCHED_E_STATE,
                    "refusal: the node of the decision is in no domain of the level '%.*s'; avoid "
                    "the node",
                    (int)level.len, level.ptr);
    if (n > LIMIT_REFUSAL_DOMAIN_NODES)
        return fail(err, LSCHED_E_LIMIT,
                    "refusal: the domain of the level '%.*s' has more than %u nodes; avoid a "
                    "narrower level, or any node",
                    (int)level.len, level.ptr, LIMIT_REFUSAL_DOMAIN_NODES);
    return LSCHED_OK;
}

int32_t refusal_form_read(const struct columns *k, const lsched_refusal *refusal, uint32_t decision,
                          struct refusal_terms *terms, lsched_error *err) {
    lsched_refusal r;
    memset(terms, 0, sizeof *terms);
    if (!refusal) return LSCHED_OK;
    int32_t rc = arg_struct(&r, sizeof r, refusal, 0, "refusal", err);
    if (rc != LSCHED_OK) return rc;
    int64_t now = (int64_t)meta(k, M_NOW);
    if (r.avoid > LSCHED_AVOID_ANYWHERE)
        return fail(err, LSCHED_E_INVAL, "refusal: avoid %u; expected LSCHED_AVOID_*", r.avoid);
    if (r.until_us && r.until_us <= now)
        return fail(err, LSCHED_E_TIME,
                    "refusal: until_us %lld is not after the cluster's time %lld; use 0 for the "
                    "library's back-off",
                    (long long)r.until_us, (long long)now);
    terms->words = arg_text(r.words);
    if (!r.words.ptr && r.words.len && r.words.len != LSCHED_NUL_TERMINATED)
        return fail(err, LSCHED_E_NULL, "refusal: words have a length, but the text is NULL");
    if (terms->words.len > LIMIT_REFUSAL_WORDS_BYTES)
        return fail(err, LSCHED_E_RANGE, "refusal: words have %llu bytes; expected at most %u",
                    (unsigned long long)terms->words.len, LIMIT_REFUSAL_WORDS_BYTES);
    terms->avoid = r.avoid;
    /* a time after 2^62 never comes */
    terms->until = r.until_us > LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : r.until_us;
    return r.avoid == LSCHED_AVOID_DOMAIN ? read_domain(k, &r, decision, terms, err) : LSCHED_OK;
}
