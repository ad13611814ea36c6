package fairtrial.items;

/** A row of the table items, of which only the name was asked. */
record NamedItem(long id, String name) {}
