/* bundle.c -- see bundle.h. Each of join, leave, park and wake costs O(log n) and allocates at
 * most one row. */
#include "model/jobs/bundle.h"

#include "model/arrays/array.h"
#include "model/jobs/job_limits.h"
#include "model/news/queue_news.h"
#include "model/told/firm_start.h"
#include "model/store/row_list.h"

/* Values of BUNDLE.PLAN_FITS: for which jobs that join it a planned bundle wakes. */
enum { FITS_ANY = 1, FITS_SHORTER = 2 };

int job_before(const struct columns *k, uint32_t a, uint32_t b) {
    int64_t x = k->c[C_JOB_ORDER].i64[a], y = k->c[C_JOB_ORDER].i64[b];
    if (x != y) return x < y;
    x = k->c[C_JOB_SUBMIT].i64[a];
    y = k->c[C_JOB_SUBMIT].i64[b];
    if (x != y) return x < y;
    return array_compare(k, a, b) < 0;
}

/* Returns 1 if bundle a comes before bundle b. If the order keys are equal, bundles of jobs that
 * grow come after bundles of jobs below their minimum. */
static int bundle_before(const struct columns *k, uint32_t a, uint32_t b) {
    uint32_t ja = bundle_head(k, a), jb = bundle_head(k, b);
    int64_t x = k->c[C_JOB_ORDER].i64[ja], y = k->c[C_JOB_ORDER].i64[jb];
    if (x != y) return x < y;
    int ga = bundle_grows(k, a), gb = bundle_grows(k, b);
    if (ga != gb) return ga < gb;
    return job_before(k, ja, jb);
}

const struct heap_kind job_heap = {C_JOB_HEAP_L, C_JOB_HEAP_R, C_JOB_HEAP_P, C_JOB_HEAP_D,
                                   job_before};
const struct heap_kind bundle_heap = {C_BUNDLE_HEAP_L, C_BUNDLE_HEAP_R, C_BUNDLE_HEAP_P,
                                      C_BUNDLE_HEAP_D, bundle_before};

static void count_add(struct columns *k, uint32_t word, int64_t d) {
    set_meta(k, word, meta(k, word) + (uint64_t)d);
}

/* ---- lists of parked bundles ---- */

/* Returns the column that holds the first bundle of a list, and sets *owner to the row of that
 * column. */
static uint32_t list_owner(uint32_t list, uint32_t of, uint32_t *owner) {
    static const uint16_t words[] = {
        [PARKED_NEVER] = M_NEVER_HEAD,     [PARKED_REFRESH] = M_POLICY_HEAD,
        [PARKED_ANY] = M_ANY_HEAD,         [PARKED_UNTIL] = M_UNTIL_HEAD,
        [PARKED_RULES] = M_RULES_HEAD,     [PARKED_PLAN] = M_PLAN_HEAD,
        [PARKED_PUT_OFF] = M_PUT_OFF_HEAD, [PARKED_SUPPLY] = M_SUPPLY_HEAD};
    int of_row = list == PARKED_SHAPE || list == PARKED_QUEUE;
    *owner = of_row ? of : words[list];
    if (!of_row) return C_META_WORD;
    return list == PARKED_SHAPE ? C_SHAPE_PARKED : C_QUEUE_PARKED;
}

static uint32_t list_head(const struct columns *k, uint32_t list, uint32_t of) {
    uint32_t owner, column = list_owner(list, of, &owner);
    return row_list_first(k, column, owner);
}

static const struct row_list parked_bundles = {C_BUNDLE_NEXT, C_BUNDLE_PREV};
/* Task shapes that have parked bundles are linked in one list, so that a node that gains room
 * causes a visit of these shapes alone. */
static const struct row_list parked_shapes = {C_SHAPE_PARKED_NEXT, C_SHAPE_PARKED_PREV};

