"""Secrets as they stand in logs of training jobs and GPU machines, all made up: (line, what must not survive)."""

from __future__ import annotations

_ALPHABET = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD"


def _made(count: int, alphabet: str = _ALPHABET, step: int = 7) -> str:
    """Characters without a pattern that a rule could take for a word, the same in each run."""
    at, out = 1, []
    for number in range(count):
        at = (at * step + number * 5 + 3) % 1009
        out.append(alphabet[at % len(alphabet)])
    return "".join(out)


_HEX = "0123456789abcdef"
_LETTERS = "aBcDeFgHiJkLmNoPqRsTuVwXyZ"
_HF, _GITHUB, _OPENAI = "hf_" + _made(34, _LETTERS), "ghp_" + _made(36), "sk-proj-" + _made(48)
_AWS, _AWS_SECRET = "AKIA" + _made(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), _made(40, _ALPHABET + "/+")
_WANDB, _NGC, _SLACK = _made(40, _HEX), "nvapi-" + _made(64), "xoxb-" + _made(12, "123456789") + "-" + _made(12, "123456789") + "-" + _made(24)
_JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + _made(43)
_PEM_ROW = _made(64)

SECRETS: dict[str, tuple[str, str]] = {
    "hugging face": (f"huggingface_hub.errors: Invalid token ({_HF}), see the settings", _HF),
    "hugging face in the environment": (f"HF_TOKEN={_HF}", _HF),
    "github": (f"fatal: could not read from https://github.com with {_GITHUB}.", _GITHUB),
    "github in a url": (f"git clone https://{_GITHUB}@github.com/acme/model.git", _GITHUB),
    "openai": (f"openai.AuthenticationError: Incorrect API key provided: {_OPENAI}, see", _OPENAI),
    "anthropic": (f"x-api-key: sk-ant-api03-{_made(93)}AA", _made(93)),
    "aws id": (f"botocore.exceptions.ClientError: {_AWS} is not valid", _AWS),
    "aws secret": (f"aws_secret_access_key = {_AWS_SECRET}", _AWS_SECRET),
    "aws secret in the environment": (f"+ export AWS_SECRET_ACCESS_KEY={_AWS_SECRET}", _AWS_SECRET),
    "wandb in the environment": (f"WANDB_API_KEY={_WANDB}", _WANDB),
    "wandb login": (f"+ wandb login {_WANDB}", _WANDB),
    "ngc": (f"NGC_API_KEY={_NGC}", _NGC),
    "ngc alone": (f"docker login nvcr.io with {_NGC} failed", _NGC),
    "slack": (f"slack: posting with {_SLACK}", _SLACK),
    "jwt": (f"401 Unauthorized: {_JWT}", _JWT),
    "bearer": (f"> Authorization: Bearer {_made(40)}", _made(40)),
    "basic": ("> Authorization: Basic YWxpY2U6aHVudGVyMjIy", "YWxpY2U6aHVudGVyMjIy"),
    "cookie": (f"Cookie: session={_made(32)}; theme=dark", _made(32)),
    "database url": (f"sqlalchemy: postgresql://train:{_made(14)}@db01:5432/runs", _made(14)),
    "web url": (f"GET https://alice:{_made(14)}@mirror.corp/simple/", _made(14)),
    "redis on the command line": (f"ray start --redis-password {_made(16, '0123456789')}", _made(16, "0123456789")),
    "redis in the environment": (f"RAY_REDIS_PASSWORD={_made(16, '0123456789')}", _made(16, "0123456789")),
    "option with =": (f"python train.py --api-key={_made(24)} --lr 1e-4", _made(24)),
    "argument list": (f"args: ['train.py', '--hub-token', '{_made(24)}', '--bf16']", _made(24)),
    "password in yaml": ("  password: hunter2horse", "hunter2horse"),
    "password in json": ('{"user": "x", "password": "correct horse battery"}', "correct horse battery"),
    "password in a connection string": (f"Server=db;Uid=sa;Pwd={_made(12)};Encrypt=yes", _made(12)),
    "azure storage": (f"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={_made(86)}==", _made(86)),
    "azure sas": (f"https://x.blob.core.windows.net/c?sv=2022&sig={_made(43)}%3D", _made(43)),
    "aws signed url": (f"https://b.s3.amazonaws.com/k?X-Amz-Signature={_made(64, _HEX)}", _made(64, _HEX)),
    "docker config": ('{"auths": {"nvcr.io": {"auth": "JG9hdXRodG9rZW46c2VjcmV0"}}}', "JG9hdXRodG9rZW46c2VjcmV0"),
    "netrc": (f"machine api.wandb.ai login user password {_WANDB}", _WANDB),
    "sshpass": ("sshpass -p 'tr0ub4dor' ssh node07", "tr0ub4dor"),
    "aws secret in words": (f"Secret Access Key: {_AWS_SECRET}", _AWS_SECRET),
    "api key in words": ("api key: 7c4f8e21b09d4a53", "7c4f8e21b09d4a53"),
    "docker login": ("docker login -u foo -p hunter2horse nvcr.io", "hunter2horse"),
    "mysql": ("mysql -u root -phunter2horse runs", "hunter2horse"),
    "sudo": ("+ echo tr0ub4dor | sudo -S nvidia-smi -r", "tr0ub4dor"),
    "sudo with a here string": ("sudo -S nvidia-smi -r <<< 'tr0ub4dor'", "tr0ub4dor"),
    "docker hub": (f"using dckr_pat_{_made(27)} for the pull", f"dckr_pat_{_made(27)}"),
    "google oauth": (f"ya29.{_made(60)}", _made(60)),
    "curl": ("+ curl -u alice:S3cr3tPass1 https://x.corp/api", "S3cr3tPass1"),
    "session token": ("aws_session_token=FwoGZXIvYXdzEJr8wEaDKLm0", "FwoGZXIvYXdzEJr8wEaDKLm0"),
    "stripe": (f"stripe: sk_live_{_made(24)}", f"sk_live_{_made(24)}"),
    "google": (f"key AIza{_made(35)} was refused", f"AIza{_made(35)}"),
    "gitlab": (f"remote: glpat-{_made(20)}", f"glpat-{_made(20)}"),
    "pypi": (f"twine: pypi-AgEIcHlwaS5vcmc{_made(70)}", _made(70)),
    "private key": (f"-----BEGIN RSA PRIVATE KEY-----\n{_PEM_ROW}\n{_PEM_ROW}\nab12==\n-----END RSA PRIVATE KEY-----", _PEM_ROW),
    "private key with prefixes": (f"[rank1]: -----BEGIN PRIVATE KEY-----\n[rank1]: {_PEM_ROW}\n[rank1]: -----END PRIVATE KEY-----", _PEM_ROW),
}  # fmt: skip
