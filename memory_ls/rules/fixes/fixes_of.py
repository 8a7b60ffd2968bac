"""The fixes of any finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memory_ls.rules.discreet import told
from memory_ls.rules.fixes import content, dates, frontmatter, index, keys, links, naming
from memory_ls.rules.fixes.fix import Fix, Maker, document_of
from memory_ls.rules.registry import Context, Diagnostic

_MAKERS: Mapping[str, Maker] = {
    "frontmatter-unclosed": frontmatter.unclosed,
    "frontmatter-invalid": frontmatter.invalid,
    "duplicate-key": frontmatter.duplicate_key,
    "damaged-metadata": frontmatter.damaged_metadata,
    "value-cut": frontmatter.value_cut,
    "value-type": frontmatter.value_type,
    "frontmatter-missing": keys.frontmatter_missing,
    "name-missing": keys.name_missing,
    "description-missing": keys.description_missing,
    "type-missing": keys.type_missing,
    "type-unknown": keys.type_unknown,
    "type-conflict": keys.type_conflict,
    "name-unsafe": naming.unsafe,
    "name-not-kebab": naming.not_kebab,
    "name-differs-from-file": naming.differs_from_file,
    "index-dead-link": index.dead_link,
    "index-duplicate-entry": index.duplicate_entry,
    "index-over-limit": index.over_limit,
    "index-content": index.content,
    "index-missing": index.missing,
    "memory-not-indexed": index.not_indexed,
    "link-dead": links.dead,
    "link-dead-file": links.dead,
    "link-ambiguous": links.ambiguous,
    "link-dead-anchor": links.dead_anchor,
    "link-case": links.wrong_case,
    "link-self": links.to_itself,
    "feedback-structure": content.feedback_structure,
    "relative-date": dates.relative,
    "mojibake": content.mojibake,
    "line-endings-mixed": content.line_endings,
}


def fixes_of(context: Context, key: str, finding: Diagnostic) -> list[Fix]:
    """What may mend a finding in the document ``key``, the preferred one first.

    The finding must be one of the document as the context's directory has it.
    """
    maker = _MAKERS.get(finding.code)
    if maker is None:
        return []
    fixes = list(maker(context, key, finding))
    titles = told(document_of(context, key), [fix.title for fix in fixes]) if fixes else []
    return [replace(fix, title=title) for fix, title in zip(fixes, titles, strict=True)]


def safe_fix(context: Context, key: str, finding: Diagnostic) -> Fix | None:
    """What mends a finding without asking, if anything does."""
    return next((fix for fix in fixes_of(context, key, finding) if fix.safe), None)


def preferred_fix(context: Context, key: str, finding: Diagnostic) -> Fix | None:
    """What mends a finding best, where that can be told."""
    return next((fix for fix in fixes_of(context, key, finding)[:1] if not fix.is_choice), None)


def has_fixes(code: str) -> bool:
    """Whether there is anything that may mend a finding of the rule ``code``."""
    return code in _MAKERS
