"""VS Code's Copilot Chat: one JSON object for each chat, or a journal of the changes that make it."""

from __future__ import annotations

from typing import Any

from memory_ls.chats.conversation import Conversation
from memory_ls.chats.message import ChatLog, Role, tool_call
from memory_ls.chats.records import Records
from memory_ls.chats.values import mapping, sequence, string, time_of, words

FORMAT = "copilot"
_REQUESTS = "requests"
_SESSION = "sessionId"
_LINE = "line of the log"
_WHOLE, _SET, _APPEND, _DELETE = range(4)
# What is kept of a request while a log is being read; the rest, most of it what the model was shown, can be large.
_KEPT = frozenset(
    {
        *("requestId", "responseId", "timestamp", "message", "response"),
        *("shouldBeRemovedOnSend", "isSystemInitiated", "hiddenFromTranscript"),
    }
)
_KEPT_OF_ITEM = frozenset({"kind", "value", "content", "name", "toolId"})


def read(records: Records) -> ChatLog:
    """What was asked and answered, without the requests that were undone."""
    found = Conversation(FORMAT)
    chat: dict[str, Any] = {_REQUESTS: []}
    for record in records:
        row = record.value
        if record.container == _REQUESTS:
            chat[_REQUESTS].append(_slim(row, record.line))
        elif is_change(row):
            path = sequence(row.get("k"))
            if row["kind"] == _WHOLE:
                chat = {_REQUESTS: []}
                _take_over(chat, mapping(row.get("v")), record.line)
            elif path and (path == [_SESSION] or path[0] == _REQUESTS):
                _change(chat, row["kind"], path, _slim_at(path, row.get("v"), record.line), row.get("i"))
        else:
            _take_over(chat, row, record.line)
    found.session_id = string(chat.get(_SESSION))
    for request in sequence(chat.get(_REQUESTS)):
        _add(found, mapping(request))
    return found.log(records.unreadable)


def is_change(row: dict[str, Any]) -> bool:
    """Whether an object is a line of a journal."""
    kind = row.get("kind")
    return isinstance(kind, int) and kind in range(4) and ("v" in row or "k" in row)


def _take_over(chat: dict[str, Any], row: dict[str, Any], line: int | None) -> None:
    chat[_SESSION] = chat.get(_SESSION) or row.get(_SESSION)
    chat[_REQUESTS] += [_slim(each, line) for each in sequence(row.get(_REQUESTS))]


def _change(root: object, kind: int, path: list[Any], value: object, start: object) -> None:
    """Makes the change that a line of a journal tells, if what it is about is there."""
    for step in path[:-1]:
        root = _child(root, step)
    last = path[-1]
    if kind == _APPEND:
        items = _child(root, last)
        if items is None and isinstance(root, dict) and isinstance(last, str):
            items = root[last] = []
        if isinstance(items, list):
            items[_index(start, items) :] = sequence(value)
    elif isinstance(root, dict) and isinstance(last, str):
        root[last] = None if kind == _DELETE else value
    elif isinstance(root, list) and (_index(last, root) < len(root) or last == len(root)):
        number = _index(last, root)
        root[number : number + 1] = [] if kind == _DELETE else [value]


def _child(value: object, step: object) -> Any:
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step)
    number = _index(step, value) if isinstance(value, list) else 0
    return value[number] if isinstance(value, list) and number < len(value) else None


def _index(value: object, items: list[Any]) -> int:
    """``value`` if an item of ``items`` has that number, else the number of items."""
    is_index = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(items)
    return value if is_index and isinstance(value, int) else len(items)


def _slim_at(path: list[Any], value: object, line: int | None) -> object:
    """What is kept of a value that a journal puts at ``path``."""
    if len(path) == 1 and path[0] == _REQUESTS:
        return [_slim(each, line) for each in sequence(value)]
    if len(path) == 2:
        return _slim(value, line)
    if len(path) == 3:
        return _slim({path[2]: value}, line).get(path[2]) if isinstance(path[2], str) else None
    return _slim_item(value) if len(path) == 4 and path[2] == "response" else value


def _slim(request: object, line: int | None) -> dict[str, Any]:
    """What is kept of a request."""
    kept = {key: value for key, value in mapping(request).items() if key in _KEPT}
    kept[_LINE] = line
    if "message" in kept:
        text = kept["message"] if isinstance(kept["message"], str) else mapping(kept["message"]).get("text")
        kept["message"] = {"text": text}
    if "response" in kept:
        kept["response"] = [_slim_item(each) for each in sequence(kept["response"])]
    return kept


def _slim_item(item: object) -> dict[str, Any]:
    if isinstance(item, str):
        return {"value": item}
    return {key: value for key, value in mapping(item).items() if key in _KEPT_OF_ITEM}


def _add(found: Conversation, request: dict[str, Any]) -> None:
    if request.get("shouldBeRemovedOnSend") or request.get("hiddenFromTranscript") is True:
        return
    time, line = time_of(request.get("timestamp")), request.get(_LINE)
    if request.get("isSystemInitiated") is not True:
        question = words(mapping(request.get("message")).get("text"))
        found.add(Role.USER, question, time, string(request.get("requestId")), line)
    answer = "".join(_piece(mapping(item)) for item in sequence(request.get("response")))
    found.add(Role.ASSISTANT, answer, time, string(request.get("responseId")), line)


def _piece(item: dict[str, Any]) -> str:
    """What an item adds to an answer, which is in pieces wherever the model did something between."""
    kind = item.get("kind")
    if kind == "toolInvocationSerialized":
        return f"\n\n{tool_call(string(item.get('toolId')) or '?')}\n\n"
    if kind == "inlineReference":
        return words(item.get("name"))
    if kind is None or kind == "markdownContent":
        value = item.get("value") or item.get("content")
        return words(value) or words(mapping(value).get("value"))
    return ""
