/*
 * parse_machine.c -- see parse_machine.h. Links are written with the words of `nvidia-smi topo -m`.
 *
 * The value of `links` is a list with one row for each GPU. A row is a text with one word for each
 * GPU. A single word instead of the list means that every two GPUs have a link of that kind. The
 * keys are read in a fixed order instead of the order of the text, because the meaning of a link
 * word depends on `bandwidth`, and the length of a row depends on the number of GPUs. This file
 * does not check whether links are symmetric and NUMA nodes exist. The library checks this when the
 * node is added.
 */
#include <string.h>

#include "config/objects/parse_machine.h"
#include "config/read/quantity_reader.h"

/* For each key of a machine the index of its value in the YAML tree; 0: the text does not have the
 * key. */
struct machine_form {
    uint32_t bandwidth, numa, gpus, nics, links, nic_links;
};

struct machine_reader {
    struct field_reader *r;
    lsched_machine_desc *machine;
    /* bandwidth of one link in MB per second, for each kind of link; 0: the library's default for
     * the kind */
    uint32_t mbps[LSCHED_LINK_SELF];
};

static const char words_expected[] = "one of X, NV<n>, PIX, PXB, PHB, NODE, SYS or - for unknown";

static int same_word(const char *word, size_t len, const char *want) {
    size_t i = 0;
    for (; i < len && want[i]; i++) {
        char c = word[i];
        if (c >= 'a' && c <= 'z') c = (char)(c - 'a' + 'A');
        if (c != want[i]) return 0;
    }
    return i == len && want[i] == 0;
}

static uint32_t kind_of_word(const char *word, size_t len) {
    static const char *const words[] = {"-", "SYS", "NODE", "PHB", "PXB", "PIX"};
    for (uint32_t kind = 0; kind < sizeof words / sizeof words[0]; kind++)
        if (same_word(word, len, words[kind])) return kind;
    return same_word(word, len, "X") ? LSCHED_LINK_SELF : UINT32_MAX;
}

/* Converts a word such as PIX or NV4 to a link. Returns 0 if the word does not name a kind of
 * link. */
static int read_link_word(const char *word, size_t len, lsched_link *out) {
    uint32_t kind = kind_of_word(word, len), count = 0;
    *out = (lsched_link){(uint16_t)kind, 1, 0};
    if (kind != UINT32_MAX) return 1;
    out->kind = LSCHED_LINK_NVLINK;
    if (same_word(word, len, "NVLINK")) return 1;
    out->count = 18; /* an H100 or H200 has this number of NVLinks to its switches */
    if (same_word(word, len, "NVSWITCH")) return 1;
    if (len < 3 || len > 4 || !same_word(word, 2, "NV")) return 0;
    for (size_t i = 2; i < len; i++) {
        if (word[i] < '0' || word[i] > '9') return 0;
        count = count * 10 + (uint32_t)(word[i] - '0');
    }
    out->count = (uint16_t)count;
    return count > 0;
}

static lsched_link with_bandwidth(const struct machine_reader *m, lsched_link l) {
    if (l.kind < LSCHED_LINK_SELF) l.bandwidth_mb_per_second = m->mbps[l.kind] * l.count;
    return l;
}

/* Reads a text of n link words into the n elements of `row`. */
static int32_t read_row(const struct machine_reader *m, uint32_t value, uint32_t n,
                        lsched_link *row) {
    size_t len, at = 0;
    uint32_t found = 0;
    if (!read_is(m->r, value, YTREE_SCALAR))
        return read_expected(m->r, LSCHED_E_TYPE, value, "a row of links, one word per GPU");
    const char *text = read_chars(m->r, value, &len);
    for (; at < len; found++) {
        size_t begin = at;
        lsched_link link;
        while (at < len && text[at] != ' ' && text[at] != '\t') at++;
        if (!read_link_word(text + begin, at - begin, &link))
            return read_expected(m->r, LSCHED_E_TYPE, value, words_expected);
        if (found < n) row[found] = with_bandwidth(m, link);
        while (at < len && (text[at] == ' ' || text[at] == '\t')) at++;
    }
    if (found == n) return 0;
    return read_expected(m->r, LSCHED_E_TYPE, value, "as many links as the node has GPUs");
}

