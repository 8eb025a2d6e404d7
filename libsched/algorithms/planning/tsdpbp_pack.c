/* tsdpbp_pack.c -- see tsdpbp_pack.h. */
#include "algorithms/planning/tsdpbp_pack.h"

#include <string.h>

#include "algorithms/planning/tsdpbp_bins.h"
#include "base/sort.h"

#define BINS_ALL   256u
#define FLOW_PRICE INT64_C(1000000)
#define BLOCKS     16u
/* number of the packer's work units that count as one work unit of the cycle */
#define TSDPBP_CHECKS_PER_UNIT 16u

/* All arrays for one run of the packer. They are in memory blocks that are freed together. */
struct packing {
    struct ts *t;
    struct {
        void *at;
        size_t bytes;
    } block[BLOCKS];
    uint32_t n_blocks, failed;
    uint32_t n_items, n_bins, n_classes, n_columns, n_reservations, n_tasks;
    /* columns of the timeline's amounts that some item needs */
    uint32_t column[FREE_TIMELINE_KINDS];
    /* indexes of the window's items that the packer can move (state TS_ASIDE, no MIG job) */
    uint32_t *item;
    /* bin: bins of the timeline that the packer sees; class_of: class of each of these bins */
    uint32_t *bin, *class_of;
    uint32_t *number; /* ts.scratch.number: bin number in the packer of each bin of the timeline */
    uint32_t *able, n_able; /* the maps that some item has */
    int64_t *capacity;      /* at [b * n_columns + c], where b is an index in `bin` */
    /* copies of the items in the serial schedule; used to restore the schedule */
    struct ts_item *serial;
    lsched_pack_class *classes;
    lsched_pack_item *items;
    lsched_pack_config *configs;
    lsched_pack_reservation *reservations;
    lsched_pack_place *places;
    int64_t *amounts;
    uint32_t *allowed;
};

static void *tsdpbp_pack_take(struct packing *p, uint64_t n, size_t size) {
    size_t bytes = (size_t)(n ? n : 1) * size;
    void *at = p->n_blocks == BLOCKS ? NULL : env_new(&p->t->env, bytes);
    if (!at) {
        p->failed = 1;
        return NULL;
    }
    p->block[p->n_blocks].at = at;
    p->block[p->n_blocks++].bytes = bytes;
    return at;
}

static void give_all(struct packing *p) {
    while (p->n_blocks > 0) {
        p->n_blocks--;
        env_free(&p->t->env, p->block[p->n_blocks].at, p->block[p->n_blocks].bytes);
    }
}

/* ---- bins and classes ---- */

#define RANK_BEFORE(of, a, b) ((of)->links[a].rank < (of)->links[b].rank)
SORT_IN_PLACE(sort_bins, uint32_t, const struct free_timeline *, RANK_BEFORE)

/* The packer sees all bins of a small cluster, and otherwise those that the items use, in the order
 * of the names of their nodes. `number` marks the used bins for a moment. */
static void choose_bins(struct packing *p) {
    const struct ts *t = p->t;
    uint32_t all = t->timeline.n_bins <= BINS_ALL;
    for (uint32_t b = 0; all && b < t->timeline.n_bins; b++)
        if (!free_timeline_is_empty(&t->timeline, b)) p->bin[p->n_bins++] = b;
    for (uint32_t i = 0; !all && i < p->n_items; i++) {
        const struct ts_item *item = &t->items[p->item[i]];
        for (uint32_t j = item->first_part; j < item->first_part + item->n_parts; j++) {
            uint32_t b = t->parts[j].bin;
            if (!p->number[b]) p->bin[p->n_bins++] = b;
            p->number[b] = 1;
        }
    }
    if (!sort_bins_is_done(&t->timeline, p->bin, p->n_bins))
        sort_bins(&t->timeline, p->bin, p->n_bins);
}

/* Lists the maps of the items, each once. */
static void choose_maps(struct packing *p) {
    const struct ts *t = p->t;
    for (uint32_t i = 0; i < p->n_items; i++) {
        uint32_t able = t->items[p->item[i]].able, j = 0;
        while (j < p->n_able && p->able[j] != able) j++;
        if (j == p->n_able) p->able[p->n_able++] = able;
    }
}

