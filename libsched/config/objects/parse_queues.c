/*
 * parse_queues.c -- see parse_queues.h. A scenario writes the tree of queues with `children:`, with
 * `parent:`, or with both.
 *
 * The text can have queues in any order. The batch that is passed to the library has each queue
 * after its parent, because an element of a batch can refer only to earlier elements. A list of
 * child queues is appended to a list of pending work, instead of being read recursively.
 */
#include <string.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "config/read/name_range.h"
#include "config/objects/parse_queues.h"
#include "config/read/quantity_reader.h"

struct queue_form {
    struct name_range name;
    uint32_t set;       /* LSCHED_QUEUE_SET_* of the keys that the text has */
    uint32_t set_flags; /* LSCHED_QUEUE_PER_* of the keys that the text has */
    uint32_t children;  /* index in the YAML tree of the value of `children`; 0: none */
    lsched_queue_desc desc;
};

/* A list of child queues that is still to be read. */
struct queue_pending {
    uint32_t list;
    uint32_t depth;
    lsched_text parent;
};

static int32_t queue_weight_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    uint32_t kind = read_kind(r, key);
    if (!kind) return 0;
    lsched_amount *amount = read_add(r, out, NULL, sizeof *amount, value);
    if (!amount) return LSCHED_E_NOMEM;
    amount->kind = kind;
    int32_t code = read_units(r, value, &amount->amount, UNITS_WEIGHT_MILLI);
    return code ? code : 1;
}

/* Reads the weight of a queue: one number for all resource kinds, or a map with a number for each
 * resource kind. */
static int32_t queue_weight(struct field_reader *r, uint32_t value, void *out) {
    if (read_is(r, value, YTREE_MAP))
        return read_map(r, value, "resource kinds", NULL, 0, out, queue_weight_key);
    lsched_amount *amount = read_add(r, out, NULL, sizeof *amount, value);
    if (!amount) return LSCHED_E_NOMEM;
    amount->kind = LSCHED_ANY_RESOURCE;
    return read_units(r, value, &amount->amount, UNITS_WEIGHT_MILLI);
}

#define QUEUE(key, reader, member, bit)                                                  \
    {                                                                                    \
        .name = key, .read = reader, .offset = offsetof(struct queue_form, desc.member), \
        .set = offsetof(struct queue_form, set), .param = LSCHED_QUEUE_SET_##bit         \
    }
#define QUEUE_LIST(key, reader, member, n, bit)                                                \
    {                                                                                          \
        .name = key, .read = reader, .offset = offsetof(struct queue_form, desc.member),       \
        .count = offsetof(struct queue_form, desc.n), .set = offsetof(struct queue_form, set), \
        .param = LSCHED_QUEUE_SET_##bit                                                        \
    }
#define QUEUE_FLAG(key, bit)                                                               \
    {                                                                                      \
        .name = key, .with = read_flag, .offset = offsetof(struct queue_form, desc.flags), \
        .set = offsetof(struct queue_form, set_flags), .param = bit                        \
    }

static const struct field queue_fields[] = {
    FIELD(struct queue_form, "name", read_range, name),
    FIELD(struct queue_form, "parent", read_text, desc.parent_name),
    FIELD(struct queue_form, "children", read_later, children),
    QUEUE("priority", read_i32, priority, PRIORITY),
    QUEUE_LIST("quota", read_limits, quota, n_quota, QUOTA),
    QUEUE_LIST("limit", read_limits, limit, n_limit, LIMIT),
    QUEUE_LIST("weight", queue_weight, weight_milli, n_weight, WEIGHT),
    QUEUE_LIST("lend_limit", read_limits, lend_limit, n_lend_limit, LEND_LIMIT),
    QUEUE("reclaim_min_runtime", read_duration, reclaim_min_runtime_us, RECLAIM_MIN_RUNTIME),
    QUEUE("preempt_min_runtime", read_duration, preempt_min_runtime_us, PREEMPT_MIN_RUNTIME),
    QUEUE("preemption_delay", read_duration, preemption_delay_us, PREEMPTION_DELAY),
    QUEUE("jobs_max", read_count, jobs_max, JOBS_MAX),
    QUEUE("submitted_max", read_count, submitted_max, SUBMITTED_MAX),
    QUEUE_FLAG("per_user", LSCHED_QUEUE_PER_USER),
    QUEUE_FLAG("per_group", LSCHED_QUEUE_PER_GROUP),
    QUEUE_LIST("user_limit", read_limits, user_limit, n_user_limit, USER_LIMIT),
    QUEUE_LIST("group_limit", read_limits, group_limit, n_group_limit, GROUP_LIMIT),
    QUEUE("user_jobs_max", read_count, user_jobs_max, USER_JOBS_MAX),
    QUEUE("user_submitted_max", read_count, user_submitted_max, USER_SUBMITTED_MAX),
    QUEUE("group_jobs_max", read_count, group_jobs_max, GROUP_JOBS_MAX),
    QUEUE("group_submitted_max", read_count, group_submitted_max, GROUP_SUBMITTED_MAX),
    QUEUE("created", read_time, created_us, CREATED),
    QUEUE("tag", read_u64, tag, TAG),
};

