"""The workbench in a browser: screens draw what the run service knows and decide nothing.

::

    asgi      the server: lifespan and security headers
    context      what every screen works at: the run service and the library
    session   every widget's key and the only access to the session's state
    page      the script that Streamlit runs: navigation and theme
    new       the brief's form        settings  the sidebar
    run       one run until its end   result    what it came to
    history   all runs
    plan, tables, charts, text        values into what is drawn, without drawing
"""
