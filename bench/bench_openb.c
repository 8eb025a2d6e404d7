/*
 * bench_openb.c -- places the tasks of the openb cluster (Alibaba cluster-trace-gpu-v2023) one
 * after another, each in a cycle of its own, under strategies that look at fragments: the CPU time
 * of a submitted task with its cycle, and the tasks per second of all together. The nodes are of
 * many models and sizes, and the tasks of hundreds of shapes, so caches that live on few shapes do
 * not help here. The baseline is binpack on the same nodes and tasks.
 *
 * The lists are read from ../shared/traces/openb, or from LSCHED_SHARED_DIR/traces/openb; gzip
 * unpacks the tasks. Without the lists, the program says so and prints no row.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, popen */

#include <string.h>

#include "bench_support.h"

enum { NODES_MAX = 2000, TASKS_MAX = 20000, COLUMNS_MAX = 16, TEXT_BYTES = 64, MODELS_MAX = 16 };

struct node {
    char name[TEXT_BYTES], model[TEXT_BYTES];
    int64_t cpu_milli, memory_mib, gpus;
};

struct task {
    char models[2 * TEXT_BYTES]; /* separated by '|' */
    int64_t cpu_milli, memory_mib, gpus, gpu_milli;
};

static struct {
    struct node nodes[NODES_MAX];
    struct task tasks[TASKS_MAX];
    uint32_t n_nodes, n_tasks;
} openb;

/* Cuts the line at its commas. Returns the number of columns. */
static uint32_t cut(char *line, char **columns) {
    uint32_t n = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *at = line; at && n < COLUMNS_MAX; n++) {
        columns[n] = at;
        at = strchr(at, ',');
        if (at) *at++ = 0;
    }
    return n;
}

static int64_t number(const char *text) {
    return strtoll(text, NULL, 10);
}

static void read_node(char **columns) {
    struct node *n = &openb.nodes[openb.n_nodes];
    if (openb.n_nodes == NODES_MAX) return;
    snprintf(n->name, sizeof n->name, "%s", columns[0]);
    snprintf(n->model, sizeof n->model, "%s", columns[4]);
    n->cpu_milli = number(columns[1]);
    n->memory_mib = number(columns[2]);
    n->gpus = number(columns[3]);
    openb.n_nodes += n->gpus > 0;
}

static void read_task(char **columns) {
    struct task *t = &openb.tasks[openb.n_tasks];
    if (openb.n_tasks == TASKS_MAX) return;
    t->cpu_milli = number(columns[1]);
    t->memory_mib = number(columns[2]);
    t->gpus = number(columns[3]);
    t->gpu_milli = number(columns[4]);
    snprintf(t->models, sizeof t->models, "%s", columns[5]);
    openb.n_tasks++;
}

/* Reads rows of at least `least` columns after a line of headings. */
static void read_rows(FILE *f, uint32_t least, void (*row)(char **columns)) {
    char line[512], *columns[COLUMNS_MAX];
    int heading = 1;
    while (fgets(line, sizeof line, f)) {
        uint32_t n = cut(line, columns);
        if (!heading && n >= least) row(columns);
        heading = 0;
    }
}

static int read_lists(void) {
    const char *shared = getenv("LSCHED_SHARED_DIR");
    char path[512], command[600];
    if (!shared || !*shared) shared = "../shared";
    snprintf(path, sizeof path, "%s/traces/openb/openb_node_list_gpu_node.csv", shared);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    read_rows(f, 5, read_node);
    fclose(f);
    snprintf(command, sizeof command,
             "gzip -dc '%s/traces/openb/pods/openb_pod_list_default.csv.gz' 2>/dev/null", shared);
    f = popen(command, "r"); /* a constant below a folder of the caller */
    if (!f) return 0;
    read_rows(f, 6, read_task);
    return pclose(f) == 0 && openb.n_nodes > 0 && openb.n_tasks > 0;
}

static void add_nodes(lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < openb.n_nodes; i++) {
        const struct node *n = &openb.nodes[i];
        lsched_amount capacity[2] = {{LSCHED_CPU, 0, n->cpu_milli},
                                     {LSCHED_MEMORY, 0, n->memory_mib << 20}};
        lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        gpus.count = (uint32_t)n->gpus;
        gpus.model = lsched_cstr(n->model);
        gpus.share_mode = LSCHED_SHARING_FRACTION;
        d.name = lsched_cstr(n->name);
        d.capacity = capacity;
        d.n_capacity = 2;
        d.devices = &gpus;
        d.n_devices = 1;
        bench_check(lsched_nodes_add(c, &d, 1, sizeof d, NULL, NULL, NULL, &err), &err,
                    "nodes_add");
    }
}

