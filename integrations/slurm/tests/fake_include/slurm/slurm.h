/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm.h -- what the plug-in needs of Slurm's header, for tests without Slurm. */
#ifndef SLURM_FAKE_INCLUDE_H
#define SLURM_FAKE_INCLUDE_H

#define SLURM_VERSION_NUMBER 0
#define SLURM_SUCCESS        0
#define SLURM_ERROR          (-1)

#endif
