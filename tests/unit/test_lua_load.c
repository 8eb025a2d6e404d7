/* Loading a policy: what the returned table may hold, and the message for everything that it may
 * not. */
#include <math.h>

#include "unit/lua_fixture.h"

static const char minimal[] = "return { api = 1 }";

/* ---- messages -------------------------------------------------------------------------------- */

struct mistake {
    int32_t code;
    const char *text, *message;
};

static const struct mistake mistakes[] = {
    /* the returned table */
    {LSCHED_E_TYPE, "",
     "p.lua: a policy returns one table (return { api = 1, ... }), this returns nothing"},
    {LSCHED_E_TYPE, "return 7",
     "p.lua: a policy returns one table (return { api = 1, ... }), this returns something else"},
    {LSCHED_E_KEY, "return {}",
     "p.lua: api = 1 is missing: it says which policy language the text is written in"},
    {LSCHED_E_VERSION, "return {\n api = 2 }", "p.lua:2:2: this version knows only api = 1"},
    {LSCHED_E_TYPE, "return { api = 'one' }", "p.lua:1:10: api must be the number 1, got a string"},
    {LSCHED_E_KEY, "return { api = 1, prority = 3 }",
     "p.lua:1:19: a policy has no 'prority'; did you mean 'priority'?"},
    {LSCHED_E_KEY, "return { api = 1, colour = 3 }",
     "p.lua:1:19: a policy has no 'colour' outside params; hooks: priority, quota, weight, "
     "admit, filter, score, victim, limit, queue_order, time_limit, idle, gang_minimum, placement, pipeline, "
     "preempt_priority"},
    {LSCHED_E_KEY, "return { api = 1, zzz = 3, aaa = 4 }",
     "p.lua:1:28: a policy has no 'aaa' outside params; hooks: priority, quota, weight, "
     "admit, filter, score, victim, limit, queue_order, time_limit, idle, gang_minimum, placement, pipeline, "
     "preempt_priority"},
    {LSCHED_E_UNSUPPORTED, "return { api = 1, lend_limit = 1 }",
     "p.lua:1:19: 'lend_limit' is not supported by this version"},
    {LSCHED_E_TYPE, "return { api = 1, idle = 1 }",
     "p.lua:1:19: idle must be a function of this text, got a number"},
    {LSCHED_E_TYPE, "return { api = 1, placement = 1 }",
     "p.lua:1:19: placement must be a string or a function, got a number"},
    {LSCHED_E_TYPE, "return { api = 1, pipeline = 'allocate' }",
     "p.lua:1:19: pipeline must be a list of 1 to 16 actions or a function, got string"},
    {LSCHED_E_KEY, "return { api = 1, pipeline = { 'allocate' },\n idle = function() end }",
     "p.lua:1:19: the pipeline lacks 'evict-idle', and without it idle stops no work: add it to the list"},
    {LSCHED_E_KEY,
     "return { api = 1, pipeline = { 'evict-idle', 'allocate' },\n time_limit = function() end }",
     "p.lua:1:19: the pipeline lacks 'evict-overdue', and without it time_limit stops no work: add it to "
     "the list"},
    {LSCHED_E_KEY, "return { api = 1, queue_oder = 1 }",
     "p.lua:1:19: a policy has no 'queue_oder'; did you mean 'queue_order'?"},
    {LSCHED_E_TYPE, "return { api = 1, 5 }",
     "p.lua: the table that a policy returns has only named entries, got a number key"},
    {LSCHED_E_TYPE, "return { api = 1, fair_share = 3 }",
     "p.lua:1:19: fair_share must be a string, got a number"},
    {LSCHED_E_TYPE, "return { api = 1, fair_share = 'much too long a name' }",
     "p.lua:1:19: fair_share must be a name of at most 15 letters, digits, '-', '_' or '.'"},
    {LSCHED_E_TYPE, "return { api = 1, placement = '' }",
     "p.lua:1:19: placement must be a name of at most 31 letters, digits, '-', '_' or '.'"},
    {LSCHED_E_TYPE, "return { api = 1, name = 'a b' }",
     "p.lua:1:19: name must be a name of at most 63 letters, digits, '-', '_' or '.'"},
    {LSCHED_E_TYPE, "return { api = 1, pipeline = 'allocate' }",
     "p.lua:1:19: pipeline must be a list of 1 to 16 actions or a function, got string"},
    {LSCHED_E_TYPE, "return { api = 1, pipeline = {} }",
     "p.lua:1:19: pipeline must be a list of 1 to 16 actions or a function, got an empty list"},
    {LSCHED_E_TYPE, "return { api = 1, pipeline = { 'allocate', 2 } }",
     "p.lua:1:19: pipeline must be a string, got a number"},
    {LSCHED_E_TYPE, "return { api = 1, score = 5 }",
     "p.lua:1:19: score must be a function of this text, got a number"},
    {LSCHED_E_TYPE, "return { api = 1, score = math.max }",
     "p.lua:1:19: score must be a function of this text, got a built-in function"},
    {LSCHED_E_TYPE, "return { api = 1, score = hour }",
     "p.lua:1:19: score must be a function of this text, got a built-in function"},
    /* parameters */
    {LSCHED_E_TYPE, "return { api = 1, params = 3 }",
     "p.lua:1:19: params must be a table, got a number"},
    {LSCHED_E_TYPE, "return { api = 1, params = { a = {} } }",
     "p.lua:1:30: the parameter 'a' must be a number, a string or a boolean, got a table"},
    {LSCHED_E_TYPE, "return { api = 1, params = { 3 } }",
     "p.lua:1:19: params has only named entries, got a number key"},
    {LSCHED_E_RANGE, "return { api = 1, params = { a = 1/0 } }",
     "p.lua:1:30: the parameter 'a' is not a finite number"},
    /* syntax */
    {LSCHED_E_SYNTAX, "return {\n  api = 1\n  name = 'x' }",
     "p.lua:3:3: '}' expected (to close '{' at line 1) near 'name'; entries "
     "are separated by commas: is a comma missing before this one?"},
    {LSCHED_E_SYNTAX, "return {", "p.lua:1:9: unexpected symbol near '<eof>'"},
    {LSCHED_E_SYNTAX, "return { api = 1, name = 'x", "p.lua:1:26: a string is not closed"},
    {LSCHED_E_SYNTAX, "--[[ open", "p.lua:1:1: a long bracket is not closed"},
    {LSCHED_E_SYNTAX, "local a = 1LL return { api = 1 }",
     "p.lua:1:11: numbers have no suffix LL, ULL or i: a policy has only one kind of number"},
    {LSCHED_E_SYNTAX, "local a = 2i return { api = 1 }",
     "p.lua:1:11: numbers have no suffix LL, ULL or i: a policy has only one kind of number"},
    {LSCHED_E_SYNTAX, "local a = 2 ^ 3 return { api = 1 }",
     "p.lua:1:13: the operator ^ is not allowed, because its last bit depends on the machine; write math.pow(x, y)"},
    {LSCHED_E_SYNTAX, "\x1bLJ\x02", "p.lua:1:1: this is bytecode; a policy is Lua text"},
    {LSCHED_E_SYNTAX, "#!/usr/bin/lua\nreturn { api = 1 }",
     "p.lua:1:1: unexpected '#'; a comment begins with --"},
    {LSCHED_E_SYNTAX, "local x = \x01", "p.lua:1:11: a control character: a policy is plain text"},
    {LSCHED_E_SYNTAX, "if x then end) return { api = 1 }",
     "p.lua:1:14: unexpected symbol near ')'"},
    /* the chunk itself */
    {LSCHED_E_POLICY, "local t = nil\nreturn { api = t.x }",
     "p.lua:2:16: attempt to index local 't' (a nil value)"},
    {LSCHED_E_POLICY, "speed = 3 return { api = 1 }",
     "p.lua:1:1: assignment to global 'speed'; write local speed"},
    {LSCHED_E_POLICY, "return { api = sped }", "p.lua:1:16: no global 'sped'"},
    {LSCHED_E_POLICY, "return { api = mth.floor(1) }",
     "p.lua:1:16: no global 'mth'; did you mean 'math'?"},
    {LSCHED_E_POLICY, "return { api = math.flor(1) }",
     "p.lua:1:21: math has no 'flor'; did you mean 'floor'?"},
    {LSCHED_E_POLICY, "local t = {} table.insert(t, 1)",
     "p.lua:1:20: table has no 'insert' in a policy; use table.append"},
    {LSCHED_E_POLICY, "print('x')", "p.lua:1:1: no global 'print' in a policy; use log(text)"},
    {LSCHED_E_POLICY, "local x = params.boost return { api = 1, params = { boost = 2 } }",
     "p.lua:1:18: params.boost is read before the policy has returned its table; read it inside a function"},
    {LSCHED_E_POLICY, "error('no good')", "p.lua:1: no good"},
    {LSCHED_E_POLICY, "error({})", "p.lua:1: (error object is a table)"},
    {LSCHED_E_POLICY, "error()", "p.lua:1: (error object is a nil)"},
    {LSCHED_E_BUDGET, "while true do end",
     "p.lua:1: it was still running after 1000000 instructions; a call may spend no more"},
    /* fields and purity */
    {LSCHED_E_KEY, "return { api = 1, priority = function(job) return job.prority end }",
     "p.lua:1:55: job has no field 'prority'; did you mean 'priority'?"},
    {LSCHED_E_POLICY, "return { api = 1, score = function(node, job) return job.gpu end }",
     "p.lua:1:36: score gets the job here, not 'node'; write function(job, node, now)"},
    {LSCHED_E_POLICY, "return { api = 1, weight = function(job) return 1 end }",
     "p.lua:1:37: weight gets the queue here, not 'job'; write function(queue, now)"},
    {LSCHED_E_KEY, "return { api = 1,\n score = function(j, n)\n  return n.gpu_fre\n end }",
     "p.lua:3:12: node has no field 'gpu_fre'; did you mean 'gpu_free'?"},
    {LSCHED_E_KEY, "return { api = 1, weight = function(q) return q.xyzzy end }",
     "p.lua:1:49: queue has no field 'xyzzy'; it has name, parent, jobs_pending, gpu_used, gpu_quota, gpu_limit and more"},
    {LSCHED_E_KEY, "return { api = 1, weight = function(q) return q['gpus'] end }",
     "p.lua:1:49: queue has no field 'gpus'; it has name, parent, jobs_pending, gpu_used, gpu_quota, gpu_limit and more"},
    {LSCHED_E_POLICY, "return { api = 1, priority = function(job) job.priority = 3 return 1 end }",
     "p.lua:1:48: a job is read-only: 'priority' cannot be set"},
    {LSCHED_E_POLICY,
     "local n = 0 return { api = 1, priority = function(job) n = n + 1 return n end }",
     "p.lua:1:56: functions are pure: 'n' belongs to the chunk and cannot be assigned inside a function"},
    {LSCHED_E_POLICY,
     "local t = {} return { api = 1, priority = function(job) t.x = 1 return 1 end }",
     "p.lua:1:57: functions are pure: 't' belongs to the chunk and cannot be assigned inside a function"},
    {LSCHED_E_POLICY, "local function f() end\nlocal function g() f = nil end return { api = 1 }",
     "p.lua:2:20: functions are pure: 'f' belongs to the chunk and cannot be assigned inside a function"},
    /* found by the trial run */
    {LSCHED_E_POLICY,
     "return { api = 1,\n priority = function(job)\n  return job.priority + job.name\n end }",
     "p.lua:3:29: priority of job 'trial': arithmetic needs numbers, got field 'name' (a string value)"},
    {LSCHED_E_POLICY, "return { api = 1, score = function(job, node) end }",
     "p.lua:1:27: score of job 'trial' on node 'trial': must return a number, got nothing (is there a return?)"},
    {LSCHED_E_POLICY, "return { api = 1, score = function(job, node) return 0/0 end }",
     "p.lua:1:27: score of job 'trial' on node 'trial': must return a number, got NaN (0/0?)"},
    {LSCHED_E_POLICY, "return { api = 1, score = function(job, node) return 1/0 end }",
     "p.lua:1:27: score of job 'trial' on node 'trial': must return a number, got infinity (a division by 0?)"},
    {LSCHED_E_POLICY, "return { api = 1, score = function(job, node) return '5' end }",
     "p.lua:1:27: score of job 'trial' on node 'trial': must return a number, got the string '5'"},
    {LSCHED_E_POLICY, "return { api = 1, weight = function() return -1 end }",
     "p.lua:1:28: weight of queue 'trial': must return a number from 0, got a negative one"},
    {LSCHED_E_POLICY, "return { api = 1, filter = function() return 1 end }",
     "p.lua:1:28: filter of job 'trial' on node 'trial': must return true or false, got 1"},
    {LSCHED_E_POLICY, "return { api = 1, admit = function() end }",
     "p.lua:1:27: admit of job 'trial': must return true or false, got nothing (is there a return?)"},
    {LSCHED_E_POLICY, "return { api = 1, admit = function() return false, 7 end }",
     "p.lua:1:27: admit of job 'trial': must return a string as the reason, got 7"},
    {LSCHED_E_POLICY, "return { api = 1, quota = function() return 64 end }",
     "p.lua:1:27: quota of queue 'trial': must return nil or a table such as { gpu = 8 }, got 64"},
    {LSCHED_E_POLICY, "return { api = 1, quota = function() return { gpu = 'x' } end }",
     "p.lua:1:27: quota of queue 'trial': must return amounts that are numbers, got the string 'x'"},
    {LSCHED_E_POLICY,
     "return { api = 1, quota = function() return { memory = 64 * 1024 * 1024 * 1024 } end }",
     "p.lua:1:27: quota of queue 'trial': must return memory in GiB, at most 1073741824 or math.huge, "
     "got 68719476736 (bytes?)"},
    {LSCHED_E_POLICY, "return { api = 1, quota = function(q, now) return nil, now * 1e6 end }",
     "p.lua:1:27: quota of queue 'trial': must return a time since 1970 in seconds as the second "
     "value, got a time more than ten years ahead (is it in microseconds?)"},
    {LSCHED_E_POLICY, "return { api = 1, limit = function() return { gpu = 1 }, 3600 end }",
     "p.lua:1:27: limit of queue 'trial': must return a time since 1970 in seconds as the second "
     "value, got a time before 1980 (is it a duration? then add now)"},
    {LSCHED_E_POLICY, "return { api = 1, time_limit = function() return 3600 * 1e6 end }",
     "p.lua:1:32: time_limit of job 'trial': must return nil or seconds above "
     "0, got more than ten years (is it in microseconds?)"},
    {LSCHED_E_POLICY, "return { api = 1, quota = function() return { gpu = -1 } end }",
     "p.lua:1:27: quota of queue 'trial': must return amounts from 0, got a negative one"},
    {LSCHED_E_POLICY, "return { api = 1, quota = function() return { gpu = 0/0 } end }",
     "p.lua:1:27: quota of queue 'trial': must return amounts that are numbers, got NaN (0/0?)"},
    {LSCHED_E_POLICY, "return { api = 1, quota = function() return { 5 } end }",
     "p.lua:1:27: quota of queue 'trial': must return a table of resource kinds and amounts, got another key"},
    {LSCHED_E_POLICY, "return { api = 1, quota = function(q, now) return nil, 'later' end }",
     "p.lua:1:27: quota of queue 'trial': must return a time as the second value, got the string 'later'"},
    {LSCHED_E_BUDGET, "return { api = 1,\n weight = function()\n while true do end end }",
     "p.lua:3: weight of queue 'trial': it was still running after 1000000 instructions; a call may spend no more"},
};

