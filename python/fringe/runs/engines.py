#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Who works on the parts of a plan: Dask or Slurm. Each of them schedules, not we."""
import concurrent.futures
import contextlib
import logging
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from ..ground.new_file import new_file
from .plan import folder_of, read_plan
from .work import missing_parts
from .work_apart import work_apart

ENGINES = ("dask", "slurm")
RETRIES = 3  # of a part that failed
# Under one part, before it is given up. Many, as Dask counts the parts that wait at a dead worker,
# too; a part that needs too much memory ends its own process, not the worker: that is RETRIES.
LOST_WORKERS = 1000
CHECK_SECONDS = 5  # after which a worker that is gone is looked for
LARGEST_ARRAY = 1000  # tasks of a Slurm job: what a site has that did not choose


def _say_failed(failed):
    """RuntimeError that names the parts that failed, {number: error}."""
    if failed:
        number, error = sorted(failed.items())[0]
        others = f"; {len(failed) - 1} more failed, too" if len(failed) > 1 else ""
        raise RuntimeError(f"part {number}: {error}{others}; resume=True does those that are "
                           "missing")


def run_dask(plan_path, scheduler=None, workers=None, threads=None, progress=None):
    """Does the missing parts of a plan on Dask's workers, and returns when all are done.

    scheduler: address of a site's scheduler, tcp://HOST:8786; None: workers on this computer
    workers: how many, on this computer; None: one for each core
    threads: of each worker; None: on this computer 1, else one for each of its cores
    progress: called with (parts done, parts in all)

    Raises RuntimeError where parts failed even when they were repeated.
    """
    import asyncio  # here, as it takes long to load
    try:
        import dask
        from distributed import Client, LocalCluster, wait
    except ImportError:
        raise RuntimeError("engine=dask: needs the Python module distributed, which is not "
                           "installed: apt-get install python3-distributed") from None
    plan_path = os.path.abspath(plan_path)
    total = len(read_plan(plan_path).parts)
    missing = missing_parts(read_plan(plan_path), folder_of(plan_path))
    with contextlib.ExitStack() as stack:
        if scheduler:
            try:
                client = stack.enter_context(Client(scheduler, timeout="30s"))
            except (OSError, ValueError) as error:
                raise RuntimeError(f"scheduler={scheduler}: {error or 'does not answer'}; give "
                                   "the address that dask-scheduler prints, "
                                   "tcp://HOST:8786") from None
        else:
            stack.enter_context(dask.config.set({
                "distributed.scheduler.allowed-failures": LOST_WORKERS,
                # Parts wait at the scheduler: one that waits at a worker that dies counts as one
                # that kills workers.
                "distributed.scheduler.worker-saturation": 1.0,
                # A worker that dies is started again. If it is just starting when this time has
                # passed since an earlier death, Dask gives it up for good.
                "distributed.deploy.lost-worker-timeout": "1h",
                "distributed.logging.distributed": "critical"}))
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="fringe-dask-"))
            count = min(workers or os.cpu_count(), max(len(missing), 1))
            cluster = stack.enter_context(LocalCluster(
                n_workers=count, threads_per_worker=1, memory_limit=None,
                # Dask's pages of what it does, which nobody but this computer may read.
                dashboard_address="127.0.0.1:0", worker_dashboard_address="127.0.0.1:0",
                local_directory=scratch, security=_temporary_keys(), silence_logs=logging.CRITICAL))
            client = stack.enter_context(Client(cluster))
            threads = threads or 1
        tasks = {client.submit(work_apart, plan_path, number, threads, pure=False, retries=RETRIES):
                 number for number in missing}
        failed, done = {}, total - len(missing)
        while tasks:
            try:
                ended = wait(list(tasks), CHECK_SECONDS, "FIRST_COMPLETED").done
            except asyncio.TimeoutError:
                if not scheduler:
                    cluster.scale(count)  # starts those that are missing
                continue
            except concurrent.futures.CancelledError:
                raise RuntimeError(f"scheduler={scheduler or 'of this computer'}: is gone; "
                                   "resume=True does the parts that are missing") from None
            for future in ended:
                status = future.status
                if status not in ("finished", "error"):
                    continue  # its worker has died since it ended: Dask has the part done again
                number = tasks.pop(future)
                if status == "finished":
                    done += 1
                else:
                    failed[number] = future.exception()
                future.release()  # else Dask does it again when the worker that did it dies
                if progress:
                    progress(done, total)
    _say_failed(failed)


