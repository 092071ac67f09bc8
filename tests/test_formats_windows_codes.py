"""Device problem codes: numbers, symbols and sentences of seven languages, and what contradicts them."""

from __future__ import annotations

import pytest
from taken import records

from triage.formats.windows import WindowsDevice
from triage.formats.windows_codes import SYMBOLS, code_in, code_of_value, contradiction, symbol
from triage.formats.windows_sentences import codes_of_sentences, is_confirmed
from triage.pipeline import analyze_text

SENTENCES = {
    10: (
        "This device cannot start.", "该设备无法启动。", "Das Gerät kann nicht gestartet werden.",
        "Ce périphérique ne peut pas démarrer.", "Este dispositivo no puede iniciarse.",
        "Запуск этого устройства невозможен.", "このデバイスを開始できません。",
    ),
    12: (
        "This device cannot find enough free resources that it can use.", "该设备找不到足够资源可以使用。",
        "Dieses Gerät findet nicht genügend freie Ressourcen, die es verwenden kann.",
        "Ce périphérique ne peut pas trouver suffisamment de ressources libres qu’il peut utiliser.",
        "Este dispositivo no puede encontrar suficientes recursos libres para usar.",
        "Недостаточно ресурсов для работы данного устройства.", "このデバイスが使用できる空きリソースが不足しています。",
    ),
    31: (
        "This device is not working properly because Windows cannot load the drivers required for this device.",
        "该设备未正常工作，因为 Windows 无法加载该设备所需的驱动程序。",
        "Das Gerät arbeitet nicht ordnungsgemäß, da Windows die für das Gerät erforderlichen Treiber nicht laden kann.",
        "Ce périphérique ne fonctionne pas correctement car Windows ne peut pas charger les pilotes nécessaires pour ce périphérique.",
        "Este dispositivo no funciona correctamente porque Windows no puede cargar los controladores necesarios para este dispositivo.",
        "Устройство работает неправильно, так как Windows не удается загрузить необходимые драйверы.",
        "このデバイスに必要なドライバーを読み込めないため、このデバイスは正常に動作していません。",
    ),
    43: (
        "Windows has stopped this device because it has reported problems.", "由于该设备有问题，Windows 已将其停止。",
        "Das Gerät wurde angehalten, weil es Fehler gemeldet hat.",
        "Windows a arrêté ce périphérique car il a signalé des problèmes.",
        "Windows ha detenido este dispositivo porque ha reportado problemas.",
        "Система Windows остановила это устройство, так как оно сообщило о возникновении неполадок.",
        "問題が発生したため、このデバイスは Windows によって停止されました。",
    ),
    52: (
        "Windows cannot verify the digital signature for the drivers required for this device.",
        "Windows 无法验证此设备所需的驱动程序的数字签名。",
        "Die digitale Signatur der für dieses Gerät erforderlichen Treiber kann nicht überprüft werden.",
        "Windows ne peut pas vérifier la signature numérique des pilotes requis pour ce périphérique.",
        "Windows no puede comprobar la firma digital de los controladores requeridos para este dispositivo.",
        "Не удается проверить цифровую подпись драйверов, необходимых для данного устройства.",
        "このデバイスに必要なドライバーのデジタル署名を検証できません。",
    ),
}  # fmt: skip
SPOKEN = [(code, text) for code, texts in SENTENCES.items() for text in texts]
WORDS = ("Code", "代码", "Code", "Code", "Código", "Код", "コード")


@pytest.mark.parametrize(("code", "text"), SPOKEN)
def test_each_sentence_has_one_code(code: int, text: str) -> None:
    assert codes_of_sentences(text) == [code]


# What WMI of a German, Spanish and Japanese Windows says of these codes (ConfigManagerErrorCode).
WMI = {
    12: (
        "Dieses Gerät kann keine ausreichenden freien Ressourcen finden, die verwendet werden können.",
        "Este dispositivo no encuentra suficientes recursos libres para usar.",
        "このデバイスが使用できる空きリソースが不足しています。",
    ),
    14: (
        "Sie müssen den Computer neu starten, damit dieses Gerät ordnungsgemäß funktioniert.",
        "Este dispositivo no funcionará correctamente hasta que reinicie su equipo.",
        "コンピュータを再起動するまでこのデバイスは正しく動作しません。",
    ),
    18: (
        "Die Treiber für dieses Gerät müssen erneut installiert werden.",
        "Vuelva a instalar los controladores de este dispositivo",
        "このデバイスのドライバを再インストールする必要があります。",
    ),
    24: (
        "Dieses Gerät ist entweder nicht vorhanden, funktioniert nicht ordnungsgemäß, oder es wurden nicht alle Treiber installiert.",
        "Este dispositivo no está presente, no funciona correctamente o no tiene todos los controladores instalados.",
        "このデバイスが存在しないか、正しく動作していないか、またはインストールされていないドライバがあります。",
    ),
    28: (
        "Die Treiber für dieses Gerät wurden nicht installiert.",
        "Los controladores de este dispositivo no están instalados.",
        "このデバイスのドライバがインストールされていません。",
    ),
    31: (
        "Das Gerät funktioniert nicht ordnungsgemäß, da Windows die für das Gerät erforderlichen Treiber nicht laden kann.",
        "Este dispositivo no funciona correctamente porque Windows no puede cargar los controladores requeridos.",
        "このデバイスに必要なドライバを読み込めないため、このデバイスは正しく動作していません。",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in WMI.items() for text in texts])
def test_what_wmi_says_is_confirmed(code: int, text: str) -> None:
    assert codes_of_sentences(text) == [code]
    assert is_confirmed(code, text)
    (found,) = analyze_text(f"NVIDIA GeForce RTX 3090\n{text}").findings
    assert (found.id, found.confidence) == (f"win-code-{code}", "likely")


