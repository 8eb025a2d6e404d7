/* `machine:` of nodes in scenarios: what the words mean, and what is said of wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config/read/scenario_form.h"

static lsched_scenario *parse(const char *text) {
    lsched_scenario *s = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_scenario_parse(NULL, lsched_cstr(text), LSCHED_TEXT("x.yaml"), &s, &err) < 0)
        fail_msg("%s\n%s", text, err.message);
    return s;
}

static const lsched_node_desc *nodes_of(const lsched_scenario *s) {
    const struct step *step = scn_step(s, 0);
    for (uint32_t i = 0; i < step->actions.n; i++) {
        const struct action *a = (const struct action *)step->actions.items + i;
        if (a->kind == ACTION_NODES) return a->items.items;
    }
    return NULL;
}

static void words_of_links(void **unused) {
    (void)unused;
    lsched_scenario *s = parse("nodes:\n"
                               "  - name: n\n"
                               "    machine:\n"
                               "      links:\n"
                               "        - X NV4 PIX  pxb\n"
                               "        - NV4 X PHB NODE\n"
                               "        - PIX PHB X -\n"
                               "        - PXB node - x\n"
                               "      bandwidth: {NV: 50000, PIX: 7}\n"
                               "    gpus: {count: 4, model: H100}\n");
    const lsched_link *l = nodes_of(s)->machine->links;
    static const uint16_t row[] = {LSCHED_LINK_SELF, LSCHED_LINK_NVLINK, LSCHED_LINK_PIX,
                                   LSCHED_LINK_PXB};
    for (int i = 0; i < 4; i++) assert_int_equal(l[i].kind, row[i]);
    assert_int_equal(l[1].count, 4);
    assert_int_equal(l[1].bandwidth_mb_per_second, 200000);
    assert_int_equal(l[2].bandwidth_mb_per_second, 7);
    assert_int_equal(l[3].bandwidth_mb_per_second, 0); /* the default of the kind */
    assert_int_equal(l[6].kind, LSCHED_LINK_PHB);
    assert_int_equal(l[13].kind, LSCHED_LINK_NODE);
    assert_int_equal(l[11].kind, LSCHED_LINK_NONE);
    lsched_scenario_destroy(s);
}

static void one_word_for_every_pair(void **unused) {
    (void)unused;
    static const struct {
        const char *word;
        uint16_t kind, count;
    } words[] = {{"nvswitch", LSCHED_LINK_NVLINK, 18},
                 {"NV12", LSCHED_LINK_NVLINK, 12},
                 {"nvlink", LSCHED_LINK_NVLINK, 1},
                 {"SYS", LSCHED_LINK_SYS, 1}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "nodes: [{name: n, gpus: 3, machine: {links: %s}}]\n",
                 words[i].word);
        lsched_scenario *s = parse(text);
        const lsched_machine_desc *m = nodes_of(s)->machine;
        assert_int_equal(m->n_devices, 3);
        for (uint32_t j = 0; j < 9; j++) {
            assert_int_equal(m->links[j].kind, j % 4 ? words[i].kind : LSCHED_LINK_NONE);
            if (j % 4) assert_int_equal(m->links[j].count, words[i].count);
        }
        lsched_scenario_destroy(s);
    }
}

