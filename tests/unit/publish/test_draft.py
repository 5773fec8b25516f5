"""The command that makes a release of a draft."""

from pipeline.publish.draft import release_command


def test_the_command_names_the_variants_that_were_built() -> None:
    """Whoever built one of them has no noise for the other; of both none is named."""
    options = ["--raw", "my tables"]
    assert release_command(options) == "silt release --version 1.0.0 --raw 'my tables'"
    assert release_command(options, variants=["clean"]) == "silt release clean --version 1.0.0 --raw 'my tables'"
