/* gang_walk.c -- see gang_walk.h. */
#include "algorithms/support/gang_walk.h"

#include <string.h>

int32_t gang_seat_free(struct gang *g, uint32_t group, uint32_t domain) {
    uint32_t node;
    int32_t rc = g->act->find_node(g->cycle, g->job, group, domain, &node);
    return rc == 1 ? g->act->place(g->cycle, g->job, group, node) : rc;
}

/* Places `tasks` tasks in a domain, one by one. Returns 1, or 0 if there is no room for one of
 * them, or a negative error code. */
static int32_t seat_here(struct gang *g, uint32_t group, uint32_t domain, uint32_t tasks) {
    for (; tasks > 0; tasks--) {
        int32_t rc = g->seat(g, group, domain);
        if (rc != 1) return rc;
    }
    return 1;
}

/* Places the parts of a division one by one. A part is a number of tasks for one domain. If a
 * domain has too little room, the function returns 0 and sets *at to the index of its part. */
static int32_t seat_parts(struct gang *g, uint32_t group, const lsched_part *parts, uint32_t n,
                          uint32_t *at) {
    int32_t rc = 1;
    for (*at = 0; *at < n && rc == 1; ++*at)
        rc = seat_here(g, group, parts[*at].domain, parts[*at].tasks);
    if (rc == 0) --*at;
    return rc;
}

/* True if the division covers all tasks. Otherwise the gang would stay below its minimum, and a
 * gang below its minimum must not be committed. */
static int is_whole(const lsched_part *parts, uint32_t n, uint32_t tasks) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += parts[i].tasks;
    return sum == tasks;
}

/* Places `tasks` more tasks of a leaf group; the engine divides the tasks among domains. The
 * engine's estimate of the room that evictions free can be too large. Therefore a domain possibly
 * has too little room for its tasks. In this case the tasks are divided again without this domain.
 * If all divisions fail, the tasks are placed on any nodes of `domain`. Without evictions, this
 * finds what another division would find, except for task blocks: it does not put them together. */
static int32_t seat_tasks(struct gang *g, uint32_t group, uint32_t domain, uint32_t tasks) {
    const lsched_part *parts;
    int once = g->seat == gang_seat_free && g->groups[group].step == 1;
    uint32_t n, at, most = once ? 1 : GANG_DIVISIONS;
    uint64_t mark;
    if (tasks == 0) return 1;
    int32_t rc = g->act->checkpoint(g->cycle, &mark);
    for (uint32_t tries = 0; rc >= 0 && tries < most; tries++) {
        rc = g->act->divide(g->cycle, g->job, group, domain, tasks, &parts, &n);
        if (rc != 1 || !is_whole(parts, n, tasks)) return rc < 0 ? rc : 0;
        int divided = n > 1 || parts[0].domain != domain;
        rc = seat_parts(g, group, parts, n, &at);
        if (rc != 0 || !divided) return rc;
        rc = g->act->full(g->cycle, g->job, group, parts[at].domain);
        if (rc >= 0) rc = g->act->rollback(g->cycle, mark);
    }
    return rc < 0 ? rc : seat_here(g, group, domain, tasks);
}

static uint32_t tasks_lacking(const struct gang *g, uint32_t group) {
    const lsched_group_view *v = &g->groups[group];
    uint32_t held = v->placed + v->done;
    if (v->n_children) return 0;
    return held < v->min_count ? v->min_count - held : 0;
}

/* Returns the number of tasks of a leaf group for which a domain must have room. This is the number
 * of tasks that are missing to the group's minimum, or one step of growth if no task is missing. */
static uint32_t tasks_wanted(const struct gang *g, uint32_t group) {
    uint32_t lack = tasks_lacking(g, group);
    return lack || g->groups[group].n_children ? lack : g->groups[group].step;
}

/* Resets the list of the group's domains, so that all domains are tried again. */
static void frame_begin_domains(const struct gang *g, struct gang_frame *f) {
    const lsched_group_view *v = &g->groups[f->group];
    f->domain = f->outer;
    f->n_domains = f->at = f->skip = f->more = f->last = 0;
    f->window = GANG_DOMAINS_FIRST;
    f->choosing = v->topology != LSCHED_NO_ROW;
    f->level = v->preferred_level != LSCHED_NO_ROW ? v->preferred_level : v->required_level;
    /* value before a domain is chosen: no order of children is tried */
    f->order = f->choosing ? GANG_ORDERS : GANG_ORDER_FIRST;
}

