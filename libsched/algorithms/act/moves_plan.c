/*
 * moves_plan.c -- see moves_plan.h.
 *
 * The packer's bins are the nodes in use that it helps to empty. The capacity of a bin is the
 * node's free amounts plus the amounts that its movable tasks hold. The packer's price for using a
 * bin is 0 if the node has tasks that cannot move, and OPEN_PRICE otherwise. The packer's items are
 * the movable tasks; at the beginning each task is on its present node. The price of moving a task
 * is chosen so that freeing one node is worth as many moves as the orchestrator still allows. Half
 * of this price is equal for all tasks, and half depends on the cost of stopping the task.
 * Therefore the packer looks for a plan with few nodes in use and with few and cheap moves.
 *
 * The planned moves are divided into sets that have no node in common. A set is carried out, in a
 * transaction of its own, if it empties a node and needs no more moves than the orchestrator still
 * allows. The engine checks the whole set and keeps it only if fewer nodes are in use afterwards.
 * If no set is kept and at least one set needs too many moves, the price of a move doubles in the
 * next round.
 *
 * Cost per round: O(nodes + tasks) to read, ITEMS_MOST x BINS_MOST calls to ask which task could
 * run where, and the packer's work. At most BINS_MOST nodes are planned together, because a plan
 * over more nodes seldom has few moves. A later round can still find a gain that one round misses.
 */
#include "algorithms/act/moves_plan.h"
#include "algorithms/support/algorithm_env.h"

#include <libsched/pack.h>

#include <string.h>

#define BINS_MOST     64u
#define ITEMS_MOST    512u
#define ROUNDS        4u
#define MOVES_COLUMNS 8u
#define OPEN_PRICE    INT64_C(1000000)
/* number of the packer's work units that count as one work unit of the cycle */
#define MOVES_CHECKS_PER_UNIT 16u
#define PLENTY                (INT64_C(1) << 60)

struct bin {
    /* Members of a bin:
     *   stay      number of tasks on the node that cannot move
     *   class_of  index of the bin's class
     *   number    index of the bin in the packer
     *   group     smallest index of the bins that tasks move to or from together with this bin */
    uint32_t node, stay, class_of, number, group;
    uint32_t first, n; /* index of the bin's first item, and number of its items */
    /* bit s is set if the empty node could hold a task of shape s */
    uint64_t able[ITEMS_MOST / 64];
    int64_t room[MOVES_COLUMNS];
};

struct item {
    lsched_mover what;
    uint32_t bin, target, shape, done;
};

struct moves {
    const lsched_act *act;
    lsched_cycle *cycle;
    const lsched_view *view;
    lsched_algorithm_env *env;
    uint64_t work;
    uint32_t n_bins, n_items, n_classes, n_columns, left, price_fold;
    /* resource kind of each column; the column of LSCHED_GPU counts whole devices, the column with
     * kind 0 counts tasks */
    uint32_t kind[MOVES_COLUMNS];
    uint32_t n_shapes, shape_item[ITEMS_MOST];
    struct bin bin[BINS_MOST];
    struct item item[ITEMS_MOST];
    uint32_t bin_of[BINS_MOST]; /* index in `bin` of each bin, by its index in the packer */
    lsched_pack_class classes[BINS_MOST];
    int64_t demand[ITEMS_MOST][MOVES_COLUMNS];
    lsched_pack_config configs[ITEMS_MOST];
    lsched_pack_item items[ITEMS_MOST];
    lsched_pack_place places[ITEMS_MOST];
    uint32_t allowed[ITEMS_MOST][BINS_MOST], now[ITEMS_MOST];
};

/* ---- bins and items ---- */

/* A node that could become a bin. If there are more than BINS_MOST candidates, the first ones of
 * this order are kept: nodes that can become empty before other nodes, then the cheapest to empty,
 * then by name. */
struct candidate {
    uint32_t stays, rank, node;
    int64_t cost;
};

static int moves_plan_is_better(const struct candidate *a, const struct candidate *b) {
    if (a->stays != b->stays) return a->stays < b->stays;
    if (a->cost != b->cost) return a->cost < b->cost;
    return a->rank < b->rank;
}

static void keep_best(struct candidate *best, uint32_t *n, const struct candidate *c) {
    uint32_t at = *n;
    if (at == BINS_MOST && !moves_plan_is_better(c, &best[--at])) return;
    for (; at > 0 && moves_plan_is_better(c, &best[at - 1]); at--) best[at] = best[at - 1];
    best[at] = *c;
    if (*n < BINS_MOST) ++*n;
}

