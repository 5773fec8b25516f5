"""The pictures of README and docs, made by one command from a build: `make pictures`.

A picture is of a day. `shown.json` holds what each one showed then, as a digest of its picture and one of the code that decides
what is seen; a test says when either is another one.
"""