static void frame_begin_children(struct gang_frame *f) {
    f->last_child = LSCHED_NO_ROW;
    f->satisfied = f->failed = f->looked_back = 0;
}

static void frame_begin(struct gang *g, struct gang_frame *f, uint32_t group, uint32_t outer) {
    f->group = group;
    f->outer = outer;
    frame_begin_children(f);
    f->alternative = g->groups[group].alternative;
    frame_begin_domains(g, f);
}

/* Fetches the next domains of the current level. If these are the last domains of the level, the
 * function also sets the level that follows. */
static int32_t frame_fetch(struct gang *g, struct gang_frame *f) {
    const lsched_group_view *v = &g->groups[f->group];
    int32_t rc = g->act->domains(g->cycle, g->job, f->group, v->topology, f->level, f->outer,
                                 tasks_wanted(g, f->group), f->skip, f->domains, f->window);
    if (rc < 0) return rc;
    uint32_t left = (uint32_t)rc > f->skip ? (uint32_t)rc - f->skip : 0;
    f->at = 0;
    f->n_domains = left < f->window ? left : f->window;
    f->more = left > f->window;
    f->skip += f->n_domains;
    f->window = GANG_DOMAINS_MAX;
    if (f->more) return LSCHED_OK;
    f->skip = 0;
    f->window = GANG_DOMAINS_FIRST;
    if (v->required_level != LSCHED_NO_ROW && f->level <= v->required_level)
        f->last = 1;
    else
        f->level = f->level == 0 ? LSCHED_NO_ROW : f->level - 1;
    return LSCHED_OK;
}

/* Chooses the next domain. Returns 1 with f->domain set, 0 if there is no further domain, or a
 * negative error code. */
static int32_t frame_next_domain(struct gang *g, struct gang_frame *f) {
    for (;;) {
        if (f->at < f->n_domains) {
            f->domain = f->domains[f->at++];
            f->order = GANG_ORDER_FIRST;
            return 1;
        }
        if (f->last) return 0;
        /* the last choice: the whole outer domain, or any node if there is no outer domain */
        if (f->level == LSCHED_NO_ROW) {
            f->last = 1;
            f->domain = f->outer;
            f->order = GANG_ORDER_FIRST;
            return 1;
        }
        int32_t rc = frame_fetch(g, f);
        if (rc < 0) return rc;
    }
}

/* Results of one step of the walk. Errors are negative numbers. */
enum { STEP_FAILED = 0, STEP_DONE = 1, STEP_DESCEND = 2, STEP_AGAIN = 3 };

/* Enters a group: sets the frame's marks of the transaction, and chooses the first domain. Returns
 * 1, or 0 if there is no domain, or a negative error code. */
static int32_t frame_enter(struct gang *g, struct gang_frame *f) {
    int32_t rc = g->act->checkpoint(g->cycle, &f->mark);
    f->begin = f->mark;
    if (rc < 0 || !f->choosing) return rc < 0 ? rc : 1;
    return frame_next_domain(g, f);
}

/* Chooses the next alternative of a leaf group and starts its domains from the beginning. Returns 1
 * on success. Returns 0 after the last alternative; the transaction is then rolled back to its
 * state before the group was entered. */
static int32_t frame_next_alternative(struct gang *g, struct gang_frame *f) {
    const lsched_group_view *v = &g->groups[f->group];
    int32_t rc = g->act->rollback(g->cycle, f->begin);
    while (rc >= 0 && tasks_lacking(g, f->group) && f->alternative + 1 < v->n_alternatives) {
        rc = g->act->alternative(g->cycle, g->job, f->group, ++f->alternative);
        if (rc != 1) return rc;
        rc = g->act->checkpoint(g->cycle, &f->mark);
        if (rc < 0) return rc;
        frame_begin_domains(g, f);
        rc = f->choosing ? frame_next_domain(g, f) : 1;
        if (rc != 0) return rc;
        rc = g->act->rollback(g->cycle, f->begin);
    }
    return rc < 0 ? rc : 0;
}

