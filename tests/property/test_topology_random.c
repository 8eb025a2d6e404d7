/*
 * Gangs with levels on clusters that change: two ragged trees over the same nodes, some nodes
 * outside of one, nodes that come, go, move, shrink and are cordoned, jobs of several shapes that
 * stay and end, clones that take the cluster's place. Before each gang the room of every node is
 * counted from what the library says is free, and from that where the gang belongs: the deepest
 * level it likes and may use with a domain that holds it, the tightest such domain, and in every
 * domain from there down the fewest children. What the engine keeps incrementally must agree at
 * every step.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <libsched/libsched.h>

#include "engine/state/cache_check.h"
#include "property/chance.h"

enum { NODES = 24, JOBS = 40, TREES = 2, LEVELS = 3, STEPS = 120, NO_LEVEL = LEVELS, GIB = 30 };

static const char *const tree_names[TREES] = {"network", "power"};
static const char *const level_names[TREES][LEVELS] = {{"zone", "rack", "host"},
                                                       {"hall", "row", "feed"}};

struct node {
    lsched_id id; /* 0: not there */
    int cordoned;
    uint32_t number;
    uint32_t depth[TREES]; /* levels that it has labels of: all, or fewer, then it is outside */
    char domain[TREES][LEVELS][24];
};

struct shape {
    int64_t cpu_milli, memory_bytes, gpu_milli;
};

struct world {
    uint64_t seed;
    struct chance chance;
    lsched_cluster *c;
    int64_t now_us;
    uint32_t next_name;
    struct node nodes[NODES];
    lsched_id jobs[JOBS];
    uint64_t room[NODES]; /* for the shape in hand */
    uint32_t gangs, placed;
};

static void must(const struct world *w, int64_t rc, const lsched_error *err, const char *call) {
    if (rc >= 0) return;
    fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)w->seed, call, err->message);
    fail();
}

/* ---- the cluster ----------------------------------------------------------------------------- */

static void name_domains(struct world *w, struct node *n, uint32_t number) {
    for (uint32_t t = 0; t < TREES; t++) {
        uint32_t a = chance_below(&w->chance, 2), b = chance_below(&w->chance, 3);
        n->depth[t] = chance_one_in(&w->chance, 12) ? chance_below(&w->chance, LEVELS) : LEVELS;
        snprintf(n->domain[t][0], sizeof n->domain[t][0], "%u", a);
        snprintf(n->domain[t][1], sizeof n->domain[t][1], "%u-%u", a, b);
        snprintf(n->domain[t][2], sizeof n->domain[t][2], "%u-%u-%u", a, b,
                 t == 0 ? number : chance_below(&w->chance, 3)); /* a feed is of several nodes */
    }
}

static uint32_t labels_of(const struct node *n, lsched_label *labels) {
    uint32_t n_labels = 0;
    for (uint32_t t = 0; t < TREES; t++)
        for (uint32_t l = 0; l < n->depth[t]; l++)
            labels[n_labels++] =
                (lsched_label){lsched_cstr(level_names[t][l]), lsched_cstr(n->domain[t][l])};
    return n_labels;
}

static void add_node(struct world *w, uint32_t i) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_desc desc = LSCHED_NODE_DESC_INIT;
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    lsched_label labels[TREES * LEVELS];
    struct node *n = &w->nodes[i];
    char name[24];
    uint32_t number = w->next_name++;
    const lsched_amount capacity[2] = {{LSCHED_CPU, 0, 1000 * chance_between(&w->chance, 0, 8)},
                                       {LSCHED_MEMORY, 0, chance_between(&w->chance, 1, 8) << GIB}};
    memset(n, 0, sizeof *n);
    n->number = number;
    name_domains(w, n, number);
    snprintf(name, sizeof name, "n%u", number);
    gpus.count = 1 + chance_below(&w->chance, 4);
    gpus.model = LSCHED_TEXT("A100");
    gpus.share_mode = LSCHED_SHARING_FRACTION;
    desc.name = lsched_cstr(name);
    desc.tag = i;
    desc.capacity = capacity;
    desc.n_capacity = 2;
    desc.labels = labels;
    desc.n_labels = labels_of(n, labels);
    desc.devices = &gpus;
    desc.n_devices = chance_one_in(&w->chance, 3) ? 0 : 1;
    must(w, lsched_nodes_add(w->c, &desc, 1, sizeof desc, NULL, &n->id, NULL, &err), &err,
         "nodes_add");
}

