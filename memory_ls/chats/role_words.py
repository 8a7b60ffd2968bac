"""What the two sides of a chat are called in transcripts, in many languages."""

from __future__ import annotations

from memory_ls.chats.message import Role

_WORDS = {
    Role.USER: """
        user, human, customer, prompt, you
        用户, 使用者, 用戶, 人类, 人類, ユーザー, ユーザ, 人間, 사용자, 유저
        utilisateur, utilisatrice, usuario, usuária, usuário, utilizador, benutzer, benutzerin, nutzer, utente
        gebruiker, bruger, bruker, användare, käyttäjä, użytkownik, uživatel, felhasználó, utilizator, χρήστης
        пользователь, користувач, потребител, корисник, kullanıcı, KULLANICI, pengguna, người dùng, ผู้ใช้
        المستخدم, مستخدم, کاربر, משתמש, उपयोगकर्ता, ব্যবহারকারী, பயனர், მომხმარებელი, օգտատեր
    """,
    Role.ASSISTANT: """
        assistant, ai, ai assistant, agent, bot, claude, claude code, chatgpt, gpt, gemini, copilot, github copilot
        cursor, codex, aider, llm
        助手, 助理, ai助手, 智能体, 智能助手, 机器人, 機器人, アシスタント, 어시스턴트, 도우미, 비서
        assistente, asistente, assistent, assistentin, avustaja, asystent, asystentka, asszisztens, βοηθός
        ассистент, помощник, асистент, помічник, asistan, ASİSTAN, asisten, trợ lý, ผู้ช่วย
        المساعد, مساعد, دستیار, עוזר, सहायक, সহকারী, உதவியாளர், ასისტენტი, օգնական
    """,
    Role.SYSTEM: """
        system, 系统, 系統, システム, 시스템, système, sistema, systeem, järjestelmä, rendszer, система, sistem
        hệ thống, النظام, מערכת, सिस्टम
    """,
    Role.TOOL: """
        tool, tool result, tool results, tool output, 工具, 工具结果, 工具輸出, 工具输出, ツール, 도구
        outil, herramienta, ferramenta, werkzeug, strumento, narzędzie, инструмент, araç, công cụ, أداة, כלי, उपकरण
    """,
}

_ROLES = {
    word.strip(): role
    for role, listed in _WORDS.items()
    for word in listed.replace("\n", ",").split(",")
    if word.strip()
}
# As they may be written, but for upper and lower case where Unicode pairs the two.
WORDS = tuple(_ROLES)
ROLE_OF = {word.casefold(): role for word, role in _ROLES.items()}
