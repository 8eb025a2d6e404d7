/* put_off.c -- see put_off.h. */
#include "engine/actions/act_state.h"
#include "engine/actions/put_off.h"

#include "base/vec.h"
#include "engine/actions/evict.h"
#include "engine/victims/evict_park.h"
#include "engine/victims/evict_wake.h"
#include "engine/rights/victim_right.h"
#include "engine/actions/outrank.h"
#include "engine/actions/plan_calls.h"
#include "engine/waits/pass.h"
#include "model/demand/job_counts.h"
#include "model/jobs/bundle.h"
#include "model/queues/queue.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"
#include "engine/state/transaction.h"

/* The ground on which a waiting job is allowed to evict work of another branch (victim_side.h):
 * the job's side is within its entitlement, or also within its guarantee. */
enum { BY_SHARE = 0, BY_GUARANTEE = 1, GROUNDS = 2 };

/* The data of one waiting bundle that the counts include. */
struct waits {
    /* by ground: one bit per level of the path, the lowest bit for the bundle's queue; 1 where the
     * ground holds */
    uint32_t levels[GROUNDS];
    uint32_t queue, kinds;
    /* next and previous bundle in the list of the queue; user queues of one queue share a list */
    uint32_t next, prev;
    /* rank of the bundle in its queue: twice the priority, plus 1 if the job lacks its minimum */
    int64_t claim;
    uint8_t counted;
};

/* The waiting bundles of one queue. */
struct waits_list {
    int64_t claim;          /* greatest waits.claim in the list; INT64_MIN if the list is empty */
    uint32_t first, claims; /* claims: number of bundles with that rank */
};

struct put_off {
    struct waits *waits; /* one entry per bundle */
    uint32_t cap_bundles, cap_queues, n;
    /* [queue][ground][kind]: number of waiting bundles in or below the queue that need the
     * resource kind and for which the ground holds at each level up to this queue */
    uint32_t *below;
    /* [queue + 1][ground][kind]: number of child queues of the queue for which `below` is not 0;
     * row 0 counts root queues */
    uint32_t *branches;
    struct waits_list *list; /* by queue; the user queues of one queue share a list */
    struct outrank outrank;
};

#define CELLS ((size_t)GROUNDS * KINDS_MAX)

/* ---- memory ---- */

void put_off_close(struct lsched_cycle *cy) {
    struct put_off *p = cy->act->put_off;
    struct alloc *a = cy->k->alloc;
    if (!p) return;
    size_t queues = p->cap_queues;
    alloc_free(a, p->waits, p->cap_bundles * sizeof *p->waits);
    alloc_free(a, p->below, (2 * queues + 1) * CELLS * sizeof *p->below);
    alloc_free(a, p->list, queues * sizeof *p->list);
    alloc_free(a, p, sizeof *p);
    cy->act->put_off = NULL;
}

static int32_t put_off_open(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    struct alloc *a = k->alloc;
    struct put_off *p = alloc_zero(a, sizeof *p);
    if (!p) return LSCHED_E_NOMEM;
    size_t queues = p->cap_queues = table_rows(k, T_QUEUE);
    cy->act->put_off = p;
    p->cap_bundles = table_rows(k, T_BUNDLE);
    p->waits = alloc_zero(a, p->cap_bundles * sizeof *p->waits);
    p->below = alloc_zero(a, (2 * queues + 1) * CELLS * sizeof *p->below);
    p->list = alloc_new(a, queues * sizeof *p->list);
    if (!p->waits || !p->below || !p->list) {
        put_off_close(cy);
        return LSCHED_E_NOMEM;
    }
    p->branches = p->below + queues * CELLS;
    outrank_open(cy, &p->outrank);
    for (size_t q = 0; q < queues; q++) p->list[q] = (struct waits_list){INT64_MIN, NO_ROW, 0};
    return LSCHED_OK;
}

/* ---- entitlements ---- */

static int evicts_at_all(const struct lsched_cycle *cy) {
    return cy->act->evicts_after || cy->victims;
}

