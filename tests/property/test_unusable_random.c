/*
 * lsched_queue_warnings in random clusters: what it says of a guarantee holds against every way in
 * which jobs of these sizes can be put on these nodes, however many of them there are; with jobs of
 * one size it says all there is to say; and whoever follows its advice hears nothing more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "property/chance.h"
#include "support/told.h"

/* MORE_NODES: room for those that an advice asks for */
enum { NODES = 3, MORE_NODES = 40, GPUS = 4, JOBS = 2, PLACES = 125, STARTED = 1 << JOBS };

struct job {
    uint32_t tasks, min, gpus;
};
struct world {
    uint32_t n_nodes, n_jobs, guarantee;
    struct {
        uint32_t whole, cut;
    } node[NODES + MORE_NODES];
    struct job job[JOBS];
};

static struct world random_world(struct chance *c) {
    struct world w = {.n_nodes = 1 + chance_below(c, NODES), .n_jobs = 1 + chance_below(c, JOBS)};
    uint32_t devices = 0;
    for (uint32_t i = 0; i < w.n_nodes; i++) {
        w.node[i].whole = chance_below(c, GPUS + 1);
        w.node[i].cut = w.node[i].whole ? chance_below(c, 3) : 1;
        devices += w.node[i].whole + w.node[i].cut;
    }
    for (uint32_t j = 0; j < w.n_jobs; j++) {
        struct job *job = &w.job[j];
        *job = (struct job){1 + chance_below(c, 4), 0, 1 + chance_below(c, GPUS)};
        job->min = chance_one_in(c, 2) ? job->tasks : 1 + chance_below(c, job->tasks);
    }
    w.guarantee = 1 + chance_below(c, devices);
    return w;
}

/* ---- the cluster ----------------------------------------------------------------------------- */

struct text {
    char at[4000];
    size_t n;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, format, args);
    va_end(args);
    assert_true(t->n < sizeof t->at);
}

static void put_gpus(struct text *t, uint32_t count, const char *mode) {
    if (count) put(t, "{count: %u, model: H100-80GB, memory: 80Gi%s}, ", count, mode);
}

static lsched_cluster *cluster_of(const struct world *w) {
    struct text t = {.n = 0};
    put(&t, "policy: guaranteed-quota\nnodes:\n");
    for (uint32_t i = 0; i < w->n_nodes; i++) {
        put(&t, "  - {name: n%u, cpu: 64, gpus: [", i);
        put_gpus(&t, w->node[i].whole, "");
        put_gpus(&t, w->node[i].cut, ", sharing: mig");
        put(&t, "]}\n");
    }
    put(&t, "queues: [{name: q, quota: {gpu: %u}}]\njobs:\n", w->guarantee);
    for (uint32_t j = 0; j < w->n_jobs; j++)
        put(&t, "  - {name: j%u, queue: q, tasks: {count: %u, min: %u, gpu: %u}}\n", j,
            w->job[j].tasks, w->job[j].min, w->job[j].gpus);
    return told_begin(t.at);
}

static void warnings_of(const struct world *w, char text[2000]) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = cluster_of(w);
    int64_t n = lsched_queue_warnings(cluster, text, 2000, &err);
    if (n < 0 || n >= 2000) fail_msg("%d %s", (int)n, err.message);
    lsched_cluster_destroy(cluster);
}

/* The number behind the words; -1: they are not in the text. */
static int64_t number_behind(const char *text, const char *words) {
    const char *at = strstr(text, words);
    return at ? strtoll(at + strlen(words), NULL, 10) : -1;
}

#define AT_MOST "can use at most "
#define STARTS  "its jobs can start on "

static int64_t raise_of(const char *text) {
    int64_t raise = number_behind(text, "raise it to ");
    return raise < 0 ? number_behind(text, "raise the guarantee to ") : raise;
}

/* ---- every way to place ---------------------------------------------------------------------- */

struct search {
    const struct world *w;
    uint8_t seen[PLACES][STARTED];
    uint32_t list[PLACES * STARTED][2], n;
};