static int32_t queue_form_read(struct field_reader *r, uint32_t value, struct queue_form *form) {
    memset(form, 0, sizeof *form);
    form->desc = (lsched_queue_desc)LSCHED_QUEUE_DESC_INIT;
    int32_t code = READ_MAP(r, value, "a queue", queue_fields, form, NULL);
    if (!code && !form->name.text)
        code = read_expected(r, LSCHED_E_KEY, value, "a queue with a name");
    return code;
}

/* Adds a note if a queue has limits that never apply. Limits for each user or group apply to the
 * user queues below a queue. A queue has user queues only if its key per_user or per_group is
 * true. */
static int32_t note_unused(struct field_reader *r, uint32_t value, const struct queue_form *form) {
    const lsched_queue_desc *d = &form->desc;
    int32_t code = 0;
    if (!(d->flags & LSCHED_QUEUE_PER_USER) &&
        (d->n_user_limit || d->user_jobs_max || d->user_submitted_max))
        code = read_note(r, value,
                         "user_limit, user_jobs_max and user_submitted_max have no effect on a "
                         "queue without per_user: true");
    if (!code && !(d->flags & LSCHED_QUEUE_PER_GROUP) &&
        (d->n_group_limit || d->group_jobs_max || d->group_submitted_max))
        code = read_note(r, value,
                         "group_limit, group_jobs_max and group_submitted_max have no effect on a "
                         "queue without per_group: true");
    return code;
}

/* Adds one queue to the action for each name in the range form->name. After the call,
 * form->desc.name is the name of the last queue. */
static int32_t queue_expand(struct field_reader *r, uint32_t value, struct queue_form *form,
                            struct action *action) {
    int32_t code = read_budget(r, value, form->name.count);
    for (uint64_t i = 0; !code && i < form->name.count; i++) {
        lsched_queue_desc *desc = read_add(r, &action->items, &action->marks, sizeof *desc, value);
        if (!desc) return LSCHED_E_NOMEM;
        code = read_range_name(r, &form->name, i, &form->desc.name);
        *desc = form->desc;
    }
    return code;
}

struct queue_reader {
    struct scn_list pending; /* elements are struct queue_pending */
    struct action *action;
    /* name of the parent of all queues in the list that is being read; ptr is NULL for the top
     * list */
    lsched_text parent;
    uint32_t depth;
};

