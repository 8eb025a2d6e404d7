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
        put_gpus(&t, w->node[i].cut, ", share: mig");
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
    struct world lower = *w, other = *w;
    lower.guarantee = (uint32_t)number_behind(text, "lower the guarantee to ");
    if (lower.guarantee) assert_silent(&lower, text);
    int64_t raise = number_behind(text, "raise it to "), more = number_behind(text, "provide "),
            lot = number_behind(text, "on nodes of ");
    assert_true(raise > 0 || more > 0);
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
    int64_t said = number_behind(text, "can use at most ");
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_said_holds_and_helps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
