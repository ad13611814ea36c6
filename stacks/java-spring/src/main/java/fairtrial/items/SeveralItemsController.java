package fairtrial.items;

import fairtrial.NeedsDatabase;
import fairtrial.NotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The workload several-items: rows by primary key, by one select each, one after the other. */
@RestController
@NeedsDatabase
class SeveralItemsController {

    private static final Pattern IDS = Pattern.compile("[0-9]{1,18}(?:,[0-9]{1,18}){0,99}");

    private final ItemRepository items;

    SeveralItemsController(ItemRepository items) {
        this.items = items;
    }

    @GetMapping("/items/several/{ids}")
    List<NamedItem> several(@PathVariable String ids) {
        if (!IDS.matcher(ids).matches()) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST);
        }
        List<NamedItem> found = new ArrayList<>();
        for (String number : ids.split(",")) {
            long id = Long.parseLong(number);
            found.add(new NamedItem(id, items.name(id).orElseThrow(NotFoundException::new)));
        }
        return found;
    }
}
