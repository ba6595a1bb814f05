"""samples/fleet: however many logs are divided, over hosts, array tasks or pods, the answer is that of one run."""

import argparse
import getpass
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

TRACE = "samples/j722s-mobilenet/trace.log"
BOARD = "j722s-sdk11"
SHARES = 10
FOLDERS = 23
# What an older kubectl than the sample's Kubernetes does not know, and may drop.
NEWER = {"completionMode", "backoffLimitPerIndex"}


class Missing(Exception):
    """A program that a case needs."""


def need(*programs: str) -> None:
    for program in programs:
        if not shutil.which(program):
            raise Missing(f"{program} is not installed")


def expect(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, expected {wanted!r}")


class Sample:
    """23 folders of two logs each, all of different sizes, and the sample's files beside them."""

    def __init__(self, memsize: Path, source: Path, work: Path):
        self.work, self.sample = work, source / "samples" / "fleet"
        # SHELL and HOME as a login sets them: parallel runs what is for other hosts in the one, beginning at the other.
        self.environment = {**os.environ, "MEMSIZE": str(memsize), "SHELL": "/bin/sh", "HOME": str(work),
                            "PATH": f"{memsize.parent}:{os.environ['PATH']}"}
        trace = (source / TRACE).read_text(encoding="utf-8")
        for number in range(2 * FOLDERS):
            # Record 5 of 2755.41 KiB and more; every seventh run is one that is there already.
            size = 275541 + (number % 7 and number * 12800)
            path = work / "logs" / f"night {number // 2:02}" / f"{number}.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(trace.replace("2755.41", f"{size // 100}.{size % 100:02}"), encoding="utf-8")
        shutil.copy(self.sample / "share.sh", work)
        self.whole = self.answer("logs")

    def run(self, *words: str, status: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(words, cwd=self.work, env={**self.environment, **more}, capture_output=True, text=True,
                              timeout=240, check=False)
        if done.returncode != status:
            raise AssertionError(f"{' '.join(words)}: exit status {done.returncode}, expected {status}\n"
                                 f"{done.stdout}{done.stderr}")
        return done

    def answer(self, folder: str) -> dict[str, Any]:
        """What is said of all, without what tells where a log lay: the logs' own needs stay in their order."""
        found = json.loads(self.run("memsize", "analyze", folder, "--board", BOARD, "--json").stdout)
        files = sorted(json.dumps(file["demands"]) for file in found["files"] if "same_as" not in file)
        demands = [{key: value for key, value in demand.items() if key != "max_path"} for demand in found["demands"]]
        return {"files": files, "demands": demands}

    def check(self, how: str, folder: str) -> None:
        expect(f"logs of which {how} left a document",
               len(list((self.work / folder).rglob("*.log.json"))), 2 * FOLDERS)
        expect(f"answer of {how}", self.answer(folder), self.whole)


def check_one_machine(sample: Sample) -> None:
    sample.run("sh", "-c", f"seq 0 {SHARES - 1} | parallel --joblog shares.txt ./share.sh logs one {{}} {SHARES}")
    rows = (sample.work / "shares.txt").read_text(encoding="utf-8").splitlines()[1:]
    expect("shares that ended well", [row.split("\t")[6] for row in rows], ["0"] * SHARES)
    sample.check("parallel", "one")
    # Another way to divide, half of it twice: documents are replaced by the same ones.
    for share in ("2", "0", "1", "0"):
        sample.run("./share.sh", "logs", "three", share, "3")
    sample.check("three shares", "three")


def check_hosts(sample: Sample) -> None:
    """Two hosts of their own network each, with nothing in it, reached by what stands in for ssh: a shell there."""
    ssh = sample.work / "ssh"
    ssh.write_text('#!/bin/sh\nhost=$1\nshift\n[ "$1" = -- ] && shift\necho "$*" >> "$0.$host"\ncd || exit\n'
                   'exec unshare --user --map-root-user --net sh -c "$*"\n', encoding="utf-8")
    ssh.chmod(0o755)
    sample.run("sh", "-c", f"seq 0 {SHARES - 1} | parallel --wd . --sshlogin 2/east,2/west "
                           f"./share.sh logs hosts {{}} {SHARES}", PARALLEL_SSH=str(ssh))
    for host in ("east", "west"):
        asked = (sample.work / f"ssh.{host}").read_text(encoding="utf-8")
        expect(f"{host} had a part", "eval" in asked, True)
    sample.check("two hosts", "hosts")


def check_slurm(sample: Sample) -> None:
    """As an array's tasks are started: what Slurm says of each in its environment."""
    text = (sample.sample / "slurm.sbatch").read_text(encoding="utf-8")
    options = dict(line[len("#SBATCH --"):].split("=", 1) for line in text.splitlines() if line.startswith("#SBATCH"))
    first, last = map(int, options["array"].split("-"))
    expect("an array counted from 0", first, 0)
    for task in reversed(range(last + 1)):
        sample.run("sh", str(sample.sample / "slurm.sbatch"), SLURM_SUBMIT_DIR=str(sample.work),
                   SLURM_ARRAY_TASK_ID=str(task), OUT="tasks")
    sample.check("an array job", "tasks")


class Cluster:
    """Slurm of one node, without rights that this user does not have, for as long as it is in use."""

    # Its shares run at once: what a node has is what is said here.
    CONFIGURATION = """ClusterName=memsize
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=20 RealMemory=10000
PartitionName=all Nodes=ALL Default=YES State=UP
"""

    def __init__(self, sample: Sample):
        self.sample, self.folder = sample, sample.work / "slurm"
        self.daemons: list[subprocess.Popen[bytes]] = []
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True)
        sockets = [socket.socket() for _ in range(2)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        ports = [each.getsockname()[1] for each in sockets]
        for each in sockets:
            each.close()
        configuration = self.folder / "slurm.conf"
        configuration.write_text(self.CONFIGURATION.format(
            host=socket.gethostname().split(".", maxsplit=1)[0], user=getpass.getuser(), ports=ports,
            folder=self.folder), encoding="utf-8")
        self.environment = {"SLURM_CONF": str(configuration)}

    def __enter__(self) -> "Cluster":
        for words in (("slurmctld", "-D", "-c"), ("slurmd", "-D")):
            with (self.folder / f"{words[0]}.txt").open("wb") as log:
                self.daemons.append(subprocess.Popen(words, env={**self.sample.environment, **self.environment},
                                                     stdout=log, stderr=log))
        self.wait(("sinfo", "-h", "-o", "%t"), "idle")
        return self

    def __exit__(self, *_: object) -> None:
        for daemon in self.daemons:
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait()

    def wait(self, words: tuple[str, ...], until: str) -> None:
        done = None
        for _ in range(600):
            done = subprocess.run(words, env={**self.sample.environment, **self.environment}, capture_output=True,
                                  text=True, check=False)
            if done.returncode == 0 and done.stdout.strip() == until:
                return
            time.sleep(0.1)
        logs = "".join(path.read_text(encoding="utf-8", errors="replace")[-2000:]
                       for path in sorted(self.folder.glob("*.txt")))
        raise AssertionError(f"{' '.join(words)}: {done and done.stdout + done.stderr}, expected '{until}'\n{logs}")


def check_cluster(sample: Sample) -> None:
    """The commands that stand at the job's top, in a Slurm that runs them."""
    need("slurmctld", "slurmd", "sbatch")
    shutil.copy(sample.sample / "slurm.sbatch", sample.work)
    text = (sample.work / "slurm.sbatch").read_text(encoding="utf-8")
    commands = [line[len("#   "):] for line in text.splitlines() if line.startswith("#   ")]
    expect("commands at the job's top", len(commands), 2)
    with Cluster(sample) as cluster:
        sample.run("sh", "-e", "-c", "\n".join(commands), **cluster.environment)
        cluster.wait(("squeue", "-h"), "")
    expect("what the shares print", [path.read_text(encoding="utf-8") for path in sample.work.glob("memsize-*_*.txt")],
           [""] * SHARES)
    sample.check("Slurm", "sizings")
    fleet = json.loads((sample.work / "fleet.json").read_text(encoding="utf-8"))
    expect("logs of the job behind them", len(fleet["files"]), 2 * FOLDERS)


def dropped(wanted: object, got: object, path: str = "") -> list[str]:
    """Fields of a manifest that its reader did not take as they were written."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return [field for key, value in wanted.items() if key not in NEWER
                for field in dropped(value, got.get(key), f"{path}.{key}")]
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        return [field for index, value in enumerate(wanted) for field in dropped(value, got[index], f"{path}[{index}]")]
    return [] if wanted == got else [path]


def check_kubernetes(sample: Sample) -> None:
    """The pods' command, with the number that each is given; the manifest by kubectl."""
    path = sample.sample / "job.yaml"
    job = yaml.safe_load(path.read_text(encoding="utf-8"))
    expect("kind", (job["apiVersion"], job["kind"], job["spec"]["completionMode"]), ("batch/v1", "Job", "Indexed"))
    container = job["spec"]["template"]["spec"]["containers"][0]
    mount = container["volumeMounts"][0]
    volumes = [volume["name"] for volume in job["spec"]["template"]["spec"]["volumes"]]
    expect("the volume that is mounted", mount["name"] in volumes, True)
    shell, option, command = container["command"]
    for pod in range(job["spec"]["completions"]):
        there = command.replace(mount["mountPath"], str(sample.work)).replace("/sizings", "/pods")
        sample.run(shell, option, there, JOB_COMPLETION_INDEX=str(pod),
                   PATH=f"{sample.work}:{sample.environment['PATH']}")
    sample.check("pods", "pods")
    need("kubectl")
    read = sample.run("kubectl", "set", "image", "-f", str(path), "memsize=other", "--local", "-o", "json")
    got = json.loads(read.stdout)
    expect("the image that was set", got["spec"]["template"]["spec"]["containers"][0].pop("image"), "other")
    container.pop("image")
    expect("fields that kubectl dropped", dropped(job, got), [])


def check_refusals(sample: Sample) -> None:
    for words, said in ((("logs", "out"), "usage"), (("logs", "out", "10", "10"), "no share 10 of 10"),
                        (("logs", "out", "one", "10"), "to be numbers"), (("nothing", "out", "0", "1"), "no folder in"),
                        (("logs", "out", "0", "0"), "no share 0 of 0")):
        done = sample.run("./share.sh", *words, status=2)
        expect(f"share.sh {' '.join(words)} says '{said}'", said in done.stderr, True)
    broken = sample.work / "broken" / "one"
    broken.mkdir(parents=True)
    (broken / "cut.log").write_text("TIDL Memory size requiement (record wise):\n", encoding="utf-8")
    (broken.parent / "two").mkdir()
    shutil.copy(sample.work / "logs" / "night 00" / "0.log", broken.parent / "two")
    sample.run("./share.sh", "broken", "whole", "0", "1", status=1)
    expect("what it is about", "cut.log" in (sample.work / "whole" / "one.txt").read_text(encoding="utf-8"), True)
    expect("the others go on", (sample.work / "whole" / "two" / "0.log.json").is_file(), True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memsize", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    options = parser.parse_args()
    problems = 0
    missing = 0
    cases = (check_one_machine, check_hosts, check_slurm, check_cluster, check_kubernetes, check_refusals)
    with tempfile.TemporaryDirectory(prefix="memsize-fleet-") as folder:
        sample = Sample(options.memsize.resolve(), options.source.resolve(), Path(folder))
        for case in cases:
            try:
                case(sample)
            except Missing as program:
                missing += 1
                print(f"{case.__name__}: {program}")
            except (AssertionError, ValueError, KeyError) as problem:
                problems += 1
                print(f"{case.__name__}: {problem}")
    print(f"accept_fleet_sample: {len(cases)} cases, {problems} problems, {missing} skipped")
    return 1 if problems else 77 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