/* Layout of BUNDLE.RIGHT: first one bit for each level of the path, 1 if the queue is within its
 * entitlement with the bundle's job; then one bit for each level, 1 if the queue is also within
 * its guarantee; then one bit for each resource kind that counts. */
#define LEVEL_BITS 17
#define LEVELS     ((UINT64_C(1) << LEVEL_BITS) - 1)
_Static_assert(LSCHED_QUEUE_DEPTH_MAX + 1 <= LEVEL_BITS && 2 * LEVEL_BITS + KINDS_MAX <= 64,
               "a right fits one word");

static int has_amounts(const struct lsched_cycle *cy) {
    return cy->c->share.ops->amounts != NULL;
}

/* Computes BUNDLE.RIGHT. The bits of levels are set from the bundle's queue upward, and end below
 * the first queue that would be above its entitlement with everything that the bundle's first job
 * needs next. */
static uint64_t right_of(const struct lsched_cycle *cy, uint32_t b) {
    const struct columns *k = cy->k;
    int64_t need[KINDS_MAX] = {0};
    uint32_t needed = 0, n = (uint32_t)meta(k, M_N_KINDS);
    uint64_t bits = 0, level = 1;
    job_least_need(k, bundle_head(k, b), need);
    for (uint32_t r = 1; r < n; r++) needed |= (uint32_t)(need[r] > 0) << r;
    uint32_t kinds = victim_right_kinds(cy->act->guaranteed, needed);
    for (uint32_t q = k->c[C_BUNDLE_QUEUE].u32[b]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        int sure = 1;
        for (uint32_t r = 1; r < n; r++) {
            if (!(kinds >> r & 1)) continue;
            int64_t used = k->c[C_QUEUE_USED + r].i64[q], right = victim_right(cy, q, r, 0);
            if (right != LSCHED_UNLIMITED && need[r] > right - used)
                return bits | (uint64_t)kinds << 2 * LEVEL_BITS;
            right = victim_right(cy, q, r, 1);
            sure &= right == LSCHED_UNLIMITED || need[r] <= right - used;
        }
        bits |= level | (sure ? level << LEVEL_BITS : 0);
        level <<= 1;
    }
    return bits | (uint64_t)kinds << 2 * LEVEL_BITS;
}

/* True if the bundle is in line, put off, or parked for a wait reason that evictions could end. */
static int wants_room(const struct columns *k, uint32_t b) {
    return row_is_live(k, T_BUNDLE, b) && (k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_ACTIVE ||
                                           evict_wake_cures(k, b, LSCHED_FOR_RECLAIM) ||
                                           evict_wake_cures(k, b, LSCHED_FOR_PREEMPT) ||
                                           k->c[C_BUNDLE_LIST].u8[b] == PARKED_PUT_OFF);
}

static int32_t write_right(struct lsched_cycle *cy, uint32_t b) {
    struct columns *k = cy->k;
    if (!has_amounts(cy) || !wants_room(k, b)) return LSCHED_OK;
    uint64_t right = right_of(cy, b);
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK && right != k->c[C_BUNDLE_RIGHT].u64[b])
        set_u64(k, C_BUNDLE_RIGHT, b, right);
    return rc;
}

/* Computes the entitlements of all bundles in line; with `all`, also of parked bundles. */
static int32_t write_rights(struct lsched_cycle *cy, int all) {
    const struct columns *k = cy->k;
    int32_t rc = LSCHED_OK;
    uint32_t n = table_rows(k, T_BUNDLE);
    steps_add(k, n);
    for (uint32_t b = 0; b < n && rc == LSCHED_OK; b++)
        if (all || k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_ACTIVE) rc = write_right(cy, b);
    return rc;
}

int32_t put_off_pass(struct lsched_cycle *cy) {
    int all = meta(cy->k, M_PASS_ANEW) != 0;
    if (!evicts_at_all(cy) || !has_amounts(cy) || meta(cy->k, M_ACTIVE) == 0) return LSCHED_OK;
    return write_rights(cy, all);
}

