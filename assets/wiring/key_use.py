"""What the release key of a build is used for: refused when a build starts, on record before anything is published.

A build that publishes nothing uses no key: whoever mends raw tables that were refused goes on with the same one.
"""

from anonymize.keys.key_uses import record_use, refuse_other_use
from assets.making.request import Request


def refuse_used_key(request: Request) -> None:
    """Refuse a key that was used for anything else, unless a further use is asked for.

    Raises:
        KeyFileError: It was used for anything else, or the record cannot be read.
        InputError: A raw file cannot be read.
    """
    if request.release.file is not None and request.use is not None and not request.reuse_key:
        refuse_other_use(request.release.file, request.use)


def claim_key(request: Request) -> None:
    """Put on record what the key is used for, now that something made with it will be published.

    Raises:
        KeyFileError: It was used for anything else, and a further use was not asked for; or there can be no record.
    """
    if request.release.file is not None and request.use is not None:
        record_use(request.release.file, request.use, is_wanted=request.reuse_key)
