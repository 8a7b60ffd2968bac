"""Extraction and consolidation without a model: what a user states outright, by rules for each language."""

from memory_ls.pipeline.offline.consolidator import OfflineConsolidator
from memory_ls.pipeline.offline.extractor import OfflineExtractor

__all__ = ["OfflineConsolidator", "OfflineExtractor"]
