/*
 * season_ring.h -- the latest value of each part of a day or of a week, for seasonal naive
 * forecasts: the value of one season ago is the forecast.
 *
 * Source of the rule: Hyndman, Athanasopoulos, "Forecasting: principles and practice", 3rd edition,
 * 5.2 (seasonal naive method). A part of the season, a cell, is as long as a slot or longer. The
 * number of a cell counts from the year 1970; the ring has the latest `cells` of them. Parts
 * without a sample are missing. Cost: put() O(1), and O(cells) after a gap; at() O(1).
 */
#ifndef LIBSCHED_FORECAST_SEASON_RING_H
#define LIBSCHED_FORECAST_SEASON_RING_H

#include <stdint.h>

/* The greatest value of a slot that begins at `at_us`; *latest is the number of the latest cell, or
 * -1 at the beginning. at_us must not be before that cell. */
void season_ring_put(uint16_t *ring, uint32_t cells, int64_t cell_us, int64_t *latest,
                     int64_t at_us, double value);
/* Returns the value of the cell of `at_us`, or of the same cell one or more seasons before it, or
 * -1 if the sample is missing or older than one season before the latest cell. */
double season_ring_at(const uint16_t *ring, uint32_t cells, int64_t cell_us, int64_t latest,
                      int64_t at_us);

#endif
