/* firm_sure.c -- see firm_sure.h. */
#include "algorithms/planning/firm_sure.h"

#include <string.h>

#include "algorithms/planning/tsdpbp_bins.h"
#include "base/sort.h"

#define LOOSE_WORK_BEFORE(of, a, b) ((a).at < (b).at)
SORT_STABLE(sort_loose_work, struct ts_loose, const void *, LOOSE_WORK_BEFORE)
#define SPAN_BEFORE(of, a, b) ((a).from < (b).from)
SORT_STABLE(sort_spans, struct ts_span, const void *, SPAN_BEFORE)

/* Charges what a question has looked at. */
static int32_t charge_looks(struct ts *t, uint64_t looks) {
    t->looks += looks;
    uint64_t units = t->looks / FIRM_SURE_LOOKS;
    t->looks %= FIRM_SURE_LOOKS;
    int32_t rc = units && t->act->firm ? t->act->firm->look(t->cycle, units) : 0;
    return rc < 0 ? rc : LSCHED_OK;
}

static void add_amounts(const struct ts *t, struct free_timeline_amount *sum,
                        const struct free_timeline_amount *a, uint32_t times) {
    for (uint32_t c = 0; c < t->n_columns; c++) sum->of[c] += a->of[c] * times;
}

static struct ts_loose *loose_new(struct ts *t, uint32_t n, int64_t at) {
    struct ts_scratch *s = &t->scratch;
    /* twice, because the sort needs room */
    if (!ENV_ROOM(&t->env, s->loose, s->cap_loose, 2 * (n + 1ull))) return NULL;
    memset(&s->loose[n], 0, sizeof s->loose[n]);
    s->loose[n].at = at;
    return &s->loose[n];
}

/* Lists the loose tasks of the node. as_started: 1 if work that has its place counts as if it had
 * started. Returns their number, or a negative error code. */
static int64_t list_loose_tasks(struct ts *t, uint32_t node, int as_started) {
    const lsched_holder *list;
    uint32_t n, found = 0;
    int64_t places;
    int32_t rc = t->act->holders(t->cycle, node, &list, &n, &places);
    if (rc >= 0) rc = charge_looks(t, n);
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        const lsched_holder *h = &list[i];
        if (h->job == LSCHED_NO_ROW || (as_started ? h->end_if_started : h->end) >= t->sure)
            continue;
        struct ts_loose *l = loose_new(t, found, h->is_claim ? INT64_MIN : h->until_us);
        if (!l) return LSCHED_E_NOMEM;
        ts_holder_amounts(t, h, &l->amount);
        found++;
    }
    return rc < 0 ? rc : (int64_t)found;
}

/* Adds the loose items on the node to the list of n entries. Returns the new number of entries, or
 * a negative error code. */
static int64_t list_loose_items(struct ts *t, uint32_t node, uint32_t n) {
    for (uint32_t i = 0; i < t->n_items; i++) {
        const struct ts_item *item = &t->items[i];
        if (item->state != TS_PLANNED || item->end >= t->sure) continue;
        for (uint32_t p = item->first_part; p < item->first_part + item->n_parts; p++) {
            if (t->parts[p].bin != node) continue;
            struct ts_loose *l = loose_new(t, n, free_timeline_end(item->start, item->length));
            if (!l) return LSCHED_E_NOMEM;
            add_amounts(t, &l->amount, &item->need, t->parts[p].tasks);
            n++;
        }
    }
    int32_t rc = charge_looks(t, t->n_items);
    return rc < 0 ? rc : (int64_t)n;
}

/* Lists the loose work of the node in t->scratch.loose. Returns the number of entries, or a
 * negative error code. */
static int64_t list_loose(struct ts *t, uint32_t node, int as_started) {
    int64_t n = list_loose_tasks(t, node, as_started);
    if (n < 0 || t->sure <= LSCHED_END_ESTIMATE) return n;
    return list_loose_items(t, node, (uint32_t)n);
}

