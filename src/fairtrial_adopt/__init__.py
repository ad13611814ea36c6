"""`fairtrial adopt`: entries of public boards as contenders, with what their boards ask of them."""
