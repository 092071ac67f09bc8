"""What fits, what it takes and how long it lasts: arithmetic without a GPU.

Each module holds small dataclasses for what goes in and what comes out, and pure functions between them. Units stand in
the names, every formula names its source, and what an estimate leaves out is said in `ASSUMES`.
"""
