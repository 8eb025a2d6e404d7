/* job_topology.c -- see job_topology.h. */
#include "api/forms/job_topology.h"

#include "api/door/args.h"
#include "model/shapes/domain.h"

/* The levels that a group names, each by its number; NO_ROW for a level that the group does not
 * name. */
struct levels {
    uint32_t tree, required, preferred, spread, slice[LSCHED_SLICES_MAX];
};

static int job_places_shown(lsched_text t) {
    return (int)(t.len > 80 ? 80 : t.len);
}

/* ---- task blocks ---- */

static int32_t read_slice_list(const lsched_group_desc *g, struct group_spec *s, const char *w,
                               lsched_error *err) {
    if (g->n_slices == 0) return LSCHED_OK;
    if (!g->slices) return fail(err, LSCHED_E_NULL, "%s: slices is NULL", w);
    if (s->n_children)
        return fail(err, LSCHED_E_INVAL,
                    "%s holds groups: slices are for a group that has tasks of its own", w);
    if (g->n_slices > LSCHED_SLICES_MAX)
        return fail(err, LSCHED_E_LIMIT, "%s: slices of %u levels; at most %d", w, g->n_slices,
                    LSCHED_SLICES_MAX);
    s->n_slices = g->n_slices;
    for (uint32_t i = 0; i < g->n_slices; i++) {
        int32_t rc =
            arg_reserved_at(g->slices[i].reserved_zero, "reserved_zero", w, "slice", i, err);
        if (rc != LSCHED_OK) return rc;
        s->slices[i] = (lsched_slice){arg_text(g->slices[i].level), g->slices[i].tasks, 0};
        if (s->slices[i].level.len == 0)
            return fail(err, LSCHED_E_KEY, "%s: a slice of %u tasks names no level", w,
                        s->slices[i].tasks);
        if (s->slices[i].tasks == 0)
            return fail(err, LSCHED_E_RANGE, "%s: a slice of no tasks in one '%.*s'", w,
                        job_places_shown(s->slices[i].level), s->slices[i].level.ptr);
    }
    return LSCHED_OK;
}

/* Checks the task blocks: the widest level first, each level once, each block a multiple of the
 * next smaller block, minimum and maximum multiples of the blocks. */
static int32_t job_places_check_slices(const struct group_spec *s, const struct levels *at,
                                       const char *w, lsched_error *err) {
    for (uint32_t i = 0; i < s->n_slices; i++) {
        const lsched_slice *x = &s->slices[i], *outer = i ? &s->slices[i - 1] : NULL;
        int len = job_places_shown(x->level);
        const char *name = x->level.ptr;
        for (uint32_t j = 0; j < i; j++)
            if (at->slice[j] == at->slice[i])
                return fail(err, LSCHED_E_EXISTS, "%s: slices of level '%.*s' are given twice", w,
                            len, name);
        if (outer && at->slice[i] < at->slice[i - 1])
            return fail(err, LSCHED_E_INVAL,
                        "%s: slices of the wider level '%.*s' after those of '%.*s'; expected the "
                        "widest first",
                        w, len, name, job_places_shown(outer->level), outer->level.ptr);
        if (outer && outer->tasks % x->tasks)
            return fail(err, LSCHED_E_RANGE,
                        "%s: slices of %u tasks in one '%.*s' within slices of %u; expected a "
                        "part of that",
                        w, x->tasks, len, name, outer->tasks);
        if (s->max % x->tasks || s->min % x->tasks)
            return fail(err, LSCHED_E_RANGE,
                        "%s: %s of %u tasks in slices of %u in one '%.*s'; expected whole slices",
                        w, s->max % x->tasks ? "a group" : "a minimum",
                        s->max % x->tasks ? s->max : s->min, x->tasks, len, name);
        if (at->spread != NO_ROW && at->spread <= at->slice[i] && x->tasks > s->spread_max)
            return fail(err, LSCHED_E_RANGE,
                        "%s: slices of %u tasks in one '%.*s', of which one domain of '%.*s' may "
                        "hold %u",
                        w, x->tasks, len, name, job_places_shown(s->spread), s->spread.ptr,
                        s->spread_max);
    }
    return LSCHED_OK;
}

/* ---- spread ---- */

/* Checks spread_level and spread_max: both are set or neither, on a leaf that could start within
 * them. */
static int32_t check_spread(const struct group_spec *s, int together, const char *w,
                            lsched_error *err) {
    if (s->spread.len == 0 && s->spread_max)
        return fail(err, LSCHED_E_INVAL, "%s: spread_max is %u, but no spread_level is named", w,
                    s->spread_max);
    if (s->spread.len == 0) return LSCHED_OK;
    if (s->n_children)
        return fail(err, LSCHED_E_INVAL,
                    "%s holds groups: a spread is for a group that has tasks of its own", w);
    if (s->spread_max == 0)
        return fail(err, LSCHED_E_INVAL,
                    "%s: a spread over '%.*s' with spread_max 0; expected at least 1 task", w,
                    (int)s->spread.len, s->spread.ptr);
    if (together && s->min > s->spread_max)
        return fail(err, LSCHED_E_RANGE,
                    "%s: a minimum of %u members in one '%.*s', of which one domain of '%.*s' may "
                    "hold %u",
                    w, s->min, (int)s->required.len, s->required.ptr, (int)s->spread.len,
                    s->spread.ptr, s->spread_max);
    return LSCHED_OK;
}

