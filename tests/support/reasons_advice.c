/* reasons_advice.c -- see reasons_advice.h. */
#include "support/reasons_advice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define START_US INT64_C(1767600000000000) /* of every world: reasons_world.c */

const char *reasons_row_name(uint32_t row) {
    static const char *const names[REASONS_ROWS] = {"none",
                                                    "room",
                                                    "never-fits",
                                                    "gang",
                                                    "limit",
                                                    "admit",
                                                    "filter",
                                                    "policy",
                                                    "budget",
                                                    "topology",
                                                    "quota",
                                                    "backoff",
                                                    "retries",
                                                    "jobs",
                                                    "lending",
                                                    "leaving",
                                                    "nominated",
                                                    "held",
                                                    "rules",
                                                    "planned",
                                                    "pipeline",
                                                    "refused",
                                                    "host-hold",
                                                    "members",
                                                    "supply",
                                                    "begin",
                                                    "dependency",
                                                    "dependency-never",
                                                    "absence",
                                                    "allowance",
                                                    "gain",
                                                    "evict: none",
                                                    "evict: never",
                                                    "evict: delay",
                                                    "evict: share",
                                                    "evict: protected",
                                                    "evict: min-runtime",
                                                    "evict: impossible",
                                                    "evict: budget",
                                                    "evict: rate",
                                                    "evict: no-fit",
                                                    "evict: refused",
                                                    "evict: not-asked"};
    return names[row];
}

/* ---- words ---- */

static struct rw_text out; /* large; tests have one thread */

static void begin(void) {
    out.n = 0;
    out.p[0] = '\0';
}

static void end(const struct rw *w, int64_t at_us, int later_s, char *to, size_t cap) {
    int64_t at = at_us > 0 ? at_us - START_US : (int64_t)(w->last_s + 1) * 1000000;
    if (at <= (int64_t)w->last_s * 1000000) at = (int64_t)w->last_s * 1000000 + 1;
    snprintf(to, cap, "  - {at: %" PRId64 "us%s}\n  - {at: %" PRId64 "us}\n", at, out.p,
             at + later_s * INT64_C(1000000) + 1);
}

static struct rw_node *node_named(struct rw *w, const lsched_cluster *c, lsched_id id) {
    size_t n = 0;
    const char *name = lsched_name(c, id, &n);
    return name ? rw_find_node(w, name, n) : NULL;
}

static struct rw_queue *queue_named(struct rw *w, const lsched_cluster *c, lsched_id id) {
    size_t n = 0;
    const char *name = lsched_name(c, id, &n);
    return name ? rw_find_queue(w, name, n) : NULL;
}

/* The word after some words, up to one of the ends. */
static size_t word_after(const char *text, const char *before, const char *ends, char *word) {
    const char *at = strstr(text, before);
    word[0] = '\0';
    if (!at) return 0;
    at += strlen(before);
    size_t n = strcspn(at, ends);
    if (n >= RW_NAME) n = RW_NAME - 1;
    memcpy(word, at, n);
    word[n] = '\0';
    return n;
}

/* ---- events ---- */

/* Finishes tasks of others that run on a node until so much more of its GPUs is free; or (any) all
 * that run there. 0: nobody else runs there, or what they hold is too little. */
static int finish_on(lsched_cluster *c, lsched_id node, int64_t milli, int any) {
    uint64_t cursor = 0;
    lsched_id job;
    int64_t freed = 0;
    uint32_t said = 0;
    lsched_task_info t = {.size = sizeof t};
    rw_put(&out, ", finish: [");
    while ((job = lsched_next(c, LSCHED_KIND_JOB, &cursor)) != 0) {
        uint64_t inner = 0;
        size_t n = 0;
        const char *name = lsched_name(c, job, &n);
        while (lsched_tasks_next(c, job, 0, &inner, &t, NULL) == 1) {
            int holds = any || (t.device_milli && freed < milli);
            if (t.node != node || t.state != LSCHED_TASK_RUNNING || !holds) continue;
            if (n == 1 && name[0] == 'j') continue;
            rw_put(&out, "%s%.*s/%u", said++ ? ", " : "", (int)n, name, t.task_index);
            freed += t.device_milli;
        }
    }
    rw_put(&out, "]");
    return said > 0 && (any || freed >= milli);
}

