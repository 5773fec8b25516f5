"""What a finished build says at its end: what it published, where the report is, what to do next, what it took."""

from collections.abc import Sequence

from assets.making.request import Request
from assets.making.step import Step
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.refusal import REPORT


def told(request: Request, variants: Sequence[str], missing: Sequence[Step], *, seconds: float) -> str:
    """Return the lines for whoever builds."""
    folders = [request.folder / variant for variant in dict.fromkeys(variants)]
    made = f"{len(missing)} steps" if missing else "nothing, since nothing changed"
    lines = [
        ("made", f"{made}, in {seconds:.1f} s"),
        *(("published", str(folder)) for folder in folders),
        *(("report", str(folder / "reports" / REPORT)) for folder in folders if folder.name != ABLATIONS),
        ("next", f"silt audit {variants[0]} --environment {request.environment.argument} --out {request.out}"),
    ]
    return "\n".join(f"  {name:<10} {text}" for name, text in lines)