int32_t put_off_round(struct lsched_cycle *cy) {
    return has_amounts(cy) ? write_rights(cy, 0) : LSCHED_OK;
}

/* ---- counting the waiting jobs ---- */

/* Returns the reasons (LSCHED_FOR_*, one bit each) for which victims will be sought after the
 * current stage. */
static uint32_t reasons_left(const struct lsched_cycle *cy) {
    const uint64_t all = 1u << LSCHED_FOR_RECLAIM | 1u << LSCHED_FOR_PREEMPT;
    uint32_t left = cy->act->evicts_after;
    int both = cy->victims && !meta(cy->k, M_PASS_STAGE) && meta(cy->k, M_PASS_BEGUN) == all;
    return both ? left | (uint32_t)all : left;
}

/* True if the bundle waits for room, and an action of this round will still seek victims for its
 * job if the job finds no room without evictions. */
static int still_waits(struct lsched_cycle *cy, uint32_t b) {
    const struct columns *k = cy->k;
    if (!row_is_live(k, T_BUNDLE, b)) return 0;
    if (k->c[C_JOB_FLAGS].u8[bundle_head(k, b)] & LSCHED_JOB_NEVER_PREEMPTS) return 0;
    uint32_t left = reasons_left(cy);
    if (k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_ACTIVE) return left || cy->victims;
    if (k->c[C_BUNDLE_LIST].u8[b] == PARKED_PUT_OFF) return 1;
    int anew = pass_round(cy) == 0 && meta(k, M_PASS_ANEW);
    if (!left || (!anew && !pass_has_tried(k, b))) return 0;
    for (uint32_t reason = 0; left >> reason; reason++)
        if ((left >> reason & 1) && evict_wake_cures(k, b, reason)) return 1;
    return 0;
}

static int64_t claim_of(const struct columns *k, uint32_t b) {
    return 2 * (int64_t)k->c[C_JOB_RANK].i32[bundle_head(k, b)] + !bundle_grows(k, b);
}

