"""Publishing: files written in their dialect, listed in a manifest, swapped in whole. Gates decide what passes.

`files` writes and describes, `manifest` lists, `publication` stages, publishes and recovers, `swap` exchanges two
folders, `disk` turns failures of the file system into errors that say what to do.
"""
