"""The stages that the rules call: what each runs, and its options. They lie in modules called as the rules' files are.

A stage imports its modules when it runs: starting torch to audit a table would cost more than the audit. What its
function names is the code that its key covers (robustdr.keys.provenance).
"""
