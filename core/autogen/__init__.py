"""AutoGen, which only the module beside this one imports."""
