/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_errno.h -- see slurm.h. */
#include <slurm/slurm.h>
