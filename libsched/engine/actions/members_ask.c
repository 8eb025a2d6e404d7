/* members_ask.c -- see members_ask.h. */
#include "engine/actions/members_ask.h"

#include "engine/rights/victim_state.h"

int members_ask_blocks(lsched_cycle *cy, const struct ask *a) {
    uint32_t members = group_members(cy->k, a->row);
    int moves = cy->victims && cy->victims->move.on;
    if (moves || a->held >= a->max || a->held < members) return 0;
    cy->turn.why = (struct diagnosis){.code = LSCHED_WAIT_MEMBERS,
                                      .group = a->group,
                                      .shape = NO_ROW,
                                      .limiting = NO_ROW,
                                      .need = a->held < a->min ? a->min : a->max,
                                      .have = members};
    return 1;
}
