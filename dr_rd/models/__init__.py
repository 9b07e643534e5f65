"""Models on chat-completions servers: where they are, how they are asked, what they may see.

::

    served/    the models of a run: endpoint, what it can do, keys, prices, estimates
    chat/      one HTTP request: client, faults, replies put right, requests a server takes
    privacy/   what leaves this machine: which servers, and words that are masked
    typed/     a question with a type for its reply: schema, asking, reading, shaping, joining
    address.py which server an address names, and whether it is this machine
    window.py  how much a model reads and writes at once
"""
