/* Calling the hooks of a policy: results, what is filled, what is never stale, failures and
 * budgets. */
#include <math.h>

#include "unit/lua_fixture.h"

static struct fake fake;

static int begin(void **unused) {
    (void)unused;
    fake_begin(&fake);
    return 0;
}

static const uint32_t *rows_from(uint32_t first) {
    static uint32_t rows[FAKE_ROWS];
    for (uint32_t i = 0; i < FAKE_ROWS; i++) rows[i] = (first + i) % FAKE_ROWS;
    return rows;
}

static int32_t score(struct loaded *l, uint32_t job, const uint32_t *nodes, size_t n, double *out) {
    return l->policy.ops->score(l->policy.self, &fake.view, job, nodes, n, out, &l->err);
}

static int32_t priority(struct loaded *l, const uint32_t *jobs, size_t n, double *out) {
    return l->policy.ops->priority(l->policy.self, &fake.view, jobs, jobs, n, out, &l->err);
}

static int reads(const struct loaded *l, int hook, enum policy_field field) {
    return (int)(l->policy.desc.fields_read[hook][field / 64] >> (field % 64) & 1);
}

/* ---- results --------------------------------------------------------------------------------- */

static void score_is_called_for_each_node(void **unused) {
    (void)unused;
    struct loaded l;
    static double out[FAKE_ROWS];
    load(
        &l,
        "return { api = 1, score = function(job, node) return 1000 * job.gpu + node.gpu_free end }");
    for (size_t n = 0; n <= FAKE_ROWS;
         n = n * 2 + 1) { /* below, at and above the size of a chunk */
        assert_int_equal(score(&l, 7, rows_from(3), n, out), LSCHED_OK);
        for (size_t i = 0; i < n; i++) assert_true(out[i] == 7000 + (double)((i + 3) % FAKE_ROWS));
    }
    unload(&l);
}

static void priority_sees_job_and_its_queue(void **unused) {
    (void)unused;
    struct loaded l;
    double out[300];
    uint32_t jobs[300], queues[300];
    load(
        &l,
        "return { api = 1, priority = function(job, queue) return job.duration * 1000 + queue.gpu_used end }");
    for (uint32_t i = 0; i < 300; i++) {
        jobs[i] = i;
        queues[i] = 500 - i;
    }
    assert_int_equal(
        l.policy.ops->priority(l.policy.self, &fake.view, jobs, queues, 300, out, &l.err),
        LSCHED_OK);
    for (uint32_t i = 0; i < 300; i++) assert_true(out[i] == i * 1000 + 500 - i);
    unload(&l);
}

static void weight_is_called_for_each_queue(void **unused) {
    (void)unused;
    struct loaded l;
    double out[3];
    load(&l, "return { api = 1, weight = function(queue) return queue.jobs / 2 end }");
    assert_int_equal(l.policy.ops->weight(l.policy.self, &fake.view, rows_from(4), 3, out, &l.err),
                     LSCHED_OK);
    assert_true(out[0] == 2 && out[1] == 2.5 && out[2] == 3);
    unload(&l);
}

static void filter_keeps_or_drops(void **unused) {
    (void)unused;
    struct loaded l;
    uint8_t keep[300];
    load(
        &l,
        "return { api = 1, filter = function(job, node) return node.tasks % 3 == job.tasks % 3 end }");
    assert_int_equal(
        l.policy.ops->filter(l.policy.self, &fake.view, 1, rows_from(0), 300, keep, &l.err),
        LSCHED_OK);
    for (uint32_t i = 0; i < 300; i++) assert_int_equal(keep[i], i % 3 == 1);
    unload(&l);
}

static void admit_gives_reasons(void **unused) {
    (void)unused;
    struct loaded l;
    struct policy_admission out[3];
    load(&l, "return { api = 1, admit = function(job, queue)\n"
             "  if job.duration == 1 then return false, 'needs a time limit' end\n"
             "  if job.duration == 2 then return false end\n"
             "  return true, 'not shown'\n"
             "end }");
    assert_int_equal(
        l.policy.ops->admit(l.policy.self, &fake.view, rows_from(0), rows_from(0), 3, out, &l.err),
        LSCHED_OK);
    assert_int_equal(out[0].admitted, 1);
    assert_string_equal(out[0].reason, "");
    assert_int_equal(out[1].admitted, 0);
    assert_string_equal(out[1].reason, "needs a time limit");
    assert_int_equal(out[2].admitted, 0);
    assert_string_equal(out[2].reason, "");
    unload(&l);
}

