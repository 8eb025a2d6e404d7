/* put_off.c -- see put_off.h. */
#include "engine/actions/put_off.h"

#include "base/vec.h"
#include "engine/actions/evict_calls.h"
#include "engine/victims/evict_wake.h"
#include "engine/actions/outrank.h"
#include "engine/waits/pass.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"
#include "engine/state/transaction.h"

/* The ground on which a waiting job may take work of another branch, as in victim_side.h. */
enum { BY_SHARE = 0, BY_GUARANTEE = 1, GROUNDS = 2 };

/* One waiting bundle, as the counts include it. */
struct waits {
    /* a bit per level of the path, from its queue up: set where the ground holds */
    uint32_t levels[GROUNDS];
    uint32_t queue, kinds;
    /* neighbours in the list of their queue; user queues of one queue share a list */
    uint32_t next, prev;
    /* rank in its queue: twice its priority, plus 1 if the job lacks its minimum */
    int64_t claim;
    uint8_t counted;
};

struct put_off {
    struct waits *waits; /* one entry per bundle */
    uint32_t cap_bundles, cap_queues, n;
    /* [queue][ground][kind]: waiting bundles at the queue or below that need the kind and for
     * which the ground holds up to this queue */
    uint32_t *below;
    /* [queue + 1][ground][kind]: children of the queue with such bundles; row 0: root queues */
    uint32_t *branches;
    /* first bundle in the list of each queue; user queues of one queue share a list */
    uint32_t *first;
    /* greatest `claim` in the list of each queue; INT64_MIN: the list is empty */
    int64_t *claim;
    uint32_t *claims; /* number of bundles in that list with the greatest `claim` */
    struct outrank outrank;
};

#define CELLS ((size_t)GROUNDS * KINDS_MAX)

/* ---- memory ---- */

void put_off_close(struct lsched_cycle *y) {
    struct put_off *p = y->put_off;
    struct alloc *a = y->k->alloc;
    if (!p) return;
    size_t queues = p->cap_queues;
    alloc_free(a, p->waits, p->cap_bundles * sizeof *p->waits);
    alloc_free(a, p->below, (2 * queues + 1) * CELLS * sizeof *p->below);
    alloc_free(a, p->first, queues * sizeof *p->first);
    alloc_free(a, p->claim, queues * sizeof *p->claim);
    alloc_free(a, p->claims, queues * sizeof *p->claims);
    alloc_free(a, p, sizeof *p);
    y->put_off = NULL;
}

static int32_t put_off_open(struct lsched_cycle *y) {
    const struct columns *k = y->k;
    struct alloc *a = k->alloc;
    struct put_off *p = alloc_zero(a, sizeof *p);
    if (!p) return LSCHED_E_NOMEM;
    size_t queues = p->cap_queues = table_rows(k, T_QUEUE);
    y->put_off = p;
    p->cap_bundles = table_rows(k, T_BUNDLE);
    p->waits = alloc_zero(a, p->cap_bundles * sizeof *p->waits);
    p->below = alloc_zero(a, (2 * queues + 1) * CELLS * sizeof *p->below);
    p->first = alloc_new(a, queues * sizeof *p->first);
    p->claim = alloc_new(a, queues * sizeof *p->claim);
    p->claims = alloc_zero(a, queues * sizeof *p->claims);
    if (!p->waits || !p->below || !p->first || !p->claim || !p->claims) {
        put_off_close(y);
        return LSCHED_E_NOMEM;
    }
    p->branches = p->below + queues * CELLS;
    outrank_open(y, &p->outrank);
    for (size_t q = 0; q < queues; q++) {
        p->first[q] = NO_ROW;
        p->claim[q] = INT64_MIN;
    }
    return LSCHED_OK;
}

/* ---- entitlements ---- */

static int evicts_at_all(const struct lsched_cycle *y) {
    return y->evicts_after || y->search;
}

