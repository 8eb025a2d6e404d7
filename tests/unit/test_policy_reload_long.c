/* test_policy_reload.c with 10,000 reloads. */
#define RELOADS 10000
#include "unit/test_policy_reload.c"