static void reasons_are_cut_at_a_character(void **unused) {
    (void)unused;
    struct loaded l;
    struct policy_admission out;
    uint32_t row = 0;
    load(
        &l,
        "local s = '\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4'\n"
        "return { api = 1, admit = function() return false, 'x\\n' .. s .. s .. s .. s .. s .. s .. s .. s end }");
    assert_int_equal(l.policy.ops->admit(l.policy.self, &fake.view, &row, &row, 1, &out, &l.err),
                     LSCHED_OK);
    assert_int_equal(strlen(out.reason), 158); /* 'x', ' ', 78 letters of two bytes */
    assert_memory_equal(out.reason, "x \xC3\xA4", 4);
    unload(&l);
}

static void quota_is_nil_or_a_table_with_a_time(void **unused) {
    (void)unused;
    struct loaded l;
    struct policy_quota out;
    load(&l, "local night = { gpu = 64, ['model/h100'] = math.huge, cpu = 1.5 }\n"
             "return { api = 1, quota = function(queue, now)\n"
             "  if queue.depth == 0 then return nil end\n"
             "  if queue.depth == 1 then return nil, now + 60 end\n"
             "  return night, now + 3600\n"
             "end }");
    const struct policy_ops *ops = l.policy.ops;
    memset(&out, 0xAA, sizeof out);
    assert_int_equal(ops->quota(l.policy.self, &fake.view, 0, &out, &l.err), LSCHED_OK);
    assert_true(!out.given && out.n == 0 && out.until_s == 0);
    assert_int_equal(ops->quota(l.policy.self, &fake.view, 1, &out, &l.err), LSCHED_OK);
    assert_true(!out.given && out.until_s == 1700000060);
    assert_int_equal(ops->quota(l.policy.self, &fake.view, 2, &out, &l.err), LSCHED_OK);
    assert_true(out.given && out.n == 3 && out.until_s == 1700003600);
    assert_string_equal(out.entries[0].kind, "cpu");
    assert_true(out.entries[0].amount == 1.5);
    assert_string_equal(out.entries[1].kind, "gpu");
    assert_string_equal(out.entries[2].kind, "model/h100");
    assert_true(out.entries[2].amount == HUGE_VAL);
    unload(&l);
}

static void texts_and_booleans_arrive(void **unused) {
    (void)unused;
    struct loaded l;
    double out[2];
    uint32_t jobs[2] = {10, 11};
    fake.names[10] = "llm";
    fake.names[11] = "";
    load(
        &l,
        "return { api = 1, priority = function(job) return string.len(job.name) + (job.preemptible and 100 or 0) end }");
    assert_int_equal(priority(&l, jobs, 2, out), LSCHED_OK);
    assert_true(out[0] == 3 && out[1] == 100);
    unload(&l);
}

static void labels_are_looked_up(void **unused) {
    (void)unused;
    struct loaded l;
    double out[2];
    fake.label_key = "zone";
    fake.label_value = "a";
    load(&l, "return { api = 1, score = function(job, node)\n"
             "  local l = node.labels\n"
             "  return (l.zone == 'a' and 1 or 0) + (l['no/such'] == nil and 10 or 0)\n"
             "end }");
    assert_int_equal(score(&l, 0, rows_from(0), 2, out), LSCHED_OK);
    assert_true(out[0] == 11 && out[1] == 11);
    assert_true(reads(&l, 5, POLICY_F_NODE_LABELS));
    unload(&l);
}