/* Returns the largest number of bins that the packer can see. */
static uint32_t bins_most(const struct packing *p) {
    const struct ts *t = p->t;
    uint32_t n = 0;
    if (t->timeline.n_bins <= BINS_ALL) return t->timeline.n_bins;
    for (uint32_t i = 0; i < p->n_items; i++) n += t->items[p->item[i]].n_parts;
    return n;
}

static void tsdpbp_pack_choose_columns(struct packing *p) {
    const struct ts *t = p->t;
    for (uint32_t c = 0; c < t->n_columns; c++)
        for (uint32_t i = 0; i < p->n_items; i++)
            if (t->items[p->item[i]].need.of[c] > 0) {
                p->column[p->n_columns++] = c;
                break;
            }
}

/* Sets the capacity of each bin to the largest amount that is ever free there. At other times, a
 * reservation takes the difference between this capacity and the free amount. */
static void tsdpbp_pack_measure(struct packing *p) {
    for (uint32_t b = 0; b < p->n_bins; b++) {
        uint32_t n;
        const struct free_timeline_step *s = free_timeline_steps(&p->t->timeline, p->bin[b], &n);
        for (uint32_t c = 0; c < p->n_columns; c++)
            for (uint32_t i = 0; i < n; i++)
                if (s[i].free.of[p->column[c]] > p->capacity[b * p->n_columns + c])
                    p->capacity[b * p->n_columns + c] = s[i].free.of[p->column[c]];
        p->n_reservations += n;
    }
}

static int tsdpbp_pack_is_alike(const struct packing *p, uint32_t a, uint32_t b) {
    const struct ts *t = p->t;
    for (uint32_t i = 0; i < p->n_able; i++)
        if (free_timeline_allows(&t->timeline, p->able[i], p->bin[a]) !=
            free_timeline_allows(&t->timeline, p->able[i], p->bin[b]))
            return 0;
    return memcmp(p->capacity + (size_t)a * p->n_columns, p->capacity + (size_t)b * p->n_columns,
                  p->n_columns * sizeof *p->capacity) == 0;
}

/* Groups equal bins into classes. first[c] becomes the first bin of class c. */
static void tsdpbp_pack_classify(struct packing *p, uint32_t *first) {
    for (uint32_t b = 0; b < p->n_bins; b++) {
        uint32_t c = 0;
        while (c < p->n_classes && !tsdpbp_pack_is_alike(p, first[c], b)) c++;
        if (c == p->n_classes) {
            first[p->n_classes++] = b;
            p->classes[c] = (lsched_pack_class){.size = sizeof *p->classes,
                                                .capacity = p->capacity + (size_t)b * p->n_columns};
        }
        p->class_of[b] = c;
        p->classes[c].count++;
    }
}

/* Sets the bin numbers of the packer. The packer numbers bins by class, the bins of the first class
 * first. */
static void number_bins(struct packing *p, uint32_t *next) {
    uint32_t sum = 0;
    for (uint32_t c = 0; c < p->n_classes; c++) {
        next[c] = sum;
        sum += p->classes[c].count;
    }
    for (uint32_t b = 0; b < p->n_bins; b++) p->number[p->bin[b]] = next[p->class_of[b]]++;
}

/* ---- the problem ---- */

static void tsdpbp_pack_reserve(struct packing *p) {
    uint32_t n_reservations = 0;
    int64_t *amount = p->amounts;
    for (uint32_t b = 0; b < p->n_bins; b++) {
        uint32_t n;
        const struct free_timeline_step *s = free_timeline_steps(&p->t->timeline, p->bin[b], &n);
        for (uint32_t i = 0; i < n; i++, amount += p->n_columns) {
            int any = 0;
            for (uint32_t c = 0; c < p->n_columns; c++) {
                int64_t most = p->capacity[b * p->n_columns + c], free = s[i].free.of[p->column[c]];
                amount[c] = most - (free > 0 ? free : 0);
                any |= amount[c] > 0;
            }
            if (!any) continue;
            p->reservations[n_reservations++] =
                (lsched_pack_reservation){.size = sizeof *p->reservations,
                                          .bin = p->number[p->bin[b]],
                                          .from_us = free_timeline_at(&p->t->timeline, &s[i]),
                                          .to_us = i + 1 < n ? s[i + 1].at : LSCHED_NEVER_US,
                                          .amount = amount,
                                          .flags = LSCHED_PACK_RESERVATION_HAS_END};
        }
    }
    p->n_reservations = n_reservations;
}