static void count_levels(struct lsched_cycle *cy, const struct waits *w, int sign) {
    struct put_off *p = cy->act->put_off;
    const struct columns *k = cy->k;
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

static void note_claim(struct waits_list *list, int64_t claim) {
    if (claim > list->claim) {
        list->claim = claim;
        list->claims = 0;
    }
    list->claims += claim == list->claim;
}

/* Finds the greatest rank in the list again, after the last bundle with the greatest rank was
 * removed from the counts. */
static void claim_again(struct lsched_cycle *cy, struct waits_list *list) {
    const struct put_off *p = cy->act->put_off;
    list->claim = INT64_MIN;
    list->claims = 0;
    for (uint32_t b = list->first; b != NO_ROW; b = p->waits[b].next) {
        steps_add(cy->k, 1);
        note_claim(list, p->waits[b].claim);
    }
}

static void count_out(struct lsched_cycle *cy, uint32_t b) {
    struct put_off *p = cy->act->put_off;
    struct waits *w = &p->waits[b];
    struct waits_list *list = &p->list[queue_real(cy->k, w->queue)];
    count_levels(cy, w, -1);
    if (w->next != NO_ROW) p->waits[w->next].prev = w->prev;
    if (w->prev != NO_ROW)
        p->waits[w->prev].next = w->next;
    else
        list->first = w->next;
    w->counted = 0;
    p->n--;
    if (w->claim == list->claim && --list->claims == 0) claim_again(cy, list);
}

static void set_levels(struct lsched_cycle *cy, uint32_t b) {
    struct waits *w = &cy->act->put_off->waits[b];
    uint64_t right = cy->k->c[C_BUNDLE_RIGHT].u64[b];
    w->levels[BY_SHARE] = (uint32_t)(right & LEVELS);
    w->levels[BY_GUARANTEE] = (uint32_t)(right >> LEVEL_BITS & LEVELS);
    w->kinds = (uint32_t)(right >> 2 * LEVEL_BITS);
}

static void count_in(struct lsched_cycle *cy, uint32_t b) {
    struct put_off *p = cy->act->put_off;
    const struct columns *k = cy->k;
    struct waits *w = &p->waits[b];
    struct waits_list *list = &p->list[queue_real(k, k->c[C_BUNDLE_QUEUE].u32[b])];
    *w = (struct waits){.counted = 1,
                        .queue = k->c[C_BUNDLE_QUEUE].u32[b],
                        .next = list->first,
                        .prev = NO_ROW,
                        .claim = claim_of(k, b)};
    set_levels(cy, b);
    count_levels(cy, w, 1);
    if (w->next != NO_ROW) p->waits[w->next].prev = b;
    list->first = b;
    note_claim(list, w->claim);
    outrank_note(cy, &p->outrank, b);
    p->n++;
}

static int32_t room_for(struct lsched_cycle *cy, uint32_t b) {
    struct put_off *p = cy->act->put_off;
    int fits = VEC_ROOM_ZERO(cy->k->alloc, p->waits, p->cap_bundles, b + 1);
    return fits ? LSCHED_OK : LSCHED_E_NOMEM;
}

static int32_t note(struct lsched_cycle *cy, uint32_t b) {
    struct put_off *p = cy->act->put_off;
    if (!p || !evicts_at_all(cy) || b == NO_ROW) return LSCHED_OK;
    int32_t rc = write_right(cy, b);
    if (rc == LSCHED_OK) rc = room_for(cy, b);
    if (rc != LSCHED_OK) return rc;
    struct waits *w = &p->waits[b];
    int waits = still_waits(cy, b), same = waits && w->counted && w->claim == claim_of(cy->k, b) &&
                                           w->queue == cy->k->c[C_BUNDLE_QUEUE].u32[b];
    if (same) {
        count_levels(cy, w, -1);
        set_levels(cy, b);
        count_levels(cy, w, 1);
        outrank_note(cy, &p->outrank, b);
        return LSCHED_OK;
    }
    if (w->counted) count_out(cy, b);
    if (waits) count_in(cy, b);
    return LSCHED_OK;
}

/* M_PASS_HELD is the best rank (rank_of) of the jobs that were put off in this round. It is
 * HELD_NONE if no job was put off but the entitlements were computed again. */
#define HELD_NONE 4u

static int any_put_off(const struct columns *k) {
    uint64_t held = meta(k, M_PASS_HELD);
    return held > 0 && held < HELD_NONE;
}

int32_t put_off_placed(struct lsched_cycle *cy, uint32_t b, uint32_t job) {
    if (cy->act->put_off && cy->victims) outrank_stopped(&cy->act->put_off->outrank);
    int32_t rc = note(cy, b);
    uint32_t next = cy->k->c[C_JOB_BUNDLE].u32[job];
    return rc == LSCHED_OK && next != b ? note(cy, next) : rc;
}

int32_t put_off_parked(struct lsched_cycle *cy, uint32_t b) {
    struct columns *k = cy->k;
    if (cy->victims)
        set_u64(k, C_BUNDLE_LOOKED, b, pass_mark(cy));
    else if (any_put_off(k))
        set_u64(k, C_BUNDLE_BEHIND, b, meta(k, M_PASS_FROM));
    int32_t rc = note(cy, b);
    return rc == LSCHED_OK ? share_update(&cy->c->share, k, k->c[C_BUNDLE_QUEUE].u32[b]) : rc;
}

int32_t put_off_in_place(struct lsched_cycle *cy, uint32_t b) {
    set_u64(cy->k, C_BUNDLE_LOOKED, b, pass_mark(cy));
    return write_right(cy, b);
}

/* True if a start of the current action can be put off: the action does not plan over time,
 * victims are or will be sought, and this is not the last round. */
static int is_asked(const struct lsched_cycle *cy) {
    return !cy->act->plans_time && pass_round(cy) < PASS_ROUNDS_MAX && evicts_at_all(cy);
}

int32_t put_off_look(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    if (!is_asked(cy) || cy->act->put_off) return 1;
    /* one work unit per bundle, because each bundle is read */
    act_spend(cy, table_live(k, T_BUNDLE));
    if (cy->spend.stop) return 0;
    cy->pass->repeats += table_live(k, T_BUNDLE);
    int32_t rc = put_off_open(cy);
    uint32_t n = table_rows(k, T_BUNDLE);
    steps_add(k, n);
    for (uint32_t b = 0; b < n && rc == LSCHED_OK; b++)
        if (still_waits(cy, b)) count_in(cy, b);
    return rc == LSCHED_OK ? 1 : rc;
}

/* ---- jobs that outrank a start ---- */

/* Returns the resource kinds, one bit each, that waiting jobs in sibling branches of the queue
 * need and could reclaim on this ground. */
static uint32_t wanted_beside(const struct lsched_cycle *cy, uint32_t queue, uint32_t ground) {
    const struct put_off *p = cy->act->put_off;
    uint32_t parent = cy->k->c[C_QUEUE_PARENT].u32[queue], kinds = 0;
    size_t branch = parent == NO_ROW ? 0 : (size_t)parent + 1;
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++) {
        size_t cell = (size_t)ground * KINDS_MAX + r;
        uint32_t own = p->below[queue * CELLS + cell] > 0;
        kinds |= (uint32_t)(p->branches[branch * CELLS + cell] > own) << r;
    }
    return kinds;
}

