/*
 * hwloc_form.c -- see hwloc_form.h.
 *
 * The file is read in two steps. First xml_scan() checks that the file is well-formed XML, because
 * libhwloc does not say where a file has a mistake. Then libhwloc reads the file in a child process
 * with limits on memory and CPU time. The child process is needed, because libhwloc expects files
 * that it wrote itself, and a missing or invalid attribute can make it crash or allocate any amount
 * of memory. A check of all attributes is not possible, because they differ between versions of
 * libhwloc.
 */
#include "cli/machine/hwloc_form.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/policy/child_call.h"
#include "cli/support/utf8.h"
#include "cli/machine/xml_scan.h"
#include "cli/support/cli_errors.h"

enum { TREE_DEPTH_MAX = 64, PCI_MAX = 256 };
enum pci_class {
    PCI_ETHERNET = 0x0200,
    PCI_INFINIBAND = 0x0207,
    PCI_VGA = 0x0300,
    PCI_3D = 0x0302
};
enum pci_class_more { PCI_DISPLAY = 0x0380, PCI_PROCESSOR = 0x1200 };

struct found {
    hwloc_topology_t topology;
    struct machine *machine;
    hwloc_obj_t device[MACHINE_DEVICES_MAX];
    hwloc_obj_t numa[MACHINE_NUMA_MAX];
};

/* ---- NUMA nodes ---- */

/* Returns true for a NUMA node that has no processors, or whose memory is the memory of a GPU. The
 * reader ignores these NUMA nodes. */
static bool is_foreign(hwloc_obj_t node) {
    return hwloc_bitmap_iszero(node->cpuset) ||
           (node->subtype != NULL && strcmp(node->subtype, "GPUMemory") == 0);
}

/* Returns true for a NUMA node whose processors also belong to smaller NUMA nodes, such as memory
 * of a whole package. The reader ignores these NUMA nodes. */
static bool is_above_others(hwloc_topology_t topology, hwloc_obj_t node) {
    hwloc_obj_t other = NULL;
    while ((other = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, other)) != NULL)
        if (!is_foreign(other) && !hwloc_bitmap_isequal(other->cpuset, node->cpuset) &&
            hwloc_bitmap_isincluded(other->cpuset, node->cpuset))
            return true;
    return false;
}

static int32_t read_numa(struct found *f, lsched_error *err) {
    struct machine *m = f->machine;
    hwloc_obj_t node = NULL;
    m->memory_bytes = 0;
    while ((node = hwloc_get_next_obj_by_type(f->topology, HWLOC_OBJ_NUMANODE, node)) != NULL) {
        int64_t bytes = (int64_t)node->attr->numanode.local_memory;
        uint32_t at = 0;
        if (is_foreign(node) || is_above_others(f->topology, node)) continue;
        while (at < m->n_numa && !hwloc_bitmap_isequal(f->numa[at]->cpuset, node->cpuset)) at++;
        m->memory_bytes += bytes;
        /* another NUMA node has the same processors: its memory is of another kind, and both count
         * as one NUMA node */
        if (at < m->n_numa) {
            m->numa[at].memory_bytes += bytes;
            continue;
        }
        if (at == MACHINE_NUMA_MAX)
            return error_at(
                err, LSCHED_E_LIMIT, 1, 1,
                "expected at most %d NUMA nodes, got more: a node holds no more of them",
                MACHINE_NUMA_MAX);
        f->numa[m->n_numa] = node;
        m->numa[m->n_numa++] = (struct machine_numa){
            node->os_index, bytes, hwloc_bitmap_weight(node->cpuset),
            hwloc_get_nbobjs_inside_cpuset_by_type(f->topology, node->cpuset, HWLOC_OBJ_CORE)};
    }
    m->threads = hwloc_get_nbobjs_by_type(f->topology, HWLOC_OBJ_PU);
    m->cores = hwloc_get_nbobjs_by_type(f->topology, HWLOC_OBJ_CORE);
    if (m->cores == 0) m->cores = -1;
    return LSCHED_OK;
}

static int numa_of(const struct found *f, hwloc_obj_t device) {
    hwloc_obj_t at = hwloc_get_non_io_ancestor_obj(f->topology, device);
    if (at == NULL || at->cpuset == NULL) return -1;
    for (uint32_t i = 0; i < f->machine->n_numa; i++)
        if (hwloc_bitmap_isincluded(at->cpuset, f->numa[i]->cpuset)) return (int)i;
    return -1;
}

/* ---- devices ---- */

/* Returns true for graphics chips of management controllers and of virtual machines, such as
 * ASPEED, Matrox, QEMU and virtio. They do not count as GPUs. */
