package fairtrial.articles;

/** A row of the table articles. */
record Article(long id, String name, String type, String tags, String description) {}
