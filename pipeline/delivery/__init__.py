"""Variants and releases at an address: parts that are named by their digests, and a listing of them, which is written last.

A reader finds what the listing names, all of it, or nothing. Only what is public is ever put there.
"""