/* All that was told to stop is gone. */
static void stop_leaving(lsched_cluster *c) {
    uint64_t cursor = 0;
    lsched_id job;
    uint32_t said = 0;
    lsched_task_info t = {.size = sizeof t};
    while ((job = lsched_next(c, LSCHED_KIND_JOB, &cursor)) != 0) {
        uint64_t inner = 0;
        size_t n = 0;
        const char *name = lsched_name(c, job, &n);
        while (lsched_tasks_next(c, job, 0, &inner, &t, NULL) == 1)
            if (t.state == LSCHED_TASK_RELEASING)
                rw_put(&out, "%s%.*s/%u", said++ ? ", " : ", fail: [", (int)n, name, t.task_index);
    }
    if (said) rw_put(&out, "]");
}

static void update_node(const struct rw_node *n) {
    rw_put(&out, ", update_nodes: [");
    rw_put_node_update(&out, n);
    rw_put(&out, "]");
}

static void update_queue(const struct rw_queue *q) {
    rw_put(&out, ", update_queues: [");
    rw_put_queue(&out, q);
    rw_put(&out, "}]");
}

static void add_nodes(const struct rw_node *like, int64_t n) {
    struct rw_node copy = *like;
    rw_put(&out, ", add_nodes: [");
    for (int64_t i = 0; i < n && i < 12; i++) {
        snprintf(copy.name, sizeof copy.name, "new%d", (int)i);
        copy.cordoned = 0;
        rw_put(&out, i ? ", " : "");
        rw_put_node(&out, &copy);
    }
    rw_put(&out, "]");
}

/* ---- what is short on nodes ---- */

static int event(struct rw *w, const char *text, int later_s, struct reasons_advice *a) {
    begin();
    rw_put(&out, "%s", text);
    end(w, 0, later_s, a->event, sizeof a->event);
    return 1;
}

static int capacity(struct rw *w, struct rw_node *near, const lsched_waiting *r,
                    struct reasons_advice *a) {
    for (int less = 1; less >= 0; less--) {
        struct rw_node n = *near;
        n.has[r->kind] += r->need - r->have - less;
        begin();
        update_node(&n);
        end(w, 0, 1, less ? a->less : a->event, sizeof a->event);
    }
    return 1;
}

static int labels(struct rw *w, const char *text, struct reasons_advice *a) {
    char word[RW_NAME];
    struct rw_job *j = rw_find_job(&a->world, "j", 1);
    if (word_after(text, "there is zone=", ")", word))
        snprintf(j->zone, sizeof j->zone, "%s", word);
    else if (strstr(text, "with device model") && word_after(text, "(there is ", ")", word))
        snprintf(j->model, sizeof j->model, "%s", word);
    else
        return 0;
    begin();
    end(w, 0, 1, a->event, sizeof a->event);
    return 1;
}

static int never_fits(struct rw *w, lsched_cluster *c, const lsched_waiting *r, const char *text,
                      struct reasons_advice *a) {
    struct rw_node *near = node_named(w, c, r->near_node);
    int named = labels(w, text, a);
    if (!near || !strstr(text, " comes closest")) return named;
    if (r->kind == 0 || r->kind >= RW_KINDS) return named;
    if (r->kind != LSCHED_GPU) return capacity(w, near, r, a);
    struct rw_node n = *near;
    n.has[LSCHED_GPU] = r->need;
    begin();
    add_nodes(&n, 1);
    end(w, 0, 1, a->event, sizeof a->event);
    if (named) return 1;
    n.has[LSCHED_GPU] -= 1000;
    begin();
    add_nodes(&n, 1);
    end(w, 0, 1, a->less, sizeof a->less);
    return 1;
}

