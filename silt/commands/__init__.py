"""The commands of `silt`, one module or package each: `add_to` declares its options, `run` does it and returns the exit status.

What takes long to import is imported when a command runs, so that help and the first line of a build do not wait for it.
"""

COMMANDS = {
    "init": "look at a folder of tables (CSV, Parquet), and write a declaration and three noise specifications to start from",
    "check": "list every problem of a declaration, its raw tables or a noise specification; nothing is published",
    "build": "build and publish variants of an environment",
    "ablate": "build and publish variants with parts of the noise, to see what each part does",
    "audit": "attack the published files of a variant, with the originals in hand",
    "release": "make a release that others can cite, mount, verify and rebuild; builds what is missing",
    "deliver": "put a variant or a release at an address, as s3://BUCKET/FOLDER, in place of what was delivered there",
    "verify": "check a release from its public files: needs no raw tables, key or network, and writes nothing",
    "rebuild": "build a release again from its inputs, compare it byte for byte, and explain differences",
    "diff": "compare two releases: what differs, which version number that needs, and what both together reveal",
    "dev": "serve the asset graph of your builds to a web browser",
    "noise": "explain noise specifications; turn a clean database into the noisy one by the ledger, or back",
    "tasks": "make tasks with gold answers, steps and milestones from a finished build; explain and check them",
    "score": "compare answers to tasks with what is right: how many are, of which tasks, and why the others are not",
    "reveal": "print which original each pseudonym stands for, as CSV: for the curator alone",
}
"""What each command does; its module has its name."""
