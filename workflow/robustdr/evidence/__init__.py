"""`robustdr evidence`: finished runs join the ledger, and claims are judged on all that it has."""