static int32_t add_node(struct moves *m, uint32_t node) {
    const lsched_mover *list;
    uint32_t n, stay;
    int32_t rc = m->act->movers(m->cycle, node, &list, &n, &stay);
    if (rc <= 0 || n > ITEMS_MOST - m->n_items) return rc < 0 ? rc : LSCHED_OK;
    m->bin[m->n_bins] = (struct bin){.node = node, .stay = stay, .first = m->n_items, .n = n};
    for (uint32_t i = 0; i < n; i++)
        m->item[m->n_items++] = (struct item){.what = list[i], .bin = m->n_bins};
    m->n_bins++;
    return LSCHED_OK;
}

static int32_t moves_plan_read_nodes(struct moves *m) {
    const lsched_view *v = m->view;
    struct candidate best[BINS_MOST];
    uint32_t n_best = 0;
    int32_t rc = LSCHED_OK;
    for (uint32_t node = 0; node < v->n_nodes; node++) {
        const lsched_mover *list;
        uint32_t n, stay;
        if (!v->node_live[node]) continue;
        rc = m->act->movers(m->cycle, node, &list, &n, &stay);
        if (rc < 0) return rc;
        if (rc == 0) continue;
        struct candidate c = {stay > 0, v->node_name_rank[node], node, 0};
        for (uint32_t i = 0; i < n; i++)
            c.cost = c.cost > INT64_MAX - list[i].cost ? INT64_MAX : c.cost + list[i].cost;
        keep_best(best, &n_best, &c);
    }
    rc = LSCHED_OK;
    for (uint32_t i = 0; i < n_best && rc == LSCHED_OK; i++) rc = add_node(m, best[i].node);
    return rc;
}

static void moves_plan_choose_columns(struct moves *m) {
    m->kind[m->n_columns++] = 0;
    for (uint32_t r = 1; r < m->view->n_kinds; r++)
        for (uint32_t i = 0; i < m->n_items; i++)
            if (m->item[i].what.amount[r] > 0) {
                if (m->n_columns < MOVES_COLUMNS) m->kind[m->n_columns] = r;
                m->n_columns++;
                break;
            }
}

static int64_t need(const struct item *item, uint32_t kind) {
    return kind == 0 ? 1 : kind == LSCHED_GPU ? item->what.devices : item->what.amount[kind];
}

static int64_t moves_plan_whole_devices(const lsched_view *v, uint32_t node) {
    int64_t n = 0;
    for (uint32_t d = 0; d < v->node_device_count[node]; d++)
        n += v->device_free_milli[v->node_device_first[node] + d] == 1000;
    return n;
}

static int64_t moves_plan_devices(const lsched_holder *h) {
    int64_t n = 0;
    for (uint32_t w = 0; w < LSCHED_DEVICE_WORDS; w++)
        for (uint64_t left = h->device_words[w]; left; left &= left - 1) n++;
    return n;
}

/* Computes the capacity of a bin: the amounts of the node that movable tasks can use, both its own
 * tasks and tasks that move there. */
static int32_t moves_plan_measure(struct moves *m, struct bin *b) {
    const lsched_holder *list;
    uint32_t n;
    int64_t places;
    int32_t rc = m->act->holders(m->cycle, b->node, &list, &n, &places);
    if (rc < 0) return rc;
    for (uint32_t c = 0; c < m->n_columns; c++) {
        uint32_t kind = m->kind[c];
        int64_t room = kind == 0            ? places
                       : kind == LSCHED_GPU ? moves_plan_whole_devices(m->view, b->node)
                                            : m->view->node_free[kind][b->node],
                held = 0;
        for (uint32_t i = 0; i < n; i++)
            if (list[i].is_claim)
                room -= kind == 0            ? 1
                        : kind == LSCHED_GPU ? moves_plan_devices(&list[i])
                                             : list[i].amount[kind];
        for (uint32_t i = b->first; i < b->first + b->n; i++) held += need(&m->item[i], kind);
        if (room < 0) room = 0;
        b->room[c] = room > PLENTY - held ? PLENTY : room + held;
    }
    return LSCHED_OK;
}

