"""Builds of Silt by its command line, each in a process of its own and a fresh folder, beside the floor and the peers.

Belongs here: what is run, in which order, and beside what it is shown. How a process is measured is in `measure.py`, what is to
be reached in `targets.py`.
"""

import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from benchmarks.clusters import dask_cluster, has_spark, spark_cluster
from benchmarks.measure import PEERS, ROOT, Cost, measured
from benchmarks.targets import (
    ARCHIVED,
    FLOORS,
    ONE_MACHINE,
    PEER_MEMORY,
    PEER_SECONDS,
    PER_RECORD,
    PROCESSOR_PER_RECORD,
    Row,
)
from pipeline.places import default_specification

GENERATED, REAL = "dataclaw-18", "us-listed"

CHANGED_RULES = {GENERATED: "other names of total assets", REAL: "other names of measures"}
"""The rule whose rate is changed: of those that touch several tables, the long ones among them."""

CLUSTERS = {"dask": dask_cluster, **({"spark": spark_cluster} if has_spark() else {})}
"""What builds are made on beside this machine alone."""

FACTS = "facts.json"
"""File of what the peers know of the tables."""

_PYTHON = Path(sys.executable)
_HERE = {"PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": "1767225600"}
"""What is measured is the code beside the benchmarks, wherever the environment was set up; a release has a date."""


@dataclass(frozen=True, kw_only=True)
class Build:
    """A finished build of both variants, and what it took from nothing but its raw tables."""

    environment: str
    scale: float
    folder: Path
    """Where it was run, as if in a fresh checkout: keys, the record of builds and the output are below."""
    raw: Path
    options: tuple[str, ...]
    cost: Cost

    @property
    def title(self) -> str:
        """Return what was built."""
        return title(self.environment, self.scale)

    @property
    def built(self) -> Path:
        """Return the environment's output folder."""
        return self.folder / "out" / self.environment

    @property
    def rows(self) -> dict[str, int]:
        """Return the records of each table of the clean database."""
        files = json.loads((self.built / "clean/manifest.json").read_text(encoding="utf-8"))["files"]
        paths = {file["path"]: file["records"] for file in files if file["records"] is not None}
        return {path.removeprefix("database/"): n for path, n in paths.items() if path.startswith("database/")}

    @property
    def seconds_per_million(self) -> dict[str, float]:
        """Return what a million records took, on the clock and of processors."""
        millions = sum(self.rows.values()) / 1e6
        return {
            PER_RECORD: self.cost.seconds / millions,
            PROCESSOR_PER_RECORD: (self.cost.cpu_seconds or 0.0) / millions,
        }

    @property
    def noisy_cells(self) -> int:
        """Return how many cells the noise changed."""
        rules = json.loads((self.built / "noisy/reports/expectations.json").read_text(encoding="utf-8"))["rules"]
        return sum(rule["cells"] for rule in rules)

    def silt(self, *arguments: str) -> Cost:
        """Run a command of Silt where this build was made."""
        return _silt(self.folder, *arguments)

    def on(self, engine: str, variables: Mapping[str, str]) -> Cost:
        """Make this build again on an engine, into a folder of its own; return what its own process took."""
        options = ("build", "noisy", "clean", *self.options, "--out", "elsewhere", "--engine", engine)
        cost = _silt(self.folder, *options, variables=variables)
        shutil.rmtree(self.folder / "elsewhere")
        return cost


def title(environment: str, scale: float) -> str:
    """Return what is built; the full size is not named."""
    return environment if scale == 1 else f"{environment}, scale {scale:g}"


