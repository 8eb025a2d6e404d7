/*
 * test_lua_lift_random.c -- 1,000 random policies give the same bits, the same errors at the same elements, interpreted and lifted, with
 * every set of kernels, on ordinary and on extreme rows; and whole cycles give the same plan, lifted or not, in this
 * process and in another.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/state/cluster.h"
#include "lua/lift/lua_lift.h"
#include "lua/host/lua_policy.h"
#include "random_hooks.h"

enum { ROWS = 300, POLICIES = 1000 };

/* ---- an engine that is not there ------------------------------------------------------------- */

struct rows {
    uint64_t seed;
    int extreme;
    lsched_text label;
};

static double number_of(const struct rows *r, uint32_t field, uint32_t row) {
    static const double odd[] = {0,      -0.0,   1,      -1,   0.5,    1e308,
                                 -1e308, 5e-324, 0x1p53, 1e16, 1e-300, 4503599627370495.5,
                                 -0.3,   0.1,    1e300,  -7};
    struct chance c = {r->seed + field * 7919u + row * 104729u};
    if (r->extreme && chance_one_in(&c, 40)) return (double)INFINITY;
    if (r->extreme && chance_one_in(&c, 2)) return odd[chance_below(&c, 16)];
    if (chance_one_in(&c, 3)) return chance_below(&c, 9);
    return (double)chance_between(&c, -1000, 200000) / 64.0;
}

static void fill(void *engine, enum policy_field f, const uint32_t *rows, size_t n,
                 union policy_value *out) {
    static const char *const texts[] = {"good", "evil", "", "goodness"};
    for (size_t i = 0; i < n; i++) {
        uint32_t word = rows[i] * 31 + (uint32_t)f;
        switch (policy_field_infos[f].type) {
        case POLICY_NUMBER: out[i].number = number_of(engine, (uint32_t)f, rows[i]); break;
        case POLICY_BOOL: out[i].boolean = word & 1; break;
        default: out[i].text = (lsched_text){texts[word % 4], strlen(texts[word % 4])};
        }
    }
}

static int label(void *engine, uint32_t row, const char *key, size_t len, lsched_text *value) {
    const struct rows *r = engine;
    (void)key;
    *value = r->label;
    return len == 4 && row % 3 != 0 && key[0] == 'z';
}

/* ---- two answers ----------------------------------------------------------------------------- */

struct answer {
    int32_t rc;
    lsched_error err;
    double numbers[ROWS];
    uint8_t truths[ROWS];
};

static struct policy_candidate candidates[ROWS];
static uint32_t every[ROWS];

static void ask(const struct policy *p, uint32_t hook, const struct policy_view *v,
                struct answer *a, size_t n) {
    void *s = p->self;
    memset(a, 0, sizeof *a);
    a->err = (lsched_error)LSCHED_ERROR_INIT;
    p->ops->cycle_begin(s);
    switch (hook) {
    case POLICY_HOOK_SCORE: a->rc = p->ops->score(s, v, 7, every, n, a->numbers, &a->err); break;
    case POLICY_HOOK_PRIORITY:
        a->rc = p->ops->priority(s, v, every, every, n, a->numbers, &a->err);
        break;
    case POLICY_HOOK_PREEMPT_PRIORITY:
        a->rc = p->ops->preempt_priority(s, v, every, every, n, a->numbers, &a->err);
        break;
    case POLICY_HOOK_FILTER: a->rc = p->ops->filter(s, v, 7, every, n, a->truths, &a->err); break;
    case POLICY_HOOK_VICTIM:
        a->rc = p->ops->victim(s, v, 7, candidates, n, a->numbers, &a->err);
        break;
    case POLICY_HOOK_WEIGHT: a->rc = p->ops->weight(s, v, every, n, a->numbers, &a->err); break;
    case POLICY_HOOK_TIME_LIMIT:
        a->rc = p->ops->time_limit(s, v, every, every, n, a->numbers, &a->err);
        break;
    case POLICY_HOOK_IDLE: a->rc = p->ops->idle(s, v, every, every, n, a->truths, &a->err); break;
    default: a->rc = p->ops->queue_order(s, v, every, n, a->numbers, &a->err); break;
    }
}

static uint32_t batches_lifted;

