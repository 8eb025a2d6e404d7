# SPDX-License-Identifier: GPL-2.0-or-later
"""Accounts with a database: slurmdbd and MariaDB beside a small Slurm. Their tree becomes queues,
and changes of it are followed. Licences of another server (sacctmgr add resource) are counted, and
changes of their number are followed, too."""
import os
import shutil
import socket
import subprocess
import time

import slurm_bed

GPUS = slurm_bed.GPUS
REMOTE = "solver"  # 10 licences of the server "flex"; half of them are this cluster's at first
SBIN = os.environ["PATH"] + ":/usr/sbin:/sbin"

DBD_CONF = """\
AuthType=auth/munge
AuthInfo=socket={top}/munge.socket
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser=root
PidFile={top}/slurmdbd.pid
LogFile={top}/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={db_port}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
"""


def available():
    return all(shutil.which(name, path=SBIN) for name in
               ("slurmdbd", "mariadbd", "mariadb-install-db", "mariadb", "sacctmgr"))


class Bed(slurm_bed.Bed):
    """Its ports: slurmctld, one for each node, slurmdbd, MariaDB."""

    def start_database(self):
        data, sock = self.top / "db", self.top / "db.socket"
        port = self.port + 1 + self.n_nodes
        subprocess.run(["mariadb-install-db", "--no-defaults", "--user=root",
                        "--auth-root-authentication-method=socket", f"--datadir={data}"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        self.spawn("mariadbd", [shutil.which("mariadbd", path=SBIN), "--no-defaults", "--user=root",
                                f"--datadir={data}", f"--socket={sock}",
                                f"--port={port + 1}", "--bind-address=127.0.0.1",
                                f"--pid-file={self.top}/db.pid",
                                "--innodb-buffer-pool-size=32M", "--innodb-lock-wait-timeout=900"])
        sql = ("create database slurm; create user slurm@'127.0.0.1' identified by 'slurm'; "
               "create user slurm@localhost identified by 'slurm'; "
               "grant all on slurm.* to slurm@'127.0.0.1'; grant all on slurm.* to slurm@localhost;")
        ask = lambda text: subprocess.run(
            ["mariadb", "--no-defaults", f"--socket={sock}", "-u", "root", "-e", text],
            capture_output=True, check=False).returncode == 0
        self.wait(lambda: ask("select 1"), 60, "mariadbd")
        if not ask(sql):
            raise RuntimeError("the database cannot be made")
        conf = self.top / "slurmdbd.conf"
        conf.write_text(DBD_CONF.format(top=self.top, host=socket.gethostname(), port=port,
                                        db_port=port + 1))
        conf.chmod(0o600)
        self.spawn("slurmdbd", [shutil.which("slurmdbd", path=SBIN), "-D"])
        self.wait(lambda: self.run("sacctmgr", "-n", "show", "cluster", check=False).returncode == 0,
                  60, "slurmdbd")

    def start(self):
        self.write()
        self.start_munge()
        self.start_database()
        self.change("add", "cluster", "libschedcheck")
        self.start_controller(clean=True)
        for name in self.node_names():
            self.start_node(name)
        self.wait(lambda: self.count_nodes("idle") >= self.n_nodes, 180, "slurmd")
        # the database knows gres/gpu when slurmctld has registered
        self.change("add", "account", "science", "fairshare=3")
        self.change("add", "account", "physics", "parent=science", "fairshare=5",
                    f"GrpTRES=gres/gpu={GPUS}")
        self.change("add", "user", "root", "account=physics")
        self.change("add", "user", "root", "account=science")

    def change(self, *words):
        self.run("sacctmgr", "-i", *words)

    def add_licences(self):
        self.change("add", "resource", f"name={REMOTE}", "server=flex", "servertype=flexlm", "type=license",
                    "count=10", "cluster=libschedcheck", "percentallowed=50")


def make_bed(top, plugin, port):
    accounting = (f"AccountingStorageType=accounting_storage/slurmdbd\n"
                  f"AccountingStorageHost=127.0.0.1\nAccountingStoragePort={port + 5}\n"
                  f"AccountingStoragePass={top}/munge.socket\n"
                  "AccountingStorageEnforce=associations,limits\nAccountingStorageTRES=gres/gpu")
    return Bed(top, nodes=4, plugin=plugin, port=port, accounting=accounting,
               parameters=f"libsched_config={top}/site.yaml,libsched_verify=1,libsched_debug=1")


def play(bed, until, judge):
    """until(condition, seconds, what) and judge(what, complaints) are those of the load."""
    (bed.top / "site.yaml").write_text("policy: guaranteed-quota\n")
    bed.start()
    submit = lambda account, script="sleep 60": bed.sbatch(
        "-A", account, "-N1", f"--gpus-per-node={GPUS}", script=script)
    state = lambda job: {line[0]: line[1] for line in bed.queue()}.get(str(job))
    jobs = [submit("physics") for _ in range(2)]
    own = submit("science", "sleep 1")
    ran = lambda job: state(job) in ("RUNNING", "COMPLETING", "COMPLETED")
    reason = lambda job: bed.run("squeue", "-h", "-j", job, "-o", "%r", check=False).stdout + \
        bed.run("scontrol", "show", "job", job, check=False).stdout
    what = "GrpTRES of an account is the limit of its queue"
    if until(lambda: ran(jobs[0]) and ran(own) and "queue physics may use" in reason(jobs[1]), 60,
             what):
        judge(what, [] if state(jobs[1]) == "PENDING" else ["a job started above the limit"])
    what = "a new GrpTRES is followed"
    bed.change("modify", "account", "physics", "set", f"GrpTRES=gres/gpu={2 * GPUS}")
    if until(lambda: ran(jobs[1]), 60, what):
        judge(what, [])
    what = "an account below an account with jobs is followed"
    bed.change("add", "account", "lasers", "parent=physics")
    bed.change("add", "user", "root", "account=lasers")
    if until(lambda: "the account tree changed" in bed.log(), 60, what):
        bed.change("modify", "account", "physics", "set", f"GrpTRES=gres/gpu={3 * GPUS}")
        job = submit("lasers", "sleep 1")
        if until(lambda: ran(job), 60, what):
            lost = [f"job {one} is {state(one)}" for one in jobs if not ran(one)]
            judge(what, lost)
    bed.run("scancel", "-A", "physics", check=False)
    time.sleep(1)
    play_remote_licences(bed, until, judge)


def play_remote_licences(bed, until, judge):
    what = "remote licences are counted, and a new number of them is followed"
    bed.add_licences()
    if not until(lambda: f"{REMOTE}@flex" in bed.run("scontrol", "show", "licenses").stdout, 60, what):
        return
    jobs = [bed.sbatch("-A", "science", "-N1", "-L", f"{REMOTE}@flex:3", script="sleep 60") for _ in range(2)]
    state = lambda job: {line[0]: line[1] for line in bed.queue()}.get(str(job))
    words = lambda: bed.run("scontrol", "show", "job", jobs[1], check=False).stdout.replace("_", " ")
    if until(lambda: state(jobs[0]) == "RUNNING" and f"of the licence {REMOTE}@flex; 2 are left" in words(),
             60, what):
        early = ["a job started without its licences"] if state(jobs[1]) != "PENDING" else []
        bed.change("modify", "resource", "where", f"name={REMOTE}", "server=flex", "cluster=libschedcheck",
                   "set", "percentallowed=60")
        if until(lambda: state(jobs[1]) == "RUNNING", 60, what):
            judge(what, early)
    bed.run("scancel", "-A", "science", check=False)
    time.sleep(1)
