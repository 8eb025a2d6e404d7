/*
 * parse_queues.c -- reads `queues:`. A scenario writes the tree of queues with `children:`, with
 * `parent:`, or with both.
 *
 * The queues of one batch are stored with parents first, in whatever order the text has them,
 * because an element of a batch may refer only to earlier elements. Children are read with an
 * explicit list as a stack instead of recursion.
 */
#include <string.h>

#include "base/sort.h"
#include "config/read/name_range.h"
#include "config/objects/scenario_parts.h"

struct queue_form {
    struct name_range name;
    uint32_t named;
    uint32_t children; /* index of the value in the YAML tree; 0: none */
    uint32_t per_user, per_group;
    lsched_queue_desc desc;
    struct scn_list quota, limit, weight, lend_limit, user_limit, group_limit;
};

/* A list of child queues that is still to be read, and their parent queue. */
struct queue_pending {
    uint32_t list;
    uint32_t depth;
    lsched_text parent;
};

static int32_t queue_name(struct field_reader *r, uint32_t value, void *out) {
    struct queue_form *form = out;
    form->named = 1;
    return read_range(r, value, &form->name);
}

static int32_t queue_children(struct field_reader *r, uint32_t value, void *out) {
    (void)r;
    *(uint32_t *)out = value;
    return 0;
}

static int32_t queue_weight_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    size_t len;
    uint32_t kind = read_kind(r, read_chars(r, key, &len));
    if (!kind) return 0;
    lsched_amount *amount = read_add(r, out, NULL, sizeof *amount, value);
    if (!amount) return LSCHED_E_NOMEM;
    amount->kind = kind;
    int32_t code = read_units(r, value, UNITS_WEIGHT_MILLI, &amount->amount);
    return code ? code : 1;
}

/* Reads one number for all resource kinds, or a map with a number per kind. */
static int32_t queue_weight(struct field_reader *r, uint32_t value, void *out) {
    if (read_is(r, value, YTREE_MAP))
        return read_map(r, value, "resource kinds", NULL, 0, out, queue_weight_key);
    lsched_amount *amount = read_add(r, out, NULL, sizeof *amount, value);
    if (!amount) return LSCHED_E_NOMEM;
    amount->kind = LSCHED_ANY_RESOURCE;
    return read_units(r, value, UNITS_WEIGHT_MILLI, &amount->amount);
}

static const struct field queue_fields[] = {
    {"name", queue_name, 0},
    FIELD(struct queue_form, "parent", read_text, desc.parent_name),
    FIELD(struct queue_form, "children", queue_children, children),
    FIELD(struct queue_form, "priority", read_i32, desc.priority),
    FIELD(struct queue_form, "quota", read_limits, quota),
    FIELD(struct queue_form, "limit", read_limits, limit),
    FIELD(struct queue_form, "weight", queue_weight, weight),
    FIELD(struct queue_form, "lend_limit", read_limits, lend_limit),
    FIELD(struct queue_form, "reclaim_min_runtime", read_duration, desc.reclaim_min_runtime_us),
    FIELD(struct queue_form, "preempt_min_runtime", read_duration, desc.preempt_min_runtime_us),
    FIELD(struct queue_form, "preemption_delay", read_duration, desc.preemption_delay_us),
    FIELD(struct queue_form, "jobs_max", read_count, desc.jobs_max),
    FIELD(struct queue_form, "submitted_max", read_count, desc.submitted_max),
    FIELD(struct queue_form, "per_user", read_bool, per_user),
    FIELD(struct queue_form, "per_group", read_bool, per_group),
    FIELD(struct queue_form, "user_limit", read_limits, user_limit),
    FIELD(struct queue_form, "group_limit", read_limits, group_limit),
    FIELD(struct queue_form, "user_jobs_max", read_count, desc.user_jobs_max),
    FIELD(struct queue_form, "user_submitted_max", read_count, desc.user_submitted_max),
    FIELD(struct queue_form, "group_jobs_max", read_count, desc.group_jobs_max),
    FIELD(struct queue_form, "group_submitted_max", read_count, desc.group_submitted_max),
    FIELD(struct queue_form, "created", read_time, desc.created_us),
    FIELD(struct queue_form, "tag", read_u64, desc.tag),
};

static int32_t queue_form_read(struct field_reader *r, uint32_t value, struct queue_form *form) {
    memset(form, 0, sizeof *form);
    form->desc = (lsched_queue_desc)LSCHED_QUEUE_DESC_INIT;
    int32_t code = read_map(r, value, "a queue", queue_fields,
                            sizeof queue_fields / sizeof *queue_fields, form, NULL);
    if (!code && !form->named) code = read_expected(r, LSCHED_E_KEY, value, "a queue with a name");
    form->desc.quota = form->quota.items;
    form->desc.n_quota = form->quota.n;
    form->desc.limit = form->limit.items;
    form->desc.n_limit = form->limit.n;
    form->desc.weight_milli = form->weight.items;
    form->desc.n_weight = form->weight.n;
    form->desc.lend_limit = form->lend_limit.items;
    form->desc.n_lend_limit = form->lend_limit.n;
    form->desc.user_limit = form->user_limit.items;
    form->desc.n_user_limit = form->user_limit.n;
    form->desc.group_limit = form->group_limit.items;
    form->desc.n_group_limit = form->group_limit.n;
    form->desc.flags = (form->per_user ? (uint32_t)LSCHED_QUEUE_PER_USER : 0) |
                       (form->per_group ? (uint32_t)LSCHED_QUEUE_PER_GROUP : 0);
    return code;
}

