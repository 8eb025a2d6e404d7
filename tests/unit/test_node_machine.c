/* What a host says of the inside of a node: each mistake is refused with the words that name it,
 * and nothing has changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

/* Two devices, two NUMA nodes, two network cards; each case spoils one thing. */
struct inside {
    lsched_link links[4], nic_links[4];
    uint8_t device_numa[2], nic_numa[2];
    lsched_numa_desc numa[2];
    lsched_text nics[2];
    lsched_machine_desc machine;
    lsched_device_desc devices;
    lsched_amount capacity[2];
    lsched_node_desc node;
};

static void fill(struct inside *x) {
    memset(x, 0, sizeof *x);
    x->links[1] = x->links[2] = (lsched_link){LSCHED_LINK_NVLINK, 4, 0};
    x->links[0].kind = x->links[3].kind = LSCHED_LINK_SELF;
    for (int i = 0; i < 4; i++) x->nic_links[i].kind = i % 3 ? LSCHED_LINK_SYS : LSCHED_LINK_PIX;
    x->device_numa[1] = x->nic_numa[1] = 1;
    x->numa[0] = x->numa[1] = (lsched_numa_desc){8000, 1000};
    x->nics[0] = LSCHED_TEXT("mlx5_0");
    x->nics[1] = LSCHED_TEXT("mlx5_1");
    x->machine = (lsched_machine_desc)LSCHED_MACHINE_DESC_INIT;
    x->machine.n_devices = x->machine.n_numa = x->machine.n_nics = 2;
    x->machine.links = x->links;
    x->machine.device_numa = x->device_numa;
    x->machine.numa = x->numa;
    x->machine.nics = x->nics;
    x->machine.nic_numa = x->nic_numa;
    x->machine.nic_links = x->nic_links;
    x->devices = (lsched_device_desc)LSCHED_DEVICE_DESC_INIT;
    x->devices.count = 2;
    x->devices.model = LSCHED_TEXT("H100");
    x->capacity[0] = (lsched_amount){LSCHED_CPU, 0, 16000};
    x->capacity[1] = (lsched_amount){LSCHED_MEMORY, 0, 2000};
    x->node = (lsched_node_desc)LSCHED_NODE_DESC_INIT;
    x->node.name = LSCHED_TEXT("n");
    x->node.capacity = x->capacity;
    x->node.n_capacity = 2;
    x->node.devices = &x->devices;
    x->node.n_devices = 1;
    x->node.machine = &x->machine;
}

static void expect(const struct inside *x, int32_t code, const char *message) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t before = 0, after = 0;
    assert_int_equal(lsched_cluster_create(NULL, &c, &err), LSCHED_OK);
    lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &before, NULL);
    int32_t rc = lsched_nodes_add(c, &x->node, 1, sizeof x->node, NULL, NULL, NULL, &err);
    lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &after, NULL);
    if (code == LSCHED_OK) {
        if (rc != 1) fail_msg("%s", err.message);
    } else {
        assert_int_equal(rc, code);
        if (!strstr(err.message, message)) fail_msg("\n%s\nshould say\n%s", err.message, message);
        assert_true(before == after);
    }
    lsched_cluster_destroy(c);
}

static void a_sound_machine_is_taken(void **unused) {
    (void)unused;
    struct inside x;
    fill(&x);
    expect(&x, LSCHED_OK, NULL);
    x.links[1].bandwidth_mb_per_second = 100000; /* the default of four links, said by one side */
    x.links[0].kind = LSCHED_LINK_NONE;
    expect(&x, LSCHED_OK, NULL);
    x.machine.links = x.machine.nic_links = NULL; /* nothing is known */
    x.machine.device_numa = x.machine.nic_numa = NULL;
    expect(&x, LSCHED_OK, NULL);
    x.machine.n_numa = x.machine.n_nics = 0;
    x.machine.numa = NULL;
    x.machine.nics = NULL;
    expect(&x, LSCHED_OK, NULL);
}