/* True if a waiting job of another branch would be entitled to reclaim the room of this start as
 * soon as the placed tasks run. The rule is the same as in kinds_allow() of victim_protect.c. */
static int outranked_by_right(const struct lsched_cycle *cy, uint32_t queue) {
    const struct columns *k = cy->k;
    int whole_path = cycle_eviction(cy)->protection == POLICY_PROTECT_PATH;
    uint32_t above[LSCHED_QUEUE_DEPTH_MAX + 1], n = 0, known = 0, path[LSCHED_QUEUE_DEPTH_MAX + 1];
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        uint32_t beside[GROUNDS] = {wanted_beside(cy, q, BY_SHARE),
                                    wanted_beside(cy, q, BY_GUARANTEE)};
        path[n++] = q;
        /* without a job within its entitlement there is no job within its guarantee either */
        if (!beside[BY_SHARE]) continue;
        for (; known < n; known++)
            above[known] = victim_right_kinds_above(cy, path[known], 1, UINT32_MAX, NULL);
        int may[GROUNDS] = {victim_right_kinds_above(cy, q, 0, beside[BY_SHARE], NULL) != 0,
                            beside[BY_GUARANTEE] != 0};
        for (uint32_t g = 0; g < GROUNDS; g++)
            for (uint32_t i = whole_path ? 0 : n - 1; i < n; i++)
                may[g] &= (above[i] & beside[g]) != 0;
        if (may[BY_SHARE] || may[BY_GUARANTEE]) return 1;
    }
    return 0;
}

static int is_counted(const struct lsched_cycle *cy, uint32_t b) {
    /* a job that became a victim can have left a bundle that was counted */
    return cy->act->put_off->waits[b].counted && row_is_live(cy->k, T_BUNDLE, b) &&
           bundle_head(cy->k, b) != NO_ROW;
}

static int is_outranked(struct lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    const struct put_off *p = cy->act->put_off;
    if (!p || p->n == 0) return 0;
    uint32_t queue = queue_real(k, k->c[C_JOB_QUEUE].u32[job]);
    if (p->list[queue].claim > claim_of(k, k->c[C_JOB_BUNDLE].u32[job])) return 1;
    return (has_amounts(cy) && outranked_by_right(cy, queue)) ||
           outrank_asks(cy, &cy->act->put_off->outrank, job, p->cap_bundles, p->n, is_counted);
}

/* ---- starts that come after a job that was put off ---- */