static uint32_t free_on(uint32_t places, uint32_t node) {
    for (; node; node--) places /= GPUS + 1;
    return places % (GPUS + 1);
}

static uint32_t step_of(uint32_t node) {
    uint32_t step = 1;
    for (; node; node--) step *= GPUS + 1;
    return step;
}

static void reach(struct search *s, uint32_t places, uint32_t started) {
    if (s->seen[places][started]) return;
    s->seen[places][started] = 1;
    s->list[s->n][0] = places;
    s->list[s->n++][1] = started;
}

/* All ways to place so many tasks; those of one job are alike, so their nodes do not go back. */
static void place(struct search *s, uint32_t places, uint32_t from, uint32_t job, uint32_t tasks) {
    uint32_t gpus = s->w->job[job].gpus;
    struct {
        uint32_t places, node, tasks;
    } stack[64];
    uint32_t n = 0, started = from | 1u << job;
    stack[n].places = places;
    stack[n].node = 0;
    stack[n++].tasks = tasks;
    while (n) {
        uint32_t here = stack[--n].places, node = stack[n].node, left = stack[n].tasks;
        if (!left) {
            reach(s, here, started);
            continue;
        }
        if (node == NODES) continue;
        for (uint32_t k = 0; k <= left && k * gpus <= free_on(here, node); k++) {
            assert_true(n < 64);
            stack[n].places = here - k * gpus * step_of(node);
            stack[n].node = node + 1;
            stack[n++].tasks = left - k;
        }
    }
}

/* The most GPUs within the guarantee that jobs of these sizes can hold. */
static uint32_t most_held(const struct world *w) {
    static struct search s;
    uint32_t all = 0, start = 0, most = 0;
    memset(&s, 0, sizeof s);
    s.w = w;
    for (uint32_t i = 0; i < w->n_nodes; i++) {
        all += w->node[i].whole;
        start += w->node[i].whole * step_of(i);
    }
    reach(&s, start, 0);
    for (uint32_t at = 0; at < s.n; at++) {
        uint32_t places = s.list[at][0], started = s.list[at][1], held = all;
        for (uint32_t i = 0; i < NODES; i++) held -= free_on(places, i);
        if (held <= w->guarantee && held > most) most = held;
        for (uint32_t j = 0; j < w->n_jobs; j++) {
            place(&s, places, started, j, w->job[j].min);
            if ((started & 1u << j) && w->job[j].min < w->job[j].tasks)
                place(&s, places, started, j, 1);
        }
    }
    return most;
}

/* ---- the property ---------------------------------------------------------------------------- */

static void assert_silent(const struct world *w, const char *before) {
    char text[2000];
    warnings_of(w, text);
    if (text[0]) fail_msg("after the advice of:\n%sit says:\n%s", before, text);
}

static void assert_advice_helps(const struct world *w, const char *text) {
    struct world other = *w;
    int64_t down = number_behind(text, "lower the guarantee to ");
    if (down > 0) {
        struct world lower = *w;
        lower.guarantee = (uint32_t)down;
        assert_silent(&lower, text);
    }
    int64_t raise = raise_of(text), more = number_behind(text, "provide "),
            lot = number_behind(text, "on nodes of ");
    assert_true(down >= 0 || raise > 0 || more > 0 || strstr(text, "smaller jobs could"));
    if (raise < 0 && more < 0) return;
    if (raise > 0) other.guarantee = (uint32_t)raise;
    if (lot < 1) lot = 1;
    for (int64_t left = more > lot ? more : more > 0 ? lot : 0; left > 0;) {
        int64_t here = left < 2 * lot ? left : lot;
        assert_true(other.n_nodes < NODES + MORE_NODES);
        other.node[other.n_nodes++].whole = (uint32_t)here;
        left -= here;
    }
    assert_silent(&other, text);
}

static uint32_t told_of;

