#!/usr/bin/env bash
# Probes and provoked faults on a machine with NVIDIA GPUs, as root of a machine that is yours alone: some steps shrink
# /dev/shm, hide a device file or limit a cgroup for a moment, and put it back.
#
#   bash bench/probes.sh FOLDER one|two [STEP...]      # needs python3 with PyTorch (and CuPy for the broken kernels)
#
# With names of steps behind it (`hidden_file machine`) only these are run.
# FOLDER gets, for each step, what was printed, and `times.txt`. Readings of it are in fixtures/recheck/.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
export PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1
cd "$out"

triage() { python3 -m triage "$@"; }

step() { # NAME SECONDS COMMAND...: its output in NAME, its exit status and time in times.txt
    local name=$1 limit=$2 began status
    shift 2
    began=$(date +%s.%N)
    timeout "$limit" "$@" >"$name" 2>"$name.err" </dev/null
    status=$?
    [ -s "$name.err" ] || rm -f "$name.err"
    printf '%-28s status %3d %7.1f s\n' "$name" $status "$(python3 -c "import time; print(time.time() - $began)")" | tee -a times.txt
    [ -z "${SAVE:-}" ] || tar czf "$SAVE" -C "$out" . 2>/dev/null
}

job() { # NAME COMMAND...: a job that fails, with its log in NAME.log
    local name=$1
    shift
    step "$name.out" 90 "$@"
    cat "$name.out" "$name.out.err" >"$name.log" 2>/dev/null
    rm -f "$name.out" "$name.out.err"
}

live() { # NAME OPTIONS...: the analysis of NAME.log (and dmesg) with the re-check of its cause
    local name=$1
    shift
    step "$name.json" 200 python3 -m triage analyze --live -q --format json "$@"
}

recheck() { # NAME ID OPTIONS...
    local name=$1
    shift
    step "$name.json" 200 python3 -m triage recheck -q --format json "$@"
}

kernel_log() { # NAME: the kernel's lines since the last call
    dmesg | tail -n +$((${seen:-0} + 1)) >"$1"
    seen=$(dmesg | wc -l)
}

ranks() { torchrun --nproc-per-node "${RANKS:-2}" "$root/bench/faults.py" "$1"; }
export -f ranks
export root

about() {
    uname -r
    python3 -c "import torch; print(torch.__version__, torch.cuda.device_count(), torch.cuda.nccl.version())"
    python3 -m triage version
    nvidia-smi -L
    nvidia-smi topo -m
    df -h /dev/shm
    ulimit -a
    dmesg | tail -3
}
export -f about

every_probe() {
    step all.json 460 python3 -m triage recheck --stress --format json -q "$@"
    step all.txt 90 python3 -m triage recheck -q
}

machine() { # what looks at the whole machine, with a series of samples while a job runs
    step preflight.txt 60 python3 -m triage preflight --expect-gpus "${RANKS:-2}"
    step collect.out 100 python3 -m triage collect --no-redact -o collect.tar.gz
    step collect-live.json 60 python3 -m triage analyze -q --format json collect.tar.gz
    python3 -m triage collect --watch 16s --every 2s -o watch.csv >watch.out 2>&1 &
    local watcher=$!
    step watch-load.json 60 python3 -m triage recheck throttle --stress --force -q --format json
    wait $watcher
    step watch-live.json 30 python3 -m triage analyze -q --format json watch.csv
}

fragmented() {
    job oom-fragmented python3 "$root/bench/faults.py" fragmented
    live oom-fragmented-live oom-fragmented.log --stress
    job oom-fragmented-cured env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True PYTORCH_ALLOC_CONF=expandable_segments:True \
        python3 "$root/bench/faults.py" fragmented
}

out_of_memory() {
    job oom-cublas python3 "$root/bench/faults.py" product
    live oom-cublas-live oom-cublas.log --stress
    job oom-too-large python3 "$root/bench/faults.py" too-large
    live oom-too-large-live oom-too-large.log --stress
    job oom-own-use python3 "$root/bench/faults.py" own-use
    live oom-own-use-live oom-own-use.log --stress
    recheck oom-own-use-forced cuda-oom-own-use --stress --force --set requested=20GiB --set allocated=120GiB
    job oom-fraction python3 "$root/bench/faults.py" fraction
    live oom-fraction-live oom-fraction.log --stress
}

