/* tree_shapes.c -- see tree_shapes.h. */
#include "support/tree_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- all shapes ------------------------------------------------------------------------------ */

/* A tree is the list of its children, which are earlier trees, the later ones first; tree 0 is
 * the leaf. */
struct tree {
    uint32_t leaves, n_children;
    uint32_t child[TREE_LEAVES_MAX];
};

struct forest {
    struct tree trees[TREE_SHAPES_MAX];
    uint32_t n;
};

/* Lists of trees with `leaves` leaves in all, at least two, none after an earlier one: counted
 * through like the digits of a number, least digit last. */
static void add_trees(struct forest *f, uint32_t leaves) {
    uint32_t known = f->n, digit[TREE_LEAVES_MAX], n = 0, sum = 0;
    uint32_t next = 0; /* what to try at position n */
    for (;;) {
        uint32_t most = n ? digit[n - 1] : known - 1;
        while (next <= most && sum + f->trees[next].leaves > leaves) next = most + 1;
        if (next > most) { /* nothing fits here any more: the digit before goes on */
            if (n == 0) return;
            n--;
            sum -= f->trees[digit[n]].leaves;
            next = digit[n] + 1;
            continue;
        }
        digit[n++] = next;
        sum += f->trees[next].leaves;
        if (sum < leaves) {
            next = 0;
            continue;
        }
        if (n >= 2) {
            struct tree *t = &f->trees[f->n++];
            t->leaves = leaves;
            t->n_children = n;
            memcpy(t->child, digit, n * sizeof digit[0]);
        }
        n--;
        sum -= f->trees[digit[n]].leaves;
        next = digit[n] + 1;
    }
}

/* Write down the way to each leaf. */
static void expand(const struct forest *f, uint32_t root, struct tree_shape *out) {
    struct {
        uint32_t tree, child;
    } stack[TREE_LEAVES_MAX + 1];
    uint32_t depth = 0;
    char way[TREE_LEVELS_MAX + 1] = "";
    memset(out, 0, sizeof *out);
    stack[0].tree = root;
    stack[0].child = 0;
    for (;;) {
        const struct tree *t = &f->trees[stack[depth].tree];
        if (t->n_children == 0) memcpy(out->path[out->leaves++], way, depth);
        if (depth > out->levels) out->levels = depth;
        if (stack[depth].child < t->n_children) {
            uint32_t c = stack[depth].child++;
            way[depth++] = (char)('0' + c);
            stack[depth].tree = t->child[c];
            stack[depth].child = 0;
        } else if (depth-- == 0) {
            break;
        }
    }
    if (out->levels == 0) out->levels = 1;
    for (uint32_t i = 0; i < out->leaves; i++)
        for (size_t l = strlen(out->path[i]); l < out->levels; l++) out->path[i][l] = '0';
}

uint32_t tree_shapes_of(uint32_t leaves, struct tree_shape *out) {
    static struct forest f;
    uint32_t first = 0;
    memset(&f, 0, sizeof f);
    f.trees[f.n++].leaves = 1;
    for (uint32_t n = 2; n <= leaves; n++) {
        first = f.n;
        add_trees(&f, n);
    }
    for (uint32_t i = first; i < f.n; i++) expand(&f, i, &out[i - first]);
    return f.n - first;
}

/* ---- a cluster of that shape ----------------------------------------------------------------- */

static void must(int64_t rc, const lsched_error *err, const char *call) {
    if (rc >= 0) return;
    fprintf(stderr, "%s: %s: %s\n", call, lsched_error_name((int32_t)rc), err->message);
    abort();
}

lsched_text topology_map_level(uint32_t level) {
    static const char *const names[TREE_LEVELS_MAX] = {"l0", "l1", "l2", "l3",
                                                       "l4", "l5", "l6", "l7"};
    return (lsched_text){names[level], 2};
}

void tree_world_make(struct tree_world *w, const struct tree_shape *shape) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_topology_desc topology = LSCHED_TOPOLOGY_DESC_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_text levels[TREE_LEVELS_MAX];
    memset(w, 0, sizeof *w);
    w->shape = shape;
    opts.verify_every_plan = 1;
    must(lsched_cluster_create(&opts, &w->cluster, &err), &err, "create");
    for (uint32_t l = 0; l < shape->levels; l++) levels[l] = topology_map_level(l);
    topology.name = LSCHED_TEXT("tree");
    topology.levels = levels;
    topology.n_levels = shape->levels;
    queue.name = LSCHED_TEXT("q");
    must(lsched_topologies_add(w->cluster, &topology, 1, sizeof topology, NULL, NULL, NULL, &err),
         &err, "topologies_add");
    must(lsched_queues_add(w->cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, &err), &err,
         "queues_add");
    for (uint32_t i = 0; i < shape->leaves; i++) {
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        lsched_label labels[TREE_LEVELS_MAX];
        const lsched_amount cpu = {LSCHED_CPU, 0, 1000};
        for (uint32_t l = 0; l < shape->levels; l++)
            labels[l] = (lsched_label){topology_map_level(l), {shape->path[i], l + 1}};
        node.name = (lsched_text){shape->path[i], shape->levels};
        node.capacity = &cpu;
        node.n_capacity = 1;
        node.labels = labels;
        node.n_labels = shape->levels;
        node.tag = i;
        must(lsched_nodes_add(w->cluster, &node, 1, sizeof node, NULL, &w->nodes[i], NULL, &err),
             &err, "nodes_add");
    }
}

void tree_world_drop(struct tree_world *w) {
    lsched_cluster_destroy(w->cluster);
    w->cluster = NULL;
}

void tree_world_capacity(struct tree_world *w, const uint32_t *capacity) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < w->shape->leaves; i++) {
        const lsched_amount cpu = {LSCHED_CPU, 0, 1000 * (int64_t)capacity[i]};
        lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
        u.set = LSCHED_NODE_SET_CAPACITY;
        u.node = w->nodes[i];
        u.capacity = &cpu;
        u.n_capacity = 1;
        must(lsched_nodes_update(w->cluster, &u, 1, sizeof u, NULL, NULL, &err), &err,
             "nodes_update");
    }
}

lsched_group_desc tree_group(uint32_t count) {
    static const lsched_amount request = {LSCHED_CPU, 0, 1000};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    group.request = &request;
    group.n_request = 1;
    group.max_count = count;
    return group;
}

uint32_t tree_world_try(struct tree_world *w, const lsched_group_desc *groups, uint32_t n,
                        uint32_t (*placed)[TREE_LEAVES_MAX], uint8_t *leaf_of) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_id id = 0;
    job.name = LSCHED_TEXT("j");
    job.queue_name = LSCHED_TEXT("q");
    job.groups = groups;
    job.n_groups = n;
    must(lsched_jobs_submit(w->cluster, &job, 1, sizeof job, NULL, &id, NULL, &err), &err,
         "submit");
    opts.now_us = ++w->now_us;
    must(lsched_schedule(w->cluster, &opts, &plan, &err), &err, "schedule");
    uint32_t count = (uint32_t)lsched_plan_size(plan);
    memset(placed, 0, n * sizeof placed[0]);
    for (uint32_t i = 0; i < count; i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        placed[d->group_index][d->node_tag]++;
        if (leaf_of) leaf_of[d->task_index] = (uint8_t)d->node_tag;
    }
    lsched_plan_destroy(plan);
    must(lsched_jobs_remove(w->cluster, &id, 1, NULL, NULL, &err), &err, "remove");
    return count;
}
