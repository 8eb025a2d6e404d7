/* unusable_guarantee.c -- see unusable_guarantee.h. */
#include "engine/queues/unusable_guarantee.h"

#include "base/amounts.h"
#include "engine/queues/share_ask.h"
#include "model/demand/job_counts.h"
#include "model/devices/device.h"
#include "model/shapes/job_states.h"

#define GPU_MILLI INT64_C(1000)
/* number of bits of a mask of device classes; the last bit stands for all further device classes */
enum { CLASSES = 64 };

/* The GPU requests of the unfinished jobs of a queue and of all queues below, and the guarantee of
 * the queue. */
struct use {
    uint64_t classes; /* mask of the device classes that tasks with whole GPUs accept */
    int64_t parts;    /* milli-GPUs that all tasks without whole GPUs request together */
    /* Whole GPUs of all jobs together: the number that the jobs hold is 0, or a multiple of `step`
     * that is at least `least`. */
    int64_t step, least;
    /* whole GPUs of one task: a multiple of `node_step` and at least `lot`, all on one node */
    int64_t node_step, lot;
    int64_t guarantee; /* guarantee of the queue, in milli-GPUs */
    int64_t quotas;    /* sum of the quotas of the queue's children, in milli-GPUs */
    /* unusable milli-GPUs that the report names for this queue or for queues below it */
    int64_t below;
};

/* The whole GPUs of the cluster that the tasks of a struct use can have. */
struct supply {
    int64_t fitting; /* number of GPUs whose device class the tasks accept */
    /* number of these GPUs that tasks can fill: on each node with at least `lot` such GPUs, the
     * largest multiple of node_step */
    int64_t on_nodes;
    uint32_t largest;    /* row of the node with the most such GPUs; NO_ROW if there is none */
    int64_t largest_has; /* number of such GPUs on the node `largest` */
};

struct unusable_guarantees {
    struct lsched_cluster *c;
    const struct columns *k;
    struct use *use; /* one entry for each queue row */
    /* for each device class, the row of one device of the class; NO_ROW if there is none */
    uint32_t *example;
    int64_t devices;
    int64_t quotas;   /* sum of the quotas of the root queues, in milli-GPUs */
    int hook_minimum; /* 1 if a hook of the policy decides the minimum of a gang */
};

/* The finding about one queue, for the report. */
struct finding {
    uint32_t queue;
    struct supply supply;
    int64_t usable; /* milli-GPUs of the guarantee that the jobs can use */
    /* smallest limit of this queue and of the queues above, in milli-GPUs; LSCHED_UNLIMITED if
     * there is none */
    int64_t limit;
    /* 1 if the tasks of the queue can never hold more than `usable`, not even by the fair share or
     * after members of gangs have finished */
    int never;
    int share; /* 1 if the fair share can let jobs start beyond `usable` */
    /* GPUs: the guarantee to which the queue could be raised so that its jobs can use all of the
     * guarantee; 0 if the jobs can already fill a guarantee of this size, or if the raised amount
     * would not be guaranteed */
    int64_t raise;
    /* number of whole GPUs that must be added to the cluster so that the jobs can use all of a
     * guarantee of this size; 0 if the cluster has enough */
    int64_t more;
    /* lower: 1 to advise a lower guarantee; provide: 1 to advise to add whole GPUs */
    int lower, provide;
};

static int64_t smaller(int64_t a, int64_t b) {
    return a == 0 || (b != 0 && b < a) ? b : a; /* 0 means that no number is known yet */
}

static uint64_t class_bit(uint32_t class) {
    return UINT64_C(1) << (class < CLASSES ? class : CLASSES - 1);
}

/* ---- what jobs request ---- */

static int takes_whole(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_DEVICES].u32[shape] > 0 &&
           k->c[C_SHAPE_DEVICE_MILLI].u32[shape] == GPU_MILLI &&
           !k->c[C_SHAPE_MIG_SLICES].u8[shape];
}

static int leaf_takes_whole(const struct columns *k, uint32_t row) {
    for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++)
        if (!takes_whole(k, group_alternative(k, row, a))) return 0;
    return 1;
}

