package fairtrial.units;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How much a unit of work does: so many statements of each kind, in this order. */
enum Weight {
    VERY_LIGHT(1, 0, 0, 0, Ending.NO_TRANSACTION),
    LIGHT(1, 0, 1, 0, Ending.NO_TRANSACTION),
    MODERATE(2, 0, 1, 0, Ending.ROLLBACK),
    HEAVY(3, 0, 1, 1, Ending.COMMIT),
    VERY_HEAVY(3, 1, 1, 2, Ending.COMMIT);

    /** How the unit's transaction ends, if it has one. */
    enum Ending {
        NO_TRANSACTION,
        ROLLBACK,
        COMMIT
    }

    final int counts;
    final int labelCounts;
    final int inserts;
    final int updates;
    final Ending ending;

    Weight(int counts, int labelCounts, int inserts, int updates, Ending ending) {
        this.counts = counts;
        this.labelCounts = labelCounts;
        this.inserts = inserts;
        this.updates = updates;
        this.ending = ending;
    }

    /** The weight of this name, as the path has it: {@code very-light}. */
    static Optional<Weight> named(String name) {
        return Arrays.stream(values()).filter(weight -> weight.pathName().equals(name)).findAny();
    }

    private String pathName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