static void tsdpbp_pack_describe(struct packing *p, const uint32_t *first, int64_t *need) {
    const struct ts *t = p->t;
    uint32_t *allowed = p->allowed;
    for (uint32_t i = 0; i < p->n_items; i++, need += p->n_columns) {
        const struct ts_item *item = &t->items[p->item[i]];
        for (uint32_t c = 0; c < p->n_columns; c++) need[c] = item->need.of[p->column[c]];
        p->configs[i] = (lsched_pack_config){
            .size = sizeof *p->configs, .duration_us = item->length, .demand = need};
        p->items[i] = (lsched_pack_item){.size = sizeof *p->items,
                                         .flags = LSCHED_PACK_ITEM_HAS_LATEST,
                                         .ready_us = t->timeline.now,
                                         .latest_us = item->start,
                                         .flow_price_micro_per_hour = FLOW_PRICE,
                                         .configs = &p->configs[i],
                                         .n_configs = 1,
                                         .tasks = item->tasks,
                                         .classes = allowed};
        for (uint32_t c = 0; c < p->n_classes; c++)
            if (free_timeline_allows(&t->timeline, item->able, p->bin[first[c]]))
                allowed[p->items[i].n_classes++] = c;
        allowed += p->n_classes;
    }
}

static void serial_places(struct packing *p) {
    const struct ts *t = p->t;
    lsched_pack_place *place = p->places;
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct ts_item *item = &t->items[p->item[i]];
        uint32_t task = 0;
        int64_t end = free_timeline_end(item->start, item->length);
        for (uint32_t j = item->first_part; j < item->first_part + item->n_parts; j++)
            for (uint32_t n = 0; n < t->parts[j].tasks; n++, task++)
                *place++ = (lsched_pack_place){.item = i,
                                               .task = task,
                                               .bin = p->number[t->parts[j].bin],
                                               .start_us = item->start,
                                               .end_us = end};
    }
}

/* ---- the plan ---- */

/* Takes over the packer's places of one item: sets the item's start and parts, and makes its
 * amounts unavailable in the timeline. Returns 1, or 0 if the places fail a check, or a negative
 * error code. */
