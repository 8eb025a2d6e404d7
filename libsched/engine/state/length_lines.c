/* length_lines.c -- see length_lines.h. */
#include "engine/state/length_lines.h"

#include "base/vec.h"
#include "model/jobs/bundle.h"
#include "model/jobs/job_limits.h"
#include "model/store/steps.h"

int length_lines_alone(const struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    return cost != NO_ROW && (k->c[C_COST_RETRIES].u32[cost] || k->c[C_COST_AVOID].u64[cost] ||
                              k->c[C_COST_REJECT_UNTIL].i64[cost]);
}

/* ---- one tree ---- */

static int64_t line_least(const struct length_lines *l, uint32_t at) {
    return at == NO_ROW ? INT64_MAX : l->node[at].least;
}

static void line_renew(void *of, uint32_t at) {
    const struct length_lines *l = of;
    struct length_node *x = &l->node[at];
    int64_t left = line_least(l, l->link[at].left), right = line_least(l, l->link[at].right);
    x->least = left < x->length ? left : x->length;
    if (right < x->least) x->least = right;
}

static struct treap line_of(struct length_lines *l, uint32_t bundle) {
    return (struct treap){l->link, &l->root[bundle], line_renew, l};
}

static void line_insert(struct length_lines *l, struct columns *k, uint32_t job, uint32_t bundle) {
    uint32_t above = NO_ROW, at = l->root[bundle];
    int left = 0;
    while (at != NO_ROW) {
        steps_add(k, 1);
        above = at;
        left = job_before(k, job, at);
        at = left ? l->link[at].left : l->link[at].right;
    }
    int64_t length = length_lines_alone(k, job) ? LENGTH_LINES_ALONE : job_length(k, job);
    l->node[job] = (struct length_node){bundle, length, length};
    struct treap line = line_of(l, bundle);
    treap_put(&line, job, above, left);
}

static void line_take_out(struct length_lines *l, uint32_t job) {
    struct treap line = line_of(l, l->node[job].bundle);
    treap_take_out(&line, job);
    l->node[job].bundle = NO_ROW;
}

/* ---- all lines ---- */

/* True if the job waits in a shared bundle of jobs that start. */
static int is_in_line(const struct columns *k, uint32_t job) {
    if (!row_is_live(k, T_JOB, job)) return 0;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    return b != NO_ROW && k->c[C_BUNDLE_KIND].u8[b] == BUNDLE_START &&
           k->c[C_BUNDLE_JOB].u32[b] == NO_ROW;
}

static int32_t lines_room(struct length_lines *l, struct columns *k) {
    uint32_t jobs = l->cap_jobs, bundles = l->cap_bundles;
    if (!VEC_ROOM(k->alloc, l->node, l->cap_jobs, table_rows(k, T_JOB))) return LSCHED_E_NOMEM;
    for (; jobs < l->cap_jobs; jobs++) l->node[jobs].bundle = NO_ROW;
    if (!VEC_ROOM(k->alloc, l->link, l->cap_links, table_rows(k, T_JOB))) return LSCHED_E_NOMEM;
    if (!VEC_ROOM(k->alloc, l->root, l->cap_bundles, table_rows(k, T_BUNDLE)))
        return LSCHED_E_NOMEM;
    for (; bundles < l->cap_bundles; bundles++) l->root[bundles] = NO_ROW;
    return touch_log_reserve(k->alloc, &k->job_touch, table_rows(k, T_JOB));
}

static void lines_enter_all(struct length_lines *l, struct columns *k) {
    for (uint32_t b = 0; b < l->cap_bundles; b++) l->root[b] = NO_ROW;
    for (uint32_t j = 0; j < l->cap_jobs; j++) l->node[j].bundle = NO_ROW;
    steps_add(k, l->cap_jobs);
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++)
        if (is_in_line(k, j)) line_insert(l, k, j, k->c[C_JOB_BUNDLE].u32[j]);
}