/* Layout of BUNDLE.RIGHT: a bit for each level of the path where the bundle is within its
 * entitlement, a bit for each level where it is also within its guarantee, and a bit for each
 * resource kind that counts. */
#define LEVEL_BITS 17
#define LEVELS     ((UINT64_C(1) << LEVEL_BITS) - 1)
_Static_assert(LSCHED_QUEUE_DEPTH_MAX + 1 <= LEVEL_BITS && 2 * LEVEL_BITS + KINDS_MAX <= 64,
               "a right fits one word");

static int has_amounts(const struct lsched_cycle *y) {
    return y->c->share.ops->amounts != NULL;
}

/* Computes BUNDLE.RIGHT. Levels count from the bundle's queue up, as long as the queue stays
 * within its entitlement with everything that the bundle's first job needs next. */
static uint64_t right_of(const struct lsched_cycle *y, uint32_t b) {
    const struct columns *k = y->k;
    int64_t need[KINDS_MAX] = {0};
    uint32_t needed = 0, n = (uint32_t)meta(k, M_N_KINDS);
    uint64_t bits = 0, level = 1;
    job_next_need(k, bundle_head(k, b), need);
    for (uint32_t r = 1; r < n; r++) needed |= (uint32_t)(need[r] > 0) << r;
    uint32_t kinds = y->guaranteed & needed ? y->guaranteed & needed : needed;
    for (uint32_t q = k->c[C_BUNDLE_QUEUE].u32[b]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        int sure = 1;
        for (uint32_t r = 1; r < n; r++) {
            if (!(kinds >> r & 1)) continue;
            int64_t used = k->c[C_QUEUE_USED + r].i64[q], right = victim_rules_right(y, q, r, 0);
            if (right != LSCHED_UNLIMITED && need[r] > right - used)
                return bits | (uint64_t)kinds << 2 * LEVEL_BITS;
            right = victim_rules_right(y, q, r, 1);
            sure &= right == LSCHED_UNLIMITED || need[r] <= right - used;
        }
        bits |= level | (sure ? level << LEVEL_BITS : 0);
        level <<= 1;
    }
    return bits | (uint64_t)kinds << 2 * LEVEL_BITS;
}

/* True if the bundle is in line, put off, or parked because other jobs hold what it needs. */
static int wants_room(const struct columns *k, uint32_t b) {
    return row_is_live(k, T_BUNDLE, b) && (k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_ACTIVE ||
                                           evict_wake_cures(k, b, LSCHED_FOR_RECLAIM) ||
                                           evict_wake_cures(k, b, LSCHED_FOR_PREEMPT) ||
                                           k->c[C_BUNDLE_LIST].u8[b] == PARKED_PUT_OFF);
}

static int32_t write_right(struct lsched_cycle *y, uint32_t b) {
    struct columns *k = y->k;
    if (!has_amounts(y) || !wants_room(k, b)) return LSCHED_OK;
    uint64_t right = right_of(y, b);
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK && right != k->c[C_BUNDLE_RIGHT].u64[b])
        set_u64(k, C_BUNDLE_RIGHT, b, right);
    return rc;
}

/* Computes the entitlements of all bundles in line; with `all`, of parked bundles too. */
static int32_t write_rights(struct lsched_cycle *y, int all) {
    const struct columns *k = y->k;
    int32_t rc = LSCHED_OK;
    uint32_t n = table_rows(k, T_BUNDLE);
    steps_add(k, n);
    for (uint32_t b = 0; b < n && rc == LSCHED_OK; b++)
        if (all || k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_ACTIVE) rc = write_right(y, b);
    return rc;
}

int32_t put_off_pass(struct lsched_cycle *y) {
    int all = meta(y->k, M_PASS_ANEW) != 0;
    if (!evicts_at_all(y) || !has_amounts(y) || meta(y->k, M_ACTIVE) == 0) return LSCHED_OK;
    return write_rights(y, all);
}

int32_t put_off_round(struct lsched_cycle *y) {
    return has_amounts(y) ? write_rights(y, 0) : LSCHED_OK;
}