class Builds:
    """What is measured, each build made once, when it is first asked for."""

    def __init__(self, scratch: Path, *, scale: float, real: Path | None) -> None:
        self._scratch, self._scale = scratch, scale
        folder = real / REAL.replace("-", "_") if real else None
        self._raw_of_real = folder if folder and folder.is_dir() else None
        self.build, self.floor = cache(self._build), cache(self._floor)

    @property
    def _each(self) -> Iterator[Build]:
        yield self.build(GENERATED, self._scale)
        if self._raw_of_real:
            yield self.build(REAL, 1)

    def imports(self) -> Iterator[Row]:
        """Importing Silt and asking for help, beside an interpreter that does nothing and the peers' libraries."""
        empty = _best(_PYTHON, "-c", "pass")
        peers = _best(PEERS, "-c", "import pandas, faker, scipy.stats, tab_err, great_expectations")
        for name, cost in {
            "import silt": _best(_PYTHON, "-c", "import silt"),
            "silt --help": _best(_PYTHON.with_name("silt"), "--help"),
            "import of the peers": peers,
        }.items():
            ratios = {
                "x an empty interpreter": cost.seconds / empty.seconds,
                "x the peers": cost.seconds / peers.seconds,
            }
            yield Row(name=name, cost=cost, ratios=ratios)

    def floors(self) -> Iterator[Row]:
        """Reading the raw tables and writing the published bytes."""
        for build in self._each:
            seconds, written = self.floor(build)
            cost, note = Cost(seconds=seconds), f"{written / 1e6:.0f} MB written"
            yield Row(name=f"{build.title}: floor", cost=cost, ratios={FLOORS: 1.0}, note=note)

    def cold(self) -> Iterator[Row]:
        """Both variants with all evidence, the raw tables there and nothing else."""
        for build in self._each:
            yield self._beside_floor(build, "cold", build.cost)
            if build.environment == REAL:
                options = (*build.options, "--policy", "guarded", "--out", "guarded")
                yield self._beside_floor(build, "cold, guarded", build.silt("build", "noisy", "clean", *options))

    def unchanged(self) -> Iterator[Row]:
        """The same build again."""
        for build in self._each:
            yield self._beside_floor(build, "unchanged", build.silt("build", "noisy", "clean", *build.options))

    def rate(self) -> Iterator[Row]:
        """The same build with one rate of one rule changed."""
        for build in self._each:
            given = default_specification(build.environment).read_text(encoding="utf-8")
            changed = build.folder / "changed.yaml"
            changed.write_text(with_changed_rate(given, CHANGED_RULES[build.environment]), encoding="utf-8")
            options = (*build.options, "--noise", str(changed))
            yield self._beside_floor(build, "one rate changed", build.silt("build", "noisy", "clean", *options))

    def explain(self) -> Iterator[Row]:
        """Noise without evidence: what a specification does, with examples."""
        for build in self._each:
            options = ("--environment", build.environment, "--out", "out")
            specification = str(default_specification(build.environment))
            cost = build.silt("noise", "explain", specification, *options)
            yield self._beside_floor(build, "noise explained", cost)

    def release(self) -> Iterator[Row]:
        """What is done with a build: a release, verified and loaded by what the field reads it with, an audit, and tasks."""
        build = self.build(GENERATED, self._scale)
        made = build.silt("release", "--documented", "--version", "1.0.0", *build.options)
        folder = build.folder / f"releases/{GENERATED}-1.0.0"
        shares = {each.name: each.stat().st_size / _csv_bytes(folder, each) for each in folder.glob("*.tar.zst")}
        yield Row(name=f"{build.title}: released", cost=made, ratios={ARCHIVED: max(shares.values())})
        yield Row(name=f"{build.title}: verified", cost=build.silt("verify", str(folder)))
        named = ("--environment", GENERATED, "--out", "out")
        yield Row(name=f"{build.title}: audited", cost=build.silt("audit", "noisy", *build.options))
        yield Row(name=f"{build.title}: tasks", cost=build.silt("tasks", "make", "--impact", *named))
        cost, said = measured((_PYTHON, "-m", "tests.loaded", folder), ROOT, _HERE)
        yield Row(name=f"{build.title}: loaded", cost=cost, note="; ".join(said.splitlines()))

    def scales(self, scales: list[float]) -> Iterator[Row]:
        """Larger builds, by the time that a record takes, on the clock and of processors."""
        base = self.build(GENERATED, self._scale)
        for build in (base, *(self.build(GENERATED, scale) for scale in scales)):
            seconds, first = build.seconds_per_million, base.seconds_per_million
            ratios = {name: seconds[name] / first[name] for name in seconds}
            note = f"{seconds[PER_RECORD]:.2f} s a million of {sum(build.rows.values()):,} records"
            yield Row(name=f"{build.title}: cold", cost=build.cost, ratios=ratios, note=note)
            if build is not base:
                shutil.rmtree(build.folder)

    def engines(self, scales: list[float]) -> Iterator[Row]:
        """Builds on clusters of this machine beside those of one machine, by processor seconds of all processes."""
        for scale in scales:
            build = self.build(GENERATED, scale)
            yield Row(name=f"{build.title}: cold", cost=build.cost, ratios={ONE_MACHINE: 1.0})
            for name, cluster in CLUSTERS.items():
                folder = build.folder / name
                folder.mkdir()
                with cluster(folder) as started, started.watched() as spent:
                    cost = build.on(f"{name}://127.0.0.1:{started.port}", started.variables)
                    taken = (cost.cpu_seconds or 0.0) + sum(spent.values())
                ratio = taken / (build.cost.cpu_seconds or 1.0)
                whole = replace(cost, cpu_seconds=taken, peak_mb=None)
                yield Row(name=f"{build.title}: cold on {name}", cost=whole, ratios={ONE_MACHINE: ratio})

    def peer(self, scales: list[float]) -> Iterator[Row]:
        """What a user would write instead, at some scales, and the shares of its steps."""
        for scale in scales:
            build = self.build(GENERATED, scale)
            yield Row(name=f"{build.title}: cold", cost=build.cost, ratios={PEER_SECONDS: 1.0, PEER_MEMORY: 1.0})
            yield from _beside_silt(build, *_pipeline_of_peers(build))

    def _build(self, environment: str, scale: float) -> Build:
        folder = self._scratch / f"{environment}-{scale:g}"
        folder.mkdir()
        shutil.copy(ROOT / "dagster.yaml", folder)
        if environment == REAL and self._raw_of_real:
            raw, options = self._raw_of_real, ["--environment", REAL, "--raw", str(self._raw_of_real)]
        else:
            raw, options = _landed(scale, folder), ["--scale", f"{scale:g}"]
        options += ["--out", "out"]
        cost = _silt(folder, "build", "noisy", "clean", *options)
        return Build(environment=environment, scale=scale, folder=folder, raw=raw, options=tuple(options), cost=cost)

    def _floor(self, build: Build) -> tuple[float, int]:
        module = (_PYTHON, "-m", "benchmarks.floor", build.environment)
        said = measured((*module, build.raw, build.built, build.folder / "floor"), ROOT, _HERE)[1].split()
        return float(said[0]), int(said[1])

    def _beside_floor(self, build: Build, what: str, cost: Cost) -> Row:
        return Row(name=f"{build.title}: {what}", cost=cost, ratios={FLOORS: cost.seconds / self.floor(build)[0]})


