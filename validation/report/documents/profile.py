"""The type of `profile.json`: what stands in each published table?"""

from validation.profile import TableProfile
from validation.report.documents.base import Document


class Profile(Document):
    """`profile.json`: what stands in each published table, and in the records of it that noise changed?"""

    tables: tuple[TableProfile, ...]
