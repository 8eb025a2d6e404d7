/*
 * mig_tables.c -- the placement tables of mig.h, by model.
 *
 * Sources: the output of `nvidia-smi mig -lgip` and `-lgipp`, and NVIDIA's MIG guide. The mock
 * tables of go-nvml for H100 and later are not used, because they are wrong: they give 3g and 7g
 * instances 3 and 7 memory slices. The numbers of SMs are those of the SXM boards, 0 if we know
 * no reliable number. mem_mib is the memory that an instance can use; it can differ by some MiB
 * between drivers. For B200, mem_mib is the slices' portion of the nominal memory, which is a
 * lower bound.
 */
#include <string.h>

#include "model/mig/mig.h"

/* Constant expressions for the worth of one mask with equal weights. FREE1: mask of the free
 * slices. FREE2, FREE4 and FREE8: mask of the slices at which 2, 4 or 8 consecutive free slices
 * begin. */
#define FREE1(m) (~(unsigned)(m)&0xFFu)
#define FREE2(m) (FREE1(m) & FREE1(m) >> 1)
#define FREE4(m) (FREE2(m) & FREE2(m) >> 2)
#define FREE8(m) (FREE4(m) & FREE4(m) >> 4)
#define COUNT(x) (uint16_t) __builtin_popcount(x)

/* Profiles and starts: 1g at 0-6; 1g with two slices at 0, 2, 4, 6; 2g at 0, 2, 4; 3g at 0, 4; 4g
 * and 7g at 0. */
#define EIGHT(m)                                                                                  \
    (uint16_t)(COUNT(FREE1(m) & 0x7F) + 2 * COUNT(FREE2(m) & 0x55) + 2 * COUNT(FREE2(m) & 0x15) + \
               4 * COUNT(FREE4(m) & 0x11) + 4 * COUNT(FREE4(m) & 0x01) +                          \
               8 * COUNT(FREE8(m) & 0x01))
/* Profiles and starts: 1g at 0-3; 2g at 0, 2; 4g at 0. */
#define FOUR(m) \
    (uint16_t)(COUNT(FREE1(m) & 0x0F) + 2 * COUNT(FREE2(m) & 0x05) + 4 * COUNT(FREE4(m) & 0x01))

#define ROW4(f, m)  f(m), f((m) + 1), f((m) + 2), f((m) + 3)
#define ROW16(f, m) ROW4(f, m), ROW4(f, (m) + 4), ROW4(f, (m) + 8), ROW4(f, (m) + 12)
#define ROW64(f, m) ROW16(f, m), ROW16(f, (m) + 16), ROW16(f, (m) + 32), ROW16(f, (m) + 48)
#define ROW256(f)   ROW64(f, 0), ROW64(f, 64), ROW64(f, 128), ROW64(f, 192)

static const uint16_t eight_even[256] = {ROW256(EIGHT)};
static const uint16_t four_even[256] = {ROW256(FOUR)};

/* The seven profiles of a device with eight slices. Parameters:
 *   n..: names of the profiles 1g, 1g+me, 1g with two slices, 2g, 3g, 4g, 7g
 *   s..: numbers of SMs of these profiles; 1g and 1g+me have one common value
 *   m1, m2, m4, m8: memory of an instance with 1, 2, 4 or 8 memory slices */
#define EIGHT_PROFILES(n1, n1me, n1x, n2, n3, n4, n7, s1, s1x, s2, s3, s4, s7, m1, m2, m4, m8) \
    {                                                                                          \
        {n1, 1, 1, 0x7F, 7, 0, 19, s1, m1}, {n1me, 1, 1, 0x7F, 1, 1, 20, s1, m1},              \
            {n1x, 2, 1, 0x55, 4, 0, 15, s1x, m2}, {n2, 2, 2, 0x15, 3, 0, 14, s2, m2},          \
            {n3, 4, 3, 0x11, 2, 0, 9, s3, m4}, {n4, 4, 4, 0x01, 1, 0, 5, s4, m4},              \
            {n7, 8, 7, 0x01, 1, 0, 0, s7, m8},                                                 \
    }

