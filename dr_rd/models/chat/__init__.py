"""One request to a chat-completions server.

::

    clients.py    one client for each server and key of a process
    send.py       one request and its reply
    direct.py     the same without the client library
    replies.py    the reply that a run keeps
    faults.py     what the outcome of a request means
    http.py       the HTTP client, and what a server says of itself
    downgrade.py  requests without what their server refuses
    sanitize.py   a server's reply put right before its client reads it
"""
