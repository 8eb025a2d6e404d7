/* lua_cures.c -- see lua_cures.h. */
#include "lua/front/lua_cures.h"

#include <stdio.h>
#include <string.h>

/* ---- syntax ---- */

static int begins(const char *text, size_t len, const char *word) {
    size_t n = strlen(word);
    return len >= n && memcmp(text, word, n) == 0;
}

/* Returns the hint for an operator that the text begins with, or NULL. The table has the longer
 * spelling before the shorter one. */
static const char *operator_cure(const char *text, size_t len) {
    static const char *const cures[][2] = {
        {"!=", "Lua writes ~= for !="},
        {"!", "Lua writes not for !"},
        {"~", "Lua writes ~= for 'is not equal', and not for 'no'"},
        {"&&", "Lua writes and for &&"},
        {"&", "Lua has no bit operators; for the logical operator && write and"},
        {"||", "Lua writes or for ||"},
        {"|", "Lua has no bit operators; for the logical operator || write or"},
        {"?", "Lua has no a ? b : c; write if ... then ... else ... end, or a and b or c"},
        {"//", "a comment begins with --; for division without a remainder write "
               "math.floor(a / b)"},
        {"/*", "a comment begins with --"},
        {"#", "a comment begins with --"},
        {"<>", "Lua writes ~= for <>"},
        {"=>", "in Lua, 'at least' is >="},
        {"=<", "in Lua, 'at most' is <="},
    };
    for (size_t i = 0; i < sizeof cures / sizeof cures[0]; i++)
        if (begins(text, len, cures[i][0])) return cures[i][1];
    return NULL;
}

/* Returns the hint for a word that is a keyword in other languages but a name in Lua. */
static const char *keyword_cure(const char *word, size_t len) {
    static const char *const cures[][2] = {
        {"elif", "Lua writes elseif"},
        {"elsif", "Lua writes elseif"},
        {"elseIf", "Lua writes elseif"},
        {"def", "Lua writes function name(arguments) ... end"},
        {"func", "Lua writes function name(arguments) ... end"},
        {"fn", "Lua writes function name(arguments) ... end"},
        {"fun", "Lua writes function name(arguments) ... end"},
        {"lambda", "Lua writes function(arguments) return ... end"},
        {"let", "in Lua, a variable is declared with local name = value"},
        {"var", "in Lua, a variable is declared with local name = value"},
        {"const", "in Lua, a variable is declared with local name = value"},
        {"import", "a policy is one text and loads no modules; calendar, stats, decay, units "
                   "and usage are always available"},
        {"switch", "Lua has no switch; write if ... elseif ... end"},
        {"case", "Lua has no case; write if ... elseif ... end"},
        {"continue", "Lua has no continue; put the rest of the loop into if ... then ... end, or "
                     "use goto"},
        {"try", "Lua has no try; test the values before the call"},
    };
    for (size_t i = 0; i < sizeof cures / sizeof cures[0]; i++)
        if (strlen(cures[i][0]) == len && memcmp(cures[i][0], word, len) == 0) return cures[i][1];
    return NULL;
}

/* Writes the hint for an operator such as += or ++. Returns 0 if the text has no such operator. */
static int assignment_cure(const struct tokens *t, const char *text, size_t len, char *out) {
    int n = (int)(t->last.len < 24 ? t->last.len : 24);
    const char *name = t->lex.text + t->last.at;
    if (len < 2 || !text[0] || !strchr("+-*/%", text[0]) || t->last.kind != LEX_NAME) return 0;
    if (text[1] != '=' && text[1] != text[0]) return 0;
    if (text[0] == '/' && text[1] == '/') return 0;
    snprintf(out, CURE_BYTES, "; there is no %.2s; write %.*s = %.*s %c %s", text, n, name, n, name,
             text[0], text[1] == '=' ? "..." : "1");
    return 1;
}

/* Writes the hint for a key of a table that is no plain name, such as H100-80GB = 1, at the =
 * behind it. Returns 0 if what stands before the = is no such key. */
static int key_cure(const struct tokens *t, const char *what, char *out) {
    const char *text = t->lex.text;
    uint32_t end = t->last.at + t->last.len, at = end, is_string = t->last.kind == LEX_STRING,
             is_name = 1;
    if (t->now.kind != '=' || !begins(what, strlen(what), "'}' expected")) return 0;
    if (is_string) at = t->last.at;
    for (; at > 0 && !is_string && text[at - 1] && !strchr(" \t\r\n{},;=()[]\"'", text[at - 1]);
         at--)
        if (strchr("-.+:/", text[at - 1])) is_name = 0;
    uint32_t before = at, n = end - at - 2 * is_string;
    while (before > 0 && strchr(" \t\r", text[before - 1])) before--;
    if (before == 0 || !strchr("{,;\n", text[before - 1])) return 0;
    if (is_name && !is_string && t->last.kind == LEX_NAME) return 0;
    if (n == 0 || n > 40) return 0;
    snprintf(out, CURE_BYTES, "; a key that is no plain name is written [\"%.*s\"] = ...", (int)n,
             text + at + is_string);
    return 1;
}