static void make(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.verify_every_plan = 1;
    must(w, lsched_cluster_create(&opts, &w->c, &err), &err, "create");
    cache_check_on(w->c);
    for (uint32_t t = 0; t < TREES; t++) {
        lsched_topology_desc topology = LSCHED_TOPOLOGY_DESC_INIT;
        lsched_text levels[LEVELS];
        for (uint32_t l = 0; l < LEVELS; l++) levels[l] = lsched_cstr(level_names[t][l]);
        topology.name = lsched_cstr(tree_names[t]);
        topology.levels = levels;
        topology.n_levels = LEVELS;
        must(w, lsched_topologies_add(w->c, &topology, 1, sizeof topology, NULL, NULL, NULL, &err),
             &err, "topologies_add");
    }
    queue.name = LSCHED_TEXT("q");
    must(w, lsched_queues_add(w->c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err), &err,
         "queues_add");
    for (uint32_t i = 0; i < NODES; i++)
        if (!chance_one_in(&w->chance, 4)) add_node(w, i);
}

/* ---- where a gang belongs -------------------------------------------------------------------- */

static uint64_t room_of(const struct world *w, const struct node *n, const struct shape *s) {
    lsched_node_info info = {.size = sizeof info};
    uint64_t room = UINT32_MAX, on_devices = 0, whole = 0;
    if (!n->id || n->cordoned) return 0;
    assert_int_equal(lsched_node_get(w->c, n->id, &info, NULL), 0);
    if (info.cpu_free_milli < 0 || info.memory_free_bytes < 0) return 0;
    if (s->cpu_milli) room = (uint64_t)(info.cpu_free_milli / s->cpu_milli);
    if (s->memory_bytes) {
        uint64_t fit = (uint64_t)(info.memory_free_bytes / s->memory_bytes);
        if (fit < room) room = fit;
    }
    if (!s->gpu_milli) return room;
    for (uint32_t d = 0; d < info.n_devices; d++) {
        lsched_device_info device = {.size = sizeof device};
        assert_int_equal(lsched_device_get(w->c, n->id, d, &device, NULL), 0);
        on_devices += device.free_milli / (uint64_t)s->gpu_milli;
        whole += device.free_milli == 1000;
    }
    uint64_t fit = s->gpu_milli >= 1000 ? whole / (uint64_t)(s->gpu_milli / 1000) : on_devices;
    return fit < room ? fit : room;
}

/* Are two nodes in one domain of a level; NO_LEVEL is the whole cluster. */
static int together(const struct world *w, uint32_t tree, uint32_t level, uint32_t a, uint32_t b) {
    const struct node *x = &w->nodes[a], *y = &w->nodes[b];
    if (!x->id || !y->id) return 0;
    if (level == NO_LEVEL) return 1;
    return x->depth[tree] == LEVELS && y->depth[tree] == LEVELS &&
           strcmp(x->domain[tree][level], y->domain[tree][level]) == 0;
}

struct gang {
    struct shape shape;
    uint32_t tree, required, preferred, tasks;
    uint32_t slice_level, slice_tasks; /* slice_tasks 1: no slices */
    uint32_t on[NODES];
};

static uint64_t room_around(const struct world *w, uint32_t tree, uint32_t level, uint32_t a) {
    uint64_t sum = 0;
    for (uint32_t b = 0; b < NODES; b++)
        if (together(w, tree, level, a, b)) sum += w->room[b];
    return sum;
}

/* The same in whole slices: each within one domain of its level. */
static uint64_t slices_around(const struct world *w, const struct gang *g, uint32_t level,
                              uint32_t a) {
    uint64_t sum = 0;
    if (g->slice_tasks == 1 || (level != NO_LEVEL && level > g->slice_level))
        return room_around(w, g->tree, level, a);
    for (uint32_t b = 0; b < NODES; b++) {
        uint32_t first = 1;
        if (!together(w, g->tree, level, a, b) || !together(w, g->tree, g->slice_level, b, b))
            continue;
        for (uint32_t c = 0; c < b; c++) first &= !together(w, g->tree, g->slice_level, b, c);
        uint64_t room = room_around(w, g->tree, g->slice_level, b);
        sum += first ? room - room % g->slice_tasks : 0;
    }
    return sum;
}