/* ---- children ---- */

static int task_is_larger(const struct gang_size *a, const struct gang_size *b) {
    for (int i = 0; i < 3; i++)
        if (a->task[i] != b->task[i]) return a->task[i] > b->task[i];
    return 0;
}

/* Computes for each group the GPU amount and the number of the tasks that are missing to its
 * minimum. Also computes `as_given`, which is 0 if children are tried by size. They are tried by
 * size only if all of them are needed and each chooses a domain. Otherwise they are tried in the
 * order given at submission. */
static void gang_walk_measure(struct gang *g) {
    struct gang_size *size = g->memory->size;
    memset(size, 0, g->n * sizeof *size);
    for (uint32_t i = g->n; i-- > 0;) {
        const lsched_group_view *v = &g->groups[i];
        if (v->n_children == 0) {
            size[i].tasks = tasks_lacking(g, i);
            size[i].gpu = v->task->request[LSCHED_GPU] * (int64_t)size[i].tasks;
            size[i].task[0] = v->task->request[LSCHED_GPU];
            size[i].task[1] = v->task->request[LSCHED_CPU];
            size[i].task[2] = v->task->request[LSCHED_MEMORY];
            size[i].slice = v->step;
        }
        if (v->n_children && v->min_count < v->n_children) size[i].as_given = 1;
        if (i == 0) break;
        if (v->required_level == LSCHED_NO_ROW && v->preferred_level == LSCHED_NO_ROW)
            size[v->parent].as_given = 1;
        size[v->parent].tasks += size[i].tasks;
        size[v->parent].gpu += size[i].gpu;
        if (size[i].slice > size[v->parent].slice) size[v->parent].slice = size[i].slice;
        if (task_is_larger(&size[i], &size[v->parent]))
            memcpy(size[v->parent].task, size[i].task, sizeof size[i].task);
    }
}

/* True if child `a` is tried before child `b`. The largest child is tried first, because small
 * children fit into the room that the largest child leaves. If sizes do not count, the order given
 * at submission holds. In this order the job's owner can, for example, put a leaf group that can
 * run on few nodes before other groups. */
static int child_precedes(const struct gang *g, uint32_t group, uint32_t order, uint32_t a,
                          uint32_t b) {
    const struct gang_size *x = &g->memory->size[a], *y = &g->memory->size[b];
    int by_size = !g->memory->size[group].as_given;
    if (order == GANG_ORDER_BY_SLICE && x->slice != y->slice) return x->slice > y->slice;
    if (order != GANG_ORDER_FIRST && task_is_larger(x, y)) return 1;
    if (order != GANG_ORDER_FIRST && task_is_larger(y, x)) return 0;
    if (by_size && x->gpu != y->gpu) return x->gpu > y->gpu;
    if (by_size && x->tasks != y->tasks) return x->tasks > y->tasks;
    return a < b;
}

static uint32_t gang_walk_next_child(const struct gang *g, uint32_t group, uint32_t order,
                                     uint32_t last) {
    uint32_t best = LSCHED_NO_ROW;
    for (uint32_t c = group + 1; c < g->n; c++) {
        if (g->groups[c].parent != group) continue;
        if (last != LSCHED_NO_ROW && !child_precedes(g, group, order, last, c)) continue;
        if (best == LSCHED_NO_ROW || child_precedes(g, group, order, c, best)) best = c;
    }
    return best;
}

/* ---- the walk ---- */

/* Continues with a group after its domain is chosen: places the missing tasks of a leaf group, or
 * enters the next child of an inner group. */
static int32_t frame_advance(struct gang *g, struct gang_frame *trail, uint32_t at, uint32_t *n) {
    struct gang_frame *f = &trail[at];
    const lsched_group_view *v = &g->groups[f->group];
    if (v->n_children == 0) return seat_tasks(g, f->group, f->domain, tasks_lacking(g, f->group));
    if (f->satisfied >= v->min_count) return STEP_DONE;
    uint32_t child = v->n_children - f->failed < v->min_count
                         ? LSCHED_NO_ROW
                         : gang_walk_next_child(g, f->group, f->order, f->last_child);
    if (child == LSCHED_NO_ROW) return STEP_FAILED;
    struct gang_frame *c = &trail[(*n)++];
    frame_begin(g, c, child, f->domain);
    c->parent = at;
    c->before = f->satisfied;
    c->before_failed = f->failed;
    f->last_child = child;
    return STEP_DESCEND;
}

