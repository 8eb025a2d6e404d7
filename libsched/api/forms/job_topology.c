/* job_topology.c -- see job_topology.h. */
#include "api/forms/job_topology.h"

#include "api/door/args.h"
#include "api/forms/topology_names.h"
#include "base/text_out.h"
#include "model/shapes/domain.h"

/* The levels that a group names, by their indexes in the topology; NO_ROW for a level that the
 * group does not name. */
struct levels {
    uint32_t tree, required, preferred, spread, slice[LSCHED_SLICES_MAX];
};

/* ---- task blocks ---- */

static int32_t read_slice_list(const lsched_group_desc *g, struct group_spec *s, const char *w,
                               lsched_error *err) {
    if (g->n_slices == 0) return LSCHED_OK;
    if (!g->slices) return fail(err, LSCHED_E_NULL, "%s: slices is NULL", w);
    if (s->n_children)
        return fail(err, LSCHED_E_INVAL,
                    "%s contains groups; slices are allowed only in a group with tasks of its own",
                    w);
    if (g->n_slices > LSCHED_SLICES_MAX)
        return fail(err, LSCHED_E_LIMIT, "%s: its slices have %s; at most %d are allowed", w,
                    counted(g->n_slices, "level").text, LSCHED_SLICES_MAX);
    s->n_slices = g->n_slices;
    for (uint32_t i = 0; i < g->n_slices; i++) {
        int32_t rc =
            arg_reserved_at(g->slices[i].reserved_zero, "reserved_zero", w, "slice", i, err);
        if (rc != LSCHED_OK) return rc;
        s->slices[i] = (lsched_slice){arg_text(g->slices[i].level), g->slices[i].tasks, 0};
        if (s->slices[i].level.len == 0)
            return fail(
                err, LSCHED_E_KEY,
                "%s: slice %u of %u tasks names no level; set its `level` to a level of the "
                "topology",
                w, i, s->slices[i].tasks);
    }
    return LSCHED_OK;
}

/* Checks the task blocks. The widest level must come first, and no level must occur twice. The
 * size of a block must be a multiple of the next smaller block's size. Minimum and maximum of the
 * group must be multiples of every block size. */
static int32_t job_places_check_slices(const struct group_spec *s, const struct levels *at,
                                       const char *w, lsched_error *err) {
    for (uint32_t i = 0; i < s->n_slices; i++) {
        const lsched_slice *x = &s->slices[i], *outer = i ? &s->slices[i - 1] : NULL;
        int len = (int)x->level.len;
        const char *name = x->level.ptr;
        if (x->tasks == 0)
            return fail(err, LSCHED_E_RANGE,
                        "%s: a slice in one '%.*s' has 0 tasks; expected at least 1", w, len, name);
        for (uint32_t j = 0; j < i; j++)
            if (at->slice[j] == at->slice[i])
                return fail(err, LSCHED_E_INVAL, "%s: slices of level '%.*s' are given twice", w,
                            len, name);
        if (outer && at->slice[i] < at->slice[i - 1])
            return fail(err, LSCHED_E_INVAL,
                        "%s: the slices of the wider level '%.*s' come after those of '%.*s'; "
                        "expected the widest level first",
                        w, len, name, (int)outer->level.len, outer->level.ptr);
        if (outer && outer->tasks % x->tasks)
            return fail(err, LSCHED_E_RANGE,
                        "%s: slices of %u tasks in one '%.*s' are inside slices of %u tasks; "
                        "expected a divisor of that number",
                        w, x->tasks, len, name, outer->tasks);
        if (s->max % x->tasks || s->min % x->tasks)
            return fail(err, LSCHED_E_RANGE,
                        "%s: the %s of %u tasks is not a multiple of the slices of %u tasks in one "
                        "'%.*s'",
                        w, s->max % x->tasks ? "a group" : "a minimum",
                        s->max % x->tasks ? s->max : s->min, x->tasks, len, name);
        if (at->spread != NO_ROW && at->spread <= at->slice[i] && x->tasks > s->spread_max)
            return fail(
                err, LSCHED_E_RANGE,
                "%s: a slice has %s in one '%.*s', but one domain of '%.*s' may have at most %u", w,
                counted(x->tasks, "task").text, len, name, (int)s->spread.len, s->spread.ptr,
                s->spread_max);
    }
    return LSCHED_OK;
}

/* ---- spread ---- */

