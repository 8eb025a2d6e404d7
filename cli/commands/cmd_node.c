/*
 * cmd_node.c -- the command `lsched node`, which turns the output of tools such as lstopo into a
 * node of a scenario, and changes the node's amounts as the options say. If the options --cpu and
 * --memory are given, the command divides these amounts over the NUMA nodes of the node.
 *
 * The command reads files that were made on the described machine. It does not ask the machine on
 * which it runs. Therefore a user can describe a machine from any other machine, and the same file
 * always gives the same node.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/command.h"
#include "cli/machine/hwloc_form.h"
#include "cli/input/input_file.h"
#include "cli/machine/machine_join.h"
#include "cli/machine/machine_print.h"
#include "cli/machine/topo_text.h"
#include "cli/support/utf8.h"

struct node_args {
    struct text_list from;
    const char *name, *model, *gpu_memory, *memory;
    int64_t cpu;
    bool cores, json;
};

enum { SOURCES_BYTES = 1024 };

/* The content of the input files. There can be one XML file and one text file. */
struct sources {
    struct machine xml, text;
    /* names of the XML file and of the text file; NULL if there is no such file */
    const char *xml_file, *text_file;
};

static bool is_xml(const struct input_file *file) {
    size_t at = utf8_mark(file->text, file->len);
    while (at < file->len && strchr(" \t\r\n", file->text[at]) != NULL) at++;
    return at < file->len && file->text[at] == '<';
}

static int read_source(const char *path, struct sources *out) {
    struct input_file file;
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = input_read(path, &file);
    if (rc != EXIT_OK) return rc;
    bool xml = is_xml(&file);
    const char **slot = xml ? &out->xml_file : &out->text_file;
    if (*slot != NULL) {
        rc = usage_error("node", "--from: expected at most one %s, got %s and %s",
                         xml ? "XML of lstopo" : "text of nvidia-smi", *slot, file.name);
    } else {
        int32_t code = xml ? hwloc_form_read(file.text, file.len, &out->xml, &err)
                           : topo_text_read(file.text, file.len, &out->text, &err);
        if (code < 0) rc = library_error(file.name, &err);
        *slot = file.name;
    }
    input_free(&file);
    return rc;
}

static int read_sources(const struct node_args *args, struct machine *out) {
    struct sources *s = must_alloc(sizeof *s);
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = EXIT_OK;
    s->xml_file = s->text_file = NULL;
    for (size_t i = 0; rc == EXIT_OK && i < args->from.n; i++)
        rc = read_source(args->from.items[i], s);
    if (rc == EXIT_OK && s->xml_file != NULL && s->text_file != NULL &&
        machine_join(&s->xml, &s->text, &err) < 0)
        rc = library_error(s->text_file, &err);
    *out = s->xml_file != NULL ? s->xml : s->text;
    free(s);
    return rc;
}

/* Reads a memory size such as "80Gi", which is a whole number of bytes, Ki, Mi, Gi or Ti, and
 * writes it in bytes. */
static int read_bytes(const char *option, const char *text, int64_t *out) {
    static const char *const units[] = {"", "Ki", "Mi", "Gi", "Ti"};
    int64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && value < (int64_t)1 << 50; at++)
        value = 10 * value + (*at - '0');
    for (size_t i = 0; at > text && i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(at, units[i]) != 0) continue;
        if (value > LSCHED_AMOUNT_MAX >> (10 * i)) break;
        *out = value << (10 * i);
        return EXIT_OK;
    }
    return usage_error("node", "--%s: expected a memory size such as 80Gi, 1536Gi or 2Ti, got '%s'",
                       option, text);
}

/* Divides the memory of the option --memory evenly over the NUMA nodes. NUMA nodes that no input
 * file lists count too, because the highest known id shows how many NUMA nodes the machine has. */
static void divide_memory(struct machine *m) {
    int64_t nodes = m->n_numa > 0 ? (int64_t)m->numa[m->n_numa - 1].id + 1 : 1;
    for (uint32_t i = 0; i < m->n_numa; i++) m->numa[i].memory_bytes = m->memory_bytes / nodes;
}

/* Divides `all` processors over the NUMA nodes. If the processors of no NUMA node are known, each
 * NUMA node gets the same number. If the known processors add up to more than `all`, the number of
 * each NUMA node is reduced in proportion; otherwise the known numbers stay. NUMA nodes that no
 * input file lists count too. */
