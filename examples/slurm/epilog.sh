#!/usr/bin/env bash
# Slurm epilog: `Epilog=/etc/slurm/epilog.sh` in slurm.conf. After a job: does the kernel log of its time name a fault of
# the machine? Then the node is drained, with the root cause as reason.
triage=${TRIAGE:-/opt/triage/bin/triage}
since=$(date -d "@${SLURM_JOB_START_TIME:-$(($(date +%s) - 3600))}" '+%Y-%m-%d %H:%M:%S')

report=$(journalctl -k --no-pager -o short-iso-precise --since "$since" | "$triage" analyze --format json --exit-zero -q -)
action=$(python3 -c 'import json, sys; f = json.load(sys.stdin)["findings"]; print(f[0]["action"] if f else "none")' <<<"$report")
reason=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["summary"][:180])' <<<"$report")
case $action in
drain | reset-gpu | reboot-node | check-hardware | rma)
    scontrol update nodename="$SLURMD_NODENAME" state=drain reason="$reason"
    ;;
esac
exit 0