/* Reads a matrix of links with `rows` rows and n columns. If `square` is set, rows is equal to n,
 * and the text can have a single word instead of the rows, which describes the link between every
 * two GPUs. */
static int32_t read_matrix(const struct machine_reader *m, uint32_t value, uint32_t rows,
                           uint32_t n, int square, const lsched_link **out) {
    struct field_reader *r = m->r;
    lsched_link *links = scn_memory_take(r->memory, (size_t)rows * n, sizeof *links), all;
    if (!links) return read_no_memory(r);
    *out = links;
    if (square && read_is(r, value, YTREE_SCALAR)) {
        size_t len;
        const char *text = read_chars(r, value, &len);
        if (!read_link_word(text, len, &all) || all.kind == LSCHED_LINK_SELF)
            return read_expected(r, LSCHED_E_TYPE, value,
                                 "a row of links for each GPU, or one word for all of them");
        for (uint32_t i = 0; i < n * n; i++)
            if (i % (n + 1)) links[i] = with_bandwidth(m, all);
        return 0;
    }
    const struct ytree_node *list = ytree_at(&r->tree, value);
    if (list->kind != YTREE_LIST || list->n != rows)
        return read_expected(r, LSCHED_E_TYPE, value,
                             square ? "a row of links for each GPU, or one word for all of them"
                                    : "a row of links for each network card");
    uint32_t row = 0;
    for (uint32_t item = list->first; item; item = r->tree.nodes[item].next, row++) {
        int32_t code = read_row(m, item, n, links + (size_t)row * n);
        if (code) return code;
    }
    return 0;
}

/* ---- NUMA nodes and network cards ---- */

/* Reads the number of a NUMA node. The word "-" means that the NUMA node is not known. */
static int32_t read_numa_index(struct field_reader *r, uint32_t value, void *uint8_out) {
    uint32_t numa = LSCHED_NO_NUMA;
    int unknown = read_is_word(r, value, "-");
    int32_t code = unknown ? 0 : read_u32(r, value, &numa);
    if (!code && !unknown && numa >= LSCHED_NUMA_PER_NODE_MAX)
        code = read_expected(r, LSCHED_E_TYPE, value, "the number of a NUMA node, 0 to 7, or -");
    *(uint8_t *)uint8_out = (uint8_t)numa;
    return code;
}

static int32_t numa_item(struct field_reader *r, uint32_t value, void *list) {
    static const struct field fields[] = {
        FIELD_WITH(lsched_numa_desc, "cpu", read_amount, LSCHED_CPU, cpu_milli),
        FIELD(lsched_numa_desc, "memory", read_memory, memory_bytes),
    };
    lsched_numa_desc *numa = read_add(r, list, NULL, sizeof *numa, value);
    return numa ? READ_MAP(r, value, "a NUMA node", fields, numa, NULL) : LSCHED_E_NOMEM;
}

static int32_t gpu_numa_item(struct field_reader *r, uint32_t value, void *list) {
    uint8_t *numa = read_add(r, list, NULL, sizeof *numa, value);
    return numa ? read_numa_index(r, value, numa) : LSCHED_E_NOMEM;
}

struct nic_form {
    lsched_text name;
    uint8_t numa;
};

/* Reads a network card, written as mlx5_0 or as {name: mlx5_0, numa: 0}. */
static int32_t nic_item(struct field_reader *r, uint32_t value, void *list) {
    static const struct field fields[] = {
        FIELD(struct nic_form, "name", read_text, name),
        FIELD(struct nic_form, "numa", read_numa_index, numa),
    };
    struct nic_form *nic = read_add(r, list, NULL, sizeof *nic, value);
    if (!nic) return LSCHED_E_NOMEM;
    nic->numa = LSCHED_NO_NUMA;
    if (!read_is(r, value, YTREE_MAP)) return read_text(r, value, &nic->name);
    int32_t code = READ_MAP(r, value, "a network card", fields, nic, NULL);
    if (!code && !nic->name.ptr)
        code = read_expected(r, LSCHED_E_KEY, value, "a network card with a name");
    return code;
}