/* ---- counting the waiting jobs ---- */

/* Returns the reasons (LSCHED_FOR_*, one bit each) for which victims will be sought after the
 * current stage. */
static uint32_t reasons_left(const struct lsched_cycle *y) {
    const uint64_t all = 1u << LSCHED_FOR_RECLAIM | 1u << LSCHED_FOR_PREEMPT;
    uint32_t left = y->evicts_after;
    int both = y->search && !meta(y->k, M_PASS_STAGE) && meta(y->k, M_PASS_BEGUN) == all;
    return both ? left | (uint32_t)all : left;
}

/* True if the bundle waits for room, and victims will be sought for its job before the round is
 * over if the job finds no room without evictions. */
static int still_waits(struct lsched_cycle *y, uint32_t b) {
    const struct columns *k = y->k;
    if (!row_is_live(k, T_BUNDLE, b)) return 0;
    if (k->c[C_JOB_FLAGS].u8[bundle_head(k, b)] & LSCHED_JOB_NEVER_PREEMPTS) return 0;
    uint32_t left = reasons_left(y);
    if (k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_ACTIVE) return left || y->search;
    if (k->c[C_BUNDLE_LIST].u8[b] == PARKED_PUT_OFF) return 1;
    int anew = pass_round(y) == 0 && meta(k, M_PASS_ANEW);
    if (!left || (!anew && !pass_has_tried(k, b))) return 0;
    for (uint32_t reason = 0; left >> reason; reason++)
        if ((left >> reason & 1) && evict_wake_cures(k, b, reason)) return 1;
    return 0;
}

static int64_t claim_of(const struct columns *k, uint32_t b) {
    return 2 * (int64_t)k->c[C_JOB_PRIORITY].i32[bundle_head(k, b)] +
           (k->c[C_BUNDLE_KIND].u8[b] != BUNDLE_GROW);
}

static void count_levels(struct lsched_cycle *y, const struct waits *w, int sign) {
    struct put_off *p = y->put_off;
    const struct columns *k = y->k;
    uint32_t i = 0;
    for (uint32_t q = w->queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q], i++) {
        uint32_t parent = k->c[C_QUEUE_PARENT].u32[q];
        size_t branch = parent == NO_ROW ? 0 : (size_t)parent + 1;
        for (size_t cell = 0; cell < CELLS; cell++) {
            size_t ground = cell / KINDS_MAX, r = cell % KINDS_MAX;
            if (!(w->levels[ground] >> i & 1) || !(w->kinds >> r & 1)) continue;
            uint32_t *n = &p->below[(size_t)q * CELLS + cell];
            int had = *n > 0;
            *n += (uint32_t)sign;
            p->branches[branch * CELLS + cell] += (uint32_t)((*n > 0) - had);
        }
    }
}

static void note_claim(struct put_off *p, uint32_t queue, int64_t claim) {
    if (claim > p->claim[queue]) {
        p->claim[queue] = claim;
        p->claims[queue] = 0;
    }
    p->claims[queue] += claim == p->claim[queue];
}

/* Finds the greatest `claim` of the queue again, after the last bundle that had it left the
 * counts. */
static void claim_again(struct lsched_cycle *y, uint32_t queue) {
    struct put_off *p = y->put_off;
    p->claim[queue] = INT64_MIN;
    p->claims[queue] = 0;
    for (uint32_t b = p->first[queue]; b != NO_ROW; b = p->waits[b].next) {
        steps_add(y->k, 1);
        note_claim(p, queue, p->waits[b].claim);
    }
}

static void count_out(struct lsched_cycle *y, uint32_t b) {
    struct put_off *p = y->put_off;
    struct waits *w = &p->waits[b];
    uint32_t queue = victim_rules_real_queue(y->k, w->queue);
    count_levels(y, w, -1);
    if (w->next != NO_ROW) p->waits[w->next].prev = w->prev;
    if (w->prev != NO_ROW)
        p->waits[w->prev].next = w->next;
    else
        p->first[queue] = w->next;
    w->counted = 0;
    p->n--;
    if (w->claim == p->claim[queue] && --p->claims[queue] == 0) claim_again(y, queue);
}

