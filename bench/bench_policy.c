#define _POSIX_C_SOURCE 200809L /* clock_gettime */

/*
 * bench_policy.c -- what policies in Lua cost: one score per pair of job and node against the same function in C; whole cycles;
 * the priority of a million jobs; loading.
 *
 * The function: two tests whether the job fits, three weighted terms, one match of a number (the zone). In C it is called per pair (not inlined)
 * over an array of structs, which is what a scheduler without columns does. Fields are filled from the engine's columns in every way of
 * answering but the one that says otherwise.
 */
#include <math.h>
#include <string.h>

#include "bench_support.h"
#include "engine/state/cycle_state.h"
#include "engine/policy_hooks/hook_nodes.h"
#include "engine/policy_hooks/hook_fields.h"
#include "lua/lift/lua_lift.h"
#include "model/life/reorder.h"

enum { NODES = 4096, ASKED = 40, ROUNDS = 25, CYCLE_NODES = 5000, TASKS = 40000, JOBS = 1000000 };

static struct lua_host *host_of_cluster(lsched_cluster *c) {
    return c->policy.policy.self;
}

static void load(lsched_cluster *c, const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    bench_check(lsched_policy_load(c, LSCHED_TEXT("bench"), lsched_cstr(text), NULL, &err), &err,
                "policy");
}

static lsched_cluster *cluster_of(uint32_t nodes, uint32_t jobs, uint32_t shapes) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_add_nodes(c, nodes, 0);
    bench_add_queues(c, 8);
    bench_add_jobs(c, jobs, 0, 8, shapes);
    return c;
}

/* ---- one score ------------------------------------------------------------------------------- */

static const char score_text[] =
    "return { api = 1, params = { gpu = 10, cpu = 0.5, price = 2, zone = 5 },\n"
    "  score = function(job, node)\n"
    "    if node.cpu_free < job.cpu or node.memory_free < job.memory then return -1 end\n"
    "    local s = params.gpu * node.gpu_free + params.cpu * (node.cpu_free - job.cpu)\n"
    "      - params.price * node.price\n"
    "    if node.power == job.priority then s = s + params.zone end\n"
    "    return s\n"
    "  end }\n";

struct c_job {
    double cpu, memory, gpu;
    int64_t zone;
};

struct c_node {
    char name[24];
    double cpu_free, memory_free, gpu_free, price;
    int64_t zone;
    uint64_t tag;
};

struct c_weights {
    double gpu, cpu, price, zone;
};

/* A call that the compiler must make as if it knew nothing of the function. */
#if defined(__clang__)
#define BENCH_CALLED __attribute__((noinline))
#else
#define BENCH_CALLED __attribute__((noinline, noipa))
#endif

BENCH_CALLED static double c_score(const struct c_job *job, const struct c_node *node,
                                   const struct c_weights *w) {
    if (node->cpu_free < job->cpu || node->memory_free < job->memory) return -1;
    double s =
        w->gpu * node->gpu_free + w->cpu * (node->cpu_free - job->cpu) - w->price * node->price;
    if (node->zone == job->zone) s += w->zone;
    return s;
}

/* ASKED jobs, each with a shape of its own, are asked about NODES nodes. */
struct pairs {
    struct lsched_cycle cycle;
    struct policy_view view;
    lsched_cluster *c;
    uint32_t nodes[NODES];
    double scores[NODES], plain[ASKED][NODES];
    struct c_node c_nodes[NODES];
    struct c_job jobs[ASKED];
};

static const enum policy_field filled[] = {POLICY_F_NODE_CPU_FREE, POLICY_F_NODE_MEMORY_FREE,
                                           POLICY_F_NODE_GPU_FREE, POLICY_F_NODE_PRICE,
                                           POLICY_F_NODE_POWER};
enum { FILLED = sizeof filled / sizeof filled[0] };

/* What the engine knows of nodes and jobs, as structs. */
static void copy_structs(struct pairs *p) {
    static double column[FILLED][NODES];
    void *engine = p->view.engine;
    for (int f = 0; f < FILLED; f++)
        p->view.fill_numbers(engine, filled[f], p->nodes, NODES, column[f]);
    for (uint32_t i = 0; i < NODES; i++) {
        struct c_node *n = &p->c_nodes[i];
        n->cpu_free = column[0][i];
        n->memory_free = column[1][i];
        n->gpu_free = column[2][i];
        n->price = column[3][i];
        n->zone = (int64_t)column[4][i];
    }
    for (uint32_t j = 0; j < ASKED; j++) {
        double zone;
        p->view.fill_numbers(engine, POLICY_F_JOB_CPU, &j, 1, &p->jobs[j].cpu);
        p->view.fill_numbers(engine, POLICY_F_JOB_MEMORY, &j, 1, &p->jobs[j].memory);
        p->view.fill_numbers(engine, POLICY_F_JOB_PRIORITY, &j, 1, &zone);
        p->jobs[j].zone = (int64_t)zone;
    }
}