static uint64_t classes_of(const struct unusable_guarantees *u, uint32_t shape) {
    uint64_t mask = 0;
    for (uint32_t class = 0; class < table_rows(u->k, T_DEVCLASS); class ++)
        if (u->example[class] != NO_ROW &&
            device_takes(u->k, u->example[class], shape, DEVICE_EMPTY))
            mask |= class_bit(class);
    return mask;
}

static void add_whole(const struct unusable_guarantees *u, uint32_t row, struct use *use) {
    const struct columns *k = u->k;
    for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
        uint32_t shape = group_alternative(k, row, a);
        int64_t gpus = k->c[C_SHAPE_DEVICES].u32[shape];
        use->classes |= classes_of(u, shape);
        use->node_step = amount_common_divisor(use->node_step, gpus);
        use->lot = smaller(use->lot, gpus);
    }
}

/* Returns the most milli-GPUs that the tasks of a leaf can hold as shares of GPUs. */
static int64_t leaf_parts(const struct columns *k, uint32_t row) {
    int64_t tasks = k->c[C_GROUP_MAX].u32[row], most = 0;
    for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
        int64_t one = k->c[C_SHAPE_REQ + LSCHED_GPU].i64[group_alternative(k, row, a)];
        if (one > most) most = one;
    }
    return most > LSCHED_AMOUNT_MAX / tasks ? LSCHED_AMOUNT_MAX : most * tasks;
}

/* The leaves of a job that use whole GPUs. n: number of these leaves; first: row of the first
 * leaf's group; all: number of GPUs that these leaves hold together if every task has a place. */
struct leaves {
    uint32_t n, first;
    int64_t all;
    int choose; /* 1 if one of these leaves has alternatives */
};

static struct leaves read_leaves(const struct unusable_guarantees *u, uint32_t jobshape,
                                 struct use *use) {
    const struct columns *k = u->k;
    struct leaves l = {0};
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t row = group_row(k, jobshape, g), shape = group_shape(k, jobshape, g);
        if (shape == NO_ROW || k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape] == 0) continue;
        if (!leaf_takes_whole(k, row)) {
            use->parts = amount_sum(use->parts, leaf_parts(k, row));
            continue;
        }
        add_whole(u, row, use);
        l.all += (int64_t)k->c[C_GROUP_MAX].u32[row] * k->c[C_SHAPE_DEVICES].u32[shape];
        l.choose |= k->c[C_GROUP_N_ALTERNATIVES].u32[row] > 1;
        if (l.n++ == 0) l.first = row;
    }
    return l;
}

/* Returns the GPU requests of a job as a struct use. A job that starts with all of its tasks at
 * once holds all of its GPUs or none. Every other job grows task by task. A gang also counts as
 * growing task by task if some of its tasks have finished or are lost, or if a hook decides its
 * minimum. */
static struct use use_of_job(const struct unusable_guarantees *u, uint32_t job) {
    const struct columns *k = u->k;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], tasks = k->c[C_JOBSHAPE_TASKS].u32[jobshape];
    struct use use = {0};
    struct leaves l = read_leaves(u, jobshape, &use);
    struct job_counts has = job_count(k, job);
    use.step = use.node_step;
    use.least = use.lot;
    if (u->hook_minimum || jobshape_chooses(k, jobshape) || has.done > 0) return use;
    uint32_t min = l.n == 1 ? k->c[C_GROUP_MIN].u32[l.first] : 0;
    if (min && (has.placed == 0 || job_satisfied(k, job))) use.least *= min;
    if (!l.choose && tasks == k->c[C_JOBSHAPE_TASKS_MIN].u32[jobshape] &&
        (has.placed == 0 || has.placed == tasks))
        use.step = use.least = l.all;
    return use;
}

static void use_add(struct use *to, const struct use *of) {
    to->classes |= of->classes;
    to->parts = amount_sum(to->parts, of->parts);
    to->step = amount_common_divisor(to->step, of->step);
    to->least = smaller(to->least, of->least);
    to->node_step = amount_common_divisor(to->node_step, of->node_step);
    to->lot = smaller(to->lot, of->lot);
}

