"""A server that speaks S3, and an empty bucket on it, which S3 is to whoever asks meanwhile."""

from collections.abc import Iterator

import pytest

BUCKET = "silt"

OPENS = {"ACCESS_KEY_ID": "me", "SECRET_ACCESS_KEY": "secret word"}
"""Variables of AWS that open it."""


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """Return the address of a server."""
    from moto.server import ThreadedMotoServer  # noqa: PLC0415  (few tests need it)

    found = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    found.start()
    host, port = found.get_host_and_port()
    yield f"http://{host}:{port}"
    found.stop()


@pytest.fixture
def bucket(s3: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of an empty bucket."""
    from fsspec.core import url_to_fs  # noqa: PLC0415

    for name, value in {**OPENS, "ENDPOINT_URL": s3, "DEFAULT_REGION": "us-east-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    far, _ = url_to_fs(f"s3://{BUCKET}", skip_instance_cache=True)
    if far.exists(BUCKET):
        far.rm(BUCKET, recursive=True)
    far.mkdir(BUCKET)
    return f"s3://{BUCKET}"
