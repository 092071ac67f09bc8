"""The headings of event texts in many languages, and the property names of PowerShell."""

from __future__ import annotations

import re

from triage import lazy

_WORDS = {
    "log": "log name|logname|日志名称|protokollname|nom du journal|"
    "nombre de registro|имя журнала|ログの名前|nome registro|"
    "nome do log|nome do registo|nazwa dziennika|로그 이름|記錄檔名稱|logboeknaam|kanál|günlük adı",
    "provider": "source|来源|源|quelle|origen|источник|ソース|origine|fonte|źródło|원본|"
    "來源|providername|provider name|"
    "provider|bron|kaynak",
    "time": "date|日期|datum|fecha|дата|日付|data|날짜|timecreated|timegenerated|"
    "timewritten|date and time|date et heure|"
    "日期和时间|datum und uhrzeit|fecha y hora|дата и время|日付と時刻|tarih|logged",
    "event_id": "event id|eventid|事件 id|ereignis-id|id de l'événement|id événement|id. de evento|id. del evento|"
    "id del evento|id de evento|код события|イベント id|id evento|id do evento|identificação do evento|"
    "identyfikator zdarzenia|이벤트 id|事件識別碼|id|gebeurtenis-id|olay kimliği|instanceid",
    "level": "level|级别|等级|ebene|niveau|nivel|уровень|レベル|livello|nível|poziom|수준|層級|leveldisplayname|"
    "entrytype|düzey",
    "host": "computer|计算机|计算机名|ordinateur|equipo|компьютер|コンピューター|machinename|"
    "電腦|computador|komputer|컴퓨터",
    "message": "description|描述|说明|beschreibung|descripción|описание|説明|descrizione|descrição|opis|설명|message|"
    "nachricht|meldung|beschrijving|消息",
    "values": "replacementstrings|properties",
    "other": "task|task category|任务类别|aufgabenkategorie|catégorie de la tâche|"
    "категория задачи|categoría de la tarea|"
    "タスクのカテゴリ|keywords|keyword|关键字|schlüsselwörter|mots clés|palabras clave|"
    "ключевые слова|キーワード|user|用户|"
    "benutzer|utilisateur|usuario|пользователь|ユーザー|opcode|操作代码|user name|用户名|"
    "record number|index|category|"
    "categorynumber|username|version|qualifiers|recordid|processid|threadid|userid|activityid|relatedactivityid|"
    "containerlog|matchedqueryids|bookmark|opcodedisplayname|taskdisplayname|"
    "keywordsdisplaynames|providerid|site|container",
}
FIELD_OF: dict[str, str] = {word: name for name, words in _WORDS.items() for word in words.split("|")}
POWERSHELL = frozenset((
    "timecreated", "providername", "id", "message", "leveldisplayname", "machinename", "entrytype", "timegenerated",
    "instanceid", "index", "eventid", "replacementstrings", "properties", "version", "qualifiers",
))  # fmt: skip
CHANNEL = lazy.pattern(r"^(?:System|Application|Security|Setup|HardwareEvents|ForwardedEvents|[\w-]+(?: [\w-]+)*/\w+)$")
PAIR = lazy.pattern(r"^([ \t]*)([^:：\n]{1,40}?)[ \t\u00a0]*[:：][ \t\u00a0]*(.*?)\s*$")


def field_of(heading: str) -> str:
    """The field that a heading names (provider, event_id, time, level, host, message, ...), or an empty string."""
    clean = re.sub(r"[\s\u00a0]+", " ", heading.replace("\u2019", "'").strip(" \"'*>\ufeff")).lower()
    return FIELD_OF.get(clean, "")