static int is_value(uint32_t kind) {
    return kind == LEX_NAME || kind == LEX_NUMBER || kind == LEX_STRING || kind == LEX_FUNCTION ||
           kind == LEX_TRUE || kind == LEX_FALSE || kind == LEX_NIL || kind == '{' || kind == '[';
}

/* True if `end` is possibly missing here because the author wrote `else if` instead of `elseif`. */
static int lacks_elseif(const struct tokens *t, const char *what) {
    uint32_t now = t->now.kind;
    return t->else_if_line && (strstr(what, "'end' expected") || now == LEX_END || now == ',' ||
                               now == '}' || now == ')');
}

/* Returns the hint for the token taken last together with the current token, or NULL. */
static const char *pair_cure(const struct tokens *t, const char *what, const char *text,
                             size_t len) {
    uint32_t now = t->now.kind, last = t->last.kind;
    if (now == '/' && last == '/')
        return "for division without a remainder write math.floor(a / b); a comment begins "
               "with --";
    if (now == '{' && t->last.len == 0) return "a policy is Lua text: return { api = 1, ... }";
    if (last == ':' && now != LEX_NAME)
        return "a policy is Lua text, with = between a key and its value: return { api = 1, ... }";
    if (now == '=' && len > 1 && text[1] != '>' && text[1] != '<')
        return strstr(what, "'=' expected")
                   ? NULL
                   : "to compare two values write ==; a single = assigns a value";
    if (begins(what, strlen(what), "'}' expected") && is_value(now))
        return "entries are separated by commas: is a comma missing before this one?";
    if (begins(what, strlen(what), "'=' expected") && t->now.line > t->last.line)
        return "it is missing in the line before, or that line is not a statement";
    return NULL;
}

void cure_syntax(const struct tokens *t, const char *what, char out[CURE_BYTES]) {
    const char *text = t->lex.text + t->now.at;
    size_t len = t->lex.len - t->now.at;
    uint32_t now = t->now.kind;
    out[0] = '\0';
    if (lacks_elseif(t, what)) {
        snprintf(out, CURE_BYTES,
                 "; 'else if' in line %u begins another if, which needs its own end: write "
                 "elseif",
                 (unsigned)t->else_if_line);
        return;
    }
    if (now != LEX_END && assignment_cure(t, text, len, out)) return;
    if (key_cure(t, what, out)) return;
    const char *cure = pair_cure(t, what, text, len);
    if (!cure && now != LEX_END && t->last.kind == LEX_NAME)
        cure = keyword_cure(t->lex.text + t->last.at, t->last.len);
    if (!cure && now == LEX_NAME) cure = keyword_cure(text, t->now.len);
    if (!cure && now != LEX_END) cure = operator_cure(text, len);
    if (cure) snprintf(out, CURE_BYTES, "; %s", cure);
}

/* ---- fields ---- */