/* Nodes differ in price, zone and what is free; jobs in what they ask for and in the zone. */
static void vary(struct pairs *p) {
    struct columns *k = &p->c->k;
    uint64_t x = 1;
    for (uint32_t i = 0; i < NODES; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        k->c[C_NODE_PRICE].i64[i] = (int64_t)(x >> 33) % 5000 * 1000;
        k->c[C_NODE_POWER].i64[i] = (int64_t)(x >> 40) % 4 * 1000;
        k->c[C_NODE_FREE + LSCHED_CPU].i64[i] = (int64_t)(x >> 24) % 96000;
        k->c[C_NODE_FREE + LSCHED_MEMORY].i64[i] = ((int64_t)(x >> 20) % 1024) << 30;
        k->c[C_NODE_FREE + LSCHED_GPU].i64[i] = (int64_t)(x >> 48) % 9 * 1000;
        p->nodes[i] = i;
    }
    for (uint32_t j = 0; j < ASKED; j++) {
        uint32_t shape = group_shape(k, k->c[C_JOB_SHAPE].u32[j], 0);
        k->c[C_JOB_PRIORITY].i32[j] = (int32_t)j % 4;
        k->c[C_SHAPE_REQ + LSCHED_CPU].i64[shape] = 1000 + (int64_t)j * 1100;
        k->c[C_SHAPE_REQ + LSCHED_MEMORY].i64[shape] = (int64_t)(j * 7 % ASKED + 1) * 12 << 30;
    }
}

/* Of ASKED times for all nodes, taken ROUNDS times each: the mean of the least of each job, per pair. Other work on the machine
 * only ever adds. */
struct least {
    double t[ASKED];
};

static void least_note(struct least *l, int job, double begin) {
    double t = bench_seconds() - begin;
    if (l->t[job] == 0 || t < l->t[job]) l->t[job] = t;
}

static double least_mean(const struct least *l) {
    double sum = 0;
    for (int j = 0; j < ASKED; j++) sum += l->t[j];
    return sum / ASKED / NODES;
}

static double time_of_c(struct pairs *p) {
    static const struct c_weights w = {10, 0.5, 2, 5};
    struct least l = {{0}};
    for (int r = 0; r < ROUNDS; r++) {
        for (int j = 0; j < ASKED; j++) {
            double begin = bench_seconds();
            for (uint32_t i = 0; i < NODES; i++)
                p->plain[j][i] = c_score(&p->jobs[j], &p->c_nodes[i], &w);
            least_note(&l, j, begin);
        }
    }
    return least_mean(&l);
}

static double time_of_policy(struct pairs *p) {
    const struct policy *policy = &p->c->policy.policy;
    lsched_error err = LSCHED_ERROR_INIT;
    struct least l = {{0}};
    for (int r = 0; r < ROUNDS; r++) {
        for (uint32_t j = 0; j < ASKED; j++) {
            policy->ops->cycle_begin(policy->self);
            p->cycle.turn.job = j;
            double begin = bench_seconds();
            int32_t rc =
                policy->ops->score(policy->self, &p->view, j, p->nodes, NODES, p->scores, &err);
            least_note(&l, (int)j, begin);
            bench_check(rc, &err, "score");
            if (memcmp(p->scores, p->plain[j], sizeof p->scores) == 0) continue;
            fprintf(stderr, "the scores of C and of the policy differ\n");
            exit(1);
        }
    }
    return least_mean(&l);
}

/* The same fills without the program. */
static double time_of_fills(struct pairs *p) {
    struct least l = {{0}};
    double column[256];
    for (int r = 0; r < ROUNDS; r++) {
        for (int j = 0; j < ASKED; j++) {
            double begin = bench_seconds();
            for (uint32_t i = 0; i < NODES; i += 256)
                for (int f = 0; f < FILLED; f++)
                    p->view.fill_numbers(p->view.engine, filled[f], p->nodes + i,
                                         NODES - i < 256 ? NODES - i : 256, column);
            least_note(&l, j, begin);
        }
    }
    return least_mean(&l);
}

