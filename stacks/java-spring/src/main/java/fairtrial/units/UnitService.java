package fairtrial.units;

import fairtrial.NeedsDatabase;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Does units of work, each on one connection. */
@Service
@NeedsDatabase
class UnitService {

    private final UnitRepository units;
    private final TransactionTemplate inTransaction;
    private final TransactionTemplate onOneConnection;

    UnitService(UnitRepository units, PlatformTransactionManager transactions) {
        this.units = units;
        inTransaction = new TransactionTemplate(transactions);
        // No transaction, but the same connection up to the end.
        onOneConnection = new TransactionTemplate(transactions);
        onOneConnection.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
    }

    /** Does a unit of this weight and gives the first count. */
    long run(Weight weight) {
        if (weight.ending == Weight.Ending.NO_TRANSACTION) {
            return onOneConnection.execute(scope -> runStatements(weight));
        }
        return inTransaction.execute(transaction -> {
            long counted = runStatements(weight);
            if (weight.ending == Weight.Ending.ROLLBACK) {
                transaction.setRollbackOnly();
            }
            return counted;
        });
    }

    private long runStatements(Weight weight) {
        long first = units.count();
        for (int number = 1; number < weight.counts; number++) {
            units.count();
        }
        for (int number = 0; number < weight.labelCounts; number++) {
            units.countByLabel("red");
        }
        long inserted = 0;
        for (int number = 0; number < weight.inserts; number++) {
            inserted = units.insert("unit", 0, "blue");
        }
        for (int number = 0; number < weight.updates; number++) {
            units.increment(inserted);
        }
        return first;
    }
}