static bool is_plain_screen(const struct hwloc_pcidev_attr_s *pci) {
    static const unsigned vendors[] = {0x1a03, 0x102b, 0x1234, 0x1af4, 0x1013, 0x15ad, 0x1b36};
    if (pci->class_id != PCI_VGA) return false;
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (pci->vendor_id == vendors[i]) return true;
    return false;
}

static bool is_gpu(hwloc_obj_t device) {
    const struct hwloc_pcidev_attr_s *pci = &device->attr->pcidev;
    switch (pci->class_id) {
    case PCI_VGA: return !is_plain_screen(pci);
    case PCI_3D:
    case PCI_DISPLAY:
    case PCI_PROCESSOR: return true;
    default: return false;
    }
}

static bool is_nic(hwloc_obj_t device) {
    unsigned class_id = device->attr->pcidev.class_id;
    return class_id == PCI_ETHERNET || class_id == PCI_INFINIBAND;
}

/* Returns the name that the operating system gives a PCI device as a device of this type, or NULL
 * if it has no such name. */
static const char *system_name(hwloc_obj_t device, hwloc_obj_osdev_type_t type) {
    for (hwloc_obj_t o = device->io_first_child; o != NULL; o = o->next_sibling)
        if (o->type == HWLOC_OBJ_OS_DEVICE && o->attr->osdev.type == type && o->name != NULL)
            return o->name;
    return NULL;
}

static const char *told(hwloc_obj_t device, const char *key) {
    const char *value = hwloc_obj_get_info_by_name(device, key);
    for (hwloc_obj_t o = device->io_first_child; value == NULL && o != NULL; o = o->next_sibling)
        value = hwloc_obj_get_info_by_name(o, key);
    return value;
}

static void copy_name(char out[MACHINE_NAME_BYTES], const char *text, size_t len) {
    if (len >= MACHINE_NAME_BYTES) len = MACHINE_NAME_BYTES - 1;
    memcpy(out, text, len);
    out[len] = '\0';
}

/* Reads the model and the memory of a GPU. The model is the name from the driver. If the file does
 * not have that name, the model is the text in brackets of the PCI name, such as "GA100 [A100 SXM4
 * 80GB]". */
static void read_gpu(hwloc_obj_t gpu, struct machine_device *out) {
    static const char *const memory_keys[] = {"CUDAGlobalMemorySize", "RSMIVRAMSize",
                                              "LevelZeroHBMSize"};
    const char *model = told(gpu, "GPUModel");
    if (model != NULL) {
        copy_name(out->model, model, strlen(model));
    } else if (gpu->name != NULL) {
        const char *open = strchr(gpu->name, '['), *end = strrchr(gpu->name, ']');
        if (open != NULL && end != NULL && end > open)
            copy_name(out->model, open + 1, (size_t)(end - open - 1));
        else
            copy_name(out->model, gpu->name, strlen(gpu->name));
    }
    for (size_t i = 0; i < sizeof memory_keys / sizeof memory_keys[0]; i++) {
        const char *kib = told(gpu, memory_keys[i]);
        long long n = kib != NULL ? strtoll(kib, NULL, 10) : 0;
        if (n > 0 && n < (LSCHED_AMOUNT_MAX >> 10)) out->memory_bytes = (int64_t)n << 10;
    }
}

static int compare_addresses(const void *left, const void *right) {
    const struct hwloc_pcidev_attr_s *a = &(*(const hwloc_obj_t *)left)->attr->pcidev,
                                     *b = &(*(const hwloc_obj_t *)right)->attr->pcidev;
    unsigned long x =
        ((unsigned long)a->domain << 16) | (unsigned)a->bus << 8 | (unsigned)a->dev << 3 | a->func;
    unsigned long y =
        ((unsigned long)b->domain << 16) | (unsigned)b->bus << 8 | (unsigned)b->dev << 3 | b->func;
    return (x > y) - (x < y);
}

/* Writes the PCI devices for which `wanted` returns true to `out`, sorted by address. Returns the
 * number of these devices. If there are more than PCI_MAX, only PCI_MAX of them are written. */
static uint32_t collect(hwloc_topology_t topology, bool (*wanted)(hwloc_obj_t),
                        hwloc_obj_t out[PCI_MAX]) {
    uint32_t n = 0;
    hwloc_obj_t device = NULL;
    while ((device = hwloc_get_next_pcidev(topology, device)) != NULL)
        if (wanted(device) && n++ < PCI_MAX) out[n - 1] = device;
    if (n > 1) qsort(out, n < PCI_MAX ? n : PCI_MAX, sizeof(hwloc_obj_t), compare_addresses);
    return n;
}

static bool is_fabric(hwloc_obj_t device) {
    return is_nic(device) && system_name(device, HWLOC_OBJ_OSDEV_OPENFABRICS) != NULL;
}

