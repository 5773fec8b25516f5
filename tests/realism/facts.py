"""What is documented about the release that `dataclaw-18` stands for, and how the same is counted in our noisy tables.

    figures.py   statistics: names, units, digits        agencies.py  who issued policies, and under which names
    series.py    macro series, repeated rows, periods    policies.py  policy counts and texts
    firms.py     profiles, overseas decoys, narratives   records.py   rows and ids of every table
    counting.py  what they share

A fact is a row: what is compared, the section of the reference of the real release that tells it, the tables that it is
measured in, what is documented (of ranges and numbers its words and both bounds), and the measure. Ours is counted on the
published text alone, by the vocabularies of the trade; a row that noise made unreadable is not counted. Judging is
`comparing.py`.
"""

from tests.realism.agencies import AGENCIES
from tests.realism.comparing import Documented
from tests.realism.figures import FIGURES
from tests.realism.firms import FIRMS
from tests.realism.policies import POLICIES
from tests.realism.records import RECORDS
from tests.realism.series import SERIES

DOCUMENTED: tuple[Documented, ...] = (*FIGURES, *AGENCIES, *POLICIES, *SERIES, *FIRMS, *RECORDS)
"""In the order of the table."""
