"""Secrets of every kind are found, and what only looks like one is left."""

from __future__ import annotations

import pytest
from planted import SECRETS

from triage.redact import detector

HARMLESS = (
    "KeyError: 'layers.0.weight'", "eos_token: </s>", "tokenizer = AutoTokenizer.from_pretrained('x')",
    "token 4096 of 8192", "--max-tokens 4096", "eos_token_id=128001", "max_new_tokens: 512", "pad_token: <pad>",
    "secret_key=None", "Incorrect password: expired", "self.register_buffer('key', tensor)", "password: ********",
    "c = Client(address, authkey=process.current_process().authkey)", "sort_key=length", "cache key: 3", "key=value", "The API key is missing", "key: [1, 2, 3]", "HF_TOKEN=$HF_TOKEN",
    "AssertionError: key.shape == value.shape", "api_key=${API_KEY}", "task-scheduler-for-long-running-jobs",
    "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234", "loss 0.25 sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "Loading of module with unavailable key is rejected", "tokens per second=13377777", "GPU-8e6f9a52-1234-5678-9abc-def012345678",
)  # fmt: skip


def found(text: str) -> list[bytes]:
    data = text.encode()
    return [data[one.start : one.stop] for one in detector.secrets(data)]


@pytest.mark.parametrize("name", SECRETS)
def test_every_kind_is_found(name: str) -> None:
    text, secret = SECRETS[name]
    assert any(secret.encode() in hit or hit in secret.encode() for hit in found(text)), found(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_is_left(text: str) -> None:
    assert found(text) == []


def test_every_rule_compiles_and_has_a_key_word() -> None:
    rules = detector.rules()
    assert len(rules) > 220
    for rule in rules:
        assert rule.keywords, rule.id
        assert detector.compiled(rule.regex)
    assert not [rule.id for rule in rules if rule.id == "generic-api-key"]


def test_a_private_key_without_its_end_takes_no_other_line() -> None:
    rows = "\n".join(f"[rank0]: {'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw' * 2}" for _ in range(3))
    text = f"[rank0]: -----BEGIN PRIVATE KEY-----\n{rows}\nTraceback (most recent call last):\nRuntimeError: boom\n"
    hits = found(text)
    assert len(hits) == 4
    assert not any(b"Traceback" in hit or b"boom" in hit or b"rank0" in hit for hit in hits)


def test_entropy_is_that_of_shannon() -> None:
    assert detector.entropy(b"") == 0
    assert detector.entropy(b"aaaa") == 0
    assert detector.entropy(b"abab") == 1
    assert detector.entropy(bytes(range(256))) == 8
