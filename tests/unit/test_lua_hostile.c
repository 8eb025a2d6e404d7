/* Every file of tests/hostile_lua ends with the error that its head promises, at the same cost each
 * time; the state works afterwards, another policy of the process gives the same answers as before,
 * nothing leaks, and a C stack of 256 KB is enough, also under ASan. */
#define _DEFAULT_SOURCE
#include "unit/lua_fixture.h"

#include "unit/hostile_file.h"

enum { EVIL = 1, GOOD = 2 };

static uint32_t first_hook(const struct policy *policy) {
    uint32_t hook = 0;
    while (hook < POLICY_HOOKS && !(policy->desc.hooks >> hook & 1)) hook++;
    return hook;
}

/* The only hook of the policy for one row. *out: its number, 42 where it gives none. */
static int32_t call(struct policy *policy, struct fake *fake, uint32_t row, double *out,
                    lsched_error *err) {
    const struct policy_ops *ops = policy->ops;
    void *self = policy->self;
    struct policy_view *v = &fake->view;
    const struct policy_candidate candidate = {.job = row, .queue = row, .tasks = row};
    struct policy_quota quota;
    struct policy_admission admission;
    struct policy_word word;
    struct policy_pipeline pipeline;
    uint8_t flag;
    uint32_t count;
    *out = 42;
    v->now_s = row == EVIL ? HOSTILE_TIME_S : 1700000000;
    ops->cycle_begin(self);
    switch ((enum policy_hook)first_hook(policy)) {
    case POLICY_HOOK_PRIORITY: return ops->priority(self, v, &row, &row, 1, out, err);
    case POLICY_HOOK_QUOTA: return ops->quota(self, v, row, &quota, err);
    case POLICY_HOOK_WEIGHT: return ops->weight(self, v, &row, 1, out, err);
    case POLICY_HOOK_ADMIT: return ops->admit(self, v, &row, &row, 1, &admission, err);
    case POLICY_HOOK_FILTER: return ops->filter(self, v, row, &row, 1, &flag, err);
    case POLICY_HOOK_SCORE: return ops->score(self, v, row, &row, 1, out, err);
    case POLICY_HOOK_VICTIM: return ops->victim(self, v, row, &candidate, 1, out, err);
    case POLICY_HOOK_LIMIT: return ops->limit(self, v, row, &quota, err);
    case POLICY_HOOK_QUEUE_ORDER: return ops->queue_order(self, v, &row, 1, out, err);
    case POLICY_HOOK_TIME_LIMIT: return ops->time_limit(self, v, &row, &row, 1, out, err);
    case POLICY_HOOK_IDLE: return ops->idle(self, v, &row, &row, 1, &flag, err);
    case POLICY_HOOK_GANG_MINIMUM: return ops->gang_minimum(self, v, &row, &row, 1, &count, err);
    case POLICY_HOOK_PLACEMENT: return ops->placement(self, v, &row, &row, 1, &word, err);
    case POLICY_HOOK_PIPELINE: return ops->pipeline(self, v, &pipeline, err);
    case POLICY_HOOK_PREEMPT_PRIORITY:
        return ops->preempt_priority(self, v, &row, &row, 1, out, err);
    case POLICY_HOOKS: break;
    }
    return LSCHED_E_NOENT;
}

/* Fails for "evil" and works for "good", again and again, at the same cost. */
static void attempt_hook(struct attempt *a, struct policy *policy, struct fake *fake) {
    uint64_t spent = 0;
    for (int round = 0; round < 3 && !a->complaint[0]; round++) {
        lsched_error err = LSCHED_ERROR_INIT;
        double out;
        int32_t rc = call(policy, fake, EVIL, &out, &err);
        if (!hostile_is_expected(a, rc, err.message) || err.code != rc) return;
        uint64_t now = policy->ops->instructions_spent(policy->self);
        if (round && err.sub == 0 && now != spent)
            snprintf(a->complaint, sizeof a->complaint, "%s: costs %llu, then %llu", a->name,
                     (unsigned long long)spent, (unsigned long long)now);
        spent = now;
        rc = call(policy, fake, GOOD, &out, &err);
        if (rc != LSCHED_OK || out != 42)
            snprintf(a->complaint, sizeof a->complaint, "%s: unusable afterwards: %s", a->name,
                     err.message);
    }
}

/* A policy that uses what states could share if something were wrong: strings, libraries,
 * metatables. */
static const char neighbour_text[] =
    "local names = { 'a', 'b' }\n"
    "return { api = 1, params = { n = 7 }, priority = function(job, queue, now)\n"
    "  local t = {}\n"
    "  for k, v in pairs({ x = 1, y = 2, z = 3 }) do table.append(t, k .. v) end\n"
    "  table.sort(t, function(a, b) return a > b end)\n"
    "  return hash(t[1], t[3], names[2]:upper(), job.name) + math.exp(params.n / 10) + stats.mean({ 1, 2 })\n"
    "    + calendar.hour(now) + string.len(string.format('%5.2f', 1.5))\n"
    "end }\n";

/* Two policies of one allocator: this one must not notice the other. */
static double neighbour_asked(struct policy *neighbour, struct fake *fake, uint64_t *spent) {
    lsched_error err = LSCHED_ERROR_INIT;
    double out = 0;
    if (call(neighbour, fake, GOOD, &out, &err) != LSCHED_OK) return -1;
    *spent = neighbour->ops->instructions_spent(neighbour->self);
    return out;
}

static void attempt_beside(struct attempt *a, struct alloc *alloc, struct fake *fake) {
    struct policy policy;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = lua_policy_create(alloc, a->name, a->text, a->len, NULL, &policy, &err);
    if (strcmp(a->stage, "load") == 0)
        hostile_is_expected(a, rc, err.message);
    else if (rc < 0)
        snprintf(a->complaint, sizeof a->complaint, "%s: does not load: %s", a->name, err.message);
    else if (strcmp(a->stage, "hook") == 0)
        attempt_hook(a, &policy, fake);
    if (rc == LSCHED_OK) policy.ops->destroy(policy.self);
}

static void *attempt_run(void *user) {
    struct attempt *a = user;
    static struct fake fake;
    struct alloc alloc;
    struct policy neighbour;
    uint64_t before = 0, after = 0;
    fake_begin(&fake);
    fake.names[EVIL] = "evil";
    fake.names[GOOD] = "good";
    alloc_init(&alloc, NULL, 0);
    if (lua_policy_create(&alloc, "neighbour", neighbour_text, sizeof neighbour_text - 1, NULL,
                          &neighbour, NULL) < 0) {
        snprintf(a->complaint, sizeof a->complaint, "the neighbour does not load");
        return NULL;
    }
    double answer = neighbour_asked(&neighbour, &fake, &before);
    attempt_beside(a, &alloc, &fake);
    double again = neighbour_asked(&neighbour, &fake, &after);
    neighbour.ops->destroy(neighbour.self);
    if (!a->complaint[0] && (answer < 0 || answer != again || before != after))
        snprintf(a->complaint, sizeof a->complaint, "%s: its neighbour says %g, then %g", a->name,
                 answer, again);
    if (!a->complaint[0] && alloc.bytes != 0)
        snprintf(a->complaint, sizeof a->complaint, "%s: %llu bytes are lost", a->name,
                 (unsigned long long)alloc.bytes);
    return NULL;
}

static void hostile_files_end_as_they_promise(void **unused) {
    (void)unused;
    hostile_run_all(attempt_run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hostile_files_end_as_they_promise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
