package fairtrial.units;

import fairtrial.NeedsDatabase;
import fairtrial.NotFoundException;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The workload transaction-mix. */
@RestController
@NeedsDatabase
class UnitController {

    private final UnitService units;

    record Answer(long units) {}

    UnitController(UnitService units) {
        this.units = units;
    }

    @PostMapping("/units/{weight}")
    Answer unit(@PathVariable String weight) {
        return new Answer(units.run(Weight.named(weight).orElseThrow(NotFoundException::new)));
    }
}