static int room(struct rw *w, lsched_cluster *c, const lsched_waiting *r, const char *text,
                struct reasons_advice *a) {
    struct rw_node *near = node_named(w, c, r->near_node);
    if (!strstr(text, "none has room now") &&
        (strstr(text, " has room now") || strstr(text, " have room now")))
        return event(w, "", 1, a); /* the next cycle will do */
    if (!near) return strstr(text, "cordoned") ? event(w, ", uncordon: n0", 1, a) : 0;
    int full = strstr(text, "as many tasks at a time") != NULL;
    if (r->kind != LSCHED_GPU && !full && r->need > r->have) return capacity(w, near, r, a);
    begin();
    if (!finish_on(c, r->near_node, r->need - r->have, full)) { /* its own tasks are there */
        begin();
        add_nodes(near, 1);
    }
    end(w, 0, 1, a->event, sizeof a->event);
    return 1;
}

static int gang(struct rw *w, lsched_cluster *c, const lsched_waiting *r, const char *text,
                struct reasons_advice *a) {
    struct rw_node *near = node_named(w, c, r->near_node);
    if (strstr(text, "one more task needs")) return room(w, c, r, text, a);
    if (!near || r->need <= r->have) return 0;
    begin();
    add_nodes(near, r->need - r->have);
    end(w, 0, 1, a->event, sizeof a->event);
    return 1;
}

static int topology(struct rw *w, const char *text, struct reasons_advice *a) {
    const char *at = strstr(text, " comes closest");
    if (!at) return 0;
    const char *from = at;
    while (from > text && from[-1] != ' ') from--;
    struct rw_node n = w->node[0];
    snprintf(n.rack, sizeof n.rack, "%.*s", (int)(at - from), from);
    begin();
    add_nodes(&n, 8);
    end(w, 0, 1, a->event, sizeof a->event);
    return 1;
}

/* ---- what queues say ---- */

enum { OF_LIMIT, OF_QUOTA, OF_LEND };

static int queue_amount(struct rw *w, lsched_cluster *c, const lsched_waiting *r, int what,
                        struct reasons_advice *a) {
    struct rw_queue *q = queue_named(w, c, r->limiting_queue);
    if (!q || r->kind >= RW_KINDS || r->need <= r->have) return 0;
    for (int less = 1; less >= 0; less--) {
        struct rw_queue to = *q;
        int64_t *amounts = what == OF_LIMIT ? to.limit : what == OF_QUOTA ? to.quota : to.lend;
        int64_t was = amounts[r->kind] < 0 ? 0 : amounts[r->kind];
        amounts[r->kind] = was + r->need - r->have - less;
        begin();
        update_queue(&to);
        end(w, 0, 1, less ? a->less : a->event, sizeof a->event);
    }
    return 1;
}

static int limit(struct rw *w, lsched_cluster *c, const lsched_waiting *r, const char *text,
                 struct reasons_advice *a) {
    if (!strstr(text, "sets that limit")) return queue_amount(w, c, r, OF_LIMIT, a);
    if (!strstr(text, "sets that limit, until ")) return 0;
    begin();
    end(w, START_US + INT64_C(36000000000), 1, a->event, sizeof a->event);
    return 1;
}

static int jobs(struct rw *w, lsched_cluster *c, const lsched_waiting *r,
                struct reasons_advice *a) {
    struct rw_queue *q = queue_named(w, c, r->limiting_queue);
    if (!q) return 0;
    for (int less = 1; less >= 0; less--) {
        struct rw_queue to = *q;
        to.jobs_max += (int)(r->need - r->have) - less;
        begin();
        update_queue(&to);
        end(w, 0, 1, less ? a->less : a->event, sizeof a->event);
    }
    return 1;
}