static void numa_nodes_and_network_cards(void **unused) {
    (void)unused;
    lsched_scenario *s = parse("nodes:\n"
                               "  - name: \"n[0-2]\"\n"
                               "    gpus: [{count: 1, model: A}, {count: 2, model: B}]\n"
                               "    machine: &m\n"
                               "      numa: [{cpu: 4, memory: 2Gi}, {cpu: 0.5}]\n"
                               "      gpus: [1, -, 0]\n"
                               "      nics: [eth0, {name: eth1, numa: 1}]\n"
                               "      nic_links: [PIX SYS SYS, SYS PIX PIX]\n"
                               "  - {name: other, gpus: 3, machine: *m}\n"
                               "  - {name: bare}\n");
    const lsched_node_desc *d = nodes_of(s);
    const lsched_machine_desc *m = d[3].machine;
    assert_true(d[0].machine == d[2].machine); /* one for all of a template */
    assert_null(d[4].machine);
    assert_int_equal(m->n_numa, 2);
    assert_true(m->numa[0].cpu_milli == 4000 && m->numa[0].memory_bytes == INT64_C(2) << 30);
    assert_true(m->numa[1].cpu_milli == 500 && m->numa[1].memory_bytes == 0);
    assert_int_equal(m->device_numa[0], 1);
    assert_int_equal(m->device_numa[1], LSCHED_NO_NUMA);
    assert_int_equal(m->device_numa[2], 0);
    assert_int_equal(m->n_nics, 2);
    assert_string_equal(m->nics[1].ptr, "eth1");
    assert_int_equal(m->nic_numa[0], LSCHED_NO_NUMA);
    assert_int_equal(m->nic_numa[1], 1);
    assert_int_equal(m->nic_links[4].kind, LSCHED_LINK_PIX);
    assert_null(m->links);
    lsched_scenario_destroy(s);
}

static void wrong_words_are_named(void **unused) {
    (void)unused;
    static const struct {
        const char *machine, *message;
    } cases[] = {
        {"links: NVL", "got \"NVL\""},
        {"links: X", "one word for all of them"},
        {"links: [X NV2, NV2]", "expected as many links as the node has GPUs"},
        {"links: [X NV2]", "expected a row of links for each GPU"},
        {"links: [X NV0, NV0 X]", "expected one of X, NV<n>, PIX"},
        {"links: [X FOO, FOO X]", "got \"X FOO\""},
        {"gpus: [0]", "expected the NUMA node of each of the node's GPUs"},
        {"gpus: [0, 8]", "expected the number of a NUMA node, 0 to 7, or -"},
        {"nics: [{numa: 0}]", "expected a network card with a name"},
        {"nic_links: [PIX PIX]", "expected a row of links for each network card"},
        {"nics: [a], nic_links: [PIX]", "expected as many links as the node has GPUs"},
        {"bandwidth: {NVL: 4}", "\"NVL\""},
        {"bandwidth: {NV: 50000000}", "expected MB/s in one direction, at most 42949672"},
        {"link: SYS", "did you mean \"links\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        lsched_scenario *s = NULL;
        lsched_error err = LSCHED_ERROR_INIT;
        snprintf(text, sizeof text, "nodes: [{name: n, gpus: 2, machine: {%s}}]\n",
                 cases[i].machine);
        assert_true(
            lsched_scenario_parse(NULL, lsched_cstr(text), LSCHED_TEXT("x.yaml"), &s, &err) < 0);
        if (!strstr(err.message, cases[i].message))
            fail_msg("%s\n%s\nshould say: %s", text, err.message, cases[i].message);
    }
}

static void links_of_gpus_are_the_short_form(void **unused) {
    (void)unused;
    lsched_scenario *s = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    const char *both = "nodes: [{name: n, gpus: {count: 2, links: NV4}, machine: {links: NV4}}]\n";
    assert_true(lsched_scenario_parse(NULL, lsched_cstr(both), LSCHED_TEXT("x.yaml"), &s, &err) <
                0);
    assert_non_null(strstr(
        err.message, "no key \"links\" in \"gpus\", because the node has the key \"machine\""));
    s = parse("nodes: [{name: a, gpus: {count: 2, links: NV4}}, {name: b, gpus: 2}]\n");
    assert_int_equal(nodes_of(s)[0].machine->links[1].count, 4);
    assert_null(nodes_of(s)[1].machine);
    lsched_scenario_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_links),
        cmocka_unit_test(one_word_for_every_pair),
        cmocka_unit_test(numa_nodes_and_network_cards),
        cmocka_unit_test(wrong_words_are_named),
        cmocka_unit_test(links_of_gpus_are_the_short_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
