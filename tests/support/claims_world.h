/*
 * claims_world.h -- claims in the model world: a node with two kinds of devices that have attributes, a selector with answers, a job that runs
 * its second alternative and one that waits.
 */
#ifndef CLAIMS_WORLD_H
#define CLAIMS_WORLD_H

#include "support/model_world.h"

int32_t claims_fill(struct model_world *w);

#endif