static void unusable_guarantee_read_jobs(const struct unusable_guarantees *u) {
    const struct columns *k = u->k;
    for (uint32_t job = 0; job < table_rows(k, T_JOB); job++) {
        if (!row_is_live(k, T_JOB, job) || k->c[C_JOB_PHASE].u8[job] == JOB_REFUSED ||
            k->c[C_JOB_PHASE].u8[job] == JOB_ARRAY)
            continue;
        struct use use = use_of_job(u, job);
        for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
            use_add(&u->use[q], &use);
    }
}

/* ---- what the cluster has ---- */

static void read_devices(struct unusable_guarantees *u) {
    const struct columns *k = u->k;
    for (uint32_t class = 0; class < table_rows(k, T_DEVCLASS); class ++)
        u->example[class] = NO_ROW;
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        if (!row_is_live(k, T_NODE, node)) continue;
        uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], n = k->c[C_NODE_N_DEVICES].u8[node];
        for (uint32_t i = 0; i < n; i++) {
            if (device_is_closed(k, first + i)) continue;
            uint32_t *example = &u->example[k->c[C_DEVICE_CLASS].u16[first + i]];
            /* a device with taints says nothing about the others of its class */
            if (*example == NO_ROW || k->c[C_DEVICE_TAINTS].u32[first + i] == 0)
                *example = first + i;
            u->devices++;
        }
    }
}

static struct supply supply_of(const struct columns *k, const struct use *use) {
    struct supply s = {.largest = NO_ROW};
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        if (!row_is_live(k, T_NODE, node)) continue;
        uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
        int64_t fit = 0;
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
            fit += !device_is_closed(k, first + i) &&
                   (use->classes & class_bit(k->c[C_DEVICE_CLASS].u16[first + i])) != 0;
        s.fitting += fit;
        if (fit >= use->lot) s.on_nodes += fit - fit % use->node_step;
        if (fit > s.largest_has) {
            s.largest = node;
            s.largest_has = fit;
        }
    }
    return s;
}

/* ---- the report ---- */

/* Of `there` milli-GPUs that exist, returns the number that the tasks of the use can hold. */
static int64_t usable_of(const struct use *use, const struct supply *s, int64_t there) {
    int64_t gpus = there / GPU_MILLI;
    if (gpus > s->on_nodes) gpus = s->on_nodes;
    gpus = gpus < use->least ? 0 : gpus - gpus % use->step;
    int64_t usable = amount_sum(gpus * GPU_MILLI, use->parts);
    return usable < there ? usable : there;
}

static int64_t at_most_there(const struct unusable_guarantees *u, int64_t guarantee) {
    int64_t all = u->devices * GPU_MILLI;
    return guarantee < all ? guarantee : all;
}

static void put_gpus(const struct unusable_guarantees *u, struct text_out *o, int64_t milli) {
    put_amount(u->k, o, LSCHED_GPU, milli);
}

/* Writes "take whole GPUs, 4 or more on one node, 8 or more at once". */
static void put_sizes(const struct use *use, struct text_out *o) {
    text_put(o, "take whole GPUs");
    if (use->lot > 1) text_put(o, ", %" PRId64 " or more on one node", use->lot);
    if (use->least > use->lot) text_put(o, ", %" PRId64 " or more at once", use->least);
    if (use->step > 1 && use->step != use->least)
        text_put(o, ", in multiples of %" PRId64, use->step);
}

static void put_supply(const struct unusable_guarantees *u, const struct supply *s,
                       struct text_out *o) {
    if (s->fitting < u->devices)
        text_put(o, "%" PRId64 " of the %" PRId64 " GPUs are whole and of a model that they take",
                 s->fitting, u->devices);
    else
        text_put(o, "there are %" PRId64 " GPUs", u->devices);
    if (s->largest == NO_ROW) return;
    text_put(o, " (at most %" PRId64 " on one node: ", s->largest_has);
    put_name(u->k, o, u->k->c[C_NODE_NAME].u32[s->largest]);
    text_put(o, ")");
}