/* True if the two orders (GANG_ORDER_*) give different sequences of the group's children. */
static int orders_differ(const struct gang *g, uint32_t group, uint32_t x, uint32_t y) {
    uint32_t a = LSCHED_NO_ROW, b = a;
    for (uint32_t i = 0; i < g->groups[group].n_children; i++) {
        a = gang_walk_next_child(g, group, x, a);
        b = gang_walk_next_child(g, group, y, b);
        if (a != b) return 1;
    }
    return 0;
}

/* Returns the next order of children whose sequence differs from the sequences of all orders tried
 * before. Returns GANG_ORDERS if there is none. Another order can help in two cases, if all
 * children are needed. In the first case the children share one domain: small tasks can occupy the
 * only nodes for large tasks. In the second case some children have task blocks: single tasks can
 * occupy the nodes for a block. */
static uint32_t next_order(const struct gang *g, const struct gang_frame *f) {
    const lsched_group_view *v = &g->groups[f->group];
    uint32_t order = f->order + 1;
    if (v->min_count < v->n_children) return GANG_ORDERS;
    if (f->domain == LSCHED_NO_ROW && g->memory->size[f->group].slice <= 1) return GANG_ORDERS;
    for (; order < GANG_ORDERS; order++) {
        int fresh = 1;
        for (uint32_t before = 0; before <= f->order && fresh; before++)
            fresh = orders_differ(g, f->group, order, before);
        if (fresh) break;
    }
    return order;
}

/* Handles a group that did not fit: undoes its placements, then tries another order of its
 * children. If there is none, the function chooses the group's next domain, and after the last
 * domain its next alternative. Returns STEP_AGAIN, or STEP_FAILED if nothing is left to try. */
static int32_t frame_retry(struct gang *g, struct gang_frame *f) {
    int32_t rc = g->act->rollback(g->cycle, f->mark);
    if (rc < 0) return rc;
    frame_begin_children(f);
    uint32_t order = next_order(g, f);
    if (order < GANG_ORDERS) {
        f->order = order;
        return STEP_AGAIN;
    }
    rc = f->choosing ? frame_next_domain(g, f) : 0;
    if (rc == 0) rc = frame_next_alternative(g, f);
    return rc == 1 ? STEP_AGAIN : rc < 0 ? rc : STEP_FAILED;
}

/* True if the parent of frame i can reach its minimum without the group of frame i and without the
 * children that failed before it. */
static int is_spare(const struct gang *g, const struct gang_frame *trail, uint32_t i) {
    const lsched_group_view *v = &g->groups[trail[trail[i].parent].group];
    return trail[i].before_failed + 1 + v->min_count <= v->n_children;
}

/* Handles a group whose children do not fit side by side. *at is the group's frame. The function
 * revises the latest choice below the group. If a child has no other choice and its parent's
 * minimum allows that, the child is left out. Returns STEP_AGAIN with *at set to the frame where
 * the walk continues, or STEP_FAILED. The number of revisions is bounded, so that the search for a
 * gang that cannot be placed ends early. */
static int32_t look_back(struct gang *g, struct gang_frame *trail, uint32_t *at, uint32_t *n) {
    uint32_t group = *at, most = g->seat == gang_seat_free ? GANG_LOOKS_BACK : GANG_LOOKS_BACK / 8;
    for (uint32_t i = *n; i-- > group + 1;) {
        if (trail[group].looked_back >= most || g->memory->looks_left == 0) return STEP_FAILED;
        int32_t rc = frame_retry(g, &trail[i]);
        if (rc < 0) return rc;
        uint32_t leave_out = rc != STEP_AGAIN;
        if (leave_out && !is_spare(g, trail, i)) continue;
        trail[group].looked_back++;
        g->memory->looks_left--;
        *n = leave_out ? i : i + 1;
        *at = leave_out ? trail[i].parent : i;
        /* restore the state that each enclosing frame had when its child on this path was
         * entered */
        for (; i != group; i = trail[i].parent) {
            struct gang_frame *outer = &trail[trail[i].parent];
            outer->satisfied = trail[i].before;
            outer->failed = trail[i].before_failed;
            outer->last_child = trail[i].group;
        }
        trail[*at].failed += leave_out;
        return STEP_AGAIN;
    }
    return STEP_FAILED;
}