static void now_is_the_last_argument(void **unused) {
    (void)unused;
    struct loaded l;
    double out;
    uint32_t row = 5;
    load(&l, "return { api = 1, score = function(job, node, now) return now end,\n"
             "  priority = function(job, queue, now) return hour(now) * 10 + weekday(now) end,\n"
             "  weight = function(queue) return 1 end }");
    assert_int_equal(score(&l, 0, &row, 1, &out), LSCHED_OK);
    assert_true(out == 1700000000);
    assert_int_equal(priority(&l, &row, 1, &out), LSCHED_OK);
    assert_true(out == 222); /* 22 h on a Tuesday */
    assert_true(l.policy.desc.uses_now[0] && l.policy.desc.uses_now[5] &&
                !l.policy.desc.uses_now[2]);
    unload(&l);
}

/* ---- what is filled -------------------------------------------------------------------------- */

static void only_named_fields_are_filled(void **unused) {
    (void)unused;
    struct loaded l;
    double out[5];
    load(&l, "return { api = 1, name = 'memory', placement = 'binpack',\n"
             "  score = function(job, n) return n['gpu_free'] - n.cpu_free end,\n"
             "  weight = function(queue) return queue.priority + 1 end }");
    fake_begin(&fake);
    assert_int_equal(score(&l, 0, rows_from(0), 5, out), LSCHED_OK);
    for (int f = 0; f < POLICY_FIELDS; f++) {
        int read = f == POLICY_F_NODE_GPU_FREE || f == POLICY_F_NODE_CPU_FREE;
        assert_int_equal(fake.filled[f], read ? 5 : 0);
        assert_int_equal(reads(&l, 5, (enum policy_field)f), read);
        assert_int_equal(reads(&l, 2, (enum policy_field)f), f == POLICY_F_QUEUE_PRIORITY);
    }
    unload(&l);
}

static void a_field_that_changes_with_time_counts_as_now(void **unused) {
    (void)unused;
    struct loaded l;
    load(&l, "return { api = 1, priority = function(job) return job.waiting end,\n"
             "  weight = function(q) return q.jobs end }");
    assert_true(l.policy.desc.uses_now[0]);
    assert_false(l.policy.desc.uses_now[2]);
    unload(&l);
}

/* What a known function is given is followed into it. */
static void objects_are_followed_into_functions(void **unused) {
    (void)unused;
    struct loaded l;
    double out[2];
    load(&l, "local function room(of) return of.cpu_free + of['memory_free'] end\n"
             "return { api = 1, filter = function(a, b) return a.cpu > 1 and b.gpu > 0 end,\n"
             "  score = function(job, node) local n = node return room(n) + job.gpu end,"
             " weight = function(queue, now) return queue.jobs + 1 end }");
    assert_int_equal(score(&l, 1, rows_from(2), 2, out), LSCHED_OK);
    assert_true(out[0] == 5 && out[1] == 7);
    assert_true(reads(&l, 5, POLICY_F_NODE_CPU_FREE) && reads(&l, 5, POLICY_F_NODE_MEMORY_FREE));
    assert_true(reads(&l, 5, POLICY_F_JOB_GPU) && !reads(&l, 5, POLICY_F_NODE_GPU));
    assert_false(l.policy.desc.uses_now[5] || l.policy.desc.uses_now[2]);
    unload(&l);
}

/* However its function is written: the field words of others do not count. */
static void hooks_are_found_in_the_text(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "return { api = 1, score = function(job, node) return node.gpu end }",
        "return { api = 1, score = function\n(job,\nnode) return\nnode.gpu\nend }",
        "return { api = 1, score = function(job, node) return node.gpu end,"
        " filter = function(job, node) return node.cpu_free > 0 end }",
        "local P = { api = 1 }\nfunction P.score(job, node) return node.gpu end\nreturn P",
        "local P = { api = 1 }\nfunction\nP.score\n(job, node) return node.gpu end\nreturn P",
        "local P = { api = 1 }\nfunction P:score(node) return node.gpu end\nreturn P",
        "local function f(job, node) return node.gpu end local function g() return 1 end "
        "return { api = 1, weight = g, score = f }",
        "local\nfunction\nf\n(job, node) return node.gpu end return { api = 1, score = f }",
        "local f\n=\nfunction\n(job, node) return node.gpu end return { api = 1, score = f }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct loaded l;
        char text[400];
        snprintf(text, sizeof text, "local function unused(of) return of[k] or of.cpu_free end %s",
                 texts[i]);
        load(&l, text);
        int is_exact = reads(&l, 5, POLICY_F_NODE_GPU) && !reads(&l, 5, POLICY_F_NODE_CPU_FREE);
        if (!is_exact) fail_msg("%s", texts[i]);
        unload(&l);
    }
}

