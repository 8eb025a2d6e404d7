/* wave_trail.c -- see wave_trail.h. */
#include "pack/wave/wave_trail.h"

void trail_new(struct wave_trail *w, const struct pack_problem *p, uint64_t room,
               struct pack_arena *arena) {
    w->p = p;
    w->room = (uint32_t)room;
    w->nodes = pack_take(arena, room, sizeof *w->nodes);
    w->free = pack_take(arena, room, sizeof *w->free);
    w->path = pack_take(arena, p->n_tasks, sizeof *w->path);
    time_state_new(&w->st, p, arena);
}

void trail_clear(struct wave_trail *w) {
    time_state_reset(&w->st);
    w->n_free = 0;
    for (uint32_t i = w->room; i-- > 1;) w->free[w->n_free++] = i;
    for (uint32_t i = 0; i < w->room; i++) w->nodes[i].mark = 0;
    w->nodes[TRAIL_ROOT] = (struct trail_node){.parent = TRAIL_NONE};
    w->mark = 1;
    w->at = TRAIL_ROOT;
}

/* Moves the working plan one node up. The item of the node leaves the plan when the first of its
 * nodes is left. */
static void go_up(struct wave_trail *w) {
    const struct trail_node *n = &w->nodes[w->at];
    uint32_t item = w->st.item_of[n->task];
    if (w->st.is_in[item]) {
        time_take(&w->st, item);
        w->moved++;
    }
    w->at = n->parent;
}

void trail_move(struct wave_trail *w, uint32_t node) {
    uint32_t n_path = 0, to = node;
    while (w->nodes[to].depth > w->nodes[w->at].depth) {
        w->path[n_path++] = to;
        to = w->nodes[to].parent;
    }
    while (w->nodes[w->at].depth > w->nodes[to].depth) go_up(w);
    while (w->at != to) {
        go_up(w);
        w->path[n_path++] = to;
        to = w->nodes[to].parent;
    }
    while (n_path > 0) {
        w->at = w->path[--n_path];
        const struct trail_node *n = &w->nodes[w->at];
        uint32_t item = w->st.item_of[n->task];
        const struct pack_item *it = &w->p->items[item];
        w->st.spots[n->task] = n->spot;
        if (n->task + 1 == it->first_task + it->tasks) {
            time_put(&w->st, item);
            w->moved++;
        }
    }
}

uint32_t trail_add(struct wave_trail *w, uint32_t parent, uint32_t item) {
    const struct pack_item *it = &w->p->items[item];
    if (w->n_free < it->tasks) return TRAIL_NONE;
    for (uint32_t t = it->first_task; t < it->first_task + it->tasks; t++) {
        uint32_t node = w->free[--w->n_free];
        w->nodes[node] = (struct trail_node){
            .parent = parent,
            .depth = w->nodes[parent].depth + 1,
            .task = t,
            .spot = w->st.spots[t],
        };
        parent = node;
    }
    return parent;
}

void trail_mark(struct wave_trail *w, uint32_t node) {
    for (; node != TRAIL_NONE && w->nodes[node].mark != w->mark; node = w->nodes[node].parent)
        w->nodes[node].mark = w->mark;
}

void trail_sweep(struct wave_trail *w) {
    trail_mark(w, w->at);
    w->n_free = 0;
    for (uint32_t i = w->room; i-- > 1;)
        if (w->nodes[i].mark != w->mark) w->free[w->n_free++] = i;
    w->mark++;
}
