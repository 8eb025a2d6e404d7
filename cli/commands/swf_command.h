/*
 * swf_command.h -- the command `lsched simulate swf`: replays the log of a batch system in virtual
 * time, with each of several policies.
 *
 * The machine is one pool of processors: a node with all of them, so that a job needs nothing but
 * its number of processors. All jobs are in one queue, unless --queues says otherwise. The rules
 * are those by which results for these logs are published: a job whose estimate is missing has its
 * run time as estimate; a run ends at the estimate at the latest; a job that ran for 0 seconds
 * counts; a job without a run time, without processors, or with more processors than the machine
 * has, is left out. At one instant, first all ends happen, then all arrivals, then the policy
 * decides.
 */
#ifndef LSCHED_CLI_SWF_COMMAND_H
#define LSCHED_CLI_SWF_COMMAND_H

struct simulate_args;

/* Replays the log in the file with every policy, and prints the results. Returns an exit code. */
int swf_simulate(const struct simulate_args *args, const char *file);

#endif
