"""What the columns of `dataclaw-18` hold that say nothing of themselves, and the labels of its aggregates in English.

Belongs here: words, for the data dictionary, the report and the graph. What follows from a role or a measure is said there.
"""

from collections.abc import Mapping

from raw.vocabulary.english import EXCHANGES_IN_ENGLISH, INDICATORS_IN_ENGLISH, OWNERSHIPS_IN_ENGLISH
from raw.vocabulary.listing import OWNERSHIP_EXCHANGE_PAIRS
from silt.environments.dataclaw_18.industry import COUNT, TOTAL_COUNT, statistic_labels

_COLUMNS = {
    "companyType": "where the company is listed: the mainland, Hong Kong, or overseas",
    "completedDate": "when the company was founded",
    "listingDate": "when trading of its shares began",
    "delistingDate": "when trading of its shares ended",
    "industryId": "number of the industry",
    "industry": "industry",
    "secondIndustryId": "number of the sub-industry",
    "secondIndustry": "sub-industry",
    "firstClassificationId": "number of the strategic emerging industry",
    "firstClassification": "strategic emerging industry",
    "secondClassificationId": "number of the part of the strategic emerging industry",
    "secondClassification": "part of the strategic emerging industry",
    "province": "province",
    "city": "city",
    "area": "district or county",
    "country": "country",
    "exchange": "stock exchange",
    "plate": "board of the exchange",
    "ownership": "who owns the company: the state, private persons, foreigners",
    "multipleList": "1 for a company that several exchanges list",
    "isResult": "0 for a second listing, which aggregates leave out",
    "isDelete": "mark of the database",
    "hasRun": "mark of the database",
    "companyStatusType": "state of the company, nearly always 0",
    "createTime": "when the row was loaded; invented",
    "updateTime": "when the row was last changed; invented",
    "year": "year that the row is about",
    "targetName": "what the figure is",
    "targetCode": "what the figure is",
    "targetUnit": "unit of the figure",
    "value": "the figure",
    "originalUrl": "address of the policy",
    "writtenDate": "when the policy was signed",
    "publishDate": "when the policy was published",
    "policyClassification": "kind of policy",
    "issueAuthor": "agency that issued the policy",
    "interal_knowladge": "definition of a metric",
    "district": "industry",
    "行业": "industry",
    "省份": "province",
}

_OF_FIRMS = {own: english[0] for own, english in OWNERSHIPS_IN_ENGLISH.items()} | {
    own: english[-1] for own, english in EXCHANGES_IN_ENGLISH.items()
}
_COUNTS = {TOTAL_COUNT: "number of companies"} | {
    f"{'-'.join(of)}{COUNT}": f"number of companies: {', '.join(_OF_FIRMS[each] for each in of)}"
    for of in (*((each,) for each in _OF_FIRMS), *OWNERSHIP_EXCHANGE_PAIRS)
}

MEANINGS: Mapping[str, str] = (
    _COLUMNS
    | _COUNTS
    | {label: f"{statistic} of {INDICATORS_IN_ENGLISH[measure]}" for measure, statistic, label in statistic_labels()}
)
"""Published column -> what it holds, in every table that has it."""