static void list_link(struct columns *k, uint32_t b, uint32_t list, uint32_t of) {
    uint32_t owner, column = list_owner(list, of, &owner);
    if (list == PARKED_SHAPE && list_head(k, list, of) == NO_ROW)
        row_list_push(k, parked_shapes, C_META_WORD, M_PARKED_SHAPES, of);
    set_u8(k, C_BUNDLE_LIST, b, (uint8_t)list);
    set_u32(k, C_BUNDLE_LIST_OF, b, of);
    row_list_push(k, parked_bundles, column, owner, b);
    touch_bundle(k, b);
}

static void list_unlink(struct columns *k, uint32_t b) {
    uint32_t list = k->c[C_BUNDLE_LIST].u8[b], of = k->c[C_BUNDLE_LIST_OF].u32[b];
    uint32_t owner, column = list_owner(list, of, &owner);
    row_list_remove(k, parked_bundles, column, owner, b);
    if (list == PARKED_SHAPE && list_head(k, list, of) == NO_ROW)
        row_list_remove(k, parked_shapes, C_META_WORD, M_PARKED_SHAPES, of);
    set_u8(k, C_BUNDLE_LIST, b, 0);
    touch_bundle(k, b);
}

/* ---- the queue's heap of active bundles ---- */

static void queue_insert(struct columns *k, uint32_t b) {
    uint32_t q = k->c[C_BUNDLE_QUEUE].u32[b];
    set_u32(k, C_QUEUE_HEAP, q, heap_insert(k, &bundle_heap, k->c[C_QUEUE_HEAP].u32[q], b));
}

static void queue_remove_bundle(struct columns *k, uint32_t b) {
    uint32_t q = k->c[C_BUNDLE_QUEUE].u32[b];
    set_u32(k, C_QUEUE_HEAP, q, heap_remove(k, &bundle_heap, k->c[C_QUEUE_HEAP].u32[q], b));
}

/* Notes that the first job of a bundle has changed that is the only one in its queue's heap. The
 * heap stays as it is, but caches read the queue's first job, also after a rollback. */
static void queue_note_head(struct columns *k, uint32_t b) {
    uint32_t q = k->c[C_BUNDLE_QUEUE].u32[b];
    undo_log(k, C_QUEUE_HEAP, q, k->c[C_QUEUE_HEAP].u32[q]);
    touch_queue(k, C_QUEUE_HEAP, q);
}

static int is_alone_in_queue(const struct columns *k, uint32_t b) {
    return k->c[C_QUEUE_HEAP].u32[k->c[C_BUNDLE_QUEUE].u32[b]] == b &&
           k->c[C_BUNDLE_HEAP_L].u32[b] == NO_ROW && k->c[C_BUNDLE_HEAP_R].u32[b] == NO_ROW;
}

static int bundle_is_active(const struct columns *k, uint32_t b) {
    return k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_ACTIVE;
}

/* Notes that a bundle is about to wait for a planned start at this time. An action that evicts
 * parks bundles again that it woke, therefore each bundle that enters the list is noted. */
static void plan_next_is(struct columns *k, int64_t at) {
    int64_t next = bundles_planned(k);
    set_meta(k, M_PLAN_NEXT, (uint64_t)(at < next ? at : next));
}

/* Notes that a bundle is about to wait until this time, also if an action that evicts woke it. */
static void until_is(struct columns *k, int64_t until) {
    int64_t next = bundles_until(k);
    set_meta(k, M_UNTIL, (uint64_t)(until < next ? until : next));
}

