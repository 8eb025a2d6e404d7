/* explain_work.c -- see explain_work.h. */
#include "engine/explain/explain_work.h"

#include "base/padded_names.h"
#include "engine/policy_hooks/hook_merit.h"
#include "model/devices/contention.h"
#include "model/shapes/leaf.h"

/* Visits the tasks of the job that have a place. */
static void each_placed(const struct explain *e, void *user,
                        void (*visit)(const struct explain *e, void *user, uint32_t task)) {
    const struct columns *k = e->k;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[e->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (task_holds(k->c[C_TASK_STATE].u8[t])) visit(e, user, t);
}

/* Writes the beginning of what is said of a kind. */
static void put_kind(const struct explain *e, uint32_t *said, const char *label,
                     const struct padded_names *kinds, uint32_t kind) {
    if ((*said)++ == 0)
        put_label(e->o, label);
    else
        text_put(e->o, "; ");
    text_put(e->o, "work of kind '%s'", shown(padded_text(kinds, kind)).text);
}

/* ---- speeds ---- */

struct seen_speeds {
    /* one bit for each model of the table on which tasks of the kind are; the bit above them stands
     * for all other models */
    uint64_t models[SPEED_KINDS_MAX];
    uint32_t by_others; /* 1: a task counts as the kind `others` */
};

_Static_assert(SPEED_MODELS_MAX < 64, "one bit for each model, and one more");

static void see_speeds(const struct explain *e, void *user, uint32_t task) {
    struct seen_speeds *s = user;
    const struct policy *p = &e->c->policy.policy;
    const struct columns *k = e->k;
    int is_named;
    uint32_t kind = hook_merit_kind(p, k, task_shape(k, task), &is_named),
             first = k->c[C_NODE_DEVICE_FIRST].u32[k->c[C_TASK_NODE].u32[task]];
    DEVICE_SET_EACH(m, kind ? task_device_set(k, task) : 0) {
        uint32_t model = hook_merit_model(&p->desc.speeds, k, first + m.at);
        s->models[kind - 1] |= UINT64_C(1) << (model ? model - 1 : SPEED_MODELS_MAX);
        s->by_others |= !is_named;
    }
}

static void put_speeds(const struct explain *e) {
    const struct speed_table *t = &e->c->policy.policy.desc.speeds;
    const struct padded_names kinds = PADDED_NAMES(t->name, t->n),
                              models = PADDED_NAMES(t->model, t->n_models);
    struct seen_speeds s = {{0}, 0};
    uint32_t said = 0;
    each_placed(e, &s, see_speeds);
    for (uint32_t a = 0; a < t->n; a++) {
        uint32_t n = 0;
        if (!s.models[a]) continue;
        put_kind(e, &said, "speeds", &kinds, a);
        if (s.by_others && t->others == a + 1) text_put(e->o, " (speeds.others)");
        text_put(e->o, " has ");
        for (uint32_t b = 0; b <= SPEED_MODELS_MAX; b++) {
            int is_rest = b == SPEED_MODELS_MAX;
            if (!(s.models[a] >> b & 1)) continue;
            if (n++) text_put(e->o, ", ");
            put_number(e->o, LSCHED_CPU, is_rest ? SPEED_MILLI_NONE : t->milli[a][b]);
            text_put(e->o, " on %s",
                     is_rest ? "models without a number" : shown(padded_text(&models, b)).text);
        }
    }
    if (said)
        text_put(e->o, "%s\n", t->by_price ? "; the speed for the price of a device counts" : "");
}

/* ---- neighbours ---- */

struct seen_kinds {
    uint32_t mine;                         /* one bit for each kind whose tasks share devices */
    uint32_t beside[CONTENTION_KINDS_MAX]; /* of a kind: one bit for each kind beside it */
};

static void see_neighbours(const struct explain *e, void *user, uint32_t task) {
    struct seen_kinds *s = user;
    const struct columns *k = e->k;
    uint32_t mine = k->c[C_SHAPE_WORK].u8[task_shape(k, task)],
             first = k->c[C_NODE_DEVICE_FIRST].u32[k->c[C_TASK_NODE].u32[task]];
    DEVICE_SET_EACH(m, mine ? task_device_set(k, task) : 0) {
        if (!contention_can_be(k, first + m.at)) continue;
        s->mine |= 1u << (mine - 1);
        for (uint32_t b = 0; b < work_kinds(k)->n; b++)
            if (contention_beside(k, first + m.at, 1u << b, DEVICE_NOW) > (b == mine - 1))
                s->beside[mine - 1] |= 1u << b;
    }
}

static void explain_work_neighbours(const struct explain *e) {
    const struct contention_table *t = work_kinds(e->k);
    struct seen_kinds s = {0, {0}};
    uint32_t said = 0;
    if (!t || (!t->most && !t->avoid)) return;
    const struct padded_names kinds = PADDED_NAMES(t->name, t->n);
    each_placed(e, &s, see_neighbours);
    for (uint32_t a = 0; a < t->n; a++) {
        uint32_t n = 0;
        if (!(s.mine >> a & 1)) continue;
        put_kind(e, &said, "neighbours", &kinds, a);
        if (!s.beside[a]) text_put(e->o, " has no work of a kind beside it");
        for (uint32_t b = 0; b < t->n; b++) {
            if (!(s.beside[a] >> b & 1)) continue;
            text_put(e->o, n++ ? ", and " : " takes ");
            put_number(e->o, LSCHED_CPU, t->milli[a][b]);
            text_put(e->o, " times as long beside '%s'", shown(padded_text(&kinds, b)).text);
            if (a == b) continue;
            text_put(e->o, ", which takes ");
            put_number(e->o, LSCHED_CPU, t->milli[b][a]);
        }
    }
    if (said) text_put(e->o, "\n");
}

void explain_work(const struct explain *e) {
    put_speeds(e);
    explain_work_neighbours(e);
}
