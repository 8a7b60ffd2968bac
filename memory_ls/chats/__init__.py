"""From a chat log's text to its messages. Pure: nothing here opens a file, reads a clock or knows of the protocol."""

from memory_ls.chats.message import ChatLog, Message, Role, tool_call
from memory_ls.chats.reading import FORMATS, from_messages, read, read_lines

__all__ = ["FORMATS", "ChatLog", "Message", "Role", "from_messages", "read", "read_lines", "tool_call"]
