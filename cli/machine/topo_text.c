/*
 * topo_text.c -- see topo_text.h.
 *
 * The reader divides a line into words, which are separated by blanks, tabs and escape sequences.
 * The distances between words have no meaning, with one exception. A row can have fewer words after
 * its links than the header has columns there. In this case the reader finds the column of each
 * word by its position on the screen, as a person does.
 */
#include "cli/machine/topo_text.h"

#include <stdio.h>
#include <string.h>

#include "cli/support/cli_errors.h"
#include "cli/support/did_you_mean.h"
#include "cli/support/utf8.h"

enum {
    WORDS_MAX = MACHINE_DEVICES_MAX + 16,
    CPUS_MAX = 4096,
    SHOWN_MAX = 32,
    TAB = 8,
    TAILS_MAX = 3
};
enum tail { TAIL_CPU, TAIL_NUMA, TAIL_GPU_NUMA };

struct word {
    const char *text;
    size_t len;
    uint32_t column; /* position of the first byte in the line, counted from 1 */
    uint32_t screen; /* column on a terminal, counted from 0 */
};

struct cpus {
    uint64_t bits[CPUS_MAX / 64];
};

struct topo {
    const char *text;
    size_t len, at;
    uint32_t line;
    bool cut; /* true if the current line does not end with a newline */
    struct word words[WORDS_MAX];
    size_t n_words;
    uint32_t line_len;

    struct machine *machine;
    uint8_t tail[TAILS_MAX]; /* kinds (TAIL_*) of the columns after the links */
    uint32_t tail_screen[TAILS_MAX];
    size_t n_tails;
    /* id of the NUMA node of each GPU; -1 if the text has none or several for the GPU */
    int32_t numa_id[MACHINE_GPUS_MAX];
    struct cpus cpus[MACHINE_GPUS_MAX];
    bool has_cpus[MACHINE_GPUS_MAX];
    uint32_t row_line[MACHINE_DEVICES_MAX];
};

/* ---- errors ---- */

/* Writes a shortened copy of a word for an error message to `out`. Replaces bytes that would
 * disturb a terminal. Returns `out`. */
static const char *shown(const struct word *word, char out[SHOWN_MAX + 4]) {
    size_t n = word->len < SHOWN_MAX ? word->len : SHOWN_MAX;
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)word->text[i];
        out[i] = byte < 0x20 || byte >= 0x7f ? '?' : word->text[i];
    }
    strcpy(out + n, word->len > n ? "..." : "");
    return out;
}

/* ---- lines and words ---- */

static bool word_is(const struct word *word, const char *text) {
    return word->len == strlen(text) && memcmp(word->text, text, word->len) == 0;
}

/* Returns the length in bytes of the escape sequence (ESC [ ... letter) at the beginning of `text`,
 * or 0 if the text does not begin with one. */
