/* Memory that runs out while a policy is loaded or a hook runs: an error, nothing lost, and the
 * policy works afterwards. */
#include "support/fault_alloc.h"
#include "unit/lua_fixture.h"

static const char text[] =
    "local sites = { a = { 1, 2 }, b = { 3 } }\n"
    "local function room(of) return of.cpu_free + of.memory_free end\n"
    "return {\n"
    "  api = 1, name = 'all-hooks', pipeline = { 'allocate' }, fair_share = 'drf', placement = 'binpack',\n"
    "  params = { boost = 2, site = 'a', on = true },\n"
    "  priority = function(job, queue, now)\n"
    "    local t, n = {}, 0\n    for _, v in ipairs(sites.a) do n = n + v end\n"
    "    for k, v in pairs(sites) do for _, x in ipairs(v) do table.append(t, k .. x) end end\n"
    "    table.sort(t)\n"
    "    return #t + n + hash(job.name, queue.name) + hour(now) + string.len(string.format('%s %d', job.name, 3))\n"
    "  end,\n"
    "  quota = function(queue, now) return { gpu = queue.gpu_quota, cpu = 3, memory = params.boost }, now + 60 end,\n"
    "  weight = function(queue) local f = function() return queue.depth + 1 end return f() end,\n"
    "  admit = function(job, queue) return job.tasks == 1, 'no room for ' .. job.name .. ' in ' .. queue.name end,\n"
    "  filter = function(job, node) return node.labels.zone == params.site .. '' or job.gpu > 0 end,\n"
    "  score = function(job, node) return room(node) + math.exp(node.tasks / 1000) end,\n"
    "  victim = function(job, c) local t = { c.lost } table.append(t, #(c.name .. job.name)) return #t + t[1] end,\n"
    "  eviction = { victims = 'newest', per_hour = 7 },\n"
    "  usage = function() local t = {} t['half' .. '_life'] = params.boost * 3600 return t end,\n"
    "}\n";

static struct fault_alloc fault;
static struct alloc alloc;
static struct fake fake;
static lsched_error err;

static int begin(void **unused) {
    (void)unused;
    fault = (struct fault_alloc){0};
    lsched_allocator hooks = fault_hooks(&fault);
    assert_int_equal(alloc_init(&alloc, &hooks, 0), LSCHED_OK);
    fake_begin(&fake);
    fake.label_key = "zone";
    fake.label_value = "a";
    err = (lsched_error)LSCHED_ERROR_INIT;
    return 0;
}

static int32_t load_all(struct policy *policy) {
    lsched_param param = {LSCHED_TEXT("boost"), {NULL, 0}, 5};
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.params = &param;
    opts.n_params = 1;
    return lua_policy_create(&alloc, "p.lua", text, strlen(text), &opts, policy, &err);
}

static void arm(uint64_t at, uint64_t period) {
    fault.calls = 0;
    fault.fail_at = at;
    fault.fail_period = period;
}

static void every_allocation_of_a_load_may_fail(void **unused) {
    (void)unused;
    for (uint64_t period = 0; period < 2;
         period++) { /* only that one; that one and all later ones */
        uint64_t n = 1;
        for (;; n++) {
            struct policy policy = {0};
            arm(n, period);
            int32_t rc = load_all(&policy);
            if (rc == LSCHED_OK) {
                arm(0, 0);
                policy.ops->destroy(policy.self);
                assert_true(fault.calls < n);
                break;
            }
            if (rc != LSCHED_E_NOMEM)
                fail_msg("allocation %u: %d %s", (unsigned)n, rc, err.message);
            assert_non_null(strstr(err.message, "out of memory"));
            assert_null(policy.self);
            assert_int_equal(fault.live_bytes, 0);
            assert_int_equal(fault.wrong_sizes, 0);
        }
        print_message("%u allocations in a load\n", (unsigned)n - 1);
        assert_true(n > 20);
    }
    assert_int_equal(fault.live_blocks, 0);
    assert_int_equal(alloc.bytes, 0);
}

static int32_t call(const struct policy *p, int hook) {
    enum { N = 300 };
    static uint32_t rows[N];
    static double numbers[N];
    static uint8_t keep[N];
    static struct policy_admission admissions[N];
    static struct policy_candidate candidates[N];
    struct policy_quota quota;
    for (uint32_t i = 0; i < N; i++) {
        rows[i] = i;
        candidates[i] = (struct policy_candidate){.job = i, .queue = i, .lost_us = i};
    }
    p->ops->cycle_begin(p->self);
    switch (hook) {
    case 0: return p->ops->priority(p->self, &fake.view, rows, rows, N, numbers, &err);
    case 1: return p->ops->quota(p->self, &fake.view, 3, &quota, &err);
    case 2: return p->ops->weight(p->self, &fake.view, rows, N, numbers, &err);
    case 3: return p->ops->admit(p->self, &fake.view, rows, rows, N, admissions, &err);
    case 4: return p->ops->filter(p->self, &fake.view, 3, rows, N, keep, &err);
    case 5: return p->ops->score(p->self, &fake.view, 3, rows, N, numbers, &err);
    default: return p->ops->victim(p->self, &fake.view, 3, candidates, N, numbers, &err);
    }
}

/* A hook that makes garbage allocates all the time, so there is always an n-th allocation: walk
 * the first ones, then jump. */
static void every_allocation_of_a_hook_may_fail(void **unused) {
    (void)unused;
    struct policy policy;
    assert_int_equal(load_all(&policy), LSCHED_OK);
    for (int hook = 0; hook < POLICY_HOOKS; hook++) {
        unsigned failed = 0;
        for (uint64_t n = 1; n < 20000; n += n < 300 ? 1 : 61) {
            arm(n, 0);
            int32_t rc = call(&policy, hook);
            if (rc == LSCHED_OK) continue; /* the collector decides what is allocated when */
            if (rc != LSCHED_E_NOMEM)
                fail_msg("hook %d, allocation %u: %d %s", hook, (unsigned)n, rc, err.message);
            assert_int_equal(err.sub, 1);
            failed++;
            arm(0, 0);
            if (call(&policy, hook) != LSCHED_OK)
                fail_msg("hook %d after allocation %u: %s", hook, (unsigned)n, err.message);
        }
        print_message("hook %d: %u failures\n", hook, failed);
    }
    arm(0, 0);
    for (int hook = 0; hook < POLICY_HOOKS; hook++)
        assert_int_equal(call(&policy, hook), LSCHED_OK);
    policy.ops->destroy(policy.self);
    assert_int_equal(fault.live_blocks, 0);
    assert_int_equal(fault.live_bytes, 0);
    assert_int_equal(fault.wrong_sizes, 0);
}

/* The limit of the cluster counts the policy, too. */
static void the_limit_of_the_cluster_holds(void **unused) {
    (void)unused;
    struct policy policy;
    for (uint64_t limit = 4096; limit < 400000; limit += 4096) {
        lsched_allocator hooks = fault_hooks(&fault);
        alloc_init(&alloc, &hooks, limit);
        int32_t rc = load_all(&policy);
        if (rc == LSCHED_OK)
            policy.ops->destroy(policy.self);
        else
            assert_int_equal(rc, LSCHED_E_NOMEM);
        assert_true(alloc.peak_bytes <= limit);
        assert_int_equal(fault.live_bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_allocation_of_a_load_may_fail, begin),
        cmocka_unit_test_setup(every_allocation_of_a_hook_may_fail, begin),
        cmocka_unit_test_setup(the_limit_of_the_cluster_holds, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
