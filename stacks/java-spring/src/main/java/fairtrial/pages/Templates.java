package fairtrial.pages;

import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.springframework.core.io.ClassPathResource;

/** Templates, compiled once. */
final class Templates {

    private Templates() {}

    /** The template of this name; it escapes what it shows as HTML. */
    static Template named(String name) {
        try {
            String source = new ClassPathResource("templates/" + name + ".mustache")
                    .getContentAsString(StandardCharsets.UTF_8);
            return Mustache.compiler().escapeHTML(true).compile(source.strip());
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