static int32_t parse_machine_read_nics(const struct machine_reader *m, uint32_t value) {
    struct scn_list list = {NULL, 0, 0};
    int32_t code = read_items(m->r, value, "network cards", nic_item, &list);
    lsched_text *names = scn_memory_take(m->r->memory, list.n, sizeof *names);
    uint8_t *numa = scn_memory_take(m->r->memory, list.n, sizeof *numa);
    if (code) return code;
    if (!names || !numa) return read_no_memory(m->r);
    for (uint32_t i = 0; i < list.n; i++) {
        const struct nic_form *nic = (const struct nic_form *)list.items + i;
        names[i] = nic->name;
        numa[i] = nic->numa;
    }
    m->machine->nics = names;
    m->machine->nic_numa = numa;
    m->machine->n_nics = list.n;
    return 0;
}

static int32_t read_gpu_numa(const struct machine_reader *m, uint32_t value) {
    struct scn_list list = {NULL, 0, 0};
    int32_t code = read_items(m->r, value, "NUMA nodes of GPUs", gpu_numa_item, &list);
    if (!code && list.n != m->machine->n_devices)
        code =
            read_expected(m->r, LSCHED_E_TYPE, value, "the NUMA node of each of the node's GPUs");
    m->machine->device_numa = list.items;
    return code;
}

static int32_t parse_machine_read_numa(const struct machine_reader *m, uint32_t value) {
    struct scn_list list = {NULL, 0, 0};
    int32_t code = read_items(m->r, value, "NUMA nodes", numa_item, &list);
    m->machine->numa = list.items;
    m->machine->n_numa = list.n;
    return code;
}

/* ---- the whole machine ---- */

static int32_t bandwidth_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    uint32_t *mbps = out;
    size_t len;
    const char *word = read_chars(r, key, &len);
    uint32_t kind = same_word(word, len, "NV") ? LSCHED_LINK_NVLINK : kind_of_word(word, len);
    if (kind == LSCHED_LINK_NONE || kind >= LSCHED_LINK_SELF) return 0;
    int32_t code = read_count(r, value, &mbps[kind]);
    if (!code && mbps[kind] > UINT32_MAX / 100)
        code = read_expected(r, LSCHED_E_TYPE, value, "MB/s in one direction, at most 42949672");
    return code ? code : 1;
}

int32_t read_machine(struct field_reader *r, uint32_t value, uint32_t links, uint32_t n_devices,
                     const lsched_machine_desc **out) {
    static const struct field fields[] = {
        FIELD(struct machine_form, "bandwidth", read_later, bandwidth),
        FIELD(struct machine_form, "numa", read_later, numa),
        FIELD(struct machine_form, "gpus", read_later, gpus),
        FIELD(struct machine_form, "nics", read_later, nics),
        FIELD(struct machine_form, "links", read_later, links),
        FIELD(struct machine_form, "nic_links", read_later, nic_links),
    };
    struct machine_form form = {.links = links};
    struct machine_reader m = {r, scn_memory_take(r->memory, 1, sizeof *m.machine), {0}};
    if (!m.machine) return read_no_memory(r);
    *m.machine = (lsched_machine_desc)LSCHED_MACHINE_DESC_INIT;
    m.machine->n_devices = n_devices;
    *out = m.machine;
    int32_t code = value ? READ_MAP(r, value, "a machine", fields, &form, NULL) : 0;
    if (!code && form.bandwidth)
        code = read_map(r, form.bandwidth, "a bandwidth", NULL, 0, m.mbps, bandwidth_key);
    if (!code && form.numa) code = parse_machine_read_numa(&m, form.numa);
    if (!code && form.gpus) code = read_gpu_numa(&m, form.gpus);
    if (!code && form.nics) code = parse_machine_read_nics(&m, form.nics);
    if (!code && form.links)
        code = read_matrix(&m, form.links, n_devices, n_devices, 1, &m.machine->links);
    if (!code && form.nic_links)
        code =
            read_matrix(&m, form.nic_links, m.machine->n_nics, n_devices, 0, &m.machine->nic_links);
    return code;
}