/* An object whose use cannot be followed: every field word of the text counts for it, for others
 * nothing. */
static void objects_that_escape_are_filled_in_full(void **unused) {
    (void)unused;
    struct loaded l;
    double out[2];
    load(&l, "local function room(of) of = of return of.cpu_free + of['memory_free'] end\n"
             "return { api = 1, score = function(job, node) return room(node) + job.gpu end }");
    assert_int_equal(score(&l, 1, rows_from(2), 2, out), LSCHED_OK);
    assert_true(out[0] == 5 && out[1] == 7);
    assert_true(reads(&l, 5, POLICY_F_NODE_CPU_FREE) && reads(&l, 5, POLICY_F_NODE_MEMORY_FREE));
    assert_true(reads(&l, 5, POLICY_F_NODE_GPU)); /* the word stands in the text */
    assert_true(reads(&l, 5, POLICY_F_JOB_GPU) && !reads(&l, 5, POLICY_F_JOB_CPU));
    unload(&l);
}

static void computed_names_are_errors_not_stale_values(void **unused) {
    (void)unused;
    struct loaded l;
    double out;
    uint32_t row = 1;
    load(
        &l,
        "return { api = 1, params = { f = 'gpu' },\n"
        "  score = function(job, node) return node['gpu'] + (job.tasks == 99 and node[params.f .. '_free'] or 0) end }");
    assert_int_equal(score(&l, 0, &row, 1, &out), LSCHED_OK);
    assert_int_equal(score(&l, 99, &row, 1, &out), LSCHED_E_POLICY);
    assert_string_equal(
        l.err.message,
        "p.lua:2: score of job 'good' on node 'good': node['gpu_free'] is read with a computed "
        "name; write node.gpu_free, so that the library knows which field to fill in");
    unload(&l);
    load(
        &l,
        "return { api = 1, params = { f = 'gpus' },\n"
        "  score = function(job, node) return node['gpu'] + (job.tasks == 99 and node[params.f] or 0) end }");
    assert_int_equal(score(&l, 99, &row, 1, &out), LSCHED_E_POLICY);
    assert_string_equal(
        l.err.message,
        "p.lua:2: score of job 'good' on node 'good': node has no field 'gpus'; did you mean 'gpu'?");
    unload(&l);
}

/* Functions that start on one line cannot be told apart: their objects are followed by nobody. */
static void two_hooks_on_one_line_work(void **unused) {
    (void)unused;
    struct loaded l;
    double out;
    uint32_t row = 3;
    load(
        &l,
        "return { api = 1, score = function(j, n) return n.gpu_free end, priority = function(j) return j.priority end }");
    assert_int_equal(score(&l, 0, &row, 1, &out), LSCHED_OK);
    assert_true(out == 3);
    assert_true(reads(&l, 0, POLICY_F_JOB_PRIORITY) && reads(&l, 5, POLICY_F_NODE_GPU_FREE));
    unload(&l);
}

static void hooks_may_be_defined_elsewhere(void **unused) {
    (void)unused;
    struct loaded l;
    double out;
    uint32_t row = 3;
    load(
        &l,
        "local function by_room(j, n)\n  return n.gpu_free\nend\n"
        "local policy = { api = 1 }\n"
        "policy.score = by_room\n"
        "function policy.priority(job, ...)\n  local queue = ...\n  return queue.gpu_used + job.gpu\nend\n"
        "return policy");
    assert_int_equal(score(&l, 0, &row, 1, &out), LSCHED_OK);
    assert_true(out == 3);
    assert_int_equal(priority(&l, &row, 1, &out), LSCHED_OK);
    assert_true(out == 6);
    assert_true(reads(&l, 5, POLICY_F_NODE_GPU_FREE) && !reads(&l, 5, POLICY_F_JOB_GPU));
    assert_true(reads(&l, 0, POLICY_F_QUEUE_GPU_USED) && l.policy.desc.uses_now[0]);
    unload(&l);
}

