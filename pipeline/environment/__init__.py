"""What an environment is (`model.py`) and the environments that Silt ships, each a declaration.

The registry that names them is `silt/environments/registry.py`. No stage belongs here.
"""