/* Takes out all jobs that have changed, and then enters those that are in a line. A tree without
 * the changed jobs is in order, so that jobs can be compared. */
static void enter_changed(struct length_lines *l, struct columns *k) {
    const struct touch_log *t = &k->job_touch;
    steps_add(k, t->next - l->synced);
    for (uint64_t i = l->synced; i < t->next; i++) {
        uint32_t job = t->rows[i & (t->cap - 1)];
        if (job < l->cap_jobs && l->node[job].bundle != NO_ROW) line_take_out(l, job);
    }
    for (uint64_t i = l->synced; i < t->next; i++) {
        uint32_t job = t->rows[i & (t->cap - 1)];
        if (job < l->cap_jobs && l->node[job].bundle == NO_ROW && is_in_line(k, job))
            line_insert(l, k, job, k->c[C_JOB_BUNDLE].u32[job]);
    }
}

int32_t length_lines_sync(struct length_lines *l, struct columns *k) {
    if (l->known && l->synced == k->job_touch.next) return LSCHED_OK;
    int32_t rc = lines_room(l, k);
    if (rc != LSCHED_OK) return rc;
    if (l->known && touch_log_reaches(&k->job_touch, l->synced))
        enter_changed(l, k);
    else
        lines_enter_all(l, k);
    l->known = 1;
    l->synced = touch_log_seen(&k->job_touch);
    return LSCHED_OK;
}

uint32_t length_lines_first(const struct length_lines *l, uint32_t bundle, int64_t most) {
    uint32_t at = l->root[bundle];
    if (line_least(l, at) > most) return NO_ROW;
    while (at != NO_ROW) {
        uint32_t left = l->link[at].left;
        if (left != NO_ROW && l->node[left].least <= most)
            at = left;
        else if (l->node[at].length <= most)
            return at;
        else
            at = l->link[at].right;
    }
    return NO_ROW;
}

uint32_t length_lines_shortest(const struct length_lines *l, uint32_t bundle) {
    uint32_t root = l->root[bundle];
    return root == NO_ROW ? NO_ROW : length_lines_first(l, bundle, l->node[root].least);
}

void length_lines_drop(struct length_lines *l, struct columns *k) {
    alloc_free(k->alloc, l->node, l->cap_jobs * sizeof *l->node);
    alloc_free(k->alloc, l->link, l->cap_links * sizeof *l->link);
    alloc_free(k->alloc, l->root, l->cap_bundles * sizeof *l->root);
    *l = (struct length_lines){0};
}

/* ---- the check of caches ---- */

/* True if the node is right, and if the jobs beside it in the order are on the right sides. */
static int line_node_is_sound(const struct length_lines *l, const struct columns *k, uint32_t job) {
    const struct length_node *x = &l->node[job];
    const struct treap_link *at = &l->link[job];
    int64_t length = length_lines_alone(k, job) ? LENGTH_LINES_ALONE : job_length(k, job);
    int64_t least = length, left = line_least(l, at->left), right = line_least(l, at->right);
    if (left < least) least = left;
    if (right < least) least = right;
    if (x->bundle != k->c[C_JOB_BUNDLE].u32[job] || x->length != length || x->least != least)
        return 0;
    uint32_t below = job;
    for (uint32_t up = at->parent; up != NO_ROW; below = up, up = l->link[up].parent) {
        int is_left = l->link[up].left == below;
        if (!is_left && l->link[up].right != below) return 0;
        if (is_left != job_before(k, job, up)) return 0;
    }
    return l->root[x->bundle] == below;
}

int length_lines_are_sound(struct length_lines *l, struct columns *k) {
    if (!l->known) return 1;
    if (length_lines_sync(l, k) != LSCHED_OK) return 1; /* nothing is said without memory */
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (is_in_line(k, j) != (l->node[j].bundle != NO_ROW)) return 0;
        if (l->node[j].bundle != NO_ROW && !line_node_is_sound(l, k, j)) return 0;
    }
    return 1;
}
