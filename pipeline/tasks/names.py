"""Names of the files of a set of tasks, in its public folder and in the curator's. Nothing else belongs here."""

DEV, TEST, MANUAL, COMMITMENTS = "dev.jsonl", "test.jsonl", "manual.md", "commitments.json"

IMPACT, PAGE = "impact.json", "index.html"
"""They say what noise does to tasks."""

TEST_ANSWERS, TEST_IMPACT = "test_answers.jsonl", "test_impact.json"
"""The curator's."""