other_process() {
    LEAVE_GIB=5 python3 "$root/bench/faults.py" hold >hold.txt 2>&1 &
    local holder=$!
    for _ in $(seq 60); do grep -q holding hold.txt && break || sleep 0.5; done
    job oom-other python3 "$root/bench/faults.py" request
    live oom-other-live oom-other.log --stress
    kill $holder && wait $holder 2>/dev/null
    sleep 1
    recheck oom-other-after cuda-oom-other-process --set requested=20GiB --stress
}

broken_kernels() { # one process
    kernel_log dmesg-before.txt
    for name in wild odd; do
        job kernel-$name python3 "$root/bench/faults.py" $name
        kernel_log kernel-$name-dmesg.txt
        live kernel-$name-live kernel-$name.log kernel-$name-dmesg.txt --stress
    done
}

hidden_file() {
    local file=/dev/nvidia0
    job hidden-before nvidia-smi -L
    mount --bind /dev/null $file
    job hidden-smi nvidia-smi -L
    recheck hidden-present gpu-present
    recheck hidden-init cuda-init --stress
    umount $file
    recheck hidden-after gpu-present
}

small_shm() {
    mount -o remount,size=2M /dev/shm
    export NCCL_P2P_DISABLE=1 NCCL_CUMEM_HOST_ENABLE=0 NCCL_DEBUG=INFO
    job shm bash -c 'ranks ranks'
    unset NCCL_P2P_DISABLE NCCL_CUMEM_HOST_ENABLE
    live shm-live shm.log --stress
    mount -o remount,size=8G /dev/shm
    recheck shm-after nccl-shm-create --stress
    unset NCCL_DEBUG
}

wrong_interface() {
    export NCCL_SOCKET_IFNAME=ib7 NCCL_DEBUG=INFO
    job interface bash -c 'ranks ranks'
    live interface-live interface.log --stress
    unset NCCL_SOCKET_IFNAME NCCL_DEBUG
    recheck interface-after nccl-bootstrap-no-interface --stress
    recheck interface-given nccl-bootstrap-no-interface --stress --set interface=ib7
}

rank_kernels() {
    export NCCL_DEBUG=INFO
    kernel_log dmesg-before-ranks.txt
    for name in wild odd; do
        job rank-$name bash -c "ranks rank-$name"
        kernel_log rank-$name-dmesg.txt
        live rank-$name-live rank-$name.log rank-$name-dmesg.txt --stress
    done
    unset NCCL_DEBUG
}

duplicate() { # two ranks, however many GPUs there are
    export NCCL_DEBUG=INFO
    RANKS=2 job duplicate bash -c 'ranks rank-same'
    live duplicate-live duplicate.log --stress
    unset NCCL_DEBUG
}

late_and_killed() {
    export NCCL_DEBUG=INFO
    job late bash -c 'ranks rank-late'
    live late-live late.log --stress
    job killed bash -c 'ranks rank-killed'
    live killed-live killed.log
    unset NCCL_DEBUG
}

ten_of_ten() {
    recheck parallel-to-ten parallel-to --stress --set rounds=10
}

small_cgroup() {
    local group=/sys/fs/cgroup/bench
    mkdir -p $group && echo $((12 << 30)) >$group/memory.max && echo 0 >$group/memory.swap.max
    kernel_log dmesg-before-cgroup.txt
    job hungry bash -c "echo \$\$ >$group/cgroup.procs && ranks rank-hungry"
    kernel_log hungry-dmesg.txt
    step hungry-live.json 120 bash -c "echo \$\$ >$group/cgroup.procs && python3 -m triage analyze --live -q --format json hungry.log hungry-dmesg.txt"
}

step about.txt 60 bash -c about
if [ $# -gt 2 ]; then
    [ "$2" = two ] || export RANKS=1 BAD_RANK=0
    for name in "${@:3}"; do $name; done
    set -- "$1" named
fi
case $2 in
one)
    export RANKS=1 BAD_RANK=0
    every_probe
    fragmented; out_of_memory; other_process; broken_kernels
    rank_kernels; duplicate; wrong_interface; hidden_file; small_cgroup; machine
    ten_of_ten
    ;;
two)
    step all.json 420 python3 -m triage recheck --stress --format json -q --set rounds=10 --set seconds=4
    hidden_file; small_shm; rank_kernels; late_and_killed; duplicate; wrong_interface; small_cgroup; fragmented; machine
    ;;
esac
cat times.txt