/* A node of the tightest domain of the deepest level, the smallest name among equals; NODES: the
 * gang must wait. */
static uint32_t right_domain(const struct world *w, const struct gang *g, uint32_t *level) {
    *level = g->preferred != NO_LEVEL ? g->preferred : g->required;
    for (;;) {
        uint32_t best = NODES;
        uint64_t least = UINT64_MAX;
        for (uint32_t a = 0; a < NODES; a++) {
            uint64_t room = slices_around(w, g, *level, a);
            if (!together(w, g->tree, *level, a, a) || room < g->tasks || room > least) continue;
            if (room == least && strcmp(w->nodes[a].domain[g->tree][*level % LEVELS],
                                        w->nodes[best].domain[g->tree][*level % LEVELS]) >= 0)
                continue;
            best = a;
            least = room;
        }
        if (best < NODES || *level == g->required || *level == NO_LEVEL) return best;
        *level = *level == 0 ? NO_LEVEL : *level - 1;
    }
}

/* The children at `level` of the domain around a that is in `outer`: used, and the fewest that
 * would do. */
static int in_fewest(const struct world *w, const struct gang *g, uint32_t outer, uint32_t level,
                     uint32_t a) {
    uint64_t rooms[NODES];
    uint32_t n = 0, used = 0, tasks = 0;
    for (uint32_t b = 0; b < NODES; b++) {
        uint32_t here = 0, first = 1, at;
        if (!together(w, g->tree, outer, a, b)) continue;
        tasks += g->on[b];
        for (uint32_t c = 0; c < NODES; c++) {
            if (!together(w, g->tree, level, b, c)) continue;
            if (c < b) first = 0;
            here += g->on[c];
        }
        if (!first) continue;
        uint64_t room = room_around(w, g->tree, level, b);
        used += here > 0;
        for (at = n++; at > 0 && rooms[at - 1] < room; at--) rooms[at] = rooms[at - 1];
        rooms[at] = room;
    }
    uint32_t least = 0;
    for (uint64_t sum = 0; sum < tasks && least < n; sum += rooms[least++]) {}
    return used == least;
}

static void complain(const struct world *w, const struct gang *g, const char *what) {
    fprintf(stderr,
            "seed %llu, gang %u: %s: %u tasks of %lld/%lld/%lld in %s, required %u, preferred %u, "
            "slices of %u at %u\n",
            (unsigned long long)w->seed, w->gangs, what, g->tasks, (long long)g->shape.cpu_milli,
            (long long)g->shape.memory_bytes, (long long)g->shape.gpu_milli, tree_names[g->tree],
            g->required, g->preferred, g->slice_tasks, g->slice_level);
    for (uint32_t i = 0; i < NODES; i++)
        if (w->nodes[i].id)
            fprintf(stderr, "  node %u %s%s room %llu got %u\n", i,
                    w->nodes[i].domain[g->tree][LEVELS - 1],
                    w->nodes[i].depth[g->tree] == LEVELS ? "" : " (outside)",
                    (unsigned long long)w->room[i], g->on[i]);
    fail();
}

static void check_slices(const struct world *w, const struct gang *g) {
    for (uint32_t a = 0; a < NODES; a++) {
        uint32_t here = 0;
        for (uint32_t b = 0; b < NODES; b++)
            if (together(w, g->tree, g->slice_level, a, b)) here += g->on[b];
        if (here % g->slice_tasks) complain(w, g, "a slice is divided");
        if (g->on[a] && here == 0) complain(w, g, "a slice outside the tree");
    }
}

static void check_gang(const struct world *w, const struct gang *g, uint32_t got) {
    uint32_t level, at = right_domain(w, g, &level);
    if (got != (at < NODES ? g->tasks : 0)) complain(w, g, got ? "does not fit" : "waits");
    if (at == NODES) return;
    for (uint32_t i = 0; i < NODES; i++)
        if (g->on[i] && !together(w, g->tree, level, at, i)) complain(w, g, "elsewhere");
    if (g->slice_tasks > 1) check_slices(w, g);
    /* Nodes outside the tree have no children to count, and slices are dealt out whole. */
    if (level == NO_LEVEL || g->slice_tasks > 1) return;
    for (uint32_t l = level + 1; l < LEVELS; l++)
        for (uint32_t i = 0; i < NODES; i++)
            if (together(w, g->tree, level, at, i) && !in_fewest(w, g, l - 1, l, i))
                complain(w, g, "not in the fewest domains");
}

