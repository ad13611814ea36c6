package main

import (
	"cmp"
	"context"
	"os"
)

type query struct {
	statement string
	arguments []any
}

// runQueries does long queries with short ones behind each, shared out over goroutines and a pool of connections.
func runQueries(ctx context.Context) error {
	told, err := numbers("LONG_QUERIES", "SHORT_PER_LONG", "LONG_MILLISECONDS", "DB_POOL", "CONCURRENCY")
	if err != nil {
		return err
	}
	long, short, milliseconds, connections, goroutines := told[0], told[1], told[2], told[3], told[4]
	database, isPostgres, err := open(connections)
	if err != nil {
		return err
	}
	defer database.Close()
	sleep := "SELECT " + cmp.Or(os.Getenv("LONG_FUNCTION"), "SLEEP") + "(?)"
	if isPostgres {
		sleep = "SELECT " + cmp.Or(os.Getenv("LONG_FUNCTION"), "pg_sleep") + "($1)"
	}

	queries := make(chan query, long*(1+short))
	for range long {
		queries <- query{sleep, []any{float64(milliseconds) / 1000}}
		for range short {
			queries <- query{"SELECT 1", nil}
		}
	}
	close(queries)
	return shareOut(goroutines, queries, func(query query) error {
		rows, err := database.QueryContext(ctx, query.statement, query.arguments...)
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		return rows.Err()
	})
}