static void bench_pairs(void) {
    struct pairs *p = calloc(1, sizeof *p);
    if (!p) exit(1);
    p->c = cluster_of(NODES, ASKED, ASKED);
    load(p->c, score_text);
    p->cycle.c = p->c;
    p->cycle.k = &p->c->k;
    p->cycle.now = 1000000;
    vary(p);
    hook_view(&p->cycle, &p->view);
    copy_structs(p);
    struct lua_host *host = host_of_cluster(p->c);
    double base = time_of_c(p), fills = time_of_fills(p);
    const char *c_way = "C, called per pair, array of structs";
    rows_note(
        "one score of %d nodes: per pair, the least of %d for each of %d jobs; bounds 30, 1.5 "
        "and 2.5 x",
        NODES, ROUNDS, ASKED);
    host->is_lifting_off = 1;
    rows_put("score.interpreted", "ns", time_of_policy(p) * 1e9, c_way, base * 1e9);
    host->is_lifting_off = 0;
    double best = time_of_policy(p);
    rows_put("score.lifted", "ns", best * 1e9, c_way, base * 1e9);
    host->kernels = &col_kernels_portable;
    double portable = time_of_policy(p);
    rows_put("score.lifted_portable", "ns", portable * 1e9, c_way, base * 1e9);
    rows_put("score.fields", "ns", fills * 1e9, "lifted, with its 5 fields", best * 1e9);
    rows_note("%s kernels; %u operations", col_kernels_best()->name,
              host->lifted[POLICY_HOOK_SCORE].ops);
    lsched_cluster_destroy(p->c);
    free(p);
}

/* ---- whole cycles ---------------------------------------------------------------------------- */

static double one_cycle(const char *text, uint32_t is_lifting_off) {
    lsched_cluster *c = cluster_of(CYCLE_NODES, TASKS, 1);
    if (text) {
        load(c, text);
        host_of_cluster(c)->is_lifting_off = is_lifting_off;
    }
    double begin = bench_seconds();
    lsched_plan *plan = bench_schedule(c, 1000000);
    double t = bench_seconds() - begin;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    if (info.decisions != TASKS || info.policy_error) {
        fprintf(stderr, "expected %d decisions, got %llu (%s)\n", TASKS,
                (unsigned long long)info.decisions, lsched_plan_policy_error(plan));
        exit(1);
    }
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(c);
    return t;
}

static void bench_cycles(void) {
    static const char text[] =
        "return { api = 1, placement = 'binpack',\n"
        "  score = function(job, node) return 100 - 10 * node.gpu_free - 0.01 * node.cpu_free end }\n";
    double native[5], lifted[5], interpreted[5];
    for (int i = 0; i < 5; i++) {
        native[i] = one_cycle(NULL, 0);
        lifted[i] = one_cycle(text, 0);
        interpreted[i] = one_cycle(text, 1);
    }
    double n = rows_median(native, 5), l = rows_median(lifted, 5), t = rows_median(interpreted, 5);
    rows_note("one cycle: %d nodes, %d tasks, median of 5; bounds 0.5 x", CYCLE_NODES, TASKS);
    rows_put("cycle.lifted", "decisions/s", TASKS / l, "built-in strategy", TASKS / n);
    rows_put("cycle.interpreted", "decisions/s", TASKS / t, "built-in strategy", TASKS / n);
}

/* Other work on the machine only ever adds. */
static double least_of(const double *v, int n) {
    double least = v[0];
    for (int i = 1; i < n; i++)
        if (v[i] < least) least = v[i];
    return least;
}

/* ---- a million priorities -------------------------------------------------------------------- */

static const char priority_text[] =
    "return { api = 1, params = { boost = 0.2 },\n"
    "  priority = function(job, queue)\n"
    "    return job.priority + params.boost * job.waiting / 43200 end }\n";

static double time_of_priorities(lsched_cluster *c, struct lsched_cycle *cy, double *out) {
    const struct policy *p = &c->policy.policy;
    lsched_error err = LSCHED_ERROR_INIT;
    struct policy_view view;
    uint32_t jobs[256], queues[256];
    hook_view(cy, &view);
    p->ops->cycle_begin(p->self);
    double begin = bench_seconds();
    for (uint32_t first = 0; first < JOBS; first += 256) {
        uint32_t n = JOBS - first < 256 ? JOBS - first : 256;
        for (uint32_t i = 0; i < n; i++) {
            jobs[i] = first + i;
            queues[i] = cy->k->c[C_JOB_QUEUE].u32[first + i];
        }
        bench_check(p->ops->priority(p->self, &view, jobs, queues, n, out + first, &err), &err,
                    "priority");
    }
    return bench_seconds() - begin;
}