@pytest.mark.parametrize(("code", "language"), [(43, 5), (43, 6), (52, 2), (52, 3), (31, 5), (10, 5)])
def test_a_sentence_that_nobody_compared_is_in_doubt(code: int, language: int) -> None:
    text = f"NVIDIA GeForce RTX 3090: {SENTENCES[code][language]}"
    first, doubt = analyze_text(text).findings
    assert (first.id, first.confidence, first.action) == (f"win-code-{code}", "possible", "collect-more")
    assert doubt.id == "win-code-words-only"
    (sure,) = analyze_text(f"{text} ({WORDS[language]} {code})").findings
    assert sure.confidence == "likely"


@pytest.mark.parametrize("code", SENTENCES)
@pytest.mark.parametrize("language", range(7))
def test_the_number_alone_and_with_its_sentence(code: int, language: int) -> None:
    suffix = f" ({WORDS[language]} {code})"
    assert code_in(suffix.strip()) == code
    text = SENTENCES[code][language] + suffix
    assert code_in(text) == code
    assert contradiction(code, text) == ""
    other = next(one for one in SENTENCES if one != code)
    assert f"that of code {other}" in contradiction(code, SENTENCES[other][language] + suffix)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("12 (0x0C) [CM_PROB_NORMAL_CONFLICT]", 12), ("12 (0x0C)", 12), ("12 [CM_PROB_NORMAL_CONFLICT]", 12),
        ("CM_PROB_FAILED_POST_START", 43), ("0000000C", 12), ("0000002B", 43), ("0x0000002B", 43), ("0x1f", 31),
        ("43", 43), ("99", None), ("0000", None), ("000000FF", None), ("OK", None), ("", None), ("8 [CM_PROB_FAILED_START]", 10),
    ],
)  # fmt: skip
def test_values_of_the_property(value: str, code: int | None) -> None:
    assert code_of_value(value) == code


@pytest.mark.parametrize(
    "key",
    ["Problem Code", "Problem code", "Problemcode", "Code problème", "Código de problema", "Код проблемы", "问题代码", "問題コード"],
)
def test_the_details_of_a_device_in_any_language(key: str) -> None:
    (found,) = records(f"{key}: 0000000C", WindowsDevice())
    assert (found.fields["device_code"], found.fields["symbol"]) == (12, "CM_PROB_NORMAL_CONFLICT")


@pytest.mark.parametrize(
    "text",
    [
        "RTX 3070 Laptop, Windows 11: Code 43 after the driver update", "RTX 3060 代码43 怎么解决",
        "Grafikkarte RTX 3060 Fehlercode 43 nach Treiberupdate", "GeForce GTX 1660 код 43 после обновления драйвера",
        "RTX 4070 コード 43 が出ます", "RTX 3060 código 43 después de actualizar", "GeForce RTX 3060 : code 43 depuis hier",
    ],
)  # fmt: skip
def test_a_card_and_its_number(text: str) -> None:
    assert code_in(text) == 43


@pytest.mark.parametrize(
    "text",
    [
        "RTX 3090: CUDA error code 10 in kernel launch", "python on RTX 4090 exited with code 10", "npm ERR! code 1",
        "NVENC on RTX 3060: encoder returned error code 10", "RTX 3090 code 3", "Problem: 12 of 40 failed", "code 43",
    ],
)  # fmt: skip
def test_codes_of_programs_are_none_of_a_device(text: str) -> None:
    assert code_in(text) is None


@pytest.mark.parametrize(
    ("code", "text", "told"),
    [
        (12, "12 (0x0C) [CM_PROB_DRIVER_FAILED_LOAD]", "CM_PROB_DRIVER_FAILED_LOAD is code 39"),
        (12, "12 [CM_PROB_DRIVER_FAILED_LOAD]", "CM_PROB_DRIVER_FAILED_LOAD is code 39"),
        (12, "12 (0x2B)", "two codes"),
        (12, "12 (0x0C) [CM_PROB_NORMAL_CONFLICT]", ""),
        (12, "12 (0x0C) [CM_PROB_OF_TOMORROW]", ""),
        (45, "This device cannot start. (Code 45)", ""),
        (43, "(Code 43)", ""),
    ],
)
def test_what_contradicts_a_number(code: int, text: str, told: str) -> None:
    found = contradiction(code, text)
    assert told in found
    assert bool(found) == bool(told)


def test_symbols() -> None:
    assert symbol(43) == "CM_PROB_FAILED_POST_START"
    assert symbol(2) == ""
    assert len(SYMBOLS) == 42


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Problemcode: 12 [CM_PROB_DRIVER_FAILED_LOAD]", 12),
        ("Windows 无法加载这个硬件的设备驱动程序。驱动程序可能已损坏或不见了。 (代码 3)", 3),
        ("Windows a arrêté ce périphérique car il a signalé des problèmes. (Code 12)", 12),
    ],
)
def test_a_contradiction_is_said_and_looked_at_first(text: str, code: int) -> None:
    top, conflict = analyze_text(text).findings
    assert (top.id, top.confidence, top.action) == (f"win-code-{code}", "possible", "collect-more")
    assert top.why.startswith(f"the number says code {code}, but ")
    assert conflict.id == "win-code-text-conflict"
    assert top.playbook is not None
    assert top.playbook.steps[0].command == ["devmgmt.msc"]
    assert "Get-PnpDevice" in str(top.playbook.steps[1].command)
    assert top.playbook.steps[-1].section == "Verify", "the steps of the code itself follow"
