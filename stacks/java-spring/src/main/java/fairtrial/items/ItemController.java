package fairtrial.items;

import fairtrial.NeedsDatabase;
import fairtrial.NotFoundException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The workload random-item. */
@RestController
@NeedsDatabase
class ItemController {

    private final ItemRepository items;

    ItemController(ItemRepository items) {
        this.items = items;
    }

    @GetMapping("/items/random")
    Item random() {
        return items.random();
    }

    @GetMapping("/items/{uuid}")
    Item byUuid(@PathVariable String uuid) {
        return items.byUuid(uuid).orElseThrow(NotFoundException::new);
    }
}
