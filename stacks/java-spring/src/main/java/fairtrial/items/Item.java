package fairtrial.items;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;

/** A row of the table items, without what is not answered. */
record Item(
        long id,
        String uuid,
        String name,
        @JsonProperty("hash_code") String hash,
        @JsonProperty("created_at") Instant createdAt) {}
