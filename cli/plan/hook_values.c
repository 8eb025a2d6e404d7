/*
 * hook_values.c -- see hook_values.h.
 *
 * The values are computed for the state after the cycle. In this state, the resources that tasks of
 * the job hold on a node are no longer free. Summands are only known for a compiled hook. For a
 * hook that runs in Lua, only the value is printed.
 */
#include "cli/plan/hook_values.h"

#include <stdio.h>

#include "cli/support/json_writer.h"
#include "cli/plan/plan_words.h"
#include "cli/support/terminal.h"
#include "cli/support/text_table.h"

enum { TERMS_MAX = 32, NODES_SHOWN = 3, LINE_BYTES = 8192 };

struct answer {
    uint32_t hook;
    lsched_id node;
    double value;
    /* true if `node` is printed because it has the highest score; false if it is printed because
     * the job has a task on it */
    bool is_highest;
    size_t n;
    lsched_policy_term terms[TERMS_MAX];
};

static bool ask(const lsched_cluster *cluster, lsched_id job, int64_t now_us, struct answer *a) {
    int32_t n = lsched_policy_terms(cluster, a->hook, job, a->node, now_us, a->terms, TERMS_MAX,
                                    &a->value, NULL);
    a->n = n < 0 ? 0 : n < TERMS_MAX ? (size_t)n : TERMS_MAX;
    a->value += 0.0; /* adding 0 turns the value -0 into 0 */
    for (size_t i = 0; i < a->n; i++) a->terms[i].value += 0.0;
    return n >= 0;
}

/* Writes the nodes on which the job has placed or nominated tasks, at most NODES_SHOWN nodes.
 * Returns their number. */
static size_t nodes_of(const lsched_cluster *cluster, lsched_id job, lsched_id *nodes) {
    uint64_t cursor = 0;
    size_t n = 0;
    lsched_task_info task = {.size = sizeof task};
    while (n < NODES_SHOWN && lsched_tasks_next(cluster, job, 0, &cursor, &task, NULL) == 1) {
        size_t i = 0;
        while (i < n && nodes[i] != task.node) i++;
        if (task.node != 0 && i == n) nodes[n++] = task.node;
    }
    return n;
}

static size_t best_node(const lsched_cluster *cluster, lsched_id job, int64_t now_us,
                        lsched_id *best) {
    uint64_t cursor = 0;
    lsched_id node;
    double most = 0;
    size_t found = 0;
    while ((node = lsched_next(cluster, LSCHED_KIND_NODE, &cursor)) != 0) {
        double value;
        int32_t n = lsched_policy_terms(cluster, LSCHED_HOOK_SCORE, job, node, now_us, NULL, 0,
                                        &value, NULL);
        if (n < 0 || (found && value <= most)) continue;
        most = value;
        *best = node;
        found = 1;
    }
    return found;
}

/* Returns true if the policy's filter refuses every node that has room for the job. In this case
 * the node with the highest score can be a refused node, therefore its score is not printed. */
static bool is_filtered(const lsched_cluster *cluster, lsched_id job) {
    lsched_waiting waiting = {.size = sizeof waiting};
    return lsched_explain(cluster, job, NULL, 0, &waiting, NULL) >= 0 &&
           waiting.code == LSCHED_WAIT_FILTER;
}

static void each_answer(const lsched_cluster *cluster, lsched_id job, int64_t now_us,
                        void (*show)(void *user, const lsched_cluster *cluster,
                                     const struct answer *a),
                        void *user) {
    lsched_policy_info info = {.size = sizeof info};
    lsched_id nodes[NODES_SHOWN];
    struct answer a = {.hook = LSCHED_HOOK_PRIORITY};
    lsched_policy_get(cluster, &info, NULL);
    if ((info.hooks & LSCHED_HOOK_PRIORITY) != 0 && ask(cluster, job, now_us, &a))
        show(user, cluster, &a);
    if ((info.hooks & LSCHED_HOOK_SCORE) == 0) return;
    size_t n = nodes_of(cluster, job, nodes);
    a.is_highest = n == 0;
    if (n == 0 && is_filtered(cluster, job)) return;
    if (n == 0) n = best_node(cluster, job, now_us, nodes);
    a.hook = LSCHED_HOOK_SCORE;
    for (size_t i = 0; i < n; i++) {
        a.node = nodes[i];
        if (ask(cluster, job, now_us, &a)) show(user, cluster, &a);
    }
}

/* ---- text ---- */

static size_t add_terms(const struct answer *a, char *line, size_t n) {
    for (size_t i = 0; i < a->n && n < LINE_BYTES; i++) {
        const lsched_policy_term *t = &a->terms[i];
        /* true if the text of the summand begins with a minus; the value already has this sign */
        bool is_less = t->text[0] == '-' && t->text[1] == ' ';
        n += (size_t)snprintf(line + n, LINE_BYTES - n, "%s%s (%.6g)",
                              i == 0    ? " = "
                              : is_less ? " "
                                        : " + ",
                              t->text, (is_less ? -t->value : t->value) + 0.0);
    }
    return n;
}

static void print_answer(void *user, const lsched_cluster *cluster, const struct answer *a) {
    static char line[LINE_BYTES];
    int width = terminal_width(stdout);
    lsched_text node = name_of(cluster, a->node);
    size_t n;
    (void)user;
    printf("  %-10s  ", a->hook == LSCHED_HOOK_SCORE ? "score" : "priority");
    if (a->hook == LSCHED_HOOK_SCORE)
        n = (size_t)snprintf(line, sizeof line, "of %.*s%s: %.6g", (int)node.len, node.ptr,
                             a->is_highest ? ", the highest" : "", a->value);
    else
        n = (size_t)snprintf(line, sizeof line, "%.6g", a->value);
    add_terms(a, line, n);
    print_wrapped(stdout, line, 14, 14, width);
    putchar('\n');
}

void hook_values_print(const lsched_cluster *cluster, lsched_id job, int64_t now_us) {
    each_answer(cluster, job, now_us, print_answer, NULL);
}

/* ---- JSON ---- */

static void json_answer(void *user, const lsched_cluster *cluster, const struct answer *a) {
    struct json *json = user;
    lsched_text node = name_of(cluster, a->node);
    json_object(json, NULL, JSON_LINES);
    json_string(json, "hook", a->hook == LSCHED_HOOK_SCORE ? "score" : "priority");
    if (a->hook == LSCHED_HOOK_SCORE) json_text(json, "node", node.ptr, node.len);
    json_fixed(json, "value", a->value, 6);
    json_array(json, "sum", JSON_LINES);
    for (size_t i = 0; i < a->n; i++) {
        json_object(json, NULL, JSON_LINE);
        json_string(json, "text", a->terms[i].text);
        json_fixed(json, "value", a->terms[i].value, 6);
        json_uint(json, "line", a->terms[i].line);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

void hook_values_json(struct json *json, const lsched_cluster *cluster, lsched_id job,
                      int64_t now_us) {
    json_array(json, "terms", JSON_LINES);
    each_answer(cluster, job, now_us, json_answer, json);
    json_close(json);
}