static size_t escape_len(const char *text, size_t len) {
    size_t n = 2;
    if (len < 2 || text[0] != '\033' || text[1] != '[') return 0;
    while (n < len && (unsigned char)text[n] >= 0x20 && (unsigned char)text[n] < 0x40) n++;
    return n < len && (unsigned char)text[n] >= 0x40 && (unsigned char)text[n] < 0x7f ? n + 1 : 0;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Divides a line into words. If the line has more than WORDS_MAX words, which is more than a row of
 * any matrix has, the later words are dropped. */
static void cut_words(struct topo *t, const char *line, size_t len) {
    uint32_t screen = 0;
    t->n_words = 0;
    t->line_len = (uint32_t)len;
    for (size_t i = 0; i < len;) {
        size_t escape = escape_len(line + i, len - i);
        if (escape > 0) {
            i += escape;
        } else if (is_blank(line[i])) {
            screen = line[i] == '\t' ? (screen / TAB + 1) * TAB : screen + 1;
            i++;
        } else {
            size_t from = i;
            while (i < len && !is_blank(line[i]) && escape_len(line + i, len - i) == 0) i++;
            if (t->n_words < WORDS_MAX)
                t->words[t->n_words++] =
                    (struct word){line + from, i - from, (uint32_t)from + 1, screen};
            screen += (uint32_t)(i - from);
        }
    }
}

/* Reads the next line and divides it into words. Returns false at the end of the text. */
static bool next_line(struct topo *t) {
    if (t->at == t->len) return false;
    const char *line = t->text + t->at, *newline = memchr(line, '\n', t->len - t->at);
    size_t len = newline != NULL ? (size_t)(newline - line) : t->len - t->at;
    t->cut = newline == NULL;
    t->at += len + (newline != NULL);
    t->line++;
    cut_words(t, line, len);
    return true;
}

/* ---- header ---- */

static bool is_gpu(const struct word *word) {
    if (word->len < 4 || word->len > 6 || memcmp(word->text, "GPU", 3) != 0) return false;
    for (size_t i = 3; i < word->len; i++)
        if (word->text[i] < '0' || word->text[i] > '9') return false;
    return true;
}

/* Returns true if the current line is the header. The first word of the header and of each row is a
 * device. The second word of the header is a device or belongs to the name of a column; the second
 * word of a row is a link. */
static bool is_header(const struct topo *t) {
    struct machine_link link;
    if (t->n_words < 2 || !is_gpu(&t->words[0])) return false;
    return !link_read(t->words[1].text, t->words[1].len, &link);
}

/* Returns the number of words in the name of the column that begins at word i, such as 2 for "CPU
 * Affinity". Returns 0 if word i does not begin the name of a column. */
static size_t tail_at(const struct topo *t, size_t i, uint8_t *out) {
    static const struct {
        uint8_t tail;
        size_t n;
        const char *words[3];
    } tails[] = {{TAIL_CPU, 2, {"CPU", "Affinity"}},
                 {TAIL_NUMA, 2, {"NUMA", "Affinity"}},
                 {TAIL_GPU_NUMA, 3, {"GPU", "NUMA", "ID"}}};
    for (size_t k = 0; k < sizeof tails / sizeof tails[0]; k++) {
        size_t same = 0;
        while (same < tails[k].n && i + same < t->n_words &&
               word_is(&t->words[i + same], tails[k].words[same]))
            same++;
        *out = tails[k].tail;
        if (same == tails[k].n) return same;
    }
    return 0;
}

static uint32_t find_device(const struct machine *m, const struct word *word) {
    uint32_t i = 0;
    while (i < machine_devices(m) && !word_is(word, m->device[i].name)) i++;
    return i;
}

static int32_t add_device(struct topo *t, const struct word *word, lsched_error *err) {
    struct machine *m = t->machine;
    char got[SHOWN_MAX + 4];
    bool gpu = is_gpu(word);
    if (find_device(m, word) < machine_devices(m))
        return error_at(err, LSCHED_E_SYNTAX, t->line, word->column,
                        "expected every device once, got a second column %s", shown(word, got));
    if (gpu && m->n_nics > 0)
        return error_at(err, LSCHED_E_SYNTAX, t->line, word->column,
                        "expected GPUs before network cards, got %s after %s", shown(word, got),
                        m->device[m->n_gpus].name);
    char next[16];
    int n = snprintf(next, sizeof next, "GPU%u", (unsigned)m->n_gpus);
    if (gpu && m->n_gpus < MACHINE_GPUS_MAX &&
        (word->len != (size_t)n || memcmp(word->text, next, (size_t)n) != 0))
        return error_at(err, LSCHED_E_SYNTAX, t->line, word->column,
                        "expected GPUs in the order of their numbers, here %s, got %s", next,
                        shown(word, got));
    if (word->len >= MACHINE_NAME_BYTES)
        return error_at(err, LSCHED_E_SYNTAX, t->line, word->column,
                        "expected the name of a device, got %s", shown(word, got));
    if (gpu ? m->n_gpus == MACHINE_GPUS_MAX : m->n_nics == MACHINE_NICS_MAX)
        return error_at(err, LSCHED_E_LIMIT, t->line, word->column,
                        "expected at most %d %s, got more: a node holds no more of them",
                        gpu ? MACHINE_GPUS_MAX : MACHINE_NICS_MAX, gpu ? "GPUs" : "network cards");
    struct machine_device *device = &m->device[machine_devices(m)];
    memcpy(device->name, word->text, word->len);
    device->name[word->len] = '\0';
    gpu ? m->n_gpus++ : m->n_nics++;
    return LSCHED_OK;
}

static int32_t read_header(struct topo *t, lsched_error *err) {
    for (size_t i = 0; i < t->n_words;) {
        uint8_t tail;
        char got[SHOWN_MAX + 4];
        const struct word *word = &t->words[i];
        size_t n = tail_at(t, i, &tail);
        if (n == 0 && t->n_tails > 0)
            return error_at(err, LSCHED_E_SYNTAX, t->line, word->column,
                            "expected 'CPU Affinity', 'NUMA Affinity', 'GPU NUMA ID' or the end of "
                            "the header, got %s",
                            shown(word, got));
        if (n > 0 && t->n_tails == TAILS_MAX)
            return error_at(err, LSCHED_E_SYNTAX, t->line, word->column,
                            "expected the end of the header, got a column twice");
        int32_t rc = n == 0 ? add_device(t, word, err) : LSCHED_OK;
        if (rc != LSCHED_OK) return rc;
        if (n > 0) {
            t->tail_screen[t->n_tails] = word->screen;
            t->tail[t->n_tails++] = tail;
        }
        i += n > 0 ? n : 1;
    }
    return LSCHED_OK;
}

/* ---- rows ---- */

/* Reads a list of processors such as "0-19,40-59". Returns false if the word is not such a list. */
static bool read_cpus(const struct word *word, struct cpus *out) {
    uint32_t number = 0, from = 0;
    bool digits = false, range = false;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i <= word->len; i++) {
        char c = i < word->len ? word->text[i] : ',';
        if (c >= '0' && c <= '9') {
            number = 10 * number + (uint32_t)(c - '0');
            digits = true;
            if (number >= CPUS_MAX) return false;
        } else if (c == '-' && digits && !range) {
            from = number;
            range = true;
            digits = false;
            number = 0;
        } else if (c == ',' && digits && (!range || from <= number)) {
            for (uint32_t cpu = range ? from : number; cpu <= number; cpu++)
                out->bits[cpu / 64] |= (uint64_t)1 << cpu % 64;
            range = digits = false;
            number = 0;
        } else {
            return false;
        }
    }
    return true;
}

