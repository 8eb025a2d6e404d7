/* inside_world.c -- see inside_world.h. */
#include "support/inside_world.h"

#include <string.h>

#include "model/nodes/node.h"

#define GIB (INT64_C(1) << 30)
#define TRY(call)                         \
    do {                                  \
        int32_t rc_ = (call);             \
        if (rc_ != LSCHED_OK) return rc_; \
    } while (0)

void inside_machine(struct machine_shape *m) {
    static const char *const names[] = {"mlx5_0", "mlx5_1", "mlx5_2"};
    memset(m, 0, sizeof *m);
    m->links.n = 4;
    m->n_numa = 2;
    m->n_nics = 3;
    for (uint32_t i = 0; i < 4; i++) {
        m->device_numa[i] = (uint8_t)(i / 2);
        for (uint32_t j = 0; j < 4; j++) {
            m->links.kind[i][j] = i / 2 == j / 2 ? LSCHED_LINK_PIX : LSCHED_LINK_SYS;
            m->links.mbps[i][j] = machine_default_mbps(m->links.kind[i][j], 1);
        }
        m->links.kind[i][i] = LSCHED_LINK_NONE;
        m->links.mbps[i][i] = 0;
    }
    for (uint32_t c = 0; c < 3; c++) {
        m->nic_name[c] = (lsched_text){names[c], 6};
        m->nic_numa[c] = c > 0;
        for (uint32_t i = 0; i < 4; i++) {
            uint8_t kind = c == 2       ? LSCHED_LINK_SYS
                           : i / 2 == c ? LSCHED_LINK_PXB
                                        : LSCHED_LINK_SYS;
            m->nic_kind[c][i] = kind;
            m->nic_mbps[c][i] = machine_default_mbps(kind, 1);
        }
    }
    for (uint32_t a = 0; a < 2; a++) {
        m->cpu_milli[a] = 16000;
        m->memory_bytes[a] = 64 * GIB;
    }
    machine_set_near(m);
}

int32_t inside_node(struct model_world *w, const char *name, const struct machine_shape *m,
                    uint32_t *row) {
    static struct node_spec spec; /* large; tests have one thread */
    struct bytes b;
    bytes_init(&b, &w->alloc);
    machine_encode(&b, m);
    memset(&spec, 0, sizeof spec);
    spec.name = (lsched_text){name, strlen(name)};
    spec.n_devices = m->links.n;
    for (uint32_t i = 0; i < spec.n_devices; i++)
        spec.devices[i] = (struct device_spec){.model = {"A100", 4}, .memory_bytes = 40 * GIB};
    spec.capacity[LSCHED_CPU] = 40000;
    spec.capacity[LSCHED_MEMORY] = 256 * GIB;
    spec.capacity[LSCHED_GPU] = (int64_t)spec.n_devices * 1000;
    spec.machine = &b;
    int32_t rc = b.failed ? LSCHED_E_NOMEM : undo_begin(&w->k);
    if (rc == LSCHED_OK) {
        rc = node_add(&w->k, &spec, row);
        if (rc != LSCHED_OK) undo_rollback(&w->k, 0);
        undo_end(&w->k);
    }
    bytes_close(&b);
    return rc;
}

int32_t inside_fill(struct model_world *w) {
    struct machine_shape m;
    uint32_t node, pinned, floats;
    uint32_t queue = world_queue_named(w, "research");
    struct job_form p = {.name = "pinned", .queue = queue, .n_groups = 1, .submit = 16};
    p.groups[0] = (struct group_form){.max = 3,
                                      .cpu = 3001,
                                      .memory = 5,
                                      .devices = 1,
                                      .milli = 1000,
                                      .numa = LSCHED_NUMA_REQUIRED,
                                      .nics = 1};
    struct job_form f = {.name = "floats", .queue = queue, .n_groups = 1, .submit = 17};
    f.groups[0] = (struct group_form){
        .max = 1, .devices = 2, .milli = 1000, .link = LSCHED_LINK_PIX, .cpu = 10};
    inside_machine(&m);
    TRY(inside_node(w, "inside", &m, &node));
    TRY(world_job(w, &p, &pinned));
    TRY(world_job(w, &f, &floats));
    TRY(world_admit(w, pinned));
    TRY(world_admit(w, floats));
    TRY(world_propose(w, pinned, 0, node, 2));
    for (uint32_t i = 0; i < 2; i++) TRY(world_start(w, pinned, i));
    uint64_t serial = meta(&w->k, M_GROUP_SERIAL) + 1;
    TRY(world_evict(w, pinned, 1, serial, LSCHED_FOR_CONSOLIDATE, NO_ROW));
    return world_nominate(w, pinned, 0, node, 1, serial);
}
