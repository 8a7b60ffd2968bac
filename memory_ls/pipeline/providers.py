"""Who extracts and consolidates, as the settings say: a model, or rules that need none."""

from __future__ import annotations

from dataclasses import dataclass

from memory_ls.pipeline.consolidate import ModelConsolidator
from memory_ls.pipeline.extract import ModelExtractor, Progress
from memory_ls.pipeline.models import anthropic, command
from memory_ls.pipeline.models.model import Meter, Model, ModelError, Usage
from memory_ls.pipeline.values import Consolidator, Extractor
from memory_ls.settings import Provider as ProviderName
from memory_ls.settings import Settings


@dataclass(frozen=True, slots=True)
class Provider:
    """Both halves of the work, for one run. ``meter`` has counted what was asked; ``None`` where no model is asked."""

    name: ProviderName
    extractor: Extractor
    consolidator: Consolidator
    meter: Meter | None = None


def provider_name(
    settings: Settings, *, key: str | None = None, has_editor: bool = False, is_trusted: bool = True
) -> ProviderName:
    """Which provider the settings choose: with ``auto`` the first that is configured, else ``offline``.

    ``key`` is one for Anthropic's API that an editor has kept. Where the workspace is not trusted no model is asked.
    """
    if not is_trusted:
        return "offline"
    if settings.provider != "auto":
        return settings.provider
    return configured(settings, key=key, has_editor=has_editor)[0]


def configured(settings: Settings, *, key: str | None = None, has_editor: bool = False) -> tuple[ProviderName, ...]:
    """The providers that somebody has said how to use, in the order in which `auto` prefers them; `offline` always."""
    found: dict[ProviderName, bool] = {
        "anthropic": anthropic.is_configured(settings, key),
        "command": command.is_configured(settings),
        "editor": has_editor,
        "offline": True,
    }
    return tuple(name for name, is_there in found.items() if is_there)


def provider_for(
    settings: Settings,
    *,
    key: str | None = None,
    editor: Model | None = None,
    is_trusted: bool = True,
    extracting: Progress | None = None,
    consolidating: Progress | None = None,
) -> Provider:
    """The provider that the settings choose. ``editor`` is a model that the editor runs, if it has one.

    Raises:
        ModelError: the settings choose an editor's model, and there is none.
    """
    name = provider_name(settings, key=key, has_editor=editor is not None, is_trusted=is_trusted)
    match name:
        case "anthropic":
            model: Model = anthropic.AnthropicModel(settings, key)
        case "command":
            model = command.CommandModel(settings)
        case "editor":
            if editor is None:
                raise ModelError(
                    "notFound", "No editor is there whose model could be asked.", "Choose another `provider`.", Usage()
                )
            model = editor
        case _:
            return _offline(extracting, consolidating)
    meter = Meter(model)
    return Provider(
        name,
        ModelExtractor(meter, settings, extracting),
        ModelConsolidator(meter, settings, consolidating),
        meter,
    )


def _offline(extracting: Progress | None, consolidating: Progress | None) -> Provider:
    from memory_ls.pipeline.offline import OfflineConsolidator, OfflineExtractor  # their rules take time to load

    return Provider("offline", OfflineExtractor(extracting), OfflineConsolidator(consolidating))