/* Limits of users and groups apply to the user queues of a queue. A queue has user queues only
 * with per_user or per_group, therefore limits without these keys get a note. */
static int32_t note_unused(struct field_reader *r, uint32_t value, const struct queue_form *form) {
    const lsched_queue_desc *d = &form->desc;
    int32_t code = 0;
    if (!form->per_user && (d->n_user_limit || d->user_jobs_max || d->user_submitted_max))
        code = read_note(r, value,
                         "user_limit, user_jobs_max and user_submitted_max have no effect on a "
                         "queue without per_user: true");
    if (!code && !form->per_group &&
        (d->n_group_limit || d->group_jobs_max || d->group_submitted_max))
        code = read_note(r, value,
                         "group_limit, group_jobs_max and group_submitted_max have no effect on a "
                         "queue without per_group: true");
    return code;
}

struct queue_reader {
    struct scn_list pending; /* elements are struct queue_pending */
    struct action *action;
    lsched_text parent; /* parent of the queues in the list that is being read */
    uint32_t depth;
};

static int32_t queue_item(struct field_reader *r, uint32_t value, void *out) {
    struct queue_reader *q = out;
    struct queue_form form;
    int32_t code = queue_form_read(r, value, &form);
    if (!code) code = note_unused(r, value, &form);
    if (!code) code = read_budget(r, value, form.name.count);
    if (!code && q->parent.ptr && form.desc.parent_name.ptr)
        return complain_at(
            &r->complain, LSCHED_E_KEY, read_mark(r, value),
            "expected a child without \"parent\", got one: it stands below %s already",
            complain_quote(q->parent.ptr, q->parent.len).text);
    if (!code && form.children && form.name.n_sets > 0)
        return read_expected(r, LSCHED_E_TYPE, form.children, "a single queue above children");
    if (q->parent.ptr) form.desc.parent_name = q->parent;
    for (uint64_t i = 0; !code && i < form.name.count; i++) {
        lsched_queue_desc *desc =
            read_add(r, &q->action->items, &q->action->marks, sizeof *desc, value);
        if (!desc) return LSCHED_E_NOMEM;
        code = read_range_name(r, &form.name, i, &form.desc.name);
        *desc = form.desc;
    }
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

/* Compares names of queues. Rows are sorted by name to find a parent in O(log n). */
static int queue_text_compare(const lsched_text *a, const lsched_text *b) {
    size_t n = a->len < b->len ? a->len : b->len;
    int order = memcmp(a->ptr, b->ptr, n);
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

/* Two queues with one name are refused later; until then the earlier row sorts first. */
static int queue_before(const lsched_queue_desc *queues, uint32_t a, uint32_t b) {
    int order = queue_text_compare(&queues[a].name, &queues[b].name);
    return order ? order < 0 : a < b;
}

SORT_IN_PLACE(queue_sort, uint32_t, const lsched_queue_desc *, queue_before)

/* Returns the row of the queue with that name. Returns n if the batch has none; then the parent
 * must already exist in the cluster. */
static uint32_t queue_find(const lsched_queue_desc *queues, const uint32_t *rows, uint32_t n,
                           const lsched_text *name) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (queue_text_compare(&queues[rows[middle]].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && queue_text_compare(&queues[rows[low]].name, name) == 0 ? rows[low] : n;
}

/* Writes the rows into `order` so that parents come before children. Rows on a cycle of parents or
 * below one are left out; the function returns the number of the other rows. Each chain of parents
 * is walked up once and written down once, therefore the cost after the sort is O(n log n) for n
 * queues. */
static uint32_t queue_order(const lsched_queue_desc *queues, const uint32_t *sorted, uint32_t n,
                            uint32_t *order, uint32_t *chain, uint8_t *done) {
    uint32_t n_order = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t n_chain = 0, at = i;
        while (at < n && done[at] == 0) {
            done[at] = 1; /* 1: on the chain that is being walked */
            chain[n_chain++] = at;
            at = queues[at].parent_name.ptr ? queue_find(queues, sorted, n, &queues[at].parent_name)
                                            : n;
        }
        /* `mark` is 3 if the chain met itself, or a queue that is on or below a cycle. `mark` is 2
         * if the queues of the chain get a place in `order`. */
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
    q.action = read_action(r, step->step, ACTION_QUEUES, value);
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

static int32_t queue_update_item(struct field_reader *r, uint32_t value, void *out) {
    struct action *action = out;
    struct queue_form form;
    int32_t code = queue_form_read(r, value, &form);
    if (!code && (form.children || form.desc.parent_name.ptr))
        code = read_expected(r, LSCHED_E_KEY, value,
                             "an update without parent and children, which cannot change");
    if (!code) code = read_budget(r, value, form.name.count);
    for (uint64_t i = 0; !code && i < form.name.count; i++) {
        lsched_queue_desc *desc = read_add(r, &action->items, &action->marks, sizeof *desc, value);
        if (!desc) return LSCHED_E_NOMEM;
        code = read_range_name(r, &form.name, i, &form.desc.name);
        *desc = form.desc;
    }
    return code;
}

int32_t read_update_queues(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct action *action = read_action(r, step->step, ACTION_UPDATE_QUEUES, value);
    return action ? read_items(r, value, "queues", queue_update_item, action) : LSCHED_E_NOMEM;
}