/* Returns the smallest number of GPUs that is at least the guarantee and that the queue's jobs
 * could use completely. */
static int64_t round_guarantee(const struct use *use) {
    int64_t gpus = (use->guarantee + GPU_MILLI - 1) / GPU_MILLI;
    if (gpus < use->least) gpus = use->least;
    return gpus % use->step ? gpus + use->step - gpus % use->step : gpus;
}

static int64_t quota_of(const struct unusable_guarantees *u, uint32_t q) {
    return u->k->c[C_QUEUE_QUOTA_NOW + LSCHED_GPU].i64[q];
}

static int64_t unusable_guarantee_limit_of(const struct unusable_guarantees *u, uint32_t q) {
    return u->k->c[C_QUEUE_LIMIT_NOW + LSCHED_GPU].i64[q];
}

static void read_quotas(struct unusable_guarantees *u) {
    for (uint32_t q = 0; q < table_rows(u->k, T_QUEUE); q++) {
        if (!row_is_live(u->k, T_QUEUE, q)) continue;
        uint32_t parent = u->k->c[C_QUEUE_PARENT].u32[q];
        int64_t *sum = parent == NO_ROW ? &u->quotas : &u->use[parent].quotas;
        *sum = quota_of(u, q) > LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX
                                                  : amount_sum(*sum, quota_of(u, q));
    }
}

static int64_t least_limit(const struct unusable_guarantees *u, uint32_t q) {
    int64_t least = unusable_guarantee_limit_of(u, q);
    for (; q != NO_ROW; q = u->k->c[C_QUEUE_PARENT].u32[q])
        if (unusable_guarantee_limit_of(u, q) < least) least = unusable_guarantee_limit_of(u, q);
    return least;
}

/* True if the guarantee equals the configured quota. If it differs because of a hook, a limit or
 * the quotas of sibling queues, no advice about the quota is sure to help. */
static int is_plain(const struct unusable_guarantees *u, uint32_t q) {
    return u->use[q].guarantee == quota_of(u, q) &&
           quota_of(u, q) == u->k->c[C_QUEUE_QUOTA + LSCHED_GPU].i64[q];
}

/* True if the raised quota would really be guaranteed, because it is within the limits, the
 * parent's guarantee and the devices of the cluster. */
static int may_raise(const struct unusable_guarantees *u, const struct finding *f) {
    uint32_t parent = u->k->c[C_QUEUE_PARENT].u32[f->queue];
    int64_t to = f->raise * GPU_MILLI, by = to - u->use[f->queue].guarantee;
    int64_t room = parent == NO_ROW ? (u->devices + f->more) * GPU_MILLI : u->use[parent].guarantee;
    return to <= f->limit &&
           amount_sum(parent == NO_ROW ? u->quotas : u->use[parent].quotas, by) <= room;
}

static struct finding find(const struct unusable_guarantees *u, uint32_t q) {
    const struct use *use = &u->use[q];
    struct finding f = {.queue = q, .supply = supply_of(u->k, use), .limit = least_limit(u, q)};
    int64_t there = at_most_there(u, use->guarantee), all = at_most_there(u, f.limit);
    f.usable = usable_of(use, &f.supply, there);
    struct use single = *use;
    single.step = single.node_step;
    single.least = single.lot;
    f.never = f.usable >= usable_of(&single, &f.supply, all);
    f.share = f.usable < usable_of(use, &f.supply, all);
    f.raise = round_guarantee(use);
    f.more = f.raise > f.supply.on_nodes ? f.raise - f.supply.on_nodes : 0;
    int more_helps = f.more && f.raise * GPU_MILLI == use->guarantee;
    if (f.raise * GPU_MILLI == use->guarantee || !may_raise(u, &f)) f.raise = 0;
    f.provide = f.more && (f.raise || more_helps);
    f.lower = f.never && use->quotas <= f.usable;
    return f;
}

