/* plan_origin.c -- see plan_origin.h. */
#include "engine/plan/plan_origin.h"

#include "engine/plan/plan.h"
#include "engine/plan/plan_waiting.h"
#include "engine/state/family.h"

uint64_t plan_origin_word(const struct columns *k, uint32_t text) {
    uint64_t word = plan_waiting_text(k, text);
    return word ? word : 1; /* 0 stands for no object */
}

static uint64_t node_word(const struct columns *k, lsched_id id) {
    return id ? plan_origin_word(k, k->c[C_NODE_NAME].u32[(uint32_t)id]) : 0;
}

static void note_names(const struct columns *k, const struct lsched_plan *p,
                       struct plan_names *names) {
    for (size_t i = 0; i < p->n_decisions; i++) {
        const lsched_decision *d = &p->decisions[i];
        /* decisions of one gang follow each other */
        names[i].job = i && p->decisions[i - 1].job == d->job
                           ? names[i - 1].job
                           : plan_origin_word(k, k->c[C_JOB_NAME].u32[(uint32_t)d->job]);
        names[i].node = node_word(k, d->node);
        names[i].to_node = node_word(k, d->to_node);
    }
}

/* Rows that are copied at once. The compiler makes vectors of a loop whose length it knows, that
 * reads each element in each case, and that writes to a local array. */
enum { NOTE_ROWS = 16 };

static void note_sixteen(uint32_t *to, const uint32_t *link, const uint32_t *generation) {
    uint32_t rows[NOTE_ROWS];
    for (uint32_t i = 0; i < NOTE_ROWS; i++)
        rows[i] = generation[i] & (0u - (uint32_t)(link[i] == ROW_LIVE));
    memcpy(to, rows, sizeof rows);
}

static void note_jobs(const struct columns *k, uint32_t *generations) {
    const uint32_t *link = k->c[C_JOB_LINK].u32, *generation = k->c[C_JOB_GEN].u32;
    uint32_t j = 0, n = table_rows(k, T_JOB);
    for (; n - j >= NOTE_ROWS; j += NOTE_ROWS)
        note_sixteen(generations + j, link + j, generation + j);
    for (; j < n; j++) generations[j] = link[j] == ROW_LIVE ? generation[j] : 0;
}

int32_t plan_origin_note(const struct lsched_cluster *c, struct lsched_plan *p) {
    struct plan_origin *o = &p->origin;
    o->family = family_hold(c->family);
    o->member = c->member;
    if (c->member == 0) return LSCHED_OK;
    o->jobs = table_rows(&c->k, T_JOB);
    o->n_names = p->n_decisions;
    if (o->n_names) o->names = alloc_new(&p->alloc, o->n_names * sizeof *o->names);
    if (o->jobs) o->generations = alloc_new(&p->alloc, o->jobs * sizeof *o->generations);
    if ((o->n_names && !o->names) || (o->jobs && !o->generations)) return LSCHED_E_NOMEM;
    note_names(&c->k, p, o->names);
    note_jobs(&c->k, o->generations);
    return LSCHED_OK;
}

void plan_origin_drop(struct lsched_plan *p) {
    struct plan_origin *o = &p->origin;
    alloc_free(&p->alloc, o->names, o->n_names * sizeof *o->names);
    alloc_free(&p->alloc, o->generations, o->jobs * sizeof *o->generations);
    family_leave(o->family);
    memset(o, 0, sizeof *o);
}