/* Places tasks until a group has its minimum, inside the domain `within`. Returns 1, or 0 if there
 * is no room, or a negative error code. The trail holds all groups in the order in which they were
 * entered. It also keeps satisfied groups, so that their choices can be revised. */
static int32_t gang_satisfy(struct gang *g, uint32_t root, uint32_t within) {
    struct gang_frame *trail = g->memory->trail;
    uint32_t at = 0, n = 1;
    gang_walk_measure(g);
    g->memory->looks_left = GANG_LOOKS_BACK_IN_ALL;
    frame_begin(g, &trail[0], root, within);
    for (int entering = 1;;) {
        int32_t rc = entering ? frame_enter(g, &trail[at]) : 1;
        if (rc == 1) rc = frame_advance(g, trail, at, &n);
        entering = rc == STEP_DESCEND;
        if (entering) at = n - 1;
        if (entering) continue;
        if (rc == STEP_FAILED) rc = look_back(g, trail, &at, &n);
        if (rc == STEP_FAILED) {
            n = at + 1;
            rc = frame_retry(g, &trail[at]);
        }
        if (rc == STEP_AGAIN) continue;
        if (rc < 0 || at == 0) return rc;
        if (rc == STEP_FAILED) n = at;
        uint32_t done = rc == STEP_DONE;
        /* the walk continues with the parent, whether or not the group was satisfied */
        at = trail[at].parent;
        trail[at].satisfied += done;
        trail[at].failed += !done;
    }
}

/* Sets good[i] to 1 for each group whose placed and finished tasks reach its minimum. The loop goes
 * backwards, because children have greater indexes than their parents. */
static void find_satisfied(const struct gang *g, uint8_t *good) {
    uint32_t count[LSCHED_GROUPS_PER_JOB_MAX];
    memset(count, 0, sizeof count);
    for (uint32_t i = g->n; i-- > 0;) {
        const lsched_group_view *v = &g->groups[i];
        uint32_t held = v->n_children ? count[i] : v->placed + v->done;
        good[i] = held >= v->min_count;
        if (i > 0 && good[i]) count[v->parent]++;
    }
}

/* Lets a group grow inside a domain. If `whole` is 0, the group is a satisfied leaf and gets one
 * more step of tasks. If `whole` is 1, the minimum of the sub-group is placed. */
static int32_t grow_here(struct gang *g, uint32_t group, int whole, uint32_t domain) {
    return whole ? gang_satisfy(g, group, domain)
                 : seat_tasks(g, group, domain, g->groups[group].step);
}

/* Lets one group grow. Each group on the path from the root to this group can have a topology
 * constraint, and the domain of each lies inside the domain of its parent. If a group on the path
 * already has tasks, the engine offers only the domain of these tasks. If it has none, all its
 * domains are tried. The domain of the innermost group changes first. */
static int32_t grow_group(struct gang *g, uint32_t group, int whole) {
    struct gang_frame *path = g->memory->path;
    uint32_t order[LSCHED_GROUPS_PER_JOB_MAX], m = 0;
    for (uint32_t i = group;; i = g->groups[i].parent) {
        /* the domain of a whole sub-group is not chosen here, because gang_satisfy chooses it */
        if (!whole || i != group) order[m++] = i;
        if (i == 0) break;
    }
    int32_t depth = 0;
    uint32_t outer = LSCHED_NO_ROW;
    for (int entering = 1; depth >= 0;) {
        if ((uint32_t)depth == m) {
            int32_t rc = grow_here(g, group, whole, outer);
            if (rc != 0) return rc;
            rc = m ? g->act->rollback(g->cycle, path[0].mark) : 0;
            if (rc < 0) return rc;
            entering = 0;
            depth--;
            continue;
        }
        struct gang_frame *f = &path[depth];
        int32_t rc = 0;
        if (entering) {
            frame_begin(g, f, order[m - 1 - (uint32_t)depth], outer);
            rc = frame_enter(g, f);
        } else if (f->choosing) {
            rc = frame_next_domain(g, f);
        }
        if (rc < 0) return rc;
        entering = rc == 1;
        if (entering) outer = f->domain;
        depth += entering ? 1 : -1;
    }
    return 0;
}

