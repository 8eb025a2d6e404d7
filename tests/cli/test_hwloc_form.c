/* Topologies that libhwloc itself makes and writes, in both versions of its XML, come back as they
 * were; and no cut of a file is taken for a whole one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <hwloc.h>

#include "cli/machine/hwloc_form.h"
#include "cli/input/input_file.h"
#include "cli/machine/xml_scan.h"

/* The XML of a topology that hwloc makes from a few words; to be freed by free_xml(). */
struct made {
    hwloc_topology_t topology;
    char *xml;
    int len; /* with the NUL */
};

static struct made make(const char *words, unsigned long flags) {
    struct made made;
    assert_int_equal(hwloc_topology_init(&made.topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(made.topology, words), 0);
    assert_int_equal(hwloc_topology_load(made.topology), 0);
    assert_int_equal(hwloc_topology_export_xmlbuffer(made.topology, &made.xml, &made.len, flags),
                     0);
    return made;
}

static void free_made(struct made *made) {
    hwloc_free_xmlbuffer(made->topology, made->xml);
    hwloc_topology_destroy(made->topology);
}

static void read_made(const char *words, unsigned long flags, struct machine *out) {
    struct made made = make(words, flags);
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(hwloc_form_read(made.xml, (size_t)made.len - 1, out, &err), 0);
    free_made(&made);
}

static void sizes_of_both_versions_of_the_format(void **unused) {
    static const unsigned long versions[] = {0, HWLOC_TOPOLOGY_EXPORT_XML_FLAG_V1};
    (void)unused;
    for (size_t v = 0; v < 2; v++) {
        struct machine m;
        read_made("package:2 [numa(memory=68719476736)] core:12 pu:2", versions[v], &m);
        assert_int_equal(m.n_numa, 2);
        assert_int_equal(m.threads, 48);
        assert_int_equal(m.cores, 24);
        assert_int_equal(m.memory_bytes, (int64_t)128 << 30);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(m.numa[i].id, i);
            assert_int_equal(m.numa[i].threads, 24);
            assert_int_equal(m.numa[i].cores, 12);
            assert_int_equal(m.numa[i].memory_bytes, (int64_t)64 << 30);
        }
        assert_int_equal(machine_devices(&m), 0);
    }
}

static void several_numa_nodes_in_a_package(void **unused) {
    (void)unused;
    struct machine m;
    read_made("package:2 numa:4(memory=17179869184) core:4 pu:1", 0, &m);
    assert_int_equal(m.n_numa, 8);
    assert_int_equal(m.numa[7].threads, 4);
    assert_int_equal(m.threads, 32);
}

static void memory_beside_that_of_the_processors_is_not_a_node_of_its_own(void **unused) {
    (void)unused;
    struct machine m;
    /* two sorts at each half of a package; one more for the whole package, which is left out */
    read_made("package:1 [numa(memory=1099511627776)] group:2 [numa(memory=1073741824)] "
              "[numa(memory=4294967296)] core:2 pu:1",
              0, &m);
    assert_int_equal(m.n_numa, 2);
    assert_int_equal(m.numa[1].memory_bytes, (int64_t)5 << 30);
    assert_int_equal(m.memory_bytes, (int64_t)10 << 30);
}

static void more_nodes_than_a_machine_may_have(void **unused) {
    (void)unused;
    struct machine m;
    struct made made = make("numa:9 pu:1", 0);
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(hwloc_form_read(made.xml, (size_t)made.len - 1, &m, &err), LSCHED_E_LIMIT);
    assert_non_null(strstr(err.message, "at most 8 NUMA nodes"));
    free_made(&made);
}

static void no_cut_of_a_file_is_whole(void **unused) {
    (void)unused;
    struct input_file file;
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(input_read("examples/machines/virtual-machine.xml", &file), 0);
    assert_int_equal(xml_scan(file.text, file.len, "topology", &err), 0);
    size_t end = file.len;
    while (file.text[end - 1] == '\n') end--;
    for (size_t len = 0; len < end; len++) {
        assert_int_equal(xml_scan(file.text, len, "topology", &err), LSCHED_E_SYNTAX);
        assert_true(err.line >= 1 && err.column >= 1 && err.message[0] != '\0');
    }
    input_free(&file);
}

static void comments_quotes_and_document_types(void **unused) {
    static const struct {
        const char *text;
        int32_t rc;
        uint32_t line, column;
    } cases[] = {
        {"<a/>", 0, 0, 0},
        {"\xef\xbb\xbf <?xml version='1.0'?>\n<!DOCTYPE a SYSTEM \"a.dtd\">\n<a b = 'c>' d=\"'\"/>",
         0, 0, 0},
        {"<a><!-- <b> --><b></b ></a>\n<!-- end -->", 0, 0, 0},
        {"<a><b></a>", LSCHED_E_SYNTAX, 1, 7},
        {"<a>\n</b>", LSCHED_E_SYNTAX, 2, 1},
        {"</a>", LSCHED_E_SYNTAX, 1, 1},
        {"<a/><a/>", LSCHED_E_SYNTAX, 1, 5},
        {"<a b></a>", LSCHED_E_SYNTAX, 1, 5},
        {"<a b=c></a>", LSCHED_E_SYNTAX, 1, 6},
        {"<a b='c></a>", LSCHED_E_SYNTAX, 1, 13},
        {"<a/ >", LSCHED_E_SYNTAX, 1, 4},
        {"<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", LSCHED_E_SYNTAX, 1, 1},
        {"text<a/>", LSCHED_E_SYNTAX, 1, 1},
        {"<a/>text", LSCHED_E_SYNTAX, 1, 5},
        {"< a/>", LSCHED_E_SYNTAX, 1, 1},
        {"<a 'b'/>", LSCHED_E_SYNTAX, 1, 4},
        {"<!-- only", LSCHED_E_SYNTAX, 1, 10},
        {"", LSCHED_E_SYNTAX, 1, 1},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        assert_int_equal(xml_scan(cases[i].text, strlen(cases[i].text), "a", &err), cases[i].rc);
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_both_versions_of_the_format),
        cmocka_unit_test(several_numa_nodes_in_a_package),
        cmocka_unit_test(memory_beside_that_of_the_processors_is_not_a_node_of_its_own),
        cmocka_unit_test(more_nodes_than_a_machine_may_have),
        cmocka_unit_test(no_cut_of_a_file_is_whole),
        cmocka_unit_test(comments_quotes_and_document_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