static void set_levels(struct lsched_cycle *y, uint32_t b) {
    struct waits *w = &y->put_off->waits[b];
    uint64_t right = y->k->c[C_BUNDLE_RIGHT].u64[b];
    w->levels[BY_SHARE] = (uint32_t)(right & LEVELS);
    w->levels[BY_GUARANTEE] = (uint32_t)(right >> LEVEL_BITS & LEVELS);
    w->kinds = (uint32_t)(right >> 2 * LEVEL_BITS);
}

static void count_in(struct lsched_cycle *y, uint32_t b) {
    struct put_off *p = y->put_off;
    const struct columns *k = y->k;
    struct waits *w = &p->waits[b];
    uint32_t queue = victim_rules_real_queue(k, k->c[C_BUNDLE_QUEUE].u32[b]);
    *w = (struct waits){.counted = 1,
                        .queue = k->c[C_BUNDLE_QUEUE].u32[b],
                        .next = p->first[queue],
                        .prev = NO_ROW,
                        .claim = claim_of(k, b)};
    set_levels(y, b);
    count_levels(y, w, 1);
    if (w->next != NO_ROW) p->waits[w->next].prev = b;
    p->first[queue] = b;
    note_claim(p, queue, w->claim);
    outrank_note(y, &p->outrank, b);
    p->n++;
}

static int32_t room_for(struct lsched_cycle *y, uint32_t b) {
    struct put_off *p = y->put_off;
    uint32_t had = p->cap_bundles;
    if (b < had) return LSCHED_OK;
    if (!VEC_ROOM(y->k->alloc, p->waits, p->cap_bundles, b + 1)) return LSCHED_E_NOMEM;
    memset(p->waits + had, 0, (p->cap_bundles - had) * sizeof *p->waits);
    return LSCHED_OK;
}

static int32_t note(struct lsched_cycle *y, uint32_t b) {
    struct put_off *p = y->put_off;
    if (!p || !evicts_at_all(y) || b == NO_ROW) return LSCHED_OK;
    int32_t rc = write_right(y, b);
    if (rc == LSCHED_OK) rc = room_for(y, b);
    if (rc != LSCHED_OK) return rc;
    struct waits *w = &p->waits[b];
    int waits = still_waits(y, b), same = waits && w->counted && w->claim == claim_of(y->k, b) &&
                                          w->queue == y->k->c[C_BUNDLE_QUEUE].u32[b];
    if (same) {
        count_levels(y, w, -1);
        set_levels(y, b);
        count_levels(y, w, 1);
        outrank_note(y, &p->outrank, b);
        return LSCHED_OK;
    }
    if (w->counted) count_out(y, b);
    if (waits) count_in(y, b);
    return LSCHED_OK;
}

/* Values of M_PASS_HELD: the best rank (rank_of) of the jobs that were put off; HELD_NONE: no job
 * was put off, and the entitlements were computed again in this round. */
#define HELD_NONE 4u

static int any_put_off(const struct columns *k) {
    uint64_t held = meta(k, M_PASS_HELD);
    return held > 0 && held < HELD_NONE;
}

int32_t put_off_placed(struct lsched_cycle *y, uint32_t b, uint32_t job) {
    if (y->put_off && y->search) outrank_stopped(&y->put_off->outrank);
    int32_t rc = note(y, b);
    uint32_t next = y->k->c[C_JOB_BUNDLE].u32[job];
    return rc == LSCHED_OK && next != b ? note(y, next) : rc;
}