/* ---- the policy ---- */

static int filter(struct rw *w, const char *text, struct reasons_advice *a) {
    char name[RW_NAME];
    if (!word_after(text, "such as ", ";", name) || !strstr(text, "(line ")) return 0;
    struct rw_node *n = rw_find_node(w, name, strlen(name));
    if (!n) return 0;
    struct rw_node to = *n;
    snprintf(to.zone, sizeof to.zone, "b");
    begin();
    update_node(&to);
    end(w, 0, 31, a->event, sizeof a->event);
    return 1;
}

/* ---- members ---- */

/* As many members as the text says that the job needs. */
static int members(struct rw *w, const lsched_waiting *r, const char *text,
                   struct reasons_advice *a) {
    const char *of = strstr(text, "of the ");
    int need = 0;
    if (!of || sscanf(of, "of the %d members", &need) != 1 || need != r->need) return 0;
    begin();
    rw_put(&out, ", update_jobs: [{name: j, members: %d}]", need);
    end(w, 0, 1, a->event, sizeof a->event);
    begin();
    rw_put(&out, ", update_jobs: [{name: j, members: %d}]", need - 1);
    end(w, 0, 1, a->less, sizeof a->less);
    return 1;
}

/* ---- supplies ---- */

static void put_tokens(const char *rack, int64_t amount) {
    begin();
    rw_put(&out, ", update_supplies: [{supply: tokens");
    if (rack[0]) rw_put(&out, ", at: {rack: %s}", rack);
    rw_put(&out, ", amount: %" PRId64 "}]", amount);
}

/* As much more at the place that the text names as the job lacks there. */
static int supply(struct rw *w, const lsched_waiting *r, const char *text,
                  struct reasons_advice *a) {
    const char *of = strstr(text, " of supply tokens left of ");
    char rack[RW_NAME];
    int64_t amount = 0;
    if (!of || sscanf(of, " of supply tokens left of %" SCNd64, &amount) != 1) return 0;
    if (!word_after(text, "rack ", " ", rack) && !strstr(text, "the cluster has")) return 0;
    put_tokens(rack, amount + r->need - r->have);
    end(w, 0, 1, a->event, sizeof a->event);
    put_tokens(rack, amount + r->need - r->have - 1);
    end(w, 0, 1, a->less, sizeof a->less);
    return 1;
}

/* ---- absences ---- */

/* The node that the text names stays after all. */
static int absence(struct rw *w, const char *text, struct reasons_advice *a) {
    char name[RW_NAME];
    if (!word_after(text, ": node ", " ", name)) return 0;
    if (!strstr(text, " leaves at ") && !strstr(text, " is away ")) return 0;
    begin();
    rw_put(&out, ", update_nodes: [{name: %s, leaves_every: 0s}]", name);
    end(w, 0, 1, a->event, sizeof a->event);
    return 1;
}

/* ---- others ---- */

static int rules(struct rw *w, lsched_cluster *c, const char *text, struct reasons_advice *a) {
    begin();
    if (strstr(text, "near a job with app=db")) {
        struct rw_job x = {.count = 1, .min = -1, .priority = 9};
        snprintf(x.name, sizeof x.name, "db");
        snprintf(x.queue, sizeof x.queue, "q");
        snprintf(x.app, sizeof x.app, "db");
        x.needs[LSCHED_CPU] = 1000;
        rw_put(&out, ", submit: [");
        rw_put_job(&out, w, &x);
        rw_put(&out, "]");
    } else if (strstr(text, "apart from jobs with app=db")) {
        lsched_id n = lsched_find(c, LSCHED_KIND_NODE, LSCHED_TEXT("n0"));
        if (finish_on(c, n, 0, 1) == 0) return 0;
    } else {
        return 0;
    }
    end(w, 0, 31, a->event, sizeof a->event);
    return 1;
}

