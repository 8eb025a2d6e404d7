/* decision_kinds.c -- see decision_kinds.h. */
#include "engine/state/decision_kinds.h"

#include "model/news/queue_news.h"

int32_t decision_kinds_begin(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    cy->kinds_lack = 0;
    /* 0 stands for the default, so that a state from before the option means the same */
    uint64_t kinds = cy->kinds == LSCHED_DECISION_KINDS_DEFAULT ? 0 : cy->kinds;
    if (kinds == meta(k, M_KINDS)) return LSCHED_OK;
    set_meta(k, M_KINDS, kinds);
    set_meta(k, M_MOVES_VAIN, 0);
    evict_news(k);
    return undo_room(k);
}

int decision_kinds_allow(struct lsched_cycle *cy, uint32_t kinds) {
    cy->kinds_lack |= kinds & ~cy->kinds;
    return (kinds & ~cy->kinds) == 0;
}

uint32_t decision_kinds_for(uint32_t reason) {
    return reason == LSCHED_FOR_CONSOLIDATE ? KINDS_TO_MOVE : KINDS_TO_EVICT;
}

int32_t decision_kinds_end(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    if (meta(k, M_KINDS_LACK) == cy->kinds_lack) return LSCHED_OK;
    set_meta(k, M_KINDS_LACK, cy->kinds_lack);
    return undo_room(k);
}
