"""`fairtrial docket`: results and published boards as one static site."""
