"""`fairtrial init`: the files by which a service's own repository is put on trial, and a first look at it."""