/* Returns the rank of the job with the tasks that are placed now:
 * 1: all queues of its path are within their guarantees
 * 2: all queues of its path are within their entitlements
 * 3: a queue of its path is above its entitlement */
static uint32_t rank_of(const struct lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], needed = 0, rank = 1;
    if (!has_amounts(cy)) return 2;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[shape]; g++)
        for (uint32_t r = 1; group_shape(k, shape, g) != NO_ROW && r < meta(k, M_N_KINDS); r++)
            needed |= (uint32_t)(k->c[C_SHAPE_REQ + r].i64[leaf_shape(k, job, g)] > 0) << r;
    uint32_t kinds = victim_right_kinds(cy->act->guaranteed, needed);
    for (uint32_t q = queue_real(k, k->c[C_JOB_QUEUE].u32[job]); q != NO_ROW;
         q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t used = k->c[C_QUEUE_USED + r].i64[q];
            if (!(kinds >> r & 1) || used <= victim_right(cy, q, r, 1)) continue;
            rank = rank == 3 || used > victim_right(cy, q, r, 0) ? 3 : 2;
        }
    return rank;
}

/* True if the job comes after a job that was put off, in the order of shares. An action that
 * evicts tries jobs that `allocate` has tried and jobs that no action has tried. A job that
 * `allocate` has tried comes later only if `allocate` tried it after the job that was put off. */
static int came_later(const struct lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    return any_put_off(k) && (!cy->victims || evict_is_untried(cy, b) ||
                              k->c[C_BUNDLE_BEHIND].u64[b] == meta(k, M_PASS_FROM));
}

/* True if the job took nothing but free room that no plan has judged, while planned starts stand:
 * it began to wait during the pass, and an action that evicts is the first to try it. Only the
 * action that made the plan knows which room the planned starts need, and it tries the job in the
 * next round. */
static int passes_plan_by(const struct lsched_cycle *cy, uint32_t job) {
    return cy->victims && cy->victims->woken.is_planned &&
           evict_is_untried(cy, cy->k->c[C_JOB_BUNDLE].u32[job]) && !evict_stops_work(cy) &&
           plan_calls_any(cy);
}

int put_off_asks(struct lsched_cycle *cy, uint32_t job) {
    if (cy->act->plans_time || pass_round(cy) >= PASS_ROUNDS_MAX) return 0;
    return passes_plan_by(cy, job) || is_outranked(cy, job) ||
           (came_later(cy, job) && rank_of(cy, job) >= meta(cy->k, M_PASS_HELD));
}

/* Computes all entitlements again before the first start of a round is put off, because the jobs
 * with a better entitlement can have used it up in this round. The job is then tried again. The
 * function is called at most once per round. */
static int32_t look_again(struct lsched_cycle *cy) {
    int32_t rc = undo_room(cy->k);
    if (rc != LSCHED_OK) return rc;
    set_meta(cy->k, M_PASS_HELD, HELD_NONE);
    put_off_close(cy);
    return has_amounts(cy) ? write_rights(cy, 1) : LSCHED_OK;
}

int32_t put_off_job(struct lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    uint32_t rank = rank_of(cy, job), b = k->c[C_JOB_BUNDLE].u32[job];
    uint64_t held = meta(k, M_PASS_HELD);
    struct park_reason why = {.code = LSCHED_WAIT_BUDGET, .limiting_queue = NO_ROW};
    evict_roll_back(cy, cy->turn.mark, cy->turn.fresh_mark);
    cy->pass->ended++;
    cy->turn.job = NO_ROW;
    if (held == 0) return look_again(cy);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (rank < held) set_meta(k, M_PASS_HELD, rank);
    if (cy->victims && b < cy->victims->woken.cap) cy->victims->woken.code[b] = 0;
    bundle_park(k, b, PARKED_PUT_OFF, 0, &why);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    rc = note(cy, b);
    return rc == LSCHED_OK ? share_update(&cy->c->share, k, k->c[C_BUNDLE_QUEUE].u32[b]) : rc;
}