static void compare(const struct policy *p, uint32_t hook, const struct policy_view *v, size_t n,
                    const char *text, uint64_t seed) {
    struct lua_host *host = p->self;
    static struct answer lua, program;
    const struct col_kernels *kernels[] = {&col_kernels_portable, col_kernels_best()};
    host->is_lifting_off = 1;
    ask(p, hook, v, &lua, n);
    host->is_lifting_off = 0;
    for (int k = 0; k < 2; k++) {
        host->kernels = kernels[k];
        ask(p, hook, v, &program, n);
        batches_lifted += host->spent == n * host->lifted[hook].cost;
        int same = lua.rc == program.rc && strcmp(lua.err.message, program.err.message) == 0 &&
                   lua.err.index == program.err.index;
        for (size_t i = 0; i < n && same && lua.rc == LSCHED_OK; i++) {
            same = memcmp(&lua.numbers[i], &program.numbers[i], 8) == 0 &&
                   lua.truths[i] == program.truths[i];
            if (same) continue;
            print_message("element %zu: lua %a, %s %a (%d %d)\n", i, lua.numbers[i],
                          kernels[k]->name, program.numbers[i], lua.truths[i], program.truths[i]);
        }
        if (same) continue;
        print_message("lua: %s\n%s: %s\n", lua.err.message, kernels[k]->name, program.err.message);
        fail_msg("seed 0x%llx:\n%s", (unsigned long long)seed, text);
    }
}

static void check_policy(const struct policy *p, uint32_t hook, const char *text, uint64_t seed) {
    struct rows rows = {seed, 0, {"a", 1}};
    const struct policy_view view = {
        .engine = &rows, .now_s = 1700000000.25, .fill = fill, .label = label};
    for (int round = 0; round < 4; round++) {
        rows.extreme = round & 1;
        rows.seed += 17;
        compare(p, hook, &view, round < 2 ? ROWS : 1 + (size_t)(seed % 7), text, seed);
    }
    for (uint32_t i = 0; i < 12; i++) { /* batches of one: an error stands alone */
        rows.seed += 29;
        compare(p, hook, &view, 1, text, seed);
    }
}

static void same_bits(void **state) {
    (void)state;
    static char text[HOOK_TEXT_BYTES];
    uint64_t first = chance_seed(0x11F7);
    uint32_t wanted = chance_rounds(POLICIES), loaded = 0;
    print_message("seed 0x%llx, %u policies\n", (unsigned long long)first, wanted);
    for (uint32_t i = 0; i < ROWS; i++) {
        every[i] = i;
        candidates[i] = (struct policy_candidate){
            i, i, i % 5, i & 1, i * 100, (int64_t)i << 30, i * 250, (int64_t)i * 1000000,
            i, i, i,     0};
    }
    for (uint64_t seed = first; loaded < wanted && seed < first + 60u * wanted; seed++) {
        struct hook_writer w;
        struct alloc alloc;
        struct policy p;
        lsched_error err = LSCHED_ERROR_INIT;
        uint32_t hook = random_hook(&w, seed, text);
        assert_int_equal(alloc_init(&alloc, NULL, 0), LSCHED_OK);
        /* A text may fail in its trial run: half of all numbers are no time limit. */
        if (lua_policy_create(&alloc, "r.lua", text, w.n, NULL, &p, &err) != LSCHED_OK) {
            if (err.code != LSCHED_E_POLICY) fail_msg("%s\n%s", err.message, text);
            continue;
        }
        const struct lifted *l = &((struct lua_host *)p.self)->lifted[hook];
        if (!l->is_lifted)
            fail_msg("not lifted: %s at %u:%u\n%s", l->reason, l->reason_line, l->reason_column,
                     text);
        loaded++;
        check_policy(&p, hook, text, seed);
        p.ops->destroy(p.self);
        assert_int_equal(alloc.bytes, 0);
    }
    print_message("%u policies, %u batches answered without Lua\n", loaded, batches_lifted);
    assert_int_equal(loaded, wanted);
    assert_true(batches_lifted >= loaded * 8);
}

/* ---- whole cycles ---------------------------------------------------------------------------- */

static const char *const cycle_policy =
    "local function fit(job, node)\n"
    "  if node.gpu_free < job.gpu then return -5 end\n"
    "  return 10 * node.gpu_free - node.cpu_free / 7 + (node.labels.zone == 'a' and 2 or 0)\n"
    "end\n"
    "return { api = 1, params = { weight = %u },\n"
    "  priority = function(job, queue)\n"
    "    return job.priority + math.exp(-job.gpu_total) * params.weight - queue.gpu_used %% 3 end,\n"
    "  filter = function(job, node) return node.labels.zone ~= 'c' or job.gpu < 2 end,\n"
    "  weight = function(queue) return 1 + queue.jobs / 10 end,\n"
    "  score = function(job, node)\n"
    "    local s = fit(job, node)\n"
    "    if job.queue == 'q1' then s = -s end\n"
    "    return s - node.tasks * 0.1\n"
    "  end }\n";