static const struct mig_table tables[] = {
    {"a30",
     "A30",
     four_even,
     24,
     4,
     5,
     {{"1g.6gb", 1, 1, 0x0F, 4, 0, 14, 14, 5952},
      {"1g.6gb+me", 1, 1, 0x0F, 1, 1, 21, 14, 5952},
      {"2g.12gb", 2, 2, 0x05, 2, 0, 5, 28, 12032},
      {"2g.12gb+me", 2, 2, 0x05, 1, 1, 6, 28, 12032},
      {"4g.24gb", 4, 4, 0x01, 1, 0, 0, 56, 24192}}},
    {"a100-40gb", "A100", eight_even, 40, 8, 7,
     EIGHT_PROFILES("1g.5gb", "1g.5gb+me", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb",
                    14, 14, 28, 42, 56, 98, 4864, 9856, 19968, 40192)},
    {"a100-80gb", "A100", eight_even, 80, 8, 7,
     EIGHT_PROFILES("1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb",
                    14, 14, 28, 42, 56, 98, 9728, 19968, 40192, 80896)},
    {"h100-80gb", "H100", eight_even, 80, 8, 7,
     EIGHT_PROFILES("1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb",
                    16, 26, 32, 60, 64, 132, 9984, 20096, 40448, 81152)},
    {"h200-141gb", "H200", eight_even, 141, 8, 7,
     EIGHT_PROFILES("1g.18gb", "1g.18gb+me", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb",
                    16, 26, 32, 60, 64, 132, 16384, 33280, 71475, 143360)},
    {"b200-180gb", "B200", eight_even, 180, 8, 7,
     EIGHT_PROFILES("1g.23gb", "1g.23gb+me", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb",
                    0, 0, 0, 0, 0, 0, 21457, 42915, 85830, 171661)},
};
#define N_TABLES (uint32_t)(sizeof tables / sizeof *tables)

const struct mig_table *mig_table_at(uint32_t i) {
    return i < N_TABLES ? &tables[i] : NULL;
}

uint32_t mig_table_number(const struct mig_table *t) {
    return (uint32_t)(t - tables);
}

static int same(const char *a, lsched_text b) {
    return strlen(a) == b.len && memcmp(a, b.ptr, (size_t)b.len) == 0;
}

const struct mig_table *mig_table_named(lsched_text name) {
    for (uint32_t i = 0; i < N_TABLES; i++)
        if (same(tables[i].name, name)) return &tables[i];
    return NULL;
}

int mig_profile_is(const struct mig_table *t, uint32_t profile, lsched_text name) {
    return same(t->profiles[profile].name, name);
}

uint32_t mig_profile_named(const struct mig_table *t, lsched_text name) {
    for (uint32_t p = 0; p < t->n_profiles; p++)
        if (same(t->profiles[p].name, name)) return p;
    return MIG_NONE;
}

/* ---- tables by model ---- */

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static int in_word(char c) {
    c = upper(c);
    return (c >= 'A' && c <= 'Z') || is_digit(c);
}

/* Finds the next word of letters and digits from *at on. Sets *at to the word's begin and returns
 * its end. Returns the length of the text if there are no more words. */
static size_t next_word(lsched_text s, size_t *at) {
    size_t n = (size_t)s.len, i = *at;
    while (i < n && !in_word(s.ptr[i])) i++;
    *at = i;
    while (i < n && in_word(s.ptr[i])) i++;
    return i;
}

static int has_word(lsched_text s, const char *word) {
    size_t len = strlen(word);
    for (size_t at = 0, end; (end = next_word(s, &at)) > at; at = end) {
        size_t i = 0;
        while (end - at == len && i < len && upper(s.ptr[at + i]) == word[i]) i++;
        if (i == len) return 1;
    }
    return 0;
}

/* Returns the number in a word such as "80GB" or "80G"; 0 if the name has no such word. */
static uint32_t memory_in_name(lsched_text s) {
    for (size_t at = 0, end; (end = next_word(s, &at)) > at; at = end) {
        uint32_t gb = 0;
        size_t i = at;
        for (; i < end && i - at < 5 && is_digit(s.ptr[i]); i++)
            gb = gb * 10 + (uint32_t)(s.ptr[i] - '0');
        if (i == at || i == end || upper(s.ptr[i]) != 'G') continue;
        if (i + 1 == end || (i + 2 == end && upper(s.ptr[i + 1]) == 'B')) return gb;
    }
    return 0;
}

