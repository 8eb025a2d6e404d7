/*
 * machine_form.c -- see machine_form.h.
 */
#include "cli/machine/machine_form.h"

#include <stdio.h>
#include <string.h>

#include "cli/support/did_you_mean.h"

static const struct {
    const char *word;
    uint8_t kind;
} plain_links[] = {
    {"SYS", LSCHED_LINK_SYS}, {"NODE", LSCHED_LINK_NODE}, {"PHB", LSCHED_LINK_PHB},
    {"PXB", LSCHED_LINK_PXB}, {"PIX", LSCHED_LINK_PIX},   {"X", LSCHED_LINK_SELF},
    {"SOC", LSCHED_LINK_SYS},
};
enum { PLAIN_LINKS = sizeof plain_links / sizeof plain_links[0] };

void machine_clear(struct machine *machine) {
    memset(machine, 0, sizeof *machine);
    machine->memory_bytes = machine->threads = machine->cores = -1;
    for (uint32_t i = 0; i < MACHINE_DEVICES_MAX; i++) {
        machine->device[i].memory_bytes = -1;
        machine->device[i].numa = -1;
        machine->link[i][i].kind = LSCHED_LINK_SELF;
    }
}

void machine_set_link(struct machine *machine, uint32_t a, uint32_t b, struct machine_link link) {
    machine->link[a][b] = machine->link[b][a] = link;
}

void machine_guess_nic_numa(struct machine *machine) {
    for (uint32_t nic = machine->n_gpus; nic < machine_devices(machine); nic++) {
        uint8_t best = LSCHED_LINK_SYS;
        if (machine->device[nic].numa >= 0) continue;
        for (uint32_t gpu = 0; gpu < machine->n_gpus; gpu++) {
            uint8_t kind = machine->link[nic][gpu].kind;
            if (kind <= best || machine->device[gpu].numa < 0) continue;
            best = kind;
            machine->device[nic].numa = machine->device[gpu].numa;
        }
    }
}

/* Reads the word of an NVLink: "NV" and a number of at least 1 without a leading zero. */
static bool read_bonded(const char *word, size_t len, struct machine_link *out) {
    unsigned n = 0;
    if (len < 3 || len > 4 || word[0] != 'N' || word[1] != 'V' || word[2] == '0') return false;
    for (size_t i = 2; i < len; i++) {
        if (word[i] < '0' || word[i] > '9') return false;
        n = 10 * n + (unsigned)(word[i] - '0');
    }
    if (n > LINK_BONDED_MAX) return false;
    *out = (struct machine_link){LSCHED_LINK_NVLINK, (uint8_t)n};
    return true;
}

bool link_read(const char *word, size_t len, struct machine_link *out) {
    for (size_t i = 0; i < PLAIN_LINKS; i++) {
        if (strlen(plain_links[i].word) != len || memcmp(plain_links[i].word, word, len) != 0)
            continue;
        *out = (struct machine_link){plain_links[i].kind, 0};
        return true;
    }
    return read_bonded(word, len, out);
}

const char *link_word(struct machine_link link, char out[LINK_WORD_BYTES]) {
    if (link.kind == LSCHED_LINK_NVLINK) {
        snprintf(out, LINK_WORD_BYTES, "NV%u", link.bonded);
        return out;
    }
    for (size_t i = 0; i < PLAIN_LINKS; i++)
        if (plain_links[i].kind == link.kind) return plain_links[i].word;
    return "-";
}

static const char *known_word(const void *unused, size_t i) {
    static const char *const bonded[] = {"NV1", "NV2", "NV4", "NV6", "NV8", "NV12", "NV18"};
    (void)unused;
    if (i < PLAIN_LINKS) return plain_links[i].word;
    i -= PLAIN_LINKS;
    return i < sizeof bonded / sizeof bonded[0] ? bonded[i] : NULL;
}

const char *link_meant(const char *word, size_t len) {
    char upper[LINK_WORD_BYTES + 1];
    if (len == 0 || len > LINK_WORD_BYTES) return NULL;
    for (size_t i = 0; i < len; i++)
        upper[i] = (char)(word[i] >= 'a' && word[i] <= 'z' ? word[i] - 32 : word[i]);
    upper[len] = '\0';
    return suggest(upper, known_word, NULL);
}
