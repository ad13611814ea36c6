"""What the services of keys and of documents share with one that runs already: how it is spoken to, and whose it is."""
