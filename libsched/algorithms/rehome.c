/* rehome.c -- see rehome.h. */
#include "rehome.h"

/* A new home for so many tasks of the leaf: all of them, or it is rolled back. A gang that went whole begins at its minimum. */
static int32_t rehome(struct gang *victim, uint32_t group, uint32_t tasks) {
    uint64_t mark;
    int32_t rc = gang_look(victim, victim->job);
    if (rc >= 0) rc = victim->act->checkpoint(victim->cycle, &mark);
    if (rc < 0) return rc;
    uint32_t before = victim->groups[group].placed, placed = before;
    rc = gang_stands(victim) ? 1 : gang_satisfy(victim, 0, LSCHED_NO_ROW);
    while (rc == 1 && placed < before + tasks) {
        rc = gang_look(victim, victim->job);
        if (rc < 0) return rc;
        placed = victim->groups[group].placed;
        rc = placed < before + tasks ? gang_grow_leaf(victim, group) : 1;
    }
    if (rc != 0) return rc;
    rc = victim->act->rollback(victim->cycle, mark);
    return rc < 0 ? rc : 0;
}

/* Moving only takes room away: a shape that found none finds none later in the same pass. Kept for a few shapes, of jobs without a tree
 * or a topology wish, which are most. */
struct homeless {
    uint64_t serial[8];
    uint32_t n;
};

static int is_homeless(const struct homeless *h, uint64_t serial) {
    for (uint32_t i = 0; i < h->n; i++)
        if (h->serial[i] == serial) return 1;
    return 0;
}

static int32_t try_rehome(struct gang *victim, uint32_t group, uint32_t tasks, struct homeless *h) {
    int32_t rc = gang_look(victim, victim->job);
    if (rc < 0) return rc;
    uint64_t serial = victim->groups[group].task->serial;
    int plain = victim->n == 1 && victim->groups[0].topology == LSCHED_NO_ROW;
    if (plain && is_homeless(h, serial)) return 0;
    rc = rehome(victim, group, tasks);
    if (rc == 0 && plain && tasks == 1 && h->n < 8) h->serial[h->n++] = serial;
    return rc;
}

int32_t rehome_victims(struct gang *g) {
    struct gang victim = *g;
    struct homeless homeless = {{0}, 0};
    uint32_t group, tasks;
    int32_t all = 1, rc;
    victim.seat = gang_seat_free;
    while ((rc = g->act->next_victim(g->cycle, &victim.job, &group, &tasks)) == 1) {
        int32_t moved = try_rehome(&victim, group, tasks, &homeless);
        if (moved < 0) return moved;
        rc = g->act->move_end(g->cycle, (uint32_t)moved);
        if (rc < 0) return rc;
        all &= rc;
    }
    return rc < 0 ? rc : all;
}
