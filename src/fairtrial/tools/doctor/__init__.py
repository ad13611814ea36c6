"""The machine, looked at before a trial: what `fairtrial doctor` prints."""