/* function t:f(a) has a first parameter that is not written. */
static void a_method_is_followed_by_nobody(void **unused) {
    (void)unused;
    struct loaded l;
    double out;
    uint32_t row = 3;
    load(&l, "local policy = { api = 1 }\n"
             "function policy:score(node)\n  return self.gpu * 10 + node.gpu_free\nend\n"
             "return policy");
    assert_int_equal(score(&l, 2, &row, 1, &out), LSCHED_OK);
    assert_true(out == 23);
    assert_true(reads(&l, 5, POLICY_F_JOB_GPU) && reads(&l, 5, POLICY_F_NODE_GPU_FREE));
    unload(&l);
}

/* ---- failures -------------------------------------------------------------------------------- */

static void a_failure_names_line_job_and_node(void **unused) {
    (void)unused;
    struct loaded l;
    static double out[FAKE_ROWS];
    fake.names[9] = "llm";
    fake.names[700] = "h100-3";
    load(&l, "return { api = 1,\n"
             "  score = function(job, node)\n"
             "    if node.gpu == 700 then\n"
             "      return job.gpu + nil\n"
             "    end\n"
             "    return 1\n"
             "  end }");
    assert_int_equal(score(&l, 9, rows_from(0), FAKE_ROWS, out), LSCHED_E_POLICY);
    assert_string_equal(
        l.err.message,
        "p.lua:4: score of job 'llm' on node 'h100-3': arithmetic needs numbers, got a nil value");
    assert_int_equal(l.err.index, 700);
    assert_int_equal(l.err.line, 4);
    assert_int_equal(score(&l, 9, rows_from(0), 700, out), LSCHED_OK); /* as good as new */
    unload(&l);
}

static void a_bad_result_names_its_element(void **unused) {
    (void)unused;
    struct loaded l;
    static double out[FAKE_ROWS];
    load(&l, "return { api = 1, params = { zero = 0 },\n  score = function(job, node)\n"
             "    return 1 / (node.gpu - 600)\n  end }");
    fake.names[600] = "bad";
    assert_int_equal(score(&l, 0, rows_from(0), FAKE_ROWS, out), LSCHED_E_POLICY);
    assert_string_equal(
        l.err.message,
        "p.lua:2:11: score of job 'good' on node 'bad': must return a number, got infinity "
        "(a division by 0?)");
    assert_int_equal(l.err.index, 600);
    unload(&l);
}

static void values_too_long_are_refused(void **unused) {
    (void)unused;
    struct loaded l;
    double out;
    uint32_t row = 0;
    char name[1100];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    load(&l, "return { api = 1, priority = function(job) return string.len(job.name) end }");
    fake.names[0] = name;
    assert_int_equal(priority(&l, &row, 1, &out), LSCHED_E_POLICY);
    assert_non_null(strstr(l.err.message, "name is longer than 1024 bytes"));
    assert_non_null(strstr(l.err.message, "xxx...': "));
    fake.names[0] = NULL;
    assert_int_equal(priority(&l, &row, 1, &out), LSCHED_OK);
    unload(&l);
}

static void objects_cannot_be_written(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "local j = job j.gpu = 1",
        "job.gpu, queue.jobs = 1, 2",
        "local a = 0 a, job.gpu, a = 1, 2, 3",
        "params.x = 1",
        "math.pi = 3",
        "string.len = nil",
        "score = 1",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct loaded l;
        char text[300];
        snprintf(
            text, sizeof text,
            "return { api = 1, params = { x = 0 }, priority = function(job, queue) %s return job.gpu end }",
            texts[i]);
        load_with(&l, text, NULL);
        if (l.rc != LSCHED_E_POLICY) fail_msg("%s: %d %s", texts[i], l.rc, l.err.message);
        assert_true(strstr(l.err.message, "is read-only") ||
                    strstr(l.err.message, "assignment to global"));
        unload(&l);
    }
}

/* Tables of the chunk that a hook reaches by another name cannot grow; what a hook makes is its
 * own. */
