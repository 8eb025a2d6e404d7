/*
 * bench_device_select.c -- which k of the free devices of a node: by table, and beside it in the
 * same run by going through all sets. Then the whole choice for one task of a node: which devices
 * can take it, the set, a NUMA node, network cards.
 *
 * Machines of 8 devices (a hybrid cube mesh, two PCIe sockets, an NVSwitch) and of 16; all k,
 * random masks of free devices, the same ones for both. Then what a table costs to make.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "../tests/support/link_matrices.h"
#include "bench_support.h"
#include "engine/state/cluster.h"
#include "model/devices/device_select.h"

enum { QUESTIONS = 4096, ROUNDS = 200, SEARCHED = 256 };

struct question {
    uint32_t k, free;
};

static void ask(struct question *q, uint32_t n) {
    uint64_t seed = 1;
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        q[i].free = (uint32_t)(seed >> 33) & ((1u << n) - 1);
        if (q[i].free == 0) q[i].free = 1;
        q[i].k = 1 + (uint32_t)(seed >> 20) % (uint32_t)__builtin_popcount(q[i].free);
    }
}

static void put(const char *machine, const char *what, const char *unit, double value,
                const char *base_name, double base) {
    char name[64];
    snprintf(name, sizeof name, "%s.%s", machine, what);
    rows_put(name, unit, value, base_name, base);
}

static void bench_machine(const char *name, const struct link_matrix *m) {
    static struct question q[QUESTIONS];
    static uint32_t found[QUESTIONS];
    struct alloc alloc;
    struct link_table t;
    bench_check(alloc_init(&alloc, NULL, UINT64_MAX), NULL, "alloc_init");
    double begin = bench_seconds();
    bench_check(link_table_open(&t, &alloc, m), NULL, "open");
    double open = bench_seconds() - begin;
    begin = bench_seconds();
    for (uint32_t k = 1; k <= m->n; k++)
        bench_check(link_table_ready(&t, &alloc, k, 0), NULL, "ready");
    double rows = bench_seconds() - begin;

    ask(q, m->n);
    uint32_t sum = 0;
    begin = bench_seconds();
    for (uint32_t r = 0; r < ROUNDS; r++)
        for (uint32_t i = 0; i < QUESTIONS; i++) {
            found[i] = link_pick(&t, q[i].k, 0, q[i].free);
            sum += found[i];
        }
    double pick = (bench_seconds() - begin) / ((double)ROUNDS * QUESTIONS);
    uint32_t searched = m->n > 8 ? SEARCHED / 16 : SEARCHED, differ = 0;
    begin = bench_seconds();
    for (uint32_t i = 0; i < searched; i++)
        differ += link_search(m, q[i].k, 0, q[i].free) != found[i];
    double search = (bench_seconds() - begin) / searched;
    put(name, "best_set", "ns", pick * 1e9, "search through all sets", search * 1e9);
    put(name, "table.sets", "us", open * 1e6, "search through all sets", search * 1e6);
    put(name, "table.rows", "us", rows * 1e6, "search through all sets", search * 1e6);
    put(name, "table.memory", "bytes", (double)t.bytes, "the links themselves", sizeof *m);
    link_table_close(&t, &alloc);
    if (differ || sum == 0) {
        fprintf(stderr, "%s: the answers differ\n", name);
        exit(1);
    }
}

/* ---- the whole choice ------------------------------------------------------------------------ */

static lsched_cluster *cluster_of(const struct link_matrix *m) {
    static const lsched_text nics[] = {LSCHED_TEXT_INIT("a"), LSCHED_TEXT_INIT("b"),
                                       LSCHED_TEXT_INIT("c"), LSCHED_TEXT_INIT("d")};
    lsched_link links[64] = {{0, 0, 0}}, nic_links[32] = {{0, 0, 0}};
    uint8_t numa_of[8] = {0, 0, 0, 0, 1, 1, 1, 1}, nic_numa[4] = {0, 0, 1, 1};
    lsched_numa_desc numa[2] = {{64000, 1 << 20}, {64000, 1 << 20}};
    lsched_amount capacity[2] = {{LSCHED_CPU, 0, 128000}, {LSCHED_MEMORY, 0, 1 << 21}};
    lsched_machine_desc machine = LSCHED_MACHINE_DESC_INIT;
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *c = NULL;
    for (uint32_t i = 0; i < 64; i++)
        if (i % 9) links[i] = (lsched_link){m->kind[i / 8][i % 8], 1, m->mbps[i / 8][i % 8]};
    for (uint32_t i = 0; i < 32; i++)
        nic_links[i].kind = i % 8 / 2 == i / 8 ? LSCHED_LINK_PIX : LSCHED_LINK_SYS;
    machine.n_devices = 8;
    machine.links = links;
    machine.device_numa = numa_of;
    machine.numa = numa;
    machine.n_numa = 2;
    machine.nics = nics;
    machine.nic_numa = nic_numa;
    machine.nic_links = nic_links;
    machine.n_nics = 4;
    gpus.count = 8;
    gpus.model = LSCHED_TEXT("V100");
    node.name = LSCHED_TEXT("n");
    node.capacity = capacity;
    node.n_capacity = 2;
    node.devices = &gpus;
    node.n_devices = 1;
    node.machine = &machine;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_add_queues(c, 1);
    bench_check(lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, NULL, &err), &err,
                "nodes_add");
    return c;
}