/* Gives each task shape a number, and asks the engine which bins could hold a task of the shape. */
static int32_t ask_able(struct moves *m) {
    for (uint32_t i = 0; i < m->n_items; i++) {
        uint32_t s = 0;
        while (s < m->n_shapes && m->item[m->shape_item[s]].what.shape != m->item[i].what.shape)
            s++;
        m->item[i].shape = s;
        if (s < m->n_shapes) continue;
        m->shape_item[m->n_shapes++] = i;
        for (uint32_t b = 0; b < m->n_bins; b++) {
            int32_t rc = m->act->mover_able(m->cycle, m->item[i].what.task, m->bin[b].node);
            if (rc < 0) return rc;
            if (rc) m->bin[b].able[s / 64] |= UINT64_C(1) << s % 64;
        }
    }
    return LSCHED_OK;
}

static int moves_plan_is_alike(const struct moves *m, const struct bin *a, const struct bin *b) {
    return (a->stay > 0) == (b->stay > 0) && memcmp(a->able, b->able, sizeof a->able) == 0 &&
           memcmp(a->room, b->room, m->n_columns * sizeof *a->room) == 0;
}

/* Groups equal bins into classes. The packer numbers bins by class, the bins of the first class
 * first. */
static void moves_plan_classify(struct moves *m) {
    uint32_t first[BINS_MOST] = {0};
    for (uint32_t i = 0; i < m->n_bins; i++) {
        struct bin *b = &m->bin[i];
        uint32_t c = 0;
        while (c < m->n_classes && !moves_plan_is_alike(m, &m->bin[first[c]], b)) c++;
        if (c == m->n_classes) {
            first[m->n_classes++] = i;
            m->classes[c] = (lsched_pack_class){.size = sizeof *m->classes,
                                                .capacity = b->room,
                                                .open_price_micro = b->stay ? 0 : OPEN_PRICE};
        }
        b->class_of = c;
        m->classes[c].count++;
    }
    uint32_t number = 0;
    for (uint32_t c = 0; c < m->n_classes; c++)
        for (uint32_t i = 0; i < m->n_bins; i++)
            if (m->bin[i].class_of == c) {
                m->bin_of[number] = i;
                m->bin[i].number = number++;
            }
}

/* ---- the problem ---- */

static void moves_plan_describe(struct moves *m) {
    int64_t most = 1, base = OPEN_PRICE * m->price_fold / (2 * (int64_t)m->left);
    if (base < 2) base = 2;
    for (uint32_t i = 0; i < m->n_items; i++)
        if (m->item[i].what.cost > most) most = m->item[i].what.cost;
    /* costs are scaled to thousandths of the largest cost, so that their product with `base` does
     * not overflow */
    most = most / 1000 + 1;
    for (uint32_t i = 0; i < m->n_items; i++) {
        struct item *item = &m->item[i];
        int64_t dear = item->what.cost / most;
        for (uint32_t c = 0; c < m->n_columns; c++) m->demand[i][c] = need(item, m->kind[c]);
        m->now[i] = m->bin[item->bin].number;
        m->configs[i] = (lsched_pack_config){
            .size = sizeof *m->configs, .duration_us = INT64_MAX, .demand = m->demand[i]};
        m->items[i] = (lsched_pack_item){.size = sizeof *m->items,
                                         .flags = LSCHED_PACK_ITEM_HAS_LATEST,
                                         .ready_us = m->view->now_us,
                                         .latest_us = m->view->now_us,
                                         .configs = &m->configs[i],
                                         .n_configs = 1,
                                         .tasks = 1,
                                         .classes = m->allowed[i],
                                         .bins_now = &m->now[i],
                                         .move_price_micro = base / 2 + base / 2 * dear / 1000};
        m->places[i] = (lsched_pack_place){
            .item = i, .bin = m->now[i], .start_us = m->view->now_us, .end_us = INT64_MAX};
        uint64_t bit = UINT64_C(1) << item->shape % 64;
        for (uint32_t c = 0, b = 0; c < m->n_classes; b += m->classes[c++].count)
            if (m->bin[m->bin_of[b]].able[item->shape / 64] & bit)
                m->allowed[i][m->items[i].n_classes++] = c;
    }
}

/* Runs the packer. Returns 1 if every item has a target, or 0 if there is no plan, or a negative
 * error code. */