static void check_world(const struct world *w) {
    char text[2000];
    warnings_of(w, text);
    uint32_t most = most_held(w), single = w->n_jobs == 1;
    int64_t said = number_behind(text, AT_MOST);
    if (said < 0) said = number_behind(text, STARTS);
    if (said >= 0 && most > said)
        fail_msg("%u of %u GPUs can be used, and it says:\n%s", most, w->guarantee, text);
    if (single && (said < 0 ? w->guarantee : said) != most && w->job[0].min == w->job[0].tasks)
        fail_msg("%u of %u GPUs can be used, and it says:\n%s", most, w->guarantee, text);
    if (said < 0) return;
    told_of++;
    assert_advice_helps(w, text);
}

static void test_what_is_said_holds_and_helps(void **state) {
    (void)state;
    uint64_t rounds = chance_rounds(600), seed = chance_seed(17);
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance c = {seed + i};
        struct world w = random_world(&c);
        check_world(&w);
    }
    if (rounds > 100) assert_true(told_of > rounds / 10);
}

/* ---- what a queue is seen to use ------------------------------------------------------------- */

/* Queue q with gangs, below a parent or not, beside others; guests hold the nodes; later tasks end
 * and a node goes. */
struct scene {
    uint32_t n_nodes, size, n_gangs, quota, limit, parent, sibling, other, guests, finish, removal;
    struct job gang[JOBS];
};

static struct scene random_scene(struct chance *c) {
    struct scene s = {.n_nodes = 1 + chance_below(c, NODES), .n_gangs = 1 + chance_below(c, JOBS)};
    s.size = 4 + 2 * chance_below(c, 3);
    uint32_t all = s.n_nodes * s.size;
    s.quota = 1 + chance_below(c, all);
    s.limit = chance_one_in(c, 3) ? 1 + chance_below(c, all) : 0;
    s.parent = chance_one_in(c, 3) ? 1 + chance_below(c, all) : 0;
    s.sibling = chance_below(c, all / 2 + 1);
    s.other = chance_below(c, all + 1);
    s.guests = chance_below(c, 2);
    s.finish = chance_below(c, 2);
    s.removal = chance_below(c, 2);
    for (uint32_t j = 0; j < s.n_gangs; j++) {
        uint32_t count = 1 + chance_below(c, 3);
        s.gang[j] = (struct job){count, chance_one_in(c, 2) ? count : chance_below(c, count),
                                 1 + chance_below(c, s.size)};
    }
    return s;
}

static void put_scene_queues(struct text *t, const struct scene *s) {
    const char *parent = s->parent ? ", parent: p" : "";
    put(t, "queues:\n");
    if (s->parent) put(t, "  - {name: p, quota: {gpu: %u}}\n", s->parent);
    put(t, "  - {name: q%s, quota: {gpu: %u}", parent, s->quota);
    if (s->limit) put(t, ", limit: {gpu: %u}", s->limit);
    put(t, "}\n  - {name: b%s, quota: {gpu: %u}}\n", parent, s->sibling);
    put(t, "  - {name: r, quota: {gpu: %u}}\n", s->other);
}

static lsched_cluster *played(const struct scene *s, int events) {
    struct text t = {.n = 0};
    put(&t,
        "policy: {name: g, text: \"return { api = 1, name = 'g', fair_share = 'quota', "
        "pipeline = { 'allocate', 'reclaim' } }\"}\nnodes:\n"
        "  - {name: \"n[0-%u]\", cpu: 64, gpus: %u}\n",
        s->n_nodes - 1, s->size);
    put_scene_queues(&t, s);
    put(&t, "jobs:\n");
    for (uint32_t j = 0; j < s->n_gangs; j++)
        put(&t,
            "  - {name: \"gang%u-[0-2]\", queue: q, stale_grace: never, tasks: {count: %u, min: %u, "
            "gpu: %u}}\n",
            j, s->gang[j].tasks, s->gang[j].min, s->gang[j].gpus);
    if (s->guests) {
        put(&t, "  - {name: \"guest-[0-%u]\", queue: r, tasks: {gpu: 1}}\nrunning:\n",
            s->n_nodes * s->size - 1);
        for (uint32_t i = 0; i < s->n_nodes; i++)
            put(&t, "  - {task: \"guest-[%u-%u]/0\", node: n%u}\n", i * s->size,
                i * s->size + s->size - 1, i);
    }
    if (events && (s->finish || s->removal)) put(&t, "events:\n");
    if (events && s->finish) put(&t, "  - {at: 100s, finish: gang0-0/0}\n");
    if (events && s->removal) put(&t, "  - {at: 200s, remove_nodes: n0}\n");
    return told_play(t.at);
}

