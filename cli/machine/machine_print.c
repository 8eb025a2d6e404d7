/*
 * machine_print.c -- see machine_print.h.
 */
#include "cli/machine/machine_print.h"

#include "cli/support/number_text.h"

#include <inttypes.h>
#include <string.h>

#include "cli/support/json_writer.h"

enum { CELL = 5 };

/* ---- words ---- */

static int64_t cpus(const struct machine_print *how, int64_t threads, int64_t cores) {
    return how->cores ? cores : threads;
}

/* Prints a number of bytes in the largest unit in which it is a whole number. */
static void print_bytes(FILE *out, int64_t bytes) {
    static const char *const units[] = {"", "Ki", "Mi", "Gi", "Ti"};
    size_t unit = 0;
    while (unit < 4 && bytes > 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    fprintf(out, "%" PRId64 "%s", bytes, units[unit]);
}

static bool is_plain(const char *text) {
    bool letter = false;
    for (const char *at = text; *at != '\0'; at++) {
        bool alpha = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        if (!alpha && !(*at >= '0' && *at <= '9') && *at != '_' && *at != '-' && *at != '.')
            return false;
        letter |= alpha;
    }
    return letter && text[0] != '-';
}

/* Prints a text from an input file as YAML. The text is in double quotes, except if it is plain. */
static void print_text(FILE *out, const char *text) {
    if (is_plain(text)) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\') fputc('\\', out);
        fputc(byte < 0x20 || byte == 0x7f ? '?' : byte, out);
    }
    fputc('"', out);
}

/* Prints a text from an input file inside a comment of the output. Each control character becomes
 * '?', so that the text stays on one line. */
static void print_shown(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        fputc(byte < 0x20 || byte == 0x7f ? '?' : byte, out);
    }
}

static bool same_gpu(const struct machine_device *a, const struct machine_device *b) {
    return strcmp(a->model, b->model) == 0 && a->memory_bytes == b->memory_bytes;
}

/* ---- the picture ---- */

static void print_count(FILE *out, const char *before, uint32_t n, const char *what) {
    fprintf(out, "%s%" PRIu32 " %s%s", before, n, what, plural(n));
}

static void picture_head(const struct machine *m, const struct machine_print *how, FILE *out) {
    fputs("# ", out);
    print_shown(out, how->name);
    print_count(out, ": ", m->n_gpus, "GPU");
    if (m->n_nics > 0) print_count(out, ", ", m->n_nics, "network card");
    if (m->n_numa > 0) print_count(out, ", ", m->n_numa, "NUMA node");
    fputs("; from ", out);
    print_shown(out, how->sources);
    fputc('\n', out);
    if (m->memory_bytes < 0) fputs("# Its memory is not known: --memory says it.\n", out);
    if (cpus(how, m->threads, m->cores) < 0) fputs("# Its processors are not known.\n", out);
    if (m->numa_is_partial)
        fputs("# Only the NUMA nodes that hold GPUs are known: --cpu counts all processors.\n",
              out);
    if (m->n_gpus > 1 && m->has_links && !m->knows_nvlink)
        fputs("# No NVLink is known: the text of `nvidia-smi topo -m` would tell of it.\n", out);
}

static int name_width(const struct machine *m) {
    size_t width = 4;
    for (uint32_t i = 0; i < machine_devices(m); i++)
        if (strlen(m->device[i].name) > width) width = strlen(m->device[i].name);
    return (int)width;
}

static void print_picture(const struct machine *m, FILE *out) {
    int width = name_width(m);
    char word[LINK_WORD_BYTES];
    if (m->n_gpus == 0 || !m->has_links) return;
    fprintf(out, "#\n# %*s", width, "");
    for (uint32_t gpu = 0; gpu < m->n_gpus; gpu++)
        fprintf(out, "%*s", CELL + 1, m->device[gpu].name);
    fputs("  NUMA\n", out);
    for (uint32_t row = 0; row < machine_devices(m); row++) {
        fputs("# ", out);
        print_shown(out, m->device[row].name);
        fprintf(out, "%*s", width - (int)strlen(m->device[row].name), "");
        for (uint32_t gpu = 0; gpu < m->n_gpus; gpu++)
            fprintf(out, "%*s", CELL + 1, link_word(m->link[row][gpu], word));
        if (m->device[row].numa >= 0)
            fprintf(out, "  %d\n", m->device[row].numa);
        else
            fputs("  -\n", out);
    }
}

/* ---- the node ---- */

static void print_gpus(const struct machine *m, FILE *out) {
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < m->n_gpus; i++)
        kinds += i == 0 || !same_gpu(&m->device[i], &m->device[i - 1]);
    if (m->n_gpus == 0) return;
    fputs(kinds > 1 ? "    gpus:\n" : "    gpus: ", out);
    for (uint32_t i = 0, end = 0; i < m->n_gpus; i = end) {
        const struct machine_device *gpu = &m->device[i];
        for (end = i + 1; end < m->n_gpus && same_gpu(gpu, &m->device[end]);) end++;
        fprintf(out, "%s{count: %" PRIu32, kinds > 1 ? "      - " : "", end - i);
        if (gpu->model[0] != '\0') {
            fputs(", model: ", out);
            print_text(out, gpu->model);
        }
        if (gpu->memory_bytes >= 0) {
            fputs(", memory: ", out);
            print_bytes(out, gpu->memory_bytes);
        }
        fputs("}\n", out);
    }
}