static void links_that_cannot_be(void **unused) {
    (void)unused;
    struct inside x;
    fill(&x);
    x.links[2] = (lsched_link){LSCHED_LINK_SYS, 0, 0};
    expect(&x, LSCHED_E_INVAL,
           "node 'n': links are not symmetric: from device 0 to 1 it is NVLINK x 4 of 100000 MB/s, "
           "from 1 to 0 SYS x 1 of 10000 MB/s");
    fill(&x);
    x.links[1].bandwidth_mb_per_second = 7;
    expect(&x, LSCHED_E_INVAL, "NVLINK x 4 of 7 MB/s, from 1 to 0 NVLINK x 4 of 100000 MB/s");
    fill(&x);
    x.links[1].kind = x.links[2].kind = LSCHED_LINK_SELF;
    expect(&x, LSCHED_E_INVAL, "the link from device 0 to device 1 is of kind 7");
    fill(&x);
    x.links[3].kind = LSCHED_LINK_PIX;
    expect(&x, LSCHED_E_INVAL, "device 1 is linked to itself by PIX");
    fill(&x);
    x.nic_links[2].kind = 9;
    expect(&x, LSCHED_E_INVAL, "the link from network card 1 to device 0 is of kind 9");
}

static void numa_nodes_that_cannot_be(void **unused) {
    (void)unused;
    struct inside x;
    fill(&x);
    x.device_numa[1] = 2;
    expect(&x, LSCHED_E_RANGE, "device 1 is on NUMA node 2; there are 2, numbered from 0");
    fill(&x);
    x.nic_numa[0] = 7;
    expect(&x, LSCHED_E_RANGE, "network card 0 is on NUMA node 7; there are 2");
    fill(&x);
    x.numa[1].cpu_milli = 8001;
    expect(&x, LSCHED_E_RANGE, "its NUMA nodes have more milli-cores than the node, 16000");
    fill(&x);
    x.capacity[1].amount = 1999;
    expect(&x, LSCHED_E_RANGE, "its NUMA nodes have more bytes of memory than the node, 1999");
    fill(&x);
    x.numa[0].memory_bytes = -1;
    expect(&x, LSCHED_E_RANGE, "NUMA node 0 has bytes of memory -1; expected 0 to 2^62");
    fill(&x);
    x.machine.n_numa = 9;
    expect(&x, LSCHED_E_LIMIT, "9 NUMA nodes; at most 8");
    fill(&x);
    x.machine.numa = NULL;
    expect(&x, LSCHED_E_NULL, "numa is NULL");
}

static void network_cards_that_cannot_be(void **unused) {
    (void)unused;
    struct inside x;
    fill(&x);
    x.nics[1] = x.nics[0];
    expect(&x, LSCHED_E_INVAL, "two network cards are named 'mlx5_0'");
    fill(&x);
    x.nics[1] = (lsched_text){"", 0};
    expect(&x, LSCHED_E_INVAL, "network card");
    fill(&x);
    x.machine.n_nics = 17;
    expect(&x, LSCHED_E_LIMIT, "it has 17 network cards; at most 16 are allowed");
    fill(&x);
    x.machine.nics = NULL;
    expect(&x, LSCHED_E_NULL, "nics is NULL");
}

static void a_machine_is_of_its_node(void **unused) {
    (void)unused;
    struct inside x;
    fill(&x);
    x.devices.count = 3;
    expect(&x, LSCHED_E_INVAL,
           "its machine has 2 devices and the node has 3; the numbers must be equal");
    x.machine.n_devices = 3;
    x.machine.links = x.machine.nic_links = NULL;
    x.machine.device_numa = NULL;
    expect(&x, LSCHED_OK, NULL);
    x.machine.size = 0;
    expect(&x, LSCHED_E_SIZE, "machine");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_machine_is_taken),  cmocka_unit_test(links_that_cannot_be),
        cmocka_unit_test(numa_nodes_that_cannot_be), cmocka_unit_test(network_cards_that_cannot_be),
        cmocka_unit_test(a_machine_is_of_its_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
