/* growth_gain.c -- see growth_gain.h. */
#include "engine/policy_hooks/growth_gain.h"

#include "base/wide.h"
#include "engine/policy_hooks/hook_merit.h"
#include "engine/state/transaction.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/store/steps.h"

/* Speeds have so many binary digits after the thousandths. With at most 2^30 thousandths and 2^12
 * devices, no product exceeds 2^57. */
enum { DIGITS = 14 };

int growth_gain_counts(const struct policy *p) {
    const struct speed_table *t = &p->desc.speeds;
    uint32_t any = 0;
    for (uint32_t a = 0; p->ops && a < t->n; a++) any |= t->n_points[a];
    return any != 0;
}

/* Returns what the speed of a kind rises by from `a` to `b` devices, both at most 2 x 4096, with
 * its binary digits. Before and between the points it is on straight lines from (0, 0) on, and
 * behind them on the last of these lines. */
static int64_t speed_rise(const struct speed_table *t, uint32_t kind, uint32_t a, uint32_t b) {
    struct speed_point from = {0, 0}, to = {0, 0};
    int64_t sum = 0;
    for (uint32_t i = 0, n = t->n_points[kind]; i < n; i++, from = to) {
        to = t->point[kind][i];
        uint32_t first = a > from.devices ? a : from.devices,
                 last = i + 1 < n && b > to.devices ? to.devices : b;
        if (last <= first) continue;
        int64_t up = ((int64_t)to.milli - from.milli) * (INT64_C(1) << DIGITS);
        sum += up * (int64_t)(last - first) / (int64_t)(to.devices - from.devices);
    }
    return sum;
}

int64_t growth_gain_speed(const struct speed_table *t, uint32_t kind, uint32_t devices) {
    return speed_rise(t, kind, 0, devices) >> DIGITS;
}

/* Adds the next step of the job's first group that can grow: a task or a task block. Returns its
 * task shape, NO_ROW if no group can grow. */
static uint32_t growth_step(const struct columns *k, uint32_t job, uint32_t *devices) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], first = group_row(k, jobshape, 0);
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t shape = leaf_shape(k, job, g), row = first + g;
        if (shape == NO_ROW || job_leaf_held(k, job, g) >= group_members(k, row)) continue;
        uint32_t tasks = k->c[C_GROUP_N_SLICES].u8[row] ? k->c[C_GROUP_SLICE_TASKS0].u32[row] : 1;
        *devices = tasks * k->c[C_SHAPE_DEVICES].u32[shape];
        return shape;
    }
    return NO_ROW;
}

static uint32_t growth_devices(const struct columns *k, uint32_t job) {
    uint32_t n = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        n += k->c[C_LEAF_PLACED].u32[l] *
             k->c[C_SHAPE_DEVICES].u32[leaf_shape(k, job, k->c[C_LEAF_GROUP].u32[l])];
    return n;
}

struct growth_gain growth_gain_of(const struct policy *p, const struct columns *k, uint32_t job) {
    const struct speed_table *t = &p->desc.speeds;
    struct growth_gain g = {.milli = SPEED_MILLI_NONE};
    uint32_t shape = growth_step(k, job, &g.more),
             kind = g.more ? hook_merit_kind(p, k, shape, NULL) : 0;
    if (!kind || !t->n_points[kind - 1]) return g;
    g.kind = kind--;
    g.devices = growth_devices(k, job);
    /* behind the last point each device gains the same */
    uint32_t most = t->point[kind][t->n_points[kind] - 1].devices,
             from = g.devices < most ? g.devices : most,
             step = g.more < SPEED_DEVICES_MAX ? g.more : SPEED_DEVICES_MAX;
    int64_t up = speed_rise(t, kind, from, from + step), alone = speed_rise(t, kind, 0, 1) * step;
    if (up <= 0) return g.milli = 0, g;
    uint64_t twice =
        wide_mul_div((uint64_t)up, 2 * (uint64_t)SPEED_MILLI_NONE, (uint64_t)alone, INT64_MAX - 1);
    g.milli = (int64_t)(twice + 1) / 2;
    if (g.milli == 0) g.milli = 1; /* it gains something */
    return g;
}

/* ---- the choice ---- */

struct growth_choice {
    uint32_t job;
    int64_t milli;
};

/* Takes the best of a bundle's jobs with this order key into the choice. */
static void choose_of_bundle(lsched_cycle *cy, uint32_t bundle, int64_t order,
                             struct growth_choice *c) {
    const struct columns *k = cy->k;
    uint32_t root = bundle_head(k, bundle);
    int below = 1;
    for (uint32_t job = root; job != NO_ROW; job = heap_next(k, &job_heap, root, job, below)) {
        below = k->c[C_JOB_ORDER].i64[job] == order;
        if (!below) continue;
        steps_add(cy->k, 1);
        act_spend(cy, 1);
        int64_t milli = growth_gain_of(&cy->c->policy.policy, k, job).milli;
        if (c->job != NO_ROW &&
            (milli < c->milli || (milli == c->milli && job_before(k, c->job, job))))
            continue;
        *c = (struct growth_choice){job, milli};
    }
}

/* Parks the job in a bundle of its own: equal jobs with fewer tasks gain something. */
static int32_t gain_park(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    const struct growth_gain g = growth_gain_of(&cy->c->policy.policy, k, job);
    const struct park_reason why = {.code = LSCHED_WAIT_GAIN,
                                    .need = (int64_t)g.devices + g.more,
                                    .have = g.devices,
                                    .limiting_queue = NO_ROW};
    int32_t rc = job_park_alone(k, job, LSCHED_NEVER_US, &why);
    return rc == LSCHED_OK ? 1 : rc;
}

int32_t growth_gain_wake(struct columns *k) {
    EACH_LIVE(k, T_BUNDLE, b) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (k->c[C_BUNDLE_CODE].u8[b] == LSCHED_WAIT_GAIN) bundle_wake(k, b);
    }
    return LSCHED_OK;
}

int32_t growth_gain_choose(lsched_cycle *cy, uint32_t *job) {
    const struct columns *k = cy->k;
    struct growth_choice c = {NO_ROW, 0};
    uint32_t root = k->c[C_QUEUE_HEAP].u32[k->c[C_JOB_QUEUE].u32[*job]];
    int64_t order = k->c[C_JOB_ORDER].i64[*job];
    if (!growth_gain_counts(&cy->c->policy.policy) || !bundle_grows(k, root)) return 0;
    int below = 1;
    for (uint32_t b = root; b != NO_ROW; b = heap_next(k, &bundle_heap, root, b, below)) {
        below = k->c[C_JOB_ORDER].i64[bundle_head(k, b)] == order;
        if (below) choose_of_bundle(cy, b, order, &c);
    }
    *job = c.job;
    return c.milli <= 0 ? gain_park(cy, c.job) : 0;
}
