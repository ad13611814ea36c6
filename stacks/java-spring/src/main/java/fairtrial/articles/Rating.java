package fairtrial.articles;

/** A row of the table ratings: a user has rated an article. */
record Rating(long userNumber, long articleId) {}
