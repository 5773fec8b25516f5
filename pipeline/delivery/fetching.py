"""Reads what lies at an address back into a folder, each part compared with the digest in its name."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pipeline.addresses import Location
from pipeline.delivery.listing import DELIVERY, PART, DeliveredFile, Delivery, listing_at
from pipeline.errors import GateError, InputError


@dataclass(frozen=True)
class DeliveredFiles:
    """What was delivered to an address, as it was when it was opened."""

    place: Location
    listing: Delivery

    @classmethod
    def at(cls, address: str) -> "DeliveredFiles":
        """Open what lies at an address; raise `InputError` if nothing was delivered there, or it cannot be reached."""
        place = Location(address, what="what was delivered", option="a variant or a release")
        listing = listing_at(place, place.sizes())
        if listing is None:
            raise InputError(
                f"nothing was delivered to {address}: there is no {DELIVERY}; `silt deliver` puts one there"
            )
        return cls(place, listing)

    def fetch(self, folder: Path, paths: Iterable[str] | None = None) -> Path:
        """Write files into a folder, all if none is named, and return the folder; those that are not listed are left out.

        Raises:
            GateError: A part is not what the listing says.
            InputError: A part is not there.
        """
        wanted = None if paths is None else set(paths)
        for file in self.listing.files:
            if wanted is None or file.path in wanted:
                self._fetch(file, folder / file.path)
        return folder

    def _fetch(self, file: DeliveredFile, to: Path) -> None:
        to.parent.mkdir(parents=True, exist_ok=True)
        with to.open("wb") as written:
            for name, digest in zip(file.names(), file.parts, strict=True):
                content = self._part(name)
                if sha256(content).hexdigest() != digest:
                    raise GateError(f"{name} at {self.place.address} is not what {DELIVERY} lists; deliver it again")
                written.write(content)

    def _part(self, name: str) -> bytes:
        with self.place.reaching():
            try:
                content: bytes = self.place.files.cat_file(self.place.path(name), end=PART + 1)
            except FileNotFoundError:
                raise InputError(
                    f"{name} is not at {self.place.address}, although {DELIVERY} named it: something else was delivered "
                    "meanwhile, or it was removed; read again, or deliver again"
                ) from None
        return content