struct request {
    lsched_amount amounts[3];
    lsched_text models[MODELS_MAX];
    lsched_group_desc group;
};

static void describe(const struct task *t, struct request *r) {
    memset(r, 0, sizeof *r);
    lsched_init(&r->group, sizeof r->group);
    r->amounts[0] = (lsched_amount){LSCHED_CPU, 0, t->cpu_milli};
    r->amounts[1] = (lsched_amount){LSCHED_MEMORY, 0, t->memory_mib << 20};
    r->amounts[2] = (lsched_amount){LSCHED_GPU, 0, t->gpus * t->gpu_milli};
    r->group.request = r->amounts;
    r->group.n_request = t->gpus > 0 ? 3 : 2;
    r->group.gpu_devices = (uint32_t)t->gpus;
    for (const char *at = t->models; *at && r->group.n_device_models < MODELS_MAX;) {
        size_t len = strcspn(at, "|");
        r->models[r->group.n_device_models++] = (lsched_text){at, len};
        at += len + (at[len] == '|');
    }
    r->group.device_models = r->group.n_device_models ? r->models : NULL;
}

/* fgd needs the mix of tasks that it expects: each task of the list counts once. */
static void set_mix(lsched_cluster *c) {
    static struct request requests[TASKS_MAX];
    static lsched_mix_entry mix[TASKS_MAX];
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < openb.n_tasks; i++) {
        describe(&openb.tasks[i], &requests[i]);
        mix[i] = (lsched_mix_entry){sizeof mix[i], 0, &requests[i].group, 1};
    }
    bench_check(lsched_task_mix_set(c, mix, openb.n_tasks, sizeof mix[0], &err), &err, "mix_set");
}

static void run(const char *policy, double *spent, uint32_t *placed) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    *placed = 0;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_check(lsched_policy_load(c, lsched_cstr(policy), (lsched_text){NULL, 0}, NULL, &err),
                &err, "policy_load");
    add_nodes(c);
    bench_add_queues(c, 1);
    set_mix(c);
    for (uint32_t i = 0; i < openb.n_tasks; i++) {
        char name[TEXT_BYTES];
        struct request r;
        lsched_id id;
        lsched_job_desc job = LSCHED_JOB_DESC_INIT;
        describe(&openb.tasks[i], &r);
        snprintf(name, sizeof name, "task-%u", i);
        job.name = lsched_cstr(name);
        job.queue_name = LSCHED_TEXT("queue-0");
        job.groups = &r.group;
        job.n_groups = 1;
        job.submit_us = i;
        double t0 = bench_seconds();
        bench_check(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, &id, NULL, &err), &err,
                    "submit");
        lsched_plan *plan = bench_schedule(c, 1000000 + i);
        spent[i] = bench_seconds() - t0;
        uint32_t is_placed = lsched_plan_size(plan) == 1;
        *placed += is_placed;
        lsched_plan_destroy(plan);
        if (!is_placed)
            bench_check(lsched_jobs_remove(c, &id, 1, NULL, NULL, &err), &err, "jobs_remove");
    }
    lsched_cluster_destroy(c);
}

static double sum_of(const double *x, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

int main(int argc, char **argv) {
    static const char *const policies[] = {"binpack", "best-fit", "fgd", "least-fragmentation"};
    static double spent[TASKS_MAX];
    double median = 0, last = 0, most = 0;
    uint32_t placed;
    rows_open("openb", argc, argv);
    if (!read_lists()) {
        rows_note("skipped: there are no lists of openb in ../shared/traces or LSCHED_SHARED_DIR");
        return 0;
    }
    rows_note("%u nodes, %u tasks", openb.n_nodes, openb.n_tasks);
    for (uint32_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        char name[TEXT_BYTES];
        run(policies[i], spent, &placed);
        double p50 = 1e6 * rows_median(spent, openb.n_tasks);
        double p99 = 1e6 * rows_quantile(spent, openb.n_tasks, 0.99);
        if (i == 0) median = p50, last = p99;
        rows_note("%s: %u of %u tasks placed", policies[i], placed, openb.n_tasks);
        snprintf(name, sizeof name, "%s.p50", policies[i]);
        rows_put(name, "us", p50, "binpack", median);
        snprintf(name, sizeof name, "%s.p99", policies[i]);
        rows_put(name, "us", p99, "binpack", last);
        double rate = openb.n_tasks / sum_of(spent, openb.n_tasks);
        if (i == 0) most = rate;
        snprintf(name, sizeof name, "%s.rate", policies[i]);
        rows_put(name, "tasks/s", rate, "binpack", most);
    }
    return 0;
}