static void add_device(struct found *f, hwloc_obj_t object, const char *name) {
    struct machine *m = f->machine;
    struct machine_device *device = &m->device[machine_devices(m)];
    const struct hwloc_pcidev_attr_s *pci = &object->attr->pcidev;
    f->device[machine_devices(m)] = object;
    snprintf(device->address, sizeof device->address, "%04x:%02x:%02x.%01x", (unsigned)pci->domain,
             (unsigned)pci->bus, (unsigned)pci->dev, (unsigned)pci->func);
    copy_name(device->name, name != NULL ? name : device->address,
              strlen(name != NULL ? name : device->address));
    device->numa = numa_of(f, object);
}

/* Reads the GPUs and the network cards. If at least one network card supports remote memory access
 * (RDMA), the cards without RDMA are ignored, because they usually serve for management. */
static int32_t read_devices(struct found *f, lsched_error *err) {
    struct machine *m = f->machine;
    hwloc_obj_t found[PCI_MAX];
    uint32_t n = collect(f->topology, is_gpu, found);
    if (n > MACHINE_GPUS_MAX)
        return error_at(err, LSCHED_E_LIMIT, 1, 1,
                        "expected at most %d GPUs, got %u: a node holds no more of them",
                        MACHINE_GPUS_MAX, n);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "GPU%u", i);
        add_device(f, found[i], name);
        read_gpu(found[i], &m->device[m->n_gpus++]);
    }
    n = collect(f->topology, is_fabric, found);
    if (n == 0) n = collect(f->topology, is_nic, found);
    if (n > MACHINE_NICS_MAX)
        return error_at(err, LSCHED_E_LIMIT, 1, 1,
                        "expected at most %d network cards, got %u: a node holds no more of them "
                        "(virtual functions of a card count, too)",
                        MACHINE_NICS_MAX, n);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = system_name(found[i], HWLOC_OBJ_OSDEV_OPENFABRICS);
        if (name == NULL) name = system_name(found[i], HWLOC_OBJ_OSDEV_NETWORK);
        add_device(f, found[i], name);
        m->n_nics++;
    }
    return LSCHED_OK;
}

/* ---- links ---- */

/* Writes the ancestors of an object to `out`, beginning with its parent. Returns their number. */
static uint32_t ancestors(hwloc_obj_t object, hwloc_obj_t out[TREE_DEPTH_MAX]) {
    uint32_t n = 0;
    while (n < TREE_DEPTH_MAX && (object = object->parent) != NULL) out[n++] = object;
    return n;
}

/* Returns the kind of the PCIe connection of two devices, in the terms of nvidia-smi. If both
 * devices are at the same PCIe switch, the path from each device to the common ancestor has at most
 * one bridge, which is a port of the switch. If a path has more bridges, it goes through several
 * switches. */
static uint8_t pci_link(const struct found *f, uint32_t a, uint32_t b) {
    hwloc_obj_t above_a[TREE_DEPTH_MAX], above_b[TREE_DEPTH_MAX];
    uint32_t n_a = ancestors(f->device[a], above_a), n_b = ancestors(f->device[b], above_b);
    uint32_t i = 0, j = 0;
    for (; i < n_a; i++) {
        for (j = 0; j < n_b && above_b[j] != above_a[i]; j++) continue;
        if (j < n_b) break;
    }
    if (i == n_a) return LSCHED_LINK_NONE;
    if (above_a[i]->type == HWLOC_OBJ_BRIDGE) {
        if (above_a[i]->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_HOST) return LSCHED_LINK_PHB;
        return i > 1 || j > 1 ? LSCHED_LINK_PXB : LSCHED_LINK_PIX;
    }
    const struct machine *m = f->machine;
    int same = m->device[a].numa >= 0 && m->device[a].numa == m->device[b].numa;
    return same || m->n_numa <= 1 ? LSCHED_LINK_NODE : LSCHED_LINK_SYS;
}

#if HWLOC_API_VERSION >= 0x00020500
/* Bandwidth of one NVLink of the first generation and of later generations, in each direction. The
 * NVML code of hwloc computes with these numbers. */
enum { NVLINK_FIRST_MB_PER_SECOND = 20000, NVLINK_MB_PER_SECOND = 25000 };

static uint32_t gpu_of(const struct found *f, hwloc_obj_t object) {
    uint32_t i = 0;
    if (object != NULL && object->type == HWLOC_OBJ_OS_DEVICE) object = object->parent;
    while (i < f->machine->n_gpus && f->device[i] != object) i++;
    return i;
}