static int32_t read_tail(struct topo *t, uint32_t row, uint8_t tail, const struct word *word,
                         lsched_error *err) {
    char got[SHOWN_MAX + 4];
    struct cpus cpus;
    if (word_is(word, "N/A") || row >= t->machine->n_gpus) return LSCHED_OK;
    if (!read_cpus(word, &cpus))
        return error_at(err, LSCHED_E_SYNTAX, t->line, word->column,
                        "expected %s such as 0-19,40-59, got '%s'",
                        tail == TAIL_CPU ? "processors" : "NUMA nodes", shown(word, got));
    if (tail == TAIL_CPU) {
        t->cpus[row] = cpus;
        t->has_cpus[row] = true;
    } else if (tail == TAIL_NUMA) {
        int32_t id = -1;
        for (uint32_t i = 0; i < CPUS_MAX; i++) {
            if (!(cpus.bits[i / 64] >> i % 64 & 1)) continue;
            /* a GPU with several NUMA nodes counts as a GPU without a NUMA node */
            if (id >= 0) return LSCHED_OK;
            id = (int32_t)i;
        }
        t->numa_id[row] = id;
    }
    return LSCHED_OK;
}

/* Reads the words of a row that are after its links. */
static int32_t read_tails(struct topo *t, uint32_t row, size_t first, lsched_error *err) {
    size_t n = t->n_words - first;
    if (n > t->n_tails)
        return error_at(err, LSCHED_E_SYNTAX, t->line, t->words[first + t->n_tails].column,
                        "row %s: expected %u links and at most %zu columns after them, got more",
                        t->machine->device[row].name, machine_devices(t->machine), t->n_tails);
    for (size_t i = 0, tail = 0; i < n; i++, tail++) {
        const struct word *word = &t->words[first + i];
        /* If the row has fewer words than columns, a word belongs to the last column that begins at
         * or before the position of the word on the screen. An earlier column is taken if too few
         * columns would remain for the later words. */
        while (tail + (n - i) < t->n_tails && t->tail_screen[tail + 1] <= word->screen) tail++;
        int32_t rc = read_tail(t, row, t->tail[tail], word, err);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

static int32_t read_cell(struct topo *t, uint32_t row, uint32_t column, const struct word *word,
                         lsched_error *err) {
    const struct machine_device *device = t->machine->device;
    char got[SHOWN_MAX + 4], spelled[LINK_WORD_BYTES], before[LINK_WORD_BYTES];
    struct machine_link link;
    if (!link_read(word->text, word->len, &link)) {
        return error_at(err, LSCHED_E_SYNTAX, t->line, word->column,
                        "%s to %s: expected a link (NV1, PIX, PXB, PHB, NODE, SYS), got '%s'%s",
                        device[row].name, device[column].name, shown(word, got),
                        did_you_mean(link_meant(word->text, word->len)).text);
    }
    if ((link.kind == LSCHED_LINK_SELF) != (row == column))
        return error_at(err, LSCHED_E_SYNTAX, t->line, word->column,
                        "%s to %s: expected %s, got %s", device[row].name, device[column].name,
                        row == column ? "X" : "a link between two devices", shown(word, got));
    struct machine_link known = t->machine->link[column][row];
    if (column < row && (known.kind != link.kind || known.bonded != link.bonded))
        return error_at(err, LSCHED_E_SYNTAX, t->line, word->column,
                        "%s to %s: expected %s as from %s to %s in line %u, got %s: the matrix is "
                        "not symmetric",
                        device[row].name, device[column].name, link_word(known, before),
                        device[column].name, device[row].name, t->row_line[column],
                        link_word(link, spelled));
    t->machine->link[row][column] = link;
    return LSCHED_OK;
}

static int32_t wrong_row(const struct topo *t, uint32_t row, lsched_error *err) {
    const struct machine *m = t->machine;
    char got[SHOWN_MAX + 4];
    const char *name = m->device[row].name;
    uint32_t found = t->n_words > 0 ? find_device(m, &t->words[0]) : machine_devices(m);
    if (t->n_words == 0)
        return error_at(err, LSCHED_E_SYNTAX, t->line, 1,
                        "expected the row of %s, got an empty line: %u of %u rows are there", name,
                        row, machine_devices(m));
    return error_at(err, LSCHED_E_SYNTAX, t->line, t->words[0].column,
                    found == machine_devices(m) ? "expected the row of %s, got '%s'"
                    : found < row               ? "expected the row of %s, got that of %s again"
                                                : "expected the row of %s, got that of %s",
                    name, shown(&t->words[0], got));
}

static int32_t read_row(struct topo *t, uint32_t row, lsched_error *err) {
    uint32_t n = machine_devices(t->machine);
    if (t->n_words == 0 || find_device(t->machine, &t->words[0]) != row)
        return wrong_row(t, row, err);
    if (t->cut)
        return error_at(err, LSCHED_E_SYNTAX, t->line, t->line_len + 1,
                        "the text is cut off: expected the rest of the row of %s, got the end",
                        t->machine->device[row].name);
    if (t->n_words < 1 + (size_t)n)
        return error_at(err, LSCHED_E_SYNTAX, t->line, t->line_len + 1,
                        "row %s: expected %u links as in the header, got %zu",
                        t->machine->device[row].name, n, t->n_words - 1);
    t->row_line[row] = t->line;
    for (uint32_t column = 0; column < n; column++) {
        int32_t rc = read_cell(t, row, column, &t->words[1 + column], err);
        if (rc != LSCHED_OK) return rc;
    }
    return read_tails(t, row, 1 + (size_t)n, err);
}

static int32_t read_matrix(struct topo *t, lsched_error *err) {
    for (uint32_t row = 0; row < machine_devices(t->machine); row++) {
        if (!next_line(t)) {
            t->line++;
            return error_at(err, LSCHED_E_SYNTAX, t->line, 1,
                            "the text is cut off: expected the row of %s, got the end",
                            t->machine->device[row].name);
        }
        int32_t rc = read_row(t, row, err);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* ---- the text below the matrix ---- */

/* Reads a line of the NIC legend, such as "NIC0: mlx5_0". */
static int32_t read_nic_name(struct topo *t, bool named[MACHINE_DEVICES_MAX], lsched_error *err) {
    struct machine *m = t->machine;
    struct word label = t->words[0];
    char got[SHOWN_MAX + 4];
    if (label.len > 0 && label.text[label.len - 1] == ':') label.len--;
    uint32_t nic = find_device(m, &label);
    if (nic < m->n_gpus || nic >= machine_devices(m) || named[nic] || t->n_words != 2 ||
        t->words[1].len >= MACHINE_NAME_BYTES)
        return error_at(err, LSCHED_E_SYNTAX, t->line, label.column,
                        "NIC Legend: expected the name of a network card of the matrix, once, such "
                        "as 'NIC0: mlx5_0', got '%s'",
                        shown(&t->words[0], got));
    if (find_device(m, &t->words[1]) < machine_devices(m))
        return error_at(err, LSCHED_E_SYNTAX, t->line, t->words[1].column,
                        "NIC Legend: expected a name for each network card, got %s twice",
                        shown(&t->words[1], got));
    named[nic] = true;
    memcpy(m->device[nic].name, t->words[1].text, t->words[1].len);
    m->device[nic].name[t->words[1].len] = '\0';
    return LSCHED_OK;
}

static int32_t read_legends(struct topo *t, lsched_error *err) {
    struct machine *m = t->machine;
    bool in_names = false, named[MACHINE_DEVICES_MAX] = {false};
    while (next_line(t)) {
        if (t->n_words == 0) continue;
        if (t->n_words >= 2 && word_is(&t->words[0], "NIC") && word_is(&t->words[1], "Legend:")) {
            in_names = true;
            continue;
        }
        if (find_device(m, &t->words[0]) < machine_devices(m) && !in_names)
            return error_at(err, LSCHED_E_SYNTAX, t->line, t->words[0].column,
                            "expected the legend after the last row, got a row again");
        int32_t rc = in_names ? read_nic_name(t, named, err) : LSCHED_OK;
        if (rc != LSCHED_OK) return rc;
    }
    for (uint32_t i = m->n_gpus; in_names && i < machine_devices(m); i++) {
        if (named[i]) continue;
        t->line++;
        return error_at(
            err, LSCHED_E_SYNTAX, t->line, 1,
            "the text is cut off: expected the name of %s in the NIC Legend, got the end",
            m->device[i].name);
    }
    return LSCHED_OK;
}

/* ---- NUMA nodes ---- */

static int64_t count_cpus(const struct cpus *cpus) {
    int64_t n = 0;
    for (uint32_t i = 0; i < CPUS_MAX / 64; i++) n += __builtin_popcountll(cpus->bits[i]);
    return n;
}

/* Invents ids of NUMA nodes for a text without a column of NUMA nodes: GPUs with the same
 * processors get the same id. */
static void number_by_cpus(struct topo *t) {
    int32_t next = 0;
    for (uint32_t i = 0; i < t->machine->n_gpus; i++) {
        for (uint32_t j = 0; j < i && t->has_cpus[i] && t->numa_id[i] < 0; j++)
            if (t->has_cpus[j] && memcmp(&t->cpus[i], &t->cpus[j], sizeof t->cpus[i]) == 0)
                t->numa_id[i] = t->numa_id[j];
        if (t->has_cpus[i] && t->numa_id[i] < 0) t->numa_id[i] = next++;
    }
}

static bool tells_numa(const struct topo *t) {
    for (size_t i = 0; i < t->n_tails; i++)
        if (t->tail[i] == TAIL_NUMA) return true;
    return false;
}

static uint32_t numa_of(struct machine *m, unsigned id) {
    uint32_t at = 0;
    while (at < m->n_numa && m->numa[at].id < id) at++;
    if (at < m->n_numa && m->numa[at].id == id) return at;
    if (m->n_numa == MACHINE_NUMA_MAX) return MACHINE_NUMA_MAX;
    memmove(&m->numa[at + 1], &m->numa[at], (m->n_numa - at) * sizeof m->numa[0]);
    m->numa[at] = (struct machine_numa){id, -1, -1, -1};
    m->n_numa++;
    return at;
}

/* Makes the list of NUMA nodes, sorted by id, and sets the NUMA node of each GPU. The first loop
 * adds all NUMA nodes; the second loop then sets the indexes. One loop is not enough, because a new
 * NUMA node can change the indexes of others. */
static int32_t read_numa(struct topo *t, lsched_error *err) {
    struct machine *m = t->machine;
    struct cpus all = {{0}};
    if (!tells_numa(t)) number_by_cpus(t);
    for (uint32_t i = 0; i < m->n_gpus; i++)
        if (t->numa_id[i] >= 0 && numa_of(m, (unsigned)t->numa_id[i]) == MACHINE_NUMA_MAX)
            return error_at(
                err, LSCHED_E_LIMIT, t->line, 1,
                "expected at most %d NUMA nodes, got more: a node holds no more of them",
                MACHINE_NUMA_MAX);
    for (uint32_t i = 0; i < m->n_gpus; i++) {
        if (t->has_cpus[i])
            for (uint32_t w = 0; w < CPUS_MAX / 64; w++) all.bits[w] |= t->cpus[i].bits[w];
        if (t->numa_id[i] < 0) continue;
        uint32_t at = numa_of(m, (unsigned)t->numa_id[i]);
        m->device[i].numa = (int)at;
        if (t->has_cpus[i]) m->numa[at].threads = count_cpus(&t->cpus[i]);
    }
    int64_t threads = count_cpus(&all), within = 0;
    m->threads = threads > 0 ? threads : -1;
    for (uint32_t i = 0; i < m->n_numa; i++) {
        within += m->numa[i].threads > 0 ? m->numa[i].threads : 0;
        m->numa_is_partial |= m->numa[i].id != i;
    }
    /* if the same processors belong to several NUMA nodes, the list of NUMA nodes is not valid and
     * is dropped */
    if (within > threads) m->n_numa = 0;
    for (uint32_t i = 0; i < m->n_gpus && m->n_numa == 0; i++) m->device[i].numa = -1;
    return LSCHED_OK;
}

/* ---- the whole text ---- */

static int32_t refuse_nul(struct topo *t, lsched_error *err) {
    const char *nul = memchr(t->text, '\0', t->len);
    const char *line = nul;
    while (line > t->text && line[-1] != '\n') line--;
    for (const char *at = t->text; at <= line; at++) t->line += at == t->text || at[-1] == '\n';
    return error_at(err, LSCHED_E_SYNTAX, t->line, (uint32_t)(nul - line) + 1,
                    "expected text, got a NUL byte");
}

int32_t topo_text_read(const char *text, size_t len, struct machine *out, lsched_error *err) {
    size_t mark = utf8_mark(text, len);
    struct topo t = {.text = text + mark, .len = len - mark, .machine = out};
    bool found = false;
    machine_clear(out);
    for (uint32_t i = 0; i < MACHINE_GPUS_MAX; i++) t.numa_id[i] = -1;
    if (memchr(text, '\0', len) != NULL) return refuse_nul(&t, err);
    while (!found && next_line(&t)) found = is_header(&t);
    if (!found) {
        t.line = 1;
        return error_at(err, LSCHED_E_SYNTAX, t.line, 1,
                        "expected the header of `nvidia-smi topo -m` (GPU0 GPU1 ... CPU Affinity), "
                        "got none in the whole text");
    }
    int32_t rc = read_header(&t, err);
    if (rc == LSCHED_OK) rc = read_matrix(&t, err);
    if (rc == LSCHED_OK) rc = read_legends(&t, err);
    if (rc == LSCHED_OK) rc = read_numa(&t, err);
    if (rc != LSCHED_OK) return rc;
    out->has_links = out->knows_nvlink = true;
    machine_guess_nic_numa(out);
    return LSCHED_OK;
}