/* The floor: the columns read once and one addition, in C. */
static double time_of_pass(const struct columns *k, double *out) {
    double begin = bench_seconds();
    for (uint32_t j = 0; j < JOBS; j++)
        out[j] = k->c[C_JOB_PRIORITY].i32[j] +
                 0.2 * ((double)(1000000000 - k->c[C_JOB_SUBMIT].i64[j]) / 1e6) / 43200;
    return bench_seconds() - begin;
}

/* As a refresh does it. All age alike: places stay. Or anything: every job may move. */
static double time_of_reordering(lsched_cluster *c, int anything) {
    struct columns *k = &c->k;
    double begin = bench_seconds();
    bench_check(undo_begin(k), NULL, "undo");
    for (uint32_t j = 0; j < JOBS; j++) {
        bench_check(undo_room(k), NULL, "undo");
        reorder_set(k, j, anything ? -(int64_t)(j * 7919u % 1000) : k->c[C_JOB_ORDER].i64[j] - 100);
    }
    bench_check(reorder_repair(k), NULL, "reordering");
    undo_end(k);
    return bench_seconds() - begin;
}

static void bench_priorities(void) {
    static double out[JOBS];
    double lifted[5], interpreted[5], pass[5];
    lsched_cluster *c = cluster_of(10, JOBS, 1);
    struct lsched_cycle *cy = calloc(1, sizeof *cy);
    if (!cy) exit(1);
    load(c, priority_text);
    cy->c = c;
    cy->k = &c->k;
    cy->now = 1000000000;
    lsched_plan_destroy(bench_schedule(c, 1000000)); /* all wait in their queues */
    for (int i = 0; i < 5; i++) {
        host_of_cluster(c)->is_lifting_off = 1;
        interpreted[i] = time_of_priorities(c, cy, out);
        host_of_cluster(c)->is_lifting_off = 0;
        lifted[i] = time_of_priorities(c, cy, out);
        pass[i] = time_of_pass(&c->k, out);
    }
    rows_note("priority of %d pending jobs, the least of 5; bounds 60 and 250 ms", JOBS);
    double loop = 1e3 * least_of(pass, 5);
    rows_put("priority.lifted", "ms", 1e3 * least_of(lifted, 5), "the same loop in C", loop);
    rows_put("priority.interpreted", "ms", 1e3 * least_of(interpreted, 5), "the same loop in C",
             loop);
    double alike = time_of_reordering(c, 0), anything = time_of_reordering(c, 1);
    rows_put("reorder.all_age_alike", "ms", 1e3 * alike, "one pass over the jobs in C", loop);
    rows_put("reorder.any_may_move", "ms", 1e3 * anything, "one pass over the jobs in C", loop);
    lsched_cluster_destroy(c);
    free(cy);
}

/* ---- loading --------------------------------------------------------------------------------- */

static uint64_t bytes_held(const lsched_cluster *c) {
    lsched_cluster_stats s = {.size = sizeof s};
    bench_check(lsched_cluster_stats_get(c, &s, NULL), NULL, "stats");
    return s.memory_bytes;
}

static void bench_reloads(void) {
    enum { RELOADS = 10000 };
    lsched_cluster *c = cluster_of(10, 8, 1);
    load(c, score_text);
    uint64_t before = bytes_held(c);
    double t[RELOADS / 100];
    for (int i = 0; i < RELOADS / 100; i++) {
        double begin = bench_seconds();
        for (int k = 0; k < 100; k++) load(c, k & 1 ? score_text : priority_text);
        t[i] = (bench_seconds() - begin) / 100;
    }
    load(c, score_text);
    rows_note("reload, %d times; bounds 1 ms, and no memory", RELOADS);
    rows_put("reload", "ms", 1e3 * rows_median(t, RELOADS / 100), "the bound", 1);
    rows_put("reload.memory_held", "bytes", (double)(bytes_held(c) - before), NULL, 0);
    lsched_cluster_destroy(c);
}

int main(int argc, char **argv) {
    rows_open("policy", argc, argv);
    bench_pairs();
    bench_cycles();
    bench_priorities();
    bench_reloads();
    return 0;
}