void bundle_park(struct columns *k, uint32_t b, uint32_t list, uint32_t of,
                 const struct park_reason *why) {
    assert(bundle_is_active(k, b));
    /* a bundle that is put off wakes in the next round of the same pass */
    if (list != PARKED_PLAN && list != PARKED_PUT_OFF && firm_start_is(k, b))
        firm_start_lose(k, b, LSCHED_BECAUSE_RULE);
    queue_remove_bundle(k, b);
    count_add(k, M_ACTIVE, -1);
    count_add(k, M_PARKED_JOBS, k->c[C_BUNDLE_JOBS].u32[b]);
    set_u8(k, C_BUNDLE_STATE, b, BUNDLE_PARKED);
    if (list == PARKED_PLAN) plan_next_is(k, k->c[C_BUNDLE_PLAN_AT].i64[b]);
    if (list == PARKED_UNTIL) until_is(k, k->c[C_BUNDLE_UNTIL].i64[b]);
    list_link(k, b, list, of);
    set_u8(k, C_BUNDLE_CODE, b, (uint8_t)why->code);
    set_u8(k, C_BUNDLE_EVICT_CODE, b, LSCHED_NO_VICTIM_NOT_TRIED);
    set_u8(k, C_BUNDLE_OWED, b, 0);
    set_u8(k, C_BUNDLE_SHARES, b, (uint8_t)why->shares);
    set_u8(k, C_BUNDLE_RES, b, (uint8_t)why->kind);
    set_u32(k, C_BUNDLE_GROUP, b, why->group);
    set_i64(k, C_BUNDLE_NEED, b, why->need);
    set_i64(k, C_BUNDLE_HAVE, b, why->have);
    set_u32(k, C_BUNDLE_ABLE, b, why->nodes_able);
    set_u32(k, C_BUNDLE_LIMITING, b, why->limiting_queue);
}

void bundle_park_until(struct columns *k, uint32_t b, int64_t until,
                       const struct park_reason *why) {
    set_i64(k, C_BUNDLE_UNTIL, b, until);
    bundle_park(k, b, PARKED_UNTIL, 0, why);
}

void bundle_park_as(struct columns *k, uint32_t b, uint32_t list, uint32_t from,
                    const struct park_reason *why) {
    if (list == PARKED_UNTIL) set_i64(k, C_BUNDLE_UNTIL, b, k->c[C_BUNDLE_UNTIL].i64[from]);
    if (list == PARKED_PLAN) {
        set_i64(k, C_BUNDLE_PLAN_AT, b, k->c[C_BUNDLE_PLAN_AT].i64[from]);
        set_u64(k, C_BUNDLE_PLAN_NODE, b, k->c[C_BUNDLE_PLAN_NODE].u64[from]);
        set_u64(k, C_BUNDLE_PLAN_JOB, b, k->c[C_BUNDLE_PLAN_JOB].u64[from]);
        set_u8(k, C_BUNDLE_PLAN_FITS, b, k->c[C_BUNDLE_PLAN_FITS].u8[from]);
    }
    bundle_park(k, b, list, k->c[C_BUNDLE_LIST_OF].u32[from], why);
}

void bundle_park_plan(struct columns *k, uint32_t b, int64_t at, uint64_t node, uint64_t after,
                      const struct park_reason *why) {
    if (firm_start_is(k, b) && (node == 0 || at > k->c[C_BUNDLE_PLAN_AT].i64[b]))
        firm_start_lose(k, b, LSCHED_BECAUSE_RULE);
    set_i64(k, C_BUNDLE_PLAN_AT, b, at);
    set_u64(k, C_BUNDLE_PLAN_NODE, b, node);
    set_u64(k, C_BUNDLE_PLAN_JOB, b, after);
    set_u8(k, C_BUNDLE_PLAN_FITS, b, 0);
    bundle_park(k, b, PARKED_PLAN, 0, why);
}

void bundle_park_no_start(struct columns *k, uint32_t b, const struct park_reason *why) {
    bundle_park_plan(k, b, LSCHED_NEVER_US, 0, 0, why);
    set_u8(k, C_BUNDLE_PLAN_FITS, b, FITS_SHORTER);
}

void bundle_plan_fits(struct columns *k, uint32_t b) {
    assert(!bundle_is_active(k, b) && k->c[C_BUNDLE_LIST].u8[b] == PARKED_PLAN);
    set_u8(k, C_BUNDLE_PLAN_FITS, b, FITS_ANY);
}

