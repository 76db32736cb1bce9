"""`robustdr preflight`: is all that a target needs from outside there, before the first job runs?"""
