/* size_report.h -- prints which jobs should get another size, and the static MIG layouts. */
#ifndef LSCHED_CLI_SIZE_REPORT_H
#define LSCHED_CLI_SIZE_REPORT_H

#include "cli/sizing/size_advice.h"
#include "cli/support/json_writer.h"

void size_report_text(const struct size_advice *advice);
/* Writes the members `resize`, `keep`, `layout` and `unused` of an open object. */
void size_report_json(const struct size_advice *advice, struct json *json);

#endif