/* Returns 1 if the memory agrees with the nominal memory `gb`, within a tolerance. The tolerance
 * is necessary because a nominal GB is 10^9 or 2^30 bytes, depending on the source, and because a
 * driver reserves some memory. */
static int memory_near(int64_t bytes, uint32_t gb) {
    int64_t least = (int64_t)gb * 900000000, most = ((int64_t)gb << 30) / 10 * 11;
    return bytes >= least && bytes <= most;
}

/* Returns 1 if the table can belong to a device with this model name. */
static int may_have(lsched_text model, const struct mig_table *t) {
    uint32_t gb = memory_in_name(model);
    return has_word(model, t->model) && (gb == 0 || gb == t->memory_gb);
}

const struct mig_table *mig_table_for(lsched_text model, int64_t memory_bytes) {
    uint32_t gb = memory_bytes ? 0 : memory_in_name(model), found = 0;
    const struct mig_table *best = NULL;
    for (uint32_t i = 0; i < N_TABLES; i++) {
        if (!has_word(model, tables[i].model)) continue;
        if (memory_bytes ? !memory_near(memory_bytes, tables[i].memory_gb)
                         : gb && gb != tables[i].memory_gb)
            continue;
        best = &tables[i];
        found++;
    }
    return found == 1 ? best : NULL;
}

/* ---- tables by profile ---- */

/* Returns the mask of the tables of these models; the mask of all tables if no table knows one of
 * the models. */
static uint32_t tables_of(const lsched_text *models, uint32_t n_models) {
    uint32_t set = 0;
    for (uint32_t m = 0; m < n_models; m++)
        for (uint32_t i = 0; i < N_TABLES; i++)
            set |= (uint32_t)may_have(models[m], &tables[i]) << i;
    return set ? set : (1u << N_TABLES) - 1;
}

uint32_t mig_profile_slices(lsched_text profile, const lsched_text *models, uint32_t n_models,
                            uint8_t slices[MIG_VARIANTS_MAX]) {
    uint32_t counts = 0, n = 0; /* bit n of counts: a profile with n slices was found */
    for (uint32_t set = tables_of(models, n_models); set; set &= set - 1) {
        const struct mig_table *t = &tables[__builtin_ctz(set)];
        uint32_t p = mig_profile_named(t, profile);
        if (p != MIG_NONE) counts |= 1u << t->profiles[p].slices;
    }
    for (; counts && n < MIG_VARIANTS_MAX; counts &= counts - 1)
        slices[n++] = (uint8_t)__builtin_ctz(counts);
    return n;
}

uint32_t mig_nominal_milli(lsched_text profile, uint32_t slices) {
    for (uint32_t i = 0; i < N_TABLES; i++) {
        uint32_t p = mig_profile_named(&tables[i], profile);
        if (p != MIG_NONE && tables[i].profiles[p].slices == slices)
            return mig_milli(&tables[i], p);
    }
    return 0;
}

/* Returns 1 if any table of the mask `set` with an index below `before` has a profile with this
 * name. */
static int listed(uint32_t set, uint32_t before, const char *name) {
    for (set &= (1u << before) - 1; set; set &= set - 1)
        if (mig_profile_named(&tables[__builtin_ctz(set)], (lsched_text){name, strlen(name)}) !=
            MIG_NONE)
            return 1;
    return 0;
}

void mig_profile_list(const lsched_text *models, uint32_t n_models, char *out, size_t room) {
    uint32_t set = tables_of(models, n_models);
    size_t at = 0;
    if (room) out[0] = 0;
    for (uint32_t m = set; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        for (uint32_t p = 0; p < tables[i].n_profiles; p++) {
            const char *name = tables[i].profiles[p].name;
            size_t n = strlen(name), comma = at ? 2 : 0;
            if (listed(set, i, name)) continue;
            if (at + comma + n + 1 > room) return;
            memcpy(out + at, ", ", comma);
            memcpy(out + at + comma, name, n + 1);
            at += comma + n;
        }
    }
}