int32_t firm_sure_is(struct ts *t, const struct ts_item *item) {
    struct free_timeline_amount sum;
    if (item->n_parts != 1 || item->slices) return 0;
    uint32_t node = t->parts[item->first_part].bin, steps;
    int64_t n = list_loose(t, node, 0);
    if (n < 0) return (int32_t)n;
    memset(&sum, 0, sizeof sum);
    for (uint32_t i = 0; i < n; i++)
        if (t->scratch.loose[i].at <= item->start)
            add_amounts(t, &sum, &t->scratch.loose[i].amount, 1);
    if (sum.of[TS_COLUMN_PLACES] == 0) return 1;
    (void)free_timeline_steps(&t->timeline, node, &steps);
    int32_t rc = charge_looks(t, steps);
    if (rc < 0) return rc;
    return free_timeline_count(&t->timeline, node, item->start, item->length, &sum, 1) == 1;
}

/* Lists the firm starts on the node in t->scratch.spans. Returns their number, or a negative error
 * code. */
static int64_t list_spans(struct ts *t, uint32_t node) {
    struct ts_scratch *s = &t->scratch;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_items; i++) {
        const struct ts_item *item = &t->items[i];
        if (!item->is_firm || item->state != TS_PLANNED || item->n_parts != 1 ||
            t->parts[item->first_part].bin != node)
            continue;
        /* twice, because the sort needs room */
        if (!ENV_ROOM(&t->env, s->spans, s->cap_spans, 2 * (n + 1ull))) return LSCHED_E_NOMEM;
        memset(&s->spans[n], 0, sizeof s->spans[n]);
        s->spans[n].from = item->start;
        s->spans[n++].to = free_timeline_end(item->start, item->length);
    }
    int32_t rc = charge_looks(t, t->n_items);
    return rc < 0 ? rc : (int64_t)n;
}

/* Gives each of the n firm starts the sum of the loose work that ends before it. */
static void sum_loose(struct ts *t, uint32_t n, uint32_t n_loose) {
    struct ts_scratch *s = &t->scratch;
    struct free_timeline_amount sum;
    memset(&sum, 0, sizeof sum);
    sort_loose_work(NULL, s->loose, s->loose + n_loose, n_loose);
    sort_spans(NULL, s->spans, s->spans + n, n);
    for (uint32_t i = 0, l = 0; i < n; i++) {
        for (; l < n_loose && s->loose[l].at <= s->spans[i].from; l++)
            add_amounts(t, &sum, &s->loose[l].amount, 1);
        s->spans[i].loose = sum;
    }
}

/* True if each of the n firm starts has room for its loose work in all steps of the node during its
 * time. The first entries of the list become a stack of those that have begun; the top is the one
 * that needs most. */
static int all_have_room(struct ts *t, uint32_t node, uint32_t n) {
    const struct free_timeline *r = &t->timeline;
    struct ts_span *span = t->scratch.spans;
    uint32_t steps, top = 0, next = 0;
    const struct free_timeline_step *step = free_timeline_steps(r, node, &steps);
    for (uint32_t i = 0; i < steps; i++) {
        const struct free_timeline_amount *free = &step[i].free;
        int64_t end = i + 1 < steps ? step[i + 1].at : FREE_TIMELINE_FOREVER;
        while (top > 0 && span[top - 1].to <= step[i].at) top--;
        if (top > 0 && free_timeline_fits(r, free, &span[top - 1].loose, 1) == 0) return 0;
        for (; next < n && span[next].from < end; next++) {
            if (free_timeline_fits(r, free, &span[next].loose, 1) == 0) return 0;
            span[top++] = span[next];
        }
    }
    return 1;
}

int32_t firm_sure_stays(struct ts *t, uint32_t node) {
    uint32_t steps;
    if (t->sure <= LSCHED_END_ESTIMATE) return 1;
    int64_t n = list_spans(t, node);
    if (n <= 0) return n < 0 ? (int32_t)n : 1;
    int64_t n_loose = list_loose(t, node, 1);
    if (n_loose <= 0) return n_loose < 0 ? (int32_t)n_loose : 1;
    sum_loose(t, (uint32_t)n, (uint32_t)n_loose);
    (void)free_timeline_steps(&t->timeline, node, &steps);
    int32_t rc = charge_looks(t, steps);
    return rc < 0 ? rc : all_have_room(t, node, (uint32_t)n);
}
