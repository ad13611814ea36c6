-- What the database holds before each trial. `pg_dump --no-owner` writes a file like this one of what you have.
CREATE TABLE items (id integer PRIMARY KEY, name text NOT NULL, stock integer NOT NULL);
CREATE TABLE orders (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item integer NOT NULL REFERENCES items,
    quantity integer NOT NULL
);

INSERT INTO items SELECT number, 'item ' || number, 1000000 FROM generate_series(1, 10000) AS number;