void bundle_wake(struct columns *k, uint32_t b) {
    if (bundle_is_active(k, b)) return;
    list_unlink(k, b);
    set_u8(k, C_BUNDLE_STATE, b, BUNDLE_ACTIVE);
    set_u8(k, C_BUNDLE_CODE, b, LSCHED_WAIT_NONE);
    count_add(k, M_ACTIVE, 1);
    count_add(k, M_PARKED_JOBS, -(int64_t)k->c[C_BUNDLE_JOBS].u32[b]);
    queue_insert(k, b);
}

static int32_t wake_all(struct columns *k, uint32_t list, uint32_t of) {
    for (uint32_t b = list_head(k, list, of); b != NO_ROW; b = list_head(k, list, of)) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        bundle_wake(k, b);
    }
    return LSCHED_OK;
}

int32_t bundles_wake_shape(struct columns *k, uint32_t shape) {
    return wake_all(k, PARKED_SHAPE, shape);
}

int32_t bundles_wake_never(struct columns *k) {
    return wake_all(k, PARKED_NEVER, 0);
}

/* Wakes each bundle of one list whose wait reason is a filter of the policy, because a filter's
 * answer can depend on the time. A job for which the accepted nodes have too little room has
 * another wait reason, and its bundle stays parked. */
static int32_t wake_filtered(struct columns *k, uint32_t list, uint32_t of) {
    for (uint32_t b = list_head(k, list, of), next; b != NO_ROW; b = next) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        next = k->c[C_BUNDLE_NEXT].u32[b];
        if (k->c[C_BUNDLE_CODE].u8[b] == LSCHED_WAIT_FILTER) bundle_wake(k, b);
    }
    return LSCHED_OK;
}

int32_t bundles_wake_refresh(struct columns *k, int filters) {
    int32_t rc = wake_all(k, PARKED_REFRESH, 0);
    if (rc == LSCHED_OK)
        rc = filters ? wake_all(k, PARKED_ANY, 0) : wake_filtered(k, PARKED_ANY, 0);
    if (rc == LSCHED_OK && filters) rc = wake_all(k, PARKED_RULES, 0);
    for (uint32_t s = (uint32_t)meta(k, M_PARKED_SHAPES), next; s != NO_ROW; s = next) {
        next = k->c[C_SHAPE_PARKED_NEXT].u32[s];
        if (rc == LSCHED_OK) rc = wake_filtered(k, PARKED_SHAPE, s);
    }
    return rc;
}

int32_t bundles_wake_budget(struct columns *k, uint64_t budget, uint64_t bound) {
    /* "no bound" is INT64_MAX here, because a wait reason stores an int64_t */
    if (budget > INT64_MAX) budget = INT64_MAX;
    for (uint32_t b = list_head(k, PARKED_REFRESH, 0), next; b != NO_ROW; b = next) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        next = k->c[C_BUNDLE_NEXT].u32[b];
        int larger = budget > (uint64_t)k->c[C_BUNDLE_NEED].i64[b] ||
                     bound > (uint64_t)k->c[C_BUNDLE_HAVE].i64[b];
        if (k->c[C_BUNDLE_CODE].u8[b] == LSCHED_WAIT_BUDGET && larger) bundle_wake(k, b);
    }
    return LSCHED_OK;
}

int32_t bundles_wake_put_off(struct columns *k) {
    return wake_all(k, PARKED_PUT_OFF, 0);
}

int32_t bundles_wake_plan(struct columns *k) {
    return wake_all(k, PARKED_PLAN, 0);
}

void bundles_plan_again(struct columns *k) {
    if (bundles_planned(k) > (int64_t)meta(k, M_SCHEDULED))
        set_meta(k, M_PLAN_NEXT, meta(k, M_SCHEDULED));
}