static void world(lsched_cluster *c, uint64_t seed) {
    struct chance chance = {seed};
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < 60; i++) {
        static const char *const zones[] = {"a", "b", "c"};
        char name[16];
        snprintf(name, sizeof name, "n%02u", i);
        lsched_amount capacity[2] = {{LSCHED_CPU, 0, chance_between(&chance, 4, 96) * 1000},
                                     {LSCHED_MEMORY, 0, INT64_C(64) << 30}};
        lsched_label zone = {LSCHED_TEXT("zone"), {zones[chance_below(&chance, 3)], 0}};
        lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
        gpus.count = 1 + chance_below(&chance, 8);
        gpus.model = LSCHED_TEXT("H100");
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        d.name = lsched_cstr(name);
        d.capacity = capacity;
        d.n_capacity = 2;
        d.labels = &zone;
        d.n_labels = 1;
        d.devices = &gpus;
        d.n_devices = 1;
        if (lsched_nodes_add(c, &d, 1, sizeof d, NULL, NULL, NULL, &err) < 0)
            fail_msg("%s", err.message);
    }
    for (uint32_t i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%u", i);
        lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
        q.name = lsched_cstr(name);
        assert_true(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, NULL, &err) >= 0);
    }
    for (uint32_t i = 0; i < 300; i++) {
        char name[16], queue[16];
        snprintf(name, sizeof name, "j%03u", i);
        snprintf(queue, sizeof queue, "q%u", chance_below(&chance, 3));
        lsched_amount request[2] = {{LSCHED_CPU, 0, chance_between(&chance, 1, 8) * 500},
                                    {LSCHED_GPU, 0, chance_between(&chance, 1, 3) * 1000}};
        lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
        g.request = request;
        g.n_request = 2;
        g.max_count = 1 + chance_below(&chance, 3);
        lsched_job_desc d = LSCHED_JOB_DESC_INIT;
        d.name = lsched_cstr(name);
        d.queue_name = lsched_cstr(queue);
        d.groups = &g;
        d.n_groups = 1;
        d.priority = (int32_t)chance_below(&chance, 50);
        assert_true(lsched_jobs_submit(c, &d, 1, sizeof d, NULL, NULL, NULL, &err) >= 0);
    }
}

static uint64_t plan_of(uint64_t seed, uint32_t is_lifting_off, const struct col_kernels *kernels) {
    char text[2048];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *c = NULL;
    lsched_plan *plan = NULL;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    snprintf(text, sizeof text, cycle_policy, (unsigned)(seed % 9));
    assert_int_equal(lsched_cluster_create(NULL, &c, &err), LSCHED_OK);
    if (lsched_policy_load(c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err))
        fail_msg("%s", err.message);
    struct lua_host *host = c->policy.policy.self;
    for (uint32_t i = 0; i < HOST_HOOKS; i++)
        assert_int_equal(host->lifted[i].is_lifted, host->hooks[i].present);
    host->is_lifting_off = is_lifting_off;
    host->kernels = kernels;
    world(c, seed);
    opts.now_us = 1000000000;
    assert_int_equal(lsched_schedule(c, &opts, &plan, &err), LSCHED_OK);
    lsched_plan_get(plan, &info, NULL);
    assert_int_equal(info.policy_error, LSCHED_OK);
    assert_true(info.decisions > 50);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(c);
    return info.plan_hash;
}

/* The same in another process, whose strings hash otherwise. */
static uint64_t plan_elsewhere(const char *self, uint64_t seed) {
    int ends[2];
    char number[32];
    uint64_t hash = 0;
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], 3);
        execl(self, self, "--plan", number, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &hash, sizeof hash), (ssize_t)sizeof hash);
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return hash;
}

static void same_plans(void **state) {
    uint64_t first = chance_seed(0x7A);
    uint32_t rounds = chance_rounds(12);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        uint64_t hash = plan_of(seed, 0, col_kernels_best());
        assert_int_equal(plan_of(seed, 1, col_kernels_best()), hash);
        assert_int_equal(plan_of(seed, 0, &col_kernels_portable), hash);
        if (seed < first + 3) assert_int_equal(plan_elsewhere(*state, seed), hash);
    }
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--plan") == 0) {
        uint64_t hash = plan_of(strtoull(argv[2], NULL, 10), 0, col_kernels_best());
        return write(3, &hash, sizeof hash) == (ssize_t)sizeof hash ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits),
        cmocka_unit_test_prestate(same_plans, argv[0]),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
