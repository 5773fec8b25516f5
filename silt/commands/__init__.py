"""The commands of `silt`, one module or package each: `add_to` declares its options, `run` does it and returns the exit status.

What takes long to import is imported when a command runs, so that help and the first line of a build do not wait for it.
"""

COMMANDS = {
    "init": "look at a folder of tables (CSV, Parquet), and write a declaration and a noise specification to start from",
    "check": "say what is missing in a declaration, its raw tables or a noise specification, without building",
    "build": "build and publish variants of an environment",
    "ablate": "build and publish every variant of a noise specification taken apart",
    "audit": "attack the published files of a variant, with the originals in hand",
    "release": "make a release that others can cite, mount, verify and rebuild; what is not built is built first",
    "verify": "check a release from its public files alone: no raw tables, no release key, no network, nothing written",
    "rebuild": "build a release again from its inputs, in a folder of its own, compare it byte for byte, explain a difference",
    "diff": "compare two releases: what differs, which number it asks for, and what somebody learns who has both",
    "dev": "open the asset graph in a web server",
    "noise": "look into noise specifications; turn a clean database into the noisy one by the ledger, or back",
    "tasks": "make tasks with gold answers, steps and milestones from a finished build; explain and check them",
    "reveal": "print the identity map in clear, as CSV: for the curator alone",
}
"""What each command does; its module has its name."""