/* ---- steps ----------------------------------------------------------------------------------- */

static uint32_t draw_level(struct world *w) {
    return chance_below(&w->chance, LEVELS + 1);
}

static void draw_gang(struct world *w, struct gang *g) {
    static const struct shape shapes[] = {
        {1000, 0, 0}, {2000, 0, 0}, {500, (int64_t)1 << GIB, 0}, {0, 0, 1000}, {1000, 0, 1000},
        {0, 0, 2000}, {0, 0, 500},  {0, (int64_t)1 << 29, 300}};
    memset(g, 0, sizeof *g);
    g->shape = shapes[chance_below(&w->chance, sizeof shapes / sizeof shapes[0])];
    g->tree = chance_below(&w->chance, TREES);
    g->tasks = 1 + chance_below(&w->chance, chance_one_in(&w->chance, 4) ? 30 : 8);
    do {
        g->required = draw_level(w);
        g->preferred = draw_level(w);
    } while ((g->required == NO_LEVEL && g->preferred == NO_LEVEL) ||
             (g->required != NO_LEVEL && g->preferred < g->required));
    g->slice_tasks = 1;
    if (!chance_one_in(&w->chance, 3)) return;
    g->slice_tasks = 2 + chance_below(&w->chance, 3);
    g->slice_level = chance_below(&w->chance, LEVELS);
    g->tasks *= g->slice_tasks;
    if (g->required != NO_LEVEL && g->required > g->slice_level) g->required = g->slice_level;
}

static lsched_id submit(struct world *w, const struct gang *g) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_amount request[3] = {{LSCHED_CPU, 0, g->shape.cpu_milli},
                                {LSCHED_MEMORY, 0, g->shape.memory_bytes},
                                {LSCHED_GPU, 0, g->shape.gpu_milli}};
    const lsched_slice slice = {lsched_cstr(level_names[g->tree][g->slice_level]), g->slice_tasks,
                                0};
    char name[24];
    lsched_id id = 0;
    snprintf(name, sizeof name, "g%u", w->gangs++);
    if (g->slice_tasks > 1) {
        group.slices = &slice;
        group.n_slices = 1;
    }
    group.request = request;
    group.n_request = 3;
    group.max_count = g->tasks;
    group.topology = lsched_cstr(tree_names[g->tree]);
    if (g->required != NO_LEVEL)
        group.required_level = lsched_cstr(level_names[g->tree][g->required]);
    if (g->preferred != NO_LEVEL)
        group.preferred_level = lsched_cstr(level_names[g->tree][g->preferred]);
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    must(w, lsched_jobs_submit(w->c, &job, 1, sizeof job, NULL, &id, NULL, &err), &err, "submit");
    return id;
}

static void remove_job(struct world *w, lsched_id *id) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (*id) must(w, lsched_jobs_remove(w->c, id, 1, NULL, NULL, &err), &err, "jobs_remove");
    *id = 0;
}

/* A gang that fits stays in the place of an earlier one; one that does not goes. */
static void try_gang(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    struct gang g;
    draw_gang(w, &g);
    lsched_id *slot = &w->jobs[chance_below(&w->chance, JOBS)];
    remove_job(w, slot);
    for (uint32_t i = 0; i < NODES; i++) w->room[i] = room_of(w, &w->nodes[i], &g.shape);
    *slot = submit(w, &g);
    opts.now_us = ++w->now_us;
    must(w, lsched_schedule(w->c, &opts, &plan, &err), &err, "schedule");
    uint32_t got = (uint32_t)lsched_plan_size(plan);
    for (uint32_t i = 0; i < got; i++) g.on[lsched_plan_at(plan, i)->node_tag]++;
    lsched_plan_destroy(plan);
    check_gang(w, &g, got);
    w->placed += got > 0;
    if (got == 0) remove_job(w, slot);
}

/* Jobs that lose a task go altogether, so that nothing waits beside the next gang. */
static void lose_node(struct world *w, struct node *n) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t j = 0; j < JOBS; j++) {
        lsched_task_info info = {.size = sizeof info};
        uint64_t cursor = 0;
        int on_it = 0;
        while (w->jobs[j] && lsched_tasks_next(w->c, w->jobs[j], 0, &cursor, &info, NULL) == 1)
            on_it |= info.node == n->id;
        if (on_it) remove_job(w, &w->jobs[j]);
    }
    must(w, lsched_nodes_remove(w->c, &n->id, 1, NULL, NULL, &err), &err, "nodes_remove");
    n->id = 0;
}

static void update_node(struct world *w, struct node *n) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    const lsched_amount cpu = {LSCHED_CPU, 0, 1000 * chance_between(&w->chance, 0, 8)};
    u.node = n->id;
    if (chance_one_in(&w->chance, 2)) {
        n->cordoned = !n->cordoned;
        u.set = LSCHED_NODE_SET_STATE;
        u.state = n->cordoned ? LSCHED_NODE_CORDONED : LSCHED_NODE_READY;
    } else {
        u.set = LSCHED_NODE_SET_CAPACITY;
        u.capacity = &cpu;
        u.n_capacity = 1;
    }
    must(w, lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &err), &err, "nodes_update");
}

static int same_place(const struct node *a, const struct node *b) {
    for (uint32_t t = 0; t < TREES; t++) {
        int inside = a->depth[t] == LEVELS;
        if (inside != (b->depth[t] == LEVELS)) return 0;
        for (uint32_t l = 0; inside && l < LEVELS; l++)
            if (strcmp(a->domain[t][l], b->domain[t][l]) != 0) return 0;
    }
    return 1;
}

/* A node with nothing on it moves in its trees; one that runs work does not. */
static void move_node(struct world *w, struct node *n) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    lsched_node_info info = {.size = sizeof info};
    lsched_label labels[TREES * LEVELS];
    struct node moved = *n;
    if (!chance_one_in(&w->chance, 4)) name_domains(w, &moved, n->number);
    assert_int_equal(lsched_node_get(w->c, n->id, &info, NULL), 0);
    u.node = n->id;
    u.set = LSCHED_NODE_SET_LABELS;
    u.labels = labels;
    u.n_labels = labels_of(&moved, labels);
    int32_t rc = lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &err);
    if (info.n_tasks && !same_place(n, &moved)) {
        assert_int_equal(rc, LSCHED_E_BUSY);
        return;
    }
    must(w, rc, &err, "nodes_update");
    *n = moved;
}

static void step(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t what = chance_below(&w->chance, 18), i = chance_below(&w->chance, NODES);
    struct node *n = &w->nodes[i];
    if (what < 10) {
        try_gang(w);
    } else if (what < 12) {
        remove_job(w, &w->jobs[chance_below(&w->chance, JOBS)]);
    } else if (what < 13) {
        lsched_cluster *copy = NULL;
        must(w, lsched_cluster_clone(w->c, &copy, &err), &err, "clone");
        lsched_cluster_destroy(w->c);
        w->c = copy;
    } else if (!n->id) {
        add_node(w, i);
    } else if (what < 14) {
        lose_node(w, n);
    } else if (what < 16) {
        move_node(w, n);
    } else {
        update_node(w, n);
    }
}

static void changing_trees(void **state) {
    uint64_t seed = chance_seed(20), gangs = 0, placed = 0;
    uint32_t rounds = chance_rounds(200);
    (void)state;
    for (uint32_t r = 0; r < rounds; r++) {
        static struct world w;
        memset(&w, 0, sizeof w);
        w.seed = w.chance.state = seed + r;
        make(&w);
        for (uint32_t s = 0; s < STEPS; s++) step(&w);
        lsched_cluster_destroy(w.c);
        gangs += w.gangs;
        placed += w.placed;
    }
    printf("seeds %llu to %llu: %llu gangs, %llu placed\n", (unsigned long long)seed,
           (unsigned long long)(seed + rounds - 1), (unsigned long long)gangs,
           (unsigned long long)placed);
    assert_true(placed * 4 > gangs);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(changing_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