int32_t put_off_parked(struct lsched_cycle *y, uint32_t b) {
    struct columns *k = y->k;
    if (y->search)
        set_u64(k, C_BUNDLE_LOOKED, b, pass_mark(y));
    else if (any_put_off(k))
        set_u64(k, C_BUNDLE_BEHIND, b, meta(k, M_PASS_FROM));
    int32_t rc = note(y, b);
    return rc == LSCHED_OK ? share_update(&y->c->share, k, k->c[C_BUNDLE_QUEUE].u32[b]) : rc;
}

/* True if a start of the current action can be put off: the action does not plan over time,
 * victims are or will be sought, and this is not the last round. */
static int is_asked(const struct lsched_cycle *y) {
    return !y->plans_time && pass_round(y) < PASS_ROUNDS_MAX && evicts_at_all(y);
}

int32_t put_off_look(struct lsched_cycle *y) {
    const struct columns *k = y->k;
    if (!is_asked(y) || y->put_off) return 1;
    /* one work unit per bundle, because each bundle is read */
    act_spend(y, table_live(k, T_BUNDLE));
    if (y->stop) return 0;
    int32_t rc = put_off_open(y);
    uint32_t n = table_rows(k, T_BUNDLE);
    steps_add(k, n);
    for (uint32_t b = 0; b < n && rc == LSCHED_OK; b++)
        if (still_waits(y, b)) count_in(y, b);
    return rc == LSCHED_OK ? 1 : rc;
}

/* ---- jobs that outrank a start ---- */

/* Returns the resource kinds, one bit each, that a waiting job in another branch below the queue's
 * parent needs and could reclaim on this ground. */
static uint32_t wanted_beside(const struct lsched_cycle *y, uint32_t queue, uint32_t ground) {
    const struct put_off *p = y->put_off;
    uint32_t parent = y->k->c[C_QUEUE_PARENT].u32[queue], kinds = 0;
    size_t branch = parent == NO_ROW ? 0 : (size_t)parent + 1;
    for (uint32_t r = 1; r < meta(y->k, M_N_KINDS); r++) {
        size_t cell = (size_t)ground * KINDS_MAX + r;
        uint32_t own = p->below[queue * CELLS + cell] > 0;
        kinds |= (uint32_t)(p->branches[branch * CELLS + cell] > own) << r;
    }
    return kinds;
}

/* True if a waiting job of another branch could reclaim the room of this start by entitlement, if
 * the placed tasks already ran. The rule is the one of kinds_allow() in victim_rules.c. */
static int outranked_by_right(const struct lsched_cycle *y, uint32_t queue) {
    const struct columns *k = y->k;
    int whole_path = cycle_eviction(y)->protection == POLICY_PROTECT_PATH;
    uint32_t above[LSCHED_QUEUE_DEPTH_MAX + 1], n = 0, known = 0, path[LSCHED_QUEUE_DEPTH_MAX + 1];
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        uint32_t beside[GROUNDS] = {wanted_beside(y, q, BY_SHARE),
                                    wanted_beside(y, q, BY_GUARANTEE)};
        path[n++] = q;
        /* a job within its guarantee is also within its fair share */
        if (!beside[BY_SHARE]) continue;
        for (; known < n; known++)
            above[known] = victim_rules_kinds_above(y, path[known], 1, UINT32_MAX, NULL);
        int may[GROUNDS] = {victim_rules_kinds_above(y, q, 0, beside[BY_SHARE], NULL) != 0,
                            beside[BY_GUARANTEE] != 0};
        for (uint32_t g = 0; g < GROUNDS; g++)
            for (uint32_t i = whole_path ? 0 : n - 1; i < n; i++)
                may[g] &= (above[i] & beside[g]) != 0;
        if (may[BY_SHARE] || may[BY_GUARANTEE]) return 1;
    }
    return 0;
}

static int is_counted(const struct lsched_cycle *y, uint32_t b) {
    /* a job that became a victim may have left a bundle that was counted */
    return y->put_off->waits[b].counted && row_is_live(y->k, T_BUNDLE, b) &&
           bundle_head(y->k, b) != NO_ROW;
}