int32_t bundles_wake_any(struct columns *k) {
    int32_t rc = wake_all(k, PARKED_ANY, 0);
    return rc == LSCHED_OK ? bundles_wake_plan(k) : rc;
}

int32_t bundles_wake_rules(struct columns *k) {
    set_meta(k, M_RULES_NEWS, 0);
    return wake_all(k, PARKED_RULES, 0);
}

int32_t bundles_wake_supply(struct columns *k) {
    int32_t rc = wake_all(k, PARKED_SUPPLY, 0);
    return rc == LSCHED_OK ? bundles_wake_any(k) : rc;
}

int32_t bundles_wake_until(struct columns *k, int64_t now) {
    if (bundles_until(k) > now) return LSCHED_OK;
    int64_t next_until = LSCHED_NEVER_US;
    for (uint32_t b = list_head(k, PARKED_UNTIL, 0), next; b != NO_ROW; b = next) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        int64_t until = k->c[C_BUNDLE_UNTIL].i64[b];
        next = k->c[C_BUNDLE_NEXT].u32[b];
        if (until <= now)
            bundle_wake(k, b);
        else if (until < next_until)
            next_until = until;
    }
    set_meta(k, M_UNTIL, (uint64_t)next_until);
    return LSCHED_OK;
}

int32_t bundles_wake_limited(struct columns *k, uint32_t queue) {
    queue_gave_end(k, queue);
    return wake_all(k, PARKED_QUEUE, queue);
}

/* ---- the bundle's heap of jobs ---- */

/* Returns the tail of an active bundle's heap (heap.h), or NO_ROW. PREV, which links the lists of
 * parked bundles, has the tail while the bundle is active. Any job of the bundle can be the tail; a
 * row that PREV has kept from a list is not taken for one. */
static uint32_t heap_tail(const struct columns *k, uint32_t b) {
    uint32_t tail = k->c[C_BUNDLE_PREV].u32[b];
    int is_member =
        bundle_is_active(k, b) && row_is_live(k, T_JOB, tail) && k->c[C_JOB_BUNDLE].u32[tail] == b;
    return is_member ? tail : NO_ROW;
}

/* Sets the first job of the bundle. Caches know parked bundles by their first jobs. */
static void set_head(struct columns *k, uint32_t b, uint32_t job) {
    if (!bundle_is_active(k, b) && bundle_head(k, b) != job) touch_bundle(k, b);
    set_u32(k, C_BUNDLE_HEAP, b, job);
}

/* Puts a job into the heap that does not come after the tail. The job becomes the tail, unless
 * the tail comes later in the order: jobs that arrive in order are then appended after the tail
 * again. */
static void heap_add(struct columns *k, uint32_t b, uint32_t job) {
    uint32_t tail = heap_tail(k, b);
    set_head(k, b, heap_insert(k, &job_heap, bundle_head(k, b), job));
    if (bundle_is_active(k, b) && (tail == NO_ROW || job_before(k, tail, job)))
        set_u32(k, C_BUNDLE_PREV, b, job);
}

/* Takes a job out of the heap. If the job is the tail, its parent becomes the tail. */
static void heap_drop(struct columns *k, uint32_t b, uint32_t job) {
    if (heap_tail(k, b) == job) set_u32(k, C_BUNDLE_PREV, b, k->c[C_JOB_HEAP_P].u32[job]);
    set_head(k, b, heap_remove(k, &job_heap, bundle_head(k, b), job));
}

/* ---- membership ---- */