static const struct {
    uint32_t object;
    const char *word, *field; /* `word` is in lower case and without '_' */
} spellings[] = {
    {POLICY_JOB, "prio", "priority"},
    {POLICY_JOB, "nice", "priority"},
    {POLICY_JOB, "submit", "submitted"},
    {POLICY_JOB, "submittime", "submitted"},
    {POLICY_JOB, "submittedat", "submitted"},
    {POLICY_JOB, "submissiontime", "submitted"},
    {POLICY_JOB, "created", "submitted"},
    {POLICY_JOB, "createdat", "submitted"},
    {POLICY_JOB, "arrival", "submitted"},
    {POLICY_JOB, "arrivaltime", "submitted"},
    {POLICY_JOB, "age", "waiting"},
    {POLICY_JOB, "wait", "waiting"},
    {POLICY_JOB, "waittime", "waiting"},
    {POLICY_JOB, "waitingtime", "waiting"},
    {POLICY_JOB, "queuetime", "waiting"},
    {POLICY_JOB, "walltime", "duration"},
    {POLICY_JOB, "estimate", "duration"},
    {POLICY_JOB, "estimatedruntime", "duration"},
    {POLICY_JOB, "length", "duration"},
    {POLICY_JOB, "due", "deadline"},
    {POLICY_JOB, "duedate", "deadline"},
    {POLICY_JOB, "ntasks", "tasks"},
    {POLICY_JOB, "numtasks", "tasks"},
    {POLICY_JOB, "size", "tasks"},
    {POLICY_JOB, "replicas", "tasks"},
    {POLICY_JOB, "mintasks", "tasks_min"},
    {POLICY_JOB, "minmember", "tasks_min"},
    {POLICY_JOB, "gpus", "gpu"},
    {POLICY_JOB, "numgpus", "gpu"},
    {POLICY_JOB, "ngpus", "gpu"},
    {POLICY_JOB, "gpucount", "gpu"},
    {POLICY_JOB, "totalgpu", "gpu_total"},
    {POLICY_JOB, "totalgpus", "gpu_total"},
    {POLICY_JOB, "cpus", "cpu"},
    {POLICY_JOB, "cores", "cpu"},
    {POLICY_JOB, "ncpus", "cpu"},
    {POLICY_JOB, "mem", "memory"},
    {POLICY_JOB, "ram", "memory"},
    {POLICY_JOB, "owner", "user"},
    {POLICY_JOB, "username", "user"},
    {POLICY_JOB, "userid", "user"},
    {POLICY_JOB, "group", "user_group"},
    {POLICY_JOB, "account", "user_group"},
    {POLICY_JOB, "partition", "queue"},
    {POLICY_JOB, "queuename", "queue"},
    {POLICY_JOB, "id", "name"},
    {POLICY_JOB, "jobname", "name"},
    {POLICY_JOB, "elapsed", "runtime"},
    {POLICY_NODE, "gpus", "gpu"},
    {POLICY_NODE, "numgpus", "gpu"},
    {POLICY_NODE, "gpusfree", "gpu_free"},
    {POLICY_NODE, "freegpu", "gpu_free"},
    {POLICY_NODE, "freegpus", "gpu_free"},
    {POLICY_NODE, "idlegpus", "gpu_free"},
    {POLICY_NODE, "cpus", "cpu"},
    {POLICY_NODE, "cores", "cpu"},
    {POLICY_NODE, "freecpu", "cpu_free"},
    {POLICY_NODE, "freecpus", "cpu_free"},
    {POLICY_NODE, "mem", "memory"},
    {POLICY_NODE, "ram", "memory"},
    {POLICY_NODE, "freemem", "memory_free"},
    {POLICY_NODE, "freememory", "memory_free"},
    {POLICY_NODE, "model", "gpu_model"},
    {POLICY_NODE, "gputype", "gpu_model"},
    {POLICY_NODE, "cost", "price"},
    {POLICY_NODE, "watts", "power"},
    {POLICY_NODE, "hostname", "name"},
    {POLICY_NODE, "id", "name"},
    {POLICY_NODE, "label", "labels"},
    {POLICY_QUEUE, "used", "gpu_used"},
    {POLICY_QUEUE, "usage", "gpu_used"},
    {POLICY_QUEUE, "usedgpu", "gpu_used"},
    {POLICY_QUEUE, "usedgpus", "gpu_used"},
    {POLICY_QUEUE, "gpusused", "gpu_used"},
    {POLICY_QUEUE, "quota", "gpu_quota"},
    {POLICY_QUEUE, "guarantee", "gpu_quota"},
    {POLICY_QUEUE, "limit", "gpu_limit"},
    {POLICY_QUEUE, "pending", "jobs_pending"},
    {POLICY_QUEUE, "pendingjobs", "jobs_pending"},
    {POLICY_QUEUE, "waiting", "jobs_pending"},
    {POLICY_QUEUE, "prio", "priority"},
    {POLICY_QUEUE, "id", "name"},
    {POLICY_CANDIDATE, "prio", "priority"},
    {POLICY_CANDIDATE, "gpus", "gpu"},
    {POLICY_CANDIDATE, "cpus", "cpu"},
    {POLICY_CANDIDATE, "mem", "memory"},
    {POLICY_CANDIDATE, "age", "runtime"},
    {POLICY_CANDIDATE, "elapsed", "runtime"},
    {POLICY_CANDIDATE, "lostwork", "lost"},
    {POLICY_CANDIDATE, "submittime", "submitted"},
    {POLICY_CLUSTER, "gpus", "gpu"},
    {POLICY_CLUSTER, "freegpus", "gpu_free"},
    {POLICY_CLUSTER, "cpus", "cpu"},
    {POLICY_CLUSTER, "pending", "jobs_pending"},
    {POLICY_CLUSTER, "running", "jobs_running"},
};

/* Converts a word to lower case and drops '_' and '-', so that gpuFree, GPU_FREE and gpu_free
 * become equal. */