/* ---- levels ---- */

static int32_t find_tree(const struct columns *k, lsched_text tree, uint32_t *row, const char *w,
                         lsched_error *err) {
    *row = topology_find(k, tree);
    if (*row == NO_ROW && tree.len)
        return fail(err, LSCHED_E_KEY, "%s: no topology is called '%.*s'", w,
                    job_places_shown(tree), tree.ptr);
    if (*row == NO_ROW)
        return fail(err, LSCHED_E_KEY, "%s: a topology level is asked for, but there %s; name one",
                    w, table_live(k, T_TOPOLOGY) ? "are several topologies" : "is no topology");
    return LSCHED_OK;
}

static int32_t job_places_find_level(const struct columns *k, const struct group_spec *s,
                                     uint32_t tree, lsched_text level, uint32_t *at, const char *w,
                                     lsched_error *err) {
    *at = level.len ? topology_level(k, tree, level) : NO_ROW;
    if (level.len && *at == NO_ROW)
        return fail(err, LSCHED_E_KEY, "%s: topology '%.*s' has no level '%.*s'", w,
                    (int)s->topology.len, s->topology.ptr, job_places_shown(level), level.ptr);
    return LSCHED_OK;
}

static int32_t job_places_find_levels(const struct columns *k, const struct group_spec *s,
                                      struct levels *at, const char *w, lsched_error *err) {
    int32_t rc = job_places_find_level(k, s, at->tree, s->required, &at->required, w, err);
    if (rc == LSCHED_OK)
        rc = job_places_find_level(k, s, at->tree, s->preferred, &at->preferred, w, err);
    if (rc == LSCHED_OK) rc = job_places_find_level(k, s, at->tree, s->spread, &at->spread, w, err);
    for (uint32_t i = 0; i < s->n_slices && rc == LSCHED_OK; i++)
        rc = job_places_find_level(k, s, at->tree, s->slices[i].level, &at->slice[i], w, err);
    if (rc != LSCHED_OK) return rc;
    if (at->required != NO_ROW && at->preferred != NO_ROW && at->preferred < at->required)
        return fail(err, LSCHED_E_INVAL,
                    "%s: the preferred level '%.*s' is wider than the required level '%.*s'", w,
                    (int)s->preferred.len, s->preferred.ptr, (int)s->required.len, s->required.ptr);
    return LSCHED_OK;
}

static int32_t check_mode(const struct group_spec *s, const char *w, lsched_error *err) {
    if (s->mode > LSCHED_DOMAINS_BALANCED)
        return fail(err, LSCHED_E_RANGE, "%s: topology_mode %u; expected LSCHED_DOMAINS_*", w,
                    s->mode);
    if (s->mode && !s->required.len && !s->preferred.len && !s->n_slices)
        return fail(err, LSCHED_E_INVAL,
                    "%s: dealt out evenly, but over the domains of which tree? Name a level", w);
    return LSCHED_OK;
}

int32_t job_topology_read(const struct columns *k, const lsched_group_desc *g, struct group_spec *s,
                          const char *w, lsched_error *err) {
    struct levels at;
    s->required = arg_text(g->required_level);
    s->preferred = arg_text(g->preferred_level);
    s->spread = arg_text(g->spread_level);
    s->spread_max = g->spread_max;
    s->mode = g->topology_mode;
    int32_t rc = read_slice_list(g, s, w, err);
    if (rc == LSCHED_OK) rc = check_mode(s, w, err);
    if (rc != LSCHED_OK) return rc;
    if (!s->required.len && !s->preferred.len && !s->spread.len && !s->n_slices)
        return check_spread(s, 0, w, err);
    rc = find_tree(k, arg_text(g->topology), &at.tree, w, err);
    if (rc != LSCHED_OK) return rc;
    s->topology = text_of(k, k->c[C_TOPOLOGY_NAME].u32[at.tree]);
    rc = job_places_find_levels(k, s, &at, w, err);
    if (rc != LSCHED_OK) return rc;
    /* One domain of a level lies in one domain of each wider level. A required level therefore also
     * keeps the tasks in one domain of a wider spread level. */
    rc = check_spread(s, at.required != NO_ROW && at.spread != NO_ROW && at.spread <= at.required,
                      w, err);
    return rc == LSCHED_OK ? job_places_check_slices(s, &at, w, err) : rc;
}
