-- What the database holds before the first trial. `sqlite3 FILE .dump` writes a file like this one of what you have.
CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, stock INTEGER NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES items (id), quantity INTEGER NOT NULL);

WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 400)
INSERT INTO items SELECT number, 'item ' || number, 1000000 FROM numbers;
