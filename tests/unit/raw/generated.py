"""A generated corpus as tests read it."""

import json
from dataclasses import dataclass
from pathlib import Path

import polars as pl


@dataclass(frozen=True)
class Corpus:
    tables: dict[str, pl.DataFrame]
    translation: dict[str, str]
    titles: dict[str, str]

    @property
    def domestic(self) -> pl.DataFrame:
        return self.tables["company_profile"].filter(pl.col("companyType") != "国外")

    @property
    def operation(self) -> pl.DataFrame:
        return pl.concat([self.tables["company_operation_status"], self.tables["company_operation_history"]])


def read(folder: Path) -> Corpus:
    companies, titles = (
        json.loads((folder / f"{what}_translation_english_chinese.json").read_text(encoding="utf-8"))
        for what in ("company", "policy")
    )
    return Corpus({path.stem: pl.read_parquet(path) for path in folder.glob("*.parquet")}, companies, titles)
