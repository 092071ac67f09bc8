"""The sentences of Device Manager, code by code, in the languages in which people paste them.

English: https://learn.microsoft.com/windows-hardware/drivers/install/device-manager-error-messages. Chinese: the
dialog, WMI and the translated pages, which differ. German, Spanish and Japanese up to code 31: what WMI of such a
Windows says of the property ConfigManagerErrorCode, as generated classes in public programs repeat it. German, French
and Spanish 10 and 43, Russian 28: the dialog as public posts quote it. French and Russian 12: the translated pages of
that property. The sentences of `_UNCONFIRMED` were compared with no Windows of their language: a code that only such
a sentence tells is in doubt. The number of a code always decides before its sentence.
"""

from __future__ import annotations

from triage import lazy

_CONFIRMED: dict[int, str] = {
    1: (
        r"device is not configured correctly|未正确配置该设备|此设备的配置不正确"
        r"|dispositivo no está configurado correctamente"
    ),
    3: (
        r"or your system may be running low on memory|驱动程序可能已损坏，或者(?:您的)?系统的?内存"
        r"|dañado,? o .{0,40}memoria|壊れているか、.{0,20}メモリ"
    ),
    10: (
        r"This device cannot start\.|(?:该|此)设备无法启动|Gerät kann nicht gestartet werden"
        r"|périphérique ne peut pas démarrer|dispositivo no puede iniciar|デバイスを開始できません"
    ),
    12: (
        r"cannot find enough free resources that it can use|设备找不到足够(?:的可用)?资源"
        r"|genügend freie Ressourcen|ausreichenden freien Ressourcen|trouver suffisamment de ressources"
        r"|suficientes recursos libres|достаточно свободных ресурсов|空きリソース"
    ),
    14: (
        r"until you restart your computer|在重新启动计算机之前|neu starten, damit dieses Gerät|hasta que reinicie"
        r"|再起動するまで.{0,12}デバイス"
    ),
    18: (
        r"^Reinstall the drivers for this device|重新安装(?:该|此)设备的驱动程序"
        r"|Treiber für dieses Gerät müssen erneut installiert|^Vuelva a instalar los controladores"
        r"|ドライバー?を再インストールする必要"
    ),
    19: r"configuration information \(in the registry\) is incomplete|注册表.{0,10}配置信息不完整",
    22: (
        r"This device is disabled\.|已禁用该设备。|此设备已禁用|Gerät (?:wurde|ist) deaktiviert"
        r"|dispositivo está (?:des|in)habilitado"
    ),
    24: (
        r"or does not have all its drivers installed|未正常工作或没有安装其所有驱动程序"
        r"|entweder nicht vorhanden, funktioniert nicht|no está presente, no funciona correctamente o no tiene"
        r"|存在しないか、正しく動作していないか"
    ),
    28: (
        r"drivers for this device are not installed|设备的驱动程序未(?:被)?安装"
        r"|Treiber für dieses Gerät (?:wurden|sind) nicht installiert"
        r"|controladores de este dispositivo no están instalados|не установлены драйверы"
        r"|ドライバー?がインストールされていません"
    ),
    31: (
        r"Windows cannot load the drivers required for this device|因为 Windows 无法加载(?:该|此)设备所需的驱动程序"
        r"|erforderlichen Treiber nicht (?:geladen|laden)|cargar los controladores (?:necesarios|requeridos)"
        r"|必要なドライバー?を(?:読み込|ロード)"
    ),
    37: r"cannot initialize the device driver for this hardware|无法初始化(?:此|该|这个)硬件的设备驱动程序",
    38: r"a previous instance of the device driver is still in memory|驱动程序的前一个实例仍在内存中",
    39: (
        r"driver may be corrupted or missing|驱动程序可能已损坏或(?:不见了|丢失)"
        r"|无法加载(?:这个|此|该)硬件的设备驱动程序|cannot load the device driver for this hardware"
    ),
    43: (
        r"stopped this device because it has reported problems|由于(?:该|此)设备有问题，Windows 已将其停止"
        r"|已停止此设备，因为它(?:已)?报告了问题|angehalten, (?:weil|da) es (?:Fehler|Probleme|ein Problem) gemeldet"
        r"|a arrêté ce périphérique|ha detenido este dispositivo"
    ),
    45: r"is not connected to the computer|硬件设备(?:当前|现在)未连接到计算机",
    52: (
        r"cannot verify the digital signature for the drivers? required|无法验证(?:此|该)设备所需的?驱动程序的数字签名"
    ),
}  # fmt: skip
_UNCONFIRMED: dict[int, str] = {
    3: r"beschädigt, oder .{0,40}(?:Arbeitss|S)peicher|endommagé, ou .{0,40}mémoire|поврежд[её]н,? или .{0,40}памят",
    10: r"[Зз]апуск этого устройства невозможен",
    12: r"[Нн]едостаточно ресурсов для работы",
    14: r"erst nach einem Neustart|avant (?:que vous (?:ne )?redémarriez|le redémarrage)",
    19: r"Konfigurationsinformationen \(in der Registrierung\)",
    22: r"périphérique est désactivé|устройство отключено|デバイスは無効",
    28: r"pilotes de ce périphérique ne sont pas installés|No se han instalado los controladores",
    31: (
        r"charger les pilotes (?:nécessaires|requis)"
        r"|загрузить (?:для него )?(?:нужные|необходимые) драйверы"
    ),
    37: (
        r"Gerätetreiber für diese Hardware kann nicht initialisiert|inicializar el controlador"
        r"|initialiser le pilote|инициализировать драйвер|ドライバーを初期化"
    ),
    39: (
        r"Gerätetreiber für diese Hardware kann nicht geladen|beschädigt oder (?:nicht vorhanden|fehlt)"
        r"|pilote de périphérique (?:pour|de) ce matériel|controlador de dispositivo para este hardware"
        r"|загрузить драйвер (?:для )?этого оборудования|поврежд[её]н или отсутствует"
        r"|壊れているか、.{0,30}(?:ない|見つからない)"
    ),
    43: r"остановила это устройство|Windows によって停止|このデバイスを停止",
    45: (
        r"nicht an den Computer angeschlossen|n.est pas connecté à l.ordinateur"
        r"|no está conectado al (?:equipo|ordenador)|не подключено к компьютеру|コンピューターに接続されていません"
    ),
    52: (
        r"digitale Signatur der (?:für dieses Gerät erforderlichen )?Treiber|vérifier la signature numérique"
        r"|comprobar la firma digital|проверить цифровую подпись|デジタル署名を(?:検証|確認)"
    ),
}  # fmt: skip
_PATTERNS = {
    code: [lazy.pattern(table[code]) for table in (_CONFIRMED, _UNCONFIRMED) if code in table]
    for code in sorted(_CONFIRMED)
}
_WORDS = ("device", "hardware", "drivers for", "dispositivo", "controlador")
_FOREIGN = lazy.pattern(
    "Gerät|Treiber|périphérique|pilote|dispositivo|controlador|устройств|драйвер|デバイス|ドライバ|设备|驱动"
)


def codes_of_sentences(text: str) -> list[int]:
    """The codes whose sentences stand in `text`, the smallest first."""
    spoken = any(word in text for word in _WORDS) if text.isascii() else _hinted(text)
    return [code for code, kinds in _PATTERNS.items() if any(k.search(text) for k in kinds)] if spoken else []


def is_confirmed(code: int, text: str) -> bool:
    """Whether a sentence of the code stands in `text` that was compared with a Windows of its language."""
    return _PATTERNS[code][0].search(text) is not None


def _hinted(text: str) -> bool:
    return "device" in text or "hardware" in text or _FOREIGN.search(text) is not None
