"""Folders of raw tables that are written for a test."""

from collections.abc import Mapping
from pathlib import Path

SHOPS = {
    "shops": "shop,name,trade,town,email,about\n"
    "A1,Miller & Daughter,Bakery,Ulm,a@mill.example,Bakes for A2.\n"
    "A2,The Corner Loaf,Bakery,Ulm,b@loaf.example,Rolls.\n"
    "B1,Wheel and Chain,Bicycles,Bonn,c@wheel.example,Repairs.\n",
    "aliases": "shop,alias\nA2,Loafers\nA2,Corner\n",
    "accounts": "shop,year,delivered,sales (EUR),costs,profit,margin\n"
    "A1,2023,30.50,1204.50,991.20,213.30,17.71\n"
    "A2,2023,12.00,880.12,802.30,77.82,8.84\n"
    "B1,2023,40.25,3105.55,2900.00,205.55,6.62\n"
    "B1,2024,7.10,n/a,3012.00,,\n",
    "deliveries": "shop,slip,day,value\n"
    "A1,S1,2023-02-04,10.50\nA1,S2,2023-09-11,20.00\nA2,S1,2023-03-27,12.00\nB1,S1,2023-05-15,40.25\nB1,S2,2024-08-02,7.10\n",
}
"""A listing, aliases, figures by year and records whose sum stands among the figures."""


def write(folder: Path, tables: Mapping[str, str]) -> Path:
    """Write tables as CSV into a folder, and return it."""
    folder.mkdir(exist_ok=True)
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder
