"""Review policies: automatic decisions about assignments, and extensions of HITs.

`parameters` checks what a requester asks for, `due` notes what is to be reviewed, `scores` compares
answers, and `apply` stores the results and takes the actions.
"""
