"""Publishing: files are written in their dialect, listed in a manifest, and swapped in whole. Gates decide what passes.

`files` writes and describes files, `manifest` lists them, `publication` stages, publishes and recovers, `swap` exchanges two
folders. `pipeline/disk.py` turns failures of the file system into errors that say what to do.
"""