static void hooks_keep_no_state(void **unused) {
    (void)unused;
    struct loaded l;
    load_with(&l,
              "local cache = { {} }\nreturn { api = 1, priority = function(job)\n"
              "  for _, c in ipairs(cache) do c[job.name] = 1 end return 1 end }",
              NULL);
    assert_int_equal(l.rc, LSCHED_E_POLICY);
    assert_non_null(
        strstr(l.err.message, "a table of the chunk is read-only: 'trial' cannot be set"));
    unload(&l);
    load_with(
        &l,
        "local seen = {}\nreturn { api = 1, priority = function(job) table.append(seen, 1) return 1 end }",
        NULL);
    assert_int_equal(l.rc, LSCHED_E_POLICY);
    assert_non_null(strstr(l.err.message, "expected a table that this call made"));
    unload(&l);
    load(
        &l,
        "local rank = { a = { 1, 2 } }\nreturn { api = 1, priority = function(job)\n"
        "  local mine = {} table.append(mine, rank.a[2]) for _, v in pairs(rank.a) do table.append(mine, v) end\n"
        "  return #mine + #rank.a end }");
    uint32_t row = 0;
    double out;
    assert_int_equal(priority(&l, &row, 1, &out), LSCHED_OK);
    assert_true(out == 5);
    unload(&l);
}

static void lookup_tables_of_the_chunk_work(void **unused) {
    (void)unused;
    struct loaded l;
    uint32_t rows[3] = {1, 2, 3};
    double out[3];
    fake.names[1] = "a";
    fake.names[2] = "b";
    load(&l, "local rank = { a = 3, b = 5, trial = 1 }\n"
             "return { api = 1, priority = function(job)\n  return rank[job.name] or -1\nend }");
    assert_int_equal(priority(&l, rows, 3, out), LSCHED_OK);
    assert_true(out[0] == 3 && out[1] == 5 && out[2] == -1);
    unload(&l);
}

/* An entry that exists, changed by another name: found after the call, and undone. */
static void entries_of_the_chunk_stay_as_they_are(void **unused) {
    (void)unused;
    static const char *const changes[] = {
        "local s = same(state) s.n = s.n + 1",
        "bump(state)",
        "local s = same(state) s.n = nil do return 1 end",
        "local s = same(state.inner) s[2] = job.priority",
        "local s = same(state) s.n = 5 while true do end",
        "local s = same(state) s.inner = nil error('x')",
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct loaded l;
        char text[700];
        uint32_t row = 4;
        double out;
        snprintf(text, sizeof text,
                 "local state = { n = 7, inner = { 10, 20, { 30 } }, [0/0 == 0] = 0/0 }\n"
                 "local function bump(t) t.n = t.n + 1 end local function same(t) return t end\n"
                 "return { api = 1, priority = function(job)\n"
                 "  if job.tasks == 99 then %s end\n"
                 "  return state.n + state.inner[2] + state.inner[3][1]\nend }",
                 changes[i]);
        load(&l, text);
        for (int round = 0; round < 3; round++) {
            fake_set(&fake, POLICY_F_JOB_TASKS, 99);
            assert_true(priority(&l, &row, 1, &out) < 0);
            if (i < 4 && !strstr(l.err.message, "in a table of the chunk was changed"))
                fail_msg("%s: %s", changes[i], l.err.message);
            fake_set(&fake, POLICY_F_JOB_TASKS, 1);
            assert_int_equal(priority(&l, &row, 1, &out), LSCHED_OK);
            assert_true(out == 57);
        }
        unload(&l);
    }
}

/* ---- budgets --------------------------------------------------------------------------------- */

static const char counting[] = "return { api = 1, priority = function(job)\n"
                               "  local x = 0 for i = 1, job.tasks do x = x + i end return x end }";

static void load_budget(struct loaded *l, const char *text, uint64_t per_call, uint64_t per_cycle) {
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.instructions_per_call = per_call;
    opts.instructions_per_cycle = per_cycle;
    load_with(l, text, &opts);
    assert_int_equal(l->rc, LSCHED_OK);
}