static int32_t adopt(struct packing *p, uint32_t i, const lsched_pack_place *places,
                     const uint32_t *bin_of) {
    struct ts *t = p->t;
    struct ts_item *item = &t->items[p->item[i]];
    if (places[0].start_us > item->start || places[0].start_us < t->timeline.now) return 0;
    item->start = places[0].start_us;
    item->first_part = t->n_parts;
    item->n_parts = 0;
    for (uint32_t k = 0; k < item->tasks; k++) {
        if (places[k].bin >= p->n_bins || places[k].start_us != item->start) return 0;
        uint32_t bin = bin_of[places[k].bin], j = item->first_part;
        while (j < t->n_parts && t->parts[j].bin != bin) j++;
        if (!ENV_ROOM(&t->env, t->parts, t->cap_parts, j + 1ull)) return LSCHED_E_NOMEM;
        if (j == t->n_parts) t->parts[t->n_parts++] = (struct free_timeline_part){bin, 0};
        t->parts[j].tasks++;
    }
    item->n_parts = t->n_parts - item->first_part;
    for (uint32_t j = item->first_part; j < t->n_parts; j++)
        if (free_timeline_count(&t->timeline, t->parts[j].bin, item->start, item->length,
                                &item->need, t->parts[j].tasks) < t->parts[j].tasks)
            return 0;
    int32_t rc = ts_take(t, item, 1);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Takes over the packer's plan for all items of the window. If one item fails a check, the serial
 * schedule is restored for all items. */
static int32_t adopt_all(struct packing *p, const uint32_t *bin_of) {
    struct ts *t = p->t;
    const lsched_pack_place *place = p->places;
    int32_t rc = 1;
    uint32_t done = 0;
    for (; done < p->n_items && rc == 1; done += rc == 1) {
        rc = adopt(p, done, place, bin_of);
        place += t->items[p->item[done]].tasks;
    }
    if (rc != 0) return rc < 0 ? rc : LSCHED_OK;
    while (done-- > 0) {
        rc = ts_take(t, &t->items[p->item[done]], -1);
        if (rc != LSCHED_OK) return rc;
    }
    for (uint32_t i = 0; i < p->n_items; i++) {
        t->items[p->item[i]] = p->serial[i];
        rc = ts_take(t, &t->items[p->item[i]], 1);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Runs the packer. Returns 1 if p->places holds a plan that is no worse than the serial schedule,
 * or 0 if there is no such plan, or LSCHED_E_NOMEM. */
static int32_t tsdpbp_pack_solve(struct packing *p, const lsched_pack_resource *resources) {
    struct ts *t = p->t;
    lsched_allocator allocator = env_allocator(&t->env);
    lsched_pack_opts opts;
    lsched_init(&opts, sizeof opts);
    opts.allocator = &allocator;
    lsched_pack_problem problem = {.size = sizeof problem,
                                   .n_resources = p->n_columns,
                                   .resources = resources,
                                   .classes = p->classes,
                                   .items = p->items,
                                   .reservations = p->reservations,
                                   .n_classes = p->n_classes,
                                   .n_items = p->n_items,
                                   .n_reservations = p->n_reservations,
                                   .now_us = t->timeline.now,
                                   .resource_size = sizeof *resources,
                                   .class_size = sizeof *p->classes,
                                   .item_size = sizeof *p->items,
                                   .config_size = sizeof *p->configs,
                                   .reservation_size = sizeof *p->reservations};
    lsched_packer *packer;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = lsched_packer_create(&problem, &opts, &packer, &err);
    if (rc < 0) return rc == LSCHED_E_NOMEM ? rc : 0;
    rc = lsched_packer_start_from(packer, p->places, p->n_tasks, &err);
    if (rc >= 0) rc = lsched_packer_run(packer, t->work, &err);
    if (rc >= 0) rc = lsched_packer_places(packer, p->places, p->n_tasks, &err) == p->n_tasks;
    lsched_packer_destroy(packer);
    return rc == LSCHED_E_NOMEM || rc > 0 ? rc : 0;
}

static int32_t improve(struct packing *p) {
    struct ts *t = p->t;
    lsched_pack_resource resources[FREE_TIMELINE_KINDS];
    uint32_t bins = bins_most(p);
    memset(resources, 0, sizeof resources);
    p->bin = tsdpbp_pack_take(p, bins, sizeof *p->bin);
    p->able = tsdpbp_pack_take(p, p->n_items, sizeof *p->able);
    p->class_of = tsdpbp_pack_take(p, bins, sizeof *p->class_of);
    uint32_t *first = tsdpbp_pack_take(p, bins, sizeof *first),
             *bin_of = tsdpbp_pack_take(p, bins, sizeof *bin_of);
    p->serial = tsdpbp_pack_take(p, p->n_items, sizeof *p->serial);
    if (p->failed) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < p->n_items; i++) p->serial[i] = t->items[p->item[i]];
    choose_bins(p);
    choose_maps(p);
    tsdpbp_pack_choose_columns(p);
    for (uint32_t c = 0; c < p->n_columns; c++) resources[c].size = sizeof resources[c];
    p->capacity = tsdpbp_pack_take(p, (uint64_t)p->n_bins * p->n_columns, sizeof *p->capacity);
    p->classes = tsdpbp_pack_take(p, p->n_bins, sizeof *p->classes);
    if (p->failed) return LSCHED_E_NOMEM;
    tsdpbp_pack_measure(p);
    tsdpbp_pack_classify(p, first);
    number_bins(p, bin_of);
    p->amounts = tsdpbp_pack_take(p, ((uint64_t)p->n_reservations + p->n_items) * p->n_columns,
                                  sizeof *p->amounts);
    p->reservations = tsdpbp_pack_take(p, p->n_reservations, sizeof *p->reservations);
    p->items = tsdpbp_pack_take(p, p->n_items, sizeof *p->items);
    p->configs = tsdpbp_pack_take(p, p->n_items, sizeof *p->configs);
    p->allowed = tsdpbp_pack_take(p, (uint64_t)p->n_items * p->n_classes, sizeof *p->allowed);
    p->places = tsdpbp_pack_take(p, p->n_tasks, sizeof *p->places);
    if (p->failed) return LSCHED_E_NOMEM;
    int64_t *need = p->amounts + (size_t)p->n_reservations * p->n_columns;
    tsdpbp_pack_reserve(p);
    tsdpbp_pack_describe(p, first, need);
    serial_places(p);
    for (uint32_t b = 0; b < p->n_bins; b++) bin_of[p->number[p->bin[b]]] = p->bin[b];
    int32_t rc = tsdpbp_pack_solve(p, resources);
    if (rc <= 0) serial_places(p);
    return rc < 0 ? rc : adopt_all(p, bin_of);
}

/* Makes ts.scratch.number, which is 0 in all entries between calls, long enough. */
static int32_t numbers_room(struct ts *t) {
    uint32_t had = t->scratch.cap_number;
    if (!ENV_ROOM(&t->env, t->scratch.number, t->scratch.cap_number, t->timeline.n_bins + 1ull))
        return LSCHED_E_NOMEM;
    memset(t->scratch.number + had, 0, (t->scratch.cap_number - had) * sizeof *t->scratch.number);
    return LSCHED_OK;
}

/* True if two items ask for the same: one task with equal amounts and length on the same nodes. */
static int asks_alike(const struct ts_item *a, const struct ts_item *b) {
    return a->tasks == 1 && b->tasks == 1 && a->length == b->length && a->able == b->able &&
           memcmp(&a->need, &b->need, sizeof a->need) == 0;
}

/* True if the packer can improve the window: some item starts later than now, and there are at
 * least two items that the packer can move, of which not all are alike. The serial schedule gives
 * equal tasks the earliest starts that there are: the n-th start on a node is the earliest of all
 * schedules with n tasks there, because two tasks that start less than their length apart run side
 * by side at some time. Also sets *aside to the number of these items, and
 * *tasks to the number of their tasks. */
static int may_gain(const struct ts *t, uint32_t *aside, uint32_t *tasks) {
    int later = 0, differ = 0;
    const struct ts_item *first = NULL;
    *aside = *tasks = 0;
    for (uint32_t i = t->first_item; i < t->n_items; i++) {
        if (t->items[i].state != TS_ASIDE || t->items[i].slices) continue;
        ++*aside;
        *tasks += t->items[i].tasks;
        later |= t->items[i].start > t->timeline.now;
        if (!first) first = &t->items[i];
        differ |= !asks_alike(first, &t->items[i]);
    }
    return later && differ && *aside > 1 && t->work > 0;
}

int32_t ts_improve(struct ts *t) {
    struct packing p = {.t = t};
    uint32_t aside;
    if (!may_gain(t, &aside, &p.n_tasks)) return LSCHED_OK;
    int32_t rc = t->act->spend(t->cycle, t->work / TSDPBP_CHECKS_PER_UNIT);
    if (rc <= 0) return rc;
    p.item = tsdpbp_pack_take(&p, aside, sizeof *p.item);
    if (!p.item) return LSCHED_E_NOMEM;
    for (uint32_t i = t->first_item; i < t->n_items && rc >= 0; i++) {
        if (t->items[i].state != TS_ASIDE || t->items[i].slices) continue;
        p.item[p.n_items++] = i;
        rc = ts_take(t, &t->items[i], -1);
    }
    if (rc >= 0) rc = numbers_room(t);
    p.number = t->scratch.number;
    if (rc >= 0) rc = improve(&p);
    for (uint32_t b = 0; b < p.n_bins; b++) p.number[p.bin[b]] = 0;
    give_all(&p);
    return rc;
}
