"""The workbench in a browser: screens draw what the run service knows and decide nothing.

::

    asgi      the server: lifespan, whom it lets in, and security headers
    login     who looks            media     whose the page's files are
    context   what every screen works at: the run service and the library
    session   every widget's key and the only access to the session's state
    frame     the document that the page is drawn in, with its stylesheet
    page      the script that Streamlit runs: navigation and theme
    new       the start page: source the text, fields its form, inputs and settings the rest
    run       one run until its end   approval  its plan before that is worked
    result    what it came to         proposal  its text by sections
    history   all runs                compare   runs side by side
    form, marks, plan, lint, tables, charts, text   values into what is drawn or had
"""