/* At that time; `gone`: what was told to stop has stopped. */
static int after(struct rw *w, lsched_cluster *c, int64_t until, int gone,
                 struct reasons_advice *a) {
    if (until == LSCHED_NEVER_US) return 0;
    begin();
    if (gone) stop_leaving(c);
    end(w, until, 1, a->event, sizeof a->event);
    if (gone) return 1;
    snprintf(a->less, sizeof a->less, "  - {at: %" PRId64 "us}\n", until - START_US - 1);
    return 1;
}

/* The job ends well whose success it waits for. */
static int dependency(struct rw *w, const char *text, struct reasons_advice *a) {
    char name[RW_NAME];
    if (!word_after(text, "the success of job ", ",; ", name)) return 0;
    begin();
    rw_put(&out, ", finish: %s", name);
    end(w, 0, 1, a->event, sizeof a->event);
    return 1;
}

/* The job ends whose end it waits for. */
static int planned(struct rw *w, lsched_cluster *c, const lsched_waiting *r,
                   struct reasons_advice *a) {
    size_t n = 0;
    const char *name = lsched_name(c, r->plan_job, &n);
    if (!name || r->until_us == LSCHED_NEVER_US) return 0;
    begin();
    rw_put(&out, ", finish: %.*s", (int)n, name);
    end(w, r->until_us, 1, a->event, sizeof a->event);
    return 1;
}

static int advise_others(struct rw *w, lsched_cluster *c, const lsched_waiting *r, const char *text,
                         struct reasons_advice *a) {
    char word[RW_NAME];
    struct rw_queue *q = queue_named(w, c, r->evict_queue);
    struct rw_job *j = rw_find_job(&a->world, "j", 1), *x;
    begin();
    end(w, 0, 1, a->event, sizeof a->event);
    if (r->evict_code == LSCHED_NO_VICTIM_NEVER) return j->never_preempts = 0, 1;
    if (r->evict_code == LSCHED_NO_VICTIM_DELAY || r->evict_code == LSCHED_NO_VICTIM_MIN_RUNTIME ||
        r->evict_code == LSCHED_NO_VICTIM_RATE)
        return after(w, c, r->until_us, 0, a) && (a->less[0] = '\0', 1);
    if (word_after(text, "work that is not preemptible (", " )", word) &&
        (x = rw_find_job(&a->world, word, strlen(word))) != NULL)
        return x->firm = 0, 1;
    if (word_after(text, "with priority ", " or more", word)) {
        begin();
        rw_put(&out, ", priority: {j: %s}", word);
        end(w, 0, 1, a->event, sizeof a->event);
        return 1;
    }
    if (strstr(text, "hook victim (line ")) {
        char *nil = strstr(a->world.policy, "return nil");
        if (nil) nil[7] = '1', nil[8] = nil[9] = ' '; /* "return 1  " */
        return nil != NULL;
    }
    if (strstr(text, "the policy's saturation"))
        return event(w, ", policy: {name: guaranteed-quota, params: {saturation: 1}}", 31, a);
    if (r->evict_code == LSCHED_NO_VICTIM_SHARE && q && r->evict_kind < RW_KINDS) {
        struct rw_queue to = *q;
        int64_t used = 0;
        lsched_queue_amount(c, r->evict_queue, r->evict_kind, &used, NULL, NULL, NULL);
        to.quota[r->evict_kind] = used + r->evict_need;
        begin();
        update_queue(&to);
        end(w, 0, 31, a->event, sizeof a->event);
        return 1;
    }
    if (r->evict_code == LSCHED_NO_VICTIM_PROTECTED && strstr(text, "guarantees protect")) {
        for (uint32_t i = 1; i < a->world.n_queues; i++) a->world.queue[i].quota[LSCHED_GPU] = 0;
        return 1;
    }
    if (r->evict_need > r->evict_have && r->evict_kind && r->evict_kind < RW_KINDS) {
        struct rw_node n = w->node[0];
        n.has[r->evict_kind] =
            r->evict_need > n.has[r->evict_kind] ? r->evict_need : n.has[r->evict_kind];
        begin();
        add_nodes(&n, 1);
        end(w, 0, 1, a->event, sizeof a->event);
        return 1;
    }
    return 0;
}