static void read_nvlinks(struct found *f) {
    struct machine *m = f->machine;
    struct hwloc_distances_s *d = NULL;
    unsigned n = 1;
    if (hwloc_distances_get_by_name(f->topology, "NVLinkBandwidth", &n, &d, 0) != 0 || n == 0)
        return;
    hwloc_distances_transform(f->topology, d, HWLOC_DISTANCES_TRANSFORM_MERGE_SWITCH_PORTS, NULL,
                              0);
    hwloc_distances_transform(f->topology, d, HWLOC_DISTANCES_TRANSFORM_TRANSITIVE_CLOSURE, NULL,
                              0);
    for (unsigned i = 0; i < d->nbobjs * d->nbobjs; i++) {
        uint32_t a = gpu_of(f, d->objs[i / d->nbobjs]), b = gpu_of(f, d->objs[i % d->nbobjs]);
        hwloc_uint64_t mb = d->values[i];
        if (a >= b || b >= m->n_gpus || mb < NVLINK_FIRST_MB_PER_SECOND) continue;
        hwloc_uint64_t links = mb % NVLINK_MB_PER_SECOND == 0 ? mb / NVLINK_MB_PER_SECOND
                                                              : mb / NVLINK_FIRST_MB_PER_SECOND;
        if (links > LINK_BONDED_MAX) links = LINK_BONDED_MAX;
        machine_set_link(m, a, b, (struct machine_link){LSCHED_LINK_NVLINK, (uint8_t)links});
    }
    m->knows_nvlink = true;
    hwloc_distances_release(f->topology, d);
}
#else
static void read_nvlinks(struct found *f) {
    (void)f;
}
#endif

static void read_links(struct found *f) {
    uint32_t n = machine_devices(f->machine);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++)
            machine_set_link(f->machine, a, b, (struct machine_link){pci_link(f, a, b), 0});
    f->machine->has_links = true;
    read_nvlinks(f);
}

/* ---- the whole machine ---- */

/* Loads the topology of the whole machine, with the processors and the memory that the process that
 * wrote the file was not allowed to use. */
static int32_t load(hwloc_topology_t topology, const char *text, size_t len, lsched_error *err) {
    if (hwloc_topology_set_xmlbuffer(topology, text, (int)len + 1) != 0 ||
        hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
        hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
        hwloc_topology_load(topology) != 0)
        return error_at(err, LSCHED_E_SYNTAX, 1, 1,
                        "expected a topology as `lstopo --of xml` writes it, got XML that libhwloc "
                        "%u.%u refuses",
                        HWLOC_API_VERSION >> 16, HWLOC_API_VERSION >> 8 & 0xff);
    return LSCHED_OK;
}

/* the input of the child process; struct answer is its output */
struct source {
    const char *text;
    size_t len;
};

struct answer {
    int32_t rc;
    lsched_error err;
    struct machine machine;
};

static void read_in_child(const void *input, void *out) {
    const struct source *source = input;
    struct answer *answer = out;
    struct found f = {.machine = &answer->machine};
    if (hwloc_topology_init(&f.topology) != 0) {
        answer->rc = error_at(&answer->err, LSCHED_E_NOMEM, 1, 1, "libhwloc could not be started");
        return;
    }
    answer->rc = load(f.topology, source->text, source->len, &answer->err);
    if (answer->rc == LSCHED_OK) answer->rc = read_numa(&f, &answer->err);
    if (answer->rc == LSCHED_OK) answer->rc = read_devices(&f, &answer->err);
    /* the topology is not freed, because the child process exits */
    if (answer->rc == LSCHED_OK) read_links(&f);
}

int32_t hwloc_form_read(const char *text, size_t len, struct machine *out, lsched_error *err) {
    static const struct child_bounds bounds = {(size_t)256 << 20, 10};
    char why[CHILD_WORDS_BYTES];
    size_t mark = utf8_mark(text, len);
    struct source source = {text + mark, len - mark};
    machine_clear(out);
    int32_t rc = xml_scan(text, len, "topology", err);
    if (rc != LSCHED_OK) return rc;
    struct answer *answer = must_alloc_zero(sizeof *answer);
    machine_clear(&answer->machine);
    if (!child_call(read_in_child, &source, answer, sizeof *answer, &bounds, why)) {
        rc = error_at(
            err, LSCHED_E_SYNTAX, 1, 1,
            "expected a topology as `lstopo --of xml` writes it, got XML that libhwloc %u.%u "
            "cannot read: %s",
            HWLOC_API_VERSION >> 16, HWLOC_API_VERSION >> 8 & 0xff, why);
    } else {
        rc = answer->rc;
        if (rc == LSCHED_OK) *out = answer->machine;
        if (rc != LSCHED_OK) *err = answer->err;
    }
    free(answer);
    return rc;
}