def _temporary_keys():
    """Keys by which a scheduler on this computer knows its own workers; other users' programs
    are refused. None where the library for them is missing."""
    from distributed.security import Security
    with contextlib.suppress(ImportError):
        return Security.temporary()
    return None


SLURM = """\
#!/bin/bash
#SBATCH --job-name=fringe
#SBATCH --array=0-{last}
#SBATCH --cpus-per-task={threads}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="{folder}/slurm-%a.log"
# Every task does some parts of the plan. One that is repeated, on whatever host, leaves out those
# that are done.
{fringe} work --threads $SLURM_CPUS_PER_TASK {plan} $(seq $SLURM_ARRAY_TASK_ID {tasks} {parts})
code=$?
# Slurm itself repeats a task only if its host was lost. A task that was killed (no memory, say) or
# could not write is repeated by the next lines, but not one with bad input, which is code 2.
if [ $code -ne 0 ] && [ $code -ne 2 ] && [ ${{SLURM_RESTART_COUNT:-0}} -lt {retries} ]; then
    scontrol requeue ${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID
    sleep 60 # until Slurm ends this run of the task
fi
exit $code
"""


def write_slurm(plan_path, tasks=None, threads=None):
    """Writes the script of an array job beside a plan, x.sbatch beside x.json; its path.

    tasks: of the array; None: one for each part, and 1000 at the most
    threads: of a task, for which Slurm reserves as many processors; None: 1
    """
    plan_path = os.path.abspath(plan_path)
    _check_name(plan_path)
    parts = len(read_plan(plan_path).parts)
    tasks = min(tasks or LARGEST_ARRAY, parts)
    folder = folder_of(plan_path)
    os.makedirs(folder, exist_ok=True)
    script = os.path.splitext(plan_path)[0] + ".sbatch"
    with new_file(script, overwrite=True, text=True) as file:
        file.write(SLURM.format(last=tasks - 1, folder=folder.replace("%", "%%"), fringe=_fringe(),
                                plan=shlex.quote(plan_path), tasks=tasks, parts=parts - 1,
                                threads=threads or 1, retries=RETRIES))
    return script


def _check_name(path):
    """Raises ValueError for what a line of a script cannot hold: it might be run as a command."""
    for letter, name in (("\n", "a newline"), ("\r", "a carriage return"), ('"', "a quote"),
                         ("\\", "a backslash")):
        if letter in path:
            raise ValueError(f"{path!r}: has {name} in it, which the script for Slurm cannot hold; "
                             "choose another folder or name")


def submit_slurm(plan_path, outputs, overwrite=False, options=(), threads=None):
    """Submits the parts of a plan to Slurm, and their merging behind them; (job, job of merging).

    options: words for sbatch, --partition=radio say
    threads: of a task; None: 1
    """
    if not shutil.which("sbatch"):
        raise RuntimeError("engine=slurm: there is no sbatch on this computer: apt-get install "
                           "slurm-client, or call fringe where the site submits its jobs")
    script = write_slurm(plan_path, threads=threads)
    parts = _sbatch([*options, script])
    words = ["merge", os.path.abspath(plan_path)]
    for path in outputs:
        words += ["-o", os.path.abspath(path)]
    words += ["--overwrite"] if overwrite else []
    log = os.path.join(folder_of(os.path.abspath(plan_path)).replace("%", "%%"), "merge.log")
    merge = _sbatch([*options, "--job-name=fringe-merge", f"--dependency=afterok:{parts}",
                     "--kill-on-invalid-dep=yes", "--requeue", f"--output={log}",
                     f"--wrap={_fringe()} {shlex.join(words)}"])
    return parts, merge


def _sbatch(words):
    done = subprocess.run(["sbatch", "--parsable", *words], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise RuntimeError(f"engine=slurm: sbatch: {done.stderr.strip()}")
    return done.stdout.strip().split(";")[0]


def _fringe():
    """The command `fringe` as this process was called."""
    own = os.path.abspath(sys.argv[0])
    return shlex.quote(own if os.path.basename(own) == "fringe" else "fringe")
