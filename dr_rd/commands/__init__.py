"""What each command of the command line does; one module each, imported when it is called."""