static uint32_t bundle_create(struct columns *k, uint32_t queue, uint32_t shape, uint32_t kind,
                              uint32_t job) {
    if (undo_room(k) != LSCHED_OK || index_reserve(k, T_IX_BUNDLE, 1) != LSCHED_OK) return NO_ROW;
    uint32_t b = row_new(k, T_BUNDLE);
    if (b == NO_ROW) return NO_ROW;
    set_u32(k, C_BUNDLE_QUEUE, b, queue);
    set_u32(k, C_BUNDLE_SHAPE, b, shape);
    set_u8(k, C_BUNDLE_KIND, b, (uint8_t)kind);
    set_u32(k, C_BUNDLE_JOB, b, job);
    SET_NONE(k, b, C_BUNDLE_HEAP, C_BUNDLE_PREV);
    set_u32(k, C_BUNDLE_LIMITING, b, NO_ROW);
    set_u8(k, C_BUNDLE_STATE, b, BUNDLE_ACTIVE);
    intern_hold(k, T_JOBSHAPE, shape);
    index_add(k, T_IX_BUNDLE, b);
    return b;
}

static int kind_is_private(const struct columns *k, uint32_t kind, uint32_t shape) {
    if (kind == BUNDLE_START) return 0;
    if (kind != BUNDLE_GROW) return 1;
    return k->c[C_JOBSHAPE_N_LEAVES].u32[shape] > 1 || k->c[C_JOBSHAPE_PINNED].u8[shape];
}

/* Handles a possible change of the bundle's first job. A new first job of higher priority can
 * evict work that the old first job could not evict. Therefore the wait reason of the old first
 * job does not hold for the new one. A bundle that waits for a plan was judged by the run time of
 * its first job, therefore any new first job is planned anew. The caller has called
 * undo_room(). */
static void head_changed(struct columns *k, uint32_t b, uint32_t old) {
    const int32_t *priority = k->c[C_JOB_RANK].i32;
    uint8_t list = k->c[C_BUNDLE_LIST].u8[b];
    uint32_t head = bundle_head(k, b);
    if (bundle_is_active(k, b) || list == PARKED_UNTIL) return;
    if (priority[head] > priority[old] || (list == PARKED_PLAN && head != old)) bundle_wake(k, b);
}

/* Returns the bundle of the key, NO_ROW if there is none. In most queues all jobs are equal, so the
 * first bundle of the queue is compared first. */
static uint32_t bundle_of(const struct columns *k, uint32_t queue, uint32_t shape, uint32_t kind,
                          uint32_t own) {
    uint32_t b = k->c[C_QUEUE_HEAP].u32[queue];
    if (b != NO_ROW && k->c[C_BUNDLE_SHAPE].u32[b] == shape && k->c[C_BUNDLE_KIND].u8[b] == kind &&
        k->c[C_BUNDLE_JOB].u32[b] == own)
        return b;
    struct index_key key = index_key_bundle(queue, shape, kind, own);
    return index_find(k, T_IX_BUNDLE, &key);
}

/* True if a job that joins the bundle can possibly start although the bundle waits for a plan. */
static int wakes_for(const struct columns *k, uint32_t b, uint32_t job) {
    if (bundle_is_active(k, b) || k->c[C_BUNDLE_LIST].u8[b] != PARKED_PLAN) return 0;
    uint8_t fits = k->c[C_BUNDLE_PLAN_FITS].u8[b];
    return fits == FITS_ANY ||
           (fits == FITS_SHORTER && job_length(k, job) < job_length(k, bundle_head(k, b)));
}

int32_t bundle_join(struct columns *k, uint32_t job, uint32_t kind) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job], shape = k->c[C_JOB_SHAPE].u32[job];
    uint32_t own = kind_is_private(k, kind, shape) ? job : NO_ROW;
    uint32_t b = bundle_of(k, queue, shape, kind, own);
    int fresh = b == NO_ROW;
    if (fresh) b = bundle_create(k, queue, shape, kind, own);
    if (b == NO_ROW || undo_room(k) != LSCHED_OK) return LSCHED_E_NOMEM;
    uint32_t old = bundle_head(k, b);
    int last = heap_append(k, &job_heap, heap_tail(k, b), job);
    int moves = !fresh && !last && bundle_is_active(k, b) && job_before(k, job, old);
    if (moves) queue_remove_bundle(k, b); /* the bundle's place depends on its first job */
    if (!last) heap_add(k, b, job);
    if (last) set_u32(k, C_BUNDLE_PREV, b, job);
    uint32_t jobs = array_weight(k, job);
    add_u32(k, C_BUNDLE_JOBS, b, (int32_t)jobs);
    set_u32(k, C_JOB_BUNDLE, job, b);
    if (fresh) count_add(k, M_ACTIVE, 1);
    if (fresh || moves) queue_insert(k, b);
    if (!bundle_is_active(k, b)) count_add(k, M_PARKED_JOBS, jobs);
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK && !fresh) head_changed(k, b, old);
    if (rc == LSCHED_OK && wakes_for(k, b, job)) bundle_wake(k, b);
    return rc;
}