static void the_budget_of_a_call_grows_with_its_batch(void **unused) {
    (void)unused;
    struct loaded l;
    double out[10];
    load_budget(&l, counting, 5000, 0);
    fake_set(&fake, POLICY_F_JOB_TASKS, 1500);
    assert_int_equal(priority(&l, rows_from(0), 10, out), LSCHED_OK);
    fake_set(&fake, POLICY_F_JOB_TASKS, 3000);
    assert_int_equal(priority(&l, rows_from(0), 10, out), LSCHED_E_BUDGET);
    assert_string_equal(
        l.err.message,
        "p.lua:2: priority of job 'good': it was still running after 50000 instructions; a call "
        "may spend no more");
    assert_int_equal(l.err.sub, 0);
    unload(&l);
}

static void a_cycle_has_a_budget_of_its_own(void **unused) {
    (void)unused;
    struct loaded l;
    double out[1];
    load_budget(&l, counting, 0, 10000);
    fake_set(&fake, POLICY_F_JOB_TASKS, 1000);
    l.policy.ops->cycle_begin(l.policy.self);
    assert_int_equal(l.policy.ops->instructions_spent(l.policy.self), 0);
    int calls = 0;
    while (priority(&l, rows_from(0), 1, out) == LSCHED_OK) calls++;
    assert_int_equal(l.err.code, LSCHED_E_BUDGET);
    assert_non_null(strstr(l.err.message, "instructions; a cycle may spend no more"));
    assert_true(calls >= 2 && calls <= 5);
    assert_true(l.policy.ops->instructions_spent(l.policy.self) >= 10000);
    assert_int_equal(priority(&l, rows_from(0), 1, out), LSCHED_E_BUDGET);
    assert_non_null(strstr(l.err.message, "the cycle's budget of 10000 instructions is spent"));
    l.policy.ops->cycle_begin(l.policy.self);
    assert_int_equal(priority(&l, rows_from(0), 1, out), LSCHED_OK);
    unload(&l);
}

/* Which element is the last that fits depends on text and input only, not on what the state did
 * before. */
static void the_kill_point_is_deterministic(void **unused) {
    (void)unused;
    int64_t index = -1;
    uint64_t spent = 0;
    for (int round = 0; round < 20; round++) {
        struct loaded l;
        static double out[FAKE_ROWS];
        load_budget(&l,
                    "return { api = 1, params = { n = 0 }, priority = function(job)\n"
                    "  local t = {} for i = 1, job.tasks % 50 + 3 do t[job.name .. i] = i end\n"
                    "  local x = 0 for k, v in pairs(t) do x = x + v end return x end }",
                    300, 0);
        for (int warm = 0; warm < round; warm++) priority(&l, rows_from((uint32_t)warm), 40, out);
        fake.names[100 + round] = "other"; /* other garbage, other strings */
        l.policy.ops->cycle_begin(l.policy.self);
        assert_int_equal(priority(&l, rows_from(0), FAKE_ROWS, out), LSCHED_E_BUDGET);
        if (round == 0) {
            index = l.err.index;
            spent = l.policy.ops->instructions_spent(l.policy.self);
        }
        assert_int_equal(l.err.index, index);
        assert_int_equal(l.policy.ops->instructions_spent(l.policy.self), spent);
        fake.names[100 + round] = NULL;
        unload(&l);
    }
}

