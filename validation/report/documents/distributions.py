"""Types of `ks.json` and `distributions.json`: do originals and anonymised figures have the same distributions?"""

from collections.abc import Mapping

from validation.distributions.equivalence import Margin
from validation.fidelity.report import Fidelity
from validation.report.documents.base import Comparing, Document, Period


class DrawnCompanies(Document):
    """Which companies a report looks at where there are many: the same share of every industry, drawn by key."""

    companies: int
    of: int


class OfCompanies(Comparing):
    """A report that compares companies' figures."""

    drawn: DrawnCompanies | None = None
    """Absent where all companies are compared."""


class Sample(Document):
    """One measure in one group and year."""

    level: str
    """`industry` or `sub_industry`: what the groups are."""
    measure: str
    group: str | None
    year: Period
    n: int
    """Original figures."""


class Test(Sample):
    """A two-sample Kolmogorov-Smirnov test of original and anonymised figures."""

    n_anonymised: int
    statistic: float
    """D, the largest distance between the two cumulative distributions: 0 (same) to 1 (apart)."""
    p_value: float
    """Exact for samples of up to about 500 figures, asymptotic beyond."""
    p_holm: float
    """Corrected for all tests of the level, by Holm (1979)."""
    detectable_shift: float | None
    """By how many standard deviations a normal distribution would have to move for the test to notice; null where one of two
    sampled sizes is below four."""


_SAME = ("measure", "group", "year", "n", "n_anonymised", "statistic", "p_value")
"""What two tests of one sample have in common, at whatever level."""


class Tests(Document):
    """Tests of the figures of one kind."""

    alpha: float
    power: float
    """Share of cases in which a test notices its detectable shift."""
    rejected: int
    """Tests with p at or below alpha."""
    unequal_sizes: int
    """Samples with another number of figures than the originals'."""
    smallest_p_value: float | None
    smallest_p_holm: float | None
    largest_statistic: float | None
    median_detectable_shift: float | None
    multiplicity: str
    tests: tuple[Test, ...]
    too_small: tuple[Sample, ...]
    """Samples of which no outcome would be significant."""

    @property
    def different_samples(self) -> int:
        """Return how many samples were tested: an industry whose only sub-industry has its name is the same sample twice."""
        return len({tuple(getattr(test, name) for name in _SAME) for test in self.tests})


class Ks(Tests, OfCompanies):
    """`ks.json`: have anonymised and original figures one distribution?"""

    passed: bool
    allowed: int
    """Rejected tests that chance explains."""
    events: Mapping[str, Tests] = {}
    """Table of events -> the same of its figures, which are reported and not judged."""


class Verdicts(Document):
    """How many samples are what."""

    samples: int
    equivalent: int
    undecided: int
    different: int


class Summary(Verdicts):
    """All samples."""

    pairs_needed: int | None
    """Companies that half of the samples need at most to show a shift of 0 to be equivalent."""


class Judged(Verdicts):
    """The samples that are judged."""

    passed: bool
    fewest: int
    """Companies of the smallest sample that is judged."""
    allowed: int
    """Samples that may be different."""
    met: Mapping[str, int]
    """Criterion -> samples that are shown to meet it."""
    met_on_average: tuple[str, ...]
    """Criteria that all samples together are shown to meet, which counts where most cannot show it."""
    missed: Mapping[str, int]
    most_must_meet: tuple[str, ...]


class Columns(Document):
    """A table by its columns' names and its rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]


class CorrelationChange(Document):
    """How much rank correlations between measures changed in one year."""

    year: Period
    records: int
    pairs: int
    median_change: float | None
    change_95: float | None
    largest_change: float | None
    pair: tuple[str, ...] | None
    """The two measures of the largest change."""


class Distributions(OfCompanies):
    """`distributions.json`: what a KS test does not see, within stated margins."""

    passed: bool
    alpha: float
    margins: Mapping[str, Margin]
    summary: Summary
    judged: Judged
    multiplicity: str
    samples: Columns
    correlations: tuple[CorrelationChange, ...]
    fidelity: Fidelity | None = None
