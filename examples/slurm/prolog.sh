#!/usr/bin/env bash
# Slurm prolog: `Prolog=/etc/slurm/prolog.sh` in slurm.conf. A node that fails is drained, its job starts elsewhere.
# TRIAGE is the command in an environment of its own; /etc/triage/gpus holds the number of GPUs of this node.
triage=${TRIAGE:-/opt/triage/bin/triage}
gpus=$(cat "${TRIAGE_GPUS:-/etc/triage/gpus}" 2>/dev/null)

# PyTorch lies in the job's environment, not in the node's: leave its probes out.
line=$("$triage" preflight --nagios ${gpus:+--expect-gpus "$gpus"} --skip cuda-init --skip cuda-arch 2>/dev/null)
if [ $? -eq 2 ]; then
    echo "$line"
    scontrol update nodename="$SLURMD_NODENAME" state=drain reason="${line:0:180}"
    exit 1 # not zero: Slurm requeues the job and drains the node
fi
exit 0 # warnings and what is unknown do not keep a job from starting