static void the_host_can_interrupt(void **unused) {
    (void)unused;
    struct loaded l;
    double out;
    uint32_t row = 0;
    load(
        &l,
        "return { api = 1, priority = function(job) if job.name ~= 'trial' then while true do end end return 1 end }");
    fake.interrupt_after = 10;
    assert_int_equal(priority(&l, &row, 1, &out), LSCHED_E_INTERRUPTED);
    assert_string_equal(l.err.message, "p.lua:1: priority of job 'good': interrupted by the host");
    assert_int_equal(l.err.sub, 1);
    assert_int_equal(fake.polls, 10);
    unload(&l);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void memory_is_capped(void **unused) {
    (void)unused;
    struct loaded l;
    double out;
    uint32_t row = 0;
    load(&l, "return { api = 1, priority = function(job) local t = {} "
             "if job.name ~= 'trial' then for i = 1, 1e6 do t[i] = { i } end end return 1 end }");
    assert_int_equal(priority(&l, &row, 1, &out), LSCHED_E_POLICY);
    assert_string_equal(
        l.err.message,
        "p.lua:1:30: priority of job 'good': holds more memory than its limit of 4096 KiB");
    assert_int_equal(l.err.sub, 1);
    assert_true(l.alloc.peak_bytes < (5u << 20));
    assert_true(l.alloc.bytes < (1u << 20)); /* the garbage is gone */
    unload(&l);
}

static void garbage_does_not_pile_up(void **unused) {
    (void)unused;
    struct loaded l;
    static double out[FAKE_ROWS];
    load(&l, "return { api = 1, priority = function(job)\n"
             "  local t = {} for i = 1, 200 do t[i] = job.name .. i end return #t end }");
    for (int i = 0; i < 50; i++)
        assert_int_equal(priority(&l, rows_from(0), FAKE_ROWS, out), LSCHED_OK);
    assert_true(l.alloc.peak_bytes < (4u << 20));
    unload(&l);
}

static void what_one_call_allocates_is_capped(void **unused) {
    (void)unused;
    struct loaded l;
    double out;
    uint32_t row = 0;
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.instructions_per_call = 100000000;
    load_with(
        &l,
        "return { api = 1, priority = function(job)\n"
        "  if job.name ~= 'trial' then for i = 1, 1e7 do local t = { i, i, i, i } end end return 1 end }",
        &opts);
    assert_int_equal(priority(&l, &row, 1, &out), LSCHED_E_POLICY);
    assert_non_null(strstr(l.err.message, "allocated more than 64 MiB in one call"));
    assert_int_equal(l.err.sub, 1);
    unload(&l);
}

static void policies_are_independent(void **unused) {
    (void)unused;
    struct loaded a, b;
    double out;
    uint32_t row = 8;
    load(&a, "return { api = 1, priority = function(job) return job.tasks end }");
    load(&b, "return { api = 1, priority = function(job) return -job.tasks end }");
    assert_int_equal(priority(&a, &row, 1, &out), LSCHED_OK);
    assert_true(out == 8);
    unload(&a);
    assert_int_equal(priority(&b, &row, 1, &out), LSCHED_OK);
    assert_true(out == -8);
    unload(&b);
}

#define TEST(function) cmocka_unit_test_setup(function, begin)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(score_is_called_for_each_node),
        TEST(priority_sees_job_and_its_queue),
        TEST(weight_is_called_for_each_queue),
        TEST(filter_keeps_or_drops),
        TEST(admit_gives_reasons),
        TEST(reasons_are_cut_at_a_character),
        TEST(quota_is_nil_or_a_table_with_a_time),
        TEST(texts_and_booleans_arrive),
        TEST(labels_are_looked_up),
        TEST(now_is_the_last_argument),
        TEST(only_named_fields_are_filled),
        TEST(a_field_that_changes_with_time_counts_as_now),
        TEST(objects_are_followed_into_functions),
        TEST(hooks_are_found_in_the_text),
        TEST(objects_that_escape_are_filled_in_full),
        TEST(computed_names_are_errors_not_stale_values),
        TEST(two_hooks_on_one_line_work),
        TEST(hooks_may_be_defined_elsewhere),
        TEST(a_method_is_followed_by_nobody),
        TEST(a_failure_names_line_job_and_node),
        TEST(a_bad_result_names_its_element),
        TEST(values_too_long_are_refused),
        TEST(objects_cannot_be_written),
        TEST(hooks_keep_no_state),
        TEST(lookup_tables_of_the_chunk_work),
        TEST(entries_of_the_chunk_stay_as_they_are),
        TEST(the_budget_of_a_call_grows_with_its_batch),
        TEST(a_cycle_has_a_budget_of_its_own),
        TEST(the_kill_point_is_deterministic),
        TEST(the_host_can_interrupt),
        TEST(memory_is_capped),
        TEST(garbage_does_not_pile_up),
        TEST(what_one_call_allocates_is_capped),
        TEST(policies_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
