-- Before each trial: as if nobody had ordered anything.
DELETE FROM orders;
UPDATE items SET stock = 1000000;
