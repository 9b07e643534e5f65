"""Twenty faults and where each is injected; paths are below tests/.

==  ==========================================  ==================================================
 1  SIGKILL at every write and node boundary    core/test_crashes.py; at random: faults/test_soak.py
 2  SIGKILL just after a person's answer        faults/test_kills.py: ..after_the_answer..
 3  SIGKILL while a line or a file is written   core/test_crashes.py (each kill leaves half a line
                                                and half a file); core/test_trace.py: ..torn_tail..
 4  SIGTERM during a run                        faults/test_kills.py: ..sigterm_at_any_node..;
                                                core/test_runs.py: ..a_signal_pauses..; test_cli.py
 5  two answer or resume at once                faults/test_people.py: ..answer_at_once..,
                                                ..resume_at_once..
 6  a double click on Start                     faults/test_people.py: ..double_click..
 7  a node renamed while the run is paused      faults/test_people.py: ..renamed_node..
 8  the database is locked, stopped, restarted  faults/test_storage.py: ..locked_checkpoints..;
                                                core/test_postgres.py
 9  the disk is full                            faults/test_storage.py: ..disk_full_at_any_write..
10  429 with a wait, short, long, too long      faults/test_calls.py: ..a_wait_that..; the slot that
                                                is given back meanwhile: core/test_calls.py
11  quota, 401, 404                             faults/test_calls.py: ..no_retry_mends..
12  a server that is down and comes back        faults/test_calls.py: ..may_be_gone.., ..comes_back..
13  hang, drip, keep-alive                      faults/test_calls.py: ..silence_ends..
14  a stream that is cut                        faults/test_calls.py: ..a_cut_stream..
15  200 with what is no reply                   faults/test_calls.py: ..may_be_gone.., ..what_stays..
16  a reply that is not whole                   faults/test_calls.py: ..not_whole..
17  flawed tool calls, a reply of 50 MB         faults/test_calls.py: ..asks_wrongly..,
                                                ..cannot_have..
18  one of six agents always fails              faults/test_gaps.py
19  a simulation of hostile numbers             faults/test_hostile.py: ..a_simulation..
20  hostile documents                           faults/test_hostile.py; evidence/test_ingest.py
==  ==========================================  ==================================================

Secrets in none of a run's files: faults/test_secrets.py.
"""