/* Sets grows[i] for each group i:
 *   1   a satisfied leaf with tasks left, or an unsatisfied group whose parent is satisfied; in
 *       both cases only if the group has not failed before
 *   2   a group that has a group with value 1 below it
 *   0   any other group */
static void find_growing(const struct gang *g, const uint8_t *good, const uint8_t *failed,
                         uint8_t *grows) {
    memset(grows, 0, g->n);
    for (uint32_t i = g->n; i-- > 0;) {
        const lsched_group_view *v = &g->groups[i];
        int full = v->n_children || v->placed + v->done >= v->max_count;
        if (i > 0 && !good[v->parent])
            grows[i] = 0;
        else if (!good[i] || !full)
            grows[i] = !failed[i];
        if (grows[i] && i > 0) grows[v->parent] = 2;
    }
}

/* True if group `a` has grown less than group `b`, relative to the minimum. The function compares
 * count / min_count by cross-multiplication. Groups with a minimum of 0 come last. */
static int less_grown(const struct gang *g, const uint32_t *count, uint32_t a, uint32_t b) {
    uint64_t ma = g->groups[a].min_count, mb = g->groups[b].min_count;
    if (!ma != !mb) return ma != 0;
    if (!ma) return count[a] < count[b];
    return count[a] * mb < count[b] * ma;
}

/* Returns the group that grows next, or LSCHED_NO_ROW if there is none. The function descends from
 * the root and always takes the child that has grown least relative to its minimum. Of several such
 * children it takes the one that was given first at submission. */
static uint32_t next_to_grow(const struct gang *g, const uint8_t *good, const uint8_t *grows) {
    uint32_t count[LSCHED_GROUPS_PER_JOB_MAX], at = 0;
    memset(count, 0, sizeof count);
    for (uint32_t i = g->n; i-- > 0;) {
        if (!g->groups[i].n_children) count[i] = g->groups[i].placed + g->groups[i].done;
        if (i > 0 && good[i]) count[g->groups[i].parent]++;
    }
    while (grows[at] == 2) {
        uint32_t best = LSCHED_NO_ROW;
        for (uint32_t c = at + 1; c < g->n; c++)
            if (g->groups[c].parent == at && grows[c] &&
                (best == LSCHED_NO_ROW || less_grown(g, count, c, best)))
                best = c;
        if (best == LSCHED_NO_ROW) return LSCHED_NO_ROW;
        at = best;
    }
    return grows[at] ? at : LSCHED_NO_ROW;
}

/* Tries the other alternatives of a leaf group one by one. Only a leaf group with a minimum of 0
 * that has no task yet has other alternatives here. */
static int32_t grow_by_alternatives(struct gang *g, uint32_t group, uint64_t mark) {
    const lsched_group_view *v = &g->groups[group];
    int32_t rc = 0;
    for (uint32_t a = v->alternative + 1; rc == 0 && a < v->n_alternatives; a++) {
        rc = g->act->rollback(g->cycle, mark);
        if (rc >= 0) rc = g->act->alternative(g->cycle, g->job, group, a);
        if (rc == 1) rc = grow_group(g, group, 0);
    }
    return rc;
}

/* Lets the job grow by one task, one task block or one sub-group. Groups are tried in the order of
 * next_to_grow until one fits. A group that does not fit is marked in `failed` and not tried
 * again. */