static void put_cause(const struct unusable_guarantees *u, const struct finding *f,
                      struct text_out *o) {
    text_put(o, ", and ");
    if (f->limit >= f->supply.on_nodes * GPU_MILLI) {
        put_supply(u, &f->supply, o);
        return;
    }
    text_put(o, f->limit == unusable_guarantee_limit_of(u, f->queue) ? "its limit is "
                                                                     : "the limit above it is ");
    put_gpus(u, o, f->limit);
}

/* Writes the advice for the case that the guarantee must not be lowered: a higher guarantee, more
 * GPUs, or both. */
static void put_raise(const struct unusable_guarantees *u, const struct finding *f,
                      struct text_out *o) {
    int64_t lot = u->use[f->queue].lot;
    if (f->raise)
        text_put(o, "raise %s to %" PRId64 " GPU%s", f->lower ? "it" : "the guarantee", f->raise,
                 plural((uint64_t)f->raise));
    if (!f->provide) return;
    text_put(o, "%sprovide %" PRId64 " more whole GPU%s of such a model", f->raise ? " and " : "",
             f->more, plural((uint64_t)f->more));
    if (lot > 1) text_put(o, " on nodes of %" PRId64 " or more", lot);
}

static void put_never(const struct unusable_guarantees *u, const struct finding *f,
                      struct text_out *o) {
    text_put(o, " and can use at most ");
    put_number(o, LSCHED_GPU, f->usable);
    text_put(o, ": its jobs ");
    put_sizes(&u->use[f->queue], o);
    put_cause(u, f, o);
    text_put(o, "; ");
    if (!f->lower) return;
    text_put(o, "lower the guarantee to ");
    put_gpus(u, o, f->usable);
    if (f->raise || f->provide) text_put(o, ", or ");
}

/* Writes a finding of the kind "can start on". Its advice is never a lower guarantee, because that
 * could keep a job from starting. There are two reasons: the fair share depends on the guarantee,
 * and a gang with finished tasks can use the GPUs that are left over. */
static void put_starts(const struct unusable_guarantees *u, const struct finding *f,
                       struct text_out *o) {
    text_put(o, ", and its jobs can start on ");
    put_number(o, LSCHED_GPU, f->usable);
    text_put(o, " of them: they ");
    put_sizes(&u->use[f->queue], o);
    if (!f->share) put_cause(u, f, o);
    text_put(o, "; %s", f->share ? "a start beyond that waits for the queue's fair share; " : "");
    if (!f->raise && !f->provide) text_put(o, "smaller jobs could start on the rest");
}

static void report_queue(const struct unusable_guarantees *u, uint32_t q, struct text_out *o) {
    struct use *use = &u->use[q];
    struct finding f = find(u, q);
    int64_t lost = at_most_there(u, use->guarantee) - f.usable;
    int64_t used = u->k->c[C_QUEUE_USED + LSCHED_GPU].i64[q];
    if (lost <= use->below || !is_plain(u, q)) return;
    /* no report if the queue uses more GPUs now than the finding allows */
    if (used > f.usable && (f.never || used <= use->guarantee)) return;
    if (f.never && !f.lower && !f.raise && !f.provide) return;
    use->below = lost;
    text_put(o, "queue ");
    put_queue(u->k, o, q);
    text_put(o, " is guaranteed ");
    put_gpus(u, o, use->guarantee);
    if (f.never)
        put_never(u, &f, o);
    else
        put_starts(u, &f, o);
    put_raise(u, &f, o);
    text_put(o, "\n");
}

static int is_root(const struct columns *k, uint32_t q) {
    return k->c[C_QUEUE_PARENT].u32[q] == NO_ROW;
}

/* Writes the finding about all root queues: each one alone can use its guarantee, but all of them
 * together cannot do so at the same time. */
