"""What cannot be read is no release, and no defect."""

from pathlib import Path

import pytest

from pipeline.errors import InputError
from silt.commands.released import opened_release


def test_a_file_that_cannot_be_read_is_refused() -> None:
    """The system opens the memory of a process, and reads nothing at its beginning."""
    refused = pytest.raises(InputError, match=r"^/proc/self/mem cannot be read \(Input/output error\); give the folder")
    with refused, opened_release(Path("/proc/self/mem"), ""):
        pass


def test_what_is_not_there_is_answered_as_such(tmp_path: Path) -> None:
    """With what of its kind lies beside it, files of the system and of Silt apart."""
    (tmp_path / ".lock").touch()
    with pytest.raises(InputError, match=r"of a release$"), opened_release(tmp_path / "clock", ""):
        pass
    (tmp_path / "shop-1.0.0").mkdir()
    refused = pytest.raises(
        InputError, match=r"shops-1\.0\.0 is not there; give the folder or archive of a release; did you"
    )
    with refused, opened_release(tmp_path / "shops-1.0.0", ""):
        pass
