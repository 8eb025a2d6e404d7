/* link_matrices.h -- the insides of machines that exist, as matrices of links, and random ones.
 * Kinds as in libsched.h: none 0, SYS 1, NODE 2, PHB 3, PXB 4, PIX 5, NVLink 6; megabytes per
 * second and direction. */
#ifndef LSCHED_TESTS_LINK_MATRICES_H
#define LSCHED_TESTS_LINK_MATRICES_H

#include <string.h>

#include "model/machine/link_table.h"

static inline void matrix_link(struct link_matrix *m, uint32_t i, uint32_t j, uint8_t kind,
                               uint32_t mbps) {
    m->kind[i][j] = m->kind[j][i] = kind;
    m->mbps[i][j] = m->mbps[j][i] = mbps;
}

/* n devices, two sockets, a PCIe switch and a NIC for each pair: PIX inside a pair, NODE inside
 * a socket, SYS between. */
static inline struct link_matrix matrix_pcie(uint32_t n) {
    struct link_matrix m;
    memset(&m, 0, sizeof m);
    m.n = n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            int pair = i / 2 == j / 2, socket = i / ((n + 1) / 2) == j / ((n + 1) / 2);
            matrix_link(&m, i, j, pair ? 5 : socket ? 2 : 1, pair ? 12000 : socket ? 9000 : 6000);
            m.near[i][j] = m.near[j][i] = (uint8_t)(socket + 2 * pair);
        }
    return m;
}

/* HGX A100 or H100: every device to every other by NVSwitch; PCIe as above says who is near to
 * whom. */
static inline struct link_matrix matrix_nvswitch(uint32_t n, uint32_t mbps) {
    struct link_matrix m = matrix_pcie(n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) matrix_link(&m, i, j, 6, mbps);
    return m;
}

/* Islands of `size` devices joined by NVLink on a PCIe machine: 4 + 4, or bridges of two. */
static inline struct link_matrix matrix_islands(uint32_t n, uint32_t size, uint32_t mbps) {
    struct link_matrix m = matrix_pcie(n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (i / size == j / size) matrix_link(&m, i, j, 6, mbps);
    return m;
}

/* DGX-1 with V100: the hybrid cube mesh, NV1 or NV2 where there is a link, else SYS or NODE. */
static inline struct link_matrix matrix_cube_mesh(void) {
    static const uint8_t links[8][8] = {
        {0, 1, 1, 2, 2, 0, 0, 0}, {1, 0, 2, 1, 0, 2, 0, 0}, {1, 2, 0, 2, 0, 0, 1, 0},
        {2, 1, 2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 1, 1, 2}, {0, 2, 0, 0, 1, 0, 2, 1},
        {0, 0, 1, 0, 1, 2, 0, 2}, {0, 0, 0, 1, 2, 1, 2, 0},
    };
    struct link_matrix m = matrix_pcie(8);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t j = i + 1; j < 8; j++)
            if (links[i][j]) matrix_link(&m, i, j, 6, 25000u * links[i][j]);
    return m;
}

/* Any kind anywhere; few different bandwidths, so that there are ties. */
static inline struct link_matrix matrix_random(uint32_t n, uint64_t *seed) {
    struct link_matrix m;
    memset(&m, 0, sizeof m);
    m.n = n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            uint32_t r = (uint32_t)(*seed >> 33);
            matrix_link(&m, i, j, (uint8_t)(r % 7), 1000 * (1 + r / 7 % 4));
            m.near[i][j] = m.near[j][i] = (uint8_t)(r / 28 % 4);
        }
    return m;
}

#endif
