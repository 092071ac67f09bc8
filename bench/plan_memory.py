"""The memory formulas of `triage plan memory` against a real GPU: planned bytes, allocated bytes and their ratio.

    python3 bench/plan_memory.py [--only NAME] [--out FILE]     needs torch with a GPU, nothing else

Two decoders are built of torch alone: one like GPT-2 (LayerNorm, GELU) and one like Llama (RMSNorm and rotary positions
written out, SwiGLU, grouped heads). Each training case runs three steps on random tokens; the highest
`torch.cuda.max_memory_allocated()` of the last two is compared with `tensors_bytes` of the plan. The serving cases fill a
cache of keys and values and are compared with weights + cache + working memory.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import gc
import json
import os
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from triage.estimate import memory, serving
from triage.estimate.architecture import Architecture
from triage.estimate.recipes import Attention, Optimizer, Precision

PLAIN = Architecture(layers=12, hidden=1024, heads=16, vocab=32000)
GATED = Architecture(layers=12, hidden=1024, heads=16, kv_heads=4, intermediate=2816, vocab=32000, gated=True, rms_norm=True)
WIDE = Architecture(layers=8, hidden=2048, heads=16, kv_heads=8, intermediate=5632, vocab=32000, gated=True, rms_norm=True)


class RMSNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        kind, x = x.dtype, x.float()
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)).to(kind)


class Attend(nn.Module):
    def __init__(self, shape, eager):
        super().__init__()
        self.shape, self.eager = shape, eager
        bias = not shape.gated
        self.q_proj = nn.Linear(shape.hidden, shape.query, bias=bias)
        self.k_proj = nn.Linear(shape.hidden, shape.key, bias=bias)
        self.v_proj = nn.Linear(shape.hidden, shape.key, bias=bias)
        self.o_proj = nn.Linear(shape.query, shape.hidden, bias=bias)

    def forward(self, x, cache=None, at=0):
        shape, (batch, tokens, _) = self.shape, x.shape
        q, k, v = (
            layer(x).view(batch, tokens, -1, shape.head_dim).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        if shape.gated:
            q, k = rotate(q, at), rotate(k, at)
        causal = at == 0  # memory only: the order of tokens does not matter here
        if cache is not None:
            cache[0][:, :, at : at + tokens], cache[1][:, :, at : at + tokens] = k, v
            k, v = cache[0][:, :, : at + tokens], cache[1][:, :, : at + tokens]
        if self.eager:
            scores = (q @ k.transpose(-1, -2)) / shape.head_dim**0.5
            scores = scores.masked_fill(torch.ones(tokens, tokens, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
            out = scores.softmax(-1) @ v
        else:
            out = F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=shape.heads != shape.kv_heads)
        return self.o_proj(out.transpose(1, 2).reshape(batch, tokens, shape.query))


def rotate(x, at):
    """Rotary positions as transformers writes them out."""
    half = x.shape[-1] // 2
    angle = torch.arange(at, at + x.shape[-2], device=x.device)[:, None] / 10000 ** (torch.arange(half, device=x.device) / half)
    cos, sin = angle.cos().repeat(1, 2).to(x.dtype), angle.sin().repeat(1, 2).to(x.dtype)
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


class Mlp(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.gated = shape.gated
        self.up_proj = nn.Linear(shape.hidden, shape.intermediate, bias=not shape.gated)
        self.down_proj = nn.Linear(shape.intermediate, shape.hidden, bias=not shape.gated)
        if shape.gated:
            self.gate_proj = nn.Linear(shape.hidden, shape.intermediate, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x) if self.gated else F.gelu(self.up_proj(x)))


class Layer(nn.Module):
    def __init__(self, shape, eager):
        super().__init__()
        norm = RMSNorm if shape.rms_norm else nn.LayerNorm
        self.attend, self.mlp = Attend(shape, eager), Mlp(shape)
        self.first, self.second = norm(shape.hidden), norm(shape.hidden)

    def forward(self, x, cache=None, at=0):
        x = x + self.attend(self.first(x), cache, at)
        return x + self.mlp(self.second(x))


class Decoder(nn.Module):
    def __init__(self, shape, eager=False, checkpointing=False):
        super().__init__()
        self.checkpointing = checkpointing
        self.embed = nn.Embedding(shape.vocab, shape.hidden)
        self.layers = nn.ModuleList(Layer(shape, eager) for _ in range(shape.layers))
        self.norm = (RMSNorm if shape.rms_norm else nn.LayerNorm)(shape.hidden)
        self.head = nn.Linear(shape.hidden, shape.vocab, bias=False)

    def forward(self, tokens, caches=None, at=0):
        x = self.embed(tokens)
        for number, layer in enumerate(self.layers):
            cache = None if caches is None else caches[number]
            x = checkpoint(layer, x, use_reentrant=False) if self.checkpointing else layer(x, cache, at)
        return self.head(self.norm(x[:, -1:] if caches is not None else x))


class Lora(nn.Module):
    def __init__(self, frozen, rank):
        super().__init__()
        self.frozen = frozen
        self.a, self.b = nn.Linear(frozen.in_features, rank, bias=False), nn.Linear(rank, frozen.out_features, bias=False)

    def forward(self, x):
        return self.frozen(x) + self.b(self.a(x.to(self.a.weight.dtype)))


def build(plan, device):
    model = Decoder(plan.shape, plan.attention is Attention.eager, plan.checkpointing).to(device)
    if plan.lora_rank:
        model.to(torch.bfloat16).requires_grad_(False)
        for layer in model.layers:
            for name in plan.lora_targets:
                part = layer.attend if hasattr(layer.attend, name) else layer.mlp
                setattr(part, name, Lora(getattr(part, name), plan.lora_rank).to(device))
                for own in (getattr(part, name).a, getattr(part, name).b):
                    own.float().requires_grad_(True)
        model.embed.register_forward_hook(lambda _m, _i, out: out.requires_grad_(True))
    elif plan.precision is Precision.bf16:
        model.to(torch.bfloat16)
    return model


def optimizer_of(plan, model):
    found = [p for p in model.parameters() if p.requires_grad]
    if plan.optimizer is Optimizer.sgd_momentum:
        return torch.optim.SGD(found, lr=1e-4, momentum=0.9)
    return torch.optim.AdamW(found, lr=1e-4, fused=True if plan.optimizer is Optimizer.adamw_fused else None)


def step(model, optimizer, plan, device):
    tokens = torch.randint(plan.shape.vocab, (plan.batch, plan.sequence + 1), device=device)
    mixed = torch.autocast(torch.device(device).type, torch.bfloat16) if plan.precision is Precision.autocast else contextlib.nullcontext()
    with mixed:
        logits = model(tokens[:, :-1])
        loss = F.cross_entropy(logits.float().view(-1, plan.shape.vocab), tokens[:, 1:].reshape(-1))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=not plan.accumulate)
    return loss


def train(plan, ddp):
    torch.cuda.reset_peak_memory_stats()
    base = torch.cuda.memory_allocated()
    model = build(plan, "cuda")
    count = sum(p.numel() for p in model.parameters())
    optimizer = optimizer_of(plan, model)
    if ddp:
        model = nn.parallel.DistributedDataParallel(model, device_ids=[0])
    for number in range(3):
        step(model, optimizer, plan, "cuda")
        if number == 0:
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
    torch.cuda.synchronize()
    return count, torch.cuda.max_memory_allocated() - base, torch.cuda.max_memory_reserved() - base


@torch.no_grad()
def serve(plan):
    torch.cuda.reset_peak_memory_stats()
    base = torch.cuda.memory_allocated()
    model = Decoder(plan.shape).to("cuda", torch.bfloat16)
    count = sum(p.numel() for p in model.parameters())
    size = (plan.sequences, plan.shape.kv_heads, plan.context, plan.shape.head_dim)
    caches = [tuple(torch.empty(size, device="cuda", dtype=torch.bfloat16) for _ in "kv") for _ in range(plan.shape.layers)]
    torch.cuda.reset_peak_memory_stats()
    tokens = torch.randint(plan.shape.vocab, (plan.sequences, plan.prefill // plan.sequences), device="cuda")
    for at in range(0, plan.context - tokens.shape[1] + 1, tokens.shape[1]):
        model(tokens, caches, at)
    torch.cuda.synchronize()
    return count, torch.cuda.max_memory_allocated() - base, torch.cuda.max_memory_reserved() - base


def plans():
    T = memory.Training
    P = Precision
    plain = {"parameters": PLAIN.parameters, "shape": PLAIN, "sequence": 1024}
    gated = {"parameters": GATED.parameters, "shape": GATED, "sequence": 1024}
    yield "adamw-fp32", T(**plain, precision=P.fp32, batch=8)
    yield "adamw-autocast", T(**plain, precision=P.autocast, batch=8)
    yield "adamw-autocast-small-batch", T(**plain, precision=P.autocast, batch=1)
    yield "adamw-fused-fp32-small-batch", T(**plain, precision=P.fp32, batch=1, optimizer=Optimizer.adamw_fused)
    yield "sgd-momentum-fp32", T(**plain, precision=P.fp32, batch=4, optimizer=Optimizer.sgd_momentum)
    yield "adamw-autocast-eager", T(**plain, precision=P.autocast, batch=8, attention=Attention.eager)
    yield "adamw-autocast-accumulate", T(**plain, precision=P.autocast, batch=4, accumulate=True)
    yield "llama-autocast", T(**gated, precision=P.autocast, batch=16)
    yield "llama-bf16", T(**gated, precision=P.bf16, batch=16)
    yield "llama-bf16-checkpointing", T(**gated, precision=P.bf16, batch=16, checkpointing=True)
    yield "llama-autocast-checkpointing", T(**gated, precision=P.autocast, batch=16, checkpointing=True)
    yield "llama-lora", T(**gated, precision=P.autocast, batch=16, lora_rank=16)
    wide = {"parameters": WIDE.parameters, "shape": WIDE}
    yield "serve-long", serving.Serving(**wide, context=32768, sequences=8, prefill=8 * 4096)
    yield "serve-many", serving.Serving(**wide, context=2048, sequences=128, prefill=128 * 128)
    yield "ddp-autocast", T(**plain, precision=P.autocast, batch=4, gpus=2)


def planned(plan):
    if isinstance(plan, serving.Serving):
        found = serving.serve(plan)
        return found.weights_bytes + found.cache_bytes + found.work_bytes
    return memory.need(plan).tensors_bytes


def run(only):
    rows = []
    for name, plan in plans():
        if only and only not in name:
            continue
        ddp = name.startswith("ddp")
        if ddp:
            os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29531", RANK="0", WORLD_SIZE="1")
            torch.distributed.init_process_group("nccl")
        count, allocated, reserved = serve(plan) if isinstance(plan, serving.Serving) else train(plan, ddp)
        if ddp:
            torch.distributed.destroy_process_group()
        gc.collect()
        torch.cuda.empty_cache()
        free, total = torch.cuda.mem_get_info()
        rows.append({
            "name": name, "kind": type(plan).__name__.lower(), "inputs": dataclasses.asdict(plan), "parameters": count,
            "planned_bytes": round(planned(plan)), "allocated_bytes": allocated, "reserved_bytes": reserved,
            "ratio": round(planned(plan) / allocated, 4), "reserved_ratio": round(reserved / allocated, 4),
            "outside_bytes": total - free - torch.cuda.memory_reserved(),
        })
        print(json.dumps({key: value for key, value in rows[-1].items() if key != "inputs"}), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="only cases with this in their name")
    parser.add_argument("--out", type=Path, help="write all rows with the machine as JSON")
    asked = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("no GPU that torch can use: run this where torch.cuda.is_available()")
    rows = run(asked.only)
    machine = {
        "gpu": torch.cuda.get_device_name(), "total_bytes": torch.cuda.mem_get_info()[1], "torch": torch.__version__,
        "cuda": torch.version.cuda, "command": "python3 bench/plan_memory.py",
    }
    if asked.out:
        asked.out.write_text(json.dumps({**machine, "cases": rows}, indent=1) + "\n")
    worst = max(rows, key=lambda row: abs(row["ratio"] - 1))
    print(f"{len(rows)} cases; farthest from the measurement: {worst['name']}, planned / measured = {worst['ratio']}")


if __name__ == "__main__":
    main()