static int32_t gang_walk_grow(struct gang *g, uint8_t *failed) {
    uint8_t good[LSCHED_GROUPS_PER_JOB_MAX] = {0}, grows[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    find_satisfied(g, good);
    for (;;) {
        uint64_t mark;
        find_growing(g, good, failed, grows);
        uint32_t i = next_to_grow(g, good, grows);
        if (i == LSCHED_NO_ROW) return 0;
        int32_t rc = g->act->checkpoint(g->cycle, &mark);
        if (rc < 0) return rc;
        rc = grow_group(g, i, !good[i]);
        if (rc == 0 && good[i]) rc = grow_by_alternatives(g, i, mark);
        if (rc != 0) return rc;
        rc = g->act->rollback(g->cycle, mark);
        if (rc < 0) return rc;
        failed[i] = 1;
    }
}

int32_t gang_look(struct gang *g, uint32_t job) {
    g->job = job;
    return g->act->groups(g->cycle, job, &g->groups, &g->n);
}

/* True if the job has its minimum. Before the call, gang_look must have read the groups. */
static int gang_stands(const struct gang *g) {
    uint8_t good[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    find_satisfied(g, good);
    return good[0];
}

/* True if the job is one leaf group that lacks tasks and has nothing to choose: no domain and no
 * alternative. Most jobs are. */
static int is_one_plain_leaf(const struct gang *g) {
    const lsched_group_view *v = &g->groups[0];
    return g->n == 1 && v->topology == LSCHED_NO_ROW && v->n_alternatives == 1 &&
           tasks_lacking(g, 0) > 0;
}

/* Does for one plain leaf what gang_satisfy() does, without a trail. */
static int32_t satisfy_plain_leaf(struct gang *g) {
    uint64_t mark;
    int32_t rc = g->act->checkpoint(g->cycle, &mark);
    if (rc >= 0) rc = seat_tasks(g, 0, LSCHED_NO_ROW, tasks_lacking(g, 0));
    if (rc != 0) return rc;
    rc = g->act->rollback(g->cycle, mark);
    return rc < 0 ? rc : 0;
}

int32_t gang_step(struct gang *g) {
    if (is_one_plain_leaf(g)) return satisfy_plain_leaf(g);
    uint8_t failed[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    return gang_stands(g) ? gang_walk_grow(g, failed) : gang_satisfy(g, 0, LSCHED_NO_ROW);
}

int32_t gang_extend(struct gang *g) {
    uint8_t closed[LSCHED_GROUPS_PER_JOB_MAX];
    int32_t rc = gang_look(g, g->job), any = 0;
    g->extra = 0;
    for (uint32_t i = 0; i < g->n && rc >= 0; i++) {
        const lsched_group_view *v = &g->groups[i];
        closed[i] = !v->is_open || v->placed + v->done == 0;
        any |= !closed[i];
    }
    while (rc >= 0 && any && g->extra < g->extra_max) {
        rc = gang_walk_grow(g, closed);
        if (rc == 0) return 1;
        g->extra++;
        if (rc > 0) rc = gang_look(g, g->job);
    }
    return rc < 0 ? rc : 1;
}

int32_t gang_regrow(struct gang *g) {
    uint8_t failed[LSCHED_GROUPS_PER_JOB_MAX] = {0};
    int32_t rc = gang_look(g, g->job);
    if (rc < 0) return rc;
    rc = gang_stands(g) ? 1 : gang_satisfy(g, 0, LSCHED_NO_ROW);
    while (rc == 1) {
        rc = gang_look(g, g->job);
        if (rc >= 0) rc = gang_walk_grow(g, failed);
    }
    return rc;
}

int32_t gang_try(struct gang *g) {
    int32_t rc = g->act->within_limits(g->cycle, g->job);
    if (rc != 1) return rc;
    rc = gang_look(g, g->job);
    int open = 0;
    for (uint32_t i = 0; i < g->n && rc >= 0; i++) open |= g->groups[i].is_open != 0;
    if (rc >= 0) rc = gang_step(g);
    return rc == 1 && open ? gang_extend(g) : rc;
}

int32_t gang_try_later(struct gang *g, uint64_t mark) {
    int32_t rc = g->act->rollback(g->cycle, mark);
    if (rc >= 0) rc = g->act->look(g->cycle, LSCHED_LOOK_LATER);
    if (rc != 1) return rc;
    rc = gang_try(g);
    int32_t back = g->act->look(g->cycle, LSCHED_LOOK_NOW);
    return back < 0 ? back : rc;
}

int32_t gang_memory_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    (void)err; /* the engine fills err for LSCHED_E_NOMEM */
    *self = env_new(env, sizeof(struct gang_memory));
    return *self ? LSCHED_OK : LSCHED_E_NOMEM;
}

void gang_memory_destroy(const lsched_algorithm_env *env, void *self) {
    env_free(env, self, sizeof(struct gang_memory));
}
