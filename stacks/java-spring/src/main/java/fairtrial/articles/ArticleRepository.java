package fairtrial.articles;

import fairtrial.NeedsDatabase;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

@Repository
@NeedsDatabase
class ArticleRepository {

    private final JdbcClient jdbc;

    ArticleRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    List<Article> all() {
        return jdbc.sql("SELECT id, name, type, tags, description FROM articles").query(Article.class).list();
    }

    List<Rating> ratings() {
        return jdbc.sql("SELECT user_number, article_id FROM ratings").query(Rating.class).list();
    }
}
