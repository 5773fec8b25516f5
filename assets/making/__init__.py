"""How steps are made: each at most once, side by side, and kept by content. Which steps there are is declared in `assets/`.

A step is known by everything that it depends on (`identity`): the code that it runs (`code`), the environment's declaration,
the parts of the request that it uses (`aspects`) and the content of what it reads. What it made is kept under that (`store`),
and is made again only if something of it is another (`engine`).
"""
