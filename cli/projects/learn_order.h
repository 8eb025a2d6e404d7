/*
 * learn_order.h -- the order in which learn.h decides variables: a heap by activity. A variable is
 * active if recent conflicts needed it (Moskewicz et al. 2001). Activities are whole numbers, so
 * that the order is the same on every machine.
 */
#ifndef LSCHED_CLI_LEARN_ORDER_H
#define LSCHED_CLI_LEARN_ORDER_H

#include "cli/projects/learn.h"

/* Allocates the heap, which has all variables in the order of their numbers. */
void learn_order_begin(struct learn *learn);
/* Puts a variable into the heap if it is not there. */
void learn_order_put(struct learn *learn, uint32_t variable);
void learn_order_bump(struct learn *learn, uint32_t variable);
/* Makes later bumps greater than earlier ones. */
void learn_order_decay(struct learn *learn);

/* Takes the most active variable that is not fixed out of the heap, or returns n_variables. */
uint32_t learn_order_next(struct learn *learn);

#endif