static int32_t queue_item(struct field_reader *r, uint32_t value, void *out) {
    struct queue_reader *q = out;
    struct queue_form form;
    int32_t code = queue_form_read(r, value, &form);
    if (!code) code = note_unused(r, value, &form);
    if (!code && q->parent.ptr && form.desc.parent_name.ptr)
        return complain_at(
            &r->complain, LSCHED_E_KEY, read_mark(r, value),
            "expected a child without \"parent\", got one: it stands below %s already",
            complain_quote(q->parent.ptr, q->parent.len).text);
    if (!code && form.children && form.name.n_sets > 0)
        return read_expected(r, LSCHED_E_TYPE, form.children, "a single queue above children");
    if (q->parent.ptr) form.desc.parent_name = q->parent;
    if (!code) code = queue_expand(r, value, &form, q->action);
    if (code || !form.children) return code;
    if (q->depth + 1 >= LSCHED_QUEUE_DEPTH_MAX)
        return complain_at(&r->complain, LSCHED_E_LIMIT, read_mark(r, form.children),
                           "expected at most %d levels of queues, got more",
                           LSCHED_QUEUE_DEPTH_MAX);
    struct queue_pending *next = read_add(r, &q->pending, NULL, sizeof *next, value);
    if (!next) return LSCHED_E_NOMEM;
    *next = (struct queue_pending){form.children, q->depth + 1, form.desc.name};
    return 0;
}

/* ---- parents first ---- */

/* The order by name, in which a parent is found in O(log n). The library refuses two queues with
 * the same name later. Here, the queue that comes first in the text is first in the order. */
static int queue_before(const lsched_queue_desc *queues, uint32_t a, uint32_t b) {
    int order = scn_text_order(&queues[a].name, &queues[b].name);
    return order ? order < 0 : a < b;
}

SORT_IN_PLACE(queue_sort, uint32_t, const lsched_queue_desc *, queue_before)

/* Returns the row of the queue with that name. Returns n if the batch has no such queue. A parent
 * that is not in the batch must already exist in the cluster. */
static uint32_t queue_find(const lsched_queue_desc *queues, const uint32_t *rows, uint32_t n,
                           const lsched_text *name) {
    uint32_t low = 0, high = n;
    BISECT_FIRST(low, high, middle, scn_text_order(&queues[rows[middle]].name, name) >= 0);
    return low < n && scn_text_order(&queues[rows[low]].name, name) == 0 ? rows[low] : n;
}

/* Writes the rows of the queues to `order`, each parent before its children, and returns the number
 * of rows that it wrote. A queue whose chain of parents leads into a cycle is not written. The
 * function follows the chain of parents from each queue, but visits each queue only once. Therefore
 * the cost after the sort is O(n log n) for n queues. */
static uint32_t queue_order(const lsched_queue_desc *queues, const uint32_t *sorted, uint32_t n,
                            uint32_t *order, uint32_t *chain, uint8_t *done) {
    uint32_t n_order = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t n_chain = 0, at = i;
        while (at < n && done[at] == 0) {
            done[at] = 1; /* 1: the queue is on the chain of parents that the loop follows now */
            chain[n_chain++] = at;
            at = queues[at].parent_name.ptr ? queue_find(queues, sorted, n, &queues[at].parent_name)
                                            : n;
        }
        /* The mark of all queues of the chain:
         *   2  the queues are written to `order`
         *   3  the chain leads into a cycle: it reached one of its own queues, or a queue that
         *      already has the mark 3 */
        uint8_t mark = at < n && done[at] != 2 ? 3 : 2;
        while (n_chain-- > 0) {
            done[chain[n_chain]] = mark;
            if (mark == 2) order[n_order++] = chain[n_chain];
        }
    }
    return n_order;
}

static int32_t queue_cycle(const struct field_reader *r, const struct action *action,
                           const uint8_t *done) {
    const lsched_queue_desc *queues = action->items.items;
    const struct mark *marks = action->marks.items;
    uint32_t i = 0;
    while (done[i] != 3) i++;
    return complain_at(
        &r->complain, LSCHED_E_CYCLE, marks[i],
        "expected queues that form a tree, got a cycle: %s is below %s, which leads back",
        complain_quote(queues[i].name.ptr, queues[i].name.len).text,
        complain_quote(queues[i].parent_name.ptr, queues[i].parent_name.len).text);
}

