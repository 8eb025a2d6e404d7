/*
 * action_params.h -- the parameters of a policy that actions read themselves, and the values that
 * they take. A policy that names such an action can only be loaded with values in this range. The
 * list is here, because both the loading of a policy and the analysis of its text use it, and
 * neither sees the actions.
 */
#ifndef LIBSCHED_ACTION_PARAMS_H
#define LIBSCHED_ACTION_PARAMS_H

#include <stdint.h>

struct action_param {
    const char *action, *param;
    double least, most; /* a whole number in this range */
};

/* Returns entry i of the list, NULL after the last one. */
const struct action_param *action_params_at(uint32_t i);
/* True if the parameter may have this value. text: 1 if the value is a text. */
int action_params_accept(const struct action_param *p, double value, int text);

#endif
