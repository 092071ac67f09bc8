"""Encodings of real logs: Windows in five languages, UTF-16 of PowerShell, logs that several programs write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.sources.encodings import decode_line, detect, utf8_chunks
from triage.sources.streams import Stream, bytes_stream

CHINESE = "设备状态: 由于 Windows 无法加载这个设备的驱动程序, 已停止这个设备。 (代码 31)\r\n"
GERMAN = "Das Gerät wurde gestartet. Für die Änderung ist ein Neustart nötig (Fehlercode 12).\r\n"
RUSSIAN = "Запуск этого устройства невозможен. (Код 10) Системе не хватает ресурсов для завершения операции.\r\n"
JAPANESE = "このデバイスを開始できません。 (コード 10) デバイスの状態を確認してください。\r\n"
TAIWAN = "這個裝置無法啟動。 (代碼 10) 請檢查驅動程式與系統狀態。\r\n"
KOREAN = "이 장치를 시작할 수 없습니다. (코드 10) 드라이버 오류\r\n"


def read(data: bytes) -> tuple[str, str]:
    encoding = detect(data)
    text = b"".join(utf8_chunks(bytes_stream(data), encoding)).decode("utf-8", "replace")
    return text, encoding.note


@pytest.mark.parametrize("text", [CHINESE, GERMAN, RUSSIAN, JAPANESE, TAIWAN, KOREAN, "plain\n"])
@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode(text: str, name: str) -> None:
    assert read(text.encode(name))[0] == text


@pytest.mark.parametrize(
    ("text", "name", "note"),
    [
        (CHINESE, "gbk", "GBK"), (CHINESE, "gb18030", "GBK"), (GERMAN, "cp1252", "cp1252"), (GERMAN, "cp850", "cp850"),
        (RUSSIAN, "cp1251", "cp1251"), (RUSSIAN, "cp866", "cp866"), (JAPANESE, "cp932", "Shift-JIS"), (TAIWAN, "big5", "Big5"),
        (KOREAN, "cp949", "cp949"), ("问题代码: 12\r\n", "gbk", "GBK"), ("PC: Périphérique démarré\n", "cp1252", "cp1252"),
    ],
)  # fmt: skip
def test_code_pages(text: str, name: str, note: str) -> None:
    decoded, said = read(("PCI\\VEN_10DE&DEV_1DB6 12 (0x0C)\r\n" + text).encode(name))
    assert decoded.endswith(text)
    assert note in said


def test_mostly_utf8_keeps_both() -> None:
    data = (CHINESE * 5).encode() + "Gerät".encode("cp1252") + b"\n"
    encoding = detect(data)
    assert encoding.name == "utf-8"
    assert "mostly" in encoding.note
    assert decode_line("Gerät".encode("cp1252"), encoding.fallback) == "Gerät"


def test_a_character_cut_by_the_sample_is_no_other_encoding() -> None:
    data = ("x" + "设" * 40000).encode()
    assert detect(data[:65536]).note == ""


@given(st.binary(), st.integers(1, 9))
def test_any_bytes_in_any_pieces(data: bytes, step: int) -> None:
    encoding = detect(data)
    whole = b"".join(utf8_chunks(bytes_stream(data), encoding))
    pieces = Stream(iter([data[at : at + step] for at in range(0, len(data), step)]))
    assert b"".join(utf8_chunks(pieces, encoding)) == whole