static int is_outranked(struct lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    const struct put_off *p = y->put_off;
    if (!p || p->n == 0) return 0;
    uint32_t queue = victim_rules_real_queue(k, k->c[C_JOB_QUEUE].u32[job]);
    if (p->claim[queue] > claim_of(k, k->c[C_JOB_BUNDLE].u32[job])) return 1;
    return (has_amounts(y) && outranked_by_right(y, queue)) ||
           outrank_asks(y, &y->put_off->outrank, job, p->cap_bundles, p->n, is_counted);
}

/* ---- starts that come after a job that was put off ---- */

/* Returns the rank of the job as it is placed. 1: all its queues are within their guarantees; 2:
 * within their entitlements; 3: a queue is above its entitlement. */
static uint32_t rank_of(const struct lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], needed = 0, rank = 1;
    if (!has_amounts(y)) return 2;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[shape]; g++)
        for (uint32_t r = 1; group_shape(k, shape, g) != NO_ROW && r < meta(k, M_N_KINDS); r++)
            needed |= (uint32_t)(k->c[C_SHAPE_REQ + r].i64[leaf_shape(k, job, g)] > 0) << r;
    uint32_t kinds = y->guaranteed & needed ? y->guaranteed & needed : needed;
    for (uint32_t q = victim_rules_real_queue(k, k->c[C_JOB_QUEUE].u32[job]); q != NO_ROW;
         q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t used = k->c[C_QUEUE_USED + r].i64[q];
            if (!(kinds >> r & 1) || used <= victim_rules_right(y, q, r, 1)) continue;
            rank = rank == 3 || used > victim_rules_right(y, q, r, 0) ? 3 : 2;
        }
    return rank;
}

/* True if the job comes after a job that was put off, in the order of shares. An action that
 * evicts tries jobs that `allocate` has tried and jobs that no action has tried. The first ones
 * come after only if `allocate` tried them after the job that was put off. */
static int came_later(const struct lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    return any_put_off(k) && (!y->search || evict_is_untried(y, b) ||
                              k->c[C_BUNDLE_BEHIND].u64[b] == meta(k, M_PASS_FROM));
}

int put_off_asks(struct lsched_cycle *y, uint32_t job) {
    if (y->plans_time || pass_round(y) >= PASS_ROUNDS_MAX) return 0;
    return is_outranked(y, job) ||
           (came_later(y, job) && rank_of(y, job) >= meta(y->k, M_PASS_HELD));
}

/* Computes all entitlements again before the first start of a round is put off, because the jobs
 * with the better entitlement may have used it up in this round. The job is then tried again. This
 * happens once per round. */
static int32_t look_again(struct lsched_cycle *y) {
    int32_t rc = undo_room(y->k);
    if (rc != LSCHED_OK) return rc;
    set_meta(y->k, M_PASS_HELD, HELD_NONE);
    put_off_close(y);
    return has_amounts(y) ? write_rights(y, 1) : LSCHED_OK;
}

int32_t put_off_job(struct lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    uint32_t rank = rank_of(y, job), b = k->c[C_JOB_BUNDLE].u32[job];
    uint64_t held = meta(k, M_PASS_HELD);
    struct park_reason why = {.code = LSCHED_WAIT_BUDGET, .limiting_queue = NO_ROW};
    undo_rollback(k, y->mark);
    y->n_fresh = y->fresh_mark;
    evict_rolled_back(y);
    y->ended++;
    y->job = NO_ROW;
    if (held == 0) return look_again(y);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (rank < held) set_meta(k, M_PASS_HELD, rank);
    if (y->search && b < y->search->cap_woken) y->search->woken_code[b] = 0;
    bundle_park(k, b, PARKED_PUT_OFF, 0, &why);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    rc = note(y, b);
    return rc == LSCHED_OK ? share_update(&y->c->share, k, k->c[C_BUNDLE_QUEUE].u32[b]) : rc;
}
