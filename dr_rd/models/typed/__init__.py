"""Questions to a model with a type for the reply.

::

    ask.py     asked, continued where it was cut, repaired once
    read.py    the JSON in a reply, where its meaning is certain
    shape.py   brought into the shape that was asked
    join.py    a reply that came in parts
    schema.py  the JSON schema of a reply, and how a server is held to it
"""