static void a_whole_definition_is_read(void **unused) {
    (void)unused;
    struct loaded l;
    load(&l, "return { api = 1, name = 'research-first', pipeline = { 'allocate', 'reclaim' },\n"
             "  fair_share = 'drf', placement = 'binpack', params = { boost = 2 },\n"
             "  priority = function(job) return job.priority end,\n"
             "  score = function(job, node) return -node.price end }");
    const struct policy_desc *d = &l.policy.desc;
    assert_string_equal(d->name, "research-first");
    assert_string_equal(d->fair_share, "drf");
    assert_string_equal(d->placement, "binpack");
    assert_int_equal(d->n_pipeline, 2);
    assert_string_equal(d->pipeline[1], "reclaim");
    assert_int_equal(d->hooks, LSCHED_HOOK_PRIORITY | LSCHED_HOOK_SCORE);
    unload(&l);
}

static void absent_keys_are_defaults(void **unused) {
    (void)unused;
    struct loaded l;
    load(&l, minimal);
    assert_string_equal(l.policy.desc.name, "p.lua");
    assert_string_equal(l.policy.desc.fair_share, "");
    assert_string_equal(l.policy.desc.placement, "");
    assert_int_equal(l.policy.desc.n_pipeline, 0);
    assert_int_equal(l.policy.desc.hooks, 0);
    unload(&l);
}

