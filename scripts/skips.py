"""Skips tests whose programs or files are absent, and lists them in the file NULLWINDOW_SKIPS (see .ci/run)."""

from __future__ import annotations

import os
import unittest
from typing import Any


def skip_unless(condition: object, where: str, reason: str) -> Any:
    """`unittest.skipUnless` that also records the skip; `where` names the tests."""
    listing = os.environ.get("NULLWINDOW_SKIPS")
    if not condition and listing:
        with open(listing, "a", encoding="utf-8") as file:
            file.write(f"{where}: {reason}\n")
    return unittest.skipUnless(condition, reason)