static void divide_cpus(struct machine *m, int64_t all, bool cores) {
    int64_t nodes = m->n_numa, known = 0;
    if (m->n_numa == 0) return;
    if (m->numa_is_partial) nodes = (int64_t)m->numa[m->n_numa - 1].id + 1;
    for (uint32_t i = 0; i < m->n_numa; i++) {
        int64_t own = cores ? m->numa[i].cores : m->numa[i].threads;
        known += own > 0 ? own : 0;
    }
    if (known > 0 && known <= all) return;
    for (uint32_t i = 0; i < m->n_numa; i++) {
        int64_t *own = cores ? &m->numa[i].cores : &m->numa[i].threads;
        *own = known == 0 ? all / nodes : (*own > 0 ? *own : 0) * all / known * m->n_numa / nodes;
    }
}

static int apply_options(const struct node_args *args, struct machine *m) {
    if (args->memory != NULL) {
        int rc = read_bytes("memory", args->memory, &m->memory_bytes);
        if (rc != EXIT_OK) return rc;
        divide_memory(m);
    }
    if (args->model != NULL && strlen(args->model) >= MACHINE_NAME_BYTES)
        return usage_error("node", "--model: expected at most %d bytes", MACHINE_NAME_BYTES - 1);
    for (uint32_t i = 0; i < m->n_gpus; i++) {
        if (args->model != NULL) strcpy(m->device[i].model, args->model);
        if (args->gpu_memory == NULL) continue;
        int rc = read_bytes("gpu-memory", args->gpu_memory, &m->device[i].memory_bytes);
        if (rc != EXIT_OK) return rc;
    }
    if (args->cpu > 0) {
        m->threads = m->cores = args->cpu;
        divide_cpus(m, args->cpu, false);
        divide_cpus(m, args->cpu, true);
    }
    if (args->cores && m->cores < 0)
        return usage_error("node", "--cores: the number of cores is not known; the XML of "
                                   "lstopo would tell it");
    return EXIT_OK;
}

static void list_sources(const struct text_list *from, char out[SOURCES_BYTES]) {
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < from->n && n < SOURCES_BYTES; i++)
        n += (size_t)snprintf(out + n, SOURCES_BYTES - n, "%s%s", i > 0 ? " and " : "",
                              from->items[i]);
}

static int node(const void *argument, const struct parsed *words) {
    const struct node_args *args = argument;
    struct machine machine;
    char sources[SOURCES_BYTES];
    (void)words;
    if (args->from.n == 0 || args->from.n > 2)
        return usage_error("node", "expected one or two files with --from, got %zu", args->from.n);
    int rc = read_sources(args, &machine);
    if (rc == EXIT_OK) rc = apply_options(args, &machine);
    if (rc != EXIT_OK) return rc;
    list_sources(&args->from, sources);
    struct machine_print how = {args->name != NULL ? args->name : "node", sources, args->cores};
    if (args->json)
        machine_print_json(&machine, &how, stdout);
    else
        machine_print_scenario(&machine, &how, stdout);
    return EXIT_OK;
}

#define ARGS struct node_args
static const struct option options[] = {
    INPUTS(ALL, "from", "FILE", from,
           "output of `nvidia-smi topo -m` or `lstopo --of xml` of the machine; once or twice"),
    TEXT(ALL, "name", "NAME", name, "of the node, or a range such as dgx-[0-31]; default: node"),
    TEXT(ALL, "model", "MODEL", model,
         "of its GPUs, where the files do not say it or say it otherwise"),
    TEXT(ALL, "gpu-memory", "SIZE", gpu_memory, "of each GPU: 80Gi"),
    TEXT(ALL, "memory", "SIZE", memory, "of the node: 2Ti"),
    COUNT(ALL, "cpu", "N", cpu, 0, 0, INT64_MAX,
          "processors of the node, where the files do not tell of all"),
    FLAG(ALL, "cores", cores, "count cores, not hardware threads"),
    FLAG(ALL, "json", json, "print JSON instead of a scenario"),
};

const struct command command_node = {
    .name = "node",
    .arguments = "",
    .summary = "describe a machine as a node, from files of nvidia-smi and lstopo",
    .about =
        "Prints a node as a scenario has it, with what is inside: NUMA nodes, network cards, and "
        "the links between GPUs as a matrix, which also stands above it as a picture. The text of "
        "nvidia-smi knows NVLink, the XML of lstopo knows sizes; with both, each is asked for what "
        "it knows.",
    .examples = "  nvidia-smi topo -m > links.txt; lstopo --of xml > sizes.xml   # on the machine\n"
                "  lsched node --from links.txt --from sizes.xml --name 'dgx-[0-31]'\n"
                "  lsched node --from examples/machines/dgx-h100.txt --memory 2Ti",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_max = 0,
    .run = node,
};