static void report_all(const struct unusable_guarantees *u, struct text_out *o) {
    struct use all = {0};
    uint32_t n = 0;
    int64_t lost = 0, used = 0;
    for (uint32_t q = 0; q < table_rows(u->k, T_QUEUE); q++) {
        const struct use *use = &u->use[q];
        if (!row_is_live(u->k, T_QUEUE, q) || !is_root(u->k, q) || !use->step) continue;
        use_add(&all, use);
        all.guarantee = amount_sum(all.guarantee, use->guarantee);
        lost = amount_sum(lost, use->below);
        used = amount_sum(used, u->k->c[C_QUEUE_USED + LSCHED_GPU].i64[q]);
        n += use->guarantee > 0;
    }
    if (n < 2) return;
    all.lot = all.node_step = all.least = all.step = 1;
    struct supply s = supply_of(u->k, &all);
    int64_t there = at_most_there(u, all.guarantee), usable = usable_of(&all, &s, there);
    if (there - usable <= lost || used > usable) return;
    text_put(o, "%" PRIu32 " queues whose jobs take whole GPUs are guaranteed ", n);
    put_gpus(u, o, all.guarantee);
    text_put(o, " together and can use at most ");
    put_number(o, LSCHED_GPU, usable);
    text_put(o, " at the same time: ");
    put_supply(u, &s, o);
    text_put(o, "; lower their guarantees, or provide ");
    put_gpus(u, o, there - usable);
    text_put(o, " more that are whole\n");
}

/* ---- the findings of all queues ---- */

static int32_t read_guarantees(const struct unusable_guarantees *u, lsched_error *err) {
    const struct columns *k = u->k;
    int32_t rc = share_ask_begin(u->c, err);
    for (uint32_t q = 0; rc > 0 && q < table_rows(k, T_QUEUE); q++) {
        int64_t guarantee = 0, fair_share = 0;
        if (!row_is_live(k, T_QUEUE, q) || !u->use[q].step) continue;
        rc = share_ask_next(u->c, q, LSCHED_GPU, &guarantee, &fair_share);
        if (rc > 0 && guarantee > 0 && guarantee <= LSCHED_AMOUNT_MAX)
            u->use[q].guarantee = guarantee;
    }
    return rc;
}

/* Writes the findings, those of the deepest queues first. A queue above is reported only if more
 * of its guarantee is unusable than the report already names for the queues below. */
static void report(const struct unusable_guarantees *u, struct text_out *o) {
    const struct columns *k = u->k;
    for (uint32_t depth = LSCHED_QUEUE_DEPTH_MAX + 1; depth-- > 0;) {
        for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
            if (!row_is_live(k, T_QUEUE, q) || k->c[C_QUEUE_DEPTH].u32[q] != depth) continue;
            if (u->use[q].step && u->use[q].guarantee) report_queue(u, q, o);
            if (!is_root(k, q)) {
                int64_t *above = &u->use[k->c[C_QUEUE_PARENT].u32[q]].below;
                *above = amount_sum(*above, u->use[q].below);
            }
        }
    }
    report_all(u, o);
}

int32_t unusable_guarantee_report(struct lsched_cluster *c, struct text_out *o, lsched_error *err) {
    const struct columns *k = &c->k;
    size_t n_queues = table_rows(k, T_QUEUE) + 1, n_classes = table_rows(k, T_DEVCLASS) + 1;
    struct unusable_guarantees u = {.c = c, .k = k};
    u.hook_minimum =
        c->policy.policy.ops && (c->policy.policy.desc.hooks & LSCHED_HOOK_GANG_MINIMUM) != 0;
    int32_t rc = LSCHED_E_NOMEM;
    u.use = alloc_zero(k->alloc, n_queues * sizeof *u.use);
    u.example = alloc_zero(k->alloc, n_classes * sizeof *u.example);
    if (u.use && u.example) {
        read_devices(&u);
        unusable_guarantee_read_jobs(&u);
        read_quotas(&u);
        rc = read_guarantees(&u, err);
    }
    if (rc > 0) report(&u, o);
    alloc_free(k->alloc, u.use, n_queues * sizeof *u.use);
    alloc_free(k->alloc, u.example, n_classes * sizeof *u.example);
    return rc < 0 ? rc : LSCHED_OK;
}