static int32_t moves_plan_solve(struct moves *m) {
    lsched_pack_resource resources[MOVES_COLUMNS];
    lsched_allocator allocator = env_allocator(m->env);
    lsched_pack_opts opts;
    memset(resources, 0, sizeof resources);
    for (uint32_t c = 0; c < m->n_columns; c++) resources[c].size = sizeof resources[c];
    lsched_init(&opts, sizeof opts);
    opts.allocator = &allocator;
    opts.patience_milli = 1500;
    lsched_pack_problem problem = {.size = sizeof problem,
                                   .n_resources = m->n_columns,
                                   .resources = resources,
                                   .classes = m->classes,
                                   .items = m->items,
                                   .n_classes = m->n_classes,
                                   .n_items = m->n_items,
                                   .now_us = m->view->now_us,
                                   .resource_size = sizeof *resources,
                                   .class_size = sizeof *m->classes,
                                   .item_size = sizeof *m->items,
                                   .config_size = sizeof *m->configs,
                                   .reservation_size = sizeof(lsched_pack_reservation)};
    lsched_packer *packer;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = lsched_packer_create(&problem, &opts, &packer, &err);
    if (rc < 0) return rc == LSCHED_E_NOMEM ? rc : 0;
    rc = lsched_packer_start_from(packer, m->places, m->n_items, &err);
    if (rc >= 0) rc = lsched_packer_run(packer, m->work, &err);
    if (rc >= 0) rc = lsched_packer_places(packer, m->places, m->n_items, &err) == m->n_items;
    lsched_packer_destroy(packer);
    if (rc <= 0) return rc == LSCHED_E_NOMEM ? rc : 0;
    for (uint32_t i = 0; i < m->n_items; i++) {
        if (m->places[i].item != i || m->places[i].bin >= m->n_bins) return 0;
        m->item[i].target = m->bin_of[m->places[i].bin];
    }
    return 1;
}

/* ---- the moves ---- */

/* Divides the bins into sets, so that tasks move only between bins of one set. `group` of each bin
 * becomes the smallest index in its set. */
static void group_bins(struct moves *m) {
    for (uint32_t b = 0; b < m->n_bins; b++) m->bin[b].group = b;
    for (uint32_t i = 0; i < m->n_items; i++) {
        uint32_t x = m->bin[m->item[i].bin].group, y = m->bin[m->item[i].target].group;
        uint32_t low = x < y ? x : y, high = x < y ? y : x;
        for (uint32_t b = 0; low != high && b < m->n_bins; b++)
            if (m->bin[b].group == high) m->bin[b].group = low;
    }
}

static int is_in(const struct moves *m, const struct item *item, uint32_t group) {
    return item->target != item->bin && m->bin[item->bin].group == group;
}

/* Returns the number of moves in one set of bins, or 0 if the moves empty no node. */
static uint32_t moves_of(const struct moves *m, uint32_t group) {
    uint32_t n = 0, used[BINS_MOST] = {0}, gain = 0;
    for (uint32_t i = 0; i < m->n_items; i++) {
        n += (uint32_t)is_in(m, &m->item[i], group);
        used[m->item[i].target]++;
    }
    for (uint32_t b = 0; b < m->n_bins; b++)
        gain |= m->bin[b].group == group && m->bin[b].stay == 0 && used[b] == 0;
    return gain ? n : 0;
}

/* Stops all tasks of one set of bins that are to move, job by job. Returns 1, or 0 if a task must
 * not be stopped, or a negative error code. */
static int32_t moves_plan_stop_all(struct moves *m, uint32_t group) {
    for (uint32_t i = 0; i < m->n_items; i++) m->item[i].done = 0;
    for (uint32_t i = 0; i < m->n_items; i++)
        for (uint32_t j = i; j < m->n_items; j++) {
            struct item *item = &m->item[j];
            if (item->what.job != m->item[i].what.job || item->done || !is_in(m, item, group))
                continue;
            item->done = 1;
            int32_t rc = m->act->move_off(m->cycle, item->what.task);
            if (rc != 1) return rc;
        }
    return 1;
}

/* Places all stopped tasks of a job on the nodes of the plan. Returns 1, or 0 if a task does not
 * fit, or a negative error code. The job has only one task group, so the group index is 0. */
static int32_t moves_plan_seat_job(struct moves *m, uint32_t group, uint32_t job) {
    int32_t rc = 1;
    for (uint32_t i = 0; i < m->n_items && rc == 1; i++) {
        const struct item *item = &m->item[i];
        if (item->what.job == job && is_in(m, item, group))
            rc = m->act->place(m->cycle, job, 0, m->bin[item->target].node);
    }
    return rc;
}