/* Checks spread_level and spread_max: either both are set or none of them. They are allowed only
 * for a leaf group whose minimum can start within them. together: 1 if all tasks are in one
 * domain of the spread level. */
static int32_t check_spread(const struct group_spec *s, int together, const char *w,
                            lsched_error *err) {
    if (s->spread.len == 0 && s->spread_max)
        return fail(err, LSCHED_E_INVAL, "%s: spread_max is %u, but no spread_level is named", w,
                    s->spread_max);
    if (s->spread.len == 0) return LSCHED_OK;
    if (s->n_children)
        return fail(err, LSCHED_E_INVAL,
                    "%s contains groups; a spread is allowed only in a group with tasks of its "
                    "own",
                    w);
    if (s->spread_max == 0)
        return fail(err, LSCHED_E_INVAL,
                    "%s: the spread over '%.*s' has spread_max 0; expected at least 1 task", w,
                    (int)s->spread.len, s->spread.ptr);
    if (together && s->min > s->spread_max)
        return fail(
            err, LSCHED_E_RANGE,
            "%s: the minimum is %s in one '%.*s', but one domain of '%.*s' may have at most %u", w,
            counted(s->min, "member").text, (int)s->required.len, s->required.ptr,
            (int)s->spread.len, s->spread.ptr, s->spread_max);
    return LSCHED_OK;
}

/* Reads the limit of tasks on one node, which needs no topology. */
static int32_t read_node_max(const lsched_group_desc *g, struct group_spec *s, const char *w,
                             lsched_error *err) {
    s->node_max = g->max_tasks_per_node;
    if (s->node_max && s->n_children)
        return fail(err, LSCHED_E_INVAL,
                    "%s contains groups; max_tasks_per_node is allowed only in a group with tasks "
                    "of its own",
                    w);
    return LSCHED_OK;
}

/* ---- levels ---- */

static int32_t find_tree(const struct columns *k, lsched_text tree, uint32_t *row, const char *w,
                         lsched_error *err) {
    *row = topology_find(k, tree);
    if (*row == NO_ROW) return topology_names_no_tree(k, tree, LSCHED_E_KEY, w, err);
    return LSCHED_OK;
}

static int32_t job_places_find_level(const struct columns *k, uint32_t tree, lsched_text level,
                                     uint32_t *at, const char *w, lsched_error *err) {
    *at = level.len ? topology_level(k, tree, level) : NO_ROW;
    if (level.len && *at == NO_ROW) return topology_names_no_level(k, tree, level, 0, w, err);
    return LSCHED_OK;
}

static int32_t job_places_find_levels(const struct columns *k, const struct group_spec *s,
                                      struct levels *at, const char *w, lsched_error *err) {
    int32_t rc = job_places_find_level(k, at->tree, s->required, &at->required, w, err);
    if (rc == LSCHED_OK)
        rc = job_places_find_level(k, at->tree, s->preferred, &at->preferred, w, err);
    if (rc == LSCHED_OK) rc = job_places_find_level(k, at->tree, s->spread, &at->spread, w, err);
    for (uint32_t i = 0; i < s->n_slices && rc == LSCHED_OK; i++)
        rc = job_places_find_level(k, at->tree, s->slices[i].level, &at->slice[i], w, err);
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
                    "%s: its tasks are to be divided evenly, but no topology is named; name a "
                    "level",
                    w);
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
    int32_t rc = read_node_max(g, s, w, err);
    if (rc == LSCHED_OK) rc = read_slice_list(g, s, w, err);
    if (rc == LSCHED_OK) rc = check_mode(s, w, err);
    if (rc != LSCHED_OK) return rc;
    if (!s->required.len && !s->preferred.len && !s->spread.len && !s->n_slices)
        return check_spread(s, 0, w, err);
    rc = find_tree(k, arg_text(g->topology), &at.tree, w, err);
    if (rc != LSCHED_OK) return rc;
    s->topology = text_of(k, k->c[C_TOPOLOGY_NAME].u32[at.tree]);
    rc = job_places_find_levels(k, s, &at, w, err);
    if (rc != LSCHED_OK) return rc;
    /* Each domain is inside one domain of each wider level. Therefore, if the spread level is not
     * narrower than the required level, all tasks are in one domain of the spread level. */
    rc = check_spread(s, at.required != NO_ROW && at.spread != NO_ROW && at.spread <= at.required,
                      w, err);
    return rc == LSCHED_OK ? job_places_check_slices(s, &at, w, err) : rc;
}
