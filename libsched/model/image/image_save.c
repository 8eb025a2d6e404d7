/*
 * image_save.c -- writes an image as bytes. See image.h and image_form.h.
 *
 * The code passes twice over the same list of sections. The first pass computes the numbers for
 * the header; the second pass writes. No copy of the image is in memory: each column is passed
 * directly to the orchestrator's callback.
 */
#include "model/image/image_save.h"

#include "model/image/image_form.h"

struct saver {
    lsched_write_fn write; /* NULL in the first pass, which only counts */
    void *user;
    uint32_t sections;
    uint64_t bytes;
    int failed;
};

static void image_save_put(struct saver *v, const void *p, size_t n) {
    if (v->write && !v->failed && n) v->failed = v->write(v->user, p, n) != 0;
}

static void put_section(struct saver *v, const char *name, uint32_t kind, uint32_t type,
                        uint32_t stride, const void *payload, uint64_t rows) {
    static const uint8_t zero[8] = {0};
    struct image_section s;
    size_t n = (size_t)(rows * stride), pad = (8 - n % 8) % 8, len = strlen(name);
    v->sections++;
    v->bytes += sizeof s + n + pad;
    if (!v->write) return;
    memset(&s, 0, sizeof s);
    memcpy(s.name, name, len < IMAGE_NAME_BYTES ? len : IMAGE_NAME_BYTES);
    s.kind = kind;
    s.type = type;
    s.stride = stride;
    s.rows = rows;
    s.checksum = image_section_checksum(&s, payload);
    image_save_put(v, &s, sizeof s);
    image_save_put(v, payload, n);
    image_save_put(v, zero, pad);
}

static void put_words(struct saver *v, const char *name, const struct columns *k, uint32_t word,
                      uint32_t n) {
    put_section(v, name, IMAGE_NO_KIND, COL_U64, 8, &k->c[C_META_WORD].u64[word], n);
}

static void put_columns(struct saver *v, const struct columns *k) {
    for (uint32_t c = 0; c < COLUMNS; c++) {
        const struct column_def *d = &column_defs[c];
        uint32_t rows = table_rows(k, d->table);
        if (c == C_META_WORD || rows == 0 ||
            (d->kind >= 0 && (uint64_t)d->kind >= meta(k, M_N_KINDS)))
            continue;
        put_section(v, column_def_name(d), d->kind < 0 ? IMAGE_NO_KIND : (uint32_t)d->kind, d->type,
                    d->stride, k->c[c].u8, rows);
    }
}

static void put_all(struct saver *v, const struct columns *k, const struct image_extra *extra,
                    uint32_t n_extra) {
    char name[IMAGE_NAME_BYTES + 1];
    for (uint32_t t = 0; t < TABLES; t++) {
        if (t == T_META) continue;
        image_table_name(t, name);
        put_words(v, name, k, META_TABLE(t, 0), TABLE_WORDS);
    }
    for (uint32_t h = 0; h < BLOCK_HEAPS; h++)
        put_words(v, image_heap_names[h], k, META_BLOCK(h, 0), BLOCK_CLASSES);
    for (uint32_t i = 0; i < IMAGE_COUNTERS; i++)
        put_words(v, image_counters[i].name, k, image_counters[i].word, image_counters[i].n);
    put_columns(v, k);
    for (uint32_t i = 0; i < n_extra; i++)
        put_section(v, extra[i].name, IMAGE_NO_KIND, IMAGE_BYTES, 1, extra[i].bytes, extra[i].n);
}

int32_t image_save_with(const struct columns *k, const struct image_extra *extra, uint32_t n_extra,
                        lsched_write_fn write, void *user) {
    struct saver v = {NULL, NULL, 0, 0, 0};
    struct image_header h;
    put_all(&v, k, extra, n_extra);
    memset(&h, 0, sizeof h);
    memcpy(h.magic, IMAGE_MAGIC, sizeof h.magic);
    h.format = IMAGE_FORMAT;
    h.semantics = LSCHED_SEMANTICS;
    h.sections = v.sections;
    h.bytes = v.bytes + sizeof h;
    h.checksum = image_header_checksum(&h);
    v.write = write;
    v.user = user;
    image_save_put(&v, &h, sizeof h);
    put_all(&v, k, extra, n_extra);
    return v.failed ? LSCHED_E_STATE : LSCHED_OK;
}

int32_t image_save(const struct columns *k, lsched_write_fn write, void *user) {
    return image_save_with(k, NULL, 0, write, user);
}