/* Carries out the moves of one set of bins. Returns 1 if the moves were kept, or 0 if the
 * transaction was undone, or a negative error code. */
static int32_t moves_plan_carry_out(struct moves *m, uint32_t group, uint32_t n) {
    uint32_t job;
    int32_t rc = m->act->moves_begin(m->cycle, n);
    if (rc <= 0) return rc;
    rc = moves_plan_stop_all(m, group);
    while (rc == 1 && (rc = m->act->next_victim(m->cycle, &job)) == 1) {
        rc = moves_plan_seat_job(m, group, job);
        if (rc >= 0) rc = m->act->move_end(m->cycle);
    }
    /* keep_moves keeps the moves only if every stopped task has a new place */
    return rc < 0 ? rc : m->act->keep_moves(m->cycle);
}

/* Carries out the moves of all sets of bins. Returns 1 if the moves of some set were kept, else 0,
 * or a negative error code. Sets *too_many if a set needs more moves than the orchestrator still
 * allows. */
static int32_t carry_out_all(struct moves *m, int *too_many) {
    int32_t any = 0;
    group_bins(m);
    for (uint32_t b = 0; b < m->n_bins; b++) {
        uint32_t n = m->bin[b].group == b ? moves_of(m, b) : 0;
        int32_t left = m->act->moves_left(m->cycle);
        if (left < 0) return left;
        *too_many |= n > (uint32_t)left;
        if (n == 0 || n > (uint32_t)left) continue;
        int32_t rc = moves_plan_carry_out(m, b, n);
        if (rc < 0) return rc;
        any |= rc;
    }
    return any;
}

/* ---- rounds ---- */

/* Reads the nodes. Returns 1 if there are bins and items and some node could become free, else 0,
 * or a negative error code. */
static int32_t moves_plan_look(struct moves *m) {
    m->n_bins = m->n_items = m->n_classes = m->n_columns = m->n_shapes = 0;
    m->view = m->act->view(m->cycle);
    int32_t rc = moves_plan_read_nodes(m);
    if (rc != LSCHED_OK) return rc;
    moves_plan_choose_columns(m);
    if (m->n_bins < 2 || m->bin[0].stay > 0 || m->n_columns > MOVES_COLUMNS) return 0;
    for (uint32_t b = 0; b < m->n_bins && rc == LSCHED_OK; b++)
        rc = moves_plan_measure(m, &m->bin[b]);
    if (rc == LSCHED_OK) rc = ask_able(m);
    if (rc != LSCHED_OK) return rc;
    memset(m->classes, 0, sizeof m->classes);
    moves_plan_classify(m);
    return 1;
}

static int32_t plan_rounds(struct moves *m) {
    m->price_fold = 1;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        int too_many = 0;
        int32_t rc = m->act->moves_left(m->cycle);
        /* With one move, tasks cannot be exchanged; a single move was already tried when single
         * nodes were emptied. */
        if (rc <= 1) return rc < 0 ? rc : LSCHED_OK;
        m->left = (uint32_t)rc;
        rc = moves_plan_look(m);
        if (rc == 1) rc = m->act->spend(m->cycle, m->work / MOVES_CHECKS_PER_UNIT);
        if (rc != 1) return rc;
        moves_plan_describe(m);
        rc = moves_plan_solve(m);
        if (rc == 1) rc = carry_out_all(m, &too_many);
        if (rc < 0) return rc;
        if (rc == 0 && !too_many) return LSCHED_OK;
        if (rc == 0) m->price_fold *= 2;
    }
    return LSCHED_OK;
}

int32_t moves_plan(lsched_algorithm_env *env, const lsched_act *act, lsched_cycle *cycle,
                   uint64_t work) {
    int32_t rc = work == 0 ? 0 : act->moves_left(cycle);
    if (rc <= 1) return rc < 0 ? rc : LSCHED_OK;
    struct moves *m = env_new(env, sizeof *m);
    if (!m) return LSCHED_E_NOMEM;
    m->act = act;
    m->cycle = cycle;
    m->env = env;
    m->work = work;
    rc = plan_rounds(m);
    env->free(env->engine, m, sizeof *m);
    return rc;
}
