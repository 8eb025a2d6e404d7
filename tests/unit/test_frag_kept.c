/*
 * test_frag_kept.c -- under fgd and least-fragmentation with a task mix, a change of one node costs
 * the score of this node, and not of all nodes: what the strategies prepare from nodes and the mix
 * is compared with what they had.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/growth_world.h"

enum { GPUS = 4, WARM = 80 };

static lsched_id add_node(struct growth_world *w, uint32_t number) {
    char name[16];
    lsched_amount cpu = {LSCHED_CPU, 0, 32000};
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    lsched_id id;
    snprintf(name, sizeof name, "n%05u", number);
    gpus.count = GPUS;
    gpus.model = number % 2 ? LSCHED_TEXT("T4") : LSCHED_TEXT("A10");
    gpus.share_mode = LSCHED_SHARING_FRACTION;
    d.name = lsched_cstr(name);
    d.capacity = &cpu;
    d.n_capacity = 1;
    d.devices = &gpus;
    d.n_devices = 1;
    growth_must(w, lsched_nodes_add(w->c, &d, 1, sizeof d, NULL, &id, NULL, &w->err));
    return id;
}

static void describe(lsched_group_desc *g, lsched_amount *amounts, int64_t milli) {
    lsched_init(g, sizeof *g);
    amounts[0] = (lsched_amount){LSCHED_CPU, 0, 2000};
    amounts[1] = (lsched_amount){LSCHED_GPU, 0, milli};
    g->request = amounts;
    g->n_request = 2;
}

static void set_mix(struct growth_world *w) {
    static const int64_t milli[] = {250, 500, 1000, 2000};
    static const lsched_text model = LSCHED_TEXT_INIT("T4");
    enum { CLASSES = sizeof milli / sizeof milli[0] };
    lsched_group_desc groups[CLASSES];
    lsched_amount amounts[CLASSES][2];
    lsched_mix_entry mix[CLASSES];
    for (uint32_t i = 0; i < CLASSES; i++) {
        describe(&groups[i], amounts[i], milli[i]);
        if (i % 2) groups[i].device_models = &model, groups[i].n_device_models = 1;
        mix[i] = (lsched_mix_entry){sizeof mix[i], 0, &groups[i], 1 + i};
    }
    growth_must(w, lsched_task_mix_set(w->c, mix, CLASSES, sizeof mix[0], &w->err));
}

static void submit(struct growth_world *w, uint32_t number) {
    char name[16];
    lsched_amount amounts[2];
    lsched_group_desc g;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    snprintf(name, sizeof name, "j%05u", number);
    describe(&g, amounts, 250);
    d.name = lsched_cstr(name);
    d.queue_name = LSCHED_TEXT("q");
    d.groups = &g;
    d.n_groups = 1;
    growth_must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err));
}

enum change { NOTHING, RELABEL, ADD, REMOVE, CORDON, CHANGES };

static void change(struct growth_world *w, enum change which, lsched_id *nodes, uint32_t n) {
    lsched_label label = {LSCHED_TEXT("pool"), LSCHED_TEXT("a")};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = nodes[n / 2];
    if (which == RELABEL) {
        u.set = LSCHED_NODE_SET_LABELS;
        u.labels = &label;
        u.n_labels = 1;
    } else if (which == CORDON) {
        u.set = LSCHED_NODE_SET_STATE;
        u.state = LSCHED_NODE_CORDONED;
    }
    if (u.set) growth_must(w, lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &w->err));
    if (which == ADD) add_node(w, n);
    if (which == REMOVE)
        growth_must(w, lsched_nodes_remove(w->c, &nodes[n - 1], 1, NULL, NULL, &w->err));
}

/* Returns the scores that a cycle computes which starts one task after the change. */
static uint64_t scores_after(const char *policy, enum change which, uint32_t n) {
    struct growth_world w;
    lsched_id *nodes = malloc(n * sizeof *nodes);
    assert_non_null(nodes);
    growth_open(&w);
    growth_must(&w,
                lsched_policy_load(w.c, lsched_cstr(policy), (lsched_text){NULL, 0}, NULL, &w.err));
    for (uint32_t i = 0; i < n; i++) nodes[i] = add_node(&w, i);
    growth_queue(&w, "q", 32 * (int64_t)n);
    set_mix(&w);
    for (uint32_t i = 0; i < WARM; i++) {
        submit(&w, i);
        growth_cycle(&w);
    }
    uint64_t before = w.c->search.scored;
    change(&w, which, nodes, n);
    submit(&w, WARM);
    growth_cycle(&w);
    uint64_t scores = w.c->search.scored - before;
    free(nodes);
    lsched_cluster_destroy(w.c);
    return scores;
}

static void check(const char *policy, enum change last) {
    for (uint32_t which = 0; which < last; which++) {
        uint64_t few = scores_after(policy, which, 100), many = scores_after(policy, which, 400);
        print_message("%s, change %u: %llu scores, with four times the nodes %llu\n", policy, which,
                      (unsigned long long)few, (unsigned long long)many);
        assert_in_range(many, which == RELABEL, 4);
    }
}

static void test_fgd(void **state) {
    (void)state;
    check("fgd", CHANGES);
}

static void test_least_fragmentation(void **state) {
    (void)state;
    check("least-fragmentation", CHANGES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fgd),
                                       cmocka_unit_test(test_least_fragmentation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