void bundle_leave(struct columns *k, uint32_t job) {
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job], old = bundle_head(k, b);
    int moves = bundle_is_active(k, b) && old == job, alone = moves && is_alone_in_queue(k, b);
    if (firm_start_is(k, b)) firm_start_lose(k, b, LSCHED_BECAUSE_JOB);
    if (moves && !alone) queue_remove_bundle(k, b);
    heap_drop(k, b, job);
    uint32_t jobs = array_weight(k, job);
    add_u32(k, C_BUNDLE_JOBS, b, -(int32_t)jobs);
    set_u32(k, C_JOB_BUNDLE, job, NO_ROW);
    if (!bundle_is_active(k, b)) count_add(k, M_PARKED_JOBS, -(int64_t)jobs);
    if (bundle_head(k, b) != NO_ROW) {
        if (alone) queue_note_head(k, b);
        if (moves && !alone) queue_insert(k, b);
        head_changed(k, b, old);
        return;
    }
    if (alone) queue_remove_bundle(k, b);
    /* the bundle's last job leaves, so its planned room is free for other jobs */
    if (!bundle_is_active(k, b) && k->c[C_BUNDLE_LIST].u8[b] == PARKED_PLAN) bundles_plan_again(k);
    if (bundle_is_active(k, b))
        count_add(k, M_ACTIVE, -1);
    else
        list_unlink(k, b);
    index_remove(k, T_IX_BUNDLE, b);
    intern_drop(k, T_JOBSHAPE, k->c[C_BUNDLE_SHAPE].u32[b]);
    row_free(k, T_BUNDLE, b);
}

void bundle_frees_plan(struct columns *k, uint32_t job) {
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    if (bundle_head(k, b) == job) bundle_order_changed(k, b);
}

void bundle_order_changed(struct columns *k, uint32_t b) {
    if (!bundle_is_active(k, b) && k->c[C_BUNDLE_LIST].u8[b] == PARKED_PLAN) bundles_plan_again(k);
}

void bundle_array_next(struct columns *k, uint32_t job) {
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job], a = k->c[C_JOB_ARRAY].u32[job];
    int active = bundle_is_active(k, b);
    if (active) queue_remove_bundle(k, b);
    heap_drop(k, b, job);
    add_u32(k, C_ARRAY_NEXT, a, 1);
    add_u32(k, C_BUNDLE_JOBS, b, -1);
    if (!active) count_add(k, M_PARKED_JOBS, -1);
    heap_add(k, b, job);
    if (active) queue_insert(k, b);
    touch_job(k, job);
}

void bundle_reorder(struct columns *k, uint32_t job, int64_t order) {
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    if (b == NO_ROW) {
        set_i64(k, C_JOB_ORDER, job, order);
        return;
    }
    if (k->c[C_JOB_ORDER].i64[job] == order) return;
    if (bundle_is_active(k, b)) queue_remove_bundle(k, b);
    heap_drop(k, b, job);
    set_i64(k, C_JOB_ORDER, job, order);
    heap_add(k, b, job);
    if (bundle_is_active(k, b)) queue_insert(k, b);
    bundle_order_changed(k, b);
}
