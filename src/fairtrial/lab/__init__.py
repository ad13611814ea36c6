"""The lab: carries a plan out, trial after trial, and writes the record."""
