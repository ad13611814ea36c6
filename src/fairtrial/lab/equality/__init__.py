"""Equal answers without a specification: docs/equal-answers.md."""