static int32_t queue_parents_first(struct field_reader *r, struct action *action) {
    uint32_t n = action->items.n;
    const lsched_queue_desc *queues = action->items.items;
    const struct mark *marks = action->marks.items;
    uint32_t *rows = scn_memory_take(r->memory, (size_t)n * 3, sizeof *rows);
    uint8_t *done = scn_memory_take(r->memory, n, 1);
    lsched_queue_desc *sorted = scn_memory_take(r->memory, n, sizeof *sorted);
    struct mark *sorted_marks = scn_memory_take(r->memory, n, sizeof *sorted_marks);
    if (!rows || !done || !sorted || !sorted_marks) return read_no_memory(r);
    for (uint32_t i = 0; i < n; i++) rows[i] = i;
    queue_sort(queues, rows, n);
    if (queue_order(queues, rows, n, rows + n, rows + 2 * (size_t)n, done) < n)
        return queue_cycle(r, action, done);
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = queues[rows[n + i]];
        sorted_marks[i] = marks[rows[n + i]];
    }
    action->items.items = sorted;
    action->items.cap = n;
    action->marks.items = sorted_marks;
    action->marks.cap = n;
    return 0;
}

int32_t read_queues(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct queue_reader q;
    memset(&q, 0, sizeof q);
    q.action = step_action_add(r, step, ACTION_QUEUES, value);
    if (!q.action) return LSCHED_E_NOMEM;
    int32_t code = read_items(r, value, "queues", queue_item, &q);
    for (uint32_t i = 0; !code && i < q.pending.n; i++) {
        struct queue_pending next = ((struct queue_pending *)q.pending.items)[i];
        q.parent = next.parent;
        q.depth = next.depth;
        code = read_items(r, next.list, "queues", queue_item, &q);
    }
    if (!code) code = queue_parents_first(r, q.action);
    if (step->is_initial) r->scenario->n_queues = q.action->items.n;
    return code;
}

/* ---- updates ---- */

/* Returns the update that a form describes. */
static lsched_queue_update queue_update_of(const struct queue_form *form) {
    const lsched_queue_desc *d = &form->desc;
    return (lsched_queue_update){.size = sizeof(lsched_queue_update),
                                 .set = form->set |
                                        (form->set_flags ? (uint32_t)LSCHED_QUEUE_SET_FLAGS : 0),
                                 .name = d->name,
                                 .tag = d->tag,
                                 .quota = d->quota,
                                 .limit = d->limit,
                                 .weight_milli = d->weight_milli,
                                 .lend_limit = d->lend_limit,
                                 .user_limit = d->user_limit,
                                 .group_limit = d->group_limit,
                                 .n_quota = d->n_quota,
                                 .n_limit = d->n_limit,
                                 .n_weight = d->n_weight,
                                 .n_lend_limit = d->n_lend_limit,
                                 .n_user_limit = d->n_user_limit,
                                 .n_group_limit = d->n_group_limit,
                                 .flags = d->flags,
                                 .priority = d->priority,
                                 .reclaim_min_runtime_us = d->reclaim_min_runtime_us,
                                 .preempt_min_runtime_us = d->preempt_min_runtime_us,
                                 .preemption_delay_us = d->preemption_delay_us,
                                 .created_us = d->created_us,
                                 .jobs_max = d->jobs_max,
                                 .submitted_max = d->submitted_max,
                                 .user_jobs_max = d->user_jobs_max,
                                 .user_submitted_max = d->user_submitted_max,
                                 .group_jobs_max = d->group_jobs_max,
                                 .group_submitted_max = d->group_submitted_max};
}

static int32_t queue_update_item(struct field_reader *r, uint32_t value, void *out) {
    struct action *action = out;
    struct queue_form form;
    int32_t code = queue_form_read(r, value, &form);
    if (!code && (form.children || form.desc.parent_name.ptr))
        code = read_expected(r, LSCHED_E_KEY, value,
                             "an update without parent and children, which cannot change");
    if (!code) code = read_budget(r, value, form.name.count);
    for (uint64_t i = 0; !code && i < form.name.count; i++) {
        lsched_queue_update *u = read_add(r, &action->items, &action->marks, sizeof *u, value);
        if (!u) return LSCHED_E_NOMEM;
        code = read_range_name(r, &form.name, i, &form.desc.name);
        *u = queue_update_of(&form);
    }
    return code;
}

int32_t read_update_queues(struct field_reader *r, uint32_t value, void *out) {
    return step_action_items(r, value, out, ACTION_UPDATE_QUEUES, "queues", queue_update_item);
}
