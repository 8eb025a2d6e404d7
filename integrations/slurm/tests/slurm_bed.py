# SPDX-License-Identifier: GPL-2.0-or-later
"""A whole Slurm on loopback: munged, slurmctld and N slurmd as children of this process.

Everything lives in one private folder and on ports of its own; a Slurm of the machine is neither
read nor touched. close() ends every daemon, also after an exception, and kill_leftovers() ends
those that a killed process left behind in its folder.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

GPUS = 8
CPUS = 64
MEMORY_MB = 500000

CONF = """\
ClusterName=libschedcheck
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={top}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={top}/state
SlurmdSpoolDir={top}/spool/%n
SlurmctldPidFile={top}/slurmctld.pid
SlurmdPidFile={top}/pids/%n
SlurmctldLogFile={top}/slurmctld.log
SlurmdLogFile={top}/logs/%n
SlurmctldDebug=info
SlurmdDebug=error
DebugFlags=NO_CONF_HASH
PluginDir=/usr/lib/{triple}/slurm-wlm:{top}/plugins
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
TopologyPlugin=topology/{topology}
ReturnToService=2
SlurmdTimeout=600
KillWait=2
MinJobAge=600
MaxJobCount=20000
JobRequeue=1
PreemptType=preempt/{preempt}
PreemptMode={preempt_mode}
GresTypes=gpu,mps
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
SlurmdParameters=config_overrides
{accounting}
JobCompType=jobcomp/filetxt
JobCompLoc={top}/jobcomp
SchedulerType={scheduler}
{licences}
{parameters}
NodeName=DEFAULT CPUs={cpus} RealMemory={memory} Gres=gpu:{gpus},mps:{mps} State=UNKNOWN
{nodes}
{partitions}
"""


class Bed:
    def __init__(self, top, nodes=200, plugin=None, scheduler="sched/libsched", parameters="",
                 port=17000, features=None, partitions=None,
                 accounting="AccountingStorageType=accounting_storage/none", switches=None,
                 licences=None, preempts=True):
        self.top = pathlib.Path(top).resolve()
        self.n_nodes, self.port, self.plugin = nodes, port, plugin
        self.scheduler, self.parameters = scheduler, parameters
        self.licences = licences  # the value of Licenses
        self.switches = switches  # lines of topology.conf
        self.preempts = preempts  # whether Slurm itself may stop jobs for those of a higher tier
        self.features, self.accounting = features or {}, accounting
        self.partitions = partitions or ["PartitionName=main Nodes=ALL Default=YES MaxTime=60"]
        self.daemons = {}
        self.env = dict(os.environ, SLURM_CONF=str(self.top / "slurm.conf"))

    # ---- files ----
    def node_names(self):
        return [f"n{i}" for i in range(self.n_nodes)]

    def write(self):
        for folder in ("state", "spool", "pids", "logs", "plugins", "sbin", "out"):
            (self.top / folder).mkdir(parents=True, exist_ok=True)
        # the name of the program matters: Debian's are slurmctld-wlm and slurmd-wlm
        for name in ("slurmctld", "slurmd"):
            source = next(path for path in (f"/usr/sbin/{name}-wlm", f"/usr/sbin/{name}")
                          if os.path.exists(path))
            shutil.copy(os.path.realpath(source), self.top / "sbin" / name)
        if self.plugin:
            shutil.copy(self.plugin, self.top / "plugins" / "sched_libsched.so")
        self.write_conf()
        if self.switches:
            (self.top / "topology.conf").write_text("\n".join(self.switches) + "\n")
        (self.top / "gres.conf").write_text(f"Name=gpu File=/dev/tty[0-{GPUS - 1}]\n"
                                            f"Name=mps Count={GPUS * 100}\n")

    def write_conf(self):
        host = socket.gethostname()
        triple = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True,
                                check=True).stdout.strip()
        nodes = []
        for i, name in enumerate(self.node_names()):
            feature = self.features.get(name)
            nodes.append(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 "
                         f"Port={self.port + 1 + i}" + (f" Feature={feature}" if feature else ""))
        (self.top / "slurm.conf").write_text(CONF.format(
            host=host, port=self.port, top=self.top, triple=triple, accounting=self.accounting,
            topology="tree" if self.switches else "none", scheduler=self.scheduler,
            preempt="partition_prio" if self.preempts else "none",
            preempt_mode="REQUEUE" if self.preempts else "OFF",
            licences=f"Licenses={self.licences}" if self.licences else "",
            parameters=f"SchedulerParameters={self.parameters}" if self.parameters else "",
            cpus=CPUS, memory=MEMORY_MB, gpus=GPUS, mps=GPUS * 100,
            nodes="\n".join(nodes), partitions="\n".join(self.partitions)))

    # ---- daemons ----
    def spawn(self, key, command, **more):
        log = open(self.top / "logs" / f"{key}.out", "ab")
        self.daemons[key] = subprocess.Popen(command, stdout=log, stderr=log, env=self.env,
                                             stdin=subprocess.DEVNULL, start_new_session=True,
                                             **more)
        log.close()

    def start_munge(self):
        key = self.top / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.spawn("munged", ["munged", "--foreground", "--force",
                              f"--socket={self.top}/munge.socket", f"--key-file={key}",
                              f"--log-file={self.top}/munged.log",
                              f"--pid-file={self.top}/munged.pid",
                              f"--seed-file={self.top}/munged.seed"])
        self.wait(lambda: (self.top / "munge.socket").exists(), 20, "munged")

    def start_controller(self, clean=False):
        self.spawn("slurmctld", [self.top / "sbin" / "slurmctld", "-D"] + (["-c"] if clean else []))
        self.wait(lambda: self.run("scontrol", "ping", check=False).stdout.find("is UP") >= 0, 60,
                  "slurmctld")

    def start_node(self, name):
        self.spawn(name, [self.top / "sbin" / "slurmd", "-D", "-N", name])

    def start(self):
        self.write()
        self.start_munge()
        self.start_controller(clean=True)
        for i, name in enumerate(self.node_names()):
            self.start_node(name)
            if i % 20 == 19:
                time.sleep(0.2)
        self.wait(lambda: self.count_nodes("idle") >= self.n_nodes, 180, "slurmd")

    def kill(self, key, how=signal.SIGKILL):
        daemon = self.daemons.pop(key)
        daemon.send_signal(how)
        daemon.wait()

    def is_saved(self, token):
        """Whether the file of jobs that slurmctld has saved last has this comment of a job."""
        try:
            return token.encode() in (self.top / "state" / "job_state").read_bytes()
        except FileNotFoundError:  # it is being replaced
            return False

    def lose_node(self, name):
        """The node dies with all that runs on it: slurmd, steps of jobs and their parents."""
        self.kill(name)
        mark = f"SLURMD_NODENAME={name}".encode()
        for pid in pids():
            if mark in environment(pid):
                for victim in (parent(pid), pid):
                    if victim > 1:
                        end(victim)

    def close(self):
        for daemon in self.daemons.values():
            if daemon.poll() is None:
                daemon.send_signal(signal.SIGKILL)
        for daemon in self.daemons.values():
            daemon.wait()
        self.daemons.clear()
        kill_leftovers(self.top)

    # ---- asking ----
    def wait(self, condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            daemon = self.daemons.get(what)
            if daemon and daemon.poll() is not None:
                raise RuntimeError(f"{what} ended with {daemon.returncode}; see {self.top}/logs")
            if time.monotonic() > end:
                raise RuntimeError(f"{what}: not ready after {seconds} s; see {self.top}")
            time.sleep(0.1)

    def run(self, *command, check=True, timeout=60, **more):
        return subprocess.run([str(word) for word in command], env=self.env, capture_output=True,
                              text=True, check=check, timeout=timeout, **more)

    def count_nodes(self, state):
        out = self.run("sinfo", "-h", "-N", "-t", state, "-o", "%N", check=False).stdout.split()
        return len(set(out))

    def sbatch(self, *options, script="sleep 1"):
        out = self.run("sbatch", "--parsable", "-o", "/dev/null", *options, "--wrap", script)
        return int(out.stdout.split(";")[0])

    def queue(self, *options):
        """Jobs as lists of: id, state, account, nodes, reason."""
        out = self.run("squeue", "-h", "-r", "-t", "all", "-o", "%i|%T|%a|%N|%r", *options,
                       timeout=120).stdout
        return [line.split("|", 4) for line in out.splitlines()]

    def records(self):
        """Every run of every job, from Slurm's own completion records."""
        path = self.top / "jobcomp"
        if not path.exists():
            return []
        return [dict(re.findall(r"(\w+)=(\S*)", line)) for line in path.read_text().splitlines()]

    def log_file(self):
        return self.top / "slurmctld.log"

    def log(self):
        return self.log_file().read_text(errors="replace")


def pids():
    return [int(entry) for entry in os.listdir("/proc")
            if entry.isdigit() and int(entry) != os.getpid()]


def environment(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def parent(pid):
    """The process above; 0: it is gone, or no step of a job."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            above = int(file.read().rsplit(")", 1)[1].split()[1])
        with open(f"/proc/{above}/cmdline", "rb") as file:
            return above if b"slurmstepd" in file.read() else 0
    except OSError:
        return 0


def end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def kill_leftovers(top):
    """Ends processes whose environment or program names this folder."""
    mark = f"SLURM_CONF={top}/slurm.conf".encode()
    for pid in pids():
        try:
            program = os.readlink(f"/proc/{pid}/exe")
        except OSError:
            continue
        if program.startswith(f"{top}/") or mark in environment(pid):
            end(pid)