struct seen {
    int64_t used, guarantee;
    uint32_t runs;   /* 1: the first gang, whole */
    char text[2000]; /* what is said of q; "" if nothing */
};

static struct seen seen_of(const struct scene *s, int events) {
    struct seen seen = {.used = 0};
    char all[2000];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = played(s, events);
    lsched_queue_share share = {.size = sizeof share};
    lsched_id q = lsched_find(cluster, LSCHED_KIND_QUEUE, LSCHED_TEXT("q"));
    assert_int_equal(lsched_queue_share_get(cluster, q, LSCHED_GPU, &share, &err), LSCHED_OK);
    assert_true(lsched_queue_warnings(cluster, all, sizeof all, &err) >= 0);
    char *line = strstr(all, "queue q is");
    if (line) snprintf(seen.text, sizeof seen.text, "%.*s", (int)strcspn(line, "\n"), line);
    seen.used = share.used / 1000;
    seen.guarantee = share.guarantee / 1000;
    lsched_job_info job = {.size = sizeof job};
    lsched_id gang = lsched_find(cluster, LSCHED_KIND_JOB, LSCHED_TEXT("gang0-0"));
    if (gang) assert_int_equal(lsched_job_get(cluster, gang, &job, NULL), LSCHED_OK);
    seen.runs = gang && job.tasks_running == job.tasks_wanted;
    lsched_cluster_destroy(cluster);
    return seen;
}

static void assert_true_of(const struct seen *said, const struct seen *then) {
    int64_t most = number_behind(said->text, AT_MOST);
    if (most >= 0 && then->used > most)
        fail_msg("it uses %d, and it says:\n%s", (int)then->used, said->text);
}

static void assert_better(const struct scene *s, uint32_t quota, const struct seen *before) {
    struct scene changed = *s;
    changed.quota = quota;
    struct seen after = seen_of(&changed, 0);
    if (after.text[0] || after.used < before->used)
        fail_msg("%d used, then %d; quota %u after the advice of:\n%s\nit says:\n%s",
                 (int)before->used, (int)after.used, quota, before->text, after.text);
}

static void check_scene(const struct scene *s) {
    struct seen before = seen_of(s, 0);
    struct scene events = *s;
    events.finish = s->finish && before.runs;
    struct seen later = seen_of(&events, 1);
    assert_true_of(&before, &before);
    assert_true_of(&before, &later);
    assert_true_of(&later, &later);
    int64_t starts = number_behind(later.text, STARTS);
    if (starts >= 0 && later.used <= later.guarantee && later.used > starts)
        fail_msg("it uses %d, and it says:\n%s", (int)later.used, later.text);
    int64_t down = number_behind(before.text, "lower the guarantee to ");
    if (down >= 0) assert_better(s, (uint32_t)down, &before);
    int64_t raise = raise_of(before.text);
    if (raise >= 0 && !strstr(before.text, "provide ")) assert_better(s, (uint32_t)raise, &before);
    told_of += before.text[0] != 0;
}

static void test_no_queue_uses_more_and_advice_costs_nothing(void **state) {
    (void)state;
    uint64_t rounds = chance_rounds(200), seed = chance_seed(23);
    told_of = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance c = {seed + i};
        struct scene s = random_scene(&c);
        check_scene(&s);
    }
    if (rounds > 100) assert_true(told_of > rounds / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_said_holds_and_helps),
        cmocka_unit_test(test_no_queue_uses_more_and_advice_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
