"""How steps are made: each at most once, side by side, and kept by content. Which steps there are is declared in `assets/`.

A step has a key: a digest of the code that it runs (`code`), the environment's declaration, its parameters (`parameters`) and
the content of what it reads (`fingerprint`). The store keeps what the step made under that key (`store`). A step runs again
only if its key changes (`scheduler`).
"""