static size_t plain(const char *word, size_t len, char *out, size_t cap) {
    size_t n = 0;
    for (size_t i = 0; i < len && n + 1 < cap; i++) {
        char c = word[i];
        if (c != '_' && c != '-') out[n++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    out[n] = '\0';
    return n;
}

const char *cure_field(uint32_t object, const char *word, size_t len) {
    char mine[40], its[40];
    if (len >= sizeof mine) return NULL;
    plain(word, len, mine, sizeof mine);
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        const struct policy_field_info *info = &policy_field_infos[f];
        if (info->object != object) continue;
        plain(info->name, strlen(info->name), its, sizeof its);
        if (strcmp(mine, its) == 0) return info->name;
    }
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
        if (spellings[i].object == object && strcmp(spellings[i].word, mine) == 0)
            return spellings[i].field;
    return NULL;
}

void cure_no_field(uint32_t object, const char *word, size_t len, char out[CURE_BYTES]) {
    int n = (int)(len < 24 ? len : 24);
    out[0] = '\0';
    if (object == POLICY_NODE)
        snprintf(out, CURE_BYTES, "; a label is node.labels.%.*s", n, word);
    else if (object == POLICY_JOB)
        snprintf(out, CURE_BYTES,
                 "; it has priority, waiting, duration, tasks, cpu, memory, gpu, user and more");
    else if (object == POLICY_QUEUE)
        snprintf(out, CURE_BYTES,
                 "; it has name, parent, jobs_pending, gpu_used, gpu_quota, gpu_limit and more");
    else if (object == POLICY_CANDIDATE)
        snprintf(out, CURE_BYTES,
                 "; it has queue, priority, runtime, lost, restart, tasks, gpu and more");
    else if (object == POLICY_CLUSTER)
        snprintf(out, CURE_BYTES,
                 "; it has nodes, cpu, cpu_free, memory, memory_free, gpu, gpu_free and jobs");
}

/* ---- names ---- */

const char *cure_name(const char *word) {
    static const char *const ways[][2] = {
        {"insert", "table.append"},
        {"remove", "table.remove_last"},
        {"concat", "string.format or .."},
        {"find", "string.contains"},
        {"match", "string.starts_with, ends_with or contains"},
        {"gsub", "string.sub"},
        {"random", "hash(...)"},
        {"randomseed", "hash(...), which needs no seed"},
        {"getn", "#t"},
        {"unpack", "the elements one by one"},
        {"next", "pairs"},
        {"print", "log(text)"},
        {"time", "the argument now"},
        {"date", "the library calendar"},
        {"clock", "the argument now"},
        {"pcall", "a test before the call"},
        {"xpcall", "a test before the call"},
        {"error", "a return value that says so"},
        {"os", "the argument now, and the library calendar for hours and days"},
        {"io", "log(text); a policy reads no files"},
        {"require", "what is there: calendar, stats, decay, units and usage; a policy is one text"},
        {"dofile", "one text for the whole policy"},
        {"load", "a function"},
        {"loadstring", "a function"},
        {"setmetatable", "plain tables and functions"},
        {"getmetatable", "plain tables and functions"},
        {"now", "the argument now: write it behind the others, as in function(job, queue, now)"},
        {"job", "the argument of a hook: function(job) return ... end"},
        {"queue", "the argument of a hook: function(job, queue) return ... end"},
        {"node", "the argument of a hook: function(job, node) return ... end"},
        {"candidate", "the argument of a hook: function(job, candidate) return ... end"},
        {"cluster", "the argument of the hook pipeline: function(cluster, now)"},
        {"null", "nil; a field is never nil"},
        {"NULL", "nil; a field is never nil"},
        {"None", "nil; a field is never nil"},
        {"undefined", "nil; a field is never nil"},
        {"True", "true"},
        {"TRUE", "true"},
        {"False", "false"},
        {"FALSE", "false"},
        {"is_night", "calendar.night"},
        {"is_weekend", "not calendar.is_weekday"},
        {"len", "#t"},
        {"str", "tostring(x)"},
        {"int", "math.floor(x)"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(ways[i][0], word) == 0) return ways[i][1];
    return NULL;
}

const char *cure_compile(const char *message) {
    /* what LuaJIT and PUC Lua say of a text that is correct, but too large for their bytecode */
    static const char *const cures[][2] = {
        {"local variables", "put some of them into one table (the library uses a few itself)"},
        {"upvalues",
         "put the variables outside that it uses into one table (the library uses a few itself)"},
        {"control structure too long",
         "move a part of the loop or branch that ends here into a function of its own"},
        {"too complex", "compute parts of the expression into local variables first"},
        {"too many registers", "compute parts of the expression into local variables first"},
        {"constants", "move a part of the function into another function, or list data in a table"},
        {"too many syntax levels", "move the innermost part into a function of its own"},
    };
    for (size_t i = 0; i < sizeof cures / sizeof cures[0]; i++)
        if (strstr(message, cures[i][0])) return cures[i][1];
    return NULL;
}