static uint32_t shape_of(lsched_cluster *c, uint32_t devices, uint32_t numa, uint32_t nics) {
    static uint32_t number;
    char name[16];
    lsched_device_request ask = LSCHED_DEVICE_REQUEST_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, 4000};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    snprintf(name, sizeof name, "j%u", number++);
    ask.devices = devices;
    ask.numa = numa;
    ask.nics = nics;
    group.request = &cpu;
    group.n_request = 1;
    group.device_requests = &ask;
    group.n_device_requests = 1;
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("queue-0");
    job.groups = &group;
    job.n_groups = 1;
    bench_check(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &err), &err, "submit");
    uint32_t row = name_find(&c->k, T_IX_JOB, name, strlen(name));
    return group_shape(&c->k, c->k.c[C_JOB_SHAPE].u32[row], 0);
}

/* Nanoseconds per choice, over masks of free devices that have enough. */
static double whole_choice(lsched_cluster *c, uint32_t shape, uint32_t devices) {
    struct columns *k = &c->k;
    struct hold hold;
    uint32_t sum = 0, n = 0, first = k->c[C_NODE_DEVICE_FIRST].u32[0];
    double spent = 0;
    for (uint32_t free = 1; free < 256; free++) {
        if ((uint32_t)__builtin_popcount(free) < devices) continue;
        for (uint32_t i = 0; i < 8; i++)
            k->c[C_DEVICE_FREE_MILLI].u16[first + i] = free >> i & 1 ? 1000 : 0;
        double begin = bench_seconds();
        for (uint32_t r = 0; r < 2000; r++)
            sum +=
                (uint32_t)device_select(k, 0, shape, DEVICE_NOW, NULL, &hold) + (uint32_t)hold.mask;
        spent += bench_seconds() - begin;
        n += 2000;
    }
    for (uint32_t i = 0; i < 8; i++) k->c[C_DEVICE_FREE_MILLI].u16[first + i] = 1000;
    if (sum == 0) exit(1);
    return spent / n * 1e9;
}

static void bench_choices(void) {
    struct link_matrix m = matrix_cube_mesh();
    lsched_cluster *c = cluster_of(&m);
    rows_note("the whole choice of one task on a node of 8 (hybrid cube mesh), each mask of free "
              "devices");
    double one = 0;
    for (uint32_t devices = 1; devices <= 4; devices *= 2) {
        char name[32];
        double links = whole_choice(c, shape_of(c, devices, LSCHED_NUMA_ANY, 0), devices);
        snprintf(name, sizeof name, "choice_of_%u", devices);
        if (devices == 1) one = links;
        put(name, "links", "ns", links, "one device", one);
        put(name, "numa_preferred", "ns",
            whole_choice(c, shape_of(c, devices, LSCHED_NUMA_PREFERRED, 0), devices), "links alone",
            links);
        put(name, "numa_and_card", "ns",
            whole_choice(c, shape_of(c, devices, LSCHED_NUMA_REQUIRED, 1), devices), "links alone",
            links);
    }
    lsched_cluster_destroy(c);
}

int main(int argc, char **argv) {
    rows_open("device_select", argc, argv);
    rows_note("the best k of the free devices; bound 200 ns for 8");
    struct link_matrix m = matrix_cube_mesh();
    bench_machine("cube_mesh_8", &m);
    m = matrix_pcie(8);
    bench_machine("pcie_8", &m);
    m = matrix_nvswitch(8, 450000);
    bench_machine("nvswitch_8", &m);
    m = matrix_islands(16, 8, 300000);
    bench_machine("islands_16", &m);
    uint64_t seed = 5;
    m = matrix_random(16, &seed);
    bench_machine("random_16", &m);
    bench_choices();
    return 0;
}
