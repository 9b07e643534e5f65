"""The library: every file is valid, and together they cover what is promised."""

from dr_rd.planning.library import load_library


def test_the_library_loads_and_covers_the_archetypes():
    library = load_library()
    assert len(library.methods) >= 14
    assert len(library.roles) >= 12
