"""In the group of the curator's evidence: all reports that compare a release of sampled records with the originals, as files.

They have the form of the published ones, and the same pages. They lie beside the build, readable by its owner alone; steps that
publish read of them that their gates were passed. Where published reports compare with the originals, there are none.
"""

from collections.abc import Iterator
from dataclasses import replace

from assets.evidence.files import VariantReports, about_truth, listed, listing
from assets.evidence.sides import absent, is_absent
from assets.making.flow import Door
from assets.making.keys import ATTACKS, COMPARED, CURVES, Stage
from assets.making.parameters import MANIFEST, POLICY
from assets.making.results import Result
from assets.making.step import Run
from assets.wiring.steps import Declared, asset
from pipeline.model import Environment
from pipeline.publish.variant import CLEAN

_FOLDER = "reports"
"""Folder below the curator's."""


def compared_asset(environment: Environment) -> Declared:
    """Return the asset of the curator's reports, that whoever publishes waits for."""
    own = [*about_truth(environment), *([CURVES] if environment.panel else []), ATTACKS]
    reads = [*((Stage.CURATOR, name) for name in own), *listing(environment)]
    doors = {(Stage.CURATOR, COMPARED): Door.OUTCOME}

    @asset(environment, Stage.CURATOR, COMPARED, reads=reads, uses=(MANIFEST, POLICY), doors=doors)
    def compared(run: Run) -> Iterator[Result]:
        """What tests, comparisons and attacks found with the originals in hand: files that are the curator's alone."""
        if is_absent(run, Stage.CURATOR):
            yield from absent(run, Stage.CURATOR, COMPARED, ())
            return
        evidence = VariantReports(
            environment=environment,
            variant=CLEAN,
            policy=run.use(POLICY),
            reports={name: run.read(Stage.CURATOR, name) for name in own},
            entities=listed(run),
            is_curators=True,
        )
        files = evidence.files() | evidence.of_search(replace(run.use(MANIFEST), variant=CLEAN), None)
        for path, content in files.items():
            run.note(f"{_FOLDER}/{path}", content.decode())
        yield run.made(Stage.CURATOR, COMPARED, "passed", {"files": len(files)})

    return compared