def _csv_bytes(release: Path, archive: Path) -> int:
    """Return how many bytes of CSV an archive of a release holds."""
    variant = archive.name.removesuffix(".tar.zst").rpartition("-")[2]
    return sum(file.stat().st_size for file in (release / variant).rglob("*.csv"))


def with_changed_rate(specification: str, rule: str) -> str:
    """Return a specification of noise in which a rule's rate is a tenth lower."""
    content = yaml.safe_load(specification)
    (named,) = (each for each in content["rules"] if each["name"] == rule)
    named["mechanism"]["rate"] *= 0.9
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False)


def unlike(said: Mapping[str, Any], rows: Mapping[str, int], noisy_cells: int) -> list[str]:
    """Return in what the peers' job was another than Silt's.

    Args:
        said: What the pipeline printed: `rows` of each table, cells `changed` by noise, `codes_left`.
        rows: Silt's rows of each table, which must be the same.
        noisy_cells: Cells that Silt's noise changed: theirs are to be as many, give or take a fifth.
    """
    found = [(path, said["rows"].get(path), count) for path, count in rows.items()]
    differences = [f"{path}: {theirs} rows, Silt has {count}" for path, theirs, count in found if theirs != count]
    if abs(said["changed"] - noisy_cells) > noisy_cells / 5:
        differences.append(f"{said['changed']:,} noisy cells, Silt has {noisy_cells:,}")
    if said["codes_left"]:
        differences.append(f"{said['codes_left']:,} codes are left")
    return differences


def _landed(scale: float, folder: Path) -> Path:
    """Land the corpus in the checkout, from where all builds take it, and write beside a build what the peers know of it."""
    _, output = measured((_PYTHON, "-m", "benchmarks.originals", str(scale), folder / FACTS), ROOT, _HERE)
    (folder / "raw").symlink_to(ROOT / "raw")
    return Path(output.strip())


def _pipeline_of_peers(build: Build) -> tuple[Cost, Mapping[str, Any]]:
    command = (PEERS, "-m", "benchmarks.peer_pipeline", build.raw, build.folder / FACTS, build.folder / "peers")
    cost, output = measured(command, build.folder, _HERE)
    said = json.loads(output.splitlines()[-1])
    if differences := unlike(said, build.rows, build.noisy_cells):
        sys.exit("the peers did another job:\n" + "\n".join(differences))
    return cost, said


def _beside_silt(build: Build, cost: Cost, said: Mapping[str, Any]) -> Iterator[Row]:
    without_search = cost.seconds - said["seconds"]["search"]
    ratios = {PEER_SECONDS: cost.seconds / build.cost.seconds}
    if cost.peak_mb and build.cost.peak_mb:
        ratios[PEER_MEMORY] = cost.peak_mb / build.cost.peak_mb
    ratios["without its search"] = without_search / build.cost.seconds
    note = ", ".join(
        f"{said[name]:,} {name.replace('_', ' ')}" for name in ("changed", "ks_tests", "expectations", "leaks")
    )
    name = f"peers' pipeline, scale {build.scale:g}"
    yield Row(name=name, cost=cost, ratios=ratios, note=note)
    for step, seconds in said["seconds"].items():
        yield Row(name=f"  {name}: {step}", cost=Cost(seconds=seconds), ratios={"of it": seconds / cost.seconds})


def _silt(folder: Path, *arguments: str, variables: Mapping[str, str] | None = None) -> Cost:
    own = _HERE | {"DAGSTER_HOME": str(folder)} | dict(variables or {})
    return measured((_PYTHON.with_name("silt"), *arguments), folder, own)[0]


def _best(*command: str | Path) -> Cost:
    return min((measured(command, ROOT, _HERE)[0] for _ in range(3)), key=lambda cost: cost.seconds)
