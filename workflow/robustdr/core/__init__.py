"""What every other room stands on: errors, files, seeds, clients, the hub."""