static void every_mistake_has_its_message(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct loaded l;
        load_with(&l, mistakes[i].text, NULL);
        if (l.rc != mistakes[i].code || strcmp(l.err.message, mistakes[i].message) != 0)
            fail_msg("%s\n  got  %d %s\n  want %d %s", mistakes[i].text, l.rc, l.err.message,
                     mistakes[i].code, mistakes[i].message);
        assert_int_equal(l.err.code, mistakes[i].code);
        unsigned line = 0, column = 0;
        sscanf(l.err.message, "p.lua:%u:%u:", &line, &column);
        assert_int_equal(l.err.line, line);
        assert_int_equal(l.err.column, column);
        assert_int_equal(l.alloc.bytes, 0);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

static char *repeated(const char *head, const char *piece, size_t n, const char *tail) {
    size_t a = strlen(head), b = strlen(piece), c = strlen(tail);
    char *text = malloc(a + b * n + c + 1);
    assert_non_null(text);
    memcpy(text, head, a);
    for (size_t i = 0; i < n; i++) memcpy(text + a + b * i, piece, b);
    memcpy(text + a + b * n, tail, c + 1);
    return text;
}

static void refuse(char *text, int32_t code, const char *message) {
    struct loaded l;
    load_with(&l, text, NULL);
    assert_int_equal(l.rc, code);
    assert_string_equal(l.err.message, message);
    unload(&l);
    free(text);
}

static void texts_are_bounded(void **unused) {
    (void)unused;
    struct loaded l;
    char *most = repeated("return { api = 1 } ", " ", 65536 - 19, "");
    load(&l, most);
    unload(&l);
    free(most);
    refuse(repeated("return { api = 1 } ", " ", 65537 - 19, ""), LSCHED_E_LIMIT,
           "p.lua: the text has 65537 bytes; expected at most 65536");
    refuse(repeated("local x = ", "(", 40, "1"), LSCHED_E_LIMIT,
           "p.lua:1:43: nested more than 32 deep");
    refuse(repeated("", "do ", 40, ""), LSCHED_E_LIMIT, "p.lua:1:97: nested more than 32 deep");
    refuse(repeated("local x = 1 ", "and 1 ", 3000, ""), LSCHED_E_LIMIT,
           "p.lua:1:12013: the text has more than 2000 of the words and, or, elseif and goto");
    refuse(repeated("local x = '", "a", 1025, "'"), LSCHED_E_LIMIT,
           "p.lua:1:11: a string longer than 1024 bytes");
    refuse(repeated("", "local a ", 1100, ""), LSCHED_E_LIMIT,
           "p.lua:1:8199: more than 1024 local variables are visible at one place");
    refuse(repeated("", "local a ", 300, ""), LSCHED_E_SYNTAX,
           "p.lua:1: main function has more than 200 local variables; put some of them into one "
           "table (the library uses a few itself)");
}

/* A jump of LuaJIT reaches 32,768 instructions, and one of PUC Lua more than a text can have. */
static void jumps_are_bounded(void **unused) {
    (void)unused;
    char *text = repeated("return { api = 1, priority = function(job) for k = 1, 2 do ",
                          "for i = 1, 0 do end\n", 1900, "end return 1 end }");
#if defined(LSCHED_LUA_PUC)
    struct loaded l;
    load(&l, text);
    unload(&l);
    free(text);
#else
    refuse(text, LSCHED_E_SYNTAX,
           "p.lua:1901:1: control structure too long near 'end'; move a part of the loop or branch "
           "that ends here into a function of its own");
#endif
}

static void limits_of_opts_are_checked(void **unused) {
    (void)unused;
    struct loaded l;
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.memory_limit_bytes = 65u << 20;
    load_with(&l, minimal, &opts);
    assert_int_equal(l.rc, LSCHED_E_RANGE);
    opts.memory_limit_bytes = 1000;
    load_with(&l, minimal, &opts);
    assert_int_equal(l.rc, LSCHED_E_RANGE);
    opts.memory_limit_bytes = 64u << 20;
    load_with(&l, minimal, &opts);
    assert_int_equal(l.rc, LSCHED_OK);
    unload(&l);
    opts.instructions_per_call = 200;
    load_with(&l, "for i = 1, 1000 do end return { api = 1 }", &opts);
    assert_int_equal(l.rc, LSCHED_E_BUDGET);
}

/* ---- parameters ------------------------------------------------------------------------------ */

static const char with_params[] =
    "return { api = 1, params = { boost = 2, site = 'a', on = true },\n"
    "priority = function(job)\n"
    "  return (params.on and params.boost or -params.boost) + string.len(params.site)\n"
    "end }";

static int32_t load_param(struct loaded *l, const char *key, const char *text, double number) {
    lsched_param param = {{key, strlen(key)}, {text, text ? strlen(text) : 0}, number};
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.params = &param;
    opts.n_params = 1;
    load_with(l, with_params, &opts);
    return l->rc;
}

static double priority_of(struct loaded *l) {
    struct fake fake;
    uint32_t row = 0;
    double out = -1;
    fake_begin(&fake);
    assert_int_equal(
        l->policy.ops->priority(l->policy.self, &fake.view, &row, &row, 1, &out, &l->err),
        LSCHED_OK);
    return out;
}

static void parameters_are_overridden(void **unused) {
    (void)unused;
    struct loaded l;
    load(&l, with_params);
    uint64_t plain = l.policy.desc.hash;
    assert_true(priority_of(&l) == 3);
    unload(&l);
    assert_int_equal(load_param(&l, "boost", NULL, 10), LSCHED_OK);
    assert_true(priority_of(&l) == 11);
    assert_int_not_equal(l.policy.desc.hash, plain);
    unload(&l);
    assert_int_equal(load_param(&l, "site", "abcd", 0), LSCHED_OK);
    assert_true(priority_of(&l) == 6);
    unload(&l);
    assert_int_equal(load_param(&l, "on", "false", 0), LSCHED_OK);
    assert_true(priority_of(&l) == -1);
    unload(&l);
    assert_int_equal(load_param(&l, "boost", NULL, 2),
                     LSCHED_OK); /* its default: the same policy */
    assert_int_equal(l.policy.desc.hash, plain);
    unload(&l);
}

static void wrong_parameters_are_refused(void **unused) {
    (void)unused;
    struct loaded l;
    assert_int_equal(load_param(&l, "bost", NULL, 1), LSCHED_E_KEY);
    assert_string_equal(l.err.message,
                        "p.lua: the policy has no parameter 'bost'; did you mean 'boost'?");
    assert_int_equal(load_param(&l, "boost", "10", 0), LSCHED_E_TYPE);
    assert_string_equal(
        l.err.message,
        "p.lua:1:30: the parameter 'boost' must be a finite number, got the string '10'");
    assert_int_equal(load_param(&l, "boost", NULL, (double)INFINITY), LSCHED_E_TYPE);
    assert_int_equal(load_param(&l, "site", NULL, 1), LSCHED_E_TYPE);
    assert_string_equal(
        l.err.message,
        "p.lua:1:41: the parameter 'site' must be a string of at most 1024 bytes, got 1");
    assert_int_equal(load_param(&l, "on", "maybe", 0), LSCHED_E_TYPE);
    assert_string_equal(
        l.err.message,
        "p.lua:1:53: the parameter 'on' must be true or false, got the string 'maybe'");
}

/* ---- the record ------------------------------------------------------------------------------ */

static void the_error_record_is_written_as_far_as_declared(void **unused) {
    (void)unused;
    struct alloc alloc;
    struct policy policy;
    union {
        lsched_error err;
        unsigned char bytes[sizeof(lsched_error)];
    } record;
    alloc_init(&alloc, NULL, 0);
    memset(&record, 0xAA, sizeof record);
    record.err.size = 60;
    assert_int_equal(lua_policy_create(&alloc, "p.lua", "x = 1", 5, NULL, &policy, &record.err),
                     LSCHED_E_POLICY);
    assert_int_equal(record.err.code, LSCHED_E_POLICY);
    assert_int_equal(strlen(record.err.message), 60 - offsetof(lsched_error, message) - 1);
    for (size_t i = 60; i < sizeof record; i++) assert_int_equal(record.bytes[i], 0xAA);
    assert_int_equal(lua_policy_create(&alloc, "p.lua", "x = 1", 5, NULL, &policy, NULL),
                     LSCHED_E_POLICY);
}

static void long_names_are_cut(void **unused) {
    (void)unused;
    struct alloc alloc;
    struct policy policy;
    lsched_error err = LSCHED_ERROR_INIT;
    char name[300];
    alloc_init(&alloc, NULL, 0);
    memset(name, 'n', sizeof name - 1);
    memcpy(name + sizeof name - 13, "dir/mine.lua", 12);
    name[sizeof name - 1] = '\0';
    assert_int_equal(lua_policy_create(&alloc, name, minimal, strlen(minimal), NULL, &policy, &err),
                     LSCHED_OK);
    assert_int_equal(strlen(policy.desc.name), 63);
    policy.ops->destroy(policy.self);
    static const char *const wrong[] = {"x = 1", "x = 1LL"};
    for (int i = 0; i < 2; i++) { /* the end of a path says more than its begin */
        assert_true(
            lua_policy_create(&alloc, name, wrong[i], strlen(wrong[i]), NULL, &policy, &err) < 0);
        assert_non_null(strstr(err.message, "nnndir/mine.lua:1:"));
        assert_true(strlen(err.message) < sizeof err.message);
    }
}

static void a_text_may_begin_with_a_byte_order_mark(void **unused) {
    (void)unused;
    struct loaded l;
    load(&l, "\xEF\xBB\xBFreturn { api = 1 }");
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_definition_is_read),
        cmocka_unit_test(absent_keys_are_defaults),
        cmocka_unit_test(every_mistake_has_its_message),
        cmocka_unit_test(texts_are_bounded),
        cmocka_unit_test(jumps_are_bounded),
        cmocka_unit_test(limits_of_opts_are_checked),
        cmocka_unit_test(parameters_are_overridden),
        cmocka_unit_test(wrong_parameters_are_refused),
        cmocka_unit_test(the_error_record_is_written_as_far_as_declared),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(a_text_may_begin_with_a_byte_order_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