int reasons_advise(const struct rw *world, lsched_cluster *c, const lsched_waiting *r,
                   const char *text, int about_others, struct reasons_advice *a) {
    static struct rw copy;
    struct rw *w = &copy;
    copy = a->world = *world;
    a->event[0] = a->less[0] = '\0';
    a->is_about_others = about_others;
    if (about_others) return advise_others(w, c, r, text, a);
    switch (r->code) {
    case LSCHED_WAIT_ROOM: return room(w, c, r, text, a);
    case LSCHED_WAIT_NEVER_FITS: return never_fits(w, c, r, text, a);
    case LSCHED_WAIT_GANG: return gang(w, c, r, text, a);
    case LSCHED_WAIT_LIMIT: return limit(w, c, r, text, a);
    case LSCHED_WAIT_ADMIT:
        return strstr(text, "needs priority 5") ? event(w, ", priority: {j: 5}", 31, a) : 0;
    case LSCHED_WAIT_POLICY: return strstr(text, ":") ? event(w, ", policy: fifo", 31, a) : 0;
    case LSCHED_WAIT_FILTER: return filter(w, text, a);
    case LSCHED_WAIT_BUDGET:
        if (!strpbrk(text, "0123456789")) return 0;
        return event(w, ", schedule: {work_budget: 1000000}", 1, a);
    case LSCHED_WAIT_TOPOLOGY: return topology(w, text, a);
    case LSCHED_WAIT_QUOTA: return queue_amount(w, c, r, OF_QUOTA, a);
    case LSCHED_WAIT_LENDING: return queue_amount(w, c, r, OF_LEND, a);
    case LSCHED_WAIT_REFUSED:
    case LSCHED_WAIT_BACKOFF: return after(w, c, r->until_us, 0, a);
    case LSCHED_WAIT_RETRIES:
    case LSCHED_WAIT_HELD:
        return strstr(text, "LSCHED_JOB_SET_AGAIN") ? event(w, ", priority: {j: 1}", 1, a) : 0;
    case LSCHED_WAIT_HOST_HOLD:
        if (r->until_us != LSCHED_NEVER_US) return after(w, c, r->until_us, 0, a);
        return strstr(text, "until it is released") ? event(w, ", release: j", 1, a) : 0;
    case LSCHED_WAIT_ALLOWANCE:
    case LSCHED_WAIT_BEGIN: return after(w, c, r->until_us, 0, a);
    case LSCHED_WAIT_DEPENDENCY: return dependency(w, text, a);
    case LSCHED_WAIT_DEPENDENCY_NEVER:
        if (!strstr(text, "LSCHED_JOB_SET_DEPENDENCIES")) return 0;
        return event(w, ", update_jobs: [{name: j, after: []}]", 1, a);
    case LSCHED_WAIT_MEMBERS: return members(w, r, text, a);
    case LSCHED_WAIT_SUPPLY: return supply(w, r, text, a);
    case LSCHED_WAIT_ABSENCE: return absence(w, text, a);
    case LSCHED_WAIT_JOBS: return jobs(w, c, r, a);
    case LSCHED_WAIT_LEAVING:
    case LSCHED_WAIT_NOMINATED: return after(w, c, r->until_us, 1, a);
    case LSCHED_WAIT_RULES: return rules(w, c, text, a);
    case LSCHED_WAIT_PLANNED: return planned(w, c, r, a);
    case LSCHED_WAIT_PIPELINE: return event(w, ", policy: drf", 1, a);
    default: return 0;
    }
}