static void print_numa(const struct machine *m, const struct machine_print *how, FILE *out) {
    bool told = false;
    if (m->n_numa == 0) return;
    fputs("      numa:\n", out);
    for (uint32_t i = 0; i < m->n_numa; i++) {
        const struct machine_numa *numa = &m->numa[i];
        int64_t n = cpus(how, numa->threads, numa->cores);
        fprintf(out, "        - {cpu: %" PRId64, n < 0 ? 0 : n);
        if (numa->memory_bytes >= 0) {
            fputs(", memory: ", out);
            print_bytes(out, numa->memory_bytes);
        }
        fputs("}\n", out);
    }
    for (uint32_t i = 0; i < m->n_gpus; i++) told |= m->device[i].numa >= 0;
    for (uint32_t i = 0; told && i < m->n_gpus; i++) {
        fputs(i == 0 ? "      gpus: [" : ", ", out);
        if (m->device[i].numa >= 0)
            fprintf(out, "%d", m->device[i].numa);
        else
            fputs("\"-\"", out);
    }
    if (told) fputs("]\n", out);
}

static void print_nics(const struct machine *m, FILE *out) {
    if (m->n_nics == 0) return;
    fputs("      nics:\n", out);
    for (uint32_t i = m->n_gpus; i < machine_devices(m); i++) {
        fputs("        - {name: ", out);
        print_text(out, m->device[i].name);
        if (m->device[i].numa >= 0) fprintf(out, ", numa: %d", m->device[i].numa);
        fputs("}\n", out);
    }
}

static void print_links(const struct machine *m, const char *key, uint32_t from, uint32_t to,
                        FILE *out) {
    char word[LINK_WORD_BYTES];
    if (from == to || m->n_gpus == 0 || !m->has_links) return;
    fprintf(out, "      %s:\n", key);
    for (uint32_t row = from; row < to; row++) {
        fputs("        - \"", out);
        for (uint32_t gpu = 0; gpu + 1 < m->n_gpus; gpu++)
            fprintf(out, "%-4s ", link_word(m->link[row][gpu], word));
        fprintf(out, "%s\"\n", link_word(m->link[row][m->n_gpus - 1], word));
    }
}

void machine_print_scenario(const struct machine *m, const struct machine_print *how, FILE *out) {
    int64_t n = cpus(how, m->threads, m->cores);
    picture_head(m, how, out);
    print_picture(m, out);
    fputs("nodes:\n  - name: ", out);
    print_text(out, how->name);
    fputc('\n', out);
    if (n >= 0) fprintf(out, "    cpu: %" PRId64 "\n", n);
    if (m->memory_bytes >= 0) {
        fputs("    memory: ", out);
        print_bytes(out, m->memory_bytes);
        fputc('\n', out);
    }
    print_gpus(m, out);
    if (m->n_numa == 0 && m->n_nics == 0 && m->n_gpus < 2) return;
    fputs("    machine:\n", out);
    print_numa(m, how, out);
    print_nics(m, out);
    print_links(m, "links", 0, m->n_gpus, out);
    print_links(m, "nic_links", m->n_gpus, machine_devices(m), out);
}

/* ---- JSON ---- */

static void json_device(struct json *json, const struct machine *m, uint32_t row) {
    const struct machine_device *device = &m->device[row];
    char word[LINK_WORD_BYTES];
    json_object(json, NULL, JSON_LINE);
    json_string(json, "name", device->name);
    json_string(json, "address", device->address[0] != '\0' ? device->address : NULL);
    if (row < m->n_gpus) {
        json_string(json, "model", device->model[0] != '\0' ? device->model : NULL);
        json_int_unless(json, "memory_bytes", device->memory_bytes, -1);
    }
    json_int_unless(json, "numa", device->numa, -1);
    json_array(json, "links", JSON_LINE);
    for (uint32_t gpu = 0; gpu < m->n_gpus; gpu++)
        json_string(json, NULL, link_word(m->link[row][gpu], word));
    json_close(json);
    json_close(json);
}

void machine_print_json(const struct machine *m, const struct machine_print *how, FILE *out) {
    struct json json;
    json_begin_object(&json, out);
    json_string(&json, "name", how->name);
    json_string(&json, "sources", how->sources);
    json_int_unless(&json, "threads", m->threads, -1);
    json_int_unless(&json, "cores", m->cores, -1);
    json_int_unless(&json, "memory_bytes", m->memory_bytes, -1);
    json_array(&json, "numa", JSON_LINES);
    for (uint32_t i = 0; i < m->n_numa; i++) {
        json_object(&json, NULL, JSON_LINE);
        json_uint(&json, "id", m->numa[i].id);
        json_int_unless(&json, "threads", m->numa[i].threads, -1);
        json_int_unless(&json, "cores", m->numa[i].cores, -1);
        json_int_unless(&json, "memory_bytes", m->numa[i].memory_bytes, -1);
        json_close(&json);
    }
    json_close(&json);
    json_array(&json, "gpus", JSON_LINES);
    for (uint32_t i = 0; i < m->n_gpus; i++) json_device(&json, m, i);
    json_close(&json);
    json_array(&json, "nics", JSON_LINES);
    for (uint32_t i = m->n_gpus; i < machine_devices(m); i++) json_device(&json, m, i);
    json_close(&json);
    json_end(&json);
}
