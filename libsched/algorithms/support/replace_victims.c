/* replace_victims.c -- see replace_victims.h. */
#include "algorithms/support/replace_victims.h"

int32_t replace_victims(struct gang *g, uint32_t *jobs) {
    struct gang victim = *g;
    int32_t all = 1, rc;
    if (jobs) *jobs = 0;
    victim.seat = gang_seat_free;
    while ((rc = g->act->next_victim(g->cycle, &victim.job)) == 1) {
        rc = gang_regrow(&victim);
        if (rc >= 0) rc = g->act->move_end(g->cycle);
        if (rc < 0) return rc;
        all &= rc;
        if (jobs) ++*jobs;
    }
    return rc < 0 ? rc : all;
}
