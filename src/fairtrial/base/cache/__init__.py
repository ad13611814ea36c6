"""What is made once and kept: one folder for each content, complete or absent."""
