/* season_ring.c -- see season_ring.h. */
#include "forecast/experts/season_ring.h"

#include "forecast/numbers/short_float.h"

void season_ring_put(uint16_t *ring, uint32_t cells, int64_t cell_us, int64_t *latest,
                     int64_t at_us, double value) {
    int64_t cell = at_us / cell_us;
    uint16_t *at = &ring[cell % cells];
    if (*latest < 0 || cell - *latest >= cells) {
        for (uint32_t i = 0; i < cells; i++) ring[i] = SHORT_FLOAT_MISSING;
    } else {
        for (int64_t gone = *latest + 1; gone <= cell; gone++)
            ring[gone % cells] = SHORT_FLOAT_MISSING;
    }
    *latest = cell;
    if (*at == SHORT_FLOAT_MISSING || short_float_value(*at) < value) *at = short_float_make(value);
}

double season_ring_at(const uint16_t *ring, uint32_t cells, int64_t cell_us, int64_t latest,
                      int64_t at_us) {
    int64_t cell = at_us / cell_us;
    if (latest < 0) return -1.0;
    uint16_t small = ring[cell % cells];
    return small == SHORT_FLOAT_MISSING ? -1.0 : short_float_value(small);
}
